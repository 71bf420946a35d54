"""Classical annals: what a cue states, what it comes to in a regnal calendar, and what is no cue."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.reading.chinese.annals import AnnalsTagger, find_cues
from epochal.times import CalendarDate, Span
from epochal.times.axis import DAY
from epochal.times.calendars.date_text import format_han_year
from epochal.times.numerals import get_sexagenary_day, to_ganzhi
from paths import DATA, needs_data

FILES = DATA / "chunqiu"
LU = AnnalsTagger("lu", start=CalendarDate("lu", 1, era="魯隱公"))
CHINESE = AnnalsTagger("chinese")

CUES = {
    "元年春王正月。": (1, 1, 1, False),
    "夏五月，鄭伯克段于鄢。": (None, 2, 5, False),
    "冬十有二月，祭伯來。": (None, 4, 12, False),
    "十有五年春，宋公使向戌來聘。": (15, 1, None, False),
    "二十有六年，春王正月己未，": (26, 1, 1, False),
    "七年。春，宋皇瑗帅师侵郑。": (7, 1, None, False),
    "閏月，葬齊景公。": (None, None, 0, True),
    "闰三月，非礼也。": (None, None, 3, True),
    "秋，大水。": (None, 3, None, False),
    "秋大水。": (None, 3, None, False),
    "元年春，王周正月，": (1, 1, 1, False),
    "其五月，秦、晉為成": (None, None, 5, False),
}


@pytest.mark.parametrize(("text", "parts"), CUES.items())
def test_cues(text, parts):
    cue = next(find_cues(text))
    assert (cue.year, cue.season, cue.month, cue.leap) == parts


@pytest.mark.parametrize(
    "text",
    [
        "天子七月而葬，同軌畢至。",
        "孔子行乎季孫，三月不違。",
        "三年而復之。",
        "夏父弗忌為宗伯。",
        "春秋之義也。",
        "公子益師卒。",
        "三年之喪。",
        "",
    ],
)
def test_what_is_no_cue(text):
    assert list(find_cues(text)) == []


def test_a_day_by_its_name():
    cue = next(find_cues("壬申，公朝于王所。"))
    assert to_ganzhi(cue.day_name) == "壬申"
    assert cue.stated == ("day",)
    assert list(find_cues("壬申公朝于王所。")) == [], "without a pause it may be a name"


def test_era_year_month_day():
    (expr,) = CHINESE.tag("永明三年春正月甲戌，魏主如方山。")
    assert (expr.text, expr.value) == ("永明三年春正月甲戌", "0485-02-07")
    assert to_ganzhi(get_sexagenary_day(expr.span.start // DAY)) == "甲戌"
    assert expr.stated == ("era", "year", "season", "month", "day")
    assert expr.carried == ()


def test_parts_are_carried_within_a_text():
    first, second, third = CHINESE.tag("永明三年春正月甲戌，魏主如方山。二月乙巳，還宮。四年春正月，大赦。")
    assert second.value == "0485-03-10"
    assert second.carried == ("era", "year")
    assert third.span.first_year == 486
    assert first.span.end <= second.span.start < third.span.start


def test_an_ambiguous_era_gets_no_span():
    (expr,) = CHINESE.tag("建平元年春正月，大赦。")
    assert expr.span is None
    assert expr.confidence < 0.5
    nearby = AnnalsTagger("chinese", start=CalendarDate("chinese", 2, era="西漢成帝綏和"))
    assert nearby.tag("建平元年，")[0].span.first_year in (-6, -5)


def test_a_day_outside_its_month_leaves_the_month():
    (expr,) = CHINESE.tag("永明三年春正月丙辰，")
    assert expr.span.days == 29


def test_the_reference_time_gives_the_reign():
    tagger = AnnalsTagger("lu")
    assert tagger.tag("秋七月。")[0].span is None
    (expr,) = tagger.tag("秋七月。", now=Span.year(-631))
    assert (expr.value, expr.mod) == ("BC0632-07", "APPROX")


def test_a_calendar_without_reigns_in_characters_is_refused():
    with pytest.raises(EpochalError, match="gregorian"):
        AnnalsTagger("gregorian")
    with pytest.raises(EpochalError, match="british"):
        AnnalsTagger("british")


PIECES = st.sampled_from(
    [
        *"元一二三十有年春夏秋冬王正月閏闰甲乙子丑朔晦日，。公即位薨而之不自其永明建平隱莊后岁7",
        *("十有二", "魯", "\n", " "),
    ]
)


@given(st.lists(PIECES, max_size=16).map("".join), st.sampled_from([LU, CHINESE, AnnalsTagger("nengo")]))
def test_any_text_never_raises_nor_overlaps(text, tagger):
    done = 0
    for expr in tagger.tag(text, Span.year(485)):
        assert done <= expr.start_char < expr.end_char <= len(text)
        assert text[expr.start_char : expr.end_char] == expr.text
        done = expr.end_char


def rows(name):
    return [json.loads(line) for line in (FILES / name).read_text(encoding="utf-8").splitlines()]


@needs_data("chunqiu")
def test_months_of_the_annals_read_alone():
    entries = [row for row in rows("entries.jsonl") if row["kind"] == "經" and row["month_basis"] == "month"]
    right = 0
    for row in entries:
        reign = next(item for item in LU.calendar.table.reigns if item.name == f"{row['gong']}公")
        start = CalendarDate("lu", row["year"], era=reign.id)
        months = [reading.date.month for reading in LU.read(row["text"], start) if reading.cue.month]
        right += months[:1] == [row["month"]]
    assert right / len(entries) >= 0.99


@needs_data("chunqiu")
def test_eras_years_and_months_of_the_mirror():
    found = [row for row in rows("zztj_qiji.jsonl") if "meta" not in row["id"]]
    for row in found:
        meta = row["time_meta"]
        year = format_han_year(meta["era_year"])
        text = f"齐{meta['reign']}{year}{meta['season'] or ''}{meta['lunar_month_label'] or ''}，"
        (reading,) = CHINESE.read(text)
        assert reading.date.year == meta["era_year"]
        assert meta["lunar_month"] in (None, reading.date.month)
        assert abs(reading.span.first_year - meta["ad_year"]) <= 1
