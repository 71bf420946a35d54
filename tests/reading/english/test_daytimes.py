"""Times of day without a day: which day they are of."""

from __future__ import annotations

import pytest

from epochal.reading import tag
from epochal.reading.english import EnglishTagger
from epochal.times import Span

NOW = Span.parse("2021-09-30")  # a Thursday

#: text, and the expressions in it that are TIMEs, with their values
CASES = [
    (
        "Zone forecast. For October 3, 2021: A chance of rain showers after 1pm. High near 80 in the afternoon.",
        {"1pm": "2021-10-03T13:00", "the afternoon": "2021-10-03TAF"},
    ),
    (
        "On 12 May 1998 the court sat. The judge came in at 9 a.m. and left by noon.",
        {"9 a.m.": "1998-05-12T09:00", "noon": "1998-05-12T12:00"},
    ),
    ("On 4 July 2020 it was dry; fog came around midnight.", {"midnight": "2020-07-04T24:00"}),
    (
        "2021-10-03: High 80 in the afternoon. 2021-10-04: Rain before 9am.",
        {"the afternoon": "2021-10-03TAF", "9am": "2021-10-04T09:00"},
    ),
    # A weekday that opens a sentence holds on, also for the night after it; "tonight" is that of the text.
    ("Monday: sunny. Fog after 9 p.m. Tonight: rain.", {"9 p.m.": "2021-10-04T21:00", "Tonight": "2021-09-30TNI"}),
    (
        "Monday: rain after 3 p.m. Tuesday: sunny in the morning.",
        {"3 p.m.": "2021-10-04T15:00", "the morning": "2021-10-05TMO"},
    ),
    ("They meet at 9 a.m. Tuesday: bring tea.", {"9 a.m.": "2021-10-05T09:00"}),
    # What the clock shows before dawn, after a night was named, is on the morning after it.
    (
        "Monday night: rain after 2am. Snow by 11pm.",
        {"Monday night": "2021-10-04TNI", "2am": "2021-10-05T02:00", "11pm": "2021-10-04T23:00"},
    ),
    ("Friday night: low 40, rising to 51 overnight.", {"Friday night": "2021-10-01TNI", "overnight": "2021-10-01TNI"}),
    ("Monday: sunny. Overnight lows near 40.", {"Overnight": "2021-10-04TNI"}),
    ("On 2 May 2020 the overnight train was late.", {"the overnight": "2020-05-02TNI"}),
    (
        "On Monday, the ferry left at 3 p.m. and nobody was seasick. It was back by 8 p.m.",
        {"3 p.m.": "2021-09-27T15:00", "8 p.m.": "2021-09-27T20:00"},
    ),
    # In the middle of one, it holds to its end.
    ("The talks resume Monday with a speech at 9 a.m.", {"9 a.m.": "2021-10-04T09:00"}),
    ("They met yesterday in the park at 3 p.m.", {"3 p.m.": "2021-09-29T15:00"}),
    ("The minister left Friday. She will speak at 9 a.m.", {"9 a.m.": "2021-09-30T09:00"}),
    ("The choir sings this Sat in the old hall, 6pm!", {"6pm": "2021-09-30T18:00"}),
    # What points back counts from the day named, whatever stands between.
    (
        "On 12 May 1998, in the spring of 1998, they came. That night it rained. The next morning they left at 8 a.m.",
        {"That night": "1998-05-12TNI", "The next morning": "1998-05-13TMO", "8 a.m.": "1998-05-13T08:00"},
    ),
    # The day may follow.
    (
        "At 9 a.m. local time on 12 May 1998 the bells rang; at 10 a.m. they stopped.",
        {"9 a.m.": "1998-05-12T09:00", "10 a.m.": "1998-05-12T10:00"},
    ),
    ("The raid of 3 May 1967 ended at dawn on 5 June 1967.", {"dawn": "1967-06-05TMO"}),
    ("Doors open at 9 a.m., 12 May 1998.", {"9 a.m.": "1998-05-12T09:00"}),
    (
        "Open 12 May 1998 at 9 a.m., 13 May 1998 at 10 a.m.",
        {"9 a.m.": "1998-05-12T09:00", "10 a.m.": "1998-05-13T10:00"},
    ),
    # A line that is only a date is the heading of what follows.
    (
        "12 May 1998\n\nThe meeting was opened at 9 a.m. and closed in the evening.",
        {"9 a.m.": "1998-05-12T09:00", "the evening": "1998-05-12TEV"},
    ),
    # The text has gone on since: to another paragraph, year or day.
    ("He was born on 3 May 1950.\n\nHe will speak at 9 a.m.", {"9 a.m.": "2021-09-30T09:00"}),
    ("On 12 May 1998 he left. In 2003 he was back. He spoke at 9 a.m.", {"9 a.m.": "2021-09-30T09:00"}),
    (
        "On 12 May 1998 he left. This morning he called. He called again at 3 p.m.",
        {"This morning": "2021-09-30TMO", "3 p.m.": "2021-09-30T15:00"},
    ),
    ("On 12 May 1998 it shut. Shops open at 9 a.m. today.", {"9 a.m. today": "2021-09-30T09:00"}),
    ("The shop opens at 9 a.m.", {"9 a.m.": "2021-09-30T09:00"}),
]


