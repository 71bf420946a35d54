"""Which end of something the times of a question are of."""

from __future__ import annotations

import pytest

from epochal.reading.questions.understand import understand
from epochal.times import Span

NOW = Span.parse("2025-05-04")

CASES = [
    ("Who was the Prime Minister whose term ended exactly 12 months before April 28, 2013?", ["end"]),
    ("Who was the CEO of BP starting exactly four years before January 1, 2024?", ["start"]),
    ("Whose term started before January 1, 2024, and ended after December 31, 2024?", ["start", "end"]),
    ("Which team did he play for with a contract starting in 2015 and ending in 2018?", ["start", "end"]),
    ("Who was admitted before January 1, 2021, and discharged after December 31, 2021?", ["start", "end"]),
    ("Which team did Messi join in soccer one year before January 1, 2004?", ["start"]),
    ("Who concluded their leadership one year prior to November 28, 2021?", ["end"]),
    ("Who became the CEO of ExxonMobil after 2003?", ["start"]),
    ("laws that entered into force in March 2021", ["start"]),
    ("contracts that expired in 2020", ["end"]),
    ("leyes que entraron en vigor en marzo de 2021", ["start"]),
    ("Who became the President of the Czech Republic on 9 October 2022?", ["start"]),
    ("Which Prime Minister of Norway completed their term on 24 September 1997?", ["end"]),
    ("Who was secretary general during the entire year of 2003?", ["whole"]),
    ("Whose tenure spanned the entirety of 1993?", ["whole"]),
    ("Which rules applied throughout 2003?", ["whole"]),
    ("Which patients had their discharge before March 31, 2024?", ["end"]),
    ("Which team has a contract end date that falls four years before June 25, 2025?", ["end"]),
    ("Whose contract expiration date was three years prior to June 25, 2025?", ["end"]),
    ("Who started before 1999 and continued serving past December 30, 2000?", ["start", None]),
    # These speak of no end.
    ("the update that was planned for 2020", [None]),
    ("Who has been CEO starting from January 1, 2005?", [None]),
    ("Which bridge was completed in 1998?", [None]),
    ("a full report of March 2003", [None]),
    ("Which parts of the whole system failed in 2003?", [None]),
    ("Who was CEO before 1985 and after 1990?", [None, None]),
    ("Who won the prize in 1994?", [None]),
    ("What was the weather at the end of 2016?", [None]),
    ("Who led the company at the beginning of 2011?", [None]),
    ("Where did he live when the war ended, in 1950?", [None]),
    ("Which books were published between 1990 and 1995?", [None]),
    ("Who lived in the left wing in 1910?", [None]),
]


@pytest.mark.parametrize(("question", "edges"), CASES)
def test_words_of_beginning_and_ending_bind_the_time_behind_them(question: str, edges: list[str | None]) -> None:
    assert [item.edge for item in understand(question, NOW).constraints] == edges


@pytest.mark.parametrize(
    ("question", "edge_span"),
    [
        ("Which contracts are starting in 2015?", "2015"),
        ("Who became chief executive of Ford starting from 2013?", None),
        ("Who joined since May 2010?", None),
        ("Who took on the role of chairperson beginning in 2012 or later?", None),
    ],
)
def test_what_starts_then_starts_in_that_time_and_what_has_started_since_at_any_later_one(
    question: str, edge_span: str | None
) -> None:
    (constraint,) = understand(question, NOW).constraints
    assert constraint.edge == "start"
    assert constraint.relation == "since"
    assert (constraint.edge_span and constraint.edge_span.edtf()) == edge_span
