"""Rules for times of day, by the clock ("3 p.m.", "half past two", "0715 hrs") and by name ("the night of 3 May")."""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.reading.english.codes import read_day_month
from epochal.reading.english.context import EnglishContext, resolve_named_day, resolve_pointed_day, states_day
from epochal.reading.english.dates import make_clock_time, read_numeric_date, read_offset
from epochal.reading.english.guards import is_part_of_name
from epochal.reading.english.lexicon import CARDINALS, DAYPARTS, ORDINALS, WEEKDAYS, ZONES
from epochal.reading.english.match import Meaning, RuleMatch, rule
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.timex3 import date_value, day_span, first_day, part_of_day
from epochal.times.axis import DAY, Grain
from epochal.times.axis import weekday as weekday_of
from epochal.times.span import Span

#: The hour at which a night ends.
_DAWN = 6


def _day(match: RuleMatch, context: EnglishContext) -> int | None:
    """The day that an expression with a time names: stated, or that of the text."""
    if match.has("NUMERIC_DATE"):
        return read_numeric_date(match)
    short = match.word("SLASH_DATE", "DOT_DATE")
    month = match.month()
    day = match.day_of_month() if month is not None else None
    if short is not None:
        month, day = read_day_month(short) or (None, None)
    if month is not None and day is not None:
        year = match.year()
        if year is None:
            # What a clock shows to the second is a record.
            is_record = re.search(r":\d\d:\d\d", match.word("CLOCK") or "") is not None
            year = _last_year(context, month, day) if is_record else context.year_for_month(month, day)
        return None if year is None else first_day(year, month, day)
    home = context.home
    if not states_day(match.codes):
        # "Overnight" is mostly the night before the text, as "tonight" is the one after it; not under "Friday Night:".
        is_overnight = "overnight" in match.words and not (context.named is not None and context.named.is_heading)
        named = resolve_named_day(context, match.tokens, match.first, near=is_overnight)
        if named is not None or home is None:
            return named
        return home.start // DAY - (is_overnight and _is_morning(home))
    if match.has("WEEKDAY", "SHORT_WEEKDAY", "TODAY") or match.word("THIS", "LAST") in ("this", "these", "last"):
        return None if home is None else _from_today(match, context, home.start // DAY)
    # "That night", "the next morning", "the previous evening"
    base = context.base
    pointed = resolve_pointed_day(context, match.tokens, match.first)
    if pointed is None and base is not None:
        pointed = base.start // DAY
    return None if pointed is None else pointed + match.has("NEXT") - match.has("LAST")


def _is_morning(now: Span) -> bool:
    """Whether a clock shows a time before noon, when "overnight" is the night that has just been."""
    return now.grain < Grain.DAY and now.start % DAY < DAY // 2


def _last_year(context: EnglishContext, month: int, day: int) -> int | None:
    """The year in which a day was last."""
    today = context.day
    return None if today is None else today[0] - ((month, day) > today[1:])


def _from_today(match: RuleMatch, context: EnglishContext, today: int) -> int | None:
    """The day of a weekday, of "yesterday" or "tomorrow", of "this morning" or "last night"."""
    word = match.word("WEEKDAY", "SHORT_WEEKDAY")
    if word is not None:
        number = WEEKDAYS[word]
        back = (weekday_of(today) - number) % 7
        if match.has("LAST"):
            return today - (back or 7)
        if match.has("NEXT"):
            return today - back + 7
        return today - weekday_of(today) + number if match.has("THIS") else context.weekday_day(number)
    word = match.word("TODAY")
    if word is not None:
        return today + (1 if word in ("tomorrow", "tmr", "tmrw", "tomo") else -1 if word[0] == "y" else 0)
    return today - (match.word("LAST") == "last")


@rule
def clock(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    parsed = _clock_time(match)
    if parsed is None or _is_verse(match) or _is_result(match):
        return None
    hour, minute, second = parsed
    return _on_day(match, context, hour, minute, second)


def _on_day(match: RuleMatch, context: EnglishContext, hour: int, minute: int, second: int | None) -> Meaning | None:
    """A clock time on the day that the words state, or that the text named."""
    day = _day(match, context)
    named = context.named
    if day is not None and hour < _DAWN and named is not None and named.is_night and not states_day(match.codes):
        day += day == named.day  # "Friday night: rain after 1am"
    if day is None:
        clock_value = f"T{hour:02d}:{minute:02d}" + ("" if second is None else f":{second:02d}")
        return Meaning("TIME", f"XXXX-XX-XX{clock_value}", None, "", 0.8)
    zone, offset = match.word("ZONE"), match.word("OFFSET")
    meaning = make_clock_time(day, hour, minute, second, None)
    if meaning is None or meaning.span is None:
        return None
    ahead = read_offset(offset) if offset is not None else int(3600 * ZONES.get(zone or "utc", 0))
    span = Span(meaning.span.start - ahead, meaning.span.end - ahead, meaning.span.grain)
    return replace(meaning, span=span, confidence=0.9)


@rule
def clock_of(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    return clock(match, context)


def _is_result(match: RuleMatch) -> bool:
    """Whether a bare 4:05 is how long a race took, or an offset: "in 4:05", "UTC+6:00"."""
    if not match.has_form("CLOCK") or not match.first or match.words[0][-1] == "m":
        return False
    before = match.tokens.words[match.first - 1]
    if not _RATIOS.isdisjoint(match.tokens.words[max(0, match.first - 3) : match.first]):
        return True
    return before in ("in", "of") or (before in "+-" and match.tokens.is_class(match.first - 2, "ZONE"))


_RATIOS = {"mixed", "odds", "proportion", "ratio", "scale", "score", "scored"}


def _is_verse(match: RuleMatch) -> bool:
    """Whether a bare 3:16 follows a name, as in "John 3:16"."""
    if not match.has_form("CLOCK") or not match.first or match.words[0][-1] == "m":
        return False
    tokens = match.tokens
    before = tokens.text[tokens.start(match.first - 1)]
    return before.isupper() and tokens.is_class(match.first - 1, "OTHER")


def _clock_time(match: RuleMatch) -> tuple[int, int, int | None] | None:
    word = match.word("CLOCK") or match.word("SMALL_NUMBER", "NUMBER_WORD")
    if word is None and match.has("AM_PM"):  # 7.30 p.m.
        word = match.word("LARGE_NUMBER")
        word = word if word is not None and re.fullmatch(r"\d{1,2}\.\d\d", word) else None
    if word is None and match.has("ZONE"):  # "1800 GMT"
        word = match.word("YEAR", "LARGE_NUMBER")
        word = word if word is not None and len(word) == 4 and word.isdigit() else None
    if word is None:
        return None
    half = (match.word("AM_PM") or "")[:1]
    second = None
    if word in CARDINALS:
        hour, minute = CARDINALS[word], 0
    else:
        digits = re.match(r"(\d{1,2}?)[:.]?(\d\d)?(?::(\d\d))?(?![\d:])", word)
        if digits is None:
            return None
        hour, minute = int(digits[1]), int(digits[2] or 0)
        second = None if digits[3] is None else int(digits[3])
        half = half or (re.sub(r"[\d:.]", "", word)[:1] if re.search("[ap]m?$", word) else "")
    if not half and second is None and not match.has("DAYPART", "ZONE", "OFFSET"):
        ahead = GRAMMAR.compile(_HOURS_AHEAD).match(match.tokens.codes, match.last)
        if ahead is not None:  # 2:00 - 2:30 pm
            later = _clock_time(RuleMatch(match.tokens, match.last + 1, ahead.end()))
            half = "p" if later is not None and later[0] >= 12 and hour <= (later[0] - 12 or 12) else ""
    if word.endswith("ish") or (match.has("OCLOCK") and not half and not match.has("DAYPART")):
        half = half or _guess_half(hour)
    hour = _apply_half(match, hour, half)
    return (hour, minute, second) if hour < 24 and minute < 60 else None


_HOURS_AHEAD = '("-" | TO) (CLOCK AM_PM? | SMALL_NUMBER AM_PM)'


def _guess_half(hour: int) -> str:
    """In speech, one to six o'clock are mostly in the afternoon."""
    return "p" if 1 <= hour <= 6 else ""


def _apply_half(match: RuleMatch, hour: int, half: str) -> int:
    """The hour of a day of 24, of a.m., p.m. or what the words say of the part of the day."""
    if "evening" in match.words or "night" in match.words or "afternoon" in match.words or "tonight" in match.words:
        half = half or ("a" if hour == 12 else "p" if hour > 3 or "night" not in match.words else "")
    if half == "p" and hour < 12:
        return hour + 12
    return 0 if half == "a" and hour == 12 else hour


#: What leads to an hour that is a bare number: "Thursday at 3", "by 5 on Monday".
_HOUR_CUES = {"at", "by", "after", "before", "around", "until", "till", "from"}


@rule
def bare_hour(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "At 3", beside a day: an hour of it."""
    tokens, hour = match.tokens, int(match.words[0])
    before = tokens.words[match.first - 1] if match.first else ""
    if before not in _HOUR_CUES or not 1 <= hour <= 12:
        return None
    if not match.has("WEEKDAY", "SHORT_WEEKDAY", "TODAY"):
        near = resolve_named_day(context, tokens, match.first, near=True) if before == "at" else None
        following = tokens.words[match.last] if match.last < len(tokens.words) else ""
        if near is None or following.isalpha() or following in ("%", "$", "/", ":"):
            return None
    return _on_day(match, context, _apply_half(match, hour, _guess_half(hour)), 0, None)


@rule
def spoken_hour(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "At four", in a message, or beside a day."""
    tokens, hour = match.tokens, CARDINALS[match.words[0]]
    following = tokens.words[match.last] if match.last < len(tokens.words) else "."
    if tokens.words[match.first - 1] != "at" or not 1 <= hour <= 12:
        return None
    if following.isalnum() and following not in ("and", "but", "on", "for", "with", "we", "i", "he", "she"):
        return None
    if not context.brief and resolve_named_day(context, tokens, match.first, near=True) is None:
        return None
    return _on_day(match, context, _apply_half(match, hour, _guess_half(hour)), 0, None)


#: What leads to a price, a rate or a level that looks like a time of day: "closed at 13.25".
_QUOTED = {"bid", "closed", "closing", "ended", "finished", "fixed", "opened", "priced", "quoted", "settled", "sold"}
_QUOTED |= {"stood", "traded", "trading", "unchanged", "valued", "stands", "rate", "index", "shares", "stock"}


@rule
def dotted_clock(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "At 13.00", as Britain and the continent write the time."""
    tokens, parts = match.tokens, match.words[0].split(".")
    following = tokens.words[match.last] if match.last < len(tokens.words) else ""
    if len(parts) != 2 or len(parts[1]) != 2 or not all(part.isdigit() for part in parts) or following in ("%", "°"):
        return None
    is_quoted = not context.brief or not _QUOTED.isdisjoint(tokens.words[max(0, match.first - 8) : match.first])
    named = resolve_named_day(context, tokens, match.first, near=True)
    if is_quoted and named is None and not tokens.is_class(match.last, "TO", "-"):
        return None
    is_at = tokens.words[match.first - 1] == "at" and not (
        following.isalpha() and following not in ("on", "and", "for", "to")
    )
    if not is_at and GRAMMAR.compile(_HOURS_AHEAD).match(tokens.codes, match.last) is None:
        return None
    hour, minute = int(parts[0]), int(parts[1])
    return _on_day(match, context, hour, minute, None) if hour < 24 and minute < 60 else None


@rule
def first_hour(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The "9" of "9-10am", the "2" of "2 to 4 p.m."."""
    tokens, hour = match.tokens, int(match.words[0])
    rest = RuleMatch(tokens, match.last + 1, match.last + 3)
    other = _clock_time(rest)
    if other is None or not 1 <= hour <= 12:
        return None
    half = "p" if other[0] >= 12 and hour <= (other[0] - 12 or 12) else "a"
    return _on_day(match, context, _apply_half(match, hour, half if hour != 12 else "p"), 0, None)


@rule
def spoken_clock(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Half past two", "quarter to four", "twenty past six"."""
    numbers = [place for place, word in enumerate(match.words) if word in CARDINALS or word.isdigit()]
    joint = next((place for place, word in enumerate(match.words) if word in ("past", "to", "after", "till")), None)
    if joint is None or not numbers or numbers[-1] < joint:
        return None
    place = next(place for place in numbers if place > joint)
    hour = _read_number(match.words[place])
    before = [word for word in match.words[:joint] if word not in ("a", "minutes", "minute", "-")]
    if before in (["half"], ["quarter"]):
        minute = 30 if before == ["half"] else 15
    else:
        minute = sum(_read_number(word) for word in before if word in CARDINALS or word.isdigit())
    if not 1 <= hour <= 12 or not 0 < minute < 31 or (before == ["half"] and match.words[joint] != "past"):
        return None
    if before not in (["half"], ["quarter"]) and minute % 5 and "minutes" not in match.words:
        return None
    if match.words[joint] == "to" and before[0] not in ("half", "quarter") and not _is_spoken(match):
        return None  # ten to twelve people
    half = (match.word("AM_PM") or "")[:1]
    hour = _apply_half(match, hour, half or ("" if match.has("DAYPART") else _guess_half(hour)))
    if match.words[joint] in ("to", "till"):
        hour, minute = (hour - 1) % 24, 60 - minute
    # The day is what follows: "past" is not that of "the past week".
    return _on_day(RuleMatch(match.tokens, match.first + place + 1, match.last), context, hour, minute, None)


def _is_spoken(match: RuleMatch) -> bool:
    """Whether the words around "twenty to four" take it for a time of day, and not for a count."""
    if match.has("AM_PM", "DAYPART", "TODAY") or "minutes" in match.words:
        return True
    words = match.tokens.words
    before = words[match.first - 1] if match.first else ""
    following = words[match.last] if match.last < len(words) else "."
    return before in _SPOKEN_CUES and (not following.isalnum() or following in ("and", "but", "on", "when", "so"))


_SPOKEN_CUES = {"about", "after", "almost", "around", "at", "before", "by", "is", "just", "nearly", "s", "till"}
_SPOKEN_CUES |= {"until", "was", ","}


def _read_number(word: str) -> int:
    return CARDINALS[word] if word in CARDINALS else int(word)


#: What comes before four digits that are a time of day.
_CLOCK_CUES = {"at", "by", "from", "until", "till", "to", "around", "about", "before", "after", "between", "and", ","}
_CLOCK_CUES |= {"-", "–", "since", "hour", "through"}


@rule
def military(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "0715 hrs", "at 0300", "0600 to 1800 UTC": hours and minutes in four digits."""
    word = match.word("MILITARY", "YEAR", "LARGE_NUMBER") or ""
    hour, minute = int(word[:2]), int(word[2:])
    tokens = match.tokens
    if len(word) != 4 or hour > 23 or minute > 59:
        return None
    before = tokens.words[match.first - 1] if match.first else ""
    start = tokens.start(match.first)
    is_bare = not match.has("UNIT", "ZONE", "OFFSET", "WEEKDAY", "SHORT_WEEKDAY")
    opens = not match.first or "\n" in tokens.text[tokens.end(match.first - 1) : start]
    if is_bare and not opens and before not in _CLOCK_CUES and not tokens.is_class(match.first - 1, "WEEKDAY", "TODAY"):
        return None
    if match.has("UNIT") and match.word("UNIT") not in ("hrs", "hours", "hr"):
        return None
    if start and tokens.text[start - 1] in "-+/.:_#":
        return None
    return _on_day(match, context, hour, minute, None)


#: In prose these alone are scenery, or a greeting.
_SCENERY = {"dawn", "morning", "evening", "noon", "sunset", "dusk"}
_AT = {"after", "around", "at", "before", "by", "until"}


def _is_of_named_day(match: RuleMatch, context: EnglishContext) -> bool:
    """Whether a word such as "noon" is a time after all: "by noon", of a day that the text has just named."""
    before = match.tokens.words[match.first - 1] if match.first else ""
    return before in _AT and _has_named_day(match, context)


def _has_named_day(match: RuleMatch, context: EnglishContext) -> bool:
    """Whether the words before a part of a day name its day; in a story, where "night" may be any, nearby ones."""
    return resolve_named_day(context, match.tokens, match.first, near=context.mode == "narrative") is not None


@rule
def day_part(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    word = match.word("DAYPART") or ""
    part = DAYPARTS[word]
    if word.endswith("s") and word[:-1] in DAYPARTS and len(match.words) == 1:
        return Meaning("SET" if match.has("EVERY") else "TIME", f"T{part}", None, "", 0.5)
    if is_part_of_name(match.tokens, match.first, match.last):
        return None
    if match.starts_with("SMALL_NUMBER") and not _is_hour(match.words[0]):
        return None  # 51 overnight
    bare = len(match.words) == 1 or (len(match.words) == 2 and match.starts_with("the", "A"))
    if match.has_form("DAYPART") and not context.brief and word in _SCENERY and not _is_of_named_day(match, context):
        return None
    if bare and context.mode == "narrative" and not _has_named_day(match, context):
        return Meaning("TIME", f"XXXX-XX-XXT{part}", None, "", 0.5)
    day = _day(match, context)
    if day is None:
        return Meaning("TIME", f"XXXX-XX-XXT{part}", None, "", 0.7)
    value = f"{date_value(day_span(day))}T{part}"
    return Meaning("TIME", value, part_of_day(day, part), match.mod(), 0.6 if bare else 0.85)


def _is_hour(word: str) -> bool:
    return word.isdigit() and 1 <= int(word) <= 12


@rule
def night_of(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The night of 4-5 August 1789", which began on the first of the two days."""
    month, days = match.month(), match.all("SMALL_NUMBER", "ORDINAL")
    if month is None or len(days) != 2:
        return None
    one, two = (ORDINALS.get(word) or int(re.sub(r"\D", "", word)) for word in days)
    year = match.year() or context.year_for_month(month, one)
    day = None if year is None or two != one + 1 else first_day(year, month, one)
    if day is None:
        return None
    part = DAYPARTS[match.word("DAYPART") or ""]
    return Meaning("TIME", f"{date_value(day_span(day))}T{part}", part_of_day(day, part), "", 0.9)


@rule
def day_part_of(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    return day_part(match, context)
