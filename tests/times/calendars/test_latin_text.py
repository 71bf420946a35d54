"""Regnal dates in Latin letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.times.calendars.date_text import LatinDate, normalise_latin, read_latin, write_latin

READ = [
    ("12 Henry VIII", LatinDate("henry viii", 12)),
    ("12 Hen. 8", LatinDate("hen 8", 12)),
    ("12 Hen. VIII", LatinDate("hen viii", 12)),
    ("Meiji 10", LatinDate("meiji", 10)),
    ("Taishō 3", LatinDate("taisho", 3)),
    ("Meiji 10, month 5", LatinDate("meiji", 10, 5)),
    ("Meiji 10, 5th month", LatinDate("meiji", 10, 5)),
    ("Meiji 10, 5th month, 3rd day", LatinDate("meiji", 10, 5, 3)),
    ("Meiji 10, month 5, day 3", LatinDate("meiji", 10, 5, 3)),
    ("Meiji 10-5", LatinDate("meiji", 10, 5)),
    ("Meiji 10.5.3", LatinDate("meiji", 10, 5, 3)),
    ("Meiji 10/5/3", LatinDate("meiji", 10, 5, 3)),
    ("Meiji 3, intercalary month 10", LatinDate("meiji", 3, 10, None, True)),
    ("Meiji 3, leap 10th month", LatinDate("meiji", 3, 10, None, True)),
    ("Meiji, year 10", LatinDate("meiji", 10)),
    ("Meiji year 10", LatinDate("meiji", 10)),
    ("Meiji 10th year", LatinDate("meiji", 10)),
    ("10th year of Meiji", LatinDate("meiji", 10)),
    ("the 10th year of the reign of Henry VIII", LatinDate("henry viii", 10)),
    ("year 10 of Henry VIII", LatinDate("henry viii", 10)),
    ("Duke Zhuang's 2nd year, 12th month", LatinDate("duke zhuang", 2, 12)),
    ("Duke Zhuang’s 2nd year, 12th month", LatinDate("duke zhuang", 2, 12)),
    ("James' 3rd year", LatinDate("james", 3)),
    ("2 Philip & Mary", LatinDate("philip and mary", 2)),
    ("  MEIJI   10 ", LatinDate("meiji", 10)),
]


@pytest.mark.parametrize(("text", "date"), READ)
def test_reads(text, date):
    assert date in read_latin(text)


@pytest.mark.parametrize(
    "text", ["", "Meiji", "12", "12 13", "Henry VIII", "永明三年", "Meiji ten", "Meiji -3", "Meiji " + "9" * 5000]
)
def test_other_texts_are_no_dates(text):
    assert read_latin(text) == []


def test_each_reading_comes_once():
    for text, _ in READ:
        result = read_latin(text)
        assert len(result) == len(set(result))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hen. VIII", "hen viii"),
        ("Hen.VIII", "hen viii"),
        ("Taishō", "TAISHO"),
        ("Bunkyū", "bunkyu"),
        ("Man’en", "Man'en"),
        ("Ph. & M.", "ph and m"),
        ("  Henry   VIII ", "henry viii"),
        ("Lü", "lu"),
    ],
)
def test_spellings_meet(one, other):
    assert normalise_latin(one) == normalise_latin(other)


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text):
    # Folding case can bring out accents (ŉ, ΐ), so the claim holds for what has been folded twice.
    twice = normalise_latin(normalise_latin(text))
    assert normalise_latin(twice) == twice


@given(
    st.sampled_from(["Otto I", "Henry VIII", "Philip and Mary", "Duke Zhuang", "John", "Henry VI (readeption)"]),
    st.integers(1, 9999),
    st.integers(1, 13),
    st.none() | st.integers(1, 31),
    st.booleans(),
)
def test_what_is_written_reads_back(name, year, month, day, leap):
    for date in (LatinDate(name, year), LatinDate(name, year, month, day, leap)):
        folded = LatinDate(normalise_latin(name), date.year, date.month, date.day, date.leap)
        assert read_latin(write_latin(date)) == [folded]


@given(st.text(max_size=30))
def test_any_text_is_read_without_error(text):
    assert all(date.name and date.year >= 0 for date in read_latin(text))
