"""`epochal tag`, with a small tagger in the place of the real one."""

from __future__ import annotations

import io
import json
import re
import sys
import types
from pathlib import Path

import pytest

from epochal.cli import main
from epochal.reading.expression import TimeExpr
from epochal.times import Span
from paths import DATA, needs_data

FILES = DATA / "timex"
TML = (
    '<?xml version="1.0" ?>\r\n<TimeML><DOCID>a</DOCID><DCT><TIMEX3 tid="t0" type="DATE" value="1998-01-08" '
    'functionInDocument="CREATION_TIME">x</TIMEX3></DCT>\r\n<TEXT>\r\nR&amp;D <TIMEX3 tid="t5" type="DATE" '
    'value="1990">then</TIMEX3> and today\r\n</TEXT></TimeML>\r\n'
)
TAGGED = TML.replace('<TIMEX3 tid="t5" type="DATE" value="1990">then</TIMEX3>', "then").replace(
    "today", '<TIMEX3 tid="t1" type="DATE" value="1998-01-08">today</TIMEX3>'
)


def tag(
    text: str, now: Span | None = None, lang: str = "auto", *, implicit: bool = False, prefer: str | None = None
) -> list[TimeExpr]:
    """Years, and "today" where the text has a date."""
    matches = []
    for match in re.finditer(r"\b\d{4}\b|\btoday\b|今天", text):
        span = Span.parse(match.group()) if match.group().isdigit() else now
        if span is not None:
            matches.append(TimeExpr(match.group(), *match.span(), "DATE", span.edtf(), span))
    return matches


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch):
    module = types.ModuleType("epochal.reading.tagger")
    module.tag = tag
    monkeypatch.setitem(sys.modules, "epochal.reading.tagger", module)


@pytest.fixture
def stdin(monkeypatch):
    def put(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))

    return put


def run(capfdbinary, *words: object) -> tuple[int, bytes, str]:
    code = main(["tag", *map(str, words)])
    out, err = capfdbinary.readouterr()
    return code, out, err.decode()


def test_text_gives_an_object_a_line(capfdbinary, stdin):
    stdin("né en 1998, 今天".encode())
    code, out, _ = run(capfdbinary, "--dct", "2004-05-06")
    assert code == 0
    rows = [json.loads(line) for line in out.decode().splitlines()]
    assert rows[0] == {
        "text": "1998", "start": 6, "end": 10, "kind": "DATE", "value": "1998", "mod": None, "span": "1998",
        "confidence": 1.0,
    }  # fmt: skip
    assert (rows[1]["text"], rows[1]["value"]) == ("今天", "2004-05-06")


def test_without_a_date_nothing_is_resolved_but_now_means_the_present(capfdbinary, stdin):
    stdin(b"today")
    assert run(capfdbinary)[1] == b""
    stdin(b"today")
    (row,) = run(capfdbinary, "--dct", "now")[1].splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", json.loads(row)["value"])


