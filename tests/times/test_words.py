"""Spans in words, and the words read back."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from epochal.times.axis import LAST_YEAR, OPEN_END, OPEN_START, Certainty, Grain, to_seconds
from epochal.times.interval import Interval
from epochal.times.span import Span
from epochal.times.words import describe, format_ordinal, format_year, read, read_year
from spans_strategy import spans, unit_spans, whole_spans

DESCRIBED = [
    ("2004-02-29", "29 February 2004"),
    ("2004-02", "February 2004"),
    ("2004", "2004"),
    ("0079-08-24", "24 August 79 CE"),
    ("0476", "476 CE"),
    ("Y12000", "12,000 CE"),
    ("+12000-03-01", "1 March 12,000 CE"),
    # before year 1
    ("0000", "1 BCE"),
    ("-0043-03-15", "15 March 44 BCE"),
    ("-0721-03", "March 722 BCE"),
    ("-9998", "9999 BCE"),
    ("-9999", "10,000 BCE"),
    ("Y-43999", "44,000 BCE"),
    # decades, centuries, millennia
    ("199X", "the 1990s"),
    ("190X", "the 1900s"),
    ("001X", "from 10 CE to 19 CE"),
    ("010X", "the 100s"),
    ("000X", "from 1 BCE to 9 CE"),
    ("-004X", "from 50 BCE to 41 BCE"),
    ("00XX", "the 1st century"),
    ("15XX", "the 16th century"),
    ("19XX", "the 20th century"),
    ("20XX", "the 21st century"),
    ("-00XX", "the 1st century BCE"),
    ("-04XX", "the 5th century BCE"),
    ("1XXX", "the 2nd millennium"),
    ("-2XXX", "the 3rd millennium BCE"),
    # seasons, quarters, halves, weeks
    ("2004-21", "spring 2004"),
    ("2004-22", "summer 2004"),
    ("2004-23", "autumn 2004"),
    ("2004-24", "winter 2004"),
    ("-0043-21", "spring 44 BCE"),
    ("2004-33", "the first quarter of 2004"),
    ("2004-34", "the second quarter of 2004"),
    ("2004-35", "the third quarter of 2004"),
    ("2004-36", "the fourth quarter of 2004"),
    ("2004-40", "the first half of 2004"),
    ("2004-41", "the second half of 2004"),
    ("2004-W53", "week 53 of 2004"),
    ("2004-37", "from January 2004 to April 2004"),
    # times of day
    ("2004-02-29T05Z", "29 February 2004, 05h UTC"),
    ("2004-02-29T05:07Z", "29 February 2004, 05:07 UTC"),
    ("2004-02-29T05:07:09Z", "29 February 2004, 05:07:09 UTC"),
    # hedges
    ("1984~", "about 1984"),
    ("1984?", "perhaps 1984"),
    ("1984%", "perhaps about 1984"),
    ("2004-06~", "about June 2004"),
    ("199X?", "perhaps the 1990s"),
    # ranges and open ends
    ("1964/2008", "from 1964 to 2008"),
    ("1984~/2004-06", "from about 1984 to June 2004"),
    ("1984~/1984", "from about 1984 to 1984"),
    ("-0043-03-15/0014", "from 15 March 44 BCE to 14 CE"),
    ("199X/200X", "from the 1990s to the 2000s"),
    ("../2001", "until 2001"),
    ("/2001", "from an unknown time to 2001"),
    ("../2001~", "until about 2001"),
    ("1985/..", "since 1985"),
    ("1985-04-12?/..", "since perhaps 12 April 1985"),
    ("1985/", "from 1985 to an unknown time"),
    ("../..", "from the beginning to the end of time"),
    ("/..", "from an unknown time to the end of time"),
    ("../", "from the beginning to an unknown time"),
]
PARTS = [
    ("2004", "early", "early 2004"),
    ("2004", "mid", "mid 2004"),
    ("-0043", "late", "late 44 BCE"),
    ("2004-03", "early", "early March 2004"),
    ("2004-40", "late", "the late first half of 2004"),
    ("199X", "early", "the early 1990s"),
    ("199X?", "late", "perhaps the late 1990s"),
    ("15XX", "mid", "the mid 16th century"),
    ("-00XX", "late", "the late 1st century BCE"),
    ("1XXX", "early", "the early 2nd millennium"),
    ("2004-21", "early", "about March 2004"),
    # Decades that are described by their years have no named thirds either.
    ("-004X", "early", "from about 50 BCE to about 48 BCE"),
    ("000X", "mid", "from about 3 CE to about 6 CE"),
]


@pytest.mark.parametrize(("text", "words"), DESCRIBED)
def test_words_for_people(text, words):
    assert describe(Span.parse(text)) == words


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("from 9 to 10 May 2024", "2024-05-09/2024-05-10"),
        ("between the 3rd and the 5th of June 1998", "1998-06-03/1998-06-05"),
        ("from 9 to 4 BC", "-0008/-0003"),
        ("from 9 to 10", "0009/0010"),
        ("from 1914 to 10 May 2024", "1914/2024-05-10"),
    ],
)
def test_ends_of_a_range_share_what_the_second_states(words, text):
    assert read(words) == Span.parse(text)


@pytest.mark.parametrize(("text", "part", "words"), PARTS)
def test_words_for_thirds(text, part, words):
    third = Span.parse(text).part(part)
    assert describe(third) == words
    assert read(words) == third


def is_named(span: Span) -> bool:
    """Whether each closed end has a name of its own: decades before 100 CE are described by their years."""
    named = True
    if span.grain is Grain.DECADE and span.start != OPEN_START:
        named &= span.start >= to_seconds(100)
    if span.end_grain is Grain.DECADE and span.end != OPEN_END:
        named &= span.end > to_seconds(100)
    return named


@given(whole_spans())
def test_what_is_described_is_read_back(span):
    assume(is_named(span))
    assert read(describe(span)) == span


@pytest.mark.parametrize("grain", [grain for grain in Grain if grain is not Grain.ERA])
def test_a_unit_of_each_grain_is_read_back(grain):
    @given(unit_spans(grain))
    def check(span):
        assume(is_named(span))
        assert read(describe(span)) == span

    check()


@given(unit_spans(), st.sampled_from(["early", "mid", "late"]))
def test_thirds_are_read_back(span, part):
    assume(span.grain >= Grain.MONTH)
    third = span.part(part)
    assert read(describe(third)) == third


@given(spans())
def test_any_span_is_described_by_words_for_the_same_interval(span):
    again = read(describe(span))
    assert again is not None
    assert (again.start, again.end) == (span.start, span.end)
    assert (again.certainty, again.end_certainty) == (span.certainty, span.end_certainty)


@pytest.mark.parametrize("grain", list(Grain))
def test_spans_at_the_rim_of_the_axis_have_words(grain):
    assert describe(Span(OPEN_START + 1, OPEN_END - 1, grain)).startswith("from ")
    if grain <= Grain.YEAR:
        last = Span(to_seconds(LAST_YEAR), OPEN_END, grain)
        assert "146,000,000,000 CE" in describe(last)


VARIANTS = [
    ("March 15, 44 BC", "-0043-03-15"),
    ("15 March 44 B.C.", "-0043-03-15"),
    ("15th of March 44 BCE", "-0043-03-15"),
    ("the ides of March", None),
    ("Mar. 15, 2004", "2004-03-15"),
    ("sept 2004", "2004-09"),
    ("March of 2004", "2004-03"),
    ("AD 79", "0079"),
    ("A.D. 79", "0079"),
    ("79 A.D.", "0079"),
    ("79 C.E.", "0079"),
    ("c. 1984", "1984~"),
    ("ca 1984", "1984~"),
    ("circa 1984", "1984~"),
    ("around 1984", "1984~"),
    ("possibly 1984", "1984?"),
    ("maybe circa 1984", "1984%"),
    ("c. 44,000 BCE", "Y-43999~"),
    ("the 1990's", "199X"),
    ("1990s", "199X"),
    ("fall 2004", "2004-23"),
    ("winter of 2004", "2004-24"),
    ("Q3 2004", "2004-35"),
    ("3rd quarter of 2004", "2004-35"),
    ("1st half of 2004", "2004-40"),
    ("16th century", "15XX"),
    ("5th century BC", "-04XX"),
    ("between 1964 and 2008", "1964/2008"),
    ("from 1964 until 2008", "1964/2008"),
    ("up to 2001", "../2001"),
    ("till 2001", "../2001"),
    ("  MARCH   2004. ", "2004-03"),
    ("from March 2004 to 2004", "2004-03/2004"),
    ("", None),
    (".", None),
    ("soonish", None),
    ("30 February 2004", None),
    ("February 29, 2003", None),
    ("0 BCE", None),
    ("AD 79 BC", None),
    ("week 54 of 2004", None),
    ("the 0th century", None),
    ("from 2008 to 1964", None),
    ("from 2004", None),
    ("early 29 February 2004", None),
    ("early since 2004", None),
    ("early from 1990 to 1999", None),
    ("29 February 2004, 25h UTC", None),
    ("29 February 2004, 10:61 UTC", None),
    ("999,999,999,999 BCE", None),
    ("9" * 5000, None),
    ("the " + "9" * 5000 + "th century", None),
    ("about " * 5000 + "1984", None),
    ("from " * 5000 + "1984" + " to 1985" * 5000, None),
]


@pytest.mark.parametrize(("words", "text"), VARIANTS, ids=lambda value: str(value)[:40])
def test_variants_that_people_write(words, text):
    assert read(words) == (None if text is None else Span.parse(text))


@given(st.text())
def test_reading_arbitrary_text_never_raises(text):
    assert read(text) is None or isinstance(read(text), Interval)


TOKENS = (
    "from between to and until since about perhaps circa early mid late the first second half quarter of week "
    "century millennium 1st 2nd 21st q3 spring winter march feb may 0 1 29 31 44 366 1990s 2004 12,000 99999999999999 "
    "bce bc ad ce a.d. , . an unknown time beginning end 05h utc 10:00 ٢٠٠٤"
)


@given(st.lists(st.sampled_from(TOKENS.split()), max_size=9))
def test_reading_scrambled_words_never_raises(tokens):
    text = " ".join(tokens).replace(" ,", ",")
    span = read(text)
    assert span is None or read(describe(span)) is not None


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *((1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"), (21, "21st")),
        *((101, "101st"), (111, "111th"), (112, "112th"), (1013, "1013th"), (1022, "1022nd")),
    ],
)
def test_ordinals(number, text):
    assert format_ordinal(number) == text


@given(st.integers(-50_000, 50_000))
def test_years_in_words_are_read_back(year):
    assert read_year(format_year(year)) == year
    assert read(format_year(year)) == Span.year(year)


@pytest.mark.parametrize("text", ["", "BCE", "0 BC", "AD 44 BC", "soon", "12,34", "-44"])
def test_what_names_no_year(text):
    assert read_year(text) is None


def test_hedges_gather():
    assert read("perhaps about 1984") == Span.year(1984).with_certainty(Certainty.BOTH)
    assert read("from about 1984 to perhaps 1990") == Span.parse("1984~/1990?")
