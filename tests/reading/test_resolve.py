"""One expression in any notation: catalogue dates, feasts, Roman dates, further calendars, deep time, periods."""

from __future__ import annotations

from functools import partial

import pytest

import epochal
from epochal import Document, resolve
from epochal.errors import EpochalError, TimeParseError
from epochal.times import Span

NOW = Span.parse("2026-11-16")


def read(text: str) -> str:
    return " | ".join(dict.fromkeys(item.span.edtf() for item in epochal.resolve(text, now=NOW)))


@pytest.mark.parametrize(
    ("text", "edtf"),
    [
        ("15h30 le 14 mai 2024", "2024-05-14T15:30Z"),
        # feasts of the moon, and in years of their own calendars
        ("Lantern Festival 2024", "2024-02-24"),
        ("Lunar New Year 1985", "1985-02-20"),
        ("Nowruz 1399", "2020-03-20"),
        ("Hanukkah 5781", "2020-12-11"),
        ("Eid al-Adha 1440", "2019-08-12"),
        ("Vikram Samvat 2000", "1943-04~/1944-03~"),
        ("Kal. Mai. AUC 710", "-0043-04-29"),
        ("ix.1887", "1887-09"),
        # hedges, brackets and labels
        ("[ca. 1777]", "1777~"),
        ("c1902", "1902~"),
        ("[1831?]", "1831?"),
        ("probably 1655", "1655?"),
        ("printed 1499", "1499"),
        ("fl. 1270-1290", "1270/1290"),
        ("d. 1412", "1412"),
        ("MDCCLXXVI", "1776"),
        # gaps, Roman numerals and scribes
        ("193-", "193X"),
        ("[18--?]", "18XX?"),
        ("1892-1897, 1901", "1892/1901"),
        ("winter 1998/99", "1998-24"),
        ("8.xii.1921", "1921-12-08"),
        ("3/vii/1890", "1890-07-03"),
        ("the xxiiij of August 1872", "1872-08-24"),
        ("xij die Junii 1742", "1742-06-12"),
        ("Oct 1917 (NS)", "1917-10"),
        ("600-550 BCE", "-0599/-0549"),
        # bounds
        ("before 1850", "../1849"),
        ("undated, before 1850", "../1849"),
        ("not after 1600", "../1600"),
        ("no earlier than May 1920", "1920-05/.."),
        ("on or before 3 June 1840", "../1840-06-03"),
        ("1780 or later", "1780/.."),
        ("post-1918", "1919/.."),
        ("1987-", "1987/.."),
        # centuries and their parts
        ("15th c.", "14XX"),
        ("early twelfth century", "1100~/1132~"),
        ("last quarter of the 16th century", "1575/1599"),
        ("16th or 17th century", "15XX/16XX"),
        ("3rd-2nd century BC", "-02XX/-01XX"),
        ("s. xiv in.", "1300~/1332~"),
        ("late 17th-early 18th century", "1667~/1732~"),
        # ranges that share their words
        ("1939-45", "1939/1945"),
        ("1850s-60s", "185X/186X"),
        ("3-7 May 1808", "1808-05-03/1808-05-07"),
        ("October 5-8, 1871", "1871-10-05/1871-10-08"),
        ("30 April - 2 May 1945", "1945-04-30/1945-05-02"),
        ("April-June 1917", "1917-04/1917-06"),
        ("500-400 BC", "-0499/-0399"),
        # the year first, dual years, figures
        ("1790 Jul. 14", "1790-07-14"),
        ("21-Oct-1805", "1805-10-21"),
        ("30 January 1648/9", "1649-02-09"),
        ("3Q19", "2019-35"),
        ("1H22", "2022-40"),
        ("20190704", "2019-07-04"),
        ("1262304000", "2010-01-01T00:00:00Z"),
        ("MJD 40587", "1970-01-01"),
        ("JD 2440587.5", "1970-01-01"),
        # feasts and Roman dates, of the Julian calendar where it was in use
        ("Michaelmas 1700", "1700-09-29"),
        ("Michaelmas 1215", "1215-10-06"),
        ("Good Friday 2023", "2023-04-07"),
        ("Whit Monday 1900", "1900-06-04"),
        ("Easter 1400", "1400-04-27"),
        ("feast of St Nicholas 1601", "1601-12-06"),
        ("eve of St Andrew 1650", "1650-11-29"),
        ("Yom Kippur 2020", "2020-09-28"),
        ("Ides of March 44 BC", "-0043-03-13"),
        ("prid. Kal. Ian. 1650", "1650-01-10"),
        # further calendars
        ("2560 BE", "2017"),
        ("Juche 100", "2011"),
        ("AUC 700", "-0053"),
        ("1 Meskerem 2000", "2007-09-12"),
        ("6500 AM (Byzantine)", "0991-09-06/0992-09-05"),
        ("١ محرم ١٤٤٠", "2018-09-12"),
        ("۱ فروردین ۱۴۰۰", "2021-03-21"),
        ("א׳ בתשרי תשפ״א", "2020-09-19"),
        # deep time and periods
        ("Early Cretaceous", "Y-144998050~/Y-100498050~"),
        ("66 Ma", "Y-65998050~"),
        ("8 kyr BP", "-6050~"),
        ("Edo period", "1603-03-24/1868-05-03"),
        ("the second year of Nero", "0055-10-11/0056-10-10"),
        # what the tagger reads
        ("last Friday", "2026-11-13"),
        ("two days ago", "2026-11-14"),
    ],
)
def test_forms(text, edtf):
    assert read(text) == edtf


