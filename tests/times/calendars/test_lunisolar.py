"""The month tables, against sanmiao, lunardate, and days that everyone knows."""

from itertools import pairwise

import pytest

from epochal.errors import TimeRangeError
from epochal.times.axis import civil_date, day_number
from epochal.times.calendars.lunisolar import stream
from sanmiao_data import facts, rows

STREAMS = (1, 2, 3, 4)
JDN_OF_1970 = 2_440_588
#: Years after which a stream has a gap: the states that kept it were gone.
GAPS = {1: [(589, 907)], 2: [(280, 386)], 3: [(263, 535)], 4: []}

NEW_YEARS = [
    (3, (1582, 2, 3)),
    (3, (1644, 2, 8)),
    (3, (1912, 2, 18)),
    (3, (1949, 1, 29)),
    (3, (1985, 2, 20)),
    (3, (2000, 2, 5)),
    (3, (2024, 2, 10)),
    (3, (2033, 1, 31)),
    (4, (1868, 1, 25)),
    (4, (1872, 2, 9)),
]


@pytest.mark.parametrize(("number", "date"), NEW_YEARS)
def test_known_new_years(number, date):
    first = stream(number).months(date[0])[0]
    assert first[:3] == (1, False, day_number(*date))
    assert stream(number).get_year(first.first) == date[0]
    assert stream(number).get_year(first.first - 1) == date[0] - 1


@pytest.mark.parametrize(
    ("number", "year", "leap"),
    [(3, 2033, 11), (3, 2023, 2), (3, 2020, 4), (3, 1984, 10), (3, 1900, 8), (3, 2024, None)],
)
def test_known_intercalary_months(number, year, leap):
    assert [month.number for month in stream(number).months(year) if month.leap] == ([leap] if leap else [])


def test_qin_years_open_with_the_tenth_month():
    assert [month.number for month in stream(1).months(-200)][:4] == [10, 11, 12, 1]
    # The reform of 104 BCE: a year of fifteen months, and from then on the first month is the first.
    assert [month.number for month in stream(1).months(-103)] == [10, 11, 12, *range(1, 13)]
    assert stream(1).months(-102)[0].number == 1


def test_the_years_of_empress_wu_open_with_the_eleventh_month():
    assert [month.number for month in stream(3).months(690)] == [1, 13, 14, *range(2, 11)]
    # The old order came back in a year of fifteen months.
    assert [month.number for month in stream(3).months(700)] == [1, 13, 14, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11, 12]
    assert stream(3).months(701)[0].number == 1


@pytest.mark.parametrize("number", STREAMS)
def test_years_follow_each_other_but_for_the_known_gaps(number):
    line = stream(number)
    gaps = []
    for year, following in pairwise(line.years):
        last, first = line.months(year)[-1], line.months(following)[0]
        if following == year + 1:
            assert last.first + last.length == first.first, (number, year)
        else:
            gaps.append((year, following))
            assert last.first + last.length < first.first
    assert gaps == GAPS[number]


@pytest.mark.parametrize("number", STREAMS)
def test_months_follow_each_other_and_are_of_usual_length(number):
    line = stream(number)
    odd = 0
    for year in line.years:
        months = line.months(year)
        assert all(month.first + month.length == later.first for month, later in pairwise(months))
        assert sum(month.leap for month in months) <= 1
        assert len(months) in (11, 12, 13, 15), (number, year)
        odd += sum(month.length not in (29, 30) for month in months)
        for position, month in enumerate(months):
            if month.leap:
                assert month.number == months[position - 1].number
    assert odd <= 12


@pytest.mark.parametrize("number", STREAMS)
def test_the_year_of_a_day(number):
    line = stream(number)
    for year in line.years:
        months = line.months(year)
        assert line.get_year(months[0].first) == year
        assert line.get_year(months[-1].first + months[-1].length - 1) == year
    assert line.get_year(line.first_days[0] - 1) is None
    last = line.months(line.years[-1])[-1]
    assert line.get_year(last.first + last.length) is None
    for year, _ in GAPS[number]:
        last = line.months(year)[-1]
        assert line.get_year(last.first + last.length) is None


