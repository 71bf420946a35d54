from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.folder import Manifest, read_folder, read_folder_manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard
from spans_strategy import spans

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
full_words = words.filter(lambda text: bool(text.strip()))
ids = full_words.filter(lambda text: not any(mark in text for mark in "\t\n\r"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)
documents = st.lists(
    st.builds(
        Document,
        id=ids,
        text=full_words,
        title=words,
        published=st.none() | spans(),
        valid=st.none() | spans(),
        series=st.none() | full_words,
        meta=st.dictionaries(
            words | st.sampled_from(["times", "id", "text", "date", "meta", "valid"]), values, max_size=2
        ),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda document: document.id,
)


@st.composite
def sets(draw: st.DrawFn) -> BenchSet:
    corpus = tuple(draw(documents))
    gold = st.sampled_from([document.id for document in corpus])
    queries = tuple(
        BenchQuery(
            id,
            draw(full_words),
            draw(st.none() | spans()),
            tuple(draw(st.lists(spans(), max_size=2))),
            draw(st.sampled_from(["", "point", "window"])),
            draw(st.sampled_from(["train", "dev", "test"])),
            tuple(draw(st.lists(gold, max_size=2, unique=True))),
            draw(st.dictionaries(words, values, max_size=2)),
        )
        for id in draw(st.lists(ids, min_size=1, max_size=4, unique=True))
    )
    qrels = {query.id: draw(st.dictionaries(gold, st.integers(0, 3), min_size=1, max_size=3)) for query in queries}
    covered = {
        query.id: tuple(frozenset(draw(st.lists(gold, max_size=2))) for _ in query.periods)
        for query in queries
        if query.periods and draw(st.booleans())
    }
    card = SetCard(draw(words), notes=tuple(draw(st.lists(words, max_size=2))))
    return BenchSet(draw(full_words), corpus, queries, qrels, covered, card)


def fill(folder: Path, **files: Any) -> Path:
    """A BEIR folder by hand: rows for the corpus and the questions, lines for the judgements."""
    (folder / "qrels").mkdir(parents=True)
    for name in ("corpus", "queries"):
        rows = "".join(json.dumps(row) + "\n" for row in files[name])
        (folder / f"{name}.jsonl").write_text(rows, encoding="utf-8")
    for split, lines in files.get("qrels", {}).items():
        (folder / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\n" + lines, encoding="utf-8")
    return folder


CORPUS = [{"_id": "d1", "title": "", "text": "Ann won in 1998."}, {"_id": "d2", "title": "", "text": "Bob won."}]
QUERIES = [{"_id": "q1", "text": "Who won in 1998?"}, {"_id": "q2", "text": "Who won?"}]


@pytest.fixture
def written(tmp_path) -> Path:
    bench_set = BenchSet(
        "own/winners",
        (Document("d1", "Ann won in 1998."), Document("d2", "Bob won in 1999.")),
        (BenchQuery("q1", "Who won?", periods=(Span.year(1998), Span.year(1999))),),
        {"q1": {"d1": 1, "d2": 1}},
        {"q1": (frozenset({"d1"}), frozenset({"d2"}))},
    )
    write_folder(tmp_path / "own", bench_set, Manifest("own/winners"))
    return tmp_path / "own"


@given(sets())
def test_a_set_comes_back_as_it_was(made):
    with tempfile.TemporaryDirectory() as name:
        manifest = write_folder(Path(name) / "set", made, Manifest("x", made_by="test", parameters={"a": 1}))
        read = read_folder(Path(name) / "set")
        assert (read.id, read.card, read.queries) == (made.id, made.card, made.queries)
        assert list(read.documents) == list(read.documents) == list(made.documents)
        assert dict(read.qrels) == dict(made.qrels)
        assert dict(read.period_qrels) == dict(made.period_qrels)
        assert read_folder_manifest(Path(name) / "set") == manifest
        write_folder(Path(name) / "again", read, Manifest("x", made_by="test", parameters={"a": 1}))
        for file in manifest.files:
            assert (Path(name) / "again" / file).read_bytes() == (Path(name) / "set" / file).read_bytes()


def test_the_manifest_counts_rows(written):
    assert read_folder_manifest(written).counts() == {
        "corpus.jsonl": 2, "queries.jsonl": 1, "qrels/test.tsv": 2, "periods.tsv": 2,
    }  # fmt: skip


def test_that_nothing_covers_a_period_is_kept(tmp_path):
    queries = (BenchQuery("q1", "Who won?", periods=(Span.year(1998),)), BenchQuery("q2", "When?"))
    bench_set = BenchSet("own", (Document("d1", "Ann."),), queries, {"q1": {"d1": 1}}, {"q1": (frozenset(),)})
    write_folder(tmp_path / "own", bench_set, Manifest("own"))
    assert read_folder(tmp_path / "own").period_qrels == {"q1": (frozenset(),)}


def test_a_question_without_gold_stays_in_its_split(tmp_path):
    queries = (BenchQuery("q1", "Who won?"), BenchQuery("q2", "Who won in 1901?", kind="none"))
    bench_set = BenchSet("own", (Document("d1", "Ann."),), queries, {"q1": {"d1": 1}})
    write_folder(tmp_path / "own", bench_set, Manifest("own"))
    assert [query.id for query in read_folder(tmp_path / "own").select_split("test").queries] == ["q1", "q2"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"qrels": {"q9": {"d1": 1}}}, "the set 'own' judges 'q9', which is no question of it"),
        ({"qrels": {"q1": {"d\t1": 1}}}, r"the id 'd\\t1' cannot stand in a table"),
        ({"period_qrels": {"q1": (frozenset(), frozenset())}}, "covers 2 periods of 'q1', which has 0"),
        ({"period_qrels": {"q9": ()}}, "covers 0 periods of 'q9', which is no question of it"),
        ({"queries": (BenchQuery("q1", "Who?", split="a/b"),)}, "the split 'a/b' cannot be the name of a file"),
        ({"queries": (BenchQuery("q1", "Who?"),) * 2}, "two questions of the set 'own' have the same id"),
        (
            {"queries": (BenchQuery("q1", "Who?", annotations={"a": float("nan")}),)},
            "the row 'q1' of a test set cannot be written as JSON",
        ),
        (
            {"queries": (BenchQuery("q1", "Who?", annotations={"a": {1, 2}}),)},
            "the row 'q1' of a test set cannot be written as JSON: set is no type of JSON",
        ),
        (
            {"documents": (Document("d1", "half \ud800"),)},
            "the row 'd1' of a test set cannot be written as JSON",
        ),
    ],
)
def test_what_would_not_come_back_is_refused(tmp_path, change, problem):
    parts: dict[str, Any] = {
        "documents": (Document("d1", "Ann."),),
        "queries": (BenchQuery("q1", "Who?"),),
        "qrels": {"q1": {"d1": 1}},
        **change,
    }
    with pytest.raises(EpochalError, match=problem):
        write_folder(tmp_path / "own", BenchSet("own", **parts), Manifest("own"))
    assert read_folder_manifest(tmp_path / "own") is None


