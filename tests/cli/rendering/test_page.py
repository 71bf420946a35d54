"""Page: plain where nobody can see colours, and coloured where somebody can."""

from __future__ import annotations

import io

import pytest

from epochal.cli.rendering.terminal import Page


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


def test_labels_stand_before_the_first_line():
    out = io.StringIO()
    Page(out).print_labelled("asked", [("word " * 30, "")])
    first, second = out.getvalue().splitlines()
    assert first.startswith("asked       word")
    assert second.startswith("            word")
