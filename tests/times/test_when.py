"""One expression in any calendar to spans, and spans back."""

import datetime as dt

import pytest

from epochal.errors import TimeParseError, TimeRangeError, UnknownNameError
from epochal.times.axis import DAY, Certainty, Grain
from epochal.times.calendars import calendars
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.span import Span
from epochal.times.when import Interpretation, render_span, resolve


def stretch(text: str, grain: Grain) -> Span:
    """The days from one to another, stated in a grain that is not that of the text."""
    span = Span.parse(text)
    return Span(span.start, span.end, grain)


#: Expression, calendar, span.
SHOWN = [
    ("魯隱公元年十二月", "lu", Span.parse("-0721-12~")),
    ("鲁隐公元年十二月", "lu", Span.parse("-0721-12~")),
    ("隱公元年十有二月", "lu", Span.parse("-0721-12~")),
    ("Duke Zhuang's 2nd year, 12th month", "lu", Span.parse("-0691-12~")),
    ("魯莊公二年十二月", "lu", Span.parse("-0691-12~")),
    ("鲁庄公二年十二月", "lu", Span.parse("-0691-12~")),
    ("隱公三年二月己巳", "lu", Span.parse("-0719-02-14~")),
    ("永明三年", "chinese", stretch("0485-02-02/0486-01-21", Grain.YEAR)),
    ("南齊永明三年", "chinese", stretch("0485-02-02/0486-01-21", Grain.YEAR)),
    ("萬曆十五年", "chinese", stretch("1587-02-07/1588-01-27", Grain.YEAR)),
    ("万历十五年", "chinese", stretch("1587-02-07/1588-01-27", Grain.YEAR)),
    ("民國一百一十三年五月", "chinese", Span.parse("2024-05")),
    ("民国113年5月", "chinese", Span.parse("2024-05")),
    ("Meiji 10", "nengo", Span.parse("1877")),
    ("明治十年", "nengo", Span.parse("1877")),
    ("明治10年", "nengo", Span.parse("1877")),
    ("Heisei 31", "nengo", stretch("2019-01-01/2019-04-30", Grain.YEAR)),
    ("12 Henry VIII", "british", stretch("1520-05-02/1521-05-01", Grain.YEAR)),
    ("44 BCE", "gregorian", Span.parse("-0043")),
    ("15 March 44 BCE", "gregorian", Span.parse("-0043-03-15")),
    ("156X", "gregorian", Span.parse("156X")),
    ("the 1560s", "gregorian", Span.parse("156X")),
    ("1984~/2004-06", "gregorian", Span.parse("1984~/2004-06")),
    ("1998-03", "gregorian", Span.parse("1998-03")),
    ("2004-06-11T10:00Z", "gregorian", Span.parse("2004-06-11T10:00Z")),
    ("5 Thermidor II", "french_republican", Span.parse("1794-07-23")),
]


@pytest.mark.parametrize(("text", "name", "span"), SHOWN, ids=[text for text, _, _ in SHOWN])
def test_one_reading(text, name, span):
    (reading,) = resolve(text)
    assert reading.span == span
    assert reading.calendar == name
    assert (reading.date is None) == (name == "gregorian")
    if reading.date is not None:
        assert reading.date.calendar == name
        assert resolve(reading.text) == (reading,)


def test_the_exact_seconds_of_a_span():
    (reading,) = resolve("44 BCE")
    assert (reading.span.start, reading.span.end) == (-735_233 * DAY, -734_868 * DAY)
    assert reading == Interpretation(Span.year(-43), "gregorian", None, "44 BCE")


def test_ends_of_open_and_uncertain_expressions():
    (reading,) = resolve("1984~/2004-06")
    assert reading.span.certainty is Certainty.APPROXIMATE
    assert reading.span.end_certainty is Certainty.CERTAIN
    assert (reading.span.grain, reading.span.end_grain) == (Grain.YEAR, Grain.MONTH)
    assert resolve("1985/..")[0].span.is_open


def test_several_eras_several_readings():
    readings = resolve("永和元年")
    assert [(reading.text, reading.calendar, reading.span.first_year) for reading in readings] == [
        ("東漢永和元年", "chinese", 136),
        ("東晉永和元年", "chinese", 345),
        ("後秦永和元年", "chinese", 416),
        ("閩永和元年", "chinese", 935),
        ("永和元年", "nengo", 1375),
    ]


