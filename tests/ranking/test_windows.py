"""Windows: which times of a question the ranker looks for."""

from __future__ import annotations

import pytest

from epochal.ranking.pool import Window, get_windows
from epochal.reading.questions import understand
from epochal.times import Span

NOW = Span.parse("2026-11-15")


def spans(question: str) -> list[str]:
    return [window.span.edtf() for window in get_windows(understand(question, NOW))]


@pytest.mark.parametrize(
    ("question", "throughout"),
    [
        ("Who owned the house from 1916 to 1920?", True),
        ("Who owned the house 1916-1920?", True),
        ("Who owned the house until 1920?", False),
        ("Who owned the house between 1916 and 1920?", False),
        ("Who owned the house in the 1920s?", False),
        ("Who owned the house in 1916?", False),
    ],
)
def test_only_a_range_from_here_to_there_is_asked_about_throughout(question: str, throughout: bool) -> None:
    (window,) = get_windows(understand(question))
    assert window.throughout is throughout


@pytest.mark.parametrize("question", ["What is a Merkle tree?", "visa fee", "Does vitamin D prevent fractures?"])
def test_a_question_without_time_has_no_window(question: str) -> None:
    assert get_windows(understand(question, NOW)) == ()


def test_a_comparison_has_a_window_for_each_period() -> None:
    assert {"2009", "2019"} <= set(spans("How did roaming charges differ between 2009 and 2019?"))
    assert {"2017", "2026"} <= set(spans("How have fees changed since 2017?"))


def test_spans_that_are_given_come_beside_those_that_are_read_and_only_once() -> None:
    asked = understand("tariffs in 1998")
    given = (Span.year(1998), Span.year(2003))
    assert [window.span.edtf() for window in get_windows(asked, given)] == ["1998", "2003"]
    assert get_windows(understand("tariffs"), given) == (Window(Span.year(1998)), Window(Span.year(2003)))


def test_articles_of_a_year_are_asked_for_by_when_they_appeared() -> None:
    (window,) = get_windows(understand("articles published in 2015 about steel tariffs"))
    assert (window.axis, window.span.edtf()) == ("publication", "2015")
