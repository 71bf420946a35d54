"""Years of reigns in English words: which are read, and what only looks like one."""

from __future__ import annotations

import pytest

from epochal import resolve
from epochal.reading import tag
from epochal.reading.questions import understand
from epochal.reading.reigns import find_reigns

READ = {
    "What happened in the third month of the first year of Duke Yin of Lu?": "-0721-03~",
    "Events of the 3rd month of the 28th year of Duke Xi": "-0631-03~",
    "What is recorded for month 3 of year 1 of Duke Yin of Lu?": "-0721-03~",
    "Duke Yin of Lu, year 1, month 3: what happened?": "-0721-03~",
    "What did they do in Duke Zhuang's 2nd year, 12th month?": "-0691-12~",
    "What happened in the eleventh year of Duke Yin?": "-0711~",
    "Which laws were passed in the twenty-fifth year of the reign of Henry VIII?": "1533-05-02/1534-05-01",
    "What happened in the 10th year of Meiji?": "1877",
    "What happened in the 23rd year of the Kangxi era?": "1684-02-15/1685-02-02",
}
NOT_READ = [
    "Who won the first year of the war?",
    "What did Lincoln do in his second year in office?",
    "the third year of nobody",
    "What happened in the first year of Jianyuan?",
    "What happened in the ninety-ninth year of Duke Yin?",
    "What happened in the 99th year of Duke Yin?",
]


@pytest.mark.parametrize(("question", "expected"), READ.items())
def test_a_reign_in_words_is_the_constraint(question, expected):
    (found,) = understand(question).constraints
    assert found.relation == "during"
    assert found.span.edtf() == expected


@pytest.mark.parametrize("text", NOT_READ)
def test_other_years_and_names_of_several_reigns_are_left_out(text):
    assert find_reigns(text) == []


def test_the_place_is_that_of_the_words():
    text = "What of the third month of the first year of Duke Yin of Lu, then?"
    (found,) = find_reigns(text)
    assert (
        text[found.start_char : found.end_char] == found.text == "the third month of the first year of Duke Yin of Lu"
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("魯隱公元年三月發生了什麼", "-0721-03~"),
        ("鲁隐公元年三月发生了什么？", "-0721-03~"),
        ("查詢《春秋》，魯隱公元年十二月這一月有什麼重要事件？", "-0721-12~"),
        ("魯隱公三年四月辛卯，誰卒？", "-0719-04~"),
        ("《资治通鉴·齐纪》在建元元年正月记载了什么？", "0479-02-08/0479-03-09"),
        ("《晉書》在建元元年正月記載了什麼？", "0343-02-12/0343-03-13"),
        ("《资治通鉴·齐纪》在永明元年闰月记载了什么？", "0483-06-22/0483-07-21"),
    ],
)
def test_reigns_in_characters_are_the_constraint(question, expected):
    assert [item.span.edtf() for item in understand(question).constraints] == [expected]


def test_an_era_of_several_realms_stays_open_while_none_is_named():
    assert understand("建元元年正月發生了什麼？").constraints == ()


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("The act was passed in 12 Henry VIII.", "12 Henry VIII", "1520-05-02/1521-05-01"),
        ("By the statute 25 Hen. 8 c. 19 the clergy submitted.", "25 Hen. 8", "1533-05-02/1534-05-01"),
        ("An Act of 13 & 14 Car. 2 c. 12 settled the poor.", "13 & 14 Car. 2", "1661-02-09/1663-02-08"),
        ("It was granted in the 3rd year of Edward II.", "the 3rd year of Edward II", "1309-07-16/1310-07-15"),
    ],
)
def test_years_of_reigns_are_read_in_running_text(text, words, expected):
    (found,) = tag(text)
    assert (found.text, found.span.edtf()) == (words, expected)


@pytest.mark.parametrize("text", ["Room 1 Mary.", "In chapter 3 John ran.", "Anne came 2 Will.", "It has 4 Georges."])
def test_names_behind_numbers_are_no_reigns(text):
    assert tag(text) == []


def test_a_roman_date_is_the_same_day_for_all_readers():
    (found,) = tag("the Ides of March, 44 BC")
    assert found.span == resolve("the Ides of March, 44 BC")[0].span
    assert found.value == "BC0044-03-15"