def test_a_folder_that_holds_something_is_not_written_to(written):
    bench_set = read_folder(written)
    with pytest.raises(EpochalError, match="which exists; accepted: a new folder"):
        write_folder(written, bench_set, Manifest("own"))


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "periods.tsv"])
def test_a_changed_or_missing_file_is_named(written, file):
    content = (written / file).read_bytes()
    (written / file).write_bytes(content + b" \n")
    with pytest.raises(EpochalError, match=f"{file} is not what its manifest says; build the set again"):
        read_folder(written)
    assert read_folder(written, check=False).id == "own/winners"
    (written / file).unlink()
    with pytest.raises(EpochalError, match=f"{file} is missing; build the set again"):
        read_folder(written)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"id": "own"}',
        '{"id": "own", "card": {"title": "Own"}, "files": {"corpus.jsonl": 3}}',
        '{"id": "own", "card": {"title": "Own"}, "files": {"corpus.jsonl": {"rows": 1}}}',
        '{"id": "own", "card": {"title": "Own", "colour": "red"}, "files": {}}',
    ],
)
def test_a_damaged_manifest_is_one_sentence(written, text):
    (written / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(EpochalError, match=r"manifest.json is no manifest of a test set; build the set again$"):
        read_folder(written)


@pytest.mark.parametrize(
    "line",
    ["q1", "q1\t1", "q1\t3\td1", "q1\t0\td1", "q9\t1\td1", "q1\t²\td1", "q1\tone\td1", "q1\t1\td1\tmore"],
)
def test_a_damaged_line_of_periods_is_named(written, line):
    (written / "periods.tsv").write_text(f"query-id\tperiod\tcorpus-id\nq1\t1\td1\n{line}\n", encoding="utf-8")
    with pytest.raises(EpochalError, match=r"periods.tsv, line 3: .* says nothing of a period; accepted: "):
        read_folder(written, check=False)


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("periods", "1998", "the value under 'periods' is a str; accepted: a list"),
        ("periods", ["soonish"], "the date under 'periods' cannot be read: 'soonish'"),
        ("excluded", "d1", "the value under 'excluded' is a str; accepted: a list"),
        ("annotations", ["a"], "the value under 'annotations' is a list; accepted: an object"),
        ("now", "soonish", "the date under 'now' cannot be read"),
    ],
)
def test_a_field_of_another_type_is_named_with_its_line(tmp_path, field, value, problem):
    rows = [QUERIES[0], {**QUERIES[1], field: value}]
    folder = fill(tmp_path / "own", corpus=CORPUS, queries=rows, qrels={"test": "q1\td1\t1\nq2\td2\t1\n"})
    with pytest.raises(EpochalError, match=f"queries.jsonl, line 2: {problem}"):
        read_folder(folder)


