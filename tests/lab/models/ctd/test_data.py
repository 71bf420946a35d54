"""Folders are read with their months, splits and answers, on either axis, and mistakes are told with their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal.errors import EpochalError, InputError
from epochal.ranking.dating.months import Months
from epochal_lab.models.ctd.data import read_collection


def news(place: Path, **changes: str) -> Path:
    rows = [
        {"_id": "a", "title": "Rain", "text": "fell", "published": "1998-03-02"},
        {"_id": "b", "text": "snow", "published": "1998-12-31"},
        {"_id": "c", "text": "hail", "metadata": {"times": ["2001-01", "2001-02"]}},
        {"_id": "d", "text": "no date"},
    ]
    questions = [
        {"_id": "q1", "text": "rain in March 1998?", "periods": ["1998-03"]},
        {"_id": "q2", "text": "hail?"},
        {"_id": "q3", "text": "unjudged?"},
        {"_id": "q4", "text": "undated?"},
    ]
    files = {
        "corpus.jsonl": "\n".join(json.dumps(row) for row in rows),
        "queries.jsonl": "\n".join(json.dumps(row) for row in questions),
        "qrels/train.tsv": "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\n",
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq2\tc\t1\nq4\td\t1\n",
        **changes,
    }
    for name, text in files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    return place


def test_annals(collection) -> None:
    assert collection.axis.name == "lu"
    assert len(collection.records) == 6 * (6 + 12)
    assert collection.longest_reign == 6
    question = next(one for one in collection.questions if one.id == "p1-2-3")
    assert question.months == Months(14, 14)
    assert [collection.records[row].id for row in question.answers] == ["e1-2-3"]
    assert not question.gap
    assert {record.split for record in collection.records} == {"train", "val", "test"}
    assert len(collection.select_rows("test", "neg_comment")) == 6


def test_news_has_a_gregorian_axis(tmp_path) -> None:
    bench_set = read_collection(news(tmp_path))
    assert (bench_set.axis.name, bench_set.axis.first_year, bench_set.axis.years) == ("gregorian", 1998, 4)
    assert [record.months for record in bench_set.records] == [Months(2, 2), Months(11, 11), Months(36, 37), None]
    assert bench_set.records[0].text == "Rain fell"
    assert [(question.id, question.months) for question in bench_set.questions] == [
        ("q1", Months(2, 2)),
        ("q2", Months(36, 37)),
    ]
    assert [question.family for question in bench_set.questions] == ["point", "window"]


def test_what_answers_a_held_out_question_is_held_out(tmp_path) -> None:
    bench_set = read_collection(news(tmp_path))
    assert [record.split for record in bench_set.records] == ["train", "train", "test", "test"]
    assert [question.split for question in bench_set.questions] == ["train", "test"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("corpus.jsonl", "", "holds no record"),
        ("corpus.jsonl", "[1]", "line 1: is a list"),
        ("corpus.jsonl", "{", "line 1: is no JSON"),
        ("corpus.jsonl", '{"text": "a", "published": "1998"}', "has no '_id'"),
        ("corpus.jsonl", '{"_id": "a", "published": "soonish"}', "line 1: has a time that cannot be read"),
        ("qrels/train.tsv", "q1\tz\t1\n", "the record 'z' is not in corpus.jsonl"),
        ("qrels/train.tsv", "q1\ta\n", "is no judgement"),
    ],
)
def test_mistakes_are_reported(tmp_path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_collection(news(tmp_path, **{name: text}))


def test_folders_without_what_is_needed(tmp_path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_collection(tmp_path / "none")
    with pytest.raises(EpochalError, match=r"no record of .* has a time"):
        read_collection(news(tmp_path, **{"corpus.jsonl": '{"_id": "a"}'}))
    for path in (tmp_path / "qrels").iterdir():
        path.unlink()
    news_rows = '{"_id": "a", "published": "1998"}'
    (tmp_path / "corpus.jsonl").write_text(news_rows)
    with pytest.raises(InputError, match=r"holds no \.tsv"):
        read_collection(tmp_path)
