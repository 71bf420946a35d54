"""The ISO 8601 forms beyond EDTF, against Python's datetime."""

import datetime as dt
import random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import TimeParseError, TimeRangeError
from epochal.times.axis import DAY, Certainty, Grain, civil_date, day_number, is_leap_year, to_seconds
from epochal.times.edtf import add_duration, get_iso_week, get_week_start, get_zone_offset, parse_iso
from epochal.times.span import Span

EPOCH = dt.date(1970, 1, 1).toordinal()
NEW_YORK = ZoneInfo("America/New_York")


def random_dates(count: int = 10_000) -> list[dt.date]:
    rng = random.Random(53)
    ordinals = (rng.randint(dt.date(1, 1, 8).toordinal(), dt.date.max.toordinal()) for _ in range(count))
    return [dt.date(1, 1, 1), dt.date.max, *(dt.date.fromordinal(ordinal) for ordinal in ordinals)]


def test_weeks_agree_with_isocalendar():
    for date in random_dates():
        year, week, weekday = date.isocalendar()
        number = date.toordinal() - EPOCH
        assert get_iso_week(number) == (year, week)
        assert get_week_start(year, week) == number - weekday + 1


def test_week_texts_agree_with_isocalendar():
    for date in random_dates(2000):
        year, week, weekday = date.isocalendar()
        number = date.toordinal() - EPOCH
        text = f"{year:04d}-W{week:02d}"
        start = (number - weekday + 1) * DAY
        assert parse_iso(text) == Span(start, start + 7 * DAY, Grain.WEEK)
        assert parse_iso(f"{text}-{weekday}") == Span(number * DAY, (number + 1) * DAY, Grain.DAY)
        assert parse_iso(f"{year:04d}W{week:02d}{weekday}") == parse_iso(f"{text}-{weekday}")
        assert Span.unit(number * DAY, Grain.WEEK).edtf() == text


def test_which_years_have_53_weeks():
    for year in range(1900, 2101):
        has = dt.date(year, 12, 28).isocalendar()[1] == 53
        if has:
            assert parse_iso(f"{year}-W53") is not None
        else:
            with pytest.raises(TimeParseError, match=f"names week 53 of {year}"):
                parse_iso(f"{year}-W53")


def test_ordinal_days_agree_with_datetime():
    for date in random_dates(2000):
        ordinal = date.timetuple().tm_yday
        assert parse_iso(f"{date.year:04d}-{ordinal:03d}") == Span.day(date.year, date.month, date.day)
        assert parse_iso(f"{date:%Y}".zfill(4) + f"{date:%m%d}") == Span.day(date.year, date.month, date.day)


@given(st.integers(-50_000, 50_000))
def test_the_last_ordinal_day_of_any_year(year):
    prefix = f"{year:+06d}" if abs(year) > 9999 else f"{'-' * (year < 0)}{abs(year):04d}"
    last = 365 + is_leap_year(year)
    assert parse_iso(f"{prefix}-{last}") == Span.day(year, 12, 31)
    with pytest.raises(TimeParseError, match="days 001 to 365"):
        parse_iso(f"{prefix}-{last + 1}")


@pytest.mark.parametrize(
    ("text", "utc", "grain"),
    [
        ("2004-01-01T10:15:30Z", (2004, 1, 1, 10, 15, 30), Grain.SECOND),
        ("2004-01-01T10:15:30z", (2004, 1, 1, 10, 15, 30), Grain.SECOND),
        ("2004-01-01 10:15:30Z", (2004, 1, 1, 10, 15, 30), Grain.SECOND),
        ("2004-01-01T10:15:30.999Z", (2004, 1, 1, 10, 15, 30), Grain.SECOND),
        ("2004-01-01T10:15:30,5Z", (2004, 1, 1, 10, 15, 30), Grain.SECOND),
        ("2004-01-01T101530Z", (2004, 1, 1, 10, 15, 30), Grain.SECOND),
        ("2004-01-01T10:15Z", (2004, 1, 1, 10, 15), Grain.MINUTE),
        ("2004-01-01T10Z", (2004, 1, 1, 10), Grain.HOUR),
        ("2004-01-01T10:15+05:30", (2004, 1, 1, 4, 45), Grain.MINUTE),
        ("2004-01-01T10:15+0530", (2004, 1, 1, 4, 45), Grain.MINUTE),
        ("2004-01-01T10:15 +05", (2004, 1, 1, 5, 15), Grain.MINUTE),
        ("2004-01-01T01:00-12:00", (2004, 1, 1, 13, 0), Grain.MINUTE),
        ("2004-01-01T01:00+14:00", (2003, 12, 31, 11, 0), Grain.MINUTE),
        ("2004-02-28T24:00Z", (2004, 2, 29), Grain.MINUTE),
        ("2004-12-31T24:00:00Z", (2005, 1, 1), Grain.SECOND),
        ("2004-12-31T24Z", (2005, 1, 1), Grain.HOUR),
        ("2016-12-31T23:59:60Z", (2016, 12, 31, 23, 59, 59), Grain.SECOND),  # a leap second
        ("-0043-03-15T11:00Z", (-43, 3, 15, 11), Grain.MINUTE),
        ("+12004-01-01T00:00Z", (12_004,), Grain.MINUTE),
        ("-44000-01-01T00:00Z", (-44_000,), Grain.MINUTE),
    ],
)
def test_times_of_day(text, utc, grain):
    hour, minute, second = (*utc[3:], 0, 0, 0)[:3]
    start = to_seconds(*utc[:3]) + hour * 3600 + minute * 60 + second
    assert parse_iso(text) == Span(start, start + grain.seconds, grain)
    assert Span.parse(text) == Span(start, start + grain.seconds, grain)


