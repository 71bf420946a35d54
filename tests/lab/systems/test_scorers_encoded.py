"""Baselines that encode candidates anew: what is encoded, how it is fused, and that nothing is encoded twice."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span, SpanSet
from epochal_lab.systems.scorer_inputs import MemoisedEncoder, VectorMemory, encode_waves, get_passage_texts
from epochal_lab.systems.temporal_scorers import TaggedDense, TempRetriever
from lab.systems.test_scorers_pool import PRIZES, Counting, pool_of

TIMES = ["1901, 1850", "1903", "2 May 1905", ""]
QUESTION = "Who got the prize in 1903?"


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@pytest.fixture
def parts():
    """The vectors of the question, its time, the texts and their times, and the pool of them."""
    encoder = Counting()
    with pool_of(PRIZES, QUESTION, encoder=encoder) as pool:
        texts = encoder.encode_documents([document.text for document in PRIZES])
        times = encoder.encode_documents(TIMES)
        yield pool, *encoder.encode_queries([QUESTION, "1903"]), texts, times


def test_tags_stand_before_the_text(parts):
    pool, *_ = parts
    encoder = Counting()
    found = TaggedDense(encoder=encoder).score(pool).scores
    tagged = [f"{time}: {item.text}" if time else item.text for time, item in zip(TIMES, PRIZES, strict=True)]
    assert set(tagged) <= set(encoder.encoded)
    assert f"1903: {QUESTION}" in encoder.encoded
    wanted = Counting().encode_documents(tagged) @ Counting().encode_queries([f"1903: {QUESTION}"])[0]
    assert found == pytest.approx(wanted)


def test_the_tag_of_tempretriever_stands_behind_the_text(parts):
    pool, *_ = parts
    encoder = Counting()
    TempRetriever("tag", encoder=encoder).score(pool)
    assert f"{PRIZES[1].text} 1903" in encoder.encoded
    assert f"{QUESTION} 1903" in encoder.encoded


def test_feature_stacking_by_hand(parts):
    pool, question, asked, texts, times = parts
    scored = TempRetriever("fs", encoder=Counting()).score(pool)
    assert scored.parts["semantic"] == pytest.approx(texts @ question / 2, abs=1e-6)
    assert scored.parts["temporal"] == pytest.approx(times @ asked / 2, abs=1e-6)
    assert scored.parts["temporal"][3] == 0
    stacked = np.concatenate([texts, times], axis=1) @ np.concatenate([question, asked])
    assert scored.scores == pytest.approx(stacked / 2, abs=1e-6)


@pytest.mark.parametrize(("fusion", "fuse"), [("vs", np.add), ("ewi", np.multiply)])
def test_merged_vectors_by_hand(parts, fusion, fuse):
    pool, question, asked, texts, times = parts
    found = TempRetriever(fusion, encoder=Counting()).score(pool).scores
    timed = texts[:3], times[:3]
    ours = fuse(question, asked)
    theirs = fuse(*timed)
    lengths = np.linalg.norm(theirs, axis=1) * np.linalg.norm(ours)
    wanted = np.divide(theirs @ ours, lengths, out=np.zeros(3), where=lengths > 0)
    assert found[:3] == pytest.approx(wanted, abs=1e-5)
    # A candidate without time is compared by its text alone.
    assert found[3] == pytest.approx(float(texts[3] @ question), abs=1e-6)


@pytest.mark.parametrize("fusion", ["fs", "vs", "ewi"])
def test_without_any_time_texts_alone_are_compared(fusion):
    with pool_of(PRIZES, "Who got the prize?", encoder=Counting()) as pool:
        assert TempRetriever(fusion, encoder=Counting()).score(pool).scores == pytest.approx(pool.semantic)


def test_waves_of_a_candidate_are_the_mean_of_its_times(parts):
    pool, *_ = parts
    scored = TempRetriever("fs", time="waves", encoder=Counting()).score(pool)
    asked = encode_waves(SpanSet.of([Span.year(1903)]), 32)[0]
    both = unit(encode_waves(SpanSet.of([Span.year(1901), Span.year(1850)]), 32).sum(axis=0))
    assert 2 * scored.parts["temporal"][0] == pytest.approx(both @ asked, abs=1e-6)
    assert 2 * scored.parts["temporal"][1] == pytest.approx(1.0, abs=1e-6)
    assert scored.parts["temporal"][3] == 0


def test_waves_fall_with_the_distance():
    years = encode_waves(SpanSet.of([Span.year(1900 + step) for step in (0, 1, 2, 5, 10, 50, 100)]), 384)
    likeness = years @ years[0]
    assert np.linalg.norm(years, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert (np.diff(likeness) < 0).all()
    assert likeness[1] > 0.8
    assert likeness[-1] < 0.7


def test_waves_of_open_spans_are_those_of_the_end_that_is_stated():
    spans = ["1998/..", "../1998", "1998", "../.."]
    found = encode_waves(SpanSet.of([Span.parse(text) for text in spans]), 33)
    assert found.shape == (4, 33)
    assert found[0] == pytest.approx(found[2])
    assert found[1] == pytest.approx(found[2])
    assert np.isfinite(found[3]).all()


def test_titles_are_part_of_what_is_encoded():
    with pool_of([Document("t", "Carl won the prize.", "Prizes")], "prize", encoder=Counting()) as pool:
        assert get_passage_texts(pool) == ["Prizes\nCarl won the prize."]


def test_nothing_is_encoded_twice(parts):
    pool, *_ = parts
    encoder = Counting()
    scorer = TaggedDense(encoder=encoder)
    first = scorer.score(pool).scores
    count = len(encoder.encoded)
    assert scorer.score(pool).scores == pytest.approx(first)
    assert len(encoder.encoded) == count


def test_a_memory_forgets_the_oldest():
    encoder = Counting()
    known = MemoisedEncoder(encoder, VectorMemory(most=2))
    for text in ("a", "b", "c", "c", "a"):
        known.encode_documents([text])
    assert encoder.encoded == ["a", "b", "c", "a"]
    assert len(known.memory) == 2
    # The role is part of what is remembered.
    known.encode_queries(["a"])
    assert encoder.encoded[-1] == "a"
    assert len(encoder.encoded) == 5
    with pytest.raises(EpochalError, match="most is 0"):
        VectorMemory(most=0)


def test_settings_are_checked():
    with pytest.raises(EpochalError, match="no fusion is called 're'; known: tag, fs, vs, ewi"):
        TempRetriever("re")  # type: ignore[arg-type]
    with pytest.raises(EpochalError, match="no encoding of time is called 'bert'; known: text, waves"):
        TempRetriever("fs", time="bert")  # type: ignore[arg-type]
    with pytest.raises(EpochalError, match=r"template of scorer 'tagged-dense' is 'x'; accepted: a text with \{time\}"):
        TaggedDense("x")