@pytest.mark.parametrize("text", ["n.d.", "s.a.", "no date"])
def test_an_undated_piece_may_be_of_any_time(text):
    (reading,) = epochal.resolve(text)
    assert reading.span.is_open
    assert reading.span.certainty.is_uncertain


@pytest.mark.parametrize(
    "text",
    [
        "12-13",
        "mix",
        "3 apples",
        "1950-1940",
        "2011-13-40",
        "30 February 1900",
        "no",
        "the year of the cat",
        "5 years",
        "the",
    ],
)
def test_what_is_no_time_is_refused(text):
    with pytest.raises(TimeParseError):
        epochal.resolve(text, now=NOW)


def test_a_named_calendar_is_the_only_one():
    with pytest.raises(TimeParseError):
        epochal.resolve("[ca. 1890]", calendar="hebrew")


def test_years_of_the_world_that_are_yet_to_come_are_byzantine():
    assert [reading.calendar for reading in epochal.resolve("AM 7052")] == ["byzantine", "hebrew"]
    assert [reading.calendar for reading in epochal.resolve("AM 5784")] == ["hebrew"]


@pytest.mark.parametrize("unit", ["(", "[..", "[a]", "1998/", "{1998,", "March ", "1 ", "年", "a\n"])
def test_what_is_longer_than_any_time_is_refused_at_once(unit: str) -> None:
    """100,000 brackets took hours, as the time of a document, of a question and of `when`."""
    text = (unit * 100_000)[:99_999] + "."
    for read in (resolve, partial(resolve, calendar="julian"), lambda text: Document("a", "b", published=text)):
        with pytest.raises(EpochalError, match=r"has 100,000 characters, more than a time has") as caught:
            read(text)
        assert len(str(caught.value)) < 300
    years = "{" + ",".join(map(str, range(1800, 1980))) + "}"
    assert resolve(years)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("XVIII century", "17XX"),
        ("XVII c.", "16XX"),
        ("XVI-XVII centuries", "15XX/16XX"),
        ("first half of the XVIII century", "1700/1749"),
        ("VI century BC", "-05XX"),
        ("All Saints' Day 1755", "1755-11-01"),
        ("All Saints 1600", "1600-11-01"),
        ("St Mark 1600", "1600-04-25"),
    ],
)
def test_centuries_in_roman_numbers_and_feasts_of_all_saints(text: str, span: str) -> None:
    assert resolve(text)[0].span.edtf() == span
