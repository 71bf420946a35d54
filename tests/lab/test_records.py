from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import VARIANTS, BenchQuery, BenchSet, apply_variant, build_variant_text
from epochal_lab.metrics.measure import Spec

SPLITS = ("train", "dev", "test")


def a_set(splits: list[str]) -> BenchSet:
    queries = tuple(
        BenchQuery(f"q{position}", "Who won?", periods=(Span.year(1990),), split=split)
        for position, split in enumerate(splits)
    )
    qrels = {query.id: {"d1": 1} for query in queries}
    covered = {query.id: (frozenset({"d1"}),) for query in queries}
    return BenchSet("own", (Document("d1", "Ann won."),), queries, qrels, covered)


@given(st.lists(st.sampled_from(SPLITS), max_size=12))
def test_the_splits_part_the_questions_and_their_judgements(splits):
    whole = a_set(splits)
    parts = [whole.select_split(name) for name in whole.splits]
    assert sorted(query.id for part in parts for query in part.queries) == sorted(query.id for query in whole.queries)
    assert {id: judged for part in parts for id, judged in part.qrels.items()} == dict(whole.qrels)
    for name, part in zip(whole.splits, parts, strict=True):
        assert {query.split for query in part.queries} == {name}
        assert set(part.qrels) == set(part.period_qrels) == {query.id for query in part.queries}
        assert part.documents is whole.documents


def test_splits_come_in_the_order_of_the_questions():
    assert a_set(["test", "dev", "test", "train"]).splits == ("test", "dev", "train")


def test_a_split_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(EpochalError, match="the set 'own' has no split 'dev'; it has: train, test"):
        a_set(["train", "test"]).select_split("dev")


def test_having_takes_questions_from_elsewhere_without_judging_them():
    other = BenchQuery("new", "Who lost?")
    bench_set = a_set(["test"]).with_queries([other])
    assert bench_set.queries == (other,)
    assert (dict(bench_set.qrels), dict(bench_set.period_qrels)) == ({}, {})


def test_records_cannot_be_changed():
    with pytest.raises(AttributeError):
        a_set(["test"]).queries[0].text = "Who lost?"


WORDS = st.text(st.characters(blacklist_characters="(),=", blacklist_categories=("Z", "C")), min_size=1, max_size=8)


@given(WORDS, st.dictionaries(WORDS, WORDS, max_size=4))
def test_what_is_printed_is_parsed_back(name: str, settings: dict[str, str]) -> None:
    spec = Spec(name, settings)
    assert Spec.parse(str(spec)) == spec


@pytest.mark.parametrize("text", ["", "a(", "a)", "a(b)", "a(b=)", "a(=b)", "a(b=c, b=d)", "a b", "(b=c)", "a(b=c)d"])
def test_other_texts_are_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(EpochalError, match=r"accepted: NAME or NAME\(key=value"):
        Spec.parse(text)


def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(EpochalError, match="bm25 has no setting 'colour'; accepted: encoder, time"):
        Spec.parse("bm25(colour=red)").only("encoder", "time")


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
    bench_set = BenchSet("own", (), queries, {"q1": {"d": 1}})
    (query,) = apply_variant(bench_set, name).queries
    assert query == BenchQuery(
        "q1", build_variant_text(queries[0], name), Span.year(2020), (Span.year(2009),), "k", "dev", ("d",), TOLD
    )
    assert apply_variant(bench_set, name).qrels is bench_set.qrels


def test_a_variant_that_is_none_is_named():
    with pytest.raises(EpochalError, match="no query variant is called 'Strip'; known: baseline, strip, temporal-only"):
        apply_variant(BenchSet("own", (), (), {}), "Strip")
