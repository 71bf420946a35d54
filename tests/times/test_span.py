"""Spans: how they are made, compared, cut and moved."""

import copy
import dataclasses
import datetime as dt
import itertools
import pickle
import random
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from epochal.errors import EpochalError, TimeParseError, TimeRangeError, UnknownNameError
from epochal.times.axis import DAY, FIRST_YEAR, LAST_YEAR, OPEN_END, OPEN_START, Certainty, Grain, get_year, to_seconds
from epochal.times.span import Span
from spans_strategy import certainties, closed_spans, grains, spans, unit_spans, whole_spans

NEW_YORK = ZoneInfo("America/New_York")
LONDON = ZoneInfo("Europe/London")
YEAR_BLOCKS = (Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM)


def day(text: str) -> int:
    """The axis second at which an ISO day starts, by numpy."""
    return int(np.datetime64(text, "s").astype(np.int64))


# ---------------------------------------------------------------- making


@pytest.mark.parametrize(
    ("value", "start", "end", "grain"),
    [
        ("2004", "2004-01-01", "2005-01-01", Grain.YEAR),
        ("-0043-03-15", "-0043-03-15", "-0043-03-16", Grain.DAY),
        (dt.date(2004, 2, 29), "2004-02-29", "2004-03-01", Grain.DAY),
        (dt.date.min, "0001-01-01", "0001-01-02", Grain.DAY),
        (dt.date.max, "9999-12-31", "10000-01-01", Grain.DAY),
        (dt.datetime(2004, 2, 29, 23, 59, 59, 999_999), "2004-02-29T23:59:59", "2004-03-01", Grain.SECOND),
        (np.datetime64("2004"), "2004-01-01", "2005-01-01", Grain.YEAR),
        (np.datetime64("2004-02"), "2004-02-01", "2004-03-01", Grain.MONTH),
        (np.datetime64("2004-02-29"), "2004-02-29", "2004-03-01", Grain.DAY),
        (np.datetime64("2004-02-29", "W"), "2004-02-26", "2004-03-04", Grain.WEEK),
        (np.datetime64("2004-02-29T05", "h"), "2004-02-29T05", "2004-02-29T06", Grain.HOUR),
        (np.datetime64("2004-02-29T05:07"), "2004-02-29T05:07", "2004-02-29T05:08", Grain.MINUTE),
        (np.datetime64("2004-02-29T05:07:09"), "2004-02-29T05:07:09", "2004-02-29T05:07:10", Grain.SECOND),
        (np.datetime64("2004-02-29T05:07:09.123"), "2004-02-29T05:07:09", "2004-02-29T05:07:10", Grain.SECOND),
        (np.datetime64("1969-12-31T23:59:59.5", "ns"), "1969-12-31T23:59:59", "1970-01-01", Grain.SECOND),
        (np.datetime64(0, "7D"), "1970-01-01", "1970-01-08", Grain.DAY),
        (np.datetime64(2, "25Y"), "2020-01-01", "2045-01-01", Grain.YEAR),
        (np.datetime64(-721 - 1970, "Y"), "-0721-01-01", "-0720-01-01", Grain.YEAR),
        (np.datetime64("-0043-03-15"), "-0043-03-15", "-0043-03-16", Grain.DAY),
        (np.datetime64(44_000 - 1970, "Y"), "44000-01-01", "44001-01-01", Grain.YEAR),
        (np.datetime64("-44000-03"), "-44000-03-01", "-44000-04-01", Grain.MONTH),
    ],
    ids=repr,
)
def test_of_takes_what_people_have(value, start, end, grain):
    assert Span.of(value) == Span(day(start), day(end), grain)


def test_of_leaves_a_span_alone():
    span = Span.parse("1984~/2004-06")
    assert Span.of(span) is span


def test_of_agrees_with_datetime_in_every_zone():
    rng = random.Random(1)
    for zone in (dt.timezone.utc, NEW_YORK, dt.timezone(dt.timedelta(hours=-9, minutes=-30))):
        for _ in range(300):
            naive = dt.datetime(1900, 1, 1) + dt.timedelta(seconds=rng.randrange(200 * 365 * DAY))
            second = int(naive.replace(tzinfo=zone).timestamp())
            assert Span.of(naive, tz=zone) == Span.at(second)
            assert Span.of(naive.replace(tzinfo=zone)) == Span.at(second)
            assert Span.of(naive.replace(tzinfo=zone), tz=LONDON) == Span.at(second)


