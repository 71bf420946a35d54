"""Carry-over: every rule of the specification, diaries and logs, and the annals of Lu from end to end."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.reading.sequences import read_diary_cue, read_sequence
from epochal.times import CalendarDate, Span
from paths import DATA, needs_data

ENTRIES = DATA / "chunqiu" / "entries.jsonl"
YIN = CalendarDate("lu", 1, era="魯隱公")


def months(*texts, start=YIN, **options):
    return [item.date.month for item in read_sequence(texts, "lu", start, **options)]


def test_a_month_is_set_and_inherited():
    assert months("三月，公及邾儀父盟于蔑。", "公子益師卒。", "夏五月，鄭伯克段于鄢。") == [3, 3, 5]


def test_a_year_starts_again_at_its_first_month():
    first, second, third = read_sequence(["冬十有二月，祭伯來。", "二年，公會戎于潛。", "三年春王二月，"], "lu", YIN)
    assert (first.date.month, second.date.year, second.date.month) == (12, 2, 1)
    assert (third.date.year, third.date.month) == (3, 2)
    assert second.inferred == ("month",)


def test_a_day_named_without_its_month_says_no_more_than_its_season_or_year():
    read = read_sequence(["四年，", "戊申，衛州吁弒其君完。", "秋，", "戊申，大雩。", "二月戊申，"], "lu", YIN)
    spans = [item.span.edtf() for item in read]
    assert spans[:4] == ["-0718~", "-0718~", "-0718-07~/-0718-09~", "-0718-07~/-0718-09~"]
    assert spans[4].startswith("-0718-02")


def test_the_first_year_after_a_later_one_is_the_next_reign():
    (item,) = read_sequence(["元年春王正月，公即位。"], "lu", CalendarDate("lu", 11, 12, era="魯隱公"))
    assert (item.date.era, item.date.year, item.date.month) == ("魯桓公", 1, 1)
    again = read_sequence(["元年春王正月。", "元年春，王周正月。"], "lu", YIN)
    assert {item.date.era for item in again} == {"魯隱公"}, "annal and commentary may both open the same year"


def test_months_that_come_round_without_a_year_are_of_the_next():
    late, spring, summer = read_sequence(["冬十有二月，祭伯來。", "三月，天王崩。", "夏，城中丘。"], "lu", YIN)
    assert (late.date.year, late.inferred) == (1, ())
    assert (spring.date.year, spring.date.month) == (2, 3)
    assert (spring.carried, spring.inferred) == (("era",), ("year",))
    assert (summer.date.year, summer.inferred) == (2, ("month",))


def test_months_that_come_round_after_the_last_year_of_a_reign_are_of_the_next_reign():
    (item,) = read_sequence(["三月，公會鄭伯于垂。"], "lu", CalendarDate("lu", 11, 11, era="魯隱公"))
    assert (item.date.era, item.date.year, item.date.month) == ("魯桓公", 1, 3)
    (last,) = read_sequence(["三月，公會鄭伯于垂。"], "lu", CalendarDate("lu", 27, 11, era="魯哀公"))
    assert (last.date.era, last.date.year) == ("魯哀公", 27), "after the last reign there is no next one"


@pytest.mark.parametrize("text", ["八月，大事于大廟。", "自正月不雨，至于秋七月。", "其五月，秦晉為成。", "秋，有蜮。"])
def test_what_goes_back_a_little_or_refers_to_a_month_stays_in_its_year(text):
    *_, item = read_sequence(["冬十有二月，祭伯來。", text], "lu", YIN)
    assert item.date.year == 1


def test_a_season_goes_round_by_its_first_month():
    assert [item.date.year for item in read_sequence(["冬，公次于滑。", "夏，城郎。"], "lu", YIN)] == [1, 2]
    assert [item.date.year for item in read_sequence(["秋，大水。", "夏，城郎。"], "lu", YIN)] == [1, 1]


def test_a_heading_names_the_reign():
    (item,) = read_sequence(["僖公二十八年"], "lu")
    assert (item.date.era, item.date.year) == ("魯僖公", 28)
    assert item.stated == ("era", "year")


def test_a_season_moves_on_but_never_back():
    assert months("秋，大水。", "冬，公次于滑。") == [7, 10]
    assert months("秋八月，", "秋，有蜮。") == [8, 8]


def test_what_is_known_only_by_season_spans_the_season():
    item, after = read_sequence(["秋，大水。", "大雩。"], "lu", YIN)
    assert item.stated == ("season",)
    assert item.inferred == ("month",)
    assert item.span.edtf() == after.span.edtf() == "-0721-07~/-0721-09~"


def test_an_intercalary_month_keeps_the_month_and_is_marked():
    _, item, after = read_sequence(["冬十月，", "閏月，葬齊景公。", "十有一月，"], "lu", YIN)
    assert (item.date.month, item.date.leap) == (10, True)
    assert (after.date.month, after.date.leap) == (11, False)


def test_the_opening_dates_a_text():
    assert months(
        "十有五年春，宋公使向戌來聘。二月己亥，及向戌盟于劉。", start=CalendarDate("lu", 14, era="魯襄公")
    ) == [2]
    assert months("秋，虢人侵晉。冬，虢人又侵晉。") == [7]
    assert months("三月，公會鄭伯。五月，盟。", "公至自會。") == [3, 3]
    assert months("三月，公會鄭伯。五月，盟。", "公至自會。", carry="last") == [3, 5]
    assert months("冬，公如齊。", "僖之元年，齊桓公遷邢于夷儀。") == [10, 10], "a year that the text only tells of"


def test_what_was_stated_and_what_was_carried():
    (item,) = read_sequence(["夏五月辛酉，公會齊侯。"], "lu", YIN)
    assert item.stated == ("season", "month", "day")
    assert item.carried == ("era", "year")
    assert item.date.sexagenary == 58


def test_without_a_start_nothing_is_known_before_a_reign_is_named():
    first, second = read_sequence(["夏五月，", "隱公元年春王正月，"], "lu")
    assert first.date is None
    assert first.span is None
    assert second.date.era == "魯隱公"


def test_eras_of_the_empire():
    lines = ["永明三年春正月甲戌，", "二月乙巳，", "四年春正月，", "閏月，"]
    found = read_sequence(lines, "chinese", CalendarDate("chinese", 1, era="南齊高帝建元"))
    assert [item.span.first_year for item in found][:3] == [485, 485, 486]


def test_a_calendar_must_count_reigns():
    with pytest.raises(EpochalError, match="hebrew"):
        read_sequence(["x"], "hebrew")
    with pytest.raises(EpochalError, match="start"):
        read_sequence(["x"], "lu", Span.year(-721))


# ---------------------------------------------------------------- diaries


def days(*texts, start=None):
    return [item.span and item.span.edtf() for item in read_sequence(texts, start=start)]


def test_a_diary():
    assert days("12 May 1843. Rain.", "13. Rain again.", "Nothing to tell.", "Tuesday. Sun.", "June 2nd. Home.") == [
        *("1843-05-12", "1843-05-13", "1843-05-13"),
        *("1843-05-16", "1843-06-02"),
    ]


def test_days_and_months_roll_over():
    assert days("30 December 1843.", "31.", "2. Snow.", "May 1. Spring.") == [
        *("1843-12-30", "1843-12-31"),
        *("1844-01-02", "1844-05-01"),
    ]
    assert days("30 Jan 1843", "31st.", "31.", "2nd.") == ["1843-01-30", "1843-01-31", "1843-01-31", "1843-02-02"]


def test_a_log_in_numbers_and_a_diary_in_chinese():
    assert days("1843-05-12 took in sail", "[13.] wind") == ["1843-05-12", "1843-05-13"]
    assert days("1937年7月7日，晴。", "八日，炮声不绝。", "星期日，雨。") == ["1937-07-07", "1937-07-08", "1937-07-11"]


def test_a_start_gives_the_year():
    assert days("12 May. Rain.") == [None]
    assert days("12 May. Rain.", start=Span.parse("1843-05-01")) == ["1843-05-12"]
    assert days("3. Rain.", start=Span.month(1843, 5)) == ["1843-05-03"]


def test_what_a_diary_states_and_carries():
    first, second, third = read_sequence(["12 May 1843.", "13.", "Tuesday."])
    assert first.stated == ("year", "month", "day")
    assert (second.stated, second.carried) == (("day",), ("year", "month"))
    assert (third.stated, third.inferred) == (("weekday",), ("day",))


@pytest.mark.parametrize(
    "text",
    [
        *("13 men came aboard.", "3.5 miles today.", "10:30 breakfast"),
        *("May I say so?", "Sat down to write.", "12/13 of it", ""),
    ],
)
def test_what_opens_no_entry(text):
    assert read_diary_cue(text) is None


def test_a_day_that_does_not_exist_says_nothing():
    assert days("30 May 1843.", "31 June. Fog.") == ["1843-05-30", "1843-05-30"]


def test_a_heading_in_brackets_moves_a_sequence_on():
    texts = [
        "【齐纪 建元元年正月（甲辰）】\n以江州刺史为都督。",
        "【齐纪 建元二年三月】\n诏申前命。",
        "〔武帝〕永明元年春，改元。",
    ]
    found = read_sequence(texts, "chinese", CalendarDate("chinese", 1, era="南齊高帝建元"))
    assert [(item.date.era[-2:], item.date.year) for item in found] == [("建元", 1), ("建元", 2), ("永明", 1)]
    assert found[1].date.month == 3


def test_a_year_behind_a_note_in_brackets_is_still_one_that_is_told_of():
    found = read_sequence(["元年春王正月。", "【傳】公及邾儀父盟，僖之二年也。"], "lu", YIN)
    assert (found[1].date.era, found[1].date.year) == ("魯隱公", 1)


LINES = st.lists(st.text(alphabet="123 May.JuneTuesday五月日元年春王正，。-/", max_size=14), max_size=6)


@given(LINES, st.sampled_from(["lu", "gregorian"]))
def test_any_sequence_is_read(texts, name):
    assert len(read_sequence(texts, name, CalendarDate(name, 1, 1, era="魯隱公" if name == "lu" else ""))) == len(texts)


# ---------------------------------------------------------------- the annals of Lu


def in_order(rows):
    def place(row):
        return [int(part) for part in re.findall(r"\d+", row["id"])][:3], row["id"].endswith("c")

    return sorted(rows, key=place)


@needs_data("chunqiu")
@pytest.mark.parametrize(
    ("source", "kind", "least"), [("左傳", "經", 0.995), ("左傳", "傳", 0.94), ("公羊傳", None, 0.99)]
)
def test_the_annals_agree_with_the_table(source, kind, least):
    rows = [json.loads(line) for line in ENTRIES.read_text(encoding="utf-8").splitlines()]
    rows = in_order(row for row in rows if row["src"] == source and kind in (None, row["kind"]))
    found = read_sequence([row["text"] for row in rows], "lu", YIN)
    pairs = [(row, item.date) for row, item in zip(rows, found, strict=True) if row["month"] is not None]
    right = [(row["gong"], row["year"], row["month"]) == (date.era[1], date.year, date.month) for row, date in pairs]
    assert sum(right) / len(right) >= least
