"""The languages of the shared reader: the examples of their rules, round trips of dates, detection, direction."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.reading import stated_ranges, tag
from epochal.reading.shared.check import find_problems
from epochal.reading.shared.detect import detect_language
from epochal.reading.shared.parts import Parts, combine
from epochal.reading.shared.registry import SHARED_LANGUAGES, load_language
from epochal.reading.shared.tagger import LanguageTagger
from epochal.times.span import Span

_NOW = Span.parse("2024-05-14")
#: How a full date is written; the month is the first word of its row in `words.toml`.
_DATES = {
    "ar": "{d} {month} {y}",
    "de": "{d}. {month} {y}",
    "es": "{d} de {month} de {y}",
    "fr": "{d} {month} {y}",
    "it": "{d} {month} {y}",
    "ja": "{y}年{m}月{d}日",
    "ko": "{y}년 {m}월 {d}일",
    "nl": "{d} {month} {y}",
    "pt": "{d} de {month} de {y}",
    "ru": "{d} {month} {y}",
}


@pytest.mark.parametrize("code", ["", *SHARED_LANGUAGES])
def test_every_example_of_a_rule_holds_and_no_word_is_in_two_classes(code: str) -> None:
    assert list(find_problems(load_language(code))) == []


@pytest.mark.parametrize("code", SHARED_LANGUAGES)
@given(
    day=st.dates(min_value=__import__("datetime").date(1600, 1, 1), max_value=__import__("datetime").date(2150, 1, 1))
)
def test_a_full_date_is_read_back(code: str, day) -> None:  # type: ignore[no-untyped-def]
    months = {value: word for word, value in reversed(load_language(code).values.items()) if _is_month(code, word)}
    text = _DATES[code].format(d=day.day, m=day.month, y=day.year, month=months.get(day.month, ""))
    found = LanguageTagger(load_language(code)).tag(text, _NOW)
    assert [item.value for item in found] == [day.isoformat()], text
    assert found[0].span == Span.parse(day.isoformat())


def _is_month(code: str, word: str) -> bool:
    return load_language(code).class_of.get(word) == "MONTH_NAME"


@pytest.mark.parametrize(
    ("text", "code", "is_covered"),
    [
        ("Gestern hat es geregnet, morgen scheint die Sonne.", "de", True),
        ("The meeting is on 5 May.", "en", True),
        ("Wczoraj padał deszcz i było bardzo zimno.", "pl", False),
        ("Χθες έβρεχε στην Αθήνα.", "el", False),
        ("Вчора йшов дощ, і було холодно.", "uk", False),
        ("他昨天来了。", "zh", True),
        ("15:30", "", True),
    ],
)
def test_the_language_of_a_text_is_detected(text: str, code: str, is_covered: bool) -> None:
    detection = detect_language(text)
    assert (detection.code, detection.is_covered) == (code, is_covered)


def test_of_a_language_that_is_not_covered_only_dates_in_digits_are_read() -> None:
    found = tag("Wczoraj, czyli 2024-05-13, padał deszcz i było bardzo zimno.", _NOW)
    assert [(item.text, item.value) for item in found] == [("2024-05-13", "2024-05-13")]


def test_each_sentence_of_a_mixed_text_is_read_in_its_own_language() -> None:
    text = (
        "The contract was signed on 3 March 2020 and it will run for years. "
        "Der Vertrag wurde am 4. März 2020 unterschrieben, und er ist nicht mehr zu ändern."
    )
    assert [item.value for item in tag(text, _NOW) if item.kind == "DATE"] == ["2020-03-03", "2020-03-04"]


def test_a_language_that_nobody_has_is_refused() -> None:
    with pytest.raises(EpochalError, match="language"):
        tag("heute", _NOW, lang="xx")
    with pytest.raises(EpochalError, match="preference"):
        tag("heute", _NOW, prefer="sideways")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("prefer", "value"), [("past", "2024-05-10"), ("future", "2024-05-17"), ("nearest", "2024-05-17")]
)
def test_the_preference_of_the_caller_decides(prefer: str, value: str) -> None:
    assert tag("Am Freitag.", _NOW, lang="de", prefer=prefer)[0].value == value  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Am Freitag ist er gekommen und hat gewonnen.", ["2024-05-10"]),
        ("Am Freitag wird er kommen.", ["2024-05-17"]),
        ("Er kommt am 14. Mai 2024 um 15:30 Uhr.", ["2024-05-14", "2024-05-14T15:30"]),
        ("Der Vertrag läuft vom 1.7.2024 bis zum 31.12.2025.", ["2024-07-01", "2025-12-31"]),
        ("Er ist vom 4. bis 6. Juni weg.", ["2024-06-04/2024-06-06"]),
        ("Von November bis März 2004 war er dort.", ["2003-11/2004-03"]),
        ("Zwei Tage nach dem 5. Mai 2020 ging sie.", ["2020-05-07"]),
        ("Am zweiten Dienstag im März 2020 war Wahl.", ["2020-03-10"]),
        ("In der zweiten Hälfte des 18. Jahrhunderts.", ["1750/1799"]),
        ("Sie starb im Alter von 80 Jahren.", []),
        ("Das kostet 2000 Euro.", []),
        ("Es wuchs um 3 Prozent.", []),
        ("Version 8.2.5043 ist da.", []),
    ],
)
def test_german_sentences(text: str, values: list[str]) -> None:
    assert [item.value for item in tag(text, _NOW, lang="de")] == values


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("Er wohnt seit 1985 in Bonn.", ["1985/.."]),
        ("Das Haus stand bis zum 5. Mai 1990 leer.", ["../1990-05-05"]),
        ("Vor 1645 war das Dorf klein.", ["../1644"]),
        ("Nach 1918 kam die Republik.", ["1919/.."]),
        ("Der Vertrag läuft vom 1.7.2024 bis zum 31.12.2025.", ["2024-07-01/2025-12-31"]),
        ("Zwischen Juni 2011 und September 2012 wurde es verkauft.", ["2011-06/2012-09"]),
    ],
)
def test_german_words_bind_times(text: str, ranges: list[str]) -> None:
    found = stated_ranges(text, tag(text, _NOW, lang="de"))
    assert [one.span.edtf() for one in found] == ranges


@given(
    one=st.builds(Parts, month=st.none() | st.integers(1, 12), weekday=st.none() | st.integers(1, 7)),
    other=st.builds(
        Parts,
        day=st.none() | st.integers(1, 31),
        hour=st.none() | st.integers(0, 23),
        month=st.none() | st.integers(1, 12),
    ),
)
def test_what_is_combined_states_what_both_state(one: Parts, other: Parts) -> None:
    both = combine(one, other)
    assert both == combine(other, one)
    if both is not None:
        for part in (one, other):
            for name in ("month", "day", "weekday", "hour"):
                assert getattr(part, name) in (None, getattr(both, name))