def test_a_beir_folder_needs_no_manifest(tmp_path):
    folder = fill(
        tmp_path / "plain", corpus=CORPUS, queries=QUERIES, qrels={"train": "q2\td2\t1\n", "test": "q1\td1\t2\n"}
    )
    read = read_folder(folder)
    assert (read.id, read.card.title, read.period_qrels) == ("plain", "plain", {})
    assert {query.id: query.split for query in read.queries} == {"q1": "test", "q2": "train"}
    assert read.qrels == {"q1": {"d1": 2}, "q2": {"d2": 1}}


def test_a_beir_folder_may_be_zipped(tmp_path):
    folder = fill(tmp_path / "plain", corpus=CORPUS, queries=QUERIES, qrels={"test": "q1\td1\t1\nq2\td2\t1\n"})
    for name in ("corpus.jsonl", "queries.jsonl"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    read = read_folder(folder)
    assert (len(list(read.documents)), len(read.queries)) == (2, 2)


def test_what_is_not_judged_or_not_asked_is_left_out_of_a_beir_folder(tmp_path):
    folder = fill(tmp_path / "plain", corpus=CORPUS, queries=QUERIES, qrels={"test": "q1\td1\t1\nq7\td2\t1\n"})
    read = read_folder(folder)
    assert [query.id for query in read.queries] == ["q1"]
    assert read.qrels == {"q1": {"d1": 1}}


def test_a_beir_folder_without_judgements_keeps_its_questions(tmp_path):
    read = read_folder(fill(tmp_path / "plain", corpus=CORPUS, queries=QUERIES))
    assert [query.id for query in read.queries] == ["q1", "q2"]


def test_a_bad_document_is_named_when_it_is_reached(tmp_path):
    rows = [*CORPUS, {"_id": "d3", "text": "", "title": ""}]
    folder = fill(tmp_path / "plain", corpus=rows, queries=QUERIES, qrels={"test": "q1\td1\t1\n"})
    read = read_folder(folder)
    with pytest.raises(EpochalError, match=r"corpus.jsonl, line 3: the row has no text"):
        list(read.documents)


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    bench_set = BenchSet("own", (Document("d1", "Ann."),), (BenchQuery("q1", "Who?"),), {"q1": {"d1": 1}})
    with pytest.raises(EpochalError, match=r"cannot write .*: Not a directory"):
        write_folder(tmp_path / "file" / "own", bench_set, Manifest("own"))


def test_a_split_of_questions_without_gold_is_read(tmp_path):
    queries = (BenchQuery("q1", "Who?"), BenchQuery("q2", "Who, in 1901?", split="none"))
    bench_set = BenchSet("own", (Document("d1", "Ann."),), queries, {"q1": {"d1": 1}})
    write_folder(tmp_path / "own", bench_set, Manifest("own"))
    assert read_folder(tmp_path / "own").splits == ("test", "none")
