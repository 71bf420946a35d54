"""Modern Chinese: what is found and what it means, what must not be found, and what holds for any text at all."""

from __future__ import annotations

import ast
import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costs import assert_linear
from epochal.reading import tag
from epochal.reading.chinese import ChineseTagger
from epochal.reading.expression import KINDS
from epochal.times import OPEN_END, OPEN_START, Span
from paths import DATA, needs_data

NOW = Span.parse("2024-02-29")
TAGGER = ChineseTagger()
CORPUS = [
    line
    for line in (Path(__file__).parent / "data" / "false_positives_zh.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def read(text, now=NOW):
    return [(expr.text, expr.kind, expr.value, expr.mod) for expr in TAGGER.tag(text, now)]


def one(text, now=NOW):
    (expr,) = TAGGER.tag(text, now)
    assert expr.text == text
    return expr


ABSOLUTE = {
    "2023年5月3日": "2023-05-03",
    "２０２３年５月３日": "2023-05-03",
    "二〇二三年": "2023",
    "一九四九年十月一日": "1949-10-01",
    "公元前221年": "BC0221",
    "西元1911年": "1911",
    "98年5月": "1998-05",
    "90年代": "199",
    "上世纪90年代": "199",
    "二十世紀九十年代": "199",
    "19世纪": "18",
    "公元前3世纪": "BC02",
    "2020年第1季度": "2020-Q1",
    "2020Q3": "2020-Q3",
    "2021年下半年": "2021-H2",
    "2023年春": "2023-SP",
    "民国38年10月1日": "1949-10-01",
    "民國三十八年": "1949",
    "康熙二十三年五月初三": "1684-06-15",
    "康熙二十三年的五月初三": "1684-06-15",
    "农历2023年腊月二十三": "2024-02-02",
    "2023年国庆节": "2023-10-01",
    "2024年春節": "2024-02-10",
    "2018/5/3": "2018-05-03",
}
RELATIVE = {
    "5月3日": "2023-05-03",
    "2月3日": "2024-02-03",
    "今天": "2024-02-29",
    "昨日": "2024-02-28",
    "大后天": "2024-03-03",
    "昨晚8点": "2024-02-28T20",
    "去年": "2023",
    "大前年": "2021",
    "去年3月": "2023-03",
    "两年前11月": "2022-11",
    "4年前的1月": "2020-01",
    "五年前的今天": "2019-02-28",
    "上个月15日": "2024-01-15",
    "下個月": "2024-03",
    "上周五": "2024-02-23",
    "本周": "2024-W09",
    "下星期三": "2024-03-06",
    "周三": "2024-02-28",
    "三天前": "2024-02-26",
    "半年前": "2023-08",
    "兩週前": "2024-W07",
    "第三季度": "2023-Q3",
    "上季度": "2023-Q4",
    "上半年": "2024-H1",
    "前三季度": "2023-01/2023-09",
    "农历八月十五": "2023-09-29",
    "中秋节": "2023-09-29",
    "除夕": "2024-02-09",
    "上午10点30分": "2024-02-29T10:30",
    "下午3时": "2024-02-29T15",
    "凌晨": "2024-02-29TNI",
    "去冬": "2023-WI",
    "目前": "PRESENT_REF",
    "近日": "PAST_REF",
}
AMOUNTS = {
    "三年": ("DURATION", "P3Y"),
    "两个月": ("DURATION", "P2M"),
    "10天": ("DURATION", "P10D"),
    "半年": ("DURATION", "P6M"),
    "三个半小时": ("DURATION", "PT3H30M"),
    "半个世纪": ("DURATION", "P50Y"),
    "近五年": ("DURATION", "P5Y"),
    "過去十年": ("DURATION", "P10Y"),
    "十多年": ("DURATION", "P10Y"),
    "一个多月": ("DURATION", "P1M"),
    "每年": ("SET", "P1Y"),
    "每天": ("SET", "P1D"),
    "每周一": ("SET", "XXXX-WXX-1"),
    "每两年": ("SET", "P2Y"),
    "每年5月1日": ("SET", "XXXX-05-01"),
}


@pytest.mark.parametrize(("text", "value"), ABSOLUTE.items())
def test_absolute(text, value):
    assert one(text).value == value
    assert one(text, None).value == value, "what is absolute needs no reference time"


@pytest.mark.parametrize(("text", "value"), RELATIVE.items())
def test_relative(text, value):
    expr = one(text)
    assert expr.value == value
    assert expr.span is not None


@pytest.mark.parametrize("text", RELATIVE)
def test_without_a_reference_time_nothing_relative_has_a_span(text):
    for expr in TAGGER.tag(text, None):
        assert expr.span is None


@pytest.mark.parametrize(("text", "expected"), AMOUNTS.items())
def test_amounts(text, expected):
    assert (one(text).kind, one(text).value) == expected


def test_parts_have_a_mod():
    assert one("2023年初").mod == one("5月上旬").mod == one("上世纪80年代初").mod == "START"
    assert one("去年年底").mod == one("5月底").mod == one("19世纪末").mod == one("三季度末").mod == "END"
    assert one("十七世纪中叶").mod == one("5月中旬").mod == "MID"
    assert one("5月下旬").span.edtf() == "2023-05-21~/2023-05-31~"
    assert read("约2010年") == read("2010年左右") == [("2010年", "DATE", "2010", "APPROX")]


def test_ranges_are_two_expressions_and_the_second_takes_what_it_lacks_from_the_first():
    assert [item[:1] + item[2:3] for item in read("2019-2021年")] == [("2019", "2019"), ("2021年", "2021")]
    assert [item[2] for item in read("2023年3月5日至8日")] == ["2023-03-05", "2023-03-08"]
    assert [item[2] for item in read("11月至1月")] == ["2023-11", "2024-01"]
    assert [item[2] for item in read("5月3-8日")] == ["2023-05-03", "2023-05-08"]
    assert [item[2] for item in read("（1881—1936）")] == ["1881", "1936"]
    (_, last) = TAGGER.tag("2023年3月5日至8日", NOW)
    assert (last.stated, last.carried) == (("day",), ("year", "month"))


def test_words_of_relation_are_no_part_of_the_expression():
    text = "截至2023年5月，自2010年以来，2015年之前，2016年以后"
    assert [expr.text for expr in TAGGER.tag(text)] == ["2023年5月", "2010年", "2015年", "2016年"]


def test_a_missing_year_is_that_of_the_story_else_by_the_rule_of_news():
    assert [item[2] for item in read("2019年5月3日，他离开北京。6月1日，抵达巴黎。同年8月回国。次年又去。")] == [
        *("2019-05-03", "2019-06-01", "2019-08"),
        "2020",
    ]
    assert read("他将于5月出访")[0][2] == "2024-05"
    assert read("他于5月出访")[0][2] == "2023-05"
    assert read("她生于1929年。告别仪式于3月14日举行")[1][2] == "2023-03-14"


@pytest.mark.parametrize("text", ["文公元年，昭二十年二月己丑", "2019年5月，哀十二年十二月螽", "其後元年三月"])
def test_a_month_behind_the_number_of_a_year_is_of_no_other_year(text):
    month = tag(text, Span.parse("2024-02-15"))[-1]
    assert month.span is None
    assert month.value.startswith("XXXX-")


def test_stated_and_carried():
    expr = one("5月3日")
    assert (expr.stated, expr.carried) == (("month", "day"), ("year",))
    assert one("2023年5月").carried == ()


def test_more_than_so_long_ago_is_only_the_past():
    assert read("五年多前") == [("五年多前", "DATE", "PAST_REF", "")]
    assert read("一个多星期前") == [("一个多星期前", "DATE", "PAST_REF", "")]


def test_the_end_of_a_day_belongs_to_it():
    expr = one("2020年8月15日24时")
    assert expr.value == "2020-08-15T24"
    assert expr.span in Span.day(2020, 8, 15)


def test_titles_keep_only_their_years():
    assert read("《百年孤独》《十月围城》") == []
    assert [item[0] for item in read("《2023年政府工作报告》")] == ["2023年"]
    assert [item.text for item in tag("奥威尔的《1984》出版于1949年，〈2012〉和『1917』是电影。", NOW)] == ["1949年"]
    assert read("《1984年》") == tag("《1Q84》") == tag("〈1984〉") == []
    assert [item.text for item in tag("“In 1984” 和《The Crown 1998》", NOW)] == ["1984"]


def test_both_scripts_mean_the_same():
    pairs = {"去年國慶節": "去年国庆节", "下個禮拜一": "下个礼拜一", "二十世紀": "二十世纪", "三個月後": "三个月后"}
    for traditional, simplified in pairs.items():
        assert one(traditional).value == one(simplified).value


def test_the_corpus_is_large_enough():
    assert len(CORPUS) >= 60


@pytest.mark.parametrize("sentence", CORPUS)
def test_nothing_is_made_up(sentence):
    assert read(sentence) == []
    assert read(sentence, None) == []


FRAGMENTS = [
    *"年月日号时点分秒季周天个前后上下今去昨明本每近半多第约至到—-年代初末底中旬春夏秋冬元正腊闰两廿卅十百千〇零一二三九",
    *("世纪", "公元前", "农历", "民国", "康熙", "礼拜", "星期", "小时", "春节", "除夕"),
    *("上午", "今天", "去年", "目前", "的", "以来", "2023", "１９", "13", "31", "0", "9999", "10:30", "Q3"),
    *"《》（）。，\n a",
]
PIECES = st.sampled_from(FRAGMENTS)
NOWS = st.sampled_from(
    [
        None,
        NOW,
        Span.year(2024),
        Span.parse("2024-02"),
        Span.year(-220),
        Span.parse("1985/.."),
        Span.parse("../1985"),
        Span(OPEN_START, OPEN_END),
        Span.parse("2024-02-29T10:15:00Z"),
    ]
)


def check(text, now):
    done = 0
    for expr in TAGGER.tag(text, now):
        assert done <= expr.start_char < expr.end_char <= len(text)
        assert text[expr.start_char : expr.end_char] == expr.text
        assert expr.kind in KINDS
        assert expr.value
        done = expr.end_char


@given(st.lists(PIECES, max_size=14).map("".join), NOWS)
def test_pieces_of_dates_never_raise_nor_overlap(text, now):
    check(text, now)


@given(st.text(max_size=60), NOWS)
def test_any_text_never_raises(text, now):
    check(text, now)


@pytest.mark.slow
def test_many_random_texts_are_read_soundly():
    rng = random.Random(11)
    pieces = [*FRAGMENTS, *ABSOLUTE, *RELATIVE, *AMOUNTS]
    nows = [None, NOW, Span.year(-220), Span.parse("1985/.."), Span(OPEN_START, OPEN_END)]
    for _ in range(50_000):
        text = "".join(rng.choices(pieces, k=rng.randint(1, 10)))
        if rng.random() < 0.4:
            place = rng.randrange(len(text))
            text = (
                text[:place]
                + chr(rng.choice((rng.randrange(32, 0xD800), rng.randrange(0x4E00, 0x9FFF))))
                + text[place:]
            )
        if rng.random() < 0.3:
            place = rng.randrange(len(text))
            text = text[:place] + text[place + 1 :]
        check(text, rng.choice(nows))


@pytest.mark.parametrize(
    "piece", ["一", "1", "二〇二三年", "十年前的", "《", "《三》今天", "上", "2019-", "每", "正月", "约"]
)
def test_time_is_linear(piece):
    assert_linear(lambda text: TAGGER.tag(text, NOW), lambda count: piece * count, 500, 5_000)


def test_a_date_far_back_costs_nothing():
    def make(count: int) -> str:
        return "2019年5月3日" + "凌晨" * count

    assert_linear(lambda text: TAGGER.tag(text, NOW), make, 2_500, 20_000)


CHRONOQA = DATA / "chronoqa" / "questions.jsonl.gz"


@pytest.fixture(scope="module")
def questions():
    with gzip.open(CHRONOQA, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def day_of(text):
    return Span.day(*(int(part) for part in text.split("-")))


@needs_data("chronoqa")
def test_explicit_questions_have_a_date(questions):
    explicit = [row for row in questions if row["temporal_expression_type"] == "explicit"]
    # 是在同一个月发生的吗 is called explicit though it names no time: there is nothing to find.
    named = [row for row in explicit if "同一" not in row["question"]]
    found = [row for row in named if any(e.kind in ("DATE", "TIME") for e in TAGGER.tag(row["question"]))]
    assert len(found) / len(named) >= 0.99


@needs_data("chronoqa")
def test_relative_questions_have_a_span(questions):
    rows = [row for row in questions if row["temporal_type"] == "relative"]
    found = [row for row in rows if any(e.span for e in TAGGER.tag(row["question"], day_of(row["question_date"])))]
    assert len(found) / len(rows) >= 0.93


@needs_data("chronoqa")
def test_dated_chunks_hold(questions):
    for row in questions[:400]:
        for chunk in ast.literal_eval(row["golden_chunks"]):
            check(chunk, day_of(row["question_date"]))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2014年3月这个月发生了什么", ["2014-03"]),
        ("2014年3月份這個月", ["2014-03"]),
        ("1998年这一年有哪些事件", ["1998"]),
        ("这个月有什么新闻", ["2024-02"]),
        ("2014年，这一年的洪水", ["2014", "2024"]),
    ],
)
def test_this_month_right_behind_a_month_is_that_month(text, values):
    assert [item[2] for item in read(text)] == values


@pytest.mark.parametrize(
    ("text", "now", "expected"),
    [
        ("周六有雨,最高气温12度。", "2024-03-06", "2024-03-09"),
        ("星期天:晴", "2024-03-06", "2024-03-10"),
        ("周日晴转多云", "2024-03-06", "2024-03-10"),
        ("周五见!", "2024-03-06", "2024-03-08"),
        ("请于周五前提交。", "2024-03-06", "2024-03-08"),
        ("周五截止报名", "2024-03-06", "2024-03-08"),
        ("周五将公布财报", "2024-03-06", "2024-03-08"),
        ("图书馆从8月1日起闭馆。", "2024-06-20", "2024-08-01"),
        ("图书馆从8月1日起闭馆。", "2024-10-20", "2024-08-01"),
        ("8月1日将举行会议", "2024-06-20", "2024-08-01"),
        ("周五提交了报告。", "2024-03-06", "2024-03-01"),
        ("公司周五宣布将裁员", "2024-03-06", "2024-03-01"),
        ("警方周六称,嫌疑人已被捕", "2024-03-06", "2024-03-02"),
        ("周四晚有雨造成交通中断了", "2024-03-06", "2024-02-29TEV"),
        ("周二:公司发布了财报", "2024-03-06", "2024-03-05"),
        ("据报道,周六发生地震。", "2024-03-06", "2024-03-02"),
        ("8月1日起床后他出门了", "2024-06-20", "2023-08-01"),
    ],
)
def test_direction_is_told_by_what_follows_too(text, now, expected):
    assert [item.value for item in tag(text, Span.parse(now))][:1] == [expected]


@pytest.mark.parametrize("year", ["1884年", "光绪十年"])
def test_what_came_years_later_counts_from_the_date_of_the_text(year):
    assert tag(f"{year}大水冲毁石桥,两年后重建。")[1].value == "1886"


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("2023年12月16日元旦小长假火车票开售。", ["2023年12月16日", "元旦"]),
        ("1月5日元首会面", ["1月5日"]),
        ("2024年2月24日元宵节灯会", ["2024年2月24日", "元宵节"]),
        ("花了16日元。", []),
        ("票价为5月30日元", ["5月"]),
    ],
)
def test_yen_are_no_days_and_a_day_may_stand_before_a_word_like_them(text, times):
    assert [item for item, *_ in read(text)] == times
