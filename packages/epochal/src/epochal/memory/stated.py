"""The times that a turn states: dates, and durations that count from when it is said.

A reader of dates leaves durations alone, since "two months" is no time. In talk it often is one: what has lasted for
two months began two months ago, what happens in two months is two months away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from epochal.ingest import StatedTimes
from epochal.reading.english.direction import AHEAD_WORDS, PAST_VERBS, PLANNING_WORDS
from epochal.reading.expression import StatedRange, TimeExpr, stated_ranges
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal.times.axis import OPEN_END, Certainty, Grain, get_year
from epochal.times.span import Span

#: How many "a few", "several" and "some" are, about.
_FEW: Final = 3
#: Nobody talks of what lasted longer.
_MAX_UNITS: Final = 200
_CONFIDENCE: Final = 0.8

_ABOUT: Final = (
    r"(?:(?:about|around|roughly|approximately|almost|nearly|just|only|over|under|like|maybe|more than|less than"
    r"|close to|well over|at least|the (?:past|last)|already|another|a|an) )*"
)
#: "I have been playing for four months", "we have been married 5 years": it began that long before it was said.
_LASTING: Final = re.compile(
    r"(?:(?:\b(?:have|has)|['’](?:ve|s)) (?:\w+ ){0,2}?"
    r"(?:(?:been|known|had|lived|worked|played|owned|done|loved|studied|taught|practi[cs]ed|trained|kept)\b[^.!?]*?"
    rf"\bfor|been(?: (?!in\b)\w+)?)|(?<!had )\bbeen (?:\w+ ){{1,3}}for) {_ABOUT}$",
    re.IGNORECASE,
)
#: "Seven years now", "five years already": the answer to how long something has lasted.
_STILL: Final = re.compile(r"\s*(?:now|already|and counting|strong)\b", re.IGNORECASE)
_OPENING: Final = re.compile(
    rf"(?:^|[.!?,;:–—-]\s*)(?:(?:it['’]s|it has) been |for )?{_ABOUT}(?:it['’]s been )?$", re.IGNORECASE
)
#: "It's been two months since I joined": that happened two months ago.
_SINCE_EVENT: Final = re.compile(r"\s*(?:now )?since\b", re.IGNORECASE)
#: How long ago two people talked is no news of either.
_SINCE_TALK: Final = re.compile(r"\s*since (?:then|last|(?:we|our) (?:last )?(?:spoke|talk|chat))", re.IGNORECASE)
_BEEN: Final = re.compile(rf"(?:it['’]s|it has|it is)(?: already)?(?: been)? {_ABOUT}$", re.IGNORECASE)
_AGO: Final = re.compile(r"\s*(?:ago\b|earlier\b|back(?:\s*[,.;!?]|\s+(?:I|we|my|our)\b|$))", re.IGNORECASE)
#: "A week or two ago", "a month or so".
_OR_SO: Final = re.compile(r"\s*or (?:so|two|three|more)\b", re.IGNORECASE)
#: "For the past few weeks I've been painting".
_FOR: Final = re.compile(rf"(?:^|[,;:–—-]\s*)for {_ABOUT}$", re.IGNORECASE)
_HAS_BEEN: Final = re.compile(r",? \w+(?:['’](?:ve|s)| have| has) (?:\w+ )?been\b", re.IGNORECASE)
_PAST: Final = ("the past ", "the last ", "past ", "last ")
#: "In two months" is when only beside a present or a future: "I learned it in two months" is how long.
_IN: Final = re.compile(rf"\bin {_ABOUT}$", re.IGNORECASE)
_TO_COME: Final = re.compile(
    r"(?:\b(?:is|are|am|will|starts?|begins?|opens?|leaves?|gonna)|(?:\bi['’]m|\w['’](?:re|ll)"
    r"|\b(?:it|that|there|he|she)['’]s))\b(?! been\b)(?!.*\b(?:I|you|he|she|we|they)\b)",
    re.IGNORECASE,
)
_AWAY: Final = re.compile(r"\s*(?:away|from (?:now|today)|to go|until|till)\b", re.IGNORECASE)
#: "The first time in five years" is no plan.
_FIRST_TIME: Final = re.compile(r"\b(?:first|best|worst|only|biggest|last) (?:\w+ )?in ", re.IGNORECASE)

_AMOUNT: Final = re.compile(r"P(?:(\d+|X)Y)?(?:(\d+|X)M)?(?:(\d+|X)W)?(?:(\d+|X)D)?")
_WEEKENDS: Final = re.compile(r"P(\d+)WE")
_DAY_SECONDS: Final = 86_400
_GRAINS: Final = (Grain.YEAR, Grain.MONTH, Grain.WEEK, Grain.DAY)
_VAGUE_AGO: Final = re.compile(
    r"(?:a |quite a )?(?:few|several|some) (day|week|month|year)s (?:ago|back|earlier)", re.IGNORECASE
)
_GRAIN_WORDS: Final = {"day": Grain.DAY, "week": Grain.WEEK, "month": Grain.MONTH, "year": Grain.YEAR}
_SENTENCE_START: Final = re.compile(r"[.!?\n]\s")
#: Between a year and a part of it: "last year in March", "two years ago, in the fall".
_WITHIN: Final = re.compile(r",? (?:(?:back )?(?:in|around|during|on|at|over) )?", re.IGNORECASE)
_SEASONS_AGO: Final = re.compile(
    r"\b(two|three|four|five|[2-9]) (spring|summer|fall|autumn|winter)s ago\b", re.IGNORECASE
)
_THIS_TIME: Final = re.compile(r"\bthis time $", re.IGNORECASE)
_NUMBERS: Final = {"two": 2, "three": 3, "four": 4, "five": 5}
_DECADE_AGO: Final = re.compile(r"(?:about |almost |over )?an? decade ago", re.IGNORECASE)
#: Some day before today, and nobody says which.
_SOME_DAY: Final = re.compile(r"the other \w+", re.IGNORECASE)
#: What counts from a time named before, never from when it is said: "that weekend", "two days later".
_ANAPHORA: Final = re.compile(
    r"(?:(?:on|at|in) )?(?:that (?:same |very )?\w+|the (?:following|same) \w+|the next (?:day|morning|evening|night)"
    r"|.* (?:later|after|afterwards))",
    re.IGNORECASE,
)
_FROM_TODAY: Final = ("day after", "day before", "tomorrow", "today", "tonight", "next ", "this ", "later", "from now")
#: Before a day that an earlier act is meant for: "I bought presents for Christmas".
_MEANT_FOR: Final = re.compile(r"\b(?:for|by|until|till|before|to \w+(?: \w+){0,3})(?: the)? $", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z]+")
#: "I have an exam on Monday", "we've got tickets for Saturday".
_HAVE_AHEAD: Final = re.compile(
    r"(?:\b(?:have|has)|['’]ve|['’]s)(?: got)? (?:an?|another|my|our|some|no|tickets?)\b[^.!?,;]{0,60}"
    r"\b(?:on|for|this) $",
    re.IGNORECASE,
)


def read_ranges(text: str, said: Span) -> list[StatedRange]:
    """The times that a turn states, in their order; those of durations have a part without a span.

    >>> said = Span.parse("2023-08-14")
    >>> [item.span.edtf() for item in read_ranges("I left last year in March, after what was two summers ago.", said)]
    ['2022-03', '2021-22']
    """
    expressions = tag(text, said)
    if not expressions:
        return []
    dates = [_read_this_time(text, _count_seasons(text, item, said), said) for item in stated_ranges(text, expressions)]
    dates = _join_years(text, [_read_tense(text, item, said) for item in _drop_unanchored(dates)])
    return sorted([*dates, *read_durations(text, expressions, said)], key=lambda item: item.start_char)


def read_document_times(document: Document) -> StatedTimes:
    """What the document of a turn states, for the index; the name of its speaker, its title, is no time."""
    return (), read_ranges(document.text, document.published) if document.published is not None else []


def read_durations(text: str, expressions: Sequence[TimeExpr], said: Span) -> Iterator[StatedRange]:
    """The times that the durations among the expressions of a turn state, in their order.

    >>> from epochal.reading.tagger import tag
    >>> said = Span.parse("2023-12-06")
    >>> def read(text):
    ...     return [item.span.edtf() for item in read_durations(text, tag(text, said), said)]
    >>> read("I've been playing for four months now."), read("It's been two months since I joined the gym.")
    (['2023-08/..'], ['2023-10'])
    >>> read("I adopted him a few months ago."), read("The wedding is in a few weeks."), read("I learned it in a week.")
    (['2023-09~'], ['2023-W52~'], [])
    """
    for item in expressions:
        span = _read_vague_past(item, said) if item.value == "PAST_REF" else _read_duration(text, item, said)
        if span is not None:
            yield StatedRange(span, item.start_char, item.end_char, _CONFIDENCE, (item,))


def _join_years(text: str, ranges: Sequence[StatedRange]) -> list[StatedRange]:
    """The ranges, where a year next to a part of a year says which year that is."""
    joined: list[StatedRange] = []
    for item in ranges:
        last = joined[-1] if joined else None
        if last is not None and _WITHIN.fullmatch(text, last.end_char, item.start_char):
            year, part = (last, item) if last.span.grain == Grain.YEAR else (item, last)
            if (moved := _move_into(part, year)) is not None:
                span = replace(part, span=moved, start_char=last.start_char, end_char=item.end_char)
                joined[-1] = span
                continue
        joined.append(item)
    return joined


def _move_into(part: StatedRange, year: StatedRange) -> Span | None:
    """The span of a part of a year in that year; None unless one is a year, the other a part that states no year."""
    is_part = Grain.DAY <= part.span.grain < Grain.YEAR and not part.span.is_open and part.relation == "during"
    if year.span.grain != Grain.YEAR or year.span.is_open or year.relation != "during" or not is_part:
        return None
    if any("year" in one.stated for one in part.parts) or not any("year" in one.carried for one in part.parts):
        return None
    return part.span.shift(get_year(year.span.start) - get_year(part.span.start), Grain.YEAR)


def _drop_unanchored(ranges: Sequence[StatedRange]) -> list[StatedRange]:
    """The ranges without those that no day is known of: "the other day", and "that night" where none was named."""
    kept: list[StatedRange] = []
    for item in ranges:
        words = " ".join(part.text for part in item.parts)
        if not _SOME_DAY.fullmatch(words) and (kept or not _ANAPHORA.fullmatch(words)):
            kept.append(item)
    return kept


def _read_tense(text: str, item: StatedRange, said: Span) -> StatedRange:
    """The range in the year, or the week, that the verb before it says; and "a decade ago" as ten years ago."""
    words = " ".join(part.text for part in item.parts)
    if _DECADE_AGO.fullmatch(words):
        return replace(item, span=_count_units(said, Grain.YEAR, -10, is_vague=True))
    stated = {name for part in item.parts for name in part.stated}
    if item.span.is_open or item.relation != "during" or "year" in stated or "last " in words.lower():
        return item
    before = text[: item.start_char]
    before = before[max((mark.end() for mark in _SENTENCE_START.finditer(before)), default=0) :]
    is_past = _tells_of_past(before)
    if is_past and stated <= {"day"} and item.span.grain == Grain.DAY and item.span.start >= said.end:
        is_named = not any(one in words.lower() for one in _FROM_TODAY) and not _MEANT_FOR.search(before)
        # Read again, not moved: Thanksgiving is another day of the month each year.
        earlier = tag(words, said.shift(-1, Grain.YEAR)) if is_named else []
        return replace(item, span=earlier[0].span) if len(earlier) == 1 and earlier[0].span is not None else item
    if stated == {"weekday"} and item.span.end <= said.start and _HAVE_AHEAD.search(before) and not is_past:
        return replace(item, span=item.span.shift(1, Grain.WEEK))
    return item


def _tells_of_past(before: str) -> bool:
    """Whether the last verb before a time is one of the past."""
    for found in reversed(_WORD.findall(before.lower())):
        if found in AHEAD_WORDS or found in PLANNING_WORDS:
            return False
        if found in PAST_VERBS or (len(found) > 4 and found.endswith("ed")):
            return True
    return False


def _count_seasons(text: str, item: StatedRange, said: Span) -> StatedRange:
    """The range, and where it is the season of "two summers ago", that one: one summer ago is the last that is over."""
    found = _SEASONS_AGO.search(text, max(item.start_char - 6, 0), min(item.end_char + 4, len(text)))
    if item.span.grain != Grain.SEASON or found is None or not found.start() <= item.start_char < found.end():
        return item
    years = get_year(said.start) - get_year(item.span.start)
    last = item.span.shift(years, Grain.YEAR)
    last = last if last.end <= said.start else last.shift(-1, Grain.YEAR)
    count = _NUMBERS.get(found[1].lower()) or int(found[1])
    return replace(item, span=last.shift(1 - count, Grain.YEAR), start_char=found.start(), end_char=found.end())


def _read_this_time(text: str, item: StatedRange, said: Span) -> StatedRange:
    """The range, and after "this time" the month of the year: this time last year is not all of that year."""
    found = _THIS_TIME.search(text, max(item.start_char - 10, 0), item.start_char)
    if found is None or item.span.grain != Grain.YEAR or item.span.is_open:
        return item
    month = Span.unit(said.start, Grain.MONTH).shift(get_year(item.span.start) - get_year(said.start), Grain.YEAR)
    span = replace(month, certainty=Certainty.APPROXIMATE, end_certainty=Certainty.APPROXIMATE)
    return replace(item, span=span, start_char=found.start())


def _read_vague_past(item: TimeExpr, said: Span) -> Span | None:
    found = _VAGUE_AGO.fullmatch(item.text)
    return None if found is None else _count_units(said, _GRAIN_WORDS[found[1].lower()], -_FEW, is_vague=True)


def _read_duration(text: str, item: TimeExpr, said: Span) -> Span | None:
    if (weekends := _WEEKENDS.fullmatch(item.value)) is not None:
        return _count_weekends(said, int(weekends[1])) if _AGO.match(text, item.end_char) else None
    amount = _read_amount(item.value)
    # "The past two months" is a time already, and what has lasted for them still lasts.
    if amount is None or (item.span is not None and not item.text.lower().startswith(_PAST)):
        return None
    count, grain, is_vague = amount
    if count > _MAX_UNITS:
        return None
    start = max((match.end() for match in _SENTENCE_START.finditer(text, 0, item.start_char)), default=0)
    before, after = text[start : item.start_char], text[item.end_char :]
    if _SINCE_TALK.match(after):
        return None
    if (more := _OR_SO.match(after)) is not None:
        after, is_vague = after[more.end() :], True
    if _AGO.match(after) or (_SINCE_EVENT.match(after) and (_BEEN.search(before) or not before.strip())):
        return _count_units(said, grain, -count, is_vague=is_vague)
    is_lasting = _LASTING.search(before) or (_STILL.match(after) and _OPENING.search(before))
    if is_lasting or (_FOR.search(before) and _HAS_BEEN.match(after)):
        unit = _count_units(said, grain, -count, is_vague=is_vague)
        return Span(unit.start, OPEN_END, grain, certainty=unit.certainty)
    if item.text.lower().startswith(_PAST):
        return None
    if _AWAY.match(after) and _TO_COME.search(before):
        return _count_units(said, grain, count, is_vague=is_vague)
    if _IN.search(before) and _TO_COME.search(before) and not _FIRST_TIME.search(before):
        return _count_units(said, grain, count, is_vague=is_vague)
    return None


def _count_weekends(said: Span, count: int) -> Span | None:
    """The weekend that is so many weekends before something was said; the one in which it was said does not count."""
    if not 0 < count <= _MAX_UNITS:
        return None
    start = Span.unit(said.start, Grain.WEEK).start - (7 * count - 5) * _DAY_SECONDS
    return Span(start, start + 2 * _DAY_SECONDS, Grain.DAY)


def _read_amount(value: str) -> tuple[int, Grain, bool] | None:
    """How many units of which grain a TIMEX3 duration is, and whether that is vague; years and months are months."""
    found = _AMOUNT.fullmatch(value)
    if found is None or not any(found.groups()):
        return None
    counts = [_FEW if part == "X" else int(part or 0) for part in found.groups()]
    years, months, *_ = counts
    is_vague = "X" in found.groups()
    if years and months:
        return 12 * years + months, Grain.MONTH, is_vague
    place = next(place for place, part in enumerate(found.groups()) if part)
    return counts[place], _GRAINS[place], is_vague


def _count_units(said: Span, grain: Grain, count: int, *, is_vague: bool) -> Span:
    """The unit that is so many units after the one in which something was said, before it if negative."""
    unit = Span.unit(said.start, grain).shift(count)
    return replace(unit, certainty=Certainty.APPROXIMATE, end_certainty=Certainty.APPROXIMATE) if is_vague else unit
