"""Months in small letters: "may" and "march" are verbs unless a day or a year beside them says otherwise."""

import pytest

from epochal.reading import tag
from epochal.times import Span

NOW = Span.parse("2026-11-16")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("what changed on 8 may 2011", ["2011-05-08"]),
        ("notes of march of 2017", ["2017-03"]),
        ("as of the 2nd of may 2023", ["2023-05-02"]),
        ("due jul 3, 2019", ["2019-07-03"]),
        ("changelog mar 2011", ["2011-03"]),
        ("jan 2018 fixes", ["2018-01"]),
        ("sales in may 2018 rose", ["2018-05"]),
        ("they march 2000 miles", []),
        ("you may 1500 times repeat it", []),
        ("it may of course rain", []),
        ("protesters march on", []),
        ("he may come on 5 June 2019", ["2019-06-05"]),
        ("releases preceding January 18, 2013", ["2013-01-18"]),
        ("the first vote following November 4th, 2021", ["2021-11-04"]),
    ],
)
def test_small_months(text, wanted):
    assert [item.value for item in tag(text, now=NOW) if item.kind == "DATE"] == wanted
