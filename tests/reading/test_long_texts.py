"""Long texts are read as short ones are: no expression is cut in two, and endless runs take no endless time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

import epochal
from costs import find_growth
from epochal.errors import EpochalError
from epochal.reading.expression import stated_ranges
from epochal.reading.long_texts import read_in_pieces, shorten_runs

LISTS = {
    "en": ("in May 1998, ", "May 1998"),
    "de": ("im Mai 1998, ", "Mai 1998"),
    "fr": ("en mai 1998, ", "mai 1998"),
    "es": ("en mayo de 1998, ", "mayo de 1998"),
    "ru": ("в мае 1998 года, ", "мае 1998 года"),
    "zh": ("1998年5月,", "1998年5月"),
}


@pytest.mark.parametrize("lang", LISTS)
def test_no_expression_of_a_long_text_is_cut_in_two(lang):
    unit, words = LISTS[lang]
    count = 34_000 // len(unit)
    found = epochal.tag(unit * count, lang=lang)
    assert [item.text for item in found] == [words] * count
    assert [item.start_char for item in found] == [unit.index(words) + number * len(unit) for number in range(count)]


def test_a_piece_ends_where_no_expression_is():
    text = "x" * 9_990 + " Jan. 1998 and so on. " * 3_000
    calls: list[str] = []

    def read(piece: str) -> list:
        calls.append(piece)
        return [item for item in epochal.tag(piece, lang="en") if item.text == "Jan. 1998"]

    assert len(read_in_pieces(text, read)) == 3_000
    assert len(calls) > 2


def test_places_are_those_of_the_whole_text():
    text = f"In May{' ' * 500}1998 {'-' * 5000} and{' ' * 3000}2003 {'7' * 999} in June 2005"
    found = epochal.tag(text)
    assert [item.value for item in found] == ["1998-05", "2003", "2005-06"]
    assert all(text[item.start_char : item.end_char] == item.text for item in found)
    assert shorten_runs("一二三四五六七八九十" * 100)[1] == []


RUNS = [
    " ",
    "\n",
    "\t ",
    "0",
    "1998",
    "A",
    "-",
    ".",
    "(",
    "1. ",
    "- ",
    "one ",
    "May ",
    "the ",
    "of the ",
    "12:",
    "/",
    "|",
]
RUNS += ["年", "一", "1,", "' ", '"', "I", "X ", "st ", "ago ", "next ", "\u00a0"]
STARTS = ["In May 1998", "the reign of", "1998", "| 1998 |", "from 5 to"]
LANGS = ["en", "de", "fr", "es", "it", "pt", "nl", "ru", "ar", "ja", "ko", "zh"]


def list_slow(read: Callable[[str], object], starts: list[str], runs: list[str], size: int) -> list[str]:
    """The texts for which the time grows faster than their length; quadratic time gives 16."""
    slow = []
    for start in starts:
        for run in runs:
            short, long = (f"{start}{run * (size * factor // len(run))}x" for factor in (1, 4))
            if times := find_growth(partial(read, short), partial(read, long), 10):
                slow.append(f"{start!r} and {run!r}: {times}")
    return slow


def read_ranges(text: str) -> object:
    return stated_ranges(text, epochal.tag(text, lang="en"))


@pytest.mark.parametrize("lang", ["en", "fr", "zh"])
def test_endless_blanks_take_no_endless_time(lang):
    assert list_slow(partial(epochal.tag, lang=lang), ["In May 1998"], [" "], 10_000) == []


@pytest.mark.parametrize("run", ["eve of ", "a. ", "_ \t", "year of ", "12 Henry "])
def test_endless_repetition_in_english_takes_no_endless_time(run):
    """Marks of rare times, chunks that may go on behind a blank, and chunks without a token."""
    assert list_slow(partial(epochal.tag, lang="en"), ["In May 1998 "], [run], 20_000) == []


@pytest.mark.parametrize("read", [epochal.understand, epochal.resolve, read_ranges])
def test_endless_blanks_around_cues_take_no_endless_time(read):
    """Two thousand blanks took half a minute."""
    if read is epochal.resolve:
        read = ignore_errors(read)
    assert list_slow(read, ["since May 1998", "from 1998 to"], [" ", " \n"], 500) == []


def ignore_errors(read: Callable[[str], object]) -> Callable[[str], object]:
    def call(text: str) -> None:
        with suppress(EpochalError):
            read(text)

    return call


def test_a_question_with_endless_blanks_is_understood():
    question = f"What happened to steel{' ' * 900} in May 1998?"
    understanding = epochal.understand(question)
    assert understanding.topic == epochal.understand("What happened to steel in May 1998?").topic
    (item,) = understanding.expressions
    assert question[item.start_char : item.end_char] == item.text == "May 1998"
    assert [constraint.span.edtf() for constraint in understanding.constraints] == ["1998-05"]


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
def test_no_run_takes_endless_time(lang):
    assert list_slow(partial(epochal.tag, lang=lang), STARTS, RUNS, 5_000) == []


@pytest.mark.slow
def test_no_run_in_a_question_takes_endless_time():
    assert list_slow(epochal.understand, [*STARTS, "who was king"], RUNS, 1_000) == []
