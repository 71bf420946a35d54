"""Vectors that are remembered."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.encoders import wrappers as module
from epochal.encoders.base import Encoder, EncoderError
from epochal.encoders.bundled import StaticEncoder
from epochal.encoders.wrappers import CachedEncoder


class Counting:
    """Knows how often it was asked for which text."""

    dim = 3

    def __init__(self, name: str = "counting-1") -> None:
        self.name = name
        self.asked: list[tuple[str, str]] = []

    def _encode(self, role: str, texts) -> np.ndarray:
        self.asked += [(role, text) for text in texts]
        return np.array([[len(text), len(role), 1 / 3] for text in texts], np.float32).reshape(-1, 3)

    def encode_documents(self, texts):
        return self._encode("document", texts)

    def encode_queries(self, texts):
        return self._encode("query", texts)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "vectors.db"


def test_it_is_an_encoder_that_bears_the_name_of_its_own(path):
    cached = CachedEncoder(Counting(), path)
    assert isinstance(cached, Encoder)
    assert (cached.name, cached.dim) == ("counting-1", 3)


def test_nothing_is_asked_twice(path):
    inner = Counting()
    cached = CachedEncoder(inner, path)
    first = cached.encode_documents(["a", "bb", "a"])
    second = cached.encode_documents(["ccc", "bb", ""])
    assert inner.asked == [("document", "a"), ("document", "bb"), ("document", "ccc"), ("document", "")]
    assert first.tolist() == Counting().encode_documents(["a", "bb", "a"]).tolist()
    assert second.tolist() == Counting().encode_documents(["ccc", "bb", ""]).tolist()
    assert (cached.hits, cached.misses) == (2, 4)


def test_it_outlives_the_object(path):
    CachedEncoder(Counting(), path).encode_documents(["a", "bb"])
    inner = Counting()
    assert CachedEncoder(inner, path).encode_documents(["bb", "a"])[:, 0].tolist() == [2, 1]
    assert inner.asked == []


def test_roles_and_encoders_are_kept_apart(path):
    CachedEncoder(Counting(), path).encode_documents(["a"])
    inner, other = Counting(), Counting("counting-2")
    assert CachedEncoder(inner, path).encode_queries(["a"])[0, 1] == len("query")
    CachedEncoder(other, path).encode_documents(["a"])
    assert inner.asked == [("query", "a")]
    assert other.asked == [("document", "a")]


@settings(max_examples=30)
@given(st.lists(st.text(max_size=8), max_size=12))
def test_the_bytes_are_those_of_the_encoder(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("cache") / "vectors.db"
    inner = StaticEncoder()
    expected = inner.encode_documents(texts)
    for _ in range(2):
        assert CachedEncoder(inner, path).encode_documents(texts).tobytes() == expected.tobytes()


def test_names_and_texts_do_not_run_into_each_other(path):
    CachedEncoder(Counting("a"), path).encode_documents(["bc"])
    inner = Counting("ab")
    CachedEncoder(inner, path).encode_documents(["c"])
    assert len(inner.asked) == 1


def test_half_a_surrogate_pair_has_a_key(path):
    assert CachedEncoder(Counting(), path).encode_documents(["a\ud800"]).shape == (1, 3)


def test_vectors_that_are_not_finite_are_not_kept(path):
    class Broken(Counting):
        def encode_documents(self, texts):
            return np.full((len(texts), 3), np.nan)

    with pytest.raises(EncoderError, match="encoder 'counting-1': row 0 of 1 holds nan"):
        CachedEncoder(Broken(), path).encode_documents(["a"])
    inner = Counting()
    CachedEncoder(inner, path).encode_documents(["a"])
    assert inner.asked == [("document", "a")]


def test_chunks_keep_their_rows(path, monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", 4)
    texts = ["x" * (number % 11) for number in range(30)]
    inner = Counting()
    cached = CachedEncoder(inner, path)
    assert cached.encode_documents(texts)[:, 0].tolist() == [number % 11 for number in range(30)]
    assert len(inner.asked) == 11
    assert (cached.hits, cached.misses) == (19, 11)


def test_a_vector_of_another_length_is_computed_again(path):
    CachedEncoder(Counting(), path).encode_documents(["a"])
    with sqlite3.connect(path) as database:
        database.execute("UPDATE vectors SET vector = x'00'")
    database.close()
    inner = Counting()
    for _ in range(2):
        assert CachedEncoder(inner, path).encode_documents(["a"])[0, 0] == 1
    assert len(inner.asked) == 1


@pytest.mark.parametrize("spoil", ["head", "middle", "cut"])
def test_a_damaged_file_is_put_aside(path, spoil):
    texts = [str(number) for number in range(400)]
    CachedEncoder(Counting(), path).encode_documents(texts)
    data = bytearray(path.read_bytes())
    if spoil == "head":
        data[:100] = b"\xff" * 100
    elif spoil == "middle":
        data[4096:] = os.urandom(len(data) - 4096)
    else:
        data = data[: len(data) // 2]
    path.write_bytes(data)
    inner = Counting()
    cached = CachedEncoder(inner, path)
    with pytest.warns(UserWarning, match=r"the cache of vectors .*vectors\.db is damaged .* moved to .*\.damaged"):
        result = cached.encode_documents(texts)
    assert result[:, 0].tolist() == [len(text) for text in texts]
    assert path.with_name("vectors.db.damaged").read_bytes() == bytes(data)
    assert cached.encode_documents(texts).tolist() == result.tolist()
    assert len(inner.asked) == 400


def test_a_file_that_was_replaced_meanwhile_is_left_alone(path, monkeypatch):
    path.write_bytes(b"no database at all" * 100)
    opened = module._open

    def other_was_faster(where):
        monkeypatch.setattr(module, "_open", opened)
        where.unlink()
        (where.parent / "keeps the number of the old file from being used again").touch()
        CachedEncoder(Counting(), where).encode_documents(["a"])
        raise sqlite3.DatabaseError("file is not a database")

    monkeypatch.setattr(module, "_open", other_was_faster)
    inner = Counting()
    CachedEncoder(inner, path).encode_documents(["a"])
    assert inner.asked == []
    assert not path.with_name("vectors.db.damaged").exists()


def test_the_database_of_another_program_is_refused_and_untouched(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE letters (text)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(EncoderError, match=r"vectors\.db is a database but no cache of vectors; name another file"):
        CachedEncoder(Counting(), path).encode_documents(["a"])
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(EncoderError, match=r"the cache of vectors .* cannot be used: unable to open"):
        CachedEncoder(Counting(), tmp_path).encode_documents(["a"])


def test_a_lock_that_does_not_end_is_named(path, monkeypatch):
    CachedEncoder(Counting(), path).encode_documents(["a"])
    monkeypatch.setattr(module, "_PATIENCE", 10)
    with sqlite3.connect(path, isolation_level=None) as database:
        database.execute("BEGIN IMMEDIATE")
        with pytest.raises(EncoderError, match="cannot be used: database is locked"):
            CachedEncoder(Counting(), path).encode_documents(["b"])
        assert CachedEncoder(Counting(), path).encode_documents(["a"]).shape == (1, 3)
    database.close()


def test_a_folder_that_is_not_there_is_made(tmp_path):
    CachedEncoder(Counting(), tmp_path / "far" / "away.db").encode_documents(["a"])
    assert (tmp_path / "far" / "away.db").is_file()


def test_threads_share_an_object(path):
    cached = CachedEncoder(Counting(), path)
    with ThreadPoolExecutor(4) as pool:
        matches = list(pool.map(lambda number: cached.encode_documents(["x" * (number % 7)])[0, 0], range(60)))
    assert matches == [number % 7 for number in range(60)]


def test_many_threads_begin_one_file(tmp_path):
    """Each wants to make the file; all of them get their vectors."""
    for number in range(20):
        cached = CachedEncoder(Counting(), tmp_path / f"{number}.db")
        start = Barrier(4)

        def go(cached=cached, start=start):
            start.wait()
            return cached.encode_documents(["ab"])[0, 0]

        with ThreadPoolExecutor(4) as pool:
            assert [one.result() for one in [pool.submit(go) for _ in range(4)]] == [2] * 4


def test_a_cache_that_another_begins_between_two_questions_is_no_foreign_database(path):
    """The file is empty at the first question and a whole cache at every later one."""
    one = sqlite3.connect(path)

    class Interrupted:
        asked = 0

        def execute(self, statement):
            if self.asked == 1:
                CachedEncoder(Counting(), path).encode_documents(["a"])
            self.asked += 1
            return one.execute(statement)

    between = Interrupted()
    module._refuse_others(between, path)
    assert between.asked == 2
    one.close()


_FILLER = """
import sys
import numpy as np
from epochal.encoders import wrappers as cache

