from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.times import Span
from epochal_lab.datasets.records import VARIANTS, BenchQuery, BenchSet, apply_variant, build_variant_text

TEXT = "How did fees change between the launch in January 2009 and 2017, and who knows why?"
TOLD = {
    "query_temporal_signals": ["in January 2009", "between", "now"],
    "query_temporal_events": ["the launch", "2017"],
    "key_time_anchors": ["January 2009", "2017"],
    "temporal_intent": "timeline",
}


def test_annotations_are_used_where_there_are_any():
    query = BenchQuery("q1", TEXT, annotations=TOLD)
    assert build_variant_text(query, "baseline") == TEXT
    assert build_variant_text(query, "temporal-only") == "January 2009; 2017; the launch; in January 2009; between; now"
    assert (
        build_variant_text(query, "normalized") == f"{TEXT}\n\nTEMPORAL_INTENT=timeline; ANCHORS=[January 2009, 2017]"
    )


def test_strip_takes_signals_and_what_is_left_of_dates_and_no_parts_of_words():
    stripped = build_variant_text(BenchQuery("q1", TEXT, annotations=TOLD), "strip")
    assert not any(piece in stripped for piece in ("2009", "2017", "January", "between"))
    assert "knows why" in stripped
    assert "the launch" in stripped


def test_annotations_with_missing_or_junk_fields_are_no_reason_to_fail():
    query = BenchQuery("q1", "Who won in 1998?", annotations={"key_time_anchors": None, "temporal_intent": ""})
    assert build_variant_text(query, "temporal-only") == ""
    assert build_variant_text(query, "normalized") == "Who won in 1998?\n\nTEMPORAL_INTENT=none; ANCHORS=[]"
    assert build_variant_text(query, "strip") == "Who won?"


def test_without_annotations_the_reader_reads_against_the_day_of_asking():
    query = BenchQuery("q1", "Who won last year?", now=Span.parse("2004-05-01"), annotations={"answer": "Ann"})
    assert "last year" in build_variant_text(query, "temporal-only")
    assert build_variant_text(query, "strip") == "Who won?"
    assert build_variant_text(query, "normalized").startswith("Who won last year?\n\nTEMPORAL_INTENT=when; ANCHORS=[")


def test_a_question_that_says_nothing_of_time_has_nothing_left():
    assert build_variant_text(BenchQuery("q1", "What is a Merkle tree?"), "temporal-only") == ""
    assert build_variant_text(BenchQuery("q1", "What is a Merkle tree?"), "strip") == "What is a Merkle tree?"


@pytest.mark.parametrize("name", VARIANTS)
def test_a_set_keeps_all_but_the_texts(name):
    queries = (BenchQuery("q1", TEXT, Span.year(2020), (Span.year(2009),), "k", "dev", ("d",), TOLD),)
    made = BenchSet("own", (), queries, {"q1": {"d": 1}})
    (query,) = apply_variant(made, name).queries
    assert query == BenchQuery(
        "q1", build_variant_text(queries[0], name), Span.year(2020), (Span.year(2009),), "k", "dev", ("d",), TOLD
    )
    assert apply_variant(made, name).qrels is made.qrels


def test_a_variant_that_is_none_is_named():
    with pytest.raises(EpochalError, match="no query variant is called 'Strip'; known: baseline, strip, temporal-only"):
        apply_variant(BenchSet("own", (), (), {}), "Strip")
