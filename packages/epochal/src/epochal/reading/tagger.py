"""Time expressions of a text in any language that Epochal reads."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from epochal.errors import EpochalError, UnknownNameError
from epochal.lazy import lazy_regex
from epochal.reading.english.marks import NOTATION, PERIOD, REIGN
from epochal.reading.events import EventFinder, take_nominal_day
from epochal.reading.expression import TimeExpr
from epochal.reading.fiscal import (
    FiscalCalendar,
    FiscalSetting,
    apply_fiscal_calendar,
    get_fiscal_calendar,
    read_fiscal_setting,
)
from epochal.reading.long_texts import has_long_runs, read_shortened
from epochal.reading.reigns import find_reigns_in_text
from epochal.reading.shared.detect import Detection, detect_language, split_by_language
from epochal.reading.shared.registry import COVERED, SHARED_LANGUAGES, load_language
from epochal.reading.shared.values import Prefer
from epochal.reading.timex3 import day_span, timex3_value, year_value
from epochal.times.axis import DAY, civil_date
from epochal.times.calendars.feasts import place_lunar_day, read_feast
from epochal.times.span import Span
from epochal.times.when import resolve

if TYPE_CHECKING:
    from epochal.reading.chinese.tagger import ChineseTagger
    from epochal.reading.english.tagger import EnglishTagger
    from epochal.reading.shared.tagger import LanguageTagger

__all__ = ["LANGUAGES", "detect_language", "detect_languages", "find_notations", "tag", "tag_batch"]


_FEAST = lazy_regex(
    r"\b(?:the )?(?:(?:[Ff]east|[Ee]ve|[Vv]igil|[Mm]orrow|[Oo]ctave)(?: [Dd]ay)? of ){1,4}(?:the )?"
    r"[A-Z][\w.'’]*(?:,? (?:of|the|and|in|[A-Z][\w.'’]*)){0,6},? \d{3,4}\b(?! ?[-–/]?\d)"
    r"|\b(?:Passover|Pesach|Rosh Hashanah|Yom Kippur|Hanukkah|Chanukah|Sukkot|Shavuot|Eid al-(?:Fitr|Adha)|Ashura"
    r"|Nowruz|Corpus Christi|Ascension Day|Trinity Sunday|Shrove Tuesday|(?:Chinese|Lunar) New Year"
    r"|(?:Mid-Autumn|Dragon Boat) Festival),? (?:of |in )?(?:1\d|20|5[67])\d\d\b(?![-–/]?\d)"
)
_ERA = lazy_regex(
    r"\b2[3-6]\d\d B\.?E\.?(?!\w)|\bBuddhist Era 2[3-6]\d\d\b|\bB\.?E\.? 2[3-6]\d\d\b|\b[Jj]uche \d{1,3}\b"
    r"|\b\d{2,4} AUC\b|\bAUC \d{2,4}\b|\bAM 5\d{3}\b|\b(?:Vikram Samvat|Bikram Sambat|Samvat|Saka(?: era)?) \d{4}\b"
)
#: What every one of them has: most texts have none of it, and are done with. Each begins with a letter that is rare.
_FEAST_MARK = lazy_regex(
    "feast |Feast |ve of(?<=[Eea]ve of)|gil of|w of(?<=orrow of)|Passover|Pesach|Hashanah|Kippur|Hanukkah|Chanukah"
    "|Sukkot|Shavuot|Eid al|Ashura|Nowruz|Christi|Ascension|Trinity|Shrove|New Year|Festival"
)
_ERA_MARK = lazy_regex(r"BE|B\.E|Buddhist Era|Juche |juche |AUC|AM 5|Sam[vb]at|Saka")
#: A day of a month that is counted by the moon.
_LUNAR_DAY = lazy_regex(
    r"(?:[Tt]he )?(?P<day>\d{1,2}(?=st|nd|rd|th)|\b[a-z]{5,10})(?:st|nd|rd|th)?(?: day)? of the "
    r"(?P<month>\d{1,2}(?=st|nd|rd|th)|[a-z]{5,8})(?:st|nd|rd|th)? "
    r"lunar month(?:(?: of|,) (?P<year>\d{4})\b)?"
)
#: Longer spans than this are no single year.
_YEAR = 300


def find_notations(text: str, now: Span | None = None) -> list[TimeExpr]:
    """The dates of other calendars and of feasts, which state their year, in order.

    A day of a lunar month may do without: it is one of the year of `now`.

    >>> [(item.text, item.value) for item in find_notations("Thailand, in 2563 BE")]
    [('2563 BE', '2020')]
    """
    found = []
    for match in _FEAST.finditer(text) if _FEAST_MARK.search(text) is not None else ():
        if spans := read_feast(match[0]):
            day = spans[0].start // DAY
            found.append(_make_expression(match, day_span(take_nominal_day(day, civil_date(day)[0]))))
    for match in _ERA.finditer(text) if _ERA_MARK.search(text) is not None else ():
        try:
            span = resolve(match[0])[0].span
        except EpochalError:
            continue
        found.append(_make_expression(match, span))
    for match in _LUNAR_DAY.finditer(text) if "lunar month" in text else ():
        if (lunar := _read_lunar_day(match, now)) is not None:
            found.append(_make_expression(match, day_span(lunar)))
    return sorted(found, key=lambda item: item.start_char)


_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
).split()


def _read_lunar_day(match: re.Match[str], now: Span | None) -> int | None:
    words = (match["month"], match["day"])
    month, day = (int(one) if one.isdigit() else _ORDINALS.index(one) + 1 if one in _ORDINALS else 0 for one in words)
    year = int(match["year"]) if match["year"] else None if now is None else now.first_year
    return None if year is None or not day else place_lunar_day(year, month, day)


def _make_expression(match: re.Match[str], span: Span) -> TimeExpr:
    is_year = span.days is not None and span.days > _YEAR
    value = year_value(span.first_year or 0) if is_year else timex3_value(span)
    return TimeExpr(match[0], *match.span(), "DATE", value, span, confidence=0.85, stated=("year",))


#: The values of `lang`; `auto` looks at the letters and words.
LANGUAGES = ("auto", *COVERED)

#: What Markdown sets in italics: "_May 2017_".
_EMPHASIS = lazy_regex(r"(?<!\w)_(?![\s_])([^_\n]{1,200})(?<!\s)_(?!\w)")

#: Signs of modern Chinese that no Japanese text without kana has.
_CHINESE = lazy_regex("[的了吗呢们这那得着个么]")
#: The most characters of a text in Chinese characters that may be Japanese.
_BRIEF_HAN = 10
_HAN = lazy_regex(r"[㐀-鿿豈-﫿]")
_LATIN = lazy_regex(r"[A-Za-z]{2}|\d{3}")
#: A day, a month and a year in digits with spaces between them, which are all of a text.
_SPACED = lazy_regex(r"\s*\d\d? \d\d? (?:\d\d|\d{4})\s*\Z")
_HOURS = lazy_regex(r"\d:\d\d\s*[-–]\s*\d|\A\s*\d?\d:\d\d\s*\Z")
#: A day and a month as German writes them; with a slash only where it is all of the text and can be nothing else.
_DOTTED = lazy_regex(
    r"(?<![\d.])\d{1,2}\.\d{1,2}(?:\.|(?!\d))|\A\s*(?!24/7\b)(?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2])\s*\Z"
)


def detect_languages(text: str) -> tuple[str, ...]:
    """The languages whose taggers a text in one language needs; the empty code is that of digits and signs alone."""
    return _choose_taggers(text, detect_language(text).code)


def _choose_taggers(text: str, code: str) -> tuple[str, ...]:
    if code == "zh":
        return ("zh", "en") if _LATIN.search(text) else ("zh",)
    if not code:
        if _DOTTED.search(text):
            return ("de", "en")  # German writes its dates so, and ranges of them
        return ("", "en") if _HOURS.search(text) or _SPACED.match(text) else ("en",)
    if code == "ja":
        return ("ja", "zh")  # dates of the old calendars, which both wrote alike
    if code not in COVERED:
        # Chinese characters have meant their dates for long, whatever else is written around them.
        return ("zh", "") if _HAN.search(text) else ("",)
    return ("zh", "en") if code == "en" and not text.isascii() and _HAN.search(text) else (code,)


def tag(
    text: str,
    now: Span | None = None,
    lang: str = "auto",
    *,
    implicit: bool = False,
    prefer: Prefer | None = None,
    fiscal_year_start: FiscalSetting | None = None,
) -> list[TimeExpr]:
    """The time expressions of a text in order; relative ones are resolved against `now`, the text's own date.

    `lang` is the language of the text, or `auto`, which finds it, sentence by sentence where several are mixed. Of a
    language that is not covered only dates in digits are read; `detect_language` says which that is. `prefer` decides
    which of several possible times is taken where the words leave it open, such as the year of "in May": the last, the
    next or the nearest. With `implicit`, named events and periods ("the Korean War") count too, at a lower confidence,
    and so do words that take one up again ("after the war"). `fiscal_year_start` says what "FY24" means: the month in
    which fiscal years begin, as `epochal.reading.fiscal` has it.

    >>> [(item.text, item.value) for item in tag("Sold in early May 1998, bought two years later.")]
    [('early May 1998', '1998-05'), ('two years later', '2000')]
    >>> [(item.text, item.value) for item in tag("Im März 1848 brach die Revolution aus.")]
    [('März 1848', '1848-03')]
    >>> tag("Sales rose in Q3 FY24.", fiscal_year_start=10)[0].span.edtf()
    '2024-04/2024-06'
    """
    if lang not in LANGUAGES:
        raise UnknownNameError("language", lang, LANGUAGES)
    if prefer not in (None, "past", "future", "nearest"):
        raise UnknownNameError("preference", prefer, ("past", "future", "nearest"))
    if now is not None and now.is_open:
        now = None  # an open span is no date to count from
    fiscal = None if fiscal_year_start is None else read_fiscal_setting(fiscal_year_start)
    if has_long_runs(text):
        return read_shortened(text, lambda short: _tag_text(short, now, lang, prefer, fiscal, implicit=implicit))
    return _tag_text(text, now, lang, prefer, fiscal, implicit=implicit)


def _tag_text(
    text: str, now: Span | None, lang: str, prefer: Prefer | None, fiscal: FiscalCalendar | None, *, implicit: bool
) -> list[TimeExpr]:
    if "_" in text:
        text = _EMPHASIS.sub(r" \1 ", text)
    expressions = _tag_parts(text, now, prefer) if lang == "auto" else _tag_in((lang,), text, now, prefer)
    if expressions:
        expressions = apply_fiscal_calendar(text, expressions, now, fiscal or get_fiscal_calendar())
    if not implicit:
        return expressions
    # "2008" inside "the 2008 Beijing Olympics" says less than the whole name.
    named = _load_events().tag(text, now)
    starts = [item.start_char for item in expressions]
    longer = [
        item for item in named if _contains(item, expressions[(at := bisect_left(starts, item.start_char)) : at + 1])
    ]
    return _merge(_merge(longer, expressions), named)


def _tag_parts(text: str, now: Span | None, prefer: Prefer | None) -> list[TimeExpr]:
    """The expressions of a text in one language, or of each range in another."""
    detection = detect_language(text)
    expressions = _tag_detected(text, detection, now, prefer)
    is_shared = detection.code not in ("en", "zh", "")
    others = detection.others
    if is_shared and "en" not in others and len(text) <= _BRIEF and _names_english_day(text, detection.code):
        others = (*others, "en")  # "I am off Friday", "Due Monday" have words of German and Italian, too
    for code in others:
        if expressions and not is_shared:
            break
        # "Un mes" has words of French, and no time in it; of "set 2012" Spanish reads the year only.
        matches = _tag_in((code,), text, now, prefer) if code in COVERED else []
        if not is_shared and not any(sign.isalpha() for item in matches for sign in item.text):
            continue  # numbers show no language: "When was Django 2.1.15 released?"
        if not expressions and all(_was_refused(item, text, detection.code) for item in matches):
            continue
        if _reaches_further(matches, expressions):
            expressions = matches
    return expressions


#: The most characters of a text whose few words may be of another language than was found.
_BRIEF = 200
_WORD = lazy_regex(r"[A-Za-z]{4,}|[A-Z][a-z]{2}(?![a-z])")


def _names_english_day(text: str, code: str) -> bool:
    """Whether a word of a text is an English name of a time, and nothing in the language that was found."""
    if code not in SHARED_LANGUAGES:
        return False
    known = load_language(code).class_of
    return any(word in _english_names() and word not in known for word in map(str.lower, _WORD.findall(text)))


#: Shorter names of units are written in many languages: "sec", "min".
_SHORT_NAME = 3


@cache
def _english_names() -> frozenset[str]:
    from epochal.reading.english.lexicon import DAYPARTS, MONTHS, SEASONS, UNITS, WEEKDAYS

    words = (word for names in (DAYPARTS, SEASONS, UNITS) for word in names if len(word) > _SHORT_NAME)
    return frozenset({*words, *MONTHS, *WEEKDAYS, "today", "tomorrow", "tonight", "yesterday"}) - {"weekend"}


def _was_refused(item: TimeExpr, text: str, code: str) -> bool:
    """Whether a word of a longer text is one of time in its own language, too, which has not read it: Theresa May."""
    word = item.text.lower()
    if not word.isalpha() or text.strip(".,!? ").lower() == word:
        return False
    if code == "en":
        return _knows_english(word)
    return code in SHARED_LANGUAGES and word in load_language(code).class_of


def _reaches_further(matches: list[TimeExpr], expressions: list[TimeExpr]) -> bool:
    """Whether some expressions cover all that others cover, and more."""
    covers = all(
        any(match.start_char <= item.start_char and item.end_char <= match.end_char for match in matches)
        for item in expressions
    )
    return covers and sum(len(item.text) for item in matches) > sum(len(item.text) for item in expressions)


def _tag_detected(text: str, detection: Detection, now: Span | None, prefer: Prefer | None) -> list[TimeExpr]:
    """The expressions of a text in the language that was found, or in several."""
    if detection.code in ("en", "zh", "") and detection.doubt < 0.25:
        found = _tag_in(_choose_taggers(text, detection.code), text, now, prefer)
        if not found and detection.code == "zh" and len(text) <= _BRIEF_HAN and not _CHINESE.search(text):
            return _tag_in(("ja",), text, now, prefer)  # a few signs may be Japanese as well: 前月, 2021春
        return found
    expressions: list[TimeExpr] = []
    for start, end, code in split_by_language(text, detection):
        part = text[start:end]
        names = (code,) if code in COVERED and code not in ("en", "zh", "ja") else detect_languages(part)
        expressions += (item.shift(start) for item in _tag_in(names, part, now, prefer))
    return expressions


def _tag_in(names: tuple[str, ...], text: str, now: Span | None, prefer: Prefer | None) -> list[TimeExpr]:
    """The expressions that the taggers of some languages find; where two overlap, that of the first stays."""
    expressions: list[TimeExpr] = []
    for name in names:
        if name in SHARED_LANGUAGES or not name:
            matches = _load_shared(name).tag(text, now, prefer=prefer)
        elif name == "en":
            matches, marks = _load_english().tag_marked(text, now, prefer=prefer)
            if marks:
                matches = _add_marked(text, marks, matches, now)
        else:
            matches = _load_chinese().tag(text, now, prefer=prefer)
        if not matches:
            continue
        if name == "zh" and "ja" in names:
            matches = [item for item in matches if "年" in item.text]
        expressions = _merge(expressions, _outside_titles(text, matches) if name == "en" else matches)
    return expressions


def _add_marked(text: str, marks: str, matches: list[TimeExpr], now: Span | None) -> list[TimeExpr]:
    """The expressions of an English text with those of which it has marks (`epochal.reading.english.marks`)."""
    if PERIOD in marks:
        matches = _merge(matches, _find_periods(text))
    if NOTATION in marks:
        matches = _merge(find_notations(text, now), matches)
    if REIGN in marks:
        matches = _merge(find_reigns_in_text(text), matches)
    return matches


#: What makes the name of a period or a reign a time by itself: "the Edo period", "the reign of Elizabeth I".
_PERIOD_WORD = lazy_regex(r"\b(?:period|era|dynasty|reign|Ages?)\b")
#: How many characters around such a word its name is looked for.
_PERIOD_NAME = 80


def _find_periods(text: str) -> list[TimeExpr]:
    """The periods and reigns of the table of events that a text calls so."""
    ranges: list[tuple[int, int]] = []
    for match in _PERIOD_WORD.finditer(text):
        start = text.rfind(" ", 0, max(0, match.start() - _PERIOD_NAME)) + 1
        end = text.find(" ", match.end() + _PERIOD_NAME)
        if ranges and start <= ranges[-1][1]:
            start = ranges.pop()[0]
        ranges.append((start, len(text) if end < 0 else end))
    return [
        item.shift(start)
        for start, end in ranges
        for item in _load_events().tag(text[start:end], None)
        if _PERIOD_WORD.search(item.text) is not None
    ]


def tag_batch(
    texts: Iterable[str], nows: Iterable[Span | None] | None = None, lang: str = "auto", *, implicit: bool = False
) -> Iterator[list[TimeExpr]]:
    """The time expressions of many texts, one list a text.

    >>> [len(found) for found in tag_batch(["In 1998.", "Nothing."])]
    [1, 0]
    """
    if nows is None:
        for text in texts:
            yield tag(text, None, lang, implicit=implicit)
        return
    present = iter(nows)
    for text in texts:
        try:
            now = next(present)
        except StopIteration:
            raise EpochalError("there are more texts than dates in nows; give one (or None) for each text") from None
        yield tag(text, now, lang, implicit=implicit)


def _knows_english(word: str) -> bool:
    from epochal.reading.english.lexicon import DAYPARTS, MONTHS, SEASONS, WEEKDAYS

    return any(word in names for names in (DAYPARTS, MONTHS, SEASONS, WEEKDAYS))


@cache
def _load_english() -> EnglishTagger:
    from epochal.reading.english.tagger import EnglishTagger

    return EnglishTagger()


@cache
def _load_shared(name: str) -> LanguageTagger:
    from epochal.reading.shared.tagger import LanguageTagger  # most texts are in English

    return LanguageTagger(load_language(name))


@cache
def _load_chinese() -> ChineseTagger:
    from epochal.reading.chinese.tagger import ChineseTagger

    return ChineseTagger()


@cache
def _load_events() -> EventFinder:
    return EventFinder()


def _outside_titles(text: str, items: list[TimeExpr]) -> list[TimeExpr]:
    """The expressions outside Chinese titles: only the Chinese tagger knows which years count there."""
    if not items or text.isascii() or not any(mark in text for mark in "《〈「『"):
        return items
    from epochal.reading.chinese.text import outside_titles

    outside = outside_titles(text, [(item.start_char, item.end_char) for item in items])
    return [item for item, is_outside in zip(items, outside, strict=True) if is_outside]


def _contains(item: TimeExpr, following: list[TimeExpr]) -> bool:
    """Whether an expression lies within a longer one that starts no later."""
    return any(other.end_char <= item.end_char and len(other.text) < len(item.text) for other in following)


def _merge(first: list[TimeExpr], second: list[TimeExpr]) -> list[TimeExpr]:
    """Both lists in order; where two overlap, the one of the first list stays."""
    if not first or not second:
        return first or second
    merged: list[TimeExpr] = []
    position = 0
    for item in second:
        while position < len(first) and first[position].end_char <= item.start_char:
            merged.append(first[position])
            position += 1
        if position == len(first) or item.end_char <= first[position].start_char:
            merged.append(item)
    return merged + first[position:]
