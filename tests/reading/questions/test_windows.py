"""Bounded stretches beside a stated time: wordings of our own, in Chinese of both scripts and in English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.ranking.pool import get_windows
from epochal.reading.questions.understand import understand
from epochal.times import Span, calendar
from epochal.times.numerals import to_han

NOW = Span.parse("2026-11-15")


def shown(text: str, now: Span | None = NOW) -> str:
    return ", ".join(f"{item.relation} {item.span.edtf()}" for item in understand(text, now).constraints)


def regnal(name: str, first: str, last: str | None = None) -> str:
    known = calendar(name)
    spans = [known.span(known.parse(text)[0]) for text in (first, last or first)]
    return spans[0].hull(spans[1]).edtf()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("2014年3月之前三个月内发生了哪些地震？", "before 2013-12/2014-02"),
        ("1998年5月前半年的匯率走勢", "before 1997-11/1998-04"),
        ("民國三年之前的兩年，誰是總統？", "before 1912/1913"),
        ("在2008年9月15日以前一周之内有哪些银行倒闭", "before 2008-09-08/2008-09-14"),
        ("从2014年3月往前推一年，谁是市长", "before 2013-03/2014-02"),
        ("2020年1月之前20天武汉的消息", "before 2019-12-12/2019-12-31"),
        ("去年三月份之前两个季度的销售额", "before 2024-09/2025-02"),
        ("公元前221年之前十年，秦國滅了誰？", "before -0230/-0221"),
        ("2011年3月之前一旬的氣象", "before 2011-02-19/2011-02-28"),
        ("2014年3月的前三個月", "before 2013-12/2014-02"),
        ("截至2014年3月以前，过去一年的财报", "before 2013-03/2014-02"),
        ("1937年7月7日前两三天", "before 1937-07-04~/1937-07-06~"),
    ],
)
def test_before(text: str, want: str) -> None:
    assert shown(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("2008年之后六个月", "after 2009-01/2009-06"),
        ("1911年10月10日後一年內，各省如何響應？", "after 1911-10-11/1912-10-10"),
        ("1945年8月之後半個月", "after 1945-09-01/1945-09-15"),
        ("1997年7月以后一年半的房价", "after 1997-08/1999-01"),
        ("1949年后的头十年", "after 1950/1959"),
        ("1905年其後五載，學堂之興如何", "after 1906/1910"),
        ("2003年3月之后的四个星期里", "after 2003-04-01/2003-04-28"),
        ("1644年和随后两年的战事", "after 1644/1646"),
        ("昭和二十年八月以後一季", "after 1945-09/1945-11"),
    ],
)
def test_after(text: str, want: str) -> None:
    assert shown(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("1989年前后两年", "around 1987/1991"),
        ("2001年9月11日左右三天的航班", "around 2001-09-08/2001-09-14"),
        ("1644年上下五年", "around 1639/1649"),
        ("2014年3月前后各2个月", "around 2014-01/2014-05"),
        ("1976年前两年到后一年的物价", "around 1974/1977"),
        ("去年十月前後不超過半個月", "around 2025-09-16/2025-11-15"),
        ("以1998年5月为中心，前后两个月的降雨", "around 1998-03/1998-07"),
        ("以民國三十八年為界，其後五年的移民", "after 1950/1954"),
        ("以1998年5月为起点的半年", "during 1998-05/1998-10"),
        ("1850年左右人们吃什么?", "around 1850~"),
    ],
)
def test_around(text: str, want: str) -> None:
    assert shown(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("1967年的上一年", "during 1966"),
        ("1967年前一年", "before 1966"),
        ("2014年3月的下个月", "during 2014-04"),
        ("2014年3月的次月", "during 2014-04"),
        ("2016年12月的前一個月", "before 2016-11"),
        ("2000年2月28日的翌日", "during 2000-02-29"),
        ("2014年第四季度的下一季度", "during 2015-33"),
        ("2014年3月的次年", "during 2015"),
        ("2014年的次年三月", "during 2015-03"),
        ("民國八年之明年", "during 1920"),
        ("1998年的第二年", "during 1999"),
        ("1998年的三年后", "during 2001"),
        ("1998年5月三个月以前", "during 1998-02"),
    ],
)
def test_the_unit_beside(text: str, want: str) -> None:
    assert shown(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("自1998年5月起三个月内", "during 1998-05/1998-07"),
        ("截至2014年3月的三个月", "during 2014-01/2014-03"),
        ("2014年前三个月", "during 2014-01/2014-03"),
        ("2014年的后两个月", "during 2014-11/2014-12"),
        ("2014年前半年", "during 2014-01/2014-06"),
        ("2014年最后十天", "during 2014-12-22/2014-12-31"),
    ],
)
def test_from_a_time_on_up_to_it_and_inside_it(text: str, want: str) -> None:
    assert shown(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("魯僖公二十八年四月之後兩個月", "after " + regnal("lu", "僖公二十八年五月", "僖公二十八年六月")),
        ("鲁桓公元年正月之前三个月", "before " + regnal("lu", "隱公十一年十月", "隱公十一年十二月")),
        ("魯隱公十一年之明年", "during " + regnal("lu", "桓公元年")),
        ("魯文公十四年七月前後各一個月", "around " + regnal("lu", "文公十四年六月", "文公十四年八月")),
        ("康熙六年的上一年", "during " + regnal("chinese", "康熙五年")),
        ("康熙六年之前的三年", "before " + regnal("chinese", "康熙三年", "康熙五年")),
        ("康熙元年前一年", "before " + regnal("chinese", "順治十八年")),
        ("永樂三年以後的兩年間", "after " + regnal("chinese", "永樂四年", "永樂五年")),
        ("乾隆五十年五月前後一個月", "around " + regnal("chinese", "乾隆五十年四月", "乾隆五十年六月")),
        ("同治三年五月的次月", "during " + regnal("chinese", "同治三年六月")),
        ("康熙六年前三個月", "during " + regnal("chinese", "康熙六年正月", "康熙六年三月")),
        ("the year after the first year of Duke Yin of Lu", "after " + regnal("lu", "隱公二年")),
    ],
)
def test_years_and_months_of_reigns(text: str, want: str) -> None:
    assert shown(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("What happened in the three months before May 1998?", "before 1998-02/1998-04"),
        ("Which laws were passed within two years after 1998?", "after 1999/2000"),
        ("Who was mayor the year before 1998?", "before 1997"),
        ("prices in the month after March 2014", "after 2014-04"),
        ("the 10 days following 5 May 1998", "after 1998-05-06/1998-05-15"),
        ("the five years leading up to 1914", "before 1909/1913"),
        ("the decade after 1945", "after 1946/1955"),
        ("within a month of 5 May 1998", "around 1998-04-05/1998-06-05"),
        ("around May 1998, give or take two months", "around 1998-03/1998-07"),
        ("three weeks before and after 5 May 1998", "around 1998-04-14/1998-05-26"),
        ("half a year before May 1998", "during 1997-11"),
        ("in the half year before May 1998", "before 1997-11/1998-04"),
        ("Who ruled two years after 1998?", "during 2000"),
        ("What was built in the two years after the 1906 earthquake?", "after 1906/1908"),
        ("rents in 1998 and the following two years", "after 1998/2000"),
        ("the first three months of 1998", "during 1998-01/1998-03"),
        ("sales in the 12 months to March 2014", "during 2013-04/2014-03"),
        ("the three years from 1998", "during 1998/2000"),
        ("in the year after the Korean War", "after 1953-07-28/1954-07-27"),
        ("in the twenty-five years before 1914", "before 1889/1913"),
        ("the preceding month of May 1998", "during 1998-04"),
        ("a hundred years before 1998", "during 1898"),
        ("Who resigned a few days before 5 May 1998?", "before 1998-05-02~/1998-05-04~"),
        ("the three years up to and including 1998", "during 1996/1998"),
    ],
)
def test_english(text: str, want: str) -> None:
    assert shown(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("1949年以後三大戰役的紀念館", "after 1950/.."),
        ("2014年之前三名市长", "before ../2013"),
        ("2014年3月之后三年级的教材", "after 2014-04/.."),
        ("康熙六年以後", "after 1668-02-12/.."),
        ("2014年3月前后天气如何", "around 2014-03~"),
        ("the years before 1914", "before ../1913"),
        ("in the month of May 1998", "during 1998-05"),
        ("the year of 1998", "during 1998"),
        ("in the weeks after 5 May 1998", "after 1998-05-06/.."),
    ],
)
def test_what_states_no_length_stays_open(text: str, want: str) -> None:
    assert shown(text) == want


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("2014年3月之前三个月内发生了哪些地震？", "发生了哪些地震"),
        ("在康熙六年前後兩年裡，誰任大學士？", "誰任大學士"),
        ("2014年3月的下个月谁当选？", "谁当选"),
        ("Who was mayor in the three months before May 1998?", "Who was mayor"),
        ("Which laws were passed within two years after 1998?", "Which laws were passed"),
        ("What was the weather around May 1998, give or take two months?", "What was the weather"),
    ],
)
def test_the_topic_keeps_no_word_of_the_window(text: str, topic: str) -> None:
    assert understand(text, NOW).topic == topic


def test_windows_bind_and_are_what_is_searched() -> None:
    found = understand("魯成公七年正月之前半年有何戰事？")
    assert [item.binds for item in found.constraints] == [True]
    assert [span.edtf() for span in found.periods] == ["-0584-07~/-0584-12~"]
    assert [window.span for window in get_windows(found)] == list(found.periods)
    assert found.anchors == ("about January 584 BCE",)


def test_a_change_within_a_window_sets_its_ends_against_each_other() -> None:
    found = understand("How did rents change in the four years after 1998?", NOW)
    assert (found.cross_period, [span.edtf() for span in found.periods]) == (True, ["1999", "2002"])


def test_the_last_years_before_a_time_are_not_the_last_years_before_now() -> None:
    found = understand("How did trade change over the last ten years before 1914?", NOW)
    assert [span.edtf() for span in found.periods] == ["1904", "1913"]


def test_traditional_characters_bind_as_simplified_ones_do() -> None:
    for text in ("2008年之后发生了哪些金融改革?", "2008年以来房价有什么变化?", "1850年左右人们吃什么?"):
        old = text.replace("后", "後").replace("来", "來").replace("么", "麼").replace("变", "變").replace("们", "們")
        assert shown(text) == shown(old)
        assert understand(text, NOW).cross_period == understand(old, NOW).cross_period


@given(st.integers(1, 99), st.sampled_from(("个月", "年", "天", "周")), st.integers(1200, 2090), st.integers(1, 12))
def test_windows_lie_against_their_anchor(count: int, unit: str, year: int, month: int) -> None:
    anchor = Span.month(year, month)
    for number in (str(count), to_han(count)):
        stated = f"{year}年{month}月"
        spans = [
            understand(f"{stated}{side}{number}{unit}").periods[0] for side in ("之前的", "之后的", "前后各", "起的")
        ]
        before, after, around, start = spans
        assert (before.end, after.start) == (anchor.start, anchor.end)
        assert (around.start, around.end) == (before.start, after.end)
        assert start.start == anchor.start
