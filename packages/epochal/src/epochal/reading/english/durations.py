"""Rules for durations ("two years", "eight-year") and sets ("every day", "daily")."""

from __future__ import annotations

import re
from itertools import pairwise

from epochal.lazy import lazy_regex
from epochal.reading.english.context import EnglishContext
from epochal.reading.english.guards import is_attached, is_compound, is_named_after_day, is_named_unit, is_part_of_name
from epochal.reading.english.lexicon import CLASSES, DAYPARTS, MONTHS, UNITS, WEEKDAYS
from epochal.reading.english.match import RuleMatch, apply_modifier, rule
from epochal.reading.english.offsets import is_ahead, move_from, take_part, take_until
from epochal.reading.expression import Meaning
from epochal.reading.timex3 import date_value, day_span, duration_value, part_of_day, week_span
from epochal.times.axis import DAY, Grain
from epochal.times.span import Span

_FREQUENCIES = {"daily": "P1D", "everyday": "P1D", "nightly": "P1D", "hourly": "PT1H", "weekly": "P1W"}
_FREQUENCIES |= {"biweekly": "P2W", "monthly": "P1M", "yearly": "P1Y", "annually": "P1Y", "fortnightly": "P2W"}
#: What says how often beside a verb; before a noun it is a kind of that: "the quarterly report".
_ADVERBS = {"quarterly": "P3M", "semiannually": "P6M", "biannually": "P6M", "biennially": "P2Y", "bimonthly": "P2M"}
_FREQUENCIES |= _ADVERBS
#: The days of a working week; one of them is a time only where every one is meant.
_WORKING_DAYS = {"weekday": "XXXX-WXX-WD", "weeknight": "XXXX-WXX-WDTNI"}


