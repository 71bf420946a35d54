"""What workers make of parts, and what becomes of errors on the way."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from backends.ray.conftest import row
from epochal.api import Index
from epochal.backends.ray.loading import EncoderSpec, Work, describe_encoder, read_packages
from epochal.backends.ray.sources import Failure, StoredIds, list_parts
from epochal.encoders import encoder
from epochal.encoders.base import EncoderError
from epochal.errors import EpochalError, InputError, MissingExtraError, TimeParseError, UnknownNameError
from epochal.ingest import read_passages
from epochal.storage.importers import read
from epochal.storage.records import Document


@pytest.fixture
def part(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row(number)) + "\n" for number in range(600)))
    return list_parts(path)[0]


def test_packages_are_bounded_and_whole(part):
    packages = list(read_packages(part, Work()))
    assert [len(package.items) for package in packages] == [256, 256, 88]
    assert [package.last for package in packages] == [False, False, True]
    assert packages[-1].lines == 600
    matches = [item.entry for package in packages for item in package.items]
    assert [entry.document for entry in matches] == list(read(part.name))
    assert matches[7].passages == read_passages(matches[7].document)
    assert matches[7].vectors is None


def test_what_workers_prepare_is_what_an_index_would(part, tmp_path):
    with (
        # Given as an object, the encoder's vectors are stored, and not made anew from the texts.
        Index.create(tmp_path / "one", encoder=encoder("static")) as one,
        Index.create(tmp_path / "two", encoder=encoder("static")) as two,
    ):
        assert one.add(read(part.name)) == 600
        work = Work(recipe=describe_encoder(two))
        ready = [item.entry for package in read_packages(part, work) for item in package.items]
        messages: list[int] = []
        assert two.add_entries(iter(ready), progress=messages.append) == 600
        assert messages == [512, 88]
        assert two.add_entries([*ready[:3], replace(ready[0], document=replace(ready[0].document, title="New"))]) == 1
        assert two.get("d0").title == "New"
        assert two.add_entries(ready) == 1
        for id in ("d0", "d599"):
            assert one.get(id) == two.get(id)
        matches = [
            sorted((entry.document.id, entry.passages, entry.keys, entry.vectors.tobytes()) for entry in stored)
            for stored in (view.get_entries(view.alive_documents) for view in (one.view(), two.view()))
        ]
        assert matches[0] == matches[1]


def test_long_texts_fill_a_package(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": str(number), "text": "word " * 150_000}) + "\n" for number in range(4)))
    assert [len(package.items) for package in read_packages(list_parts(path)[0], Work())] == [2, 2, 0]


def test_what_is_known_is_only_named(part):
    documents = list(read(part.name))
    known = StoredIds.of([*documents[:500], Document("d500", "Something else.")])
    items = [item for package in read_packages(part, Work(), known) for item in package.items]
    assert [item.id for item in items if item.entry is None] == [f"d{number}" for number in range(500)]
    assert [item.id for item in items if item.entry is not None] == [f"d{number}" for number in range(500, 600)]


@dataclass(frozen=True)
class Failing:
    """An encoder that can do no more after a number of calls."""

    calls: list[int]
    name: str = "failing"
    dim: int = 2

    def encode_documents(self, texts):
        self.calls.append(len(texts))
        if len(self.calls) > 1:
            raise EncoderError("encoder 'failing': out of breath")
        return np.ones((len(texts), 2), np.float32)

    encode_queries = encode_documents


def test_where_encoding_fails_the_part_ends(part, monkeypatch):
    failing = Failing([])
    monkeypatch.setattr(EncoderSpec, "made", lambda self: failing)
    packages = list(read_packages(part, Work(recipe=EncoderSpec("failing", b"", "", 2))))
    assert [len(package.items) for package in packages] == [256, 0]
    assert packages[1].last
    with pytest.raises(EncoderError, match="out of breath"):
        raise packages[1].failure.error()


def test_another_version_is_refused(part):
    (package,) = read_packages(part, Work(version="0.0.1"))
    with pytest.raises(EpochalError, match=r"but the work is for 0\.0\.1; install the same on all nodes"):
        raise package.failure.error()


def test_what_was_read_before_damage_is_handed_over(tmp_path):
    import gzip

    path = tmp_path / "a.jsonl.gz"
    whole = gzip.compress("".join(json.dumps(row(number)) + "\n" for number in range(3000)).encode())
    path.write_bytes(whole[: len(whole) // 2])
    packages = list(read_packages(list_parts(path)[0], Work()))
    read_first = [item.line for package in packages for item in package.items]
    assert read_first == list(range(1, len(read_first) + 1))
    error = packages[-1].failure.error()
    assert isinstance(error, InputError)
    assert error.line == len(read_first) + 1 > 256
    assert "break off" in str(error)


@pytest.mark.parametrize(
    "error",
    [
        EpochalError("plain"),
        InputError("a.jsonl", 7, "broken"),
        TimeParseError("soonish", "a date"),
        UnknownNameError("set", "x", ["y"]),
        MissingExtraError("this", "that", "more"),
    ],
)
def test_errors_travel(error):
    back = pickle.loads(pickle.dumps(Failure.of(error))).error()
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def test_recipes(tmp_path):
    with Index.create(tmp_path / "named", encoder="static", dims=64) as index:
        result = pickle.loads(pickle.dumps(describe_encoder(index))).made()
        assert (result.name, result.dim) == (index.encoder.name, 64)
    with Index.create(tmp_path / "none", encoder=None) as index:
        assert describe_encoder(index) is None
    own = encoder("static")
    with Index.create(tmp_path / "own", encoder=own) as index:
        recipe = describe_encoder(index)
        assert recipe.name == ""
        assert np.array_equal(recipe.made().encode_documents(["Rain."]), own.encode_documents(["Rain."]))
    with pytest.raises(EpochalError, match="the index holds vectors of 'other-1', but a worker's encoder is"):
        EncoderSpec("static", b"", "other-1", 256).made()


def test_an_encoder_that_cannot_travel(tmp_path):
    stuck = Failing([])
    object.__setattr__(stuck, "calls", (item for item in ()))
    with Index.create(tmp_path, encoder=stuck) as index, pytest.raises(EpochalError, match="'failing' cannot be sent"):
        describe_encoder(index)
