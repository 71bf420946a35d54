"""What a regnal year is, by each of the four rules."""

import pytest

from epochal.errors import TimeRangeError
from epochal.times.axis import civil_date, day_number
from epochal.times.calendars.julian import from_julian_date, to_julian_date
from epochal.times.calendars.regnal import BUNDLED, RegnalYears
from epochal.times.calendars.regnal_table import RegnalTable, Reign, read_table

YEARS = {name: RegnalYears(read_table(name)) for name in BUNDLED}


def reign_of(table: str, name: str) -> Reign:
    return YEARS[table].table.by_id[name]


def british_year(name: str, year: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The first and the last day, in the calendar of the day."""
    first, after = YEARS["british.toml"].days(reign_of("british.toml", name), year)
    cut = from_julian_date(1752, 9, 2)
    return tuple(to_julian_date(day) if day <= cut else civil_date(day) for day in (first, after - 1))


@pytest.mark.parametrize(
    ("table", "reign", "last"),
    [
        ("lu.toml", "魯隱公", 11),
        ("lu.toml", "魯僖公", 33),
        ("lu.toml", "魯哀公", 27),
        ("chinese.toml", "清聖祖康熙", 61),
        ("chinese.toml", "清高宗乾隆", 60),
        ("nengo.toml", "日本昭和", 64),
        ("nengo.toml", "日本平成", 31),
        ("british.toml", "Henry VIII", 38),
        ("british.toml", "John", 18),
        ("british.toml", "William III", 14),
        ("british.toml", "Henry VI (readeption)", 49),
        ("british.toml", "Edward V", 1),
        ("british.toml", "Elizabeth II", 71),
        ("british.toml", "Victoria", 64),
    ],
)
def test_last_years(table, reign, last):
    years, result = YEARS[table], reign_of(table, reign)
    assert years.last_year(result) == last
    assert years.has_year(result, last)
    assert not years.has_year(result, last + 1)
    assert not years.has_year(result, result.first_year - 1)


@pytest.mark.parametrize("table", BUNDLED)
def test_years_are_never_empty_and_follow_each_other(table):
    years = YEARS[table]
    for reign in years.table.reigns:
        after = None
        for year in range(reign.first_year, min(years.last_year(reign), 200) + 1):
            first, following = years.days(reign, year)
            assert first < following, (reign.id, year)
            assert after in (None, first), (reign.id, year)
            after = following


@pytest.mark.parametrize("table", BUNDLED)
def test_the_year_of_its_first_and_last_day(table):
    years = YEARS[table]
    for reign in years.table.reigns:
        for year in range(reign.first_year, min(years.last_year(reign), 100) + 1):
            first, after = years.days(reign, year)
            assert years.year_at(reign, first) == year
            assert years.year_at(reign, after - 1) == year
        assert years.year_at(reign, years.days(reign, reign.first_year)[0] - 1) is None
        if reign.last is not None:
            assert years.year_at(reign, years.days(reign, years.last_year(reign))[1]) is None


# ---------------------------------------------------------------- anniversaries

BRITISH = [
    ("William I", 1, (1066, 12, 25), (1067, 12, 24)),
    ("William I", 21, (1086, 12, 25), (1087, 9, 9)),
    ("Henry II", 1, (1154, 12, 19), (1155, 12, 18)),
    # Ascension Days
    ("John", 1, (1199, 5, 27), (1200, 5, 17)),
    ("John", 2, (1200, 5, 18), (1201, 5, 2)),
    ("John", 5, (1203, 5, 15), (1204, 6, 2)),
    ("John", 17, (1215, 5, 28), (1216, 5, 18)),
    ("John", 18, (1216, 5, 19), (1216, 10, 19)),
    ("Henry VI", 39, (1460, 9, 1), (1461, 3, 4)),
    ("Henry VI (readeption)", 49, (1470, 10, 9), (1471, 4, 14)),
    ("Edward V", 1, (1483, 4, 9), (1483, 6, 25)),
    ("Henry VIII", 12, (1520, 4, 22), (1521, 4, 21)),
    ("Henry VIII", 38, (1546, 4, 22), (1547, 1, 28)),
    ("Elizabeth I", 1, (1558, 11, 17), (1559, 11, 16)),
    ("Charles II", 12, (1660, 1, 30), (1661, 1, 29)),
    ("William III", 6, (1694, 12, 28), (1695, 2, 12)),
    ("William III", 7, (1695, 2, 13), (1696, 2, 12)),
    ("William III", 14, (1702, 2, 13), (1702, 3, 8)),
    # the year in which eleven days were dropped
    ("George II", 26, (1752, 6, 11), (1753, 6, 21)),
    ("George II", 34, (1760, 6, 22), (1760, 10, 25)),
    ("George III", 1, (1760, 10, 25), (1761, 10, 24)),
    ("George III", 60, (1819, 10, 25), (1820, 1, 29)),
    ("Edward VIII", 1, (1936, 1, 20), (1936, 12, 11)),
    ("Elizabeth II", 71, (2022, 2, 6), (2022, 9, 8)),
    ("Charles III", 1, (2022, 9, 8), (2023, 9, 7)),
]


@pytest.mark.parametrize(("name", "year", "first", "last"), BRITISH)
def test_british_years(name, year, first, last):
    assert british_year(name, year) == (first, last)


def test_the_ascension_days_of_king_john():
    """Thursdays, 39 days after Easter by the Julian rule."""
    for day in reign_of("british.toml", "John").year_starts:
        year, _, _ = to_julian_date(day)
        moon = (19 * (year % 19) + 15) % 30
        offset = moon + (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
        easter = from_julian_date(year, (offset + 114) // 31, (offset + 114) % 31 + 1)
        assert day == easter + 39


def test_the_year_of_1752_has_its_full_length():
    first, after = YEARS["british.toml"].days(reign_of("british.toml", "George II"), 26)
    assert after - first == 365


def test_a_reign_from_29_february_turns_on_1_march():
    reign = Reign("", "", "Leap", 2000, 2010, begins=day_number(2000, 2, 29), ends=day_number(2009, 12, 31))
    years = RegnalYears(RegnalTable("t", "t", "anniversary", "latin", (reign,), by_id={"Leap": reign}))
    assert [civil_date(years.days(reign, year)[0]) for year in (1, 2, 4, 5)] == [
        (2000, 2, 29), (2001, 3, 1), (2003, 3, 1), (2004, 2, 29),
    ]  # fmt: skip
    assert years.last_year(reign) == 10


def test_anniversaries_have_no_months():
    assert YEARS["british.toml"].months(reign_of("british.toml", "Henry VIII"), 12) == ()


def test_an_anniversary_needs_a_first_day():
    reign = Reign("", "", "Nobody", 2000, 2010)
    years = RegnalYears(RegnalTable("t", "t", "anniversary", "latin", (reign,)))
    with pytest.raises(TimeRangeError, match="reign 'Nobody' has no first day"):
        years.days(reign, 1)


# ---------------------------------------------------------------- lunisolar, civil and nominal years

NENGO = [
    ("日本明治", 1, (1868, 1, 25), (1869, 2, 10)),
    ("日本明治", 5, (1872, 2, 9), (1872, 12, 31)),
    ("日本明治", 6, (1873, 1, 1), (1873, 12, 31)),
    ("日本明治", 45, (1912, 1, 1), (1912, 7, 29)),
    ("日本大正", 1, (1912, 7, 30), (1912, 12, 31)),
    ("日本大正", 15, (1926, 1, 1), (1926, 12, 24)),
    ("日本昭和", 1, (1926, 12, 25), (1926, 12, 31)),
    ("日本昭和", 64, (1989, 1, 1), (1989, 1, 7)),
    ("日本平成", 1, (1989, 1, 8), (1989, 12, 31)),
    ("日本平成", 31, (2019, 1, 1), (2019, 4, 30)),
    ("日本令和", 1, (2019, 5, 1), (2019, 12, 31)),
    ("日本令和", 6, (2024, 1, 1), (2024, 12, 31)),
]


@pytest.mark.parametrize(("name", "year", "first", "last"), NENGO)
def test_japanese_years(name, year, first, last):
    start, after = YEARS["nengo.toml"].days(reign_of("nengo.toml", name), year)
    assert (civil_date(start), civil_date(after - 1)) == (first, last)


def test_the_months_of_the_year_of_the_switch():
    months = YEARS["nengo.toml"].months(reign_of("nengo.toml", "日本明治"), 5)
    assert [month.number for month in months] == list(range(1, 13))
    assert civil_date(months[-1].first) == (1872, 12, 30)


def test_civil_years():
    chinese, minguo = YEARS["chinese.toml"], reign_of("chinese.toml", "中華民國民國")
    assert chinese.is_civil(minguo, 113)
    assert [civil_date(day) for day in chinese.days(minguo, 113)] == [(2024, 1, 1), (2025, 1, 1)]
    assert [month.length for month in chinese.months(minguo, 113)][:3] == [31, 29, 31]
    assert not chinese.is_civil(reign_of("chinese.toml", "清聖祖康熙"), 1)
    assert not YEARS["lu.toml"].is_civil(reign_of("lu.toml", "魯隱公"), 1)
    assert chinese.last_year(minguo) == 9999 - 1912 + 1


def test_a_lunisolar_reign_that_runs_on_ends_with_its_month_table():
    reign = Reign("", "", "Dragon", 2000, None, stream=3)
    years = RegnalYears(RegnalTable("t", "t", "lunisolar", "latin", (reign,)))
    assert years.last_year(reign) == 101


def test_nominal_years_are_gregorian_ones():
    yin = reign_of("lu.toml", "魯隱公")
    assert [civil_date(day) for day in YEARS["lu.toml"].days(yin, 1)] == [(-721, 1, 1), (-720, 1, 1)]
    assert [month.number for month in YEARS["lu.toml"].months(yin, 1)] == list(range(1, 13))
