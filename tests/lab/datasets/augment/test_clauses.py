"""Sentences to clauses, and verbs to their bases."""

from __future__ import annotations

import pytest

from epochal_lab.datasets.augment.chunks import read_stated_times
from epochal_lab.datasets.augment.clauses import base_form, cut_out, find_clause, is_past, is_present


def clause(sentence: str, title: str = ""):
    (stated_time,) = read_stated_times(sentence).stated_times
    found = find_clause(sentence, stated_time.start_char, stated_time.end_char, title)
    return found and (found.subject, found.verb, found.rest)


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Ann Hay joined Leeds United in May 1998.", ("Ann Hay", "joined", "Leeds United")),
        ("In 1868, the county bought the mill, which was old.", ("the county", "bought", "the mill")),
        (
            "On 25 January 1974 Hanseatic was sold to Robin International.",
            ("Hanseatic", "was", "sold to Robin International"),
        ),
        ("The mill was old, and was burnt down by a storm in 1976.", ("the mill", "was", "burnt down by a storm")),
        ("It was kept by Peter Roe, who became chief in 2002.", ("Peter Roe", "became", "chief")),
        ("Frieda Abel (born 12 June 1921) was a painter.", ("Frieda Abel", "was", "born")),
        ("Otto Abel (12 June 1921 – 3 May 1990) was a painter.", ("Otto Abel", "lived", "")),
        ("Japan pledges money for a court (11 February 2005).", ("Japan", "pledges", "money for a court")),
        ("11 February 2005: Japan pledges money for a court.", ("Japan", "pledges", "money for a court")),
        ("He played 38 games in the 1993–94 season, and won.", ("", "played", "38 games")),
        ("She left the Commons at the 2010 general election.", ("", "left", "the Commons at the general election")),
        ("Its fee rose to $1,000,000 in 2017.", None),
        ("In December 2015, it was announced that Roe would go.", None),
        ("A road along the coast built in 1796 helped the town.", None),
        ("They were married from 1923 until 1929.", None),
        ("Roe was the last of those who were elected in the vote of 1964.", None),
        ("Nothing (1998) of this.", None),
    ],
)
def test_clauses(sentence, found):
    assert clause(sentence) == found


def test_a_pronoun_stands_for_the_title():
    assert clause("He signed for Leeds in June 2013.", "Max Hay") == ("Max Hay", "signed", "for Leeds")
    assert clause("His father died in June 2013.", "Max Hay") == ("Max Hay's father", "died", "")


@pytest.mark.parametrize(
    ("text", "expression", "plain"),
    [
        ("She left in early May 1998, tired.", "early May 1998", "She left, tired."),
        ("In 1998, she left.", "1998", "she left."),
        ("The album of 1998 sold well.", "1998", "The album sold well."),
        ("His 1998 album sold well.", "1998", "His album sold well."),
        ("Ann Hay (born 1902) left.", "1902", "Ann Hay left."),
        ("She left, in 1998.", "1998", "She left."),
    ],
)
def test_a_time_is_taken_out_with_what_binds_it(text, expression, plain):
    start = text.index(expression)
    assert cut_out(text, start, start + len(expression))[0] == plain


@pytest.mark.parametrize(
    ("past", "base"),
    [
        *zip(
            "won wrote signed joined moved married transferred cancelled operated released described included changed "
            "arranged visited aired chaired debuted died tied agreed focused controlled called passed recruited "
            "contributed toured captured declared appeared reconciled failed avoided decided loaded invaded".split(),
            "win write sign join move marry transfer cancel operate release describe include change arrange visit air "
            "chair debut die tie agree focus control call pass recruit contribute tour capture declare appear "
            "reconcile fail avoid decide load invade".split(),
            strict=True,
        )
    ],
)
def test_past_forms(past, base):
    assert base_form(past) == base


@pytest.mark.parametrize("word", ["hundred", "need", "succeed", "team", "red", "Alfred".lower()])
def test_what_is_no_past(word):
    assert not is_past(word)
    assert base_form(word) is None


def test_presents_of_news():
    assert [base_form(word) for word in ("launches", "dies", "denies", "wins")] == ["launch", "die", "deny", "win"]
    assert not is_present("teams")
