"""Negated, inclusive and comparing bounds, rolling windows, tense, titles, and what is not understood."""

from __future__ import annotations

import pytest

from epochal.reading.questions import understand
from epochal.reading.questions.question import RECENCY_CLASSES
from epochal.times import Span

NOW = Span.parse("2026-11-16")


def read(text: str) -> str:
    return "; ".join(f"{item.relation} {item.span.edtf()}" for item in understand(text, NOW).constraints)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Which letters are not earlier than 1712?", "since 1712/.."),
        ("repairs done on or after 4 March 2015", "since 2015-03-04/.."),
        ("Which charters date from no later than 1690?", "until ../1690"),
        ("coins struck in or before 1550", "until ../1550"),
        ("maps from 1640 or earlier", "until ../1640"),
        ("photographs of 1975 or later", "since 1975/.."),
        ("maps from 1640 or earlier about rivers", "until ../1640"),
        ("letters of 1640 and before, by whom?", "until ../1640"),
        # what is after one time and before another lies between them
        ("Who was mayor after 3 May 2010, and before June 2012?", "between 2010-05-04/2012-05"),
        ("Who was mayor before 2005 and after 2001?", "between 2002/2004"),
        ("Who was mayor after 2005 and before 2001?", "after 2006/..; before ../2000"),
        ("Who was mayor before 2001 or after 2005?", "before ../2000; after 2006/.."),
        ("contracts that run past 2026", "after 2027/.."),
        ("Who served past December 30, 2000?", "after 2000-12-31/.."),
        ("What happened this past December?", "during 2025-12"),
        ("firmware newer than May 2021", "after 2021-06/.."),
        ("Are there houses older than 1880?", "before ../1879"),
        ("Which bridges were built more recently than 1950?", "after 1951/.."),
        ("deliveries sooner than May 2027", "after 2027-06/.."),
        ("deliveries no sooner than May 2027", "since 2027-05/.."),
        ("What was decided not more recently than 2014?", "until ../2014"),
        ("applications filed by 2018 at the latest", "until ../2018"),
        ("roofs tiled in 1870 at the earliest", "since 1870/.."),
        ("Who came sooner rather than later in 2015?", "during 2015"),
        ("the harvest of 2015 was later than usual", "during 2015"),
        ("What closed more than ten years ago?", "until ../2016"),
        ("Who joined less than three years ago?", "since 2023/.."),
        ("不早于2015年的文件", "since 2015/.."),
        # rolling windows end with the present
        ("Which tickets were opened in the past 14 days?", "during 2026-11-03/2026-11-16"),
        ("sales over the last six months", "during 2026-05-17/2026-11-16"),
        ("What is due in the next ten days?", "during 2026-11-16/2026-11-25"),
        ("过去三个月的降雨量", "during 2026-08-17/2026-11-16"),
        # and others do not
        ("What sold best in the last three months of 2019?", "during 2019-10/2019-12"),
        ("How long are the last two films?", ""),
        ("Who won the month before last?", "during 2026-09"),
        ("Which film came out this month in 1977?", "during 1977-11"),
        # a month without a year follows the tense
        ("Who was hired in December?", "during 2025-12"),
        ("What will open in February?", "during 2027-02"),
        # titles, exclusions, events
        ("Who directed 1917?", ""),
        ("Who was born in 1917?", "during 1917"),
        ("harvests in years other than 1816", ""),
        ("Which papers appeared, except in 2020?", ""),
        ("Who painted it when Truman was president?", "during 1945-04-12/1953-01-20"),
        ("Laws of 3 Edward VI", "during 1549-02-07/1550-02-06"),
        ("Ports opened after the Opium War", "after 1860-10-25/.."),
        # what happened at a time bounds with it, which lies within
        ("What was rebuilt after the fire of 1871?", "after 1871/.."),
        ("Which rules held before the flood of July 2021?", "before ../2021-07"),
        ("prices since the merger in May 2004", "since 2004-05/.."),
        ("Who led the union until the strike of 1926?", "until ../1926"),
        ("Which shops opened after the mill closed in 1931?", "after 1931/.."),
        ("precios después del incendio de 1871", "after 1871/.."),
        ("Was galt vor dem Brand von 1871?", "before ../1871"),
        ("règles avant la réforme de 1905", "before ../1905"),
        ("the policy that was in force when she joined on 4 May 2016", "until ../2016-05-04"),
        ("Which storms hit on a Monday in June 2022?", "during 2022-06"),
        ("menus from any summer in the nineties", "during 199X"),
        # and does not where the time is of something else, or of several
        ("Which church was rebuilt after the war, in 1950?", "during 1950"),
        ("Which church after the war was rebuilt in 1950?", "during 1950"),
        ("What did she do after the contract ended in 2018?", "during 2018"),
        ("Compare sales before the crisis in 2007 and 2010", "during 2007; during 2010"),
        ("Who lived in the house of the painter in 1650?", "during 1650"),
    ],
)
def test_bounds(text, wanted):
    assert read(text) == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("harvests in years other than 1816", ("other than 1816",)),
        ("What has changed since then?", ("since then",)),
        ("What did they charge back then?", ("back then",)),
        ("Who won in 1998?", ()),
        ("What is a Merkle tree?", ()),
        ("What happened in the past 30 days?", ()),
    ],
)
def test_what_sounds_like_time_and_is_not_used_is_reported(text, words):
    found = understand(text, NOW)
    assert set(words) <= set(found.not_understood)
    assert bool(words) == bool(found.not_understood)
    assert found.to_dict()["not_understood"] == list(found.not_understood)


@pytest.mark.parametrize(
    ("text", "slowest"),
    [
        ("What happened yesterday?", "A-Day"),
        ("Who scored last week?", "A-Week"),
        ("How much rain fell this month?", "A-Month"),
        ("Who won the cup last year?", "A-Year"),
    ],
)
def test_an_answer_named_from_the_present_moves_on_with_it(text, slowest):
    assert RECENCY_CLASSES.index(understand(text, NOW).recency) <= RECENCY_CLASSES.index(slowest)


@pytest.mark.parametrize(
    ("question", "constraints"),
    [
        ("What did analysts predict ahead of June 2016?", [("before", "../2016-05")]),
        ("What was planned in advance of 5 May 2020?", [("before", "../2020-05-04")]),
        ("What happened in the run-up to 1914?", [("before", "../1913")]),
        ("Who finished ahead of him in 2019?", [("during", "2019")]),
    ],
)
def test_what_is_ahead_of_a_time_is_before_it(question: str, constraints: list[tuple[str, str]]) -> None:
    found = understand(question, Span.parse("2026-11-16")).constraints
    assert [(one.relation, one.span.edtf()) for one in found] == constraints


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who was in office two years before the date January 1, 2006?", "2004-01-01"),
        ("Who was admitted seven months prior to the date of August 4, 2023?", "2023-01-04"),
        ("Who left three weeks after the date of 1 March 2020?", "2020-03-22"),
    ],
)
def test_the_word_date_between_an_offset_and_its_date_changes_nothing(question, expected):
    (constraint,) = understand(question, Span.parse("2025-05-04")).constraints
    assert constraint.span.edtf() == expected