def test_sets_give_a_reading_for_each_member():
    assert [reading.span.edtf() for reading in resolve("[1667,1668,1670..1672]")] == ["1667", "1668", "1670/1672"]
    assert [reading.text for reading in resolve("{1960,1961-12}")] == ["1960", "December 1961"]


# ---------------------------------------------------------------- one calendar named


@pytest.mark.parametrize(
    ("text", "name", "edtf"),
    [
        ("1582-10-04", "julian", "1582-10-14"),
        ("1582-10-04", "gregorian", "1582-10-04"),
        ("1752-09-02", "civil/great-britain", "1752-09-13"),
        ("5784", "hebrew", "2023-09-16/2024-10-02"),
        ("隱公元年", "lu", "-0721~"),
        ("永和元年", "nengo", "1375-02-10/1376-01-29"),
        ("44 BCE", "gregorian", "-0043"),
    ],
)
def test_scoped(text, name, edtf):
    (reading,) = resolve(text, calendar=name)
    assert (reading.span.edtf(), reading.calendar) == (edtf, name)


def test_the_same_numbers_without_a_calendar_are_gregorian():
    assert [reading.calendar for reading in resolve("1582-10-04")] == ["gregorian"]
    assert [reading.calendar for reading in resolve("5784")] == ["gregorian"]


def test_an_unregistered_calendar(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[calendar]\nname = "mine"\ntitle = "My kings"\nyears = "civil"\n[[reign]]\nname = "Otto I"\nfirst = 936\n',
        encoding="utf-8",
    )
    mine = RegnalCalendar.load(path)
    for how in ({}, {"calendar": "mine"}):
        (reading,) = resolve("3 Otto I", extra=[mine], **how)
        assert (reading.span, reading.calendar) == (Span.year(938), "mine")
    assert [str(item) for item in render_span(Span.year(938), ["mine"], [mine])] == ["3 Otto I"]
    assert "mine" not in calendars()
    with pytest.raises(TimeParseError):
        resolve("3 Otto I")
    with pytest.raises(UnknownNameError):
        resolve("3 Otto I", calendar="mine")


# ---------------------------------------------------------------- relative expressions and zones


def test_relative_expressions_need_a_now():
    now = Span.parse("2026-11-15")
    assert resolve("last year", now=now) == (Interpretation(Span.year(2025), "gregorian", None, "2025"),)
    assert resolve("yesterday", now=now, calendar="gregorian")[0].span == Span.day(2026, 11, 14)
    with pytest.raises(TimeParseError):
        resolve("last year")
    with pytest.raises(TimeParseError):
        resolve("last year", now=now, calendar="julian")


def test_a_present_without_end_is_an_error():
    with pytest.raises(TimeRangeError, match="has no end"):
        resolve("last year", now=Span.parse("1985/.."))


def test_times_of_day_are_in_the_zone_named():
    zone = dt.timezone(dt.timedelta(hours=2))
    (reading,) = resolve("2004-06-11T10:00", tz=zone)
    assert reading.span == Span.parse("2004-06-11T08:00Z")
    assert resolve("2004-06-11T10:00Z", tz=zone)[0].span == Span.parse("2004-06-11T10:00Z")


# ---------------------------------------------------------------- no reading


@pytest.mark.parametrize(
    "text", ["", " ", "soonish", "Otto 3", "某某三年", "13th month", "永明", "2004-13", "永明三年後"]
)
def test_no_reading(text):
    with pytest.raises(TimeParseError, match="is not a time in any calendar; accepted: EDTF") as caught:
        resolve(text)
    assert caught.value.text == text
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("隱公十二年", r"\(魯隱公 has no year 12; its years are 1 to 11\)"),
        ("康熙六十二年", r"\(清聖祖康熙 has no year 62; its years are 1 to 61\)"),
        ("昭和65年", r"\(日本昭和 has no year 65; its years are 1 to 64\)"),
        ("39 Hen. 8", r"\(Henry VIII has no year 39; its years are 1 to 38\)"),
        ("永明三年閏二月甲子", r"\(year 3 of 南齊武帝永明 has no intercalary month 2\)"),
    ],
)
def test_no_reading_but_a_reason(text, reason):
    with pytest.raises(TimeParseError, match=reason):
        resolve(text)


