"""Where passages come from, and what is held out of them."""

from __future__ import annotations

import json

import pytest

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.augment.chunks import read_stated_times
from epochal_lab.datasets.augment.make import (
    Holdout,
    SourcePassage,
    from_passages,
    from_rows,
    prefix_date,
    read_passages,
)
from epochal_lab.datasets.augment.rows import TemporalQuestion, TemporalRow, count_rows, write_rows

LONG = "Ann Hay was born in Leeds and played for the first team of the town until she was thirty years old."


def test_news_get_their_date():
    for seed in range(9):
        text = prefix_date(Document("n", "A ship sank near Hull.", published=Span.day(2014, 3, 5)), seed)
        (stated_time,) = read_stated_times(text).stated_times
        assert stated_time.span == Span.day(2014, 3, 5)
        assert "A ship sank near Hull." in text


@pytest.mark.parametrize(
    "document",
    [
        Document("n", "A ship sank in 2013.", published=Span.day(2014, 3, 5)),
        Document("n", "A ship sank yesterday.", published=Span.day(2014, 3, 5)),
        Document("n", "A ship sank."),
        Document("n", "A ship sank.", published=Span.year(2014)),
    ],
)
def test_texts_with_a_time_and_without_a_day_stay(document):
    assert prefix_date(document) == document.text


def test_documents_are_read_from_a_file(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "a", "title": "Hull", "text": "A ship sank."}), encoding="utf-8")
    assert list(read_passages(path)) == [SourcePassage("a", "A ship sank.", "Hull")]


def test_a_source_without_documents_is_named():
    with pytest.raises(EpochalError, match="no document that can be read"):
        list(read_passages([]))


def test_a_shared_run_of_words_is_held_out_however_it_is_set():
    held = Holdout([LONG])
    assert held.has(f"It is said: {LONG.upper().replace(' ', '  ')}")
    assert held.has("born in Leeds , and played for the first team of the town until then")
    assert not held.has("born in Leeds , and played for the second team of the town until then")


def test_sets_hold_out_their_documents_titles_and_questions(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"_id": "a", "title": "Ann Hay", "text": LONG}), encoding="utf-8")
    question = "Which first team of which town did Ann Hay play for until she was thirty?"
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": question}), encoding="utf-8")
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n", encoding="utf-8")
    held = Holdout.from_sets([tmp_path])
    assert held.has(LONG)
    assert held.has(question)
    assert held.has_title("ann hay")
    assert not held.has_title("")


def test_held_out_passages_make_no_rows(passages):
    held = Holdout([passages[0].text])
    result = from_passages(passages, holdout=held)
    assert result.dropped["passage: held out"] == 1
    assert not any(row.passage.startswith("Ann Hay joined") for row in result.rows)


def test_most_bounds_the_rows(passages):
    assert len(from_passages(passages, most=2).rows) == 2
    with pytest.raises(EpochalError, match="most is 0; accepted: 1 or more"):
        from_passages(passages, most=0)


def test_rows_of_a_file_are_validated(tmp_path, passages):
    rows = from_passages(passages).rows
    write_rows(tmp_path / "rows.jsonl", [*rows, TemporalRow("x", "Nothing at all.", ())])
    result = from_rows(tmp_path / "rows.jsonl")
    assert result.rows == rows
    assert result.dropped == {"row: no expression": 1}


# ---------------------------------------------------------------- statistics


def test_counts():
    right = TemporalQuestion("Who left in 1998?", ("1998",), "Explicit", "Equals")
    wrong = (
        TemporalQuestion("Who left from 1990 to 1992?", ("from 1990 to 1992",), "Explicit", "Before"),
        TemporalQuestion("When did it end?", (), "TemporalAnswer", "Empty"),
        TemporalQuestion("Who sat?"),
    )
    rows = [TemporalRow("a#0", "Ann left in 1998.", ("1998",), (right,), wrong), TemporalRow("a#1", "Bob sat.", ())]
    result = count_rows(rows)
    assert (result.sources, result.passages, result.positives, result.negatives) == (1, 2, 1, 3)
    assert result.types == {"Explicit": (1, 1), "Implicit": (0, 0), "TemporalAnswer": (0, 1), "not said": (0, 1)}
    assert result.relations["Before"] == (0, 1)
    assert (result.passage_expressions, result.question_expressions) == (0.5, 0.5)
    assert result.specifiers == {"in": 1, "from": 1}
    assert "| Before | 0 | 1 |" in result.markdown()


def test_no_rows_have_counts_too():
    assert count_rows([]).to_dict()["words a passage"] == 0
