"""Rule functions of the hours of Romance languages, in words and digits: "trois heures dix", "las tres y media"."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from epochal.reading.shared.function_words import FUNCTION_WORDS
from epochal.reading.shared.language import OTHER
from epochal.reading.shared.match import Item, Match, NoTime, get_rule, rule
from epochal.reading.shared.parts import Parsed, Parts, Range

__all__ = ["NUMBERS", "frequent_words", "is_counted"]

#: The classes of the numbers of hours and minutes.
NUMBERS = ("SMALL_NUMBER", "NUMBER_WORD", "A")


def is_counted(match: Match) -> bool:
    """Whether the word behind a number looks like a noun in the plural, so that the number counts it."""
    last = match.items[-1].last
    if last >= len(match.tokens.words) or match.tokens.codes[last] != OTHER:
        return False
    word, language = match.tokens.words[last], match.tokeniser.language
    if not word.isalpha() or word.endswith(tuple(language.cue_words("verb_endings"))):
        return False
    if word in frequent_words(language.code):  # "a las 3 los niños"
        return False
    return word.endswith(tuple(language.cue_words("counted_endings"))) or word in language.cue_words("counted")


@cache
def frequent_words(code: str) -> frozenset[str]:
    """The words of a language that are no nouns, verbs or adjectives."""
    return frozenset(FUNCTION_WORDS[code].split())


def _follows_between(match: Match) -> bool:
    """Whether "between" is in front, so that "and" joins two hours: "entre las 3 y 5"."""
    first, language = match.items[0].first, match.tokeniser.language
    at = first - 1 - (match.before in _ARTICLES_OF_HOURS)
    return at >= 0 and match.tokens.codes[at] == language.classes["BETWEEN"]


#: Articles between a preposition and an hour.
_ARTICLES_OF_HOURS = frozenset(("las", "la", "le", "l'", "as", "les"))


def _split_clock(match: Match) -> tuple[list[Item], list[Item], bool]:
    """The numbers of the hour, those of the minutes, and whether the word for hours is there.

    The word for hours comes between them, else "minus" or "and"; "twenty and one" is one number.
    """
    numbers = match.all(*NUMBERS)
    marks = [
        *match.all("HOUR_MARK"),
        *(item for item in match.all("UNIT") if match.tokeniser.value(item.word) == "hour"),
    ]
    place = min((item.start for item in marks), default=None)
    if place is None:
        signs = match.all("LESS") or match.all("AND")
        if not signs:  # "las tres veinte"
            return numbers[:1], numbers[1:], False
        place = min(item.start for item in signs)
        hours = [item for item in numbers if item.start < place]
        rest = [item for item in numbers if item.start > place]
        if match.has("AND") and rest and hours and match.number_at(hours[-1]) == 20 and not hours[-1].word.isdigit():
            unit = match.number_at(rest[0])
            if unit is not None and unit < 4:
                hours, rest = [*hours, rest[0]], rest[1:]
        return hours, rest, False
    return [item for item in numbers if item.start < place], [item for item in numbers if item.start > place], True


@rule
def clock_words(match: Match) -> Parsed | None:
    """An hour in words or digits: "trois heures dix", "las tres y media", "alle tre meno un quarto", "15 h 30"."""
    units = match.values("UNIT")
    if any(unit not in ("hour", "minute") for unit in units) or (
        units and units[0] != "hour" and not match.has("LESS", "AND")
    ):
        return None
    hours, minutes, has_mark = _split_clock(match)
    if not hours:
        return None
    if match.has("AND") and not match.has("QUARTER_HOUR", "HALF") and _follows_between(match):
        return None
    language = match.tokeniser.language
    hour = language.add_numbers(match.number_at(item) or 0 for item in hours)
    part = match.value("QUARTER_HOUR")
    minute: float | None = None
    if part is not None:
        minute = float(part)
    elif match.has("HALF"):
        minute = 30.0
    elif minutes:
        minute = language.add_numbers(match.number_at(item) or 0 for item in minutes)
    is_bare = not has_mark and minute is None and not match.has("DAYPART", "MORROW", "AM_PM", "EXACTLY")
    if is_bare and is_counted(match):
        return None
    if not 0 <= hour <= 24 or (minute is not None and not 0 <= minute < 60) or hour != int(hour):
        return None
    if minute is not None and match.has("LESS", "BEFORE_HOUR"):
        hour, minute = (hour - 1) % 24, 60 - minute
    day_part = match.value("DAYPART", "MORROW")
    half = match.value("AM_PM")
    if day_part is not None and ":" in str(day_part):
        day_part = None
    return Parts(
        hour=int(hour),
        minute=None if minute is None else int(minute),
        meridiem=str(half) if half else None,
        daypart=None if day_part is None else str(day_part),
        mod="APPROX" if match.has("ABOUT") else "",
    )


@rule
def clock_in_digits(match: Match) -> Parsed | NoTime | None:
    """ "17h15", "3:18 de la tarde"; noon behind "to" is another time: "8h à midi"."""
    is_noon = ":" in str(match.value("DAYPART") or "")
    return None if is_noon and match.has("AT", "AL", "HOUR_CUE") else get_rule("clock")(match)


@rule
def clock_and_share(match: Match) -> Parsed | None:
    """ "15h et demie", "8h moins le quart": an hour in digits and a half or a quarter in words."""
    parsed = get_rule("clock")(match)
    minute = 30 if match.has("HALF") else match.value("QUARTER_HOUR")
    if not isinstance(parsed, Parts) or parsed.hour is None or parsed.minute or minute is None:
        return None
    if match.has("LESS"):
        return replace(parsed, hour=(parsed.hour - 1) % 24, minute=60 - int(minute))
    return replace(parsed, minute=int(minute))


@rule
def clock_digits(match: Match) -> Parsed | None:
    """Hours and minutes in one number, with the half of the day: "1140 a.m.", "630 pm"."""
    number = int(match.number("YEAR", "THREE_DIGITS") or 0)
    hour, minute = divmod(number, 100)
    if not 1 <= hour <= 12 or minute > 59:
        return None
    return Parts(hour=hour, minute=minute, meridiem=str(match.value("AM_PM")))


@rule
def clock_feminine(match: Match) -> Parsed | NoTime | None:
    """ "Las doce menos cinco", "le tre e dieci": hours are feminine, and so is their article."""
    return clock_words(match) if match.before in ("las", "le", "as") else None


@rule
def noon_minutes(match: Match) -> Parsed | None:
    """Minutes past or to noon or midnight: "midi et quart", "mezzogiorno e mezza"."""
    name = str(match.value("DAYPART"))
    if ":" not in name:
        return None
    part = match.value("QUARTER_HOUR")
    minute = float(part) if part is not None else 30.0 if match.has("HALF") else match.number(*NUMBERS)
    if minute is None or not 0 < minute < 60:
        return None
    hour = int(name[:2])
    if match.has("LESS"):
        return Parts(hour=hour - 1, minute=60 - int(minute))
    return Parts(hour=hour % 24, minute=int(minute))


@rule
def clock_to_hour(match: Match) -> Parsed | None:
    """Minutes to an hour that is named last: "un cuarto para las tres", "dez para as três"."""
    numbers = match.all(*NUMBERS)
    part, name = match.value("QUARTER_HOUR"), str(match.value("DAYPART"))
    minute: float | None
    hour: float | None
    if name.endswith(":00"):  # "dez para o meio-dia"
        minute, hour = (match.number(*NUMBERS) if part is None else float(part)), float(name[:2])
    elif not numbers or (part is None and len(numbers) < 2):
        return None
    else:
        minute = float(part) if part is not None else match.number_at(numbers[0])
        hour = match.number_at(numbers[-1])
    if minute is None or hour is None or not 0 < minute < 60 or not 0 <= hour <= 24:
        return None
    day_part = match.value("DAYPART", "MORROW")
    if day_part is not None and ":" in str(day_part):
        day_part = None
    return Parts(hour=int(hour - 1) % 24, minute=60 - int(minute), daypart=day_part and str(day_part))


@rule
def range_to_number(match: Match) -> Parsed | None:
    """A range of hours whose last is a number only: "de 13h à 15"."""
    first = match.times[0]
    items = [item for item in match.all(*NUMBERS) if item.parsed is None]
    number = match.tokeniser.language.add_numbers(match.number_at(item) or 0 for item in items)
    if first.hour is None or number != int(number) or not 0 < number <= 24:
        return None
    return Range(first, Parts(hour=int(number), meridiem=first.meridiem if number > first.hour else None))