@pytest.mark.parametrize(
    ("date", "zone", "hours"),
    [
        (dt.date(2024, 3, 9), NEW_YORK, 24),
        (dt.date(2024, 3, 10), NEW_YORK, 23),
        (dt.date(2024, 11, 3), NEW_YORK, 25),
        (dt.date(2024, 3, 31), LONDON, 23),  # midnight itself has offset 0
        (dt.date(2024, 10, 27), LONDON, 25),
        (dt.date(2024, 1, 15), LONDON, 24),
        (dt.date.max, NEW_YORK, 24),
        (dt.date.min, dt.timezone(dt.timedelta(hours=14)), 24),
    ],
)
def test_a_date_is_as_long_as_its_day_was_there(date, zone, hours):
    span = Span.of(date, tz=zone)
    assert span.seconds == hours * 3600
    assert span.grain is Grain.DAY
    assert abs(span.start - Span.of(date).start) <= 14 * 3600


def test_days_of_a_zone_follow_one_another():
    dates = [dt.date(2024, 1, 1) + dt.timedelta(days=n) for n in range(366)]
    matches = [Span.of(date, tz=NEW_YORK) for date in dates]
    assert all(one.end == two.start for one, two in itertools.pairwise(matches))


@pytest.mark.parametrize("value", [2004, 20.04, None, b"2004", ["2004"], dt.time(10), dt.timedelta(1)], ids=repr)
def test_of_names_what_is_no_time(value):
    with pytest.raises(TimeParseError) as caught:
        Span.of(value)
    assert repr(repr(value)) in str(caught.value)
    assert type(value).__name__ in str(caught.value)
    assert "\n" not in str(caught.value)


def test_not_a_time_is_not_a_time():
    with pytest.raises(TimeParseError, match="'NaT' is not a time"):
        Span.of(np.datetime64("NaT"))


