"""Rules for times of day, by the clock ("3 p.m.", "half past two", "0715 hrs") and by name ("the night of 3 May")."""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.lazy import lazy_regex
from epochal.reading.english.codes import read_day_month
from epochal.reading.english.context import EnglishContext, resolve_named_day, resolve_pointed_day, states_day
from epochal.reading.english.dates import make_clock_time, read_numeric_date, read_offset
from epochal.reading.english.guards import is_compound, is_part_of_name
from epochal.reading.english.lexicon import CARDINALS, CLASSES, DAYPARTS, ORDINALS, WEEKDAYS, ZONES
from epochal.reading.english.match import RuleMatch, rule
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.expression import Meaning
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


def _follow_preference(match: RuleMatch, context: EnglishContext, day: int, second: int) -> int:
    """The day of a clock time without one: where a user says which way, the next or the last time it is so late."""
    now = context.now
    if not context.prefer or now is None or now.grain >= Grain.DAY or states_day(match.codes):
        return day
    if resolve_named_day(context, match.tokens, match.first) is not None or find_part_before(match):
        return day
    return day if context.prefer * (day * DAY + second - now.start) >= 0 else day + context.prefer


@rule
def clock(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    parsed = read_clock(match)
    if parsed is None or _is_verse(match) or _is_result(match) or _is_label(match):
        return None
    hour, minute, second = parsed
    return place_on_day(match, context, hour, minute, second)


def place_on_day(
    match: RuleMatch, context: EnglishContext, hour: int, minute: int, second: int | None
) -> Meaning | None:
    """A clock time on the day that the words state, or that the text named."""
    day = _day(match, context)
    named = context.named
    if day is not None and hour < _DAWN and named is not None and named.is_night and not states_day(match.codes):
        day += day == named.day  # "Friday night: rain after 1am"
    if day is None:
        clock_value = f"T{hour:02d}:{minute:02d}" + ("" if second is None else f":{second:02d}")
        return Meaning("TIME", f"XXXX-XX-XX{clock_value}", None, "", 0.8)
    day = _follow_preference(match, context, day, hour * 3600 + minute * 60 + (second or 0))
    zone, offset = match.word("ZONE") or _find_zone_ahead(match), match.word("OFFSET") or _find_offset(match)
    meaning = make_clock_time(day, hour, minute, second, None)
    if meaning is None or meaning.span is None:
        return None
    ahead = read_offset(offset) if offset is not None else int(3600 * ZONES.get(zone or "utc", 0))
    span = Span(meaning.span.start - ahead, meaning.span.end - ahead, meaning.span.grain)
    return replace(meaning, span=span, confidence=0.9)


def _find_zone_ahead(match: RuleMatch) -> str | None:
    """The zone of the last end of a range of hours, which is that of the first as well: "9:30 - 11:00 CST"."""
    tokens = match.tokens
    ahead = GRAMMAR.compile(_ZONE_AHEAD).match(tokens.codes, match.last)
    return None if ahead is None else tokens.words[ahead.end() - 1]


def _find_offset(match: RuleMatch) -> str | None:
    """The offset behind a year, as Git has it: "Mon Jun 2 11:04:09 2025 +0300"."""
    if not match.codes.endswith(CLASSES["YEAR"]):
        return None
    end = match.tokens.end(match.last - 1)
    found = _OFFSET.match(match.tokens.text, end)
    return None if found is None else found[1]


_OFFSET = lazy_regex(r" ([+-]\d\d:?\d\d)(?!\w)")
_ZONE_AHEAD = '("-" | TO) (CLOCK AM_PM? | (SMALL_NUMBER | LARGE_NUMBER) AM_PM | MILITARY | YEAR) ZONE'


def _is_label(match: RuleMatch) -> bool:
    """Whether 2a or 7p names a part, a room or pence, since nothing leads to an hour."""
    word = match.word("CLOCK") or ""
    if re.fullmatch(r"\d{1,2}[ap]", word) is None or match.has("WEEKDAY", "SHORT_WEEKDAY", "TODAY", "ZONE"):
        return False
    tokens = match.tokens
    if tokens.is_class(match.last, "-", "TO") and tokens.is_class(match.last + 1, "CLOCK", "SMALL_NUMBER"):
        return False
    before = tokens.words[match.first - 1] if match.first else ""
    return before not in HOUR_CUES and not (before in ("-", "–", "to") and tokens.is_class(match.first - 2, "CLOCK"))


@rule
def clock_of(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    return clock(match, context)


def _is_result(match: RuleMatch) -> bool:
    """Whether a bare 4:05 is how long a race took, or an offset: "in 4:05", "UTC+6:00"."""
    if not match.has_form("CLOCK") or not match.first or match.words[0][-1] == "m":
        return False
    before = match.tokens.words[match.first - 1]
    if before in ("a", "his", "her", "their") and match.words[0].count(":") == 2:
        return True  # she ran a 2:19:59
    if before == "+" and match.tokens.words[match.first - 2 : match.first - 1] == ["t"]:
        return True  # T+00:03:12
    if before == "up" and (match.first == 1 or match.tokens.is_class(match.first - 2, "CLOCK")):
        return True  # how long a machine has run
    if not _RATIOS.isdisjoint(match.tokens.words[max(0, match.first - 6) : match.first]):
        return True
    return before in ("in", "of") or (before in "+-" and match.tokens.is_class(match.first - 2, "ZONE"))


_RATIOS = {"mixed", "odds", "proportion", "ratio", "scale", "score", "scored"}


def _is_verse(match: RuleMatch) -> bool:
    """Whether a bare 3:16 follows the name of a book, as in "John 3:16", or another name that has it for a score."""
    tokens = match.tokens
    if not match.has_form("CLOCK") or not match.first or match.words[0][-1] == "m":
        return False
    if tokens.is_class(match.last, "-", "TO") and tokens.is_class(match.last + 1, "CLOCK"):
        return False
    if tokens.words[match.first - 1] not in _BOOKS and (len(match.words[0]) > 4 or match.words[0][-1] in "05"):
        return False  # Open 14:30
    before = tokens.text[tokens.start(match.first - 1)]
    return before.isupper() and tokens.is_class(match.first - 1, "OTHER")


_BOOKS = set(
    "acts amos book chapter chronicles colossians corinthians cor daniel deuteronomy ecclesiastes ephesians esther "
    "exodus ezekiel ezra galatians gen genesis habakkuk hebrews hosea isaiah james jeremiah job joel john jonah joshua "
    "jude judges kings koran lamentations leviticus lev luke malachi mark matt matthew micah nehemiah numbers peter "
    "philippians proverbs prov psalm psalms qur quran rev revelation rom romans ruth samuel sura surah "
    "thessalonians timothy titus verse zechariah".split()
)


def read_clock(match: RuleMatch) -> tuple[int, int, int | None] | None:
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
        digits = re.match(r"(\d{1,2}?)[:.h]?(\d\d)?(?::(\d\d))?(?![\d:])", word)
        if digits is None:
            return None
        hour, minute = int(digits[1]), int(digits[2] or 0)
        second = None if digits[3] is None else int(digits[3])
        half = half or (re.sub(r"[\d:.]", "", word)[:1] if re.search("[ap]m?$", word) else "")
    if not half and second is None and not match.has("DAYPART", "ZONE", "OFFSET"):
        ahead = GRAMMAR.compile(HOURS_AHEAD).match(match.tokens.codes, match.last)
        if ahead is not None:  # 2:00 - 2:30 pm
            later = read_clock(RuleMatch(match.tokens, match.last + 1, ahead.end()))
            half = "p" if later is not None and later[0] >= 12 and hour <= (later[0] - 12 or 12) else ""
    if word.endswith("ish") or (match.has("OCLOCK") and not half and not match.has("DAYPART")):
        half = half or guess_half(hour)
    hour = apply_half(match, hour, half)
    return (hour, minute, second) if hour < 24 and minute < 60 else None


HOURS_AHEAD = '("-" | TO) (CLOCK AM_PM? | SMALL_NUMBER AM_PM)'


_LATE_PARTS = {"evening", "night", "afternoon", "tonight"}


def find_part_before(match: RuleMatch) -> str:
    """The part of the day that the words before an hour name: "tonight at 8", "in the morning at 7"."""
    tokens, place = match.tokens, match.first - 1
    if place > 0 and tokens.is_class(place, "IN", "@", "BEFORE") and tokens.is_class(place - 1, "DAYPART", "TODAY"):
        return tokens.words[place - 1]
    return ""


def guess_half(hour: int) -> str:
    """In speech, one to six o'clock are mostly in the afternoon."""
    return "p" if 1 <= hour <= 6 else ""


def apply_half(match: RuleMatch, hour: int, half: str) -> int:
    """The hour of a day of 24, of a.m., p.m. or what the words say of the part of the day."""
    words = [*match.words, find_part_before(match)]
    if not _LATE_PARTS.isdisjoint(words):
        is_night = "night" in words
        half = half or ("a" if hour == 12 and "afternoon" not in words else "p" if hour > 3 or not is_night else "")
    if half == "p" and hour < 12:
        return hour + 12
    return 0 if half == "a" and hour == 12 else hour


#: What leads to an hour that is a bare number: "Thursday at 3", "by 5 on Monday".
HOUR_CUES = {"at", "by", "after", "before", "around", "until", "till", "from", "@"}
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
    if not is_at and GRAMMAR.compile(HOURS_AHEAD).match(tokens.codes, match.last) is None:
        return None
    hour, minute = int(parts[0]), int(parts[1])
    return place_on_day(match, context, hour, minute, None) if hour < 24 and minute < 60 else None


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
    is_listed = tokens.is_class(match.first - 1, "AND") and tokens.is_class(match.first - 2, "MILITARY")
    named = context.named
    follows_day = named is not None and named.behind == match.first and word[0] == "0"
    if (
        is_bare
        and not follows_day
        and GRAMMAR.compile(_ZONE_AHEAD).match(tokens.codes, match.last) is None
        and not opens
        and not is_listed
        and before not in _CLOCK_CUES
        and not tokens.is_class(match.first - 1, "WEEKDAY", "TODAY")
    ):
        return None
    if match.has("UNIT") and match.word("UNIT") not in ("hrs", "hours", "hr"):
        return None
    ends_range = before == "-" and tokens.is_class(match.first - 2, "MILITARY")
    if start and tokens.text[start - 1] in "-+/.:_#" and not ends_range:
        return None
    return place_on_day(match, context, hour, minute, None)


def read_scheduled_hour(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Next dose at 1800": a full hour or part of one in four digits, where something is scheduled."""
    tokens, word = match.tokens, match.words[0]
    following = tokens.words[match.last] if match.last < len(tokens.words) else "."
    near = tokens.words[max(0, match.first - 8) : match.first]
    hour, minute = int(word[:2]), int(word[2:])
    if minute % 5 or not (hour < 24 and minute < 60) or not context.brief:
        return None
    if following.isalnum() and following not in ("and", "on", "for", "with", "by", "then"):
        return None
    if _SCHEDULED.isdisjoint(near) or not _QUOTED.isdisjoint(near):
        return None
    return place_on_day(match, context, hour, minute, None)


#: What happens at an hour.
_SCHEDULED = frozenset(
    "arrive arrived arrives arriving breakfast briefing depart departs departure dinner dose doses formation "
    "kickoff launch lunch meal med meds meet meeting meets muster parade reveille rounds sail sailed sails "
    "shift supper surgery takeoff watch".split()
)


@rule
def hours_of_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "May 12 0935-1101": from one hour to another, in four digits each, right behind a day."""
    word, tokens = match.words[0], match.tokens
    if len(word) != 4 or not word.isdigit() or int(word[:2]) > 23 or int(word[2:]) > 59:
        return None
    is_last = tokens.is_class(match.first - 1, "-")
    other = tokens.words[match.first - 2 if is_last else match.last + 1]
    named = context.named
    behind = match.first - 2 if is_last else match.first
    if len(other) != 4 or named is None or named.behind != behind:
        return None
    meaning = make_clock_time(named.day, int(word[:2]), int(word[2:]), None, None)
    return meaning and replace(meaning, confidence=0.75)


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
    if is_part_of_name(match.tokens, match.first, match.last) or is_compound(match.tokens, match.last):
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
def half_of_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "This AM", "tomorrow pm", "Friday AM": the morning or the afternoon, in notes."""
    tokens, part = match.tokens, "MO" if match.words[-1].startswith("a") else "AF"
    word = tokens.text[tokens.start(match.last - 1) : tokens.end(match.last - 1)]
    following = tokens.words[match.last] if match.last < len(tokens.words) else "."
    if not word.isupper() and following.isalnum():
        return None  # "This am I to suffer", and "Is this am or pm"
    day = _day(match, context)
    if day is None:
        return None
    return Meaning("TIME", f"{date_value(day_span(day))}T{part}", part_of_day(day, part), "", 0.75)


@rule
def night_of(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The night of 4-5 August 1789", which began on the first of the two days."""
    short = match.word("SLASH_DATE")
    month, days = match.month(), match.all("SMALL_NUMBER", "ORDINAL") if short is None else short.split("/")
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
