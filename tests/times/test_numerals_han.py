"""Numbers in Chinese characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.times.numerals import DIGITS, NUMERAL_CHARS, from_han, to_han

READ = [
    ("〇", 0),
    ("零", 0),
    ("元", 1),
    ("正", 1),
    ("一", 1),
    ("九", 9),
    ("十", 10),
    ("一十", 10),
    ("十二", 12),
    ("二十", 20),
    ("九十九", 99),
    ("百", 100),
    ("一百零五", 105),
    ("一百一十", 110),
    ("百廿三", 123),
    ("三百二十一", 321),
    ("二千零四", 2004),
    ("九千九百九十九", 9999),
    # single characters for twenty, thirty and forty
    ("廿", 20),
    ("卄", 20),
    ("廿三", 23),
    ("卅", 30),
    ("卅一", 31),
    ("丗六", 36),
    ("卌", 40),
    ("卌八", 48),
    # tens and ones joined, as the Annals do
    ("十有二", 12),
    ("廿有三", 23),
    ("三十有一", 31),
    ("三十又三", 33),
    ("百有五", 105),
    # digit by digit
    ("一九八四", 1984),
    ("二〇〇四", 2004),
    ("二○○四", 2004),
    ("二零二四", 2024),
    ("一〇", 10),
    # the forms of accounts
    ("壹", 1),
    ("贰拾叁", 23),
    ("貳拾參", 23),
    ("陸佰柒拾捌", 678),
    ("壹仟零伍", 1005),
    # digits
    ("0", 0),
    ("12", 12),
    ("007", 7),
    ("１２", 12),
    ("２０２４", 2024),
]

NONSENSE = [
    "",
    " ",
    "月",
    "年",
    "甲子",
    "十月",
    "有",
    "有二",
    "十有",
    "二有三",
    "十十",
    "十百",
    "廿十",
    "二廿",
    "二廿三",
    "一二十",
    "十二三",
    "百千",
    "零十",
    "元元",
    "元一",
    "正一",
    "十元",
    "12三",
    "三4",
    "-1",
    "+1",
    "1.5",
    "1 2",
    "XII",
    "²",
    "٣",
    "9" * 5000,
    "九" * 5000,
]


@pytest.mark.parametrize(("text", "number"), READ)
def test_reads(text, number):
    assert from_han(text) == number


@pytest.mark.parametrize("text", NONSENSE, ids=lambda text: text[:8] or "empty")
def test_nonsense_is_no_number(text):
    assert from_han(text) is None


def test_round_trip_of_every_number_to_9999():
    written = [to_han(number) for number in range(10_000)]
    assert [from_han(text) for text in written] == list(range(10_000))
    assert len(set(written)) == 10_000


def test_written_numbers_use_plain_characters_only():
    assert set("".join(to_han(number) for number in range(10_000))) == set(DIGITS) | set("零十百千")


@pytest.mark.parametrize("number", [-1, 10_000, 123_456])
def test_numbers_beyond_the_characters_are_written_in_digits(number):
    assert to_han(number) == str(number)


@pytest.mark.parametrize("digits", ["0123456789", "０１２３４５６７８９", DIGITS])
def test_digit_by_digit_in_any_script(digits):
    for number in (10, 99, 105, 1984, 2004):
        assert from_han("".join(digits[int(char)] for char in str(number))) == number


def test_every_character_that_reads_is_listed():
    assert all(set(text) <= set(NUMERAL_CHARS) for text, _ in READ)


@given(st.text(alphabet=NUMERAL_CHARS + "年月日甲子 -", max_size=12))
def test_any_text_gives_a_number_or_none(text):
    number = from_han(text)
    assert number is None or number >= 0
    if number is not None:
        assert set(text) <= set(NUMERAL_CHARS)


@given(st.integers(0, 9999), st.sampled_from(["有", "又"]))
def test_a_joiner_between_tens_and_ones_changes_nothing(number, joiner):
    text = to_han(number)
    if number > 10 and number % 10 and text[-2] != "零":
        assert from_han(text[:-1] + joiner + text[-1]) == number
    else:
        assert from_han(text) == number