def test_times_of_day_agree_with_fromisoformat():
    rng = random.Random(24)
    for date in random_dates(500):
        offset = dt.timezone(dt.timedelta(minutes=rng.randrange(-14 * 60, 14 * 60)))
        clock = dt.time(rng.randrange(24), rng.randrange(60), rng.randrange(60), tzinfo=offset)
        moment = dt.datetime.combine(date, clock)
        expected = (moment - dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)) // dt.timedelta(seconds=1)
        assert parse_iso(moment.isoformat()) == Span.at(expected)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("2024-01-15T12:00", 5),
        ("2024-07-15T12:00", 4),
        ("2024-03-10T03:00", 4),  # the hour before it does not exist
        ("2024-07-15T12:00Z", 0),
        ("2024-07-15T12:00+02:00", -2),
        ("12024-07-15T12:00", 4),  # as in 9999, the last year with rules
    ],
)
def test_times_without_a_zone_are_taken_in_the_given_one(text, hours):
    text = f"+{text}" if text.startswith("12024") else text
    local = parse_iso(text[: text.index("T") + 6] + "Z")
    assert local is not None
    assert Span.parse(text, tz=NEW_YORK) == local.shift(hours, Grain.HOUR)


def test_dates_have_no_zone():
    assert Span.parse("2024-07-15", tz=NEW_YORK) == Span.day(2024, 7, 15)


def test_zone_offsets_agree_with_zoneinfo():
    rng = random.Random(5)
    for _ in range(1000):
        moment = dt.datetime(1800, 1, 1) + dt.timedelta(seconds=rng.randrange(300 * 365 * DAY))
        local = (moment - dt.datetime(1970, 1, 1)) // dt.timedelta(seconds=1)
        assert get_zone_offset(local, NEW_YORK) == moment.replace(tzinfo=NEW_YORK).utcoffset().total_seconds()
    assert get_zone_offset(to_seconds(-721, 2, 29), NEW_YORK) == get_zone_offset(to_seconds(1), NEW_YORK)
    assert get_zone_offset(to_seconds(12_000, 7), dt.timezone.utc) == 0


@pytest.mark.parametrize(
    "text",
    [
        "2004-01-01T25:00",
        "2004-01-01T24:01",
        "2004-01-01T24:00:01",
        "2004-01-01T10:60",
        "2004-01-01T10:59:61",
        "2004-01-01T10:00+24:00",
        "2004-01-01T10:00+05:60",
        "2004-W00",
        "2004-W54",
        "2004-000",
        "2003-366",
        "2003-02-29T10:00",
        "20030229",
        "20041301",
    ],
)
def test_impossible_forms_are_refused(text):
    with pytest.raises((TimeParseError, TimeRangeError)) as caught:
        parse_iso(text)
    assert "\n" not in str(caught.value)
    with pytest.raises(TimeParseError, match=text.replace("+", r"\+")):
        Span.parse(text)


@pytest.mark.parametrize("text", ["", "2004", "2004-01", "2004-01-01", "2004W", "10:00", "2004-1-1", "٢٠٠٤٠٢٢٩"])
def test_other_shapes_are_left_to_others(text):
    assert parse_iso(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2004-01-31/P1M", "2004-01-31/2004-02-28"),
        ("2004/P1Y", "2004-01-01/2004-12-31"),
        ("2004-02-01/P1Y2M10D", "2004-02-01/2005-04-10"),
        ("2004-01-01/P2W", "2004-01-01/2004-01-14"),
        ("P1Y/2004", "2004-01-01/2004-12-31"),
        ("P1M/2004-03-31", "2004-03-01/2004-03-31"),
        ("P1D/2004-03-01", "2004-03-01"),
        ("2004-01-01T10:00Z/PT90M", "2004-01-01T10:00:00Z/2004-01-01T11:29:59Z"),
        ("2004-01-01/PT1S", "2004-01-01T00:00:00Z"),
        ("2004-01-01/P1DT12H", "2004-01-01T00:00:00Z/2004-01-02T11:59:59Z"),
        ("0001-01-01/P1000Y", "0001-01-01/1000-12-31"),
    ],
)
def test_durations(text, expected):
    assert Span.parse(text) == Span.parse(expected)


def test_durations_agree_with_timedelta():
    rng = random.Random(9)
    for date in random_dates(500)[2:]:
        days, seconds = rng.randrange(1000), rng.randrange(1, DAY)
        span = Span.parse(f"{date.isoformat()}/P{days}DT{seconds}S")
        assert span.seconds == days * DAY + seconds
        assert span.start == (date.toordinal() - EPOCH) * DAY


@pytest.mark.parametrize("text", ["P", "PT", "P1", "1D", "P-1D", "P1H", "", "P1.5D", "P٣D"])
def test_what_is_no_duration(text):
    assert add_duration(Span.year(2004), text, 1) is None


@pytest.mark.parametrize("text", ["2004/P0D", "2004/PT0S", "P0Y/2004", "2004/P999999999999Y", "P9999999999999Y/2004"])
def test_durations_without_length_or_end(text):
    with pytest.raises(TimeParseError, match="cannot be placed on the axis"):
        Span.parse(text)


def test_iso_forms_may_be_qualified():
    assert Span.parse("2004-W05~") == Span.parse("2004-W05").with_certainty(Certainty.APPROXIMATE)
    assert Span.parse("2004-366?") == Span.parse("2004-12-31?")


def test_week_one_holds_the_fourth_of_january():
    for year in range(-1000, 1000):
        start = get_week_start(year, 1)
        assert start <= day_number(year, 1, 4) < start + 7
        assert civil_date(start)[0] in (year, year - 1)
