"""`epochal search`: what it prints, its JSON, its options, and one line for each mistake."""

from __future__ import annotations

import json

import pytest

NOW = ("--now", "2026-11-15")


def record(run, *words) -> dict:
    code, out, err = run("search", *words, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def ids(answer: dict) -> list[str]:
    return [hit["id"] for hit in answer["hits"]]


def test_json_is_the_response(run, news):
    answer = record(run, news, "What happened to steel tariffs in 2003?", *NOW)
    assert list(answer) == [
        "question",
        "now",
        "outcome",
        "probability",
        "total",
        "total_is_lower_bound",
        "unknown_words",
        "hits",
        "applied",
        "hidden",
        "missing",
        "understanding",
        "timings",
    ]
    assert answer["now"] == "2026-11-15"
    assert ids(answer)[0] == "lowered"
    assert answer["hits"][0]["evidence"][0]["text"] == "last month"


def test_what_a_person_reads(run, news):
    code, out, err = run("search", news, "What happened to steel tariffs in 2003?", *NOW, "-k", "2")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "question    What happened to steel tariffs in 2003?   (asked 2026-11-15)"
    assert lines[1].startswith("understood  ")
    assert "about 2003" in lines[1]
    assert any(line.startswith(" 1  2003-07-02 ") and line.endswith("Lower tariffs") for line in lines)
    assert any("Tariffs on steel fell [last month]." in line for line in lines)
    assert any(line.startswith("asked ") and "2003" in line for line in lines)
    assert any(line.startswith("hits ") for line in lines)
    assert "\x1b" not in out


def test_explained(run, news):
    _, out, _ = run("search", news, "steel tariffs in 2003", *NOW, "--explain")
    assert "“last month” is read as June 2003 (2003-06); it fits the time asked for by" in out
    assert "shares words with the question" in out


def test_as_of_sees_only_what_was_there(run, news):
    assert ids(record(run, news, "steel tariffs", *NOW, "--as-of", "2001")) == ["raised"]
    _, out, _ = run("search", news, "steel tariffs", *NOW, "--as-of", "2001")
    assert "applied     only documents published by 2001" in out
    assert "[strict]" in out
    assert "hidden      3 documents: " in out
    assert any(line.startswith("as of ") for line in out.splitlines())


def test_strict_leaves_out_and_soft_does_not(run, news):
    assert len(ids(record(run, news, "steel", *NOW, "--during", "May 1998"))) == 3
    strict = record(run, news, "steel", *NOW, "--during", "May 1998", "--strict")
    assert ids(strict) == ["raised"]
    assert sum(strict["hidden"].values()) == 3


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--before", "2000", "--strict"], {"raised"}),
        (["--after", "2000", "--strict"], {"lowered", "zh"}),
        (["--during", "1998-05", "--relation", "during", "--strict"], {"raised"}),
        (["--during", "2003", "--undated", "exclude"], {"raised", "lowered", "zh"}),
    ],
)
def test_windows(run, news, words, found):
    assert set(ids(record(run, news, "steel", *NOW, *words))) == found


def test_time_can_be_switched_off(run, news):
    answer = record(run, news, "steel tariffs in 2003", *NOW, "--no-time")
    assert answer["outcome"] == "no_window"
    assert answer["applied"] == []
    _, out, _ = run("search", news, "steel tariffs in 2003", *NOW, "--no-time")
    assert "understood  time switched off" in out


def test_a_time_without_records_is_said_plainly(run, news):
    _, out, _ = run("search", news, "What happened in 1950?", *NOW)
    assert "Not covered: the index, which reaches from" in out
    assert "has no records of 1950." in out


def test_nothing_found(run, news):
    code, out, _ = run("search", news, "zebra", *NOW)
    assert code == 0
    assert "No document was found." in out


def test_words_are_measured_as_a_terminal_does(run, news):
    _, out, _ = run("search", news, "鋼鐵關稅", *NOW)
    title = next(line for line in out.splitlines() if line.endswith("鋼鐵關稅") and line.startswith(" 1"))
    assert title.index("鋼") == 25


def test_without_now_the_clock_is_asked(run, news, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1_794_700_800.0)
    assert record(run, news, "steel last year")["now"] == "2026-11-15T00:00:00Z"


def test_what_was_mended_is_said_on_stderr(run, news):
    manifest = news / "derived" / "current.json"
    manifest.write_bytes(b"broken")
    code, out, err = run("search", news, "steel", *NOW, "--json")
    assert code == 0
    assert json.loads(out)["hits"]
    assert err.startswith("epochal: ")


def test_a_document_cannot_steer_the_terminal(run, tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps({"id": "a\x1b[2J", "title": "\x1b[31mred", "text": "rain\x1b]0;x\x07 fell"}) + "\n")
    assert run("index", tmp_path / "new", "--from", source, "--encoder", "none")[0] == 0
    _, out, _ = run("search", tmp_path / "new", "rain", *NOW, "--explain")
    assert "rain" in out
    assert "\x1b" not in out
    assert "\x07" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere", "q"], "nowhere does not exist; make an index with: epochal index nowhere --from FILE"),
        (["{folder}", "q"], "is not an index; make an index with: epochal index DIR --from FILE"),
        (["{rows}", "q"], "is not an index; make an index with"),
        (["{news}"], "the following arguments are required: QUESTION"),
        (["{news}", ""], "a question must be a text that is not empty"),
        (["{news}", " \t"], "a question must be a text that is not empty"),
        (["{news}", "steel " * 180_000], "a question may have up to 20,000 characters"),
        (["{news}", "q", "-k", "0"], "k must be from 1 to 10,000, but is 0"),
        (["{news}", "q", "-k", "-3"], "k must be from 1 to 10,000, but is -3"),
        (["{news}", "q", "-k", "many"], "argument -k: invalid int value: 'many'"),
        (["{news}", "q", "--now", "soonish"], "--now: 'soonish' is not a time in any calendar; accepted: EDTF"),
        (["{news}", "q", "--during", "soonish"], "--during: 'soonish' is not a time in any calendar"),
        (["{news}", "q", "--during", "永和元年"], "--during '永和元年' may be any of several times"),
        (["{news}", "q", "--before", "2003-02-30"], "--before: '2003-02-30' "),
        (["{news}", "q", "--after", ""], "--after: '' is not a time"),
        (["{news}", "q", "--as-of", "x"], "--as-of: 'x' is not a time"),
        (["{news}", "q", "--valid-at", "x"], "--valid-at: 'x' is not a time"),
        (["{news}", "q", "--after", "2019", "--before", "2018"], "no time is both after 2019 and before 2018; give"),
        (["{news}", "q", "--relation", "meets"], "--relation 'meets' needs a span that it relates to; give --during"),
        (["{news}", "q", "--relation", "inside", "--during", "2003"], "no relation is called 'inside'; known: during"),
        (["{news}", "q", "--undated", "maybe"], "is called 'maybe'; known: neutral, exclude, penalise"),
        (["{news}", "q", "--scorer", "best"], "no scorer is called 'best'; known: "),
    ],
)
def test_mistakes(complaint, news, rows_file, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    assert message in complaint("search", *(word.format(news=news, folder=tmp_path, rows=rows_file) for word in words))
