"""Times of day: clocks, and parts of days."""

from __future__ import annotations

import re

from epochal.reading.english.context import Context
from epochal.reading.english.daytimes import day_named, day_pointed_at, states_day
from epochal.reading.english.found import Found, Meaning
from epochal.reading.english.lexicon import CARDINALS, DAYPARTS, WEEKDAYS, ZONES
from epochal.reading.english.rules import rule
from epochal.reading.english.values import date_value, day_span, first_day, part_of_day
from epochal.times import Grain, Span
from epochal.times.axis import DAY
from epochal.times.axis import weekday as weekday_of

__all__: list[str] = []


def _day(found: Found, context: Context) -> int | None:
    """The day that an expression with a time names: stated, or that of the text."""
    month = found.month()
    day = found.day_of_month() if month is not None else None
    if month is not None and day is not None:
        year = found.year() or context.year_for_month(month)
        return None if year is None else first_day(year, month, day)
    home = context.home
    if not states_day(found.codes):
        # "Overnight" is mostly the night before the text, as "tonight" is the one after it.
        named = day_named(context, found.tokens, found.first, near="overnight" in found.words)
        return named if named is not None or home is None else home.start // DAY
    if found.has("WEEKDAY", "SHORT_WEEKDAY", "TODAY") or found.word("THIS", "LAST") in ("this", "these", "last"):
        return None if home is None else _from_today(found, context, home.start // DAY)
    # "That night", "the next morning", "the previous evening"
    base = context.base
    pointed = day_pointed_at(context, found.tokens, found.first)
    if pointed is None and base is not None:
        pointed = base.start // DAY
    return None if pointed is None else pointed + found.has("NEXT") - found.has("LAST")


def _from_today(found: Found, context: Context, today: int) -> int | None:
    """The day of a weekday, of "yesterday" or "tomorrow", of "this morning" or "last night"."""
    word = found.word("WEEKDAY", "SHORT_WEEKDAY")
    if word is not None:
        number = WEEKDAYS[word]
        back = (weekday_of(today) - number) % 7
        if found.has("LAST"):
            return today - (back or 7)
        if found.has("NEXT"):
            return today - back + 7
        return today - weekday_of(today) + number if found.has("THIS") else context.weekday_day(number)
    word = found.word("TODAY")
    if word is not None:
        return today + (1 if word in ("tomorrow", "tmr", "tmrw", "tomo") else -1 if word[0] == "y" else 0)
    return today - (found.word("LAST") == "last")


@rule
def clock(found: Found, context: Context) -> Meaning | None:
    parsed = _clock_time(found)
    if parsed is None or _is_verse(found):
        return None
    hour, minute = parsed
    day = _day(found, context)
    value = f"T{hour:02d}:{minute:02d}"
    if day is None:
        return Meaning("TIME", f"XXXX-XX-XX{value}", None, "", 0.8)
    # The value keeps the hour as stated; the span lies on the axis, in UTC.
    start = day * DAY + hour * 3600 + minute * 60 - int(3600 * ZONES.get(found.word("ZONE") or "utc", 0))
    return Meaning("TIME", date_value(day_span(day)) + value, Span(start, start + 60, Grain.MINUTE), "", 0.9)


@rule
def clock_of(found: Found, context: Context) -> Meaning | None:
    return clock(found, context)


def _is_verse(found: Found) -> bool:
    """Whether a bare 3:16 follows a name, as in "John 3:16"."""
    if not found.has_form("CLOCK") or not found.first or found.words[0][-1] == "m":
        return False
    tokens = found.tokens
    before = tokens.text[tokens.start(found.first - 1)]
    return before.isupper() and tokens.is_class(found.first - 1, "OTHER")


def _clock_time(found: Found) -> tuple[int, int] | None:
    word = found.word("CLOCK") or found.word("SMALL_NUMBER", "NUMBER_WORD")
    if word is None and found.has("ZONE"):  # "1800 GMT"
        word = found.word("YEAR", "LARGE_NUMBER")
        word = word if word is not None and len(word) == 4 and word.isdigit() else None
    if word is None:
        return None
    half = (found.word("AM_PM") or "")[:1]
    if word in CARDINALS:
        hour, minute = CARDINALS[word], 0
    else:
        digits = re.match(r"(\d{1,2}?)[:.]?(\d\d)?(?!\d)", word)
        if digits is None:
            return None
        hour, minute = int(digits[1]), int(digits[2] or 0)
        half = half or (re.sub(r"[\d:.]", "", word)[:1] if re.search("[ap]m", word) else "")
    if "evening" in found.words or "night" in found.words or "afternoon" in found.words:
        half = half or "p"
    if half == "p" and hour < 12:
        hour += 12
    elif half == "a" and hour == 12:
        hour = 0
    return (hour, minute) if hour < 24 and minute < 60 else None


#: In prose these alone are scenery, or a greeting.
_SCENERY = {"dawn", "morning", "evening", "noon", "sunset", "dusk"}
_AT = {"after", "around", "at", "before", "by", "until"}


def _is_of_named_day(found: Found, context: Context) -> bool:
    """Whether a word such as "noon" is a time after all: "by noon", of a day that the text has just named."""
    before = found.tokens.words[found.first - 1] if found.first else ""
    return before in _AT and _has_named_day(found, context)


def _has_named_day(found: Found, context: Context) -> bool:
    """Whether the words before a part of a day name its day; in a story, where "night" may be any, nearby ones."""
    return day_named(context, found.tokens, found.first, near=context.mode == "narrative") is not None


@rule
def day_part(found: Found, context: Context) -> Meaning | None:
    word = found.word("DAYPART") or ""
    part = DAYPARTS[word]
    if word.endswith("s") and word[:-1] in DAYPARTS and len(found.words) == 1:
        return Meaning("SET" if found.has("EVERY") else "TIME", f"T{part}", None, "", 0.5)
    bare = len(found.words) == 1 or (len(found.words) == 2 and found.starts_with("the", "A"))
    if found.has_form("DAYPART") and not context.brief and word in _SCENERY and not _is_of_named_day(found, context):
        return None
    if bare and context.mode == "narrative" and not _has_named_day(found, context):
        return Meaning("TIME", f"XXXX-XX-XXT{part}", None, "", 0.5)
    day = _day(found, context)
    if day is None:
        return Meaning("TIME", f"XXXX-XX-XXT{part}", None, "", 0.7)
    value = f"{date_value(day_span(day))}T{part}"
    return Meaning("TIME", value, part_of_day(day, part), found.mod(), 0.6 if bare else 0.85)


@rule
def day_part_of(found: Found, context: Context) -> Meaning | None:
    return day_part(found, context)
