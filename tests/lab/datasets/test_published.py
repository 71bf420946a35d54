"""TNP from its published files: what they hold, and the times that the questions ask about."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from epochal.errors import EpochalError
from epochal.times import Span
from epochal_lab.datasets.catalogue import load, open_set
from epochal_lab.datasets.published import build_tnp
from paths import DATA, needs_data

FILES = DATA / "tnp"


@pytest.fixture
def source(tmp_path):
    cards = [{"_id": f"doc{year}", "title": "", "text": f"Ann\nThe Nobel Peace Prize {year}."} for year in (1901, 1902)]
    query = {"q1": "Who won the Nobel Prize in Peace between 1901 and 1902?", "q2": "Who won the Peace Prize in 1902?"}
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, cards)))
    (tmp_path / "queries.jsonl").write_text("\n".join(json.dumps({"_id": id, "text": t}) for id, t in query.items()))
    (tmp_path / "qrels").mkdir()
    rows = ["query-id\tcorpus-id\tscore", "q1\tdoc1901\t1", "q1\tdoc1902\t1", "q2\tdoc1902\t1"]
    (tmp_path / "qrels" / "test.tsv").write_text("\n".join(rows))
    return tmp_path


def test_questions_get_their_times_and_all_else_stays(source):
    result, manifest = build_tnp(source)
    assert [query.periods for query in result.queries] == [(Span.parse("1901/1902"),), (Span.year(1902),)]
    assert [query.kind for query in result.queries] == ["between", "during"]
    assert result.qrels == {"q1": {"doc1901": 1, "doc1902": 1}, "q2": {"doc1902": 1}}
    assert [item.id for item in result.documents] == ["doc1901", "doc1902"]
    assert manifest.facts == {"questions_with_a_time_read": 2}
    assert set(manifest.sources) == {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv"}


def test_without_periods_the_questions_are_as_published(source):
    result, _ = build_tnp(source, periods=False)
    assert {query.periods for query in result.queries} == {()}


def test_a_folder_without_judgements_is_refused(source):
    (source / "qrels" / "test.tsv").unlink()
    with pytest.raises(EpochalError, match=r"has no qrels/test\.tsv; accepted: TNP in BEIR's form"):
        build_tnp(source)


@needs_data("tnp")
def test_the_published_files_are_read_whole():
    result, manifest = build_tnp(FILES)
    assert len(result.queries) == manifest.facts["questions_with_a_time_read"] == 1671
    assert sum(1 for _ in result.documents) == 989
    assert all(len(query.periods) == 1 for query in result.queries)


CHUNKS = ["2020年6月27日，人社部回应了裁员一事。", "2021年9月7日，湖人队签下新球员。"]


def row(**given: Any) -> dict[str, Any]:
    return {
        "": "4",
        "question": "2020年6月27日人社部回应了什么事件？",
        "question_date": "2024-02-01",
        "answer": "裁员",
        "temporal_type": "absolute",
        "temporal_granularity": "day",
        "golden_chunks": repr(CHUNKS[:1]),
        **given,
    }


def write(data: Path, rows: list[dict[str, Any]], name: str = "questions.jsonl.gz") -> Path:
    content = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in rows).encode()
    (data / "chronoqa").mkdir(exist_ok=True)
    (data / "chronoqa" / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return data


@pytest.mark.parametrize("name", ["questions.jsonl.gz", "questions.jsonl"])
def test_chunks_are_documents_and_questions_have_a_day(tmp_path, name):
    bench_set = load("chronoqa", write(tmp_path, [row(), row(**{"": "7"}, golden_chunks=repr(CHUNKS))], name))
    assert [document.text for document in bench_set.documents] == CHUNKS
    first, second = bench_set.queries
    assert (first.id, first.now, first.kind) == ("4", Span.parse("2024-02-01"), "absolute")
    assert first.periods == (Span.parse("2020-06-27"),)
    assert first.annotations == {"answer": "裁员", "temporal_granularity": "day"}
    ids = [document.id for document in bench_set.documents]
    assert bench_set.qrels == {"4": {ids[0]: 1}, "7": {ids[0]: 1, ids[1]: 1}}
    assert bench_set.period_qrels == {"4": (frozenset(ids[:1]),), "7": (frozenset(ids[:1]),)}
    assert second.id == "7"


def test_periods_that_no_chunk_covers_are_not_judged(tmp_path):
    bench_set = load("chronoqa", write(tmp_path, [row(golden_chunks=repr(CHUNKS[1:]))]))
    assert bench_set.queries[0].periods
    assert bench_set.period_qrels == {}


def test_periods_are_left_to_the_reader_only_when_wanted(tmp_path):
    bench_set = load("chronoqa", write(tmp_path, [row()]), periods=False)
    assert (bench_set.queries[0].periods, bench_set.period_qrels) == ((), {})


def test_questions_without_a_chunk_are_left_out_and_counted(tmp_path):
    rows = [row(), row(**{"": "5"}, golden_chunks="['None']"), row(**{"": "6"}, golden_chunks="['unclosed")]
    loaded = open_set("chronoqa", write(tmp_path, rows))
    assert [query.id for query in loaded.bench_set.queries] == ["4"]
    assert loaded.facts == {"questions without a chunk, left out": 2, "lists of chunks that could not be read": 1}


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (row(**{"": "5"}, question=""), "line 2: the row has no question"),
        (row(**{"": "5"}, question_date="2024-13-01"), "line 2: the date under 'question_date' cannot be read"),
        (row(), "line 2: the id '4' occurs a second time"),
    ],
)
def test_a_bad_row_is_named(tmp_path, bad, problem):
    with pytest.raises(EpochalError, match=rf"questions\.jsonl\.gz, {problem}"):
        load("chronoqa", write(tmp_path, [row(), bad]))


@needs_data("chronoqa")
def test_the_published_questions():
    loaded = open_set("chronoqa", DATA, switches={"periods": False})
    assert (len(list(loaded.bench_set.documents)), len(loaded.bench_set.queries)) == (3470, 2636)
    assert all(query.now is not None for query in loaded.bench_set.queries)