def test_several_texts_name_their_file(capfdbinary, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("in 1998", encoding="utf-8")
    rows = run(capfdbinary, tmp_path / "a.txt", tmp_path / "b.txt")[1].splitlines()
    assert [Path(json.loads(row)["file"]).name for row in rows] == ["a.txt", "b.txt"]


def test_rows_keep_their_keys_and_get_times(capfdbinary, tmp_path):
    rows = [
        {"_id": 1, "title": "1998", "text": "today", "published": "2001-02-03"},
        {"text": "today", "dct": "2001", "published": "2002", "now": "2003"},
        {"text": "今天 \ud800", "now": "2003", "title": None},
        {"text": "today"},
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    code, out, _ = run(capfdbinary, file)
    got = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [{key: row[key] for key in row if key != "times"} for row in got] == rows
    assert [[(item["field"], item["value"]) for item in row["times"]] for row in got] == [
        [("title", "1998"), ("text", "2001-02-03")], [("text", "2001")], [("text", "2003")], [],
    ]  # fmt: skip
    assert run(capfdbinary, file, "--dct", "1999")[1].count(b'"value": "1999"') == 4


def test_rows_from_stdin(capfdbinary, stdin):
    stdin(b'{"text": "1998"}\n')
    assert json.loads(run(capfdbinary, "--format", "jsonl")[1])["times"][0]["value"] == "1998"


def test_timeml_is_kept_byte_for_byte(capfdbinary, tmp_path, stdin):
    file = tmp_path / "a.tml"
    file.write_bytes(TML.encode())
    assert run(capfdbinary, file) == (0, TAGGED.encode(), "")
    stdin(TML.encode())
    assert run(capfdbinary, "--format", "timeml")[1] == TAGGED.encode()
    assert b'value="2004">today' in run(capfdbinary, file, "--dct", "2004")[1]


def test_a_folder_of_timeml(capfdbinary, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.tml", "b.tml", "notes.txt"):
        (folder / name).write_bytes(TML.encode())
    out = tmp_path / "deep" / "out"
    assert run(capfdbinary, folder, "-o", out) == (0, b"", "")
    assert {file.name: file.read_bytes() for file in out.iterdir()} == dict.fromkeys(
        ["a.tml", "b.tml"], TAGGED.encode()
    )
    assert run(capfdbinary, folder / "a.tml", folder / "b.tml", "-o", out)[0] == 0
    assert run(capfdbinary, out, "-o", out)[0] == 0
    assert (out / "a.tml").read_bytes() == TAGGED.encode()


def test_out_takes_a_file_or_a_folder_for_one(capfdbinary, tmp_path):
    file = tmp_path / "a.tml"
    file.write_bytes(TML.encode())
    (tmp_path / "out").mkdir()
    for target, position in ((tmp_path / "b.tml",) * 2, (tmp_path / "out", tmp_path / "out" / "a.tml"), (file, file)):
        assert run(capfdbinary, file, "-o", target)[0] == 0
        assert position.read_bytes() == TAGGED.encode()
    text = tmp_path / "a.txt"
    text.write_text("1998", encoding="utf-8")
    assert run(capfdbinary, text, "-o", tmp_path / "a.json")[0] == 0
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["value"] == "1998"


def test_nothing_half_written(capfdbinary, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.tml").write_bytes(TML.encode())
    (folder / "b.tml").write_bytes(b"<TimeML>")
    out = tmp_path / "out"
    code, _, err = run(capfdbinary, folder, "-o", out)
    assert code == 2
    assert "b.tml: the TimeML document has no TEXT element" in err
    assert list(out.iterdir()) == []
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "1998"}\n{"text": 5}\n', encoding="utf-8")
    target = tmp_path / "kept.jsonl"
    target.write_text("before", encoding="utf-8")
    assert run(capfdbinary, rows, "-o", target)[0] == 2
    assert target.read_text(encoding="utf-8") == "before"
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.jsonl", b"{", "a.jsonl, line 1 is not JSON"),
        ("a.jsonl", b"\n[1]", "a.jsonl, line 2 has no text"),
        ("a.jsonl", b'{"text": "a", "title": 5}', "a title that is no string: 5"),
        ("a.jsonl", b'{"text": "a", "now": 1998}', "now is 1998; accepted: a date as text"),
        ("a.jsonl", b'{"text": "a", "published": "soonish"}', "line 1: published: 'soonish' is not a time"),
        ("a.jsonl", b"\xff", "line 1 is not UTF-8"),
        ("a.txt", b"\xff", "a.txt is not UTF-8"),
        ("a.tml", b"text", "a.tml: the TimeML document has no TEXT element"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_line(capfdbinary, tmp_path, name, data, words):
    file = tmp_path / name
    file.write_bytes(data)
    code, out, err = run(capfdbinary, file)
    assert (code, out) == (2, b"")
    assert err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["none.txt"], "cannot read none.txt: No such file"),
        (["none.jsonl"], "cannot read none.jsonl: No such file"),
        (["a.tml", "b.txt"], "several formats (text, timeml); say which with --format"),
        (["a.tml", "a.tml"], "name a folder for them with -o"),
        (["a.tml", "a.tml", "-o", "out"], "would both be written to"),
        (["a.tml", "b.tml", "-o", "b.txt"], "-o b.txt is a file"),
        (["a.tml", "b.tml", "-o", "b.txt/out"], "cannot make the folder b.txt/out"),
        (["a.tml", "-o", "none/out.tml"], "cannot write none/out.tml: No such file"),
        (["empty"], "name a folder for them with -o"),
        (["empty", "-o", "out"], "the folder empty has no .tml files"),
        (["b.txt", "b.txt", "-o", "empty"], "-o empty is a folder; name a file"),
        (["b.txt", "--dct", "soonish"], "--dct: 'soonish' is not a time"),
    ],
)
def test_what_is_wrong_with_a_call_is_said_in_one_line(capfdbinary, tmp_path, monkeypatch, words, complaint):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "b.txt").write_text("1998", encoding="utf-8")
    for name in ("a.tml", "b.tml"):
        (tmp_path / name).write_bytes(TML.encode())
    code, out, err = run(capfdbinary, *words)
    assert (code, out) == (2, b"")
    assert err.count("\n") == 1
    assert complaint in err


@needs_data("timex/wikiwars-train")
def test_a_corpus_is_tagged_and_scored(capfdbinary, tmp_path):
    folder = FILES / "wikiwars-train"
    assert run(capfdbinary, folder, "-o", tmp_path / "out")[0] == 0
    assert main(["eval-tags", str(folder), str(tmp_path / "out"), "--json"]) == 0
    record = json.loads(capfdbinary.readouterr().out)
    assert record["documents"] == 16
    assert record["overall"]["relaxed"]["precision"] > 0.9
