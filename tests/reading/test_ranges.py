"""Ranges in documents: which expressions make one stretch, which leave an end open, and which stay apart."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costs import assert_linear
from epochal.reading import tag
from epochal.reading.expression import StatedRange, TimeExpr, find_cue, stated_ranges
from epochal.times import Span

NOW = Span.parse("2020-05-01")

#: A text, and its stretches as EDTF with the words that state them.
RANGES = [
    ("from 2004 to 2006", "2004/2006", "from 2004 to 2006"),
    ("It ran from 2004 until about 2006.", "2004/2006~", "from 2004 until about 2006"),
    ("between March 1939 and May 1945", "1939-03/1945-05", "between March 1939 and May 1945"),
    ("the war of 1939-45", "1939/1945", "1939-45"),
    ("2004–2006", "2004/2006", "2004–2006"),
    ("1998 – 2003", "1998/2003", "1998 – 2003"),
    ("Smith (1902–1980) was a poet", "1902/1980", "1902–1980"),
    ("Smith (12 May 1902 – 3 June 1980)", "1902-05-12/1980-06-03", "12 May 1902 – 3 June 1980"),
    ("January 1, 2004, to March 3, 2006", "2004-01-01/2006-03-03", "January 1, 2004, to March 3, 2006"),
    ("between the 1920s and the 1930s", "192X/193X", "between the 1920s and the 1930s"),
    ("early 1990s to mid-2000s", "1990~/2006~", "early 1990s to mid-2000s"),
    ("from the 5th century BC to 27 BC", "-04XX/-0026", "from the 5th century BC to 27 BC"),
    ("490 BC–480 BC", "-0489/-0479", "490 BC–480 BC"),
    ("the 1998-to-2003 period", "1998/2003", "1998-to-2003"),
    ("from Monday to Friday", "2020-05-04/2020-05-08", "from Monday to Friday"),
    ("3 March to 5 May 1998", "1998-03-03/1998-05-05", "3 March to 5 May 1998"),
    ("from November to March 2004", "2003-11/2004-03", "from November to March 2004"),
    ("from 1998 until today", "1998/2020-05-01", "from 1998 until today"),
    ("1939年至1945年", "1939/1945", "1939年至1945年"),
    ("自1939年至1945年", "1939/1945", "自1939年至1945年"),
    ("从1998年到2003年", "1998/2003", "从1998年到2003年"),
    ("1939—1945年", "1939/1945", "1939—1945年"),
    ("2005至2008年", "2005/2008", "2005至2008年"),
    ("2004年至2006年间", "2004/2006", "2004年至2006年间"),
    ("2019年5月至7月", "2019-05/2019-07", "2019年5月至7月"),
    ("1998年和2003年之间", "1998/2003", "1998年和2003年之间"),
    ("介于1998年与2003年", "1998/2003", "介于1998年与2003年"),
    ("公元前221年－公元220年", "-0220/0220", "公元前221年－公元220年"),
    ("19世纪末到20世纪初", "1867~/1932~", "19世纪末到20世纪初"),
]

OPEN = [
    ("It has been shut since 1985.", "1985/..", "since 1985"),
    ("from 1990 onwards", "1990/..", "from 1990 onwards"),
    ("from 1990 on, he wrote", "1990/..", "from 1990 on"),
    ("director (1998-present)", "1998/..", "1998-present"),
    ("1998 to the present day", "1998/..", "1998 to the present day"),
    ("director, 1998–now", "1998/..", "1998–now"),
    ("between 1998 and the present", "1998/..", "between 1998 and the present"),
    ("in use until 1990", "../1990", "until 1990"),
    ("up to the year 1990", "../1990", "up to the year 1990"),
    ("no later than 1998", "../1998", "no later than 1998"),
    ("自1998年以来", "1998/..", "自1998年以来"),
    ("自1998年担任校长", "1998/..", "自1998年"),
    ("1998年至今", "1998/..", "1998年至今"),
    ("校长（1998年—今）", "1998/..", "1998年—今"),
    ("从1998年开始", "1998/..", "从1998年开始"),
    ("1998年起", "1998/..", "1998年起"),
    ("直到1990年", "../1990", "直到1990年"),
    ("1990年为止", "../1990", "1990年为止"),
]

LOOSE = [
    ("before 1914", "../1913", "before 1914"),
    ("the pre-1914 style", "../1913", "pre-1914"),
    ("prior to 5 May 1914", "../1914-05-04", "prior to 5 May 1914"),
    ("after 1945", "1946/..", "after 1945"),
    ("post-1945", "1946/..", "post-1945"),
    ("after the 1906 earthquake", "1906/..", "after the 1906"),
    ("1914年以前", "../1913", "1914年以前"),
    ("1945年后", "1946/..", "1945年后"),
    ("1945年之后", "1946/..", "1945年之后"),
]

#: What stays as it was tagged.
APART = [
    ("born 12 May 1902, died 1980", ["1902-05-12", "1980"]),
    ("in 1998, 1999 and 2001", ["1998", "1999", "2001"]),
    ("in 2004 and 2006", ["2004", "2006"]),
    ("1939 or 1940", ["1939", "1940"]),
    ("from 2006 to 2004", ["2006", "2004"]),
    ("It opened in 1990. To 2004 we owe the roof.", ["1990", "2004"]),
    ("from 1990 on the coast", ["1990"]),
    ("letters from 1990", ["1990"]),
    ("It was not until 1990 that it opened", ["1990"]),
    ("It did not open until 1990", ["1990"]),
    ("as early as 1914, and by 1998", ["1914", "1998"]),
    ("shortly after 5 a.m.", ["2020-05-01T05:00Z"]),
    ("来自1998年", ["1998"]),
    ("直到1990年才开放", ["1990"]),
    ("在1998年和2003年", ["1998", "2003"]),
    ("1998年前期", ["1998"]),
    ("1998年起源于此", ["1998"]),
]


def read(text: str) -> list[StatedRange]:
    return stated_ranges(text, tag(text, NOW))


@pytest.mark.parametrize(("text", "edtf", "words"), RANGES + OPEN + LOOSE)
def test_one_range(text, edtf, words):
    found = read(text)
    assert [(item.span.edtf(), text[item.start_char : item.end_char]) for item in found] == [(edtf, words)]


@pytest.mark.parametrize(("text", "spans"), APART)
def test_apart(text, spans):
    assert [item.span.edtf() for item in read(text)] == spans


@pytest.mark.parametrize(("text", "edtf", "words"), RANGES)
def test_a_range_has_two_parts_and_the_lesser_confidence(text, edtf, words):
    (found,) = read(text)
    assert len(found.parts) == 2
    assert found.confidence == min(part.confidence for part in found.parts)
    assert found.start_char <= found.parts[0].start_char < found.parts[1].end_char <= found.end_char


@pytest.mark.parametrize(("text", "edtf", "words"), OPEN)
def test_a_stated_end_is_as_sure_as_its_expression(text, edtf, words):
    (found,) = read(text)
    assert found.confidence == found.parts[0].confidence


@pytest.mark.parametrize(("text", "edtf", "words"), LOOSE)
def test_before_and_after_are_less_sure(text, edtf, words):
    (found,) = read(text)
    assert found.confidence < found.parts[0].confidence


def test_what_lies_some_days_after_a_day_is_not_open():
    (found,) = read("ten days after 5 May 1998")[-1:]
    assert not found.span.is_open


def test_durations_and_sets_are_left_out():
    assert read("It took three years, and happens every Monday.") == []


def test_grains_and_certainties_are_those_of_the_ends():
    (found,) = read("from about May 1904 until 1906")
    first, last = (part.span for part in found.parts)
    assert (found.span.grain, found.span.certainty) == (first.grain, first.certainty)
    assert (found.span.end_grain, found.span.end_certainty) == (last.end_grain, last.end_certainty)


def test_vague_references_keep_their_low_confidence():
    (found,) = read("He is retired now.")
    assert found.parts[0].value == "PRESENT_REF"
    assert found.confidence == found.parts[0].confidence < 0.7


def test_an_event_is_an_end_as_a_date_is():
    text = "from the Korean War to 1960"
    (found,) = stated_ranges(text, tag(text, NOW, implicit=True))
    assert found.span.edtf() == "1950-06-25/1960"


def test_unsure_ends_make_no_range():
    year, unit = Span.year(1990), Span.year(2020)
    parts = [TimeExpr("1990", 0, 4, "DATE", "1990", year), TimeExpr("the year", 5, 13, "DATE", "2020", unit, "", 0.4)]
    assert [item.span for item in stated_ranges("1990-the year", parts)] == [year, unit]


def test_every_expression_with_a_span_is_in_one_range():
    text = "In 1998, from 2001 to 2003, until 2005; 2006年至今, 1904–06, after May 1910 and three years later."
    placed = [item for item in tag(text, NOW) if item.span is not None]
    parts = [part for item in read(text) for part in item.parts]
    assert parts == placed


WORDS = (
    "from to between and until till since up before after pre- post- the about circa not no later than – - — ~ "
    "至 到 自 从 以来 起 之间 前 后 为止 才 介于 和 present now today onwards on or so ( ) , . 1998 2004 1939-45 "
    "490 BC May 3 March 2001 the 1990s 1998年 3月 3日 公元前221年 last year Monday 5 p.m. two years every day "
    "early 19th century war World War II"
).split()


def check_sound(text: str, now: Span | None) -> None:
    placed = [
        item
        for item in tag(text, now)
        if item.span is not None and item.kind in ("DATE", "TIME") and find_cue(text, item).relation != "except"
    ]
    found = stated_ranges(text, placed)
    assert [part for item in found for part in item.parts] == placed
    for item in found:
        assert 0 <= item.start_char <= item.parts[0].start_char < item.parts[-1].end_char <= item.end_char <= len(text)
        assert 0 < item.confidence <= min(part.confidence for part in item.parts[:1])
        assert item.span.start < item.span.end
    assert [item.start_char for item in found] == sorted(item.start_char for item in found)


@given(st.lists(st.sampled_from(WORDS), max_size=20), st.sampled_from(["", " "]), st.sampled_from([None, NOW]))
def test_any_sequence_of_words_gives_sound_ranges(words, gap, now):
    check_sound(gap.join(words), now)


@pytest.mark.slow
def test_many_random_texts_give_sound_ranges():
    rng = random.Random(13)
    whole = [row[0] for row in (*RANGES, *OPEN, *LOOSE, *APART)]
    for _ in range(50_000):
        text = rng.choice(["", " "]).join(rng.choices(WORDS, k=rng.randint(1, 10)))
        if rng.random() < 0.5:
            text = f"{rng.choice(whole)}{rng.choice(['', ' ', ', ', '. '])}{text}"
        if rng.random() < 0.4:
            place = rng.randrange(len(text))
            text = text[:place] + rng.choice(["", chr(rng.randrange(32, 0xD800))]) + text[place + 1 :]
        check_sound(text, rng.choice((None, NOW)))


def test_cost_grows_with_the_number_of_expressions():
    text = "From 1990 to 1995, since 1985, between 1904 and 1906 or until the 1950s; 1939年至1945年 and before 1914. "
    found = {whole: tag(whole) for whole in (text * 200, text * 1_600)}
    assert_linear(lambda whole: stated_ranges(whole, found[whole]), lambda count: text * count, 200, 1_600)


@pytest.mark.parametrize(
    ("text", "relation", "span"),
    [
        ("Payment is due no later than 30 June 2024.", "until", "../2024-06-30"),
        ("It was built not before 1645.", "since", "1645/.."),
        ("Closed up to and including 1 May 2020.", "until", "../2020-05-01"),
        ("It will open in 2025 at the earliest.", "since", "2025/.."),
        ("It applies with effect from 1 July 2024.", "since", "2024-07-01/.."),
        ("It was in use from 1904 to 1906.", "between", "1904/1906"),
        ("He came after 1990.", "after", "1991/.."),
        ("He came in 1990.", "during", "1990"),
    ],
)
def test_a_range_has_the_relation_of_its_words(text: str, relation: str, span: str) -> None:
    (found,) = stated_ranges(text, tag(text))
    assert (found.relation, found.span.edtf()) == (relation, span)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("En la temporada 2009-10 ganó la liga.", "2009/2010"),
        ("Dans la saison 1992–93, il gagna.", "1992/1993"),
        ("Nella stagione 2007-08 vinse lo scudetto.", "2007/2008"),
        ("Die Saison 1992-93 war gut.", "1992/1993"),
        ("Ele viveu de 1914-18 aqui.", "1914/1918"),
        ("Сезон 2007-08 был хорошим.", "2007/2008"),
        ("Der Vertrag von 2020-05 gilt.", "2020-05"),
        ("La primera semana de enero de 2015 nevó.", "2015-W01"),
        ("La première semaine d'octobre 2014, il a plu.", "2014-W40"),
        ("They met in the first week of October 2014.", "2014-W40"),
    ],
)
def test_years_that_share_a_century_and_weeks_of_a_month(text: str, value: str) -> None:
    assert [item.value for item in tag(text, Span.parse("2024-05-15"))] == [value]


@pytest.mark.parametrize("text", ["La réf. 2015-14 est fausse.", "Der Bericht 2019-045 liegt vor."])
def test_a_number_that_goes_back_is_no_pair_of_years(text: str) -> None:
    assert tag(text, Span.parse("2024-05-15")) == []
