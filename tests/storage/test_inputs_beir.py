from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from epochal.errors import EpochalError, InputError
from epochal.storage.importers import RunRow, read_qrels, read_queries, read_run, write_run
from epochal.storage.importers.beir import ranked
from paths import DATA, needs_data


def test_queries(tmp_path: Path) -> None:
    rows = '{"_id": "q1", "text": "Who won?", "now": "2004-05"}\n{"id": 2, "query": "When?", "metadata": {}}\n'
    (tmp_path / "queries.jsonl.gz").write_bytes(gzip.compress(rows.encode()))
    first, second = read_queries(tmp_path)
    assert (first.id, first.text, str(first.now)) == ("q1", "Who won?", "2004-05")
    assert (second.id, second.text, second.now) == ("2", "When?", None)
    assert read_queries(tmp_path / "queries.jsonl.gz") == [first, second]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("{}", "line 1: the row has no id"),
        ('{"_id": "q"}', "line 1: the question 'q' has no text"),
        ('\n{"_id": "q", "text": "x", "now": "2023-02-30"}', "line 2: the date under 'now' cannot be read"),
        ('{"_id": "q", "text": "x"}\n{"_id": "q", "text": "x"}', "line 2: the id 'q' occurs a second time"),
        ("[]", "line 1: the row is a list"),
        ("", "holds no questions"),
    ],
)
def test_bad_queries(tmp_path: Path, rows: str, problem: str) -> None:
    (tmp_path / "queries.jsonl").write_text(rows)
    with pytest.raises(InputError, match=problem):
        read_queries(tmp_path)


def test_no_queries(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no queries\.jsonl"):
        read_queries(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\nq1\td3\t1\nq1\td 4\t0\nq2\td3\t-1\n",
        "q1\td3\t1\nq1\td 4\t0\nq2\td3\t-1\n",
        "q1\t0\td3\t1\r\nq1\t0\td 4\t0\r\nq1\t0\td3\t1\r\n\r\nq2\t0\td3\t-1\r\n",
    ],
)
def test_qrels(tmp_path: Path, text: str) -> None:
    (tmp_path / "test.tsv").write_bytes(text.encode())
    assert read_qrels(tmp_path / "test.tsv") == {"q1": {"d3": 1, "d 4": 0}, "q2": {"d3": -1}}


def test_qrels_with_spaces(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d3 1\nq2  0  d4 2\n")
    assert read_qrels(tmp_path / "qrels.txt") == {"q1": {"d3": 1}, "q2": {"d4": 2}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("q1 d3\n", "line 1: the row has 2 columns"),
        ("q1 0 d3 1\nq1 0 d4 high\n", "line 2: the score is 'high'"),
        ("q1 0 d3 1.5\n", "line 1: the score is '1.5'"),
        ("q1 0 d3 1\nq1 0 d3 2\n", "line 2: the document 'd3' is judged 2 for 'q1', but 1 before"),
        ("query-id\tcorpus-id\tscore\n", "holds no judgements"),
    ],
)
def test_bad_qrels(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "test.tsv").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_qrels(tmp_path / "test.tsv")


def test_runs_come_back(tmp_path: Path) -> None:
    rows = [*ranked("q1", [("d/3", 0.1 + 0.2), ("漢", 1e-300), ("d5", 1e-300)]), RunRow("q2", "d3", 1, -2.0, "mine")]
    assert write_run(tmp_path / "a.trec", rows) == 4
    run = read_run(tmp_path / "a.trec")
    assert [row for found in run.values() for row in found] == rows
    assert [path.name for path in tmp_path.iterdir()] == ["a.trec"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (RunRow("q 1", "d", 1, 1.0), "the question 'q 1' cannot stand"),
        (RunRow("q1", "", 1, 1.0), "the document '' cannot stand"),
        (RunRow("q1", "d", 1, float("nan")), "the score of 'd' for 'q1' is nan"),
    ],
)
def test_a_run_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, row: RunRow, problem: str) -> None:
    write_run(tmp_path / "a.trec", ranked("q", [("d", 1.0)]))
    with pytest.raises(EpochalError, match=problem):
        write_run(tmp_path / "a.trec", [RunRow("q1", "e", 1, 1.0), row])
    assert list(read_run(tmp_path / "a.trec")) == ["q"]
    assert [path.name for path in tmp_path.iterdir()] == ["a.trec"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("q1 Q0 d 1 0.5\n", "line 1: the row has 5 columns"),
        ("q1 Q0 d first 0.5 x\n", "line 1: the rank and the score are 'first' and '0.5'"),
        ("q1 Q0 d 1 nan x\n", "line 1: the rank and the score are '1' and 'nan'"),
        ("q1 Q0 d 1 0.5 x\nq1 Q0 d 2 0.4 x\n", "line 2: the document 'd' is found twice"),
        ("", "holds no rows"),
    ],
)
def test_bad_runs(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "a.trec").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_run(tmp_path / "a.trec")


@needs_data("scifact")
@pytest.mark.parametrize(("name", "count"), [("tnp", 1671), ("scifact", 300), ("timeqa/human_train_beir", 982)])
def test_real_collections(name: str, count: int) -> None:
    queries = {query.id for query in read_queries(DATA / name)}
    judged = read_qrels(DATA / name / "qrels" / "test.tsv")
    assert set(judged) <= queries
    assert len(judged) == count or len(queries) == count
