"""Re2Bench-Rel: facts of TimeQA asked at single years, with the years around them as confusers."""

import json
import re

import pytest

from epochal.errors import EpochalError
from epochal.times import Span
from epochal_lab.datasets.folder import read_folder, write_folder
from epochal_lab.datasets.re2bench.rel import build
from epochal_lab.datasets.timeqa import annotated_files, point_facts, read_entries
from paths import DATA, needs_data

FILES = DATA / "timeqa"


def entry(subject, relation, *facts):
    link = f"/wiki/{subject.replace(' ', '_')}"
    questions = [[question, [{"para": 0, "from": 0, "end": 1, "answer": answer}]] for question, answer in facts]
    return {"index": f"{link}#{relation}", "type": relation, "link": link, "questions": questions, "paras": ["x"]}


def clubs(name, *spells):
    return entry(
        name,
        "P54",
        *((f"Which team did {name} play for from {first} to {last}?", club) for first, last, club in spells),
    )


@pytest.fixture
def source(tmp_path):
    entries = [
        clubs("Ann Lee", (1990, 1994, "Reds"), ("Mar 1994", 1999, "Blues"), (2000, "May 2003", "Greens")),
        clubs("Bob Ray", (1988, 1996, "Whites"), (1996, 2004, "Blacks")),
        *(clubs(f"Player {letter}", (1990, 2001, f"Club {letter}")) for letter in "CDEFGHIJ"),
    ]
    (tmp_path / "human_annotated_train.json").write_text(json.dumps(entries), encoding="utf-8")
    return tmp_path


def test_a_relative_question_does_not_have_the_number_of_its_answer(source):
    stated, relative = build(source)[0], build(source, times="relative")[0]
    shared = relative.qrels.keys() & stated.qrels.keys()
    assert len(shared) > 20
    assert all(relative.qrels[id] == stated.qrels[id] for id in shared)
    for query in relative.queries:
        assert query.periods[0].edtf() not in query.text
        assert re.search(r"(after|before) \d{4}", query.text)


def test_the_answer_states_the_asked_year_and_no_confuser_does(source):
    result, manifest = build(source)
    documents = {item.id: item for item in result.documents}
    assert result.queries
    for query in result.queries:
        year = query.periods[0].edtf()
        assert f" {year}" in query.text
        judged = result.qrels[query.id]
        (gold,) = [one for one, score in judged.items() if score]
        assert documents[gold].meta["times"] == [year]
        assert query.annotations["answer"] in documents[gold].text
        assert len(judged) == 6
        for one in judged.keys() - {gold}:
            other = documents[one]
            same = other.meta["subject"] == documents[gold].meta["subject"]
            assert not (same and other.meta["times"] == [year])
        assert result.period_qrels[query.id] == (frozenset((gold,)),)
    assert manifest.facts["audit"]["questions_with_a_rival_outside_their_case"] == 0


def test_a_year_in_which_two_facts_hold_is_not_asked_about(source):
    result, _ = build(source, points=20)
    request = {(query.annotations["subject"], query.periods[0]) for query in result.queries}
    assert ("Ann Lee", Span.year(1994)) not in request
    assert ("Bob Ray", Span.year(1996)) not in request
    assert ("Ann Lee", Span.year(1993)) in request


def test_confusers_with_another_answer_come_first(source):
    result, _ = build(source, points=20)
    documents = {item.id: item for item in result.documents}
    (query,) = [
        item
        for item in result.queries
        if item.annotations["subject"] == "Ann Lee" and item.periods[0] == Span.year(1999)
    ]
    others = [documents[one].meta["answer"] for one, score in result.qrels[query.id].items() if not score]
    assert others.count("Greens") >= 2
    assert set(others) <= {"Greens", "Blues"}


def test_points_and_size_bound_the_questions_and_the_seed_chooses_them(source):
    few, _ = build(source, points=1, size=4)
    assert len(few.queries) == 4
    assert len({(query.annotations["subject"], query.annotations["answer"]) for query in few.queries}) == 4
    again, _ = build(source, points=1, size=4)
    other, _ = build(source, points=1, size=4, seed=1)
    assert few.queries == again.queries
    assert few.queries != other.queries
    with pytest.raises(EpochalError, match="accepted: 1 or more"):
        build(source, points=0)


def test_a_page_is_in_one_split(source):
    result, manifest = build(source)
    assert set(result.splits) == {"train", "dev", "test"}
    assert manifest.facts["audit"]["groups_in_two_splits"] == 0
    assert manifest.facts["audit"]["documents_in_two_splits"] == 0


def test_the_folder_reads_back(source, tmp_path):
    result, manifest = build(source)
    write_folder(tmp_path / "set", result, manifest)
    back = read_folder(tmp_path / "set")
    assert back.queries == result.queries
    assert list(back.documents) == list(result.documents)


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("Which team did Ann Lee play for from 1990 to 1994?", "", "no answer"),
        ("Which team did Ann Lee play for?", "Reds", "no time, or two"),
        ("Which team did Ann Lee play for from 1994 to 1990?", "Reds", "time not in order"),
        ("Which team did Ann Lee play for after the war from 1990 to 1994?", "Reds", "mentions another time"),
        ("Which team did the captain play for from 1990 to 1994?", "Reds", "subject not named"),
        ("Which Reds team did Ann Lee play for from 1990 to 1994?", "Reds", "answer in the question"),
        ("Which team did Ann Lee play for from 1990 to 1994?", "the team of 1988", "answer too long, or with a date"),
        ("Which team did Ann Lee play for from 1990 to 1994?", "Reds of the North", None),
        ("Which team did Ann Lee play for from 1990 to 1994?", "joined the Reds", "answer is no name"),
    ],
)
def test_questions_that_no_year_can_be_asked_of_are_left_out(question, answer, reason):
    facts, left_out = point_facts([entry("Ann Lee", "P54", (question, answer))])
    assert left_out == ({reason: 1} if reason else {})
    assert bool(facts) is (reason is None)


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "human_annotated_dev.json").write_text("[{}]")
    with pytest.raises(EpochalError, match="is no file of TimeQA"):
        build(tmp_path)


@needs_data("timeqa")
def test_the_published_questions_give_a_fair_set():
    result, manifest = build(FILES)
    message = manifest.facts["audit"]
    assert message["questions"] > 1900
    assert message["confusers_a_question"] == 5
    assert message["questions_with_a_rival_outside_their_case"] == 0
    assert message["documents_that_are_copies"] == 0
    assert message["words_shared_with_the_question"]["answer_alone_shares_most"] < 0.1
    facts, _ = point_facts([item for path in annotated_files(FILES) for item in read_entries(path)])
    assert all(re.search(r"\{time\}", wording) for fact in facts for wording in fact.wordings)
    assert all(query.periods for query in result.queries)
