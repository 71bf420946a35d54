"""`epochal demo`."""

import pytest

from epochal.cli import demo, main
from epochal.times import Span, align_pair, resolve


@pytest.fixture
def lines(capsys) -> list[str]:
    assert main(["demo"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    return shown.out.splitlines()


def test_every_expression_has_its_span(lines):
    for text in demo._EXPRESSIONS:
        (reading,) = resolve(text)
        row = next(line for line in lines if line.startswith(f"  {text} "))
        assert f"  {reading.span.edtf()} " in row
        assert row.endswith(reading.span.describe())


def test_every_expression_has_a_mark_in_the_picture(lines):
    marks = [line for line in lines if line.rstrip().endswith(("●", "━"))]
    assert [line.split("  ")[1] for line in marks] == list(demo._EXPRESSIONS)


def test_marks_stand_in_order_of_time(lines):
    rows = [line for line in lines if line.rstrip().endswith(("●", "━"))]
    places = [min(demo._width(line[: line.index(char)]) for char in "●━" if char in line) for line in rows]
    starts = [resolve(text)[0].span.start for text in demo._EXPRESSIONS]
    assert starts == sorted(starts)
    assert places == sorted(places)


def test_scores_are_those_of_the_kernel(lines):
    question = Span.parse(demo._QUESTION)
    for text in demo._DOCUMENTS:
        score = align_pair(question, resolve(text)[0].span)
        assert any(line.startswith(f"  {text} ") and f"  {score:5.3f}  " in line for line in lines)


def test_columns_are_counted_as_a_terminal_does():
    assert demo._width("魯隱公") == 6
    assert demo._padded("魯 1", 6) == "魯 1  "


def test_the_same_on_every_run(capsys):
    shown = []
    for _ in range(2):
        assert main(["demo"]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
