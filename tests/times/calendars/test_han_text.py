"""Dates in Chinese characters, after the name of a reign."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.times.calendars.date_text import (
    HanDate,
    format_han_month,
    format_han_year,
    normalise_han,
    read_han,
    write_han,
)
from epochal.times.numerals import from_ganzhi, to_ganzhi

READ = [
    ("元年", HanDate(1)),
    ("三年", HanDate(3)),
    ("廿三年", HanDate(23)),
    ("十有二年", HanDate(12)),
    ("113年", HanDate(113)),
    ("１１３年", HanDate(113)),
    ("一百一十三年", HanDate(113)),
    # seasons
    ("三年春", HanDate(3, season=1)),
    ("三年夏", HanDate(3, season=2)),
    ("三年秋季", HanDate(3, season=3)),
    ("三年冬天", HanDate(3, season=4)),
    # months
    ("三年正月", HanDate(3, month=1, month_name="正")),
    ("三年一月", HanDate(3, month=1, month_name="一")),
    ("三年十二月", HanDate(3, month=12, month_name="十二")),
    ("三年十有二月", HanDate(3, month=12, month_name="十有二")),
    ("三年臘月", HanDate(3, month=12, month_name="腊")),
    ("三年冬月", HanDate(3, month=11, month_name="冬")),
    ("元年春王正月", HanDate(1, season=1, month=1, month_name="正")),
    ("三年冬十月", HanDate(3, season=4, month=10, month_name="十")),
    ("三年閏四月", HanDate(3, month=4, leap=True, month_name="四")),
    ("三年闰四月", HanDate(3, month=4, leap=True, month_name="四")),
    ("三年後九月", HanDate(3, month=9, leap=True, month_name="九")),
    ("三年閏月", HanDate(3, month=0, leap=True)),
    # days
    ("三年正月初五", HanDate(3, month=1, day=5, month_name="正")),
    ("三年正月初五日", HanDate(3, month=1, day=5, month_name="正")),
    ("三年正月廿三", HanDate(3, month=1, day=23, month_name="正")),
    ("三年正月15日", HanDate(3, month=1, day=15, month_name="正")),
    ("三年正月十五號", HanDate(3, month=1, day=15, month_name="正")),
    ("三年正月朔", HanDate(3, month=1, day=1, month_name="正")),
    ("三年二月己巳", HanDate(3, month=2, day_name=6, month_name="二")),
    ("三年二月己巳日", HanDate(3, month=2, day_name=6, month_name="二")),
    ("三年二月己巳朔", HanDate(3, month=2, day_name=6, month_name="二")),
    ("三年閏月甲子", HanDate(3, month=0, leap=True, day_name=1)),
    # years by the cycle
    ("甲子年", HanDate(None, 1)),
    ("甲子歲", HanDate(None, 1)),
    ("癸亥年八月", HanDate(None, 60, month=8, month_name="八")),
    # written apart
    ("三年 正月 初五", HanDate(3, month=1, day=5, month_name="正")),
    ("三年，正月", HanDate(3, month=1, month_name="正")),
]

NOT_READ = [
    "",
    "年",
    "某年",
    "三",
    "三月",
    "〇年",
    "0年",
    "三年月",
    "三年十三月",
    "三年〇月",
    "三年閏",
    "三年後",
    "三年王",
    "三年春王",
    "三年正月甲丑",
    "甲丑年",
    "三年正月初",
    "三年正月第",
    "三年正月二廿",
    "三年正月初五日後",
    "三年正",
    "二廿年",
    "三年春夏",
    "三年正月二月",
    "9" * 5000 + "年",
]


@pytest.mark.parametrize(("text", "date"), READ)
def test_reads(text, date):
    assert read_han(text) == date


@pytest.mark.parametrize("text", NOT_READ, ids=lambda text: text[:8] or "empty")
def test_other_texts_are_no_dates(text):
    assert read_han(text) is None


WRITTEN = [
    (HanDate(1), "元年"),
    (HanDate(1, month=1), "元年正月"),
    (HanDate(23, month=4, leap=True, day=15), "二十三年閏四月十五日"),
    (HanDate(3, month=12, day=10), "三年十二月初十日"),
    (HanDate(3, season=2), "三年夏"),
    (HanDate(3, month=13), "三年臘月"),
    (HanDate(3, month=14, day=1), "三年一月初一日"),
]


@pytest.mark.parametrize(("date", "text"), WRITTEN)
def test_writes(date, text):
    assert write_han(date) == text


def test_civil_dates_are_plain_numbers():
    assert write_han(HanDate(113, month=1, day=5), civil=True) == "一百一十三年一月五日"
    assert write_han(HanDate(1), civil=True) == "元年"


@given(st.integers(1, 9999), st.integers(1, 12), st.none() | st.integers(1, 31), st.booleans(), st.booleans())
def test_what_is_written_reads_back(year, month, day, leap, civil):
    leap = leap and not civil
    date = read_han(write_han(HanDate(year, month=month, day=day, leap=leap), civil=civil))
    assert date is not None
    assert (date.year, date.month, date.day, date.leap) == (year, month, day, leap)


@given(st.integers(1, 9999), st.integers(1, 4))
def test_seasons_read_back(year, season):
    assert read_han(write_han(HanDate(year, season=season))) == HanDate(year, season=season)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 12))
def test_names_of_the_cycle_read_back(year, day, month):
    date = read_han(f"{to_ganzhi(year)}年{format_han_month(month)}{to_ganzhi(day)}")
    assert date is not None
    assert (date.year, date.year_name, date.month, date.day_name) == (None, year, month, day)
    assert from_ganzhi(to_ganzhi(day)) == day


@given(st.text(alphabet="元一二三十廿年月日春王閏後正臘初甲子己巳朔 0", max_size=14))
def test_any_text_is_a_date_or_none(text):
    date = read_han(text)
    assert date is None or (date.year or date.year_name) is not None


def test_years_and_months():
    assert [format_han_year(year) for year in (1, 2, 10, 61)] == ["元年", "二年", "十年", "六十一年"]
    assert [format_han_month(month) for month in (1, 2, 11, 13)] == ["正月", "二月", "十一月", "臘月"]
    assert format_han_month(1, leap=True) == "閏正月"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("魯隱公元年", "鲁隐公元年"),
        ("莊公", "庄公"),
        ("閔公", "闵公"),
        ("貞觀", "贞观"),
        ("開寶", "开宝"),
        ("開寳", "开宝"),
        ("萬曆", "万历"),
        ("萬暦", "万历"),
        ("光緒", "光绪"),
        ("順治", "顺治"),
        ("應永", "応永"),
        ("寛永", "寬永"),
        ("神龜", "神亀"),
        ("霊亀", "靈龜"),
        ("慶応", "慶應"),
        ("天徳", "天德"),
        ("《春秋》 魯 隱公（元年）", "春秋鲁隐公元年"),
        ("隱公·元年", "隐公元年"),
    ],
)
def test_variants_meet(one, other):
    assert normalise_han(one) == normalise_han(other)


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text):
    assert normalise_han(normalise_han(text)) == normalise_han(text)
