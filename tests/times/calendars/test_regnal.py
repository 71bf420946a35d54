"""Regnal calendars: the dukes of Lu, Chinese and Japanese eras, British reigns."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import TimeRangeError
from epochal.times.axis import DAY, Certainty, Grain, civil_date, day_number
from epochal.times.calendars import Calendar, CalendarDate, calendar
from epochal.times.calendars.date_text import normalise_han
from epochal.times.calendars.julian import from_julian_date
from epochal.times.calendars.regnal import RegnalCalendar, load_bundled_calendars
from epochal.times.numerals import from_ganzhi, get_sexagenary_day, get_sexagenary_year, to_ganzhi
from epochal.times.span import Span
from paths import DATA
from sanmiao_data import facts, rows

CALENDARS = {item.name: item for item in load_bundled_calendars()}
LU, CHINESE, NENGO, BRITISH = (CALENDARS[name] for name in ("lu", "chinese", "nengo", "british"))
#: Days up to which the reigns that still run are tried.
HORIZON = day_number(2060)


def one(item: RegnalCalendar, text: str) -> CalendarDate:
    (date,) = item.parse(text)
    return date


def edtf(item: RegnalCalendar, text: str) -> str:
    return item.span(one(item, text)).edtf()


def test_bundled_calendars_are_registered():
    for name, item in CALENDARS.items():
        assert isinstance(item, Calendar)
        assert calendar(name).title == item.title


# ---------------------------------------------------------------- the twelve dukes


def test_the_ordinal_axis():
    assert LU.ordinals == 3036
    dates = [LU.date_at(position) for position in range(LU.ordinals)]
    assert [LU.ordinal(date) for date in dates] == list(range(3036))
    keys = [LU.key(date) for date in dates]
    assert len(set(keys)) == 3036
    assert [LU.from_key(key) for key in keys] == dates
    assert [LU.parse(LU.format(date)) for date in dates] == [(date,) for date in dates]
    assert keys[0] == "1-1-1"
    assert keys[-1] == "12-26-12"


def test_the_ordinal_axis_is_in_order_of_time():
    starts = [LU.span(LU.date_at(position)).start for position in range(LU.ordinals)]
    assert starts == sorted(set(starts))


def test_the_keys_are_those_of_the_corpus():
    path = DATA / "chunqiu" / "time_splits_by_month_v1.json"
    if not path.exists():
        pytest.skip(f"the corpus is not at {path}")
    theirs = json.loads(path.read_text(encoding="utf-8"))["split_by_sort_key"]
    assert set(theirs) == {LU.key(LU.date_at(position)) for position in range(LU.ordinals)}


DUKES = [
    ("隱", "Yin", 722, 11),
    ("桓", "Huan", 711, 18),
    ("莊", "Zhuang", 693, 32),
    ("閔", "Min", 661, 2),
    ("僖", "Xi", 659, 33),
    ("文", "Wen", 626, 18),
    ("宣", "Xuan", 608, 18),
    ("成", "Cheng", 590, 18),
    ("襄", "Xiang", 572, 31),
    ("昭", "Zhao", 541, 32),
    ("定", "Ding", 509, 15),
    ("哀", "Ai", 494, 27),
]


@pytest.mark.parametrize(("han", "latin", "bce", "years"), DUKES)
def test_the_reigns_of_the_dukes(han, latin, bce, years):
    for year, there in ((1, bce), (years, bce - years + 1)):
        date = one(LU, f"{han}公{'元' if year == 1 else year}年")
        span = LU.span(date)
        assert (span.first_year, span.last_year) == (1 - there, 1 - there)
        assert span.grain is Grain.YEAR
        assert span.certainty is span.end_certainty is Certainty.APPROXIMATE
        assert one(LU, f"Duke {latin}, year {year}") == date
        assert one(LU, f"魯{han}公{year}年") == one(LU, f"鲁{han}公{year}年") == date
    assert LU.parse(f"{han}公{years + 1}年") == ()
    assert LU.problem(f"{han}公{years + 1}年") == f"魯{han}公 has no year {years + 1}; its years are 1 to {years}"


def test_the_annals_run_from_722_to_481():
    assert edtf(LU, "隱公元年") == "-0721~"
    assert edtf(LU, "哀公十四年") == "-0480~"
    # Every year of the Annals belongs to one duke.
    for year in range(-721, -479):
        assert len(LU.dates(day_number(year, 6, 15), Grain.YEAR)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "魯莊公二年十二月",
        "鲁庄公二年十二月",
        "莊公二年十有二月",
        "庄公2年12月",
        "莊二年冬十二月",
        "魯 莊公 二年 十二月",
        "Duke Zhuang's 2nd year, 12th month",
        "Duke Zhuang, year 2, month 12",
        "duke zhuang of lu 2, month 12",
        "the 2nd year of Duke Zhuang, 12th month",
        "Duke Zhuang 2.12",
    ],
)
def test_ways_to_write_a_month(text):
    assert LU.key(one(LU, text)) == "3-2-12"


def test_intercalary_months_are_kept_but_have_the_place_of_the_month_before():
    plain, leap = one(LU, "文公六年三月"), one(LU, "文公六年閏三月")
    assert (leap.month, leap.leap) == (3, True)
    assert LU.ordinal(leap) == LU.ordinal(plain)
    assert LU.key(leap) == LU.key(plain)
    assert LU.span(leap) == LU.span(plain)
    assert LU.format(leap) == "魯文公六年閏三月"
    # Without a number it follows the twelfth month.
    bare = one(LU, "文公六年閏月")
    assert (bare.month, bare.leap) == (12, True)
    assert LU.ordinal(bare) == LU.ordinal(one(LU, "文公六年十二月"))


def test_sexagenary_days():
    eclipse = one(LU, "隱公三年二月己巳")
    assert (eclipse.day, eclipse.sexagenary, eclipse.grain) == (None, from_ganzhi("己巳"), Grain.DAY)
    span = LU.span(eclipse)
    assert span.start // DAY == from_julian_date(-719, 2, 22)
    assert span.edtf() == "-0719-02-14~"
    assert LU.format(eclipse) == "魯隱公三年二月己巳"


@given(st.integers(0, 3035), st.integers(1, 60), st.booleans())
def test_named_days_have_their_name_and_lie_near_their_month(position, name, leap):
    month = LU.date_at(position)
    date = one(LU, f"{LU.format(month).removesuffix('月')}月{to_ganzhi(name)}")
    day = LU.span(date).start // DAY
    assert get_sexagenary_day(day) == name
    middle = (LU.span(month).start + LU.span(month).end) // 2 // DAY
    assert abs(day - middle) <= 30
    assert LU.parse(LU.format(date)) == (date,)
    assert LU.ordinal(date) == position


def test_seasons():
    assert edtf(LU, "隱公元年春") == "-0721-01~/-0721-03~"
    assert edtf(LU, "隱公元年冬") == "-0721-10~/-0721-12~"
    date = one(LU, "隱公元年秋")
    assert (date.season, date.grain, LU.format(date)) == (3, Grain.SEASON, "魯隱公元年秋")
    assert LU.latin(date) == "Duke Yin, year 1, autumn"
    assert one(LU, "隱公元年春王正月") == one(LU, "隱公元年正月")


def test_days_by_number_are_not_known_in_lu():
    assert LU.parse("隱公元年正月初五") == ()
    assert "are not known by number" in LU.problem("隱公元年正月初五")


@pytest.mark.parametrize(
    "key",
    ["", "5", "5-28", "5-28-3-1", "a-b-c", "0-1-1", "13-1-1", "1-0-1", "1-12-1", "1-1-0", "1-1-13", "5-33-1", "12-27-1",
     "1-01-1", "１-1-1", "²-1-1", " 1-1-1", "1-1-" + "9" * 5000],
    ids=lambda key: key[:12] or "empty",
)  # fmt: skip
def test_no_such_key(key):
    with pytest.raises(TimeRangeError):
        LU.from_key(key)


@pytest.mark.parametrize("position", [-1, 3036, 10**9])
def test_no_such_place(position):
    with pytest.raises(TimeRangeError, match="from 0 to 3035"):
        LU.date_at(position)


@pytest.mark.parametrize("text", ["隱公元年", "隱公元年春", "僖公三十三年十二月", "哀公二十七年四月"])
def test_years_seasons_and_the_two_years_left_out_have_no_place(text):
    date = one(LU, text)
    with pytest.raises(TimeRangeError, match="no place on the ordinal axis"):
        LU.ordinal(date)
    with pytest.raises(TimeRangeError, match="no place on the ordinal axis"):
        LU.key(date)


def test_other_calendars_have_no_ordinal_axis():
    with pytest.raises(TimeRangeError, match="'nengo' has no ordinal axis"):
        NENGO.date_at(0)
    with pytest.raises(TimeRangeError, match="'nengo' has no ordinal axis"):
        NENGO.key(one(NENGO, "明治十年一月"))


# ---------------------------------------------------------------- eras everyone knows

#: An era and the Gregorian year in which its first year began.
ERAS = [
    (CHINESE, "西漢建元", -139),
    (CHINESE, "元狩", -121),
    (CHINESE, "元鼎", -115),
    (CHINESE, "東漢建武", 25),
    (CHINESE, "建安", 196),
    (CHINESE, "黃初", 220),
    (CHINESE, "章武", 221),
    (CHINESE, "西晉泰始", 265),
    (CHINESE, "西晉太康", 280),
    (CHINESE, "西晉永嘉", 307),
    (CHINESE, "東晉永和", 345),
    (CHINESE, "永明", 483),
    (CHINESE, "天監", 502),
    (CHINESE, "開皇", 581),
    (CHINESE, "大業", 605),
    (CHINESE, "武德", 618),
    (CHINESE, "唐貞觀", 627),
    (CHINESE, "永徽", 650),
    (CHINESE, "開元", 713),
    (CHINESE, "唐天寶", 742),
    (CHINESE, "唐元和", 806),
    (CHINESE, "會昌", 841),
    (CHINESE, "建隆", 960),
    (CHINESE, "太平興國", 976),
    (CHINESE, "慶曆", 1041),
    (CHINESE, "熙寧", 1068),
    (CHINESE, "元豐", 1078),
    (CHINESE, "南宋紹興", 1131),
    (CHINESE, "淳熙", 1174),
    (CHINESE, "洪武", 1368),
    (CHINESE, "永樂", 1403),
    (CHINESE, "宣德", 1426),
    (CHINESE, "嘉靖", 1522),
    (CHINESE, "萬曆", 1573),
    (CHINESE, "崇禎", 1628),
    (CHINESE, "順治", 1644),
    (CHINESE, "康熙", 1662),
    (CHINESE, "雍正", 1723),
    (CHINESE, "乾隆", 1736),
    (CHINESE, "嘉慶", 1796),
    (CHINESE, "道光", 1821),
    (CHINESE, "咸豐", 1851),
    (CHINESE, "同治", 1862),
    (CHINESE, "光緒", 1875),
    (CHINESE, "宣統", 1909),
    (CHINESE, "民國", 1912),
    (NENGO, "大化", 645),
    (NENGO, "和銅", 708),
    (NENGO, "天平", 729),
    (NENGO, "延喜", 901),
    (NENGO, "承久", 1219),
    (NENGO, "応仁", 1467),
    (NENGO, "天正", 1573),
    (NENGO, "慶長", 1596),
    (NENGO, "寛永", 1624),
    (NENGO, "元禄", 1688),
    (NENGO, "享保", 1716),
    (NENGO, "文化", 1804),
    (NENGO, "慶応", 1865),
    (NENGO, "明治", 1868),
    (NENGO, "大正", 1912),
    (NENGO, "昭和", 1926),
    (NENGO, "平成", 1989),
    (NENGO, "令和", 2019),
]


@pytest.mark.parametrize(("item", "era", "year"), ERAS, ids=[era for _, era, _ in ERAS])
def test_famous_eras(item, era, year):
    assert item.table.by_id[one(item, f"{era}元年").era].first == year


@pytest.mark.parametrize(
    ("item", "text", "year"),
    [
        (NENGO, "Taika 1", 645),
        (NENGO, "Genroku 1", 1688),
        (NENGO, "Genroku 15", 1702),
        (NENGO, "Taishō 3", 1914),
        (NENGO, "Shōwa 20", 1945),
        (NENGO, "Reiwa 1", 2019),
        (CHINESE, "Kangxi 61", 1722),
        (CHINESE, "Qianlong 60", 1795),
        (CHINESE, "Guangxu 24", 1898),
        (CHINESE, "Wanli 15", 1587),
    ],
)
def test_eras_in_latin_letters(item, text, year):
    date = one(item, text)
    assert item.table.by_id[date.era].first + date.year - 1 == year


@pytest.mark.parametrize(
    ("one_way", "other"),
    [
        ("萬曆十五年", "万历十五年"),
        ("順治元年", "顺治元年"),
        ("開寶九年", "开宝九年"),
        ("開寳九年", "開寶九年"),
        ("光緒廿四年八月初六", "光绪二十四年八月初六"),
        ("清康熙六十一年", "大清康熙六十一年"),
        ("康熙61年", "康熙六十一年"),
        ("康熙六十一年", "康熙帝康熙六十一年"),
    ],
)
def test_variants_of_one_date(one_way, other):
    assert one(CHINESE, one_way) == one(CHINESE, other)


@pytest.mark.parametrize(
    ("one_way", "other"),
    [("寛永三年", "寬永三年"), ("霊亀元年", "靈龜元年"), ("慶応三年", "慶應三年"), ("天徳元年", "天德元年")],
)
def test_variants_of_one_japanese_date(one_way, other):
    assert one(NENGO, one_way) == one(NENGO, other)


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("順治元年正月初一", "1644-02-08"),
        ("崇禎十七年三月十九日", "1644-04-25"),  # the last day of the Ming at Beijing
        ("光緒二十四年八月初六", "1898-09-21"),  # the coup of 1898
        ("宣統三年八月十九日", "1911-10-10"),  # the Wuchang uprising
        ("宣統三年十二月廿五日", "1912-02-12"),  # the abdication
        ("乾隆六十年閏二月", "1795-03-21/1795-04-18"),
        ("民國元年一月一日", "1912-01-01"),
        ("民國一百一十三年五月", "2024-05"),
        ("民國113年", "2024"),
        ("民國三十八年十月一日", "1949-10-01"),
        ("康熙甲子年", "1684-02-15/1685-02-02"),
        ("建炎元年五月庚寅朔", "1127-06-19"),  # 12 June Julian: the accession of Gaozong
    ],
)
def test_known_chinese_dates(text, there):
    span, interval = CHINESE.span(one(CHINESE, text)), Span.parse(there)
    assert (span.start, span.end) == (interval.start, interval.end)


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("明治五年", "1872-02-09/1872-12-31"),
        ("明治五年十二月二日", "1872-12-31"),
        ("明治五年十二月", "1872-12-30/1872-12-31"),
        ("明治六年", "1873"),
        ("明治六年一月一日", "1873-01-01"),
        ("Meiji 10", "1877"),
        ("大正十二年九月一日", "1923-09-01"),
        ("昭和二十年八月十五日", "1945-08-15"),
        ("昭和六十四年", "1989-01-01/1989-01-07"),
        ("平成三十一年", "2019-01-01/2019-04-30"),
        ("平成三十一年四月", "2019-04"),
        ("令和元年", "2019-05-01/2019-12-31"),
        ("令和6年5月3日", "2024-05-03"),
        ("元禄十五年十二月十四日", "1703-01-30"),  # the forty-seven ronin
        ("慶応三年十月十四日", "1867-11-09"),  # the return of power to the emperor
        ("天正十年六月二日", "1582-07-01"),  # Honno-ji: 21 June Julian
    ],
)
def test_known_japanese_dates(text, there):
    span, interval = NENGO.span(one(NENGO, text)), Span.parse(there)
    assert (span.start, span.end) == (interval.start, interval.end)


@pytest.mark.parametrize(
    "text",
    ["明治五年十二月三日", "明治四十五年七月三十日", "令和元年四月三十日", "平成元年一月七日", "昭和六十四年二月"],
)
def test_days_outside_the_days_of_an_era(text):
    assert NENGO.parse(text) == ()
    assert "had not begun, or was over" in NENGO.problem(text)


def british(date: tuple[int, int, int]) -> int:
    return from_julian_date(*date) if date <= (1752, 9, 2) else day_number(*date)


@pytest.mark.parametrize(
    ("text", "name", "first", "last"),
    [
        ("1 Elizabeth I", "1 Elizabeth I", (1558, 11, 17), (1559, 11, 16)),
        ("1 Eliz.", "1 Elizabeth I", (1558, 11, 17), (1559, 11, 16)),
        ("12 Hen. 8", "12 Henry VIII", (1520, 4, 22), (1521, 4, 21)),
        ("12 Henry VIII", "12 Henry VIII", (1520, 4, 22), (1521, 4, 21)),
        ("the 12th year of the reign of Henry VIII", "12 Henry VIII", (1520, 4, 22), (1521, 4, 21)),
        ("49 Hen. 6", "49 Henry VI (readeption)", (1470, 10, 9), (1471, 4, 14)),
        ("6 Hen. 6", "6 Henry VI", (1427, 9, 1), (1428, 8, 31)),
        ("1 John", "1 John", (1199, 5, 27), (1200, 5, 17)),
        ("17 Joh.", "17 John", (1215, 5, 28), (1216, 5, 18)),
        ("2 Ph. & M.", "2 Philip and Mary", (1555, 7, 25), (1556, 7, 24)),
        ("1 Geo. 3", "1 George III", (1760, 10, 25), (1761, 10, 24)),
        ("1 George III", "1 George III", (1760, 10, 25), (1761, 10, 24)),
        ("1 Vict.", "1 Victoria", (1837, 6, 20), (1838, 6, 19)),
        ("1 Chas. III", "1 Charles III", (2022, 9, 8), (2023, 9, 7)),
    ],
)
def test_british_reigns(text, name, first, last):
    date = one(BRITISH, text)
    assert BRITISH.format(date) == name
    assert BRITISH.span(date) == Span(british(first) * DAY, (british(last) + 1) * DAY, Grain.YEAR)


def test_days_of_rival_reigns():
    """9 October 1470: Edward IV's tenth year and Henry VI's forty-ninth."""
    day = from_julian_date(1470, 10, 9)
    assert [BRITISH.format(date) for date in BRITISH.dates(day)] == ["10 Edward IV", "49 Henry VI (readeption)"]


def test_regnal_years_alone_have_no_months():
    assert BRITISH.parse("12 Henry VIII, month 3") == ()
    assert "counts years only" in BRITISH.problem("12 Henry VIII, month 3")


# ---------------------------------------------------------------- several readings, and none


@pytest.mark.parametrize(
    ("text", "realms"),
    [
        ("建平元年", {"西漢", "後趙", "西燕", "後燕", "南燕", "北魏", "北涼"}),
        ("永和元年", {"東漢", "東晉", "後秦", "閩"}),
        ("太和元年", {"曹魏", "東晉", "北魏", "唐"}),
    ],
)
def test_eras_of_one_name(text, realms):
    dates = CHINESE.parse(text)
    assert len(dates) > 2
    assert realms <= {CHINESE.table.by_id[date.era].realm for date in dates}
    assert len({CHINESE.format(date) for date in dates}) == len(dates)
    for date in dates:
        assert CHINESE.parse(CHINESE.format(date)) == (date,)


def test_only_the_eras_that_were_long_enough():
    assert len(CHINESE.parse("永和元年")) == 4
    assert [CHINESE.format(date) for date in CHINESE.parse("永和十二年")] == ["東晉永和十二年"]
    assert CHINESE.parse("永和十三年") == ()


@pytest.mark.parametrize(
    ("item", "text", "problem"),
    [
        (LU, "隱公十二年", "魯隱公 has no year 12; its years are 1 to 11"),
        (CHINESE, "康熙六十二年", "清聖祖康熙 has no year 62; its years are 1 to 61"),
        (CHINESE, "Kangxi 62", "清聖祖康熙 has no year 62; its years are 1 to 61"),
        (NENGO, "昭和65年", "日本昭和 has no year 65; its years are 1 to 64"),
        (BRITISH, "39 Henry VIII", "Henry VIII has no year 39; its years are 1 to 38"),
        (BRITISH, "1 Will. 3", "William III has no year 1; its years are 6 to 14"),
        (CHINESE, "永明三年閏二月", "year 3 of 南齊武帝永明 has no intercalary month 2"),
        (CHINESE, "永明三年閏二月甲子", "year 3 of 南齊武帝永明 has no intercalary month 2"),
        (CHINESE, "永明三年閏月", "year 3 of 南齊武帝永明 has no intercalary month"),
        (CHINESE, "永明三年正月三十日", "month 1 of year 3 of 南齊武帝永明 has 29 days, but not a day 30"),
        (CHINESE, "永明三年九月甲子", "month 9 of year 3 of 南齊武帝永明 has no day 甲子"),
        (CHINESE, "雍正甲子年", "清世宗雍正 has no such date in a year 甲子"),
    ],
)
def test_out_of_range_is_no_date_and_says_why(item, text, problem):
    assert item.parse(text) == ()
    assert item.problem(text) == problem


@pytest.mark.parametrize("text", ["", "soonish", "1998-03", "44 BCE", "某某三年", "Otto 3", "永明三年後", "永明三年"])
def test_no_problem_where_no_reign_is_named_or_nothing_is_wrong(text):
    assert CHINESE.problem(text) is None


@pytest.mark.parametrize("item", CALENDARS.values(), ids=CALENDARS)
def test_plain_numbers_are_never_regnal(item):
    for text in ("1582-10-04", "1445", "12", "3-4"):
        assert item.parse(text, bare=True) == ()


@pytest.mark.parametrize("item", CALENDARS.values(), ids=CALENDARS)
def test_unknown_reigns_are_an_error(item):
    with pytest.raises(TimeRangeError, match="has no reign 'Nobody'"):
        item.span(CalendarDate(item.name, 1, era="Nobody"))
    with pytest.raises(TimeRangeError, match="has no reign 'Nobody'"):
        item.format(CalendarDate(item.name, 1, era="Nobody"))


def test_a_number_that_comes_twice_means_the_later_month():
    """The year of the reform, 104 BCE, had two tenth months; a day of the former is only placed in its year."""
    later = CHINESE.span(one(CHINESE, "西漢太初元年十月"))
    assert CHINESE.years.year_at(CHINESE.table.by_id["西漢武帝太初"], later.start // DAY) == 1
    assert later.first_year == -103
    earlier = [date for date in CHINESE.dates(day_number(-104, 11, 28)) if date.era == "西漢武帝太初"]
    assert earlier == [CalendarDate("chinese", 1, era="西漢武帝太初")]


def test_the_months_of_empress_wu():
    texts = [f"天授二年{month}月" for month in ("正", "臘", "一", "二")]
    starts = [CHINESE.span(one(CHINESE, text)).start for text in texts]
    assert starts == sorted(set(starts))
    assert [CHINESE.format(one(CHINESE, text)) for text in texts] == texts


# ---------------------------------------------------------------- every calendar


@st.composite
def regnal_dates(draw: st.DrawFn, item: RegnalCalendar) -> CalendarDate:
    """A year, month or day of a reign that its span admits."""
    reign = draw(st.sampled_from(item.table.reigns))
    year = draw(st.integers(reign.first_year, min(item.years.last_year(reign), reign.first_year + 130)))
    first, after = item.years.days(reign, year)
    months = item.years.months(reign, year)
    months = [month for month in months if month.first < after and month.first + month.length > first]
    kind = draw(st.sampled_from(["year", "month", "day", "day"]))
    if kind == "year" or not months:
        return CalendarDate(item.name, year, era=reign.id)
    # Intercalary months are rare, so they are drawn for as often as the others together.
    leaps = [month for month in months if month.leap]
    month = draw(st.sampled_from(leaps)) if leaps and draw(st.booleans()) else draw(st.sampled_from(months))
    if kind == "month" or item.table.years == "nominal":
        return CalendarDate(item.name, year, month.number, None, month.leap, reign.id)
    low, high = max(first, month.first), min(after, month.first + month.length) - 1
    day = draw(st.integers(low, high)) - month.first + 1
    # Where the number comes twice the later month is meant, which may be shorter.
    same = [other for other in months if other[:2] == month[:2]][-1]
    return CalendarDate(item.name, year, month.number, min(day, same.length), month.leap, reign.id)


@pytest.mark.parametrize("item", CALENDARS.values(), ids=CALENDARS)
@given(data=st.data())
def test_text_and_back(item, data):
    date = data.draw(regnal_dates(item))
    assert item.parse(item.format(date)) == (date,)
    assert item.parse(item.format(date), bare=True) == (date,)
    assert date in item.parse(item.latin(date))
    span = item.span(date)
    assert span.grain is span.end_grain is date.grain
    if item.table.years == "lunisolar":
        reign = item.table.by_id[date.era]
        name = to_ganzhi(get_sexagenary_year(reign.first + date.year - 1))
        assert date.year in {other.year for other in item.parse(f"{item.names.shortest(reign)}{name}年")}


@pytest.mark.parametrize("item", CALENDARS.values(), ids=CALENDARS)
@given(data=st.data())
def test_days_by_their_name_in_the_cycle(item, data):
    date = data.draw(regnal_dates(item))
    if date.day is None:
        assert date.grain >= Grain.MONTH
        return
    month = CalendarDate(date.calendar, date.year, date.month, None, date.leap, date.era)
    name = to_ganzhi(get_sexagenary_day(item.span(date).start // DAY))
    assert item.parse(f"{item.format(month)}{name}") == (date,)


@pytest.mark.parametrize("item", CALENDARS.values(), ids=CALENDARS)
@given(data=st.data())
def test_every_day_lies_in_its_dates(item, data):
    low, high = item.coverage.start // DAY, min(item.coverage.end // DAY, HORIZON)
    day = data.draw(st.integers(low, high - 1))
    grains = [Grain.DAY, Grain.MONTH, Grain.YEAR]
    result = {grain: item.dates(day, grain) for grain in grains}
    for dates in result.values():
        for date in dates:
            assert item.span(date).start <= day * DAY < item.span(date).end
            assert item.parse(item.format(date)) == (date,)
    assert len({len(dates) for dates in result.values()}) == 1
    assert len({date.era for date in result[Grain.YEAR]}) == len(result[Grain.YEAR])


@pytest.mark.parametrize("item", CALENDARS.values(), ids=CALENDARS)
@given(data=st.data())
def test_a_date_is_among_the_dates_of_its_first_and_last_day(item, data):
    date = data.draw(regnal_dates(item))
    span = item.span(date)
    if item.table.years == "nominal" and date.leap:
        return  # stands on the days of its namesake
    for day in (span.start // DAY, (span.end - 1) // DAY):
        assert date in item.dates(day, date.grain)


@pytest.mark.parametrize("item", CALENDARS.values(), ids=CALENDARS)
def test_nothing_outside_the_coverage(item):
    assert item.dates(item.coverage.start // DAY - 1) == ()
    assert item.dates(item.coverage.end // DAY) == ()
    assert item.dates(item.coverage.start // DAY)
    assert item.dates(item.coverage.end // DAY - 1)


def test_where_the_coverage_lies():
    years = {name: (item.coverage.first_year, item.coverage.last_year) for name, item in CALENDARS.items()}
    assert years["lu"] == (-721, -467)
    assert years["chinese"][0] == -246
    assert years["nengo"][0] == 645
    assert years["british"][0] == 1066
    assert civil_date(BRITISH.coverage.start // DAY) == (1066, 12, 31)


def test_every_year_of_every_chinese_and_japanese_era_reads_back():
    for item in (CHINESE, NENGO):
        for reign in item.table.reigns:
            for year in range(1, min(item.years.last_year(reign), 100) + 1):
                date = CalendarDate(item.name, year, era=reign.id)
                assert item.parse(item.format(date)) == (date,)


# ---------------------------------------------------------------- against sanmiao


def known_years(*, japan: bool) -> dict[str, set[tuple[int, int]]]:
    result: dict[str, set[tuple[int, int]]] = {}
    for row in rows("era_table.csv"):
        if row["era_name"] and row["era_end_year"] and (int(row["dyn_id"]) == 133) == japan:
            years = (int(float(row["era_start_year"])), int(float(row["era_end_year"])))
            result.setdefault(normalise_han(row["era_name"]), set()).add(years)
    return result


def test_chinese_eras_agree_with_sanmiao_or_are_listed_as_fixes():
    known = known_years(japan=False)
    fixed = {tuple(key.split()[:2]) for key in facts()["fix"]}
    added = {(row[0], row[2]) for row in facts()["add"]["rows"]}
    shared = agreeing = 0
    for reign in CHINESE.table.reigns:
        if not reign.name or (reign.realm, reign.name) in added:
            continue
        shared += 1
        if (reign.first, reign.last) in known.get(normalise_han(reign.name), set()):
            agreeing += 1
            continue
        near = any(
            first == reign.first and reign.last is not None and abs(last - reign.last) <= 1
            for first, last in known.get(normalise_han(reign.name), set())
        )
        assert (reign.realm, reign.name) in fixed or near, (reign.id, reign.first, reign.last)
    assert shared > 600
    assert agreeing / shared >= 0.9


def test_japanese_eras_agree_with_sanmiao():
    known = known_years(japan=True)
    differing = {}
    for reign in NENGO.table.reigns:
        years = known.get(normalise_han(reign.name), set())
        if (reign.first, reign.last) not in years:
            differing[reign.name] = years
            assert not years or any(first == reign.first and abs(last - reign.last) <= 1 for first, last in years), (
                reign.id
            )
    # The last month of the old era fell in the next Western year; and two eras are younger than the source.
    assert set(differing) == {"天禄", "興国", "平成", "令和"}
    assert set(known) <= {normalise_han(reign.name) for reign in NENGO.table.reigns}
