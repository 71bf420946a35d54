"""Rules for hours that are bare numbers or words: "at 3", "half past two", "ten thirty", "9 in the morning"."""

from __future__ import annotations

import re

from epochal.lazy import lazy_regex
from epochal.reading.english.clocks import HOUR_CUES, apply_half, find_part_before, guess_half, place_on_day, read_clock
from epochal.reading.english.context import EnglishContext, resolve_named_day
from epochal.reading.english.lexicon import CARDINALS, DAYPARTS, WEEKDAYS
from epochal.reading.english.match import RuleMatch, rule
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.expression import Meaning


@rule
def bare_hour(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "At 3", beside a day: an hour of it."""
    tokens, hour = match.tokens, int(match.words[0])
    before = tokens.words[match.first - 1] if match.first else ""
    if before not in HOUR_CUES or not 1 <= hour <= 12:
        return None
    if not match.has("WEEKDAY", "SHORT_WEEKDAY", "TODAY"):
        near = resolve_named_day(context, tokens, match.first, near=True) if before in ("at", "@") else None
        following = tokens.words[match.last] if match.last < len(tokens.words) else ""
        if near is None or following.isalpha() or following in ("%", "$", "/", ":"):
            return None
    return place_on_day(match, context, apply_half(match, hour, _guess_half(match, hour)), 0, None)


def _guess_half(match: RuleMatch, hour: int) -> str:
    """The half of the day of an hour that states none, unless the words before it name a part of the day."""
    return "" if find_part_before(match) in DAYPARTS else guess_half(hour)


@rule
def hour_of_part(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "3 in the morning", "eleven at night", "9 tomorrow morning"."""
    tokens = match.tokens
    hour = _read_number(match.words[0])
    part = DAYPARTS[match.word("DAYPART") or ""]
    before = tokens.words[match.first - 1] if match.first else ""
    if not 1 <= hour <= 12 or ":" in part or ("in" in match.words and "the" not in match.words):
        return None
    if match.first and before not in _PART_CUES and not match.has("OCLOCK"):
        return None  # we saw five in the morning
    day = match.words.index(match.word("DAYPART") or "")
    rest = RuleMatch(tokens, match.first + day - 1, match.last)
    if not match.has("THIS", "TODAY", "WEEKDAY"):
        rest = RuleMatch(tokens, match.last, match.last)
    return place_on_day(rest, context, apply_half(match, hour, "a" if part == "MO" else ""), 0, None)


_PART_CUES = {"about", "after", "almost", "around", "at", "before", "by", "circa", "from", "is", "nearly", "s", "since"}
_PART_CUES |= {"till", "to", "until", "was", ",", "-", "–", "@", "("}


@rule
def last_hour(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The "5" of "9am to 5", the "11" of "8pm - 11": the first such hour after the other."""
    tokens, hour = match.tokens, int(match.words[0])
    place = match.first - 2
    other = read_clock(RuleMatch(tokens, place - tokens.is_class(place, "AM_PM"), match.first - 1))
    following = tokens.words[match.last] if match.last < len(tokens.words) else ""
    if other is None or not 1 <= hour <= 12 or following in ("%", "$", ":", "/") or _is_counted(tokens.text, match):
        return None
    hour = hour % 12
    while hour <= other[0]:
        hour += 12
    return place_on_day(match, context, hour % 24, 0, None)


#: What shows that numbers behind a weekday are its hours.
_OPENING_WORDS = frozenset("- – — , ; : / & and to thru through open opens hours hrs closed staffed works".split())


#: Words that announce hours.
_ANNOUNCING = frozenset("daily open opens hours hrs staffed today".split())


@rule
def weekday_hours(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The hours of "Mon-Fri 9-5", "Monday 11-4": from a morning to an afternoon, which no date can be read as."""
    tokens, is_first = match.tokens, match.tokens.is_class(match.first + 1, "-")
    first, last = (match.first, match.first + 2) if is_first else (match.first - 2, match.first)
    opening, closing = int(tokens.words[first]), int(tokens.words[last])
    if first > 1 and not _OPENING_WORDS & set(tokens.words[max(0, first - 4) : first - 1]):
        return None  # "they won Friday 11-4"
    is_announced = bool(_ANNOUNCING & set(tokens.words[max(0, first - 12) : first]))
    if is_announced and 1 <= opening < closing <= 12:  # "Office hours: Mon 9-12, Thu 1-4"
        half = 12 if opening < 7 else 0
        return place_on_day(match, context, (opening if is_first else closing) + half, 0, None)
    if not 7 <= opening <= 12 or not 1 <= closing < opening or closing > 8:
        return None
    if _is_counted(tokens.text, RuleMatch(tokens, last, last + 1)):
        return None
    return place_on_day(match, context, opening if is_first else closing + 12, 0, None)


@rule
def dotted_hours(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The hours of "Open 9.30–17.00": behind a weekday, or a word that announces hours."""
    tokens = match.tokens
    before = tokens.words[match.first - 2] if match.first > 1 and tokens.is_class(match.first - 1, "-") else ""
    is_first = not _DOTTED.fullmatch(before)
    first = match.first if is_first else match.first - 2
    hours = [_DOTTED.fullmatch(word) for word in tokens.words[first : first + 3 : 2]]
    near = tokens.words[max(0, first - 5) : first]
    if len(hours) < 2 or None in hours or (_ANNOUNCING.isdisjoint(near) and WEEKDAYS.keys().isdisjoint(near)):
        return None
    opening, closing = (int(hour[1]) * 60 + int(hour[2]) for hour in hours if hour is not None)
    if not opening < closing < 24 * 60 or _is_counted(tokens.text, RuleMatch(tokens, first + 2, first + 3)):
        return None
    hour, minute = divmod(opening if is_first else closing, 60)
    return place_on_day(match, context, hour, minute, None)


_DOTTED = lazy_regex(r"([01]?\d|2[0-3])\.([0-5]\d)")


def _is_counted(text: str, match: RuleMatch) -> bool:
    """Whether a small letter follows, so that the number counts something: "9am to 5 people"."""
    return (
        re.match(
            r"\s*(?!(?:on|and|or|in|for|at|every|daily|works?|is|are|was|suits|would|ok|okay|please|if|then|but|free|good)\b)[a-z]",
            text[match.tokens.end(match.last - 1) :][:12],
        )
        is not None
    )


@rule
def hours_between(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The hours of "Tuesday between 10 and 2", "between 9 and 11 this morning": beside a day, of a working day."""
    tokens, is_first = match.tokens, not match.tokens.is_class(match.first - 1, "AND")
    first, last = (match.first, match.first + 2) if is_first else (match.first - 2, match.first)
    opening, closing = int(tokens.words[first]), int(tokens.words[last])
    behind = GRAMMAR.compile(_DAY_BEHIND).match(tokens.codes, last + 1)
    named = context.named
    is_beside = behind is not None or (named is not None and 0 <= first - 1 - named.behind <= 1)
    following = tokens.words[last + 1] if last + 1 < len(tokens.words) else "."
    if tokens.words[first - 1] != "between" or not is_beside or not (0 < opening < 13 and 0 < closing < 13):
        return None
    if opening == closing or (behind is None and following.isalpha() and following not in _AFTER_HOURS):
        return None
    part = RuleMatch(tokens, first, last + 1 if behind is None else behind.end())
    half = "a" if opening >= 7 and "morning" in part.words else "p" if opening < 7 or opening == 12 else ""
    if not _LATE_PARTS.isdisjoint(part.words):
        half = "p"
    opening = opening % 12 + 12 * (half == "p")
    closing = closing % 12
    while closing <= opening:
        closing += 12
    rest = RuleMatch(tokens, last + 1, last + 1 if behind is None else behind.end())
    return place_on_day(rest if rest.words else match, context, (opening if is_first else closing) % 24, 0, None)


#: A day or a part of it behind two hours.
_DAY_BEHIND = '","? IN? ((THIS | NEXT | LAST)? (WEEKDAY | SHORT_WEEKDAY) | TODAY | THIS DAYPART | "the" DAYPART)'
_AFTER_HOURS = {"and", "but", "if", "or", "please", "so", "for", "to", "when", "with", "works", "would", "is", "suits"}
_LATE_PARTS = {"afternoon", "evening", "tonight", "night"}


@rule
def spoken_minutes(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Ten thirty", "seven fifteen p.m.", "twelve oh three"."""
    tokens = match.tokens
    numbers = [CARDINALS[word] for word in match.all("NUMBER_WORD")]
    hour, minute = numbers[0], sum(numbers[1:])
    if not 1 <= hour <= 12 or not 0 < minute < 60 or (minute < 10) != match.has("oh") or len(numbers) > 3:
        return None
    if len(numbers) == 3 and (numbers[1] < 20 or not 0 < numbers[2] < 10):
        return None
    following = tokens.words[match.last] if match.last < len(tokens.words) else ""
    if not match.has("AM_PM") and (
        tokens.words[match.first - 1] not in ("at", "around", "about", "until", "till")
        or (following.isalpha() and not tokens.is_class(match.last, "IN", "TODAY", "WEEKDAY", "THIS", "AND"))
    ):
        return None
    half = (match.word("AM_PM") or "")[:1] or _guess_half(match, hour)
    return place_on_day(match, context, apply_half(match, hour, half), minute, None)


@rule
def hour_mark(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "At 15h", "8h GMT"."""
    found = re.fullmatch(r"(\d{1,2})h", match.words[0])
    before = match.tokens.words[match.first - 1] if match.first else ""
    if found is None or int(found[1]) > 23 or (before not in ("at", "@") and not match.has("ZONE")):
        return None
    return place_on_day(match, context, int(found[1]), 0, None)


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
    return place_on_day(match, context, apply_half(match, hour, _guess_half(match, hour)), 0, None)


@rule
def first_hour(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The "9" of "9-10am", the "2" of "2 to 4 p.m."."""
    tokens, hour = match.tokens, int(match.words[0])
    rest = RuleMatch(tokens, match.last + 1, match.last + 3)
    other = read_clock(rest)
    if other is None or not 1 <= hour <= 12:
        return None
    if tokens.is_class(match.last, "AND") and tokens.words[match.first - 1 : match.first] != ["between"]:
        return None
    half = "p" if other[0] >= 12 and (hour == 12 or hour <= (other[0] - 12 or 12)) else "a"
    return place_on_day(match, context, apply_half(match, hour, half), 0, None)


@rule
def spoken_clock(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Half past two", "quarter to four", "twenty past six"."""
    numbers = [place for place, word in enumerate(match.words) if _read_hour(word) is not None]
    joint = next((place for place, word in enumerate(match.words) if word in ("past", "to", "after", "till")), None)
    if joint is None or not numbers or numbers[-1] < joint:
        return None
    place = next(place for place in numbers if place > joint)
    hour, half = _read_hour(match.words[place]) or (0, "")
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
    half = half or (match.word("AM_PM") or "")[:1]
    hour = apply_half(match, hour, half or ("" if match.has("DAYPART") else _guess_half(match, hour)))
    if match.words[joint] in ("to", "till"):
        hour, minute = (hour - 1) % 24, 60 - minute
    # The day is what follows: "past" is not that of "the past week".
    return place_on_day(RuleMatch(match.tokens, match.first + place + 1, match.last), context, hour, minute, None)


@rule
def half_hour(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "At half seven", as Britain says for half past seven."""
    tokens, hour = match.tokens, CARDINALS[match.words[1]]
    before = tokens.words[match.first - 1] if match.first else ""
    following = tokens.words[match.last] if match.last < len(tokens.words) else "."
    if not 1 <= hour <= 12 or before not in _BEFORE_HALF:
        return None
    is_placed = match.has("DAYPART", "TODAY")
    if not is_placed and following.isalnum() and following not in ("and", "but", "on", "for", "with", "we", "i", "he"):
        return None
    hour = apply_half(match, hour, "" if match.has("DAYPART") else _guess_half(match, hour))
    return place_on_day(RuleMatch(tokens, match.first + 2, match.last), context, hour, 30, None)


_BEFORE_HALF = {"at", "about", "around", "by", "till", "until", "from", "after", "before"}


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


_NAMED_HOURS = {"noon": (12, "p"), "midday": (12, "p"), "midnight": (12, "a")}


def _read_hour(word: str) -> tuple[int, str] | None:
    """The hour that a word states, and its half of the day where it states that, too: "three", "3", "3pm", "noon"."""
    if word in CARDINALS or word.isdigit():
        return _read_number(word), ""
    found = re.fullmatch(r"(\d{1,2})([ap])m?", word)
    return _NAMED_HOURS.get(word) if found is None else (int(found[1]), found[2])


def _read_number(word: str) -> int:
    return CARDINALS[word] if word in CARDINALS else int(word)