@rule
def duration(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    if match.has("ORDINAL"):
        return _read_seconds(match)
    grain, letter = match.unit()
    amount = match.number()
    if amount == 0 or _is_tiny(match) or _is_coded(match) or _in_war_name(match) or _is_titled(match):
        return None
    if match.has_form("A UNIT") and match.words[1] == "day" and is_compound(match.tokens, match.last):
        return None
    if _is_fraction(match) or _is_idle(match) or (match.words[-1] == "sec" and not match.has("SMALL_NUMBER")):
        return None
    # "A day", "a year" after a price or a count is a rate, which is a set.
    if match.has_form('A "-"? UNIT') and _is_rate(match):
        return Meaning("SET", duration_value(1, letter), None, "", 0.6)
    if len(match.all("UNIT")) > 1:
        return _compound(match)
    until = take_until(match, context, grain, amount)
    return Meaning("DURATION", duration_value(amount, letter), until, match.mod(), 0.85)


def _read_seconds(match: RuleMatch) -> Meaning | None:
    """ "One second", "a 30-second delay": the word for a second is an ordinal, too."""
    amount = match.number()
    if match.words[-1] != "second" or amount is None or not (amount == 1 or match.has("-")):
        return None
    return Meaning("DURATION", duration_value(amount, "TS"), None, "", 0.7)


@rule
def quarters_of_unit(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Three quarters of an hour", "two and a quarter hours"."""
    parts = match.all("UNIT")
    if parts[0] not in ("quarter", "quarters") or parts[1] not in ("hour", "hours"):
        return None
    place = match.codes.index(CLASSES["UNIT"])
    joint = match.codes.rfind(CLASSES["AND"], 0, place)
    whole = RuleMatch(match.tokens, match.first, match.first + max(joint, 0)).number() if joint > 0 else 0
    count = RuleMatch(match.tokens, match.first + joint + 1, match.first + place).number() or 1
    if whole is None or count > 3 or whole != int(whole) or (joint < 0 and place == 0):
        return None
    minutes = f"{int(15 * count)}M"
    return Meaning("DURATION", f"PT{int(whole)}H{minutes}" if whole else f"PT{minutes}", None, "", 0.85)


@rule
def hours_and_minutes(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "One hour thirty": minutes without their name."""
    place = match.codes.index(CLASSES["UNIT"])
    hours = RuleMatch(match.tokens, match.first, match.first + place).number()
    minutes = RuleMatch(match.tokens, match.first + place + 1, match.last).number()
    if match.unit()[0] is not Grain.HOUR or hours is None or minutes is None or not 5 <= minutes < 60:
        return None
    return Meaning("DURATION", f"PT{int(hours)}H{int(minutes)}M", None, "", 0.75)


@rule
def nights_ago(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Two nights ago", "three mornings ago": that part of the day so many days back."""
    number, now, word = match.number() or 1, context.now, (match.word("DAYPART") or "").removesuffix("s")
    part = DAYPARTS.get(word, "")
    if not part or ":" in part or match.has("FEW") or number != int(number) or not 1 <= number <= 60:
        return None
    if now is None:
        return Meaning("TIME", f"XXXX-XX-XXT{part}", None, "", 0.6)
    day = now.start // DAY - int(number)
    return Meaning("TIME", f"{date_value(day_span(day))}T{part}", part_of_day(day, part), "", 0.85)


@rule
def nights(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Two nights", as beds are let: so many days; "one night" is some night."""
    number = match.number()
    if match.words[-1] != "nights" and match.words != ["1", "night"]:
        return None
    if number is None or number != int(number) or not 1 <= number <= 400:
        return None
    return Meaning("DURATION", duration_value(number, "D"), None, "", 0.8)


@rule
def short_duration(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "2h 30m", "48 h", "3d ago": units in letters, from longer ones to shorter ones."""
    text = " ".join(match.words)
    parts = [(float(number), _LETTERS.get(unit, unit)) for number, unit in _SHORT_PART.findall(text)]
    if not parts or any(unit not in UNITS for _, unit in parts):
        return None
    units = [UNITS[unit] for _, unit in parts]
    grains = [grain for grain, _ in units if grain is not None]
    if len(grains) < len(parts) or any(one <= two for one, two in pairwise(grains)):
        return None
    before = match.tokens.words[match.first - 1] if match.first else ""
    if match.words[-1] == "s" and _is_decade(match, before):
        return None
    if (match.has_form("SHORT_DURATION") and before not in _DURATION_CUES) or _is_in_code(match):
        return None
    if match.codes.endswith(CLASSES["h"]) and match.tokens.text[match.tokens.start(match.last - 1)] == "H":
        return None
    if match.has("ago", "LATER"):
        sign = 1 if match.words[-1] in ("later", "afterwards") else -1
        return move_from(context.now if match.has("ago") else context.base, parts, sign)
    if match.has_form("SHORT_DURATION") and match.words[0][-1] in "ms" and not context.brief:
        return None  # 5m is a length, or a sum of money
    if is_ahead(match, context) and (moved := move_from(context.now, parts, 1)) is not None:
        return moved
    value = "P"
    for (number, _), (_, letter) in zip(parts, units, strict=True):
        one = duration_value(number, letter)[1:]
        value += one.removeprefix("T") if "T" in value else one
    return Meaning("DURATION", value, None, "", 0.75)


def _is_decade(match: RuleMatch, before: str) -> bool:
    """Whether a number and an s apart are a decade: "the 90 s"."""
    is_round = re.fullmatch(r"\d0", match.words[0]) is not None
    return (is_round and before in _BEFORE_DECADES) or match.tokens.text[match.tokens.end(match.first)] != " "


_BEFORE_DECADES = {"", "the", "in", "early", "late", "mid", "of", "'", "’", "$"}
_DURATION_CUES = {"after", "every", "for", "in", "last", "next", "past", "within"}
_DURATION_CUES |= {"lasted", "lasts", "sleep", "takes", "timeout", "took", "ttl", "waited"}
#: What goes on behind a length of so many seconds; a noun makes it a decade: "in 90s music".
_AFTER_SECONDS = {"after", "and", "at", "before", "but", "for", "instead", "of", "or", "per", "then", "to"}


@rule
def round_seconds(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "After 30s", "timeout of 60s": tens of seconds, which look like a decade."""
    tokens, word = match.tokens, match.words[0]
    before = tokens.words[match.first - 1] if match.first else ""
    following = tokens.words[match.last] if match.last < len(tokens.words) else "."
    if len(word) != 3 or not word[0].isdigit() or _is_in_code(match):
        return None
    if before == "of" and match.first > 1 and tokens.words[match.first - 2] in _DURATION_CUES:
        before = tokens.words[match.first - 2]
    if before not in _DURATION_CUES or (following.isalpha() and following not in _AFTER_SECONDS):
        return None
    if before == "in" and (following.isalpha() or not context.brief):
        return None
    return Meaning("DURATION", f"PT{word[:-1]}S", None, "", 0.7)


def _is_in_code(match: RuleMatch) -> bool:
    """Whether the tokens are part of a link or an identifier: "t.co/150h2CT"."""
    tokens = match.tokens
    end = tokens.end(match.last - 1)
    return is_attached(tokens, match.first, match.last) or tokens.text[end : end + 1].isalnum()


_SHORT_PART = lazy_regex(r"(\d+(?:\.\d+)?) ?([a-z]+)(?= |$|,)")
_LETTERS = {"h": "hours", "d": "days", "w": "weeks", "m": "minutes", "s": "seconds", "y": "years", "mo": "months"}
_LETTERS |= {"mos": "months"}


def _is_titled(match: RuleMatch) -> bool:
    """Whether capitals make "A Day" or "Year" part of a title: "A Day in the Life", "the New Year Honours"."""
    tokens = match.tokens
    start, last = tokens.start(match.last - 1), tokens.end(match.last - 1)
    if len(match.words) > 2 or not tokens.text[start].isupper() or tokens.text[start:last].isupper():
        return False
    if len(match.words) == 2:
        return match.starts_with("A") and tokens.words[match.last : match.last + 1] != ["'"]
    if not match.first or match.last >= len(tokens.words) or match.words[0].endswith("s"):
        return False
    if tokens.text[tokens.start(match.first - 1) : tokens.end(match.first - 1)] == "A":
        return True
    around = (tokens.start(match.first - 1), tokens.start(match.last))
    return all(tokens.text[place].isupper() for place in around) and tokens.text[last] == " "


def _is_idle(match: RuleMatch) -> bool:
    """Whether "a minute" only asks for patience: "wait a minute", "give me a second"."""
    if match.words[-1] not in ("minute", "sec", "moment") or len(match.words) > 2:
        return False
    words, place = match.tokens.words, match.last - 2
    return place > 0 and words[place] == "a" and words[place - 1] in ("wait", "me", "just", "on", "hold", "got")


def _is_coded(match: RuleMatch) -> bool:
    """Whether the number belongs to the name of a standard or a model: "ISO-8601 week"."""
    text, start = match.tokens.text, match.tokens.start(match.first)
    return start > 1 and text[start - 1] == "-" and text[start - 2].isupper() and text[start].isdigit()


def _is_tiny(match: RuleMatch) -> bool:
    """Whether "minute" says how small something is: a minute amount of salt."""
    if match.words[-1] == "minute" and match.tokens.words[match.last : match.last + 1] in (
        ["book"],
        ["books"],
        ["order"],
    ):
        return True
    return match.words[-1] == "minute" and not _QUANTITIES.isdisjoint(match.tokens.words[match.last : match.last + 1])


_QUANTITIES = {"amount", "amounts", "change", "changes", "crack", "cracks", "detail", "details", "difference"}
_QUANTITIES |= {"differences", "dose", "doses", "fraction", "fractions", "fragment", "fragments", "number", "numbers"}
_QUANTITIES |= {"part", "particle", "particles", "parts", "percentage", "portion", "portions", "proportion"}
_QUANTITIES |= {"proportions", "quantities", "quantity", "scale", "share", "speck", "specks", "trace", "traces"}


def _compound(match: RuleMatch) -> Meaning | None:
    """ "Two years and three months", "2 hours, 3 minutes and 14 seconds": from longer units to shorter ones."""
    ends = [match.first + place + 1 for place, code in enumerate(match.codes) if code == CLASSES["UNIT"]]
    parts = [RuleMatch(match.tokens, first, last) for first, last in zip((match.first, *ends), ends, strict=False)]
    grains = [part.unit()[0] for part in parts]
    if None in grains or any(one <= two for one, two in pairwise(grain for grain in grains if grain is not None)):
        return None
    value = "P"
    for part in parts:
        text = duration_value(part.number(), part.unit()[1])[1:]
        value += text.removeprefix("T") if "T" in value else text
    return Meaning("DURATION", value, None, match.mod(), 0.85)


def _is_fraction(match: RuleMatch) -> bool:
    """Whether a quarter is one of something, not of a year."""
    if match.words[-1] not in ("quarter", "quarters"):
        return False
    following = match.tokens.words[match.last : match.last + 1]
    if following == ["of"] and not match.has("the"):
        return True
    return match.words == ["a", "quarter"] or (match.words[-1] == "quarters" and match.has("-"))


def _in_war_name(match: RuleMatch) -> bool:
    """Whether the unit belongs to the Thirty Years' War and its like."""
    tokens = match.tokens
    following = [word for word in tokens.words[match.last : match.last + 2] if word not in "'’"]
    return following[:1] == ["war"] and tokens.text[tokens.start(match.last - 1)].isupper()


def _is_rate(match: RuleMatch) -> bool:
    has_price = any(match.tokens.is_class(match.first - back, "CURRENCY") for back in (1, 2, 3))
    word = match.tokens.words[match.first - 1] if match.first else ""
    return word in _COUNTED or has_price


_COUNTED = {"times", "once", "twice", "million", "billion", "dollars", "share", "barrels", "percent", "%"}


@rule
def first_units(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The first nine months", "the last two weeks"; of a year or a month that follows, they are part of it."""
    grain, letter = match.unit() if len(match.all("UNIT")) == 1 else UNITS[match.all("UNIT")[0]]
    amount = match.number()
    return Meaning("DURATION", duration_value(amount, letter), take_part(match, context, grain, amount), "", 0.8)


@rule
def some_units(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Some months", which says no more than "months"."""
    if match.words[0] != "some" or not match.words[1].endswith("s"):
        return None
    return Meaning("DURATION", duration_value(None, match.unit()[1]), None, "", 0.7)


@rule
def glued_duration(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    if match.words[-1].endswith("long"):  # "year-long", "yearlong"
        return Meaning("DURATION", duration_value(1, UNITS[match.words[0].removesuffix("long")][1]), None, "", 0.8)
    parts = re.fullmatch(r"(\d+)([a-z]+)", match.words[0])
    if parts is None or _is_in_code(match):
        return None
    unit = _LETTERS.get(parts[2], parts[2])
    if unit not in UNITS:
        return None
    if is_ahead(match, context) and (moved := move_from(context.now, [(float(parts[1]), unit)], 1)) is not None:
        return moved
    return Meaning("DURATION", duration_value(int(parts[1]), UNITS[unit][1]), None, "", 0.8)


@rule
def unit_alone(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Years", "the year", "the weekend", "the quarter": plural units are durations, definite ones dates."""
    grain, letter = match.unit()
    word = match.all("UNIT")[-1]
    if _in_war_name(match) or _is_fraction(match) or _is_tiny(match) or match.words == ["quarters"]:
        return None
    if is_part_of_name(match.tokens, match.first, match.last) or _is_idle(match) or _is_titled(match):
        return None
    if word in ("day", "night") and is_compound(match.tokens, match.last):
        return None
    if len(match.words) == 1 and _compares_units(match.tokens.words, match.first):
        return None
    if letter != "Y" and not _KINDS_OF_YEARS.isdisjoint(match.words):
        return None  # the school day
    before = match.tokens.words[match.first - 1] if match.first else ""
    if before == '"' and match.tokens.words[match.last : match.last + 2] == ['"', ":"]:
        return None  # the name of a field
    if word in ("year", "years") and before == "model":
        return None
    if word == "minutes" and _are_notes(match):
        return None
    if word in ("minute", "second") and match.tokens.is_class(match.first - 1, "ORDINAL"):
        return None  # a goal in the 89th minute
    if len(match.words) == 1 and (before == "any" or (word in ("hour", "hours") and before in _KINDS_OF_HOURS)):
        return None
    if len(match.words) == 1 and before == "-" and match.first > 1 and match.tokens.words[match.first - 2] in _MEASURES:
        return None  # man-hours, light-years
    if len(match.words) == 1 and match.tokens.is_class(match.last, "YEAR", "LARGE_NUMBER", "THREE_DIGITS"):
        return None  # the Nepali year 2077
    if len(match.words) == 1 and is_named_unit(match.tokens, match.first):
        return None
    if match.starts_with("WHOLE") and match.tokens.is_class(match.first - 1, "ORDINAL", "-", "UNIT"):
        return None  # the third consecutive month, an eight-hour working day
    if word in ("min", "mins", "sec", "secs", "hr", "wk", "mos", "mth", "mths", "yr", "qtr", "qtrs"):
        return None
    if match.first > 1 and match.tokens.words[match.first - 1] == "-" and len(match.tokens.words[match.first - 2]) == 1:
        return None  # H-hour
    plural = word.endswith("s") or word == "millennia"
    # "Day" and "hour" alone are rarely times in prose; short messages do mean them.
    if len(match.words) == 1 and not plural and not context.brief:
        return None
    if word == "day" and _is_exact(match):
        return None
    if _is_idiom(match):
        return None
    if letter == "WE":
        return _weekend(match, context, plural)
    if plural:
        return Meaning("DURATION", duration_value(None, letter), None, match.mod(), 0.6)
    if match.has("the", "BEGINNING", "EARLY", "LATER"):
        return _definite(match, context, grain, letter)
    if match.has("WHOLE", "THIS"):
        return Meaning("DURATION", duration_value(1, letter), None, "", 0.6)
    return Meaning("DURATION", duration_value(1, letter), None, "", 0.4)


def _is_exact(match: RuleMatch) -> bool:
    """Whether a day says how exact a length is: "ten years to the day"."""
    words, place = match.tokens.words, match.last - 1
    return words[max(0, place - 2) : place] == ["to", "the"] and match.tokens.is_class(place - 3, "UNIT")


def _is_idiom(match: RuleMatch) -> bool:
    """Whether "the day" or "the hour" is no time of its own: "back in the day", "the man of the hour"."""
    words, place = match.tokens.words, match.last - 1
    if len(match.words) > 2 or words[place - 1 : place] != ["the"]:
        return False
    return (words[max(0, place - 3) : place - 1] == ["back", "in"] and words[place] == "day") or (
        words[place - 2 : place - 1] == ["of"] and words[place] in ("hour", "minute")
    )


def _compares_units(words: list[str], place: int) -> bool:
    """Whether a unit is one of two that say how a change is measured: year on year, month-over-month."""
    ahead = [word for word in words[place + 1 : place + 5] if word != "-"][:2]
    behind = [word for word in words[max(0, place - 4) : place] if word != "-"][-2:][::-1]
    return any(len(pair) == 2 and pair[0] in ("on", "over") and pair[1] == words[place] for pair in (ahead, behind))


def _are_notes(match: RuleMatch) -> bool:
    """Whether minutes are those of a meeting: the minutes of the council, the latest minutes."""
    words = match.tokens.words
    if "latest" in words[max(0, match.last - 2) : match.last - 1]:
        return True
    following = words[match.last : match.last + 1]
    if following == ["from"] and match.tokens.is_class(
        match.last + 1, "SLASH_DATE", "NUMERIC_DATE", "MONTH_NAME", "WEEKDAY", "LAST", "the"
    ):
        return True  # the minutes from 12/3
    return match.words in (["minutes"], ["recent", "minutes"]) and following == ["of"]


#: What makes a unit of work, energy or distance of one of time.
_MEASURES = {
    "crew",
    "kilowatt",
    "light",
    "man",
    "megawatt",
    "ohm",
    "pack",
    "parsec",
    "patient",
    "person",
    "watt",
    "woman",
    "work",
}
_KINDS_OF_YEARS = {"financial", "school", "tax"}
_KINDS_OF_HOURS = {
    "business",
    "credit",
    "golden",
    "zero",
    "kilowatt",
    "man",
    "office",
    "opening",
    "school",
    "operating",
    "peak",
    "person",
    "rush",
}
_KINDS_OF_HOURS |= {"library", "museum", "shop", "store", "consulting", "regular", "off", "happy"}
_KINDS_OF_HOURS |= {"school", "small", "trading", "visiting", "watt", "working"}


@rule
def numbered_unit(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Day 1", "year 3": in short messages only, since elsewhere the number mostly belongs to what follows."""
    _, letter = match.unit()
    if match.all("UNIT")[0] not in ("day", "week", "wk", "year", "month") or not context.brief:
        return None
    number, home = int(match.words[-1]), context.home
    if letter == "W" and 20 <= number <= 52 and home is not None and home.first_year is not None:
        week = week_span(home.first_year, number)
        return None if week is None else Meaning("DATE", date_value(week), week, "", 0.6)
    return Meaning("DATE", f"P1{letter}-#{int(match.words[-1])}", None, "", 0.5)


def _weekend(match: RuleMatch, context: EnglishContext, plural: bool) -> Meaning | None:
    if plural:
        return Meaning("SET", "XXXX-WXX-WE", None, "", 0.6)
    if context.home is None:
        return Meaning("DATE", "XXXX-WXX-WE", None, "", 0.6)
    week = Span.unit(context.home.start, Grain.WEEK)
    # Until Thursday "the weekend" is the one just past, unless the words look ahead.
    if context.home.start < week.start + 4 * DAY and not context.ahead:
        week = week.shift(-1)
    weekend = Span(week.start + 5 * DAY, week.end, Grain.DAY)
    return Meaning("DATE", f"{date_value(week)}-WE", weekend, match.mod(), 0.7)


def _definite(match: RuleMatch, context: EnglishContext, grain: Grain | None, letter: str) -> Meaning | None:
    base = context.base if context.mode == "narrative" else context.now
    if grain is None or base is None or grain < Grain.DAY:
        return Meaning("DURATION", duration_value(1, letter), None, match.mod(), 0.4)
    following = match.tokens.words[match.last : match.last + 1]
    if following == ["of"] and not match.tokens.is_class(match.last + 1, "CURRENCY"):
        return Meaning("DATE", "XXXX", None, match.mod(), 0.3)  # "the year of the Conquest": which one is not said
    if following and following[0] in ("after", "before") and _names_event(match):
        return Meaning("DATE", "XXXX", None, match.mod(), 0.3)  # the day before the election
    until = take_until(match, context, grain, 1)
    if until is not None or (grain is Grain.YEAR and following in (["ended"], ["ending"])):
        return Meaning("DURATION", duration_value(1, letter), until, "", 0.7)  # not one of the calendar
    span = Span.unit(base.start, grain)
    if grain is Grain.QUARTER and context.mode == "news":
        span = span.shift(-1)
    # "By the end of the year" is a bound; "the year" alone may be any.
    return apply_modifier(span, match, 0.7 if match.has("BEGINNING") else 0.5)


def _names_event(match: RuleMatch) -> bool:
    """Whether "before" or "after" leads to something that is no time by itself: "the day after the crash"."""
    tokens = match.tokens
    return tokens.is_class(match.last + 1, "the", "A", "THIS") and tokens.is_class(match.last + 2, "OTHER")


@rule
def every(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    if match.has("UNIT"):
        _, letter = match.unit()
        amount = match.number() or (2 if "other" in match.words else match.ordinal() or 1)
        value = duration_value(amount, letter) if letter != "WE" else "XXXX-WXX-WE"
        return Meaning("SET", value, None, "", 0.85)
    word = match.words[-1].rstrip(".")
    if word in WEEKDAYS:
        return Meaning("SET", f"XXXX-WXX-{WEEKDAYS[word]}", None, "", 0.85)
    if word in MONTHS:
        return Meaning("SET", f"XXXX-{MONTHS[word]:02d}", None, "", 0.85)
    if word in DAYPARTS:
        return Meaning("SET", f"XXXX-XX-XXT{DAYPARTS[word]}", None, "", 0.85)
    return Meaning("SET", "P1Y", None, "", 0.7)


@rule
def year_end(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Year-end", "month-end", "year-end 2024"."""
    grain, _ = match.unit()
    if match.word("BEGINNING") != "end" or grain is None or grain < Grain.WEEK:
        return None
    year = match.year()
    if year is not None and grain is not Grain.YEAR:
        return None
    span = context.unit(grain) if year is None else Span.year(year)
    if span is None:
        return Meaning("DATE", "XXXX", None, "END", 0.7)
    return apply_modifier(span, match, 0.7)


@rule
def frequency(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    tokens, word = match.tokens, match.words[-1].removesuffix("s")
    if word in _WORKING_DAYS:
        is_every = match.has("EVERY") or word != match.words[-1]
        return Meaning("SET", _WORKING_DAYS[word], None, "", 0.8) if is_every else None
    end = tokens.end(match.last - 1)
    if match.has("EVERY") or (tokens.text[end : end + 1] == "-" and tokens.text[end + 1 : end + 2].isalpha()):
        return None
    if match.first and tokens.is_class(match.last, "OTHER"):
        initials = "".join(tokens.text[tokens.start(place)] for place in (match.first - 1, match.first, match.last))
        if initials[0].isupper() and initials[1].islower() and initials[2].isupper():
            return None  # the Communist Party daily Granma is a newspaper
    if is_named_after_day(tokens, match.first, match.last):
        return None  # the Daily Mail
    if match.words[0] in _ADVERBS and tokens.is_class(match.last, "OTHER", "WHOLE", "UNIT", "FISCAL", "of"):
        return None
    return Meaning("SET", _FREQUENCIES[match.words[0]], None, "", 0.7)