def test_no_reading_in_one_calendar():
    with pytest.raises(TimeParseError, match=r"of the calendar 'julian'; accepted: dates of Julian .* such as"):
        resolve("soonish", calendar="julian")
    with pytest.raises(TimeParseError, match=r"not a date of the calendar 'lu' \(魯隱公 has no year 12;"):
        resolve("隱公十二年", calendar="lu")
    with pytest.raises(TimeParseError, match="not a date of the calendar 'gregorian'; accepted: EDTF"):
        resolve("隱公元年", calendar="gregorian")
    with pytest.raises(UnknownNameError, match="no calendar is called 'klingon'"):
        resolve("2004", calendar="klingon")


@pytest.mark.parametrize(
    "text", ["Meiji " + "9" * 5000, "9" * 5000 + " years ago", "9" * 5000 + "年"], ids=["a", "b", "c"]
)
def test_numbers_of_thousands_of_digits(text):
    with pytest.raises(TimeParseError):
        resolve(text, now=Span.year(2026))


# ---------------------------------------------------------------- and back


def test_renderings_of_a_day():
    output = {item.calendar: str(item) for item in render_span(Span.day(1794, 7, 23))}
    assert output["gregorian"] == "23 July 1794"
    assert output["julian"] == "12 July 1794 (Julian)"
    assert output["french_republican"] == "5 Thermidor II"
    assert output["chinese"] == "乾隆五十九年六月二十七日"
    assert output["nengo"] == "寛政六年六月二十七日"
    assert output["british"] == "34 George III"
    assert "lu" not in output
    assert not any(name.startswith("civil/") for name in output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1998-03", "平成十年三月"),
        ("1998", "平成十年"),
        ("199X", "from 平成二年 to 平成十一年"),
        ("2004-W05", "from 平成十六年一月 to 平成十六年二月"),
        ("2004-06-11T10:00Z", "平成十六年六月十一日"),
    ],
)
def test_renderings_take_the_grain_of_the_span(text, shown):
    assert [str(item) for item in render_span(Span.parse(text), ["nengo"])] == [shown]


def test_renderings_where_eras_overlap():
    (item,) = render_span(Span.day(485, 3, 1), ["chinese"])
    assert item.first == item.last == ("北魏太和九年正月二十八日", "永明三年正月二十八日")
    assert str(item) == "北魏太和九年正月二十八日 / 永明三年正月二十八日"


def test_renderings_of_open_spans():
    assert [str(item) for item in render_span(Span.parse("1998/.."), ["nengo"])] == ["from 平成十年 to ?"]
    assert [str(item) for item in render_span(Span.parse("../1998"), ["nengo"])] == ["from ? to 平成十年"]
    assert list(render_span(Span.parse("1998/.."), ["lu"])) == []


def test_renderings_in_the_order_named():
    names = ["nengo", "gregorian", "civil/great-britain"]
    assert [item.calendar for item in render_span(Span.year(1998), names)] == names
    with pytest.raises(UnknownNameError):
        list(render_span(Span.year(1998), ["klingon"]))
    assert list(render_span(Span.year(1998), [])) == []


@pytest.mark.parametrize("name", ["lu", "chinese", "nengo", "british", "julian", "hebrew", "french_republican"])
def test_what_is_rendered_resolves_to_a_span_with_the_day(name):
    for day in (Span.day(-600, 5, 5), Span.day(500, 5, 5), Span.day(1795, 5, 5), Span.day(2000, 5, 5)):
        for item in render_span(day, [name]):
            for text in (*item.first, *item.last):
                assert any(day in reading.span for reading in resolve(text, calendar=name))
    assert day.seconds == DAY


def test_a_regnal_year_keeps_its_days_in_other_calendars():
    span = resolve("12 Henry VIII")[0].span
    shown = [str(item) for item in render_span(span, ["julian", "british"])]
    assert shown == ["from 22 April 1520 (Julian) to 21 April 1521 (Julian)", "12 Henry VIII"]
