"""The protocol, and the checks around every encoder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from epochal.encoders.base import Encoder, EncoderError, check_texts, check_vectors, import_extra, unit_rows
from epochal.errors import EpochalError, MissingExtraError


class Whole:
    name, dim = "whole", 2

    def encode_documents(self, texts):
        return np.zeros((len(texts), 2), np.float32)

    encode_queries = encode_documents


def test_the_protocol_wants_all_four_names():
    assert isinstance(Whole(), Encoder)
    for missing in ("name", "dim", "encode_documents", "encode_queries"):
        rest = {key: value for key, value in vars(Whole).items() if key != missing and not key.startswith("__")}
        assert not isinstance(type("Part", (), rest)(), Encoder), missing


def test_the_error_is_one_of_ours():
    assert issubclass(EncoderError, EpochalError)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ("a text", "was given one text, 'a text'; give a list of texts"),
        ("x" * 100, "'" + "x" * 37 + "...'"),
        (["a", None], "row 1 is of type NoneType; every row must be a text"),
        ([b"bytes"], "row 0 is of type bytes"),
    ],
)
def test_other_things_than_texts_are_refused(texts, words):
    with pytest.raises(EncoderError) as caught:
        check_texts("mine", texts)
    assert words in str(caught.value)
    assert "'mine'" in str(caught.value)


@given(st.lists(st.text(st.characters(codec=None, categories=None))))
def test_texts_can_always_be_written_as_utf8(texts):
    result = check_texts("mine", texts)
    assert len(result) == len(texts)
    for text, clean in zip(texts, result, strict=True):
        clean.encode()
        assert len(clean) == len(text)
        assert clean == text or any("\ud800" <= letter <= "\udfff" for letter in text)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 2])
def test_numbers_that_are_not_finite_are_refused_with_their_row(bad, row):
    vectors = np.ones((3, 2), np.float32)
    vectors[row, 1] = bad
    with pytest.raises(EncoderError, match=rf"encoder 'mine': row {row} of 3 holds {bad}"):
        check_vectors("mine", 2, 3, vectors)


@pytest.mark.parametrize(
    ("vectors", "words"),
    [
        (np.zeros((2, 3)), r"shape \(2, 3\); 2 texts need \(2, 2\)"),
        (np.zeros((1, 2)), r"shape \(1, 2\); 2 texts need \(2, 2\)"),
        (np.zeros(2), r"shape \(2,\); 2 texts need"),
        (["a", "b"], "gave no array of numbers but a list"),
        ([[1, 2], [1]], "gave no array of numbers but a list"),
    ],
)
def test_shapes_are_checked(vectors, words):
    with pytest.raises(EncoderError, match=words):
        check_vectors("mine", 2, 2, vectors)


def test_float64_becomes_float32():
    result = check_vectors("mine", 2, 1, np.array([[0.6, 0.8]]))
    assert result.dtype == np.float32
    assert result.flags.c_contiguous


finite = st.floats(-1e6, 1e6, width=32)


@given(hnp.arrays(np.float32, st.tuples(st.integers(0, 5), st.integers(1, 5)), elements=finite))
def test_rows_become_of_length_one_or_stay_zero(rows):
    retained = rows.copy()
    lengths = np.linalg.norm(unit_rows(rows), axis=1)
    # Squares of the smallest floats vanish: such rows are all but zero, and may stay as they are.
    sizeable = np.abs(rows).max(axis=1, initial=0) > 1e-15
    assert np.allclose(lengths[sizeable], 1, atol=1e-5)
    assert (lengths[~rows.any(axis=1)] == 0).all()
    assert (rows == retained).all()


def test_a_missing_package_is_one_sentence():
    with pytest.raises(MissingExtraError, match=r"'mine' needs the package nowhere_at_all; .*'epochal\[far\]'"):
        import_extra("nowhere_at_all", "encoder 'mine'", "far")


def test_a_package_that_lacks_another_says_so_itself(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import nowhere_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nowhere_at_all"):
        import_extra("half_there", "encoder 'mine'", "far")


def test_a_package_that_is_there_is_given():
    assert import_extra("json", "encoder 'mine'", "far").dumps([1]) == "[1]"
