"""What the subsets of Re2Bench share: choices that content decides, whole groups in splits, and an honest audit."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.re2bench.cases import (
    SPLITS,
    BenchCase,
    assemble,
    assign_splits,
    audit,
    content_words,
    drop_ambiguous,
    find_ambiguous,
    sample_cases,
    sort_by_hash,
)
from epochal_lab.datasets.records import BenchQuery, SetCard

NAMES = st.lists(st.text("abcdef", min_size=1, max_size=4), unique=True, max_size=12)


def case(id="q", question="Who won the cup?", gold="Ann won the cup.", others=("Bob won the cup.",), **rest):
    documents = [
        Document(f"{id}{position}", text, published=Span.day(2020, 1, 20 - position))
        for position, text in enumerate((gold, *others))
    ]
    return BenchCase(BenchQuery(id, question, **rest), documents[0], tuple(documents[1:]), f"group of {id}")


@given(NAMES, st.integers(0, 3))
def test_the_order_depends_on_the_content_alone(names, seed):
    assert sort_by_hash(names, str, seed) == sort_by_hash(sorted(names, reverse=True), str, seed)


@given(NAMES, st.text("xyz", min_size=1, max_size=3), st.integers(0, 3))
def test_one_item_more_moves_no_other(names, more, seed):
    assert [name for name in sort_by_hash([*names, more], str, seed) if name != more] == sort_by_hash(names, str, seed)


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=4), st.integers(1, 9), min_size=30), st.integers(0, 3))
def test_splits_hold_whole_groups_in_about_their_shares(sizes, seed):
    splits = assign_splits(sizes, seed)
    assert splits.keys() == sizes.keys()
    filled = Counter()
    for group, split in splits.items():
        filled[split] += sizes[group]
    for name, share in SPLITS:
        assert abs(filled[name] - share * sum(sizes.values())) <= 9


def test_a_seed_changes_which_questions_are_kept():
    cases = [case(f"q{number}") for number in range(40)]
    few = [[item.query.id for item in sample_cases(cases, 5, seed)] for seed in (0, 1)]
    assert len(few[0]) == 5
    assert few[0] != few[1]
    assert few[0] == sorted(few[0])
    with pytest.raises(EpochalError, match="size is -1; accepted"):
        sample_cases(cases, -1, 0)


def test_the_set_has_each_document_once_in_the_order_of_its_id():
    one, two = case("q1"), case("q2")
    shared = replace(two, confusers=one.confusers)
    result, manifest = assemble(
        "re2bench/own", [one, shared], SetCard("own"), sources={}, parameters={"seed": 0}, facts={}
    )
    ids = [item.id for item in result.documents]
    assert ids == sorted(set(ids)) == ["q10", "q11", "q20"]
    assert result.qrels["q2"] == {"q20": 1, "q11": 0}
    assert manifest.made_by == "epochal.bench.builders.re2bench.own"
    with pytest.raises(EpochalError, match="give no question"):
        assemble("re2bench/own", [], SetCard("own"), sources={}, parameters={}, facts={})


def test_an_audit_tells_what_gives_the_answer_away():
    leaky = case(question="Who won the silver cup?", gold="Ann won the silver cup, as all know.")
    message = audit([leaky])
    assert message["words_shared_with_the_question"]["answer_alone_shares_most"] == 1.0
    assert message["answer_newest_of_its_case"] == 1.0
    assert message["answer_longest_of_its_case"] == 1.0
    assert message["answer_first_by_id"] == 1.0
    fair = audit([case(gold="Ann won the cup.", others=("Bob won the cup in May.", "Eve won the cup in June."))])
    assert fair["words_shared_with_the_question"]["answer_alone_shares_most"] == 0.0
    assert fair["words_shared_with_the_question"]["by_chance"] == 0.333
    assert fair["answer_longest_of_its_case"] == 0.0


def test_an_audit_tells_copies_shared_splits_and_repeated_questions():
    one, two = case("q1", split="train"), case("q2", split="dev", gold="Ann won the cup.")
    both = replace(two, confusers=one.confusers, group=one.group)
    message = audit([one, both])
    assert message["documents_that_are_copies"] == 1
    assert message["groups_in_two_splits"] == 1
    assert message["documents_in_two_splits"] == 1
    assert message["questions_with_the_same_words_and_another_answer"] == 1
    assert audit([case(others=("Ann won the CUP",))])["confusers_with_the_text_of_the_answer"] == 1


def test_dates_that_are_missing_give_no_figure():
    undated = case()
    undated = replace(undated, gold=replace(undated.gold, published=None))
    assert audit([undated])["answer_newest_of_its_case"] is None


def test_a_rival_has_the_words_and_the_time_and_is_no_older():
    one, two = case("q1"), case("q2", question="Who lost?", gold="Eve lost the cup that Ann won.", others=())
    assert find_ambiguous([one, two]) == {"q1"}
    assert [item.query.id for item in drop_ambiguous([one, two])] == ["q2"]
    older = replace(two, gold=replace(two.gold, published=Span.year(2001)))
    assert find_ambiguous([one, older]) == set()
    elsewhen = replace(two, gold=replace(two.gold, meta={"times": ["1999"]}))
    assert find_ambiguous([one, elsewhen]) == set()


def test_states_in_capitals_are_names():
    assert content_words("in Portland, ME or OR") == {"portland", "me", "or"}
