"""Columns of a terminal."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.cli.rendering.hits import make_snippet, style_marks
from epochal.cli.rendering.terminal import Page, bar, clean, crop, measure_width, pad
from epochal_lab.cli.eval import format_table, show_scores


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("魯隱公", 6), ("é", 1), ("e\u0301", 1), ("", 0), ("한국", 4)])
def test_widths(text, width):
    assert measure_width(text) == width


def test_padding_to_either_side():
    assert pad("魯", 4) == "魯  "
    assert pad("魯", 4, right=True) == "  魯"
    assert pad("魯隱公", 4) == "魯隱公"


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Mn", "Me"]), max_size=40), st.integers(1, 30))
def test_what_is_cropped_fits(text, width):
    output = crop(text, width)
    assert measure_width(output) <= width
    assert output == text or output.endswith("…")


@given(st.text(max_size=40))
def test_what_is_clean_steers_nothing(text):
    output = clean(text)
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in output)
    assert "\u202e" not in output
    output.encode()


@given(st.floats(0, 1), st.integers(1, 40))
def test_bars_keep_within_their_room(share, width):
    assert len(bar(share, width)) <= width


def test_bars():
    assert [bar(share, 2) for share in (0, 0.25, 1, 3, -1)] == ["", "▌", "██", "██", ""]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def _xterm(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def test_plain(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    out = io.StringIO()
    page = Page(out)
    page.line(("found ", ""), ("three", "bold red"), ("   ", ""))
    assert out.getvalue() == "found three\n"
    assert (page.width, page.is_terminal) == (100, False)


@pytest.mark.usefixtures("_xterm")
def test_coloured():
    out = Terminal()
    page = Page(out)
    page.line(("three", "bold red"))
    assert out.getvalue() == "\x1b[1;31mthree\x1b[0m\n"
    assert page.is_terminal


@pytest.mark.usefixtures("_xterm")
def test_no_color(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    Page(out).line(("three", "red"))
    assert out.getvalue() == "three\n"


@pytest.mark.usefixtures("_xterm")
@pytest.mark.parametrize(("columns", "width"), [("20", 50), ("88", 88), ("400", 120)])
def test_as_wide_as_the_terminal_within_reason(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert Page(Terminal()).width == width


def test_long_lines_are_left_whole():
    out = io.StringIO()
    Page(out).line(("x" * 300, ""))
    assert out.getvalue() == "x" * 300 + "\n"


def test_markup_in_a_text_is_text():
    out = io.StringIO()
    Page(out).line(("[bold]x[/bold] :smile:", ""))
    assert out.getvalue() == "[bold]x[/bold] :smile:\n"


def test_wrapping_keeps_styles_and_measures_chinese():
    page = Page(io.StringIO())
    rows = page.wrap([("alpha ", ""), ("beta", "bold"), (" gamma", "")], 10)
    assert rows == [[("alpha ", ""), ("beta", "bold")], [("gamma", "")]]
    assert page.wrap([("魯隱公元年", "")], 4) == [[("魯隱", "")], [("公元", "")], [("年", "")]]


def test_labels_come_before_the_first_line():
    out = io.StringIO()
    Page(out).print_labelled("asked", [("word " * 30, "")])
    first, second = out.getvalue().splitlines()
    assert first.startswith("asked       word")
    assert second.startswith("            word")


MEASURED = {
    "measure": "nDCG|FC@10",
    "mean": None,
    "low": None,
    "high": None,
    "questions": 0,
    "undefined": 3,
    "unanswered": 0,
    "gaps": 2,
    "comparison": None,
    "kinds": {"point": {"mean": None, "questions": 0, "undefined": 3}},
}


def shown(*runs: dict) -> list[str]:
    record = {
        "qrels": "q.tsv",
        "split": "test",
        "questions": 3,
        "against": "a" if len(runs) > 1 else None,
        "runs": runs,
    }
    page = io.StringIO()
    show_scores(record, Page(page))
    return page.getvalue().splitlines()


def run(name: str, **measured: object) -> dict:
    return {"run": name, "unjudged": 0, "measures": [MEASURED | measured]}


def test_what_has_no_value_is_a_dash():
    assert shown(run("a\x1b[1m")) == [
        "a [1m against q.tsv, split test: 3 questions",
        "measure     mean  95 % interval  questions",
        "nDCG|FC@10     –                         0",
        "  point        –                         0",
        "3 questions for which there is no value, left out",
        "2 documents without what is needed to know",
    ]


def test_a_comparison_without_shared_questions_is_left_empty():
    nothing = {"difference": None, "low": None, "high": None, "p": 1.0, "adjusted": 1.0, "questions": 0}
    lines = shown(run("a"), run("b", comparison=nothing))
    assert lines[5].split() == ["b", "–", "0"]


def test_a_star_marks_what_is_more_than_chance():
    result = {"difference": -0.25, "low": -0.5, "high": -0.125, "p": 0.01, "adjusted": 0.02, "questions": 3}
    values = {"mean": 0.5, "low": 0.25, "high": 0.75, "questions": 3, "undefined": 0, "gaps": 0, "kinds": {}}
    lines = shown(run("a", **values), run("b", **values, comparison=result))
    row = ["b", "0.500", "0.250", "to", "0.750", "3", "-0.250", "-0.500", "to", "-0.125", "0.0100", "0.0200", "*", "3"]
    assert lines[4].split() == row
    assert lines[5:] == ["* more than chance: Holm's p below 0.05"]


def test_wide_characters_keep_the_columns():
    assert format_table([["run", "mean"], ["魯", "0.5"]], [False, True]) == ["run  mean", "魯    0.5"]


LONG = "It was agreed after long debate. " * 10 + "The treaty was signed in 1933. " + "Much followed later. " * 10


def joined(pieces):
    return "".join(text for text, _ in pieces)


def test_whole_where_there_is_room():
    assert make_snippet("Rain\n  fell in  1933.", [(16, 20)], 80) == [
        ("Rain fell in ", False),
        ("1933", True),
        (".", False),
    ]


def test_the_mark_is_always_shown():
    position = LONG.index("1933")
    pieces = make_snippet(LONG, [(position, position + 4)], 60)
    assert ("1933", True) in pieces
    assert joined(pieces).startswith("… ")
    assert joined(pieces).endswith("…")
    assert measure_width(joined(pieces)) <= 60


def test_from_the_start_where_the_mark_is_near():
    assert joined(make_snippet("In 1933 " + LONG, [(3, 7)], 60)).startswith("In 1933 It was")


def test_without_marks_from_the_start():
    assert joined(make_snippet(LONG, [], 40)) == "It was agreed after long debate. It was…"


def test_chinese_is_cut_anywhere():
    assert joined(make_snippet("隱公元年春王正月三月公及邾儀父盟于蔑", [], 11)) == "隱公元年春…"


def test_several_marks():
    pieces = make_snippet("From 1901 to 1902.", [(13, 17), (5, 9)], 80)
    assert [text for text, marked in pieces if marked] == ["1901", "1902"]


@given(
    st.text(st.sampled_from("ab 魯公\n\x1b"), max_size=80),
    st.integers(0, 80),
    st.integers(1, 6),
    st.integers(12, 60),
)
def test_any_text_fits_and_is_clean(text, start, length, room):
    pieces = make_snippet(text, [(start, start + length)] if start < len(text) else [], room)
    output = joined(pieces)
    assert measure_width(output) <= room
    assert "\x1b" not in output
    assert "\n" not in output


def test_brackets_where_there_are_no_colours():
    assert style_marks([("1933", True)], brackets=False) == [("1933", "bold yellow")]
