"""Plans: which times a question asks about, in their order."""

from __future__ import annotations

import pytest

from epochal.answers.evidence import make_plan
from epochal.times import Span

NOW = Span.parse("2026-11-15")


@pytest.mark.parametrize(
    ("question", "periods"),
    [
        ("What did the bank do?", []),
        ("What did the bank do in 2003?", ["2003"]),
        ("What did the bank do last year?", ["2025"]),
        ("Compare the rate in 2008 with that of 1998", ["1998", "2008"]),
        ("Compare the rates of 1998, 2003 and 2008", ["1998", "2003", "2008"]),
        ("How have fees changed since 2017?", ["2017", "2026"]),
        ("How does the rate on 3 May 2003 differ from the rate on 9 May 2003?", ["2003-05-03", "2003-05-09"]),
        ("What was published about fees in 2009, and what in 2020?", ["2009", "2020"]),
        ("How do papers on fees differ that appeared in 2009, in 2017 and in 2020?", ["2009", "2017", "2020"]),
        ("What happened from 2003 to 2008?", ["2003/2008"]),
    ],
)
def test_the_times_to_look_in(question: str, periods: list[str]) -> None:
    assert [window.span.edtf() for window in make_plan(question, NOW).windows] == periods


def test_periods_by_when_things_were_published_are_set_against_each_other_too() -> None:
    plan = make_plan("How does what was said of fees in documents published in 2009 differ from what was said in 2020?")
    assert [(window.span.edtf(), window.axis) for window in plan.windows] == [
        ("2009", "publication"),
        ("2020", "content"),
    ]


def test_a_third_year_of_publication_is_no_side_of_a_comparison() -> None:
    plan = make_plan("Compare fees in 2009 and 2017 in documents published in 2020")
    assert [window.span.edtf() for window in plan.windows] == ["2009", "2017"]


def test_the_topic_has_no_time_words() -> None:
    assert make_plan("What did the bank do to its rate in 2003?").topic == "What did the bank do to its rate"
