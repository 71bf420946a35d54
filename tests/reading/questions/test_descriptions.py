"""A time that says which thing is meant is no time of the answer."""

from __future__ import annotations

import pytest

from epochal.reading.questions.understand import understand
from epochal.times.span import Span

NOW = Span.parse("2026-11-18")


def list_binding(question: str) -> list[str]:
    return [item.span.edtf() for item in understand(question, NOW).constraints if item.binds]


@pytest.mark.parametrize(
    ("question", "window"),
    [
        ("Who owned the bank founded in 1991 from 2004 to 2006?", "2004/2006"),
        ("What did the mayor elected in 2010 say in 2012?", "2012"),
        ("In 2015, who ran the museum that was opened in 1987?", "2015"),
        ("What job did the chemist born February 13, 1859 and known for her work on acids hold in 1881?", "1881"),
        ("Which schools did the 2002 to 2008 head coach attend from 1982 to 1985?", "1982/1985"),
        ("What was done in 2016 about the 2011 flood damage?", "2016"),
        ("Where was the ship built in 1912 stationed in 1940?", "1940"),
        ("Which laws passed in 2010 were repealed in 2015?", "2015"),
        ("From 1932 to 1950, what was the name of the school, chartered in 1894 as a college?", "1932/1950"),
        ("Regarding the man who was appointed captain in 1949, what position did he hold in 1961?", "1961"),
        ("Which team played the club founded in 1990 in 2004?", "2004"),
        ("Where was the corvette, one of 60 constructed during World War II, from 1945 to 1946?", "1945/1946"),
    ],
)
def test_a_description_does_not_bind(question: str, window: str) -> None:
    assert list_binding(question) == [window]


@pytest.mark.parametrize(
    ("question", "windows"),
    [
        ("Which team won in 2010 and lost in 2012?", ["2010", "2012"]),
        ("Who was mayor in 2010 and who was elected in 2014?", ["2010", "2014"]),
        ("What changed in the version released in May 2020 compared with the one from 2019?", ["2020-05", "2019"]),
        ("News published in 2020 about the election in 2016", ["2020", "2016"]),
        ("documents signed in 1815, 1820 and 1830", ["1815", "1820", "1830"]),
        ("Which contract that began in 2010 ended in 2015?", ["2010", "2015"]),
        ("What happened in May 2020 and in June 2021?", ["2020-05", "2021-06"]),
        ("What did the policy published in 2019 say, and what did that published in 2021 say?", ["2019", "2021"]),
        ("Which albums were released in 2019 and in 2021?", ["2019", "2021"]),
        ("What did the mayor elected in 2010 say?", ["2010"]),
        ("Was the bridge opened in 1990 or in 1995?", ["1990", "1995"]),
        ("Where were the games held in 1936 and where in 1940?", ["1936", "1940"]),
    ],
)
def test_times_of_which_none_or_each_describes_something_bind(question: str, windows: list[str]) -> None:
    assert list_binding(question) == windows


@pytest.mark.parametrize(
    "question",
    [
        "Which person who held the post prior to 2009 and continued in that role past 2025 is meant?",
        "Who was the minister that began before 1999 and served on after 2006?",
        "patients admitted after May 2020 and released before July 2020",
    ],
)
def test_since_when_and_until_when_both_bind(question):
    assert all(constraint.binds for constraint in understand(question).constraints)