@pytest.mark.parametrize("year", [FIRST_YEAR, -50_000, -721, 0, 1, 2004, 9999, 10_000, 50_000, LAST_YEAR])
def test_years_far_below_1_and_above_9999(year):
    span = Span.year(year)
    assert (span.first_year, span.last_year) == (year, year)
    assert span == Span.parse(span.edtf())
    assert Span.month(year, 12).end == span.end
    assert Span.day(year, 12, 31).end == span.end


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Span.year(LAST_YEAR + 1), str(LAST_YEAR + 1)),
        (lambda: Span.year(FIRST_YEAR - 1), str(FIRST_YEAR - 1)),
        (lambda: Span.month(2004, 13), "month 13"),
        (lambda: Span.month(2004, 0), "month 0"),
        (lambda: Span.day(2003, 2, 29), "2003-2-29"),
        (lambda: Span.day(2004, 13, 1), "2004-13-1"),
        (lambda: Span(5, 5), "start is 5 and end is 5"),
        (lambda: Span(7, 5), "start is 7 and end is 5"),
        (lambda: Span.parse("2004").shift(1, Grain.ERA), "era"),
        (lambda: Span.parse("2004-01-01").part("early"), "grain day"),
        (lambda: Span.parse("1985/..").part("early"), "is open, so it has no early part"),
        (lambda: Span.parse("1990/1999").part("late"), "1990/1999"),
        (lambda: Span.parse("1990/1991-03").part("mid"), "1990/1991-03"),
        (lambda: Span.year(2004).widen(Grain.ERA), "era"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(make, message):
    with pytest.raises(TimeRangeError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert ". " not in str(caught.value)


def test_errors_are_value_errors():
    with pytest.raises(ValueError, match="soonish"):
        Span.parse("soonish")
    assert issubclass(TimeParseError, EpochalError)


def test_the_end_has_the_grain_and_doubt_of_the_start_unless_reported():
    span = Span(0, DAY, Grain.DAY, certainty=Certainty.APPROXIMATE)
    assert (span.end_grain, span.end_certainty) == (Grain.DAY, Certainty.APPROXIMATE)
    assert Span(0, 1).grain is Grain.SECOND


def test_codes_become_enums():
    span = Span(np.int64(0), np.int64(DAY), 3, 3, 1, 2)  # type: ignore[arg-type]
    assert type(span.start) is int
    assert span == Span(0, DAY, Grain.DAY, Grain.DAY, Certainty.APPROXIMATE, Certainty.UNCERTAIN)
    assert (span.grain, span.end_certainty) == (Grain.DAY, Certainty.UNCERTAIN)


def test_an_open_end_states_no_grain_and_is_near_nothing():
    open_end = Span(0, OPEN_END, Grain.YEAR, Grain.SECOND, Certainty.BOTH, Certainty.BOTH)
    assert open_end == Span(0, OPEN_END, Grain.YEAR, Grain.YEAR, Certainty.BOTH, Certainty.UNCERTAIN)
    open_start = Span(OPEN_START, 0, Grain.SECOND, Grain.YEAR, Certainty.APPROXIMATE, Certainty.APPROXIMATE)
    assert open_start == Span(OPEN_START, 0, Grain.YEAR, Grain.YEAR, Certainty.CERTAIN, Certainty.APPROXIMATE)
    assert Span(OPEN_START, OPEN_END, Grain.DAY).coarsest_grain is Grain.ERA


@pytest.mark.parametrize("ends", [(OPEN_START - 1, 0), (0, OPEN_END + 1)])
def test_what_lies_beyond_the_axis_is_refused(ends):
    with pytest.raises(TimeRangeError, match="a span must lie on the axis"):
        Span(*ends)


def test_a_shift_beyond_the_axis_is_refused_not_opened():
    with pytest.raises(TimeRangeError, match="a span must lie on the axis"):
        Span(0, OPEN_END - 1).shift(2)


@given(spans())
def test_ends_are_on_the_axis_and_in_order(span):
    assert OPEN_START <= span.start < span.end <= OPEN_END
    assert span.is_open == (span.first_year is None or span.last_year is None)


# ---------------------------------------------------------------- equality, hash, immutability, text


@given(spans())
def test_equal_spans_have_equal_hashes(span):
    twin = Span(span.start, span.end, span.grain, span.end_grain, span.certainty, span.end_certainty)
    assert twin == span
    assert hash(twin) == hash(span)
    assert len({twin, span, copy.copy(span), copy.deepcopy(span), pickle.loads(pickle.dumps(span))}) == 1


@given(closed_spans())
def test_any_field_tells_spans_apart(span):
    assert dataclasses.replace(span, end=span.end + 1) != span
    assert dataclasses.replace(span, grain=Grain((span.grain + 1) % 14)) != span
    assert dataclasses.replace(span, end_certainty=Certainty((span.end_certainty + 1) % 4)) != span
    assert span != (span.start, span.end)


@pytest.mark.parametrize("name", ["start", "end", "grain", "certainty", "colour"])
def test_spans_cannot_be_changed(name):
    span = Span.year(2004)
    with pytest.raises((AttributeError, TypeError)):
        setattr(span, name, 0)
    assert span == Span.year(2004)


@given(spans())
def test_the_repr_evaluates_to_the_span(span):
    assert eval(repr(span)) == span


@pytest.mark.parametrize(
    "span",
    [
        Span(OPEN_START, OPEN_END),
        Span(OPEN_START, OPEN_END, certainty=Certainty.UNCERTAIN),
        Span(OPEN_START + 1, OPEN_END - 1, Grain.MILLENNIUM),
        Span(0, 1, Grain.ERA),
        Span.parse("XXXX"),
    ],
)
def test_odd_spans_have_a_repr_and_words(span):
    assert eval(repr(span)) == span
    assert span.describe()
    assert str(span) == span.edtf()


def test_the_repr_is_short_where_it_can_be():
    assert repr(Span.month(1998, 3)) == "Span.parse('1998-03')"
    assert repr(Span(0, 5, Grain.DAY)) == "Span(0, 5, Grain.DAY)"


# ---------------------------------------------------------------- what it is


@given(closed_spans())
def test_lengths(span):
    assert span.seconds == span.end - span.start
    assert (span.days - 1) * DAY < span.seconds <= span.days * DAY
    assert (span.first_year, span.last_year) == (get_year(span.start), get_year(span.end - 1))


@given(spans())
def test_the_coarsest_grain_and_the_worst_doubt(span):
    assert span.coarsest_grain in (span.grain, span.end_grain)
    assert span.coarsest_grain >= min(span.grain, span.end_grain)
    assert span.worst_certainty.is_uncertain == (span.certainty.is_uncertain or span.end_certainty.is_uncertain)


@given(spans(), spans())
def test_contains_overlaps_and_gap_agree(a, b):
    if a in b:
        assert a.overlaps(b)
    if a.overlaps(b):
        assert a.gap(b) == 0
    assert (a in b and b in a) == ((a.start, a.end) == (b.start, b.end))
    assert a in a
    assert a.overlaps(b) == b.overlaps(a)


def test_times_of_all_kinds_lie_in_a_span():
    assert "2004-05" in Span.year(2004)
    assert dt.date(2004, 5, 6) in Span.year(2004)
    assert 2004 in Span.year(2004)
    assert 0 not in Span.year(1970)
    assert None not in Span.year(1970)
    with pytest.raises(TimeParseError):
        _ = "soonish" in Span.year(1970)


def test_spans_are_sorted_by_start_and_end():
    spans = [Span.year(2004), Span.parse("2003-05"), Span.parse("2004-01"), Span.year(2003)]
    assert [span.edtf() for span in sorted(spans)] == ["2003", "2003-05", "2004-01", "2004"]


# ---------------------------------------------------------------- against another span


@given(spans(), spans())
def test_the_gap_is_antisymmetric(a, b):
    assert a.gap(b) == -b.gap(a)


@given(spans(), spans())
def test_the_gap_is_the_time_between(a, b):
    gap = a.gap(b)
    if gap > 0:
        assert a.end + gap == b.start
    elif gap < 0:
        assert b.end - gap == a.start
    else:
        assert a.overlaps(b) or a.end == b.start or b.end == a.start


@given(spans(), spans())
def test_the_intersection_is_what_both_hold(a, b):
    both = a & b
    assert (both is None) == (not a.overlaps(b))
    assert both == b & a
    if both is not None:
        assert (both.start, both.end) == (max(a.start, b.start), min(a.end, b.end))
        assert both in a
        assert both in b


@given(spans(), spans())
def test_the_hull_is_the_least_span_that_holds_both(a, b):
    hull = a.hull(b)
    assert (hull.start, hull.end) == (min(a.start, b.start), max(a.end, b.end))
    assert a in hull
    assert b in hull
    assert hull == b.hull(a)


@given(spans(), spans(), spans())
def test_intersection_and_hull_are_associative_and_absorb(a, b, c):
    assert a.hull(b).hull(c) == a.hull(b.hull(c))
    left = None if (ab := a & b) is None else ab & c
    right = None if (bc := b & c) is None else a & bc
    assert left == right
    absorbed = a & a.hull(b)
    assert absorbed is not None
    assert (absorbed.start, absorbed.end) == (a.start, a.end)


@given(spans())
def test_intersection_and_hull_are_idempotent(span):
    assert span & span == span
    assert span.hull(span) == span


# ---------------------------------------------------------------- a changed copy


@given(closed_spans(), grains(), certainties(), certainties())
def test_with_changes_only_what_is_named(span, grain, certainty, end_certainty):
    assert span.with_grain(grain) == Span(span.start, span.end, grain, grain, span.certainty, span.end_certainty)
    assert span.with_certainty(certainty, end_certainty) == Span(
        span.start, span.end, span.grain, span.end_grain, certainty, end_certainty
    )
    assert span.with_certainty(certainty).end_certainty is certainty


@given(spans(), grains())
def test_widening_covers_with_whole_units(span, grain):
    wide = span.widen(grain)
    assert span in wide
    assert (wide.certainty, wide.end_certainty) == (span.certainty, span.end_certainty)
    if wide.end != OPEN_END:
        assert grain.unit(wide.end - 1)[1] == wide.end
    # Year 0 is shared by two blocks, so a block that starts with it can be widened once more.
    if not (grain in YEAR_BLOCKS and wide.first_year == 0):
        assert wide.widen(grain) == wide


@given(unit_spans())
def test_widening_a_unit_to_its_grain_changes_nothing(span):
    assume(not (span.grain in YEAR_BLOCKS and span.first_year == 0))
    assert span.widen(span.grain) == span


MONTHLESS = [grain for grain in Grain if not grain.months and grain is not Grain.ERA]


@given(spans(), st.integers(-10_000, 10_000), st.sampled_from(MONTHLESS))
def test_shifting_by_fixed_lengths_can_be_undone(span, count, grain):
    moved = span.shift(count, grain)
    assert moved.shift(-count, grain) == span
    assert moved.is_open == span.is_open
    if not span.is_open:
        assert moved.start - span.start == count * grain.seconds
        assert moved.seconds == span.seconds


@given(unit_spans(), st.integers(-500, 500))
def test_shifting_a_unit_by_its_own_grain_gives_a_unit(span, count):
    moved = span.shift(count)
    assert moved.shift(-count) == span
    if span.grain not in YEAR_BLOCKS:
        assert moved == Span.unit(moved.start, span.grain).with_certainty(span.certainty)


@given(whole_spans(), st.integers(-30, 30))
def test_shifts_add_up_over_whole_months(span, months):
    assume(span.start == OPEN_START or Grain.MONTH.unit(span.start)[0] == span.start)
    assume(span.end == OPEN_END or Grain.MONTH.unit(span.end)[0] == span.end)
    moved = span.shift(months, Grain.MONTH)
    if span.coarsest_grain > Grain.WEEK:
        assert moved.shift(-months, Grain.MONTH) == span
        assert moved.shift(5, Grain.MONTH) == span.shift(months + 5, Grain.MONTH)
    else:
        assert moved.seconds == span.seconds or span.is_open


@pytest.mark.parametrize(
    ("text", "count", "grain", "expected"),
    [
        ("2004-02-29", 1, Grain.YEAR, "2005-02-28"),
        ("2004-01-31", 1, Grain.MONTH, "2004-02-29"),
        ("2003-01-31", 1, Grain.MONTH, "2003-02-28"),
        ("2004-03-31", -1, Grain.MONTH, "2004-02-29"),
        ("2004-12", 1, None, "2005-01"),
        ("2004-33", -1, None, "2003-36"),
        ("2004-24", 1, None, "2005-21"),
        ("2004-W53", 1, None, "2005-W01"),
        ("199X", 2, None, "201X"),
        ("0001", -1, None, "0000"),
        ("1985/..", 2, Grain.DECADE, "2005/.."),
        ("../1985", -1, Grain.YEAR, "../1984"),
        ("1984~/2004?", 1, Grain.YEAR, "1985~/2005?"),
        ("2004-01-31T23:59:59Z", 1, Grain.MONTH, "2004-02-29T23:59:59Z"),
    ],
)
def test_shifts_along_the_calendar(text, count, grain, expected):
    assert Span.parse(text).shift(count, grain) == Span.parse(expected)


@pytest.mark.parametrize(
    ("text", "early", "mid", "late"),
    [
        ("2004-02", "2004-02-01~/2004-02-10~", "2004-02-11~/2004-02-20~", "2004-02-21~/2004-02-29~"),
        ("2004-21", "2004-03~", "2004-04~", "2004-05~"),
        ("2004-34", "2004-04~", "2004-05~", "2004-06~"),
        ("2004-41", "2004-07~/2004-08~", "2004-09~/2004-10~", "2004-11~/2004-12~"),
        ("2004", "2004-01~/2004-04~", "2004-05~/2004-08~", "2004-09~/2004-12~"),
        ("199X", "1990~/1992~", "1993~/1996~", "1997~/1999~"),
        ("19XX", "1900~/1932~", "1933~/1966~", "1967~/1999~"),
        ("1XXX", "1000~/1332~", "1333~/1666~", "1667~/1999~"),
        ("-00XX", "-0099~/-0067~", "-0066~/-0033~", "-0032~/0000~"),
        ("2004?", "2004-01%/2004-04%", "2004-05%/2004-08%", "2004-09%/2004-12%"),
    ],
)
def test_thirds(text, early, mid, late):
    whole = Span.parse(text)
    assert [whole.part(name) for name in ("early", "mid", "late")] == [
        Span.parse(third) for third in (early, mid, late)
    ]


@given(unit_spans())
def test_thirds_tile_their_unit(span):
    assume(span.grain >= Grain.MONTH)
    early, mid, late = (span.part(name) for name in ("early", "mid", "late"))
    assert (early.start, early.end, mid.end, late.end) == (span.start, mid.start, late.start, span.end)
    assert all(third.certainty.is_approximate for third in (early, mid, late))
    assert all(third.certainty.is_uncertain == span.certainty.is_uncertain for third in (early, mid, late))
    assert all(3 * third.seconds < 1.3 * span.seconds for third in (early, mid, late))


def test_an_unknown_part_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="'middle'; known: early, mid, late"):
        Span.year(2004).part("middle")  # type: ignore[arg-type]


def test_between_takes_the_outer_ends():
    span = Span.between(Span.parse("1984~/2000"), Span.parse("1990/2004-06?"))
    assert span == Span.parse("1984~/2004-06?")
    assert Span.between(Span.year(2004), Span.month(2004, 6)).end == to_seconds(2004, 7)
