"""`epochal eval-tags`: numbers, listings and complaints."""

from __future__ import annotations

import json

import pytest

from epochal.cli import main


def document(inner: str) -> str:
    return f'<TimeML><DCT><TIMEX3 tid="t0" type="DATE" value="1998">x</TIMEX3></DCT><TEXT>{inner}</TEXT></TimeML>'


def timex(words: str, value: str, kind: str = "DATE") -> str:
    return f'<TIMEX3 tid="t1" type="{kind}" value="{value}">{words}</TIMEX3>'


GOLD = document(f"Wet in {timex('late March', '1998-03')}, for {timex('two days', 'P2D', 'DURATION')}, and now.")
SYSTEM = document(f"Wet in late {timex('March', '1998-03')}, for two days, and {timex('now', 'PRESENT_REF')}.")


@pytest.fixture
def folders(tmp_path):
    for side, text in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.tml").write_text(text, encoding="utf-8")
    return tmp_path


def test_table(folders, capsys):
    assert main(["eval-tags", str(folders / "gold"), str(folders / "system"), "--errors", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "1 document",
        "kind      measure      P      R     F1  correct    gold  system",
        "all       relaxed  50.00  50.00  50.00        1       2       2",
        "all       strict    0.00   0.00   0.00        0       2       2",
        "all       value    50.00  50.00  50.00        1       2       2",
    ]
    assert "DURATION  relaxed   0.00   0.00   0.00        0       1       0" in lines
    assert lines[-3:] == [
        "missed    a.tml: gold 'two days' DURATION P2D | Wet in late March, for [two days], and now.",
        "spurious  a.tml: system 'now' DATE PRESENT_REF | Wet in late March, for two days, and [now].",
        "extent    a.tml: gold 'late March' DATE 1998-03 / system 'March' DATE 1998-03 | "
        "Wet in [late March], for two days, and now.",
    ]


def test_json_of_two_files(folders, capsys):
    assert main(["eval-tags", f"{folders}/gold/a.tml", f"{folders}/system/a.tml", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record) == ["documents", "overall", "kinds", "mistakes", "unscored", "errors"]
    assert record["overall"]["relaxed"]["f1"] == 0.5
    assert record["kinds"]["DATE"]["relaxed"] == {
        "precision": 0.5, "recall": 1.0, "f1": 0.6667, "correct": 1, "gold": 1, "system": 2,
    }  # fmt: skip
    assert record["errors"] == []


def test_files_without_gold_are_mentioned(folders, capsys):
    (folders / "system" / "b.tml").write_text(SYSTEM, encoding="utf-8")
    assert main(["eval-tags", str(folders / "gold"), str(folders / "system")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "not scored, for want of gold: b.tml"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["system", "none"], "none does not exist"),
        (["gold", "gold/a.tml"], "one is a folder; accepted: two files or two folders"),
        (["empty", "gold"], "the folder empty has no .tml files"),
        (["many", "gold"], "12 of 13 files are missing in gold: b0.tml, b1.tml, b10.tml, b11.tml, b2.tml, b3.tml, "),
        (["gold/a.tml", "many/b1.tml"], "b1.tml: at character 0 gold has 'Wet in late March, f', the system 'dry'"),
        (["gold/a.tml", "broken.tml"], "broken.tml: the TimeML document has no TEXT element"),
        (["gold", "system", "--errors", "-1"], "--errors is -1; accepted: 0 or more"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folders, capsys, monkeypatch, words, complaint):
    monkeypatch.chdir(folders)
    (folders / "empty").mkdir()
    (folders / "many").mkdir()
    (folders / "broken.tml").write_text("<TimeML/>", encoding="utf-8")
    for name in ["a", *(f"b{number}" for number in range(12))]:
        (folders / "many" / f"{name}.tml").write_text(document("dry"), encoding="utf-8")
    assert main(["eval-tags", *words]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert complaint in output.err
