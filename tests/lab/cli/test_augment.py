"""`epochal bench augment`: training rows from documents, from TimeQA, by a model and from a file."""

from __future__ import annotations

import json

import pytest

from epochal_lab.datasets.augment.rows import read_rows

TEXTS = (
    "Ann Hay joined Leeds United in May 1998. She was seventeen then.",
    "Bob Ray left Hull City on 4 March 2004, and the mayor wept.",
    "From 1987 to 1995 Cora Lee was the mayor of Selby. She left the town of Selby in 1999.",
)


@pytest.fixture
def source(tmp_path, write_rows):
    return write_rows(tmp_path / "pages.jsonl", [{"id": f"p{at}", "text": text} for at, text in enumerate(TEXTS)])


def test_rows_are_made(run, source, tmp_path):
    code, out, err = run("bench", "augment", source, "-o", tmp_path / "rows.jsonl", "--seed", "3", "--stats")
    assert (code, err) == (0, "")
    assert "rows.jsonl: 4 passages with 20 questions that they answer and 20 that they do not" in out
    assert "| Explicit |" in out
    rows = list(read_rows(tmp_path / "rows.jsonl"))
    assert [row.temporal for row in rows] == [("May 1998",), ("4 March 2004",), ("From 1987 to 1995",), ("1999",)]


def test_the_same_seed_gives_the_same_bytes(run, source, tmp_path):
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert run("bench", "augment", source, "-o", tmp_path / name, "--seed", seed)[0] == 0
    one, two, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert one == two != other


def test_paragraphs_can_stay_whole(run, source, tmp_path):
    assert run("bench", "augment", source, "-o", tmp_path / "rows.jsonl", "--several")[0] == 0
    last = list(read_rows(tmp_path / "rows.jsonl"))[-1]
    assert last.temporal == ("From 1987 to 1995", "1999")
    assert {question.anchor for question in last.questions if question.temporal} <= set(last.temporal)


def test_json_tells_what_was_dropped(run, source, tmp_path):
    code, out, _ = run("bench", "augment", source, "-o", tmp_path / "rows.jsonl", "--most", "2", "--json")
    record = json.loads(out)
    assert code == 0
    assert record["statistics"]["passages"] == 2
    assert set(record) == {"statistics", "dropped", "changed"}


def test_rows_that_are_there_are_checked(run, source, tmp_path):
    run("bench", "augment", source, "-o", tmp_path / "rows.jsonl")
    path = tmp_path / "rows.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"Equals"', '"Before"'), encoding="utf-8")
    code, out, _ = run("bench", "augment", path, "-o", tmp_path / "mended.jsonl", "--from", "rows")
    assert code == 0
    assert "mended  relation corrected: " in out
    assert '"Equals"' in (tmp_path / "mended.jsonl").read_text(encoding="utf-8")


def test_sets_are_held_out(run, source, tmp_path, write_rows):
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    write_rows(folder / "corpus.jsonl", [{"_id": "a", "text": TEXTS[0]}])
    write_rows(folder / "queries.jsonl", [{"_id": "q", "text": "Who joined Leeds?"}])
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n", encoding="utf-8")
    code, out, _ = run("bench", "augment", source, "-o", tmp_path / "rows.jsonl", "--hold-out", folder)
    assert code == 0
    assert "dropped  passage: held out: 1" in out


def test_a_recording_replaces_the_model(run, source, tmp_path):
    """Nothing is sent: the replies are there already."""
    from epochal.llm import Endpoint
    from epochal.llm.recorded import Recording
    from epochal_lab.datasets.augment.chunks import Splitter
    from epochal_lab.datasets.augment.generate import SAMPLING, ask_questions
    from scripted_chats import Scripted

    chunks = [chunk for at, text in enumerate(TEXTS) for chunk in Splitter().chunks(text, f"p{at}")]
    name = Endpoint("http://127.0.0.1:9/v1", "small", temperature=0.7, extra=SAMPLING).name
    retained = Recording(tmp_path / "calls.jsonl")
    for number, chunk in enumerate(chunks):
        year = chunk.stated_time.span.first_year
        record = {"temporal_query_type": "Explicit", "allen_relation": "Equals"}
        reply = {
            "temporal": [chunk.stated_time.text],
            "positive_passages": [{"text": f"Who sat in {year}?", "temporal": [str(year)], **record}],
            "negative_passages": [{"text": f"Who sat in {year - 9}?", "temporal": [str(year - 9)], **record}],
        }
        retained.add(name, ask_questions(chunk, number), True, Scripted([json.dumps(reply)]).complete([]))
    words = ("--from", "llm", "--url", "http://127.0.0.1:9/v1", "--model", "small", "--record", retained.path)
    code, out, _ = run("bench", "augment", source, "-o", tmp_path / "rows.jsonl", *words)
    assert code == 0
    assert "4 passages with 4 questions" in out
    assert "mended  relation corrected: " in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.jsonl", "-o", "rows.jsonl"], "nowhere.jsonl"),
        (["{source}"], "the following arguments are required: -o/--out"),
        (["{source}", "-o", "rows.jsonl", "--most", "0"], "--most is 0; accepted: 1 or more"),
        (
            ["{source}", "-o", "rows.jsonl", "--from", "llm"],
            "no language model is named; accepted: an endpoint",
        ),
        (["{source}", "-o", "rows.jsonl", "--from", "odd"], "invalid choice: 'odd'"),
        (["{source}", "-o", "rows.jsonl", "--from", "rows"], "line 1: the row has the names 'id', 'text'; accepted"),
        (["{folder}", "-o", "rows.jsonl", "--from", "timeqa"], "relations.json of TimeQA"),
        (["{source}", "-o", "no/such/rows.jsonl"], "cannot write no/such/rows.jsonl"),
    ],
)
def test_mistakes(complaint, source, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    assert message in complaint("bench", "augment", *(word.format(source=source, folder=tmp_path) for word in words))


def test_a_source_without_times_says_why(complaint, tmp_path, write_rows):
    path = write_rows(tmp_path / "pages.jsonl", [{"id": "a", "text": "Nothing of time is said in this text."}])
    assert "gives no row: chunk: no time (1)" in complaint("bench", "augment", path, "-o", tmp_path / "rows.jsonl")
