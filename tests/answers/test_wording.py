"""Words: which citations are shown under which head, and lines that nothing can steer."""

from __future__ import annotations

import pytest

from epochal.answers.answer import (
    Answer,
    Citation,
    EvidenceStatus,
    Part,
    describe_gap,
    format_answer,
    group_citations,
    list_displayed_citations,
)
from epochal.times import Span

YEAR = Span.year(1998)


def answered(*standings: EvidenceStatus, **more: object) -> Answer:
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
def test_what_is_beside_is_shown_only_where_nothing_answers(
    standings: tuple[EvidenceStatus, ...], heads: list[str]
) -> None:
    made = answered(*standings)
    assert [head for head, _ in group_citations(made, made.parts[0])] == heads
    shown = [item.number for _, group in group_citations(made, made.parts[0]) for item in group]
    assert sorted(list_displayed_citations(made)) == sorted(shown)


def test_lines_hold_nothing_that_steers_a_terminal() -> None:
    evil = Citation(1, "p\x1b1", "T\x07", "one\n\x1b[31mtwo", 0, 5, YEAR, "text", "within", behind=("a\x00", "b"))
    made = Answer("Rain?", "recorded", (Part(YEAR, "recorded", "", (1,)),), (evil,))
    lines = list(format_answer(made))
    assert lines == ["1998", "  1998  “one [31mtwo” [1: T , 1998] (represents a , b)"]


def test_open_periods_read_well() -> None:
    since = Span.parse("2017/..")
    assert describe_gap(since, "none_recorded", None).startswith("None recorded: the records cover the time since 2017")
    assert describe_gap(since, "recorded", None) == ""


def test_more_is_counted() -> None:
    part = Part(YEAR, "recorded", "", (), 1200)
    assert list(format_answer(Answer("Rain?", "recorded", (part,))))[-1] == "  and 1,200 more"
