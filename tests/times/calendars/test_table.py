"""Regnal tables: a good one is read, and every mistake names the file and the line."""

from pathlib import Path

import pytest

from epochal.errors import EpochalError, TableError
from epochal.tables import read_text, read_toml
from epochal.times.axis import day_number
from epochal.times.calendars import calendars, register
from epochal.times.calendars.julian import from_julian_date
from epochal.times.calendars.regnal import BUNDLED, RegnalCalendar
from epochal.times.calendars.regnal_table import read_table, written_day

GOOD = """\
# My kings.
[calendar]
name = "mine"
title = "My kings"
years = "civil"
text = "latin"

[[reign]]
name = "Otto I"
first = 936
last = 973
aliases = ["Otto the Great"]

[[reign]]
name = "Otto II"
first = 973
"""


@pytest.fixture
def write(tmp_path):
    def write(text: str | bytes) -> Path:
        path = tmp_path / "mine.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path

    return write


def test_a_good_table(write):
    table = read_table(write(GOOD))
    assert (table.name, table.title, table.years, table.text) == ("mine", "My kings", "civil", "latin")
    assert [(reign.id, reign.first, reign.last) for reign in table.reigns] == [
        ("Otto I", 936, 973),
        ("Otto II", 973, None),
    ]
    assert table.reigns[0].aliases == ("Otto the Great",)
    assert table.by_id["Otto II"] is table.reigns[1]
    assert (table.months, table.ordinal, table.stream) == (12, False, 1)


def test_a_path_as_text_and_crlf(write):
    path = write(GOOD.replace("\n", "\r\n"))
    assert read_table(str(path)) == read_table(path)


def test_a_good_table_is_a_calendar(write):
    mine = RegnalCalendar.load(write(GOOD))
    (date,) = mine.parse("3 Otto I, month 4, day 5")
    assert mine.span(date).edtf() == "0938-04-05"
    assert mine.format(date) == "3 Otto I, month 4, day 5"
    assert [item.era for item in mine.dates(day_number(973, 6, 1))] == ["Otto I", "Otto II"]
    assert mine.parse("38 Otto the Great") == mine.parse("year 38 of the reign of Otto I")
    assert mine.parse("39 Otto I") == ()


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_tables_are_sound(name):
    table = read_table(name)
    assert len(table.reigns) == len(table.by_id) > 10
    assert read_text(name, "epochal.times.calendars").endswith("\n")


