"""Facts of TimeQA to rows, from files that are written here."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from epochal.errors import EpochalError, InputError
from epochal.times import Span
from epochal_lab.datasets.augment.chunks import Splitter, read_stated_times
from epochal_lab.datasets.augment.clauses import Clause
from epochal_lab.datasets.augment.facts import (
    Fact,
    FactReader,
    FactRows,
    Templates,
    extract_clause_facts,
    find_clause_relation,
)
from epochal_lab.datasets.augment.make import Holdout, from_timeqa

TEMPLATES = {
    "P54": {"template": ["Which team did $1 play for $4?", "$1 played for  which team $4?"]},
    "P39": {"template": ["What was the position of $1 $4?"]},
    "P1": {"template": []},
}
PARAS = [
    "Ann Hay",
    "Ann Hay played for Leeds from 1998 to 2001 , and scored often .",
    "In May 2003 she went to Hull , where she stayed until 2005 .",
]
ENTRY = {
    "index": "/wiki/Ann_Hay_(player)#P54",
    "type": "P54",
    "link": "/wiki/Ann_Hay_(player)",
    "paras": PARAS,
    "questions": [
        [["1998", "2001"], [{"para": 1, "answer": "Leeds"}]],
        [["May 2003", "2005"], [{"para": 2, "answer": "Hull"}]],
        [["2006", "2007"], [{"para": 2, "answer": "Hull"}]],
        [["never", "2007"], [{"para": 2, "answer": "Hull"}]],
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "relations.json").write_text(json.dumps(TEMPLATES), encoding="utf-8")
    (tmp_path / "annotated_train.json").write_text(json.dumps([ENTRY]), encoding="utf-8")
    return tmp_path


def shard(folder: Path, *rows: object) -> None:
    (folder / "shards").mkdir()
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "shards" / "dev_after.jsonl.gz").write_bytes(gzip.compress(lines.encode()))


def test_intervals_of_a_page(folder):
    reader = FactReader(folder)
    one, two = reader.facts()
    assert (one.subject, one.relation, one.span.edtf(), one.is_first, one.is_last) == (
        "Ann Hay",
        "P54",
        "1998/2001",
        True,
        False,
    )
    assert two.span.edtf() == "2003-05/2005"
    assert two.passage == "In May 2003 she went to Hull, where she stayed until 2005."
    assert reader.left_out == {"no paragraph with the answer and a year": 1, "no interval": 1}


def test_questions_of_people_give_intervals_too(folder):
    entry = {**ENTRY, "questions": [["For whom did Ann play from 1998 to 2001?", [{"para": 1, "answer": "Leeds"}]]]}
    (folder / "annotated_train.json").unlink()
    (folder / "human_annotated_train.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert [fact.span.edtf() for fact in FactReader(folder).facts()] == ["1998/2001"]


def test_shards_give_the_nearest_time_of_a_paragraph(folder):
    text = " Ann Hay ( born 3 May 1979 ) was a player . She was with Leeds from 1998 to 2001 and with Hull in 2012 ."
    shard(
        folder,
        {"question": "Which team did Ann Hay play for after Jul 2000?", "positive_ctxs": [{"text": text}]},
        {"question": "What was the position of Ann Hay before 1970?", "positive_ctxs": [{"text": text}]},
        {"question": "Who is Ann Hay?", "positive_ctxs": [{"text": text}]},
    )
    reader = FactReader(folder, pages=False)
    (fact,) = reader.facts()
    assert (fact.subject, fact.relation, fact.span.edtf(), fact.is_last) == ("Ann Hay", "P54", "1998/2001", True)
    assert reader.left_out == {"no time in the paragraph": 1, "no template": 1}


def test_shards_without_paragraphs_are_named(folder):
    shard(folder, {"question": "Which team did Ann Hay play for in 2000?"})
    with pytest.raises(InputError, match=r"dev_after\.jsonl\.gz, line 1: the row has no question with positive_ctxs"):
        list(FactReader(folder, pages=False).facts())


def test_a_folder_without_facts_is_named(tmp_path):
    (tmp_path / "relations.json").write_text(json.dumps(TEMPLATES), encoding="utf-8")
    with pytest.raises(EpochalError, match="has no facts; accepted: annotated_"):
        FactReader(tmp_path)


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Which team did Ann Hay play for between 1998 and 2001?", ("P54", "Ann Hay", "between 1998 and 2001")),
        ("What was the position of Wim Kok before Feb 2000?", ("P39", "Wim Kok", "before Feb 2000")),
        ("Ann Hay played for which team in early 1990s?", ("P54", "Ann Hay", "in early 1990s")),
        ("What was the position of Ian Gibson (politician) in 1998?", ("P39", "Ian Gibson", "in 1998")),
        ("Who is Ann Hay?", None),
    ],
)
def test_templates_are_read_back(question, read):
    assert Templates({name: row["template"] for name, row in TEMPLATES.items()}).read(question) == read


# ---------------------------------------------------------------- rows


def rows(folder: Path, seed: int = 1):
    reader = FactReader(folder)
    return list(FactRows(reader.templates, seed=seed).rows(reader.facts()))


def test_a_row_has_as_many_wrong_questions_as_right_ones(folder):
    result = rows(folder)
    assert len(result) == 2
    for row in result:
        assert len(row.positives) == len(row.negatives) >= 1
        assert {question.type for question in row.questions} == {"Explicit"}


@pytest.mark.parametrize("seed", range(8))
def test_right_questions_share_time_with_the_fact_and_wrong_ones_do_not(folder, seed):
    spans = {PARAS[1][:6]: Span.parse("1998/2001"), PARAS[2][:6]: Span.parse("2003-05/2005")}
    for row in rows(folder, seed):
        fact = spans[row.passage[:6]]
        for question in row.positives:
            assert read_stated_times(question.text).only.span.overlaps(fact), question
        for question in row.negatives:
            assert not read_stated_times(question.text).only.span.overlaps(fact), question


def test_short_facts_are_asked_for_by_their_start():
    fact = Fact("Ann Hay", "P54", Span.month(1998, 5), Span.month(1998, 6), "Ann Hay played from May to June 1998.")
    (row,) = FactRows(Templates({"P54": ["Which team did $1 play for $4?"]}), seed=1).rows([fact])
    assert row.positives[0].text == "Which team did Ann Hay play for in May 1998?"


def test_rows_of_timeqa_leave_out_what_is_held_out(folder):
    result = from_timeqa(folder, holdout=Holdout([], ["Ann Hay"]))
    assert result.rows == ()
    assert result.dropped["fact: held out"] == 2


def test_the_same_seed_gives_the_same_rows(folder):
    assert rows(folder, 3) == rows(folder, 3)


# ---------------------------------------------------------------- clauses


@pytest.mark.parametrize(
    ("clause", "relation"),
    [
        (Clause("Ann", "played", "for Leeds"), "P54"),
        (Clause("Ann", "married", "Bob Ray"), "P26"),
        (Clause("Ann", "was", "appointed to the board"), "P39"),
        (Clause("Ann", "was", "the mayor of Selby"), "P39"),
        (Clause("Ann", "played", "the flute"), ""),
        (Clause("Ann", "was", "tired"), ""),
    ],
)
def test_clauses_state_relations(clause, relation):
    assert find_clause_relation(clause) == relation


def test_facts_of_clauses_name_somebody():
    texts = ("Ann Hay played for Leeds from 1998 to 2001.", "He played for Leeds from 1998 to 2001.")
    chunks = [chunk for number, text in enumerate(texts) for chunk in Splitter().chunks(text, str(number))]
    assert [fact.subject for fact in extract_clause_facts(chunks)] == ["Ann Hay"]
