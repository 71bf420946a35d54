"""Words that name a time by its distance from the present."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import TimeRangeError
from epochal.times.axis import DAY, Grain
from epochal.times.span import Span
from epochal.times.words import describe_distance, read_relative
from spans_strategy import closed_spans, spans

NOW = Span.parse("2026-11-15")

READ = [
    ("now", "2026-11-15"),
    ("today", "2026-11-15"),
    ("yesterday", "2026-11-14"),
    ("tomorrow", "2026-11-16"),
    ("  Yesterday ", "2026-11-14"),
    ("this day", "2026-11-15"),
    ("this week", "2026-W46"),
    ("last week", "2026-W45"),
    ("next week", "2026-W47"),
    ("this month", "2026-11"),
    ("current month", "2026-11"),
    ("last  month", "2026-10"),
    ("previous month", "2026-10"),
    ("NEXT MONTH", "2026-12"),
    ("this season", "2026-23"),
    ("last season", "2026-22"),
    ("this quarter", "2026-36"),
    ("last quarter", "2026-35"),
    ("next quarter", "2027-33"),
    ("this half", "2026-41"),
    ("next half", "2027-40"),
    ("this year", "2026"),
    ("last year", "2025"),
    ("next year", "2027"),
    ("this decade", "202X"),
    ("last decade", "201X"),
    ("last century", "19XX"),
    ("this millennium", "2XXX"),
    ("0 days ago", "2026-11-15"),
    ("1 day ago", "2026-11-14"),
    ("3 days ago", "2026-11-12"),
    ("3 days from now", "2026-11-18"),
    ("2 weeks ago", "2026-W44"),
    ("11 months ago", "2025-12"),
    ("2 quarters from now", "2027-34"),
    ("10 years ago", "2016"),
    ("2 decades ago", "200X"),
    ("2 centuries ago", "18XX"),
    ("1 century from now", "21XX"),
    ("1 millennium ago", "1XXX"),
    ("2 millennia from now", "4XXX"),
    ("1 hour ago", "2026-11-15T22Z"),
]


@pytest.mark.parametrize(("text", "edtf"), READ)
def test_reads_as_of_a_day(text, edtf):
    assert read_relative(text, NOW) == Span.parse(edtf)


@pytest.mark.parametrize(
    "text",
    ["", "soonish", "last", "last era", "2 eras ago", "last fortnight", "days ago", "-1 days ago", "two days ago",
     "yesterday morning", "2026", "day before yesterday", "1.5 years ago", "9" * 5000 + " years ago"],
    ids=lambda text: text[:20] or "empty",
)  # fmt: skip
def test_other_texts_are_not_relative(text):
    assert read_relative(text, NOW) is None


def test_the_last_second_of_the_present_counts():
    assert read_relative("today", Span.year(2025)) == Span.day(2025, 12, 31)
    assert read_relative("last month", Span.parse("2025/2026-03-01")) == Span.month(2026, 2)
    assert read_relative("last year", Span.parse("../2001")) == Span.year(2000)


def test_now_keeps_its_grain():
    now = Span.parse("2026-11-15T10:20Z")
    assert read_relative("now", now) is now


@pytest.mark.parametrize("text", ["today", "last year", "3 days ago"])
def test_a_present_without_end_is_an_error(text):
    with pytest.raises(TimeRangeError, match=r"1985/\.\., has no end"):
        read_relative(text, Span.parse("1985/.."))
    assert read_relative("now", Span.parse("1985/..")) == Span.parse("1985/..")
    assert read_relative("no such words", Span.parse("1985/..")) is None


def test_counts_beyond_the_axis_are_an_error():
    with pytest.raises(TimeRangeError):
        read_relative("999999999999999 years ago", NOW)


@given(closed_spans(), st.sampled_from([Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.YEAR]))
def test_last_this_and_next_meet(now, grain):
    last, this, following = (read_relative(f"{which} {grain.label}", now) for which in ("last", "this", "next"))
    assert last.end == this.start
    assert this.end == following.start
    assert this.start <= now.end - 1 < this.end
    assert read_relative(f"1 {grain.label} ago", now) == last
    assert read_relative(f"1 {grain.label}s from now", now) == following


DISTANCES = [
    ("2020", "5 years ago"),
    ("2025", "10 months ago"),
    ("2026-11-12", "2 days ago"),
    ("2026-11-13", "1 day ago"),
    ("2026-11-17", "in 1 day"),
    ("2027", "in 1 month"),
    ("2026-11-14T22:59Z", "1 hour ago"),
    ("2026-11-14T22:58:30Z", "1 hour ago"),
    ("2026-11-14T23:58Z", "1 minute ago"),
    ("2026-11-14T23:59:57Z", "2 seconds ago"),
    ("3026", "in 999 years"),
    ("-0721", "2,746 years ago"),
    ("2026", "now"),
    ("2026-11-15", "now"),
    ("2026-11-15T10Z", "now"),
    ("2020/2030", "now"),
    ("2020/..", "now"),
    ("../2020", "5 years ago"),
    ("2030/..", "in 3 years"),
]


@pytest.mark.parametrize(("text", "words"), DISTANCES)
def test_distances(text, words):
    assert describe_distance(Span.parse(text), NOW) == words


def test_neighbours_are_past_or_future_not_now():
    assert describe_distance(Span.parse("2026-11-14"), NOW) == "just before now"
    assert describe_distance(Span.parse("2026-11-16"), NOW) == "just after now"


@given(spans(), closed_spans())
def test_distance_says_which_side(span, now):
    words = describe_distance(span, now)
    if span.overlaps(now):
        assert words == "now"
    elif span.end <= now.start:
        assert words.endswith(" ago") or words == "just before now"
    else:
        assert words.startswith("in ") or words == "just after now"


@given(st.integers(1, 10**6))
def test_counts_of_days(days):
    span = Span(NOW.end + days * DAY, NOW.end + (days + 1) * DAY, Grain.DAY)
    words = describe_distance(span, NOW)
    assert words.split()[2].rstrip("s") == ("day" if days <= 30 else "month" if days <= 365 else "year")
