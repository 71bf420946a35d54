"""Small pools for the tests of baselines, and the times that baselines see in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.encoders.base import unit_rows
from epochal.errors import EpochalError
from epochal.ingest import add_documents
from epochal.ranking.pool import Pool, Scorer, get_windows
from epochal.ranking.registry import list_scorers, load_scorer
from epochal.reading.questions import understand
from epochal.search.candidates import collect_candidates
from epochal.storage.records import Document
from epochal.storage.store import Store
from epochal.times import Grain, Span, SpanSet
from epochal_lab.systems.scorer_inputs import (
    describe_times,
    get_published_times,
    get_query_spans,
    get_times,
    measure_distances,
    measure_nearest,
)

DAY = 86_400


class Counting:
    """An encoder of the test's own: a bag of words, each at a place that its letters give. Counts what it encodes."""

    name, dim = "counting-1", 32

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.encoded += texts
        rows = np.zeros((len(texts), self.dim))
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                row[sum(map(ord, word)) % self.dim] += 1
        return unit_rows(rows)

    encode_queries = encode_documents


@contextmanager
def pool_of(
    documents: Sequence[Document], question: str, now: str | None = None, encoder: Counting | None = None
) -> Iterator[Pool]:
    """The pool of a question over documents, all of which are in it as far as they share a word, in their order."""
    with TemporaryDirectory() as folder, Store.create(Path(folder), *_vectors_of(encoder)) as store:
        add_documents(store, documents, encoder)
        present = None if now is None else Span.parse(now)
        query = understand(question, present)
        yield collect_candidates(store.view(), encoder, question, query, present, get_windows(query), None, 1000)


def _vectors_of(encoder: Counting | None) -> tuple[object, ...]:
    return () if encoder is None else (encoder.name, encoder.dim)


PRIZES = [
    Document("a", "The prize of 1901 went to Anna, who was born in 1850."),
    Document("b", "The prize of 1903 went to Bert."),
    Document("c", "The prize went to Carl.", published=Span.parse("1905-05-02")),
    Document("d", "The prize went to nobody."),
]


def test_times_are_those_of_the_text_and_of_the_document():
    with pool_of(PRIZES, "prize") as pool:
        times = get_times(pool)
        assert times.positions.tolist() == [0, 0, 1, 2]
        assert [span.edtf() for span in times.spans] == ["1901", "1850", "1903", "1905-05-02"]
        assert get_published_times(pool).positions.tolist() == [2]
        assert describe_times(pool, 8) == ["1901, 1850", "1903", "2 May 1905", ""]
        assert describe_times(pool, 1)[0] == "1901"


def test_the_date_of_a_document_goes_before_what_it_mentions():
    both = Document("e", "The prize of 1901.", published=Span.parse("1999-01-01"))
    with pool_of([both], "prize") as pool:
        assert describe_times(pool, 8) == ["1 January 1999"]
        assert get_times(pool).positions.tolist() == [0, 0]


def test_distances_count_as_time_stamps_do():
    with pool_of(PRIZES, "prize") as pool:
        far = measure_nearest(get_times(pool), [Span.year(1902)], 4)
    assert far[:2] == pytest.approx([Grain.YEAR.seconds, Grain.YEAR.seconds])
    # From the end of 1902 to 2 May 1905 lie two years and 121 days; the coarser grain is the year.
    assert far[2] == pytest.approx((365 + 366 + 121) * DAY + Grain.YEAR.seconds)
    assert far[3] == np.inf


@given(st.integers(1000, 3000), st.integers(1000, 3000))
def test_years_lie_apart_by_their_numbers(first, second):
    result = measure_distances(Span.year(first), SpanSet.of([Span.year(second)]))[0]
    assert result / Grain.YEAR.seconds == pytest.approx(abs(first - second), abs=0.01)


def test_the_times_of_a_question():
    for question, now, expected in (
        ("prize in 1901", "2026-11-15", ["1901"]),
        ("prize", "2026-11-15", ["2026-11-15"]),
        ("prize", None, []),
    ):
        with pool_of(PRIZES, question, now) as pool:
            assert [span.edtf() for span in get_query_spans(pool)] == expected


@pytest.fixture(scope="module")
def pools():
    encoder = Counting()
    with (
        pool_of(PRIZES, "Who got the prize in 1901?", "1910", encoder) as timed,
        pool_of(PRIZES, "Who got the prize?", "1910", encoder) as plain,
        pool_of(PRIZES, "prize", "1910") as wordy,
    ):
        assert [len(pool) for pool in (timed, plain, wordy)] == [4, 4, 4]
        yield timed, plain, wordy


@pytest.mark.parametrize("name", list_scorers())
def test_every_scorer_has_parts_that_sum_to_its_scores(name, pools):
    result = load_scorer(name)
    assert result.name == name
    assert isinstance(result, Scorer)
    # No encoder that has a name made the vectors of these pools; a scorer that needs one is given it.
    if "encoder" in getattr(result, "__dataclass_fields__", {}):
        result = replace(result, encoder=Counting())
    for pool in pools[:2]:
        scored = result.score(pool)
        assert np.isfinite(scored.scores).all()
        assert np.sum(list(scored.parts.values()), axis=0) == pytest.approx(scored.scores)
        assert result.score(pool.at(np.empty(0, dtype=np.int64))).scores.shape == (0,)


@pytest.mark.parametrize(
    "name",
    [name for name in list_scorers() if not name.startswith(("gate", "bm25", "symbolic", "time-decay-lexical"))],
)
def test_what_compares_vectors_says_so_where_there_are_none(name, pools):
    with pytest.raises(EpochalError, match="without an encoder"):
        load_scorer(name).score(pools[2])