@pytest.mark.parametrize(("text", "times"), CASES)
def test_a_time_of_day_is_of_the_day_that_the_words_around_it_name(text: str, times: dict[str, str]) -> None:
    assert {item.text: item.value for item in tag(text, NOW) if item.kind == "TIME"} == times


@pytest.mark.parametrize(("text", "times"), CASES)
def test_the_span_lies_on_the_day_of_the_value(text: str, times: dict[str, str]) -> None:
    for item in tag(text, NOW):
        if item.kind == "TIME":
            assert item.span is not None
            day = Span.parse(item.value[:10])
            assert day.start <= item.span.start <= day.end, item


def test_without_a_date_of_the_text_a_named_day_is_enough() -> None:
    found = tag("At 8 a.m. on 12 May 1998 it rained. That night, and at 11 p.m., it snowed.")
    assert [item.value for item in found] == [
        "1998-05-12T08:00",
        "1998-05-12TNI",
        "1998-05-12T23:00",
    ]


@pytest.mark.parametrize("day", ["Yesterday", "On Friday", "On 3 June", "This morning"])
def test_a_day_that_nobody_knows_ends_the_one_before(day: str) -> None:
    found = tag(f"On 12 May 1998 he left. {day} he called. He called again at 3 p.m.")
    assert (found[-1].value, found[-1].span) == ("XXXX-XX-XXT15:00", None)


def test_a_day_reaches_only_so_far() -> None:
    filler = "They spoke of this and that for a good while. " * 20
    assert tag(f"On 12 May 1998 he left. {filler}He spoke at 9 a.m.", NOW)[-1].value == "2021-09-30T09:00"


def test_a_day_does_not_reach_into_the_next_piece_of_a_long_text() -> None:
    filler = "word " * 5_990
    text = f"{filler}On 12 May 1998 he left,\n\nand " + "word " * 3_000 + "he spoke at 9 a.m."
    assert tag(text, NOW)[-1].value == "2021-09-30T09:00"


def test_noon_in_prose_is_a_time_only_of_a_named_day() -> None:
    filler = "They spoke of this and that for a good while. " * 10
    assert tag(f"{filler}He left at noon.", NOW) == []
    assert tag(f"{filler}On 12 May 1998 he left by noon.", NOW)[-1].value == "1998-05-12T12:00"


def test_in_a_story_night_is_any_night_unless_its_sentence_names_the_day() -> None:
    tagger = EnglishTagger("narrative")
    text = "On 6 June 1944 they landed during the night. They marched at night."
    assert [item.value for item in tagger.tag(text, NOW)] == ["1944-06-06", "1944-06-06TNI", "XXXX-XX-XXTNI"]


def test_a_zone_moves_the_span_but_not_the_day_that_holds_on() -> None:
    found = tag("They left on 3 May 1998 at 11 p.m. EST. The others left at 6 a.m. EST.", NOW)
    assert [item.value for item in found] == ["1998-05-03", "1998-05-03T23:00", "1998-05-03T06:00"]


@pytest.mark.parametrize(
    ("now", "value", "span"),
    [
        ("2021-09-30", "2021-09-30TNI", "2021-09-30T20Z/2021-10-01T05Z"),
        ("2021-09-30T18:23:00", "2021-09-30TNI", "2021-09-30T20Z/2021-10-01T05Z"),
        # Just after midnight the night has not ended yet.
        ("2021-10-01T00:42:00", "2021-09-30TNI", "2021-09-30T20Z/2021-10-01T05Z"),
        ("2021-10-01T06:10:00", "2021-10-01TNI", "2021-10-01T20Z/2021-10-02T05Z"),
    ],
)
def test_tonight_is_the_night_in_progress_or_the_next(now, value, span):
    (found,) = tag("Tonight: mostly clear.", now=Span.parse(now))
    assert (found.value, found.span.edtf()) == (value, span)


def test_overnight_in_the_morning_is_the_night_that_has_just_been() -> None:
    (morning,), (evening,) = (tag("Rain overnight.", Span.parse(f"2021-09-30T{hour}")) for hour in ("07:15", "17:15"))
    assert (morning.value, evening.value) == ("2021-09-29TNI", "2021-09-30TNI")