def test_what_is_not_known_is_an_error():
    with pytest.raises(TimeRangeError, match="the lunisolar year 2101 are not known"):
        stream(3).months(2101)
    with pytest.raises(TimeRangeError, match="no lunisolar stream 9; known: 1, 2, 3, 4"):
        stream(9)
    assert 2100 in stream(3)
    assert 300 not in stream(3)


# ---------------------------------------------------------------- against sanmiao


def ours() -> dict[tuple[int, int, int, bool], list[int]]:
    result: dict[tuple[int, int, int, bool], list[int]] = {}
    for number in STREAMS:
        for year in stream(number).years:
            for month in stream(number).months(year):
                result.setdefault((number, year, month.number, month.leap), []).append(month.first)
    return result


def test_months_begin_when_sanmiao_says_or_where_a_repair_is_listed():
    repairs = facts()["months"]
    years = {tuple(map(int, item.split()[:2])) for item in repairs["copy"] + repairs["cut"]}
    relabelled = {tuple(map(int, item.split()[:2])) for item in repairs["relabel"]}
    relabelled_years = {(int(item.split()[0]), int(item.split()[2])) for item in repairs["relabel"]}
    late = {(number, day) for number in (1, 2) for day in repairs["late"]}
    known = ours()
    total = differing = 0
    for row in rows("lunar_table_dump.csv"):
        number, year = int(row["cal_stream"]), int(row["ind_year"])
        if number not in STREAMS:
            continue  # Korea and other lines that no bundled table uses
        jdn = int(float(row["nmd_jdn"]) + 0.5)
        key = (number, year, int(row["month"]), row["intercalary"] == "1")
        total += 1
        if jdn - JDN_OF_1970 in known.get(key, []):
            continue
        differing += 1
        if (number, jdn) in late:
            assert known[key] == [jdn + 1 - JDN_OF_1970], key
        else:
            listed = (number, year) in years | relabelled_years or (number, jdn) in relabelled
            assert listed, (key, jdn, known.get(key))
    assert total > 52_000
    assert differing / total <= 0.005


def test_every_month_is_one_of_sanmiaos_or_modern_or_repaired():
    table = rows("lunar_table_dump.csv")
    days = {(int(row["cal_stream"]), int(float(row["nmd_jdn"]) + 0.5) - JDN_OF_1970) for row in table}
    late = {day + 1 - JDN_OF_1970 for day in facts()["months"]["late"]}
    copied = {tuple(map(int, item.split()[:2])) for item in facts()["months"]["copy"]}
    for (number, year, _, _), starts in ours().items():
        for start in starts:
            modern = number == 3 and year >= 1912
            assert (number, start) in days or modern or (number, year) in copied or start in late, (number, year, start)


# ---------------------------------------------------------------- against lunardate


def test_modern_months_agree_with_lunardate():
    lunardate = pytest.importorskip("lunardate")
    epoch = day_number(1, 1, 1) - 1
    differing = {}
    for year in range(1900, 2100):
        leaps = [month.number for month in stream(3).months(year) if month.leap]
        assert leaps == [leap for leap in [lunardate.LunarDate.leap_month_for_year(year)] if leap]
        for month in stream(3).months(year):
            first = lunardate.LunarDate(year, month.number, 1, month.leap).to_solar_date().toordinal() + epoch
            if first != month.first:
                differing[year, month.number, month.leap] = month.first - first
    assert differing == {(1933, 6, False): 1, (1954, 11, False): -1, (1978, 8, False): 1}


def test_modern_new_moons_lie_near_the_mean_moon():
    """A month begins within a day of the mean new moon of 2000-01-06 and its period."""
    mean, period = day_number(2000, 1, 6) + 1.09, 29.530588861  # in days at 120 degrees east
    for year in range(1912, 2101):
        for month in stream(3).months(year):
            age = (month.first + 0.5 - mean + period / 2) % period - period / 2
            assert abs(age) < 1.5, civil_date(month.first)