class Lengths:
    name, dim = "counting-1", 3
    def encode_documents(self, texts):
        return np.array([[len(text), 0, 0] for text in texts], np.float32)
    encode_queries = encode_documents

cache._CHUNK = 3
first = int(sys.argv[2])
texts = ["x" * number for number in range(first, first + 40)]
found = cache.CachedEncoder(Lengths(), sys.argv[1]).encode_documents(texts)
sys.exit(found[:, 0].tolist() != [len(text) for text in texts])
"""


def test_processes_share_a_file(path):
    running = [subprocess.Popen([sys.executable, "-c", _FILLER, str(path), str(first)]) for first in (0, 20, 40, 20)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    inner = Counting()
    CachedEncoder(inner, path).encode_documents(["x" * number for number in range(80)])
    assert inner.asked == []


_KILLED = """
import os, signal, sys
import numpy as np
from epochal.encoders import wrappers as cache

class Mortal:
    name, dim, calls = "mortal", 2, 0
    def encode_documents(self, texts):
        self.calls += 1
        if self.calls == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return np.ones((len(texts), 2), np.float32)
    encode_queries = encode_documents

cache._CHUNK = 10
cache.CachedEncoder(Mortal(), sys.argv[1]).encode_documents([str(number) for number in range(100)])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that cannot be caught")
def test_a_killed_process_loses_only_its_last_chunk(path):
    ended = subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL

    class Heir(Counting):
        dim = 2

        def encode_documents(self, texts):
            return super().encode_documents(texts)[:, :2]

    inner = Heir("mortal")
    CachedEncoder(inner, path).encode_documents([str(number) for number in range(100)])
    assert [text for _, text in inner.asked] == [str(number) for number in range(20, 100)]
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
