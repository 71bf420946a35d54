"""Rule functions that only German needs."""

from __future__ import annotations

from epochal.reading.shared.atoms import date, numeric_date, reference, year
from epochal.reading.shared.clocks import clock
from epochal.reading.shared.composites import range_of_hours
from epochal.reading.shared.match import NO_TIME, Match, NoTime, rule
from epochal.reading.shared.parts import Parsed, Parts, TimeUnit
from epochal.times.axis import Grain, to_seconds
from epochal.times.span import Span

__all__: list[str] = []


def _is_noun(match: Match) -> bool:
    """Whether the next word has a capital, as German nouns do."""
    last, tokens = match.items[-1].last, match.tokens
    return last < len(tokens.words) and tokens.text[tokens.starts[last]].isupper()


@rule
def german_short_day(match: Match) -> NoTime | None:
    """ "So", "Do" and "Fr." are weekdays beside a date or another weekday only: "So kam es", "Fr. Maier"."""
    return NO_TIME if len((match.word("WEEKDAY") or "").rstrip(".")) == 2 else None


@rule
def german_age(match: Match) -> NoTime | None:
    """An age: "ab 16 Jahren", "unter 20 Jahren"."""
    return NO_TIME if match.value("UNIT") == "year" else None


@rule
def german_clock(match: Match) -> Parsed | NoTime | None:
    """A clock time with a full stop: "um 17.15"; a comma makes a number, and so does what is counted."""
    counted = match.tokeniser.language.cue_words("counted")
    word = match.word("DAY_MONTH", "DECIMAL") or ""
    return None if "," in word or "/" in word or match.after in counted or match.char_after == "%" else clock(match)


@rule
def german_split_clock(match: Match) -> Parsed | None:
    """A clock time with a space: "09 30 Uhr"."""
    hour, minute = (match.number_at(item) for item in match.all("SMALL_NUMBER"))
    if hour is None or minute is None or hour > 24 or minute > 59 or len(match.all("SMALL_NUMBER")[1].word) != 2:
        return None
    return Parts(hour=int(hour), minute=int(minute))


@rule
def german_hours(match: Match) -> Parsed | NoTime | None:
    """Two numbers beside a day, which are hours unless they count a noun: "Freitag von 9 bis 11 Leute"."""
    return None if _is_noun(match) else range_of_hours(match)


@rule
def german_day(match: Match) -> Parsed | NoTime | None:
    """A day of a month that is not named, unless its number belongs to a noun: "am 10. Platz"."""
    return None if _is_noun(match) else date(match)


@rule
def german_early_date(match: Match) -> Parsed | None:
    """A date in a year of three digits, which counts no noun: "am 25. Dezember 800 gekrönt"."""
    parsed = None if _is_noun(match) else date(match)
    number = match.number("THREE_DIGITS")
    return Parts(year=int(number), month=parsed.month, day=parsed.day) if isinstance(parsed, Parts) and number else None


@rule
def german_number_date(match: Match) -> Parsed | NoTime | None:
    """A date in digits, unless it is compared or counted: "kleiner als 2.9."."""
    return None if match.before in ("als", "version", "kapitel", "abschnitt", "punkt") else numeric_date(match)


@rule
def german_year(match: Match) -> Parsed | NoTime | None:
    """A year, unless "about" so many of a noun are counted: "rund 1200 Stimmen"."""
    return NO_TIME if match.has("ABOUT") and _is_noun(match) else year(match)


@rule
def german_decade(match: Match) -> Parsed | None:
    """A decade of a century that is named: "in den fünfziger Jahren des 19. Jahrhunderts"."""
    decade, century = match.number("DECADE"), match.number("SMALL_NUMBER", "ORDINAL")
    if decade is None or century is None or decade >= 100 or decade % 10 or match.values("UNIT")[-1] != "century":
        return None
    first = int((century - 1) * 100 + decade)
    return Parts(span=Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE))


@rule
def german_reference(match: Match) -> Parsed | NoTime | None:
    """ "Now"; "zur Zeit" only where it does not say of what."""
    is_of = match.word("NOW") == "zur zeit" and match.after in ("der", "des", "von", "dieser", "dieses")
    return NO_TIME if is_of else reference(match)


@rule
def german_tomorrow_morning(match: Match) -> Parsed | None:
    """ "Morgen" twice: tomorrow in the morning."""
    return Parts(unit=TimeUnit.named("day"), step=1, daypart="MO")


@rule
def german_early_morning(match: Match) -> Parsed | None:
    """ "In der Frühe"."""
    return Parts(daypart="MO") if match.word("PART") == "frühe" else None