def test_a_bundled_name_goes_before_a_file(tmp_path, monkeypatch):
    (tmp_path / "lu.toml").write_text(GOOD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert read_table("lu.toml").name == "lu"
    assert read_table("./lu.toml").name == "mine"
    assert read_table(Path("lu.toml")).name == "mine"


INLINE = """\
calendar = { name = "mine", title = "My kings", years = "civil" }

reign = [
    { name = "Otto I", first = 936, last = 973 },
    { name = "Otto II", first = 973, last = 983 },
]
"""


def test_a_reign_may_be_a_line(write):
    assert [reign.name for reign in read_table(write(INLINE)).reigns] == ["Otto I", "Otto II"]
    with pytest.raises(TableError) as caught:
        read_table(write(INLINE.replace("last = 983", "lasts = 983")))
    assert caught.value.line == 5


# ---------------------------------------------------------------- mistakes


def replaced(old: str, new: str) -> str:
    assert GOOD.count(old) >= 1
    return GOOD.replace(old, new, 1)


LUNAR = """\
[calendar]
name = "mine"
title = "My kings"
years = "lunisolar"
stream = {stream}

[[reign]]
name = "Otto I"
first = {first}
last = {last}
"""

ANNIVERSARY = """\
[calendar]
name = "mine"
title = "My kings"
years = "anniversary"
dates = "julian until 1752-09-02"

[[reign]]
name = "Otto I"
begins = "936-08-07"
ends = "973-05-07"
"""

MISTAKES = {
    "no calendar": (GOOD[GOOD.index("[[reign]]") :], 1, r"the section \[calendar\] is missing"),
    "empty": ("", 1, r"the section \[calendar\] is missing"),
    "calendar is a number": ("calendar = 3\n", 1, r"the section \[calendar\] is missing"),
    "unknown section": (GOOD + "\n[king]\n", 18, r"unknown section \[king\]"),
    "unknown key of the calendar": (replaced('text = "latin"', 'texts = "latin"'), 6, "unknown key 'texts'; accepted"),
    "unknown key of a reign": (GOOD + "lasts = 983\n", 17, r"\[\[reign\]\] has an unknown key 'lasts'; accepted"),
    "wrong type in the calendar": (replaced('name = "mine"', "name = 3"), 3, "name = 3 must be of type str"),
    "wrong type in a reign": (replaced("first = 936", 'first = "936"'), 10, "first = '936' must be of type int"),
    "true is no year": (replaced("last = 973", "last = true"), 11, "last = True must be of type int"),
    "a float is no year": (replaced("first = 936", "first = 936.5"), 10, r"first = 936\.5 must be of type int"),
    "wrong type of a list": (replaced('["Otto the Great"]', '"Otto the Great"'), 12, "must be of type list"),
    "wrong item in a list": (replaced('["Otto the Great"]', '["Otto", 3]'), 12, "aliases of 'Otto I' must be a list"),
    "no name": (replaced('name = "mine"\n', ""), 2, r"\[calendar\] needs 'name': the name it goes by"),
    "empty title": (replaced('"My kings"', '""'), 2, r"\[calendar\] needs 'title'"),
    "no years": (replaced('years = "civil"\n', ""), 2, r"\[calendar\] needs 'years'"),
    "unknown kind of years": (replaced('"civil"', '"lunar"'), 5, "years = 'lunar' is not one of civil, lunisolar"),
    "unknown kind of text": (replaced('"latin"', '"greek"'), 6, "text = 'greek' is not one of latin, han"),
    "no reigns": (GOOD[: GOOD.index("[[reign]]")], 1, r"at least one \[\[reign\]\]"),
    "a reign that is no list": ("[calendar]\nname='a'\ntitle='b'\nyears='civil'\n[reign]\n", 1, "at least one"),
    "a reign that is no section": ("reign = [3]\n[calendar]\nname='a'\ntitle='b'\nyears='civil'\n", 1, "section"),
    "a reign without name": (replaced('name = "Otto II"\n', ""), 14, "a reign needs a 'name' or a 'ruler'"),
    "no first year": (replaced("first = 936\n", ""), 8, "reign 'Otto I' needs 'first': the astronomical year"),
    "no first year of the second": (replaced("first = 973\n", ""), 14, "reign 'Otto II' needs 'first'"),
    "last before first": (replaced("last = 973", "last = 935"), 11, "has last = 935 before first = 936"),
    "the same reign twice": (replaced("Otto II", "Otto I"), 14, "reign 'Otto I' is in the table twice"),
    "a bad first day": (GOOD + 'begins = "973-13-01"\n', 17, "'973-13-01' is not a day such as 1509-04-22"),
    "no such day": (GOOD + 'ends = "983-02-29"\n', 17, "'983-02-29' is not a day"),
    "a year is no day": (GOOD + 'begins = "973"\n', 17, "'973' is not a day"),
    "words are no day": (GOOD + 'begins = "Christmas"\n', 17, "'Christmas' is not a day"),
    "ends before it begins": (
        GOOD + 'begins = "973-05-07"\nends = "973-05-06"\n', 18, "reign 'Otto II' ends before it begins"
    ),
    "a bad day from which years are civil": (
        replaced('text = "latin"', 'civil_from = "1873"'), 6, "'1873' is not a day"
    ),
    "bad Julian days": (replaced('text = "latin"', 'dates = "until 1752-09-02"'), 6, "must read 'julian until"),
    "Julian days until a month": (replaced('text = "latin"', 'dates = "julian until 1752-09"'), 6, "must read"),
    "ordinal without years": (replaced('text = "latin"', "ordinal = true"), 8, "needs 'years', its years on the ord"),
    "ordinal with no years": (
        replaced('text = "latin"', "ordinal = true").replace("last = 973", "years = 0"), 8, "needs 'years'"
    ),
    "anniversary without a first day": (
        ANNIVERSARY.replace('begins = "936-08-07"\n', ""), 7, "reign 'Otto I' needs 'begins': its first day"
    ),
    "anniversary with first but no first day": (
        ANNIVERSARY.replace('begins = "936-08-07"', "first = 936"), 7, "reign 'Otto I' needs 'begins'"
    ),
    "year_starts not rising": (
        ANNIVERSARY + 'year_starts = ["936-08-07", "938-08-07", "937-08-07"]\n', 11, "year_starts of 'Otto I' must rise"
    ),
    "year_starts that repeat": (
        ANNIVERSARY + 'year_starts = [\n  "936-08-07",\n  "936-08-07",\n]\n', 11, "year_starts of 'Otto I' must rise"
    ),
    "a bad day in year_starts": (ANNIVERSARY + 'year_starts = ["936-08-32"]\n', 11, "'936-08-32' is not a day"),
    "a number in year_starts": (ANNIVERSARY + "year_starts = [936]\n", 11, "year_starts of 'Otto I' must be a list"),
    "unknown month table": (LUNAR.format(stream=9, first=936, last=973), 5, "no lunisolar stream 9; known: 1, 2, 3, 4"),
    "unknown month table of a reign": (
        LUNAR.format(stream=3, first=936, last=973) + "stream = 7\n", 11, "no lunisolar stream 7"
    ),
    "months not known": (LUNAR.format(stream=3, first=-936, last=973), 9, "the lunisolar year -936 of 'Otto I'"),
    "months not known to the end": (LUNAR.format(stream=3, first=2090, last=2101), 10, "the lunisolar year 2101"),
    "months not known between": (LUNAR.format(stream=3, first=260, last=540), 10, "the lunisolar year 264"),
    "broken syntax": (replaced("first = 936", "first = = 936"), 10, "not valid TOML"),
    "a key twice": (replaced("last = 973", "first = 973"), 11, "not valid TOML"),
    "text that does not end": (GOOD + 'latin = "Otto\n', 17, "not valid TOML"),
    "a list that does not end": (GOOD + 'aliases = ["Otto",\n', 17, "not valid TOML"),
    "not UTF-8": (replaced("Otto I", "Öttö").encode("latin-1"), 1, "cannot be read as UTF-8 text"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_name_file_and_line(kind, write):
    text, line, problem = MISTAKES[kind]
    path = write(text)
    before = list(calendars())
    with pytest.raises(TableError, match=problem) as caught:
        RegnalCalendar.load(path)
    assert caught.value.file == str(path)
    assert caught.value.line == line
    assert str(caught.value) == f"{path}, line {line}: {caught.value.problem}"
    assert "\n" not in str(caught.value)
    assert list(calendars()) == before


def test_the_anniversary_and_lunar_patterns_are_sound(write):
    assert read_table(write(ANNIVERSARY)).reigns[0].first == 936
    assert read_table(write(LUNAR.format(stream=3, first=936, last=973))).stream == 3


def test_years_after_the_switch_need_no_months(write):
    text = LUNAR.format(stream=4, first=1868, last=1912).replace("stream = 4", 'stream = 4\ncivil_from = "1873-01-01"')
    assert read_table(write(text)).reigns[0].last == 1912
    with pytest.raises(TableError, match="lunisolar year 1873"):
        read_table(write(LUNAR.format(stream=4, first=1868, last=1912)))


def test_civil_reigns_need_no_months(write):
    table = read_table(write(LUNAR.format(stream=3, first=1949, last=5000) + "civil = true\n"))
    assert table.reigns[0].civil


def test_a_missing_file(tmp_path):
    with pytest.raises(TableError, match=r"line 1: cannot be read as UTF-8 text \(.*No such file") as caught:
        RegnalCalendar.load(tmp_path / "none.toml")
    assert caught.value.file == str(tmp_path / "none.toml")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(TableError, match="line 1: cannot be read"):
        read_toml(tmp_path)


def test_a_taken_name_registers_nothing(write):
    lu = calendars()["lu"]
    mine = RegnalCalendar.load(write(GOOD.replace('"mine"', '"lu"')))
    before = list(calendars())
    with pytest.raises(EpochalError, match="two calendars are called 'lu'"):
        register(mine)
    assert list(calendars()) == before
    assert calendars()["lu"] is lu


# ---------------------------------------------------------------- days


@pytest.mark.parametrize(
    ("date", "julian_until", "number"),
    [
        ((1752, 9, 2), (1752, 9, 2), from_julian_date(1752, 9, 2)),
        ((1752, 9, 14), (1752, 9, 2), from_julian_date(1752, 9, 2) + 1),
        ((1500, 2, 29), (1752, 9, 2), from_julian_date(1500, 2, 29)),
        ((1500, 2, 29), None, None),
        ((1900, 2, 29), (1752, 9, 2), None),
        ((1700, 2, 30), (1752, 9, 2), None),
        ((2000, 2, 29), None, day_number(2000, 2, 29)),
        ((2000, 13, 1), None, None),
        ((2000, 1, 0), None, None),
    ],
)
def test_written_days(date, julian_until, number):
    assert written_day(date, julian_until) == number
