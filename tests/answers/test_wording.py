"""Words: which citations are shown under which head, and lines that nothing can steer."""

from __future__ import annotations

import pytest

from epochal.answers.answer import (
    Answer,
    Citation,
    Part,
    Standing,
    answer_lines,
    gap_sentence,
    headings,
    shown_citations,
)
from epochal.times import Span

YEAR = Span.year(1998)


def answered(*standings: Standing, **more: object) -> Answer:
    cited = tuple(
        Citation(number, f"p{number}", "", f"Quote {number}.", 0, 8, YEAR, "text", standing)
        for number, standing in enumerate(standings, 1)
    )
    part = Part(YEAR, "recorded", "", tuple(item.number for item in cited))
    return Answer("Rain?", "recorded", (part,), cited, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("standings", "heads"),
    [
        (("within", "near", "other"), [""]),
        (("within", "vague"), ["", "dated more vaguely:"]),
        (("in_force", "near"), ["in force then:"]),
        (("other", "near"), ["recorded of that time, in other words:", "nearest to it:"]),
        (("near",), ["nearest to it:"]),
        ((), []),
    ],
)
def test_what_is_beside_is_shown_only_where_nothing_answers(standings: tuple[Standing, ...], heads: list[str]) -> None:
    made = answered(*standings)
    assert [head for head, _ in headings(made, made.parts[0])] == heads
    shown = [item.number for _, group in headings(made, made.parts[0]) for item in group]
    assert sorted(shown_citations(made)) == sorted(shown)


def test_lines_hold_nothing_that_steers_a_terminal() -> None:
    evil = Citation(1, "p\x1b1", "T\x07", "one\n\x1b[31mtwo", 0, 5, YEAR, "text", "within", behind=("a\x00", "b"))
    made = Answer("Rain?", "recorded", (Part(YEAR, "recorded", "", (1,)),), (evil,))
    lines = list(answer_lines(made))
    assert lines == ["1998", "  1998  “one [31mtwo” [1: T , 1998] (stands for a , b)"]


def test_open_periods_read_well() -> None:
    since = Span.parse("2017/..")
    assert gap_sentence(since, "none_recorded", None).startswith("None recorded: the records cover the time since 2017")
    assert gap_sentence(since, "recorded", None) == ""


def test_more_is_counted() -> None:
    part = Part(YEAR, "recorded", "", (), 1200)
    assert list(answer_lines(Answer("Rain?", "recorded", (part,))))[-1] == "  and 1,200 more"
