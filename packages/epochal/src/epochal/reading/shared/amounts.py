"""Rule functions of durations, and of times that are a duration away from another: "in two weeks", "three days ago"."""

from __future__ import annotations

from dataclasses import replace

from epochal.reading.shared.match import Match, rule
from epochal.reading.shared.parts import Amount, Anchor, Parsed, Parts, Rolling, TimeUnit

__all__: list[str] = []


def _number(match: Match) -> float | None:
    """The number before a unit; None for "some"."""
    if (few := match.value("FEW")) is not None:
        return float(few) if isinstance(few, int | float) else None  # "a few", where "a" is no number
    number = match.number()
    if match.has("HALF"):
        if match.has("SMALL_NUMBER", "NUMBER_WORD", "LARGE_NUMBER"):
            number = match.number("SMALL_NUMBER", "NUMBER_WORD", "LARGE_NUMBER")  # "two and a half"
        # "Half an hour", "one and a half hours", "two and a half"
        only_article = not match.has("SMALL_NUMBER", "NUMBER_WORD", "LARGE_NUMBER") and number in (1, None)
        return 0.5 if only_article and not match.has("AND") else (number or 0) + 0.5
    return number


@rule
def duration(match: Match) -> Parsed | None:
    """An amount of a unit: "two years", "some days", "half an hour"."""
    name = match.value("UNIT", "HOUR_WORD")
    if name is None:
        return None
    share = match.value("QUARTER_HOUR")
    if share is not None and name == "hour":
        return Amount(((float(share), TimeUnit.named("minute")),))
    number = _number(match)
    if number is None and not match.has("FEW"):
        number = 1.0 if match.has("A", "WHOLE") else None
    return Amount(
        ((number, TimeUnit.named(str(name))),), "APPROX" if match.has("ABOUT") else str(match.value("MORE") or "")
    )


@rule
def glued_duration(match: Match) -> Parsed | None:
    """A length in one word behind an article, which is no number there: "eine dreitägige Reise"."""
    number, units_of = match.all("NUMBER_WORD")[-1], match.all("UNIT")[0]
    amount = match.number_at(number)
    if amount is None or number.end != units_of.start:
        return None
    return Amount(((amount, TimeUnit.named(str(match.value("UNIT")))),))


@rule
def units(match: Match) -> Parsed | None:
    """Units in the plural without a number: "for years"."""
    if match.word("UNIT") not in match.tokeniser.language.cue_words("plural"):
        return None
    return Amount(((None, TimeUnit.named(str(match.value("UNIT", "HOUR_WORD")))),))


@rule
def whole_duration(match: Match) -> Parsed | None:
    """A duration in one word; the value is the number and the unit, such as "2 week"."""
    number, _, name = str(match.value("WHOLE_DURATION")).partition(" ")
    return Amount(((float(number), TimeUnit.named(name)),))


@rule
def durations(match: Match) -> Parsed | None:
    """Several amounts as one: "two years and three months"."""
    amounts = match.amounts
    numbers = tuple(pair for amount in amounts for pair in amount.numbers)
    grains = [unit.grain for _, unit in numbers]
    if grains != sorted(set(grains), reverse=True) or any(number is None for number, _ in numbers):
        return None
    return Amount(numbers, amounts[0].mod)


def _count(amount: Amount, sign: int) -> tuple[tuple[float, TimeUnit], ...] | None:
    if any(number is None for number, _ in amount.numbers):
        return None
    return tuple((sign * (number or 0), unit) for number, unit in amount.numbers)


def _count_from(match: Match, sign: int, anchor: Anchor) -> Parsed | None:
    if not match.amounts:
        return None
    amount = match.amounts[0]
    offset = _count(amount, sign)
    if offset is None and anchor != "now":
        return amount  # "some days later": how long, but not from when
    if offset is None:
        return Parts(reference="PAST_REF" if sign < 0 else "FUTURE_REF")
    mod = amount.mod or ("APPROX" if match.has("ABOUT") else "")
    parsed = Parts(offset=offset, anchor=None if anchor == "now" else anchor, mod=mod)
    if match.times and (time := match.times[0]).node in ("TIME",):
        return replace(parsed, hour=time.hour, minute=time.minute, daypart=time.daypart, meridiem=time.meridiem)
    return parsed


@rule
def ago(match: Match) -> Parsed | None:
    """A duration before the date of the text: "vor drei Tagen", "il y a trois jours"."""
    return _count_from(match, -1, "now")


@rule
def ahead(match: Match) -> Parsed | None:
    """A duration after the date of the text: "in zwei Wochen"."""
    return _count_from(match, 1, "now")


@rule
def later(match: Match) -> Parsed | None:
    """A duration after the time that the text mentioned last: "drei Tage später"."""
    return _count_from(match, 1, "text")


@rule
def after_length(match: Match) -> Parsed | None:
    """ "Après onze jours", "tras once días": a date where a sentence goes on so from another, else a length.

    "The strike ends after eleven days" does not say when it began, nor does "after eleven days of strikes".
    """
    opens_sentence = not match.before or not (match.before[-1].isalnum() or match.before == ",")
    return _count_from(match, 1, "mentioned") if opens_sentence else None


@rule
def ahead_of_tense(match: Match) -> Parsed | None:
    """A duration from now, or from the time mentioned last where the verb is past: "через три месяца он ушёл"."""
    return _count_from(match, 1, "tense")


@rule
def earlier(match: Match) -> Parsed | None:
    """A duration before the time that the text mentioned last: "drei Tage zuvor"."""
    return _count_from(match, -1, "text")


def _count_beside(match: Match, sign: int) -> Parsed | None:
    if not match.amounts or not match.times:
        return None
    offset, origin = _count(match.amounts[0], sign), match.times[0]
    if offset is None or origin.reference is not None:
        return None
    return Parts(offset=offset, origin=origin)


@rule
def after_time(match: Match) -> Parsed | None:
    """A duration after a time that is named: "zwei Tage nach dem 5. Mai"."""
    return _count_beside(match, 1)


@rule
def before_time(match: Match) -> Parsed | None:
    """A duration before a time that is named: "zwei Tage vor Ostern"."""
    return _count_beside(match, -1)


@rule
def rolling(match: Match) -> Parsed | None:
    """A number of units up to now, or from now: "the last three days", "the next two weeks"."""
    name = match.value("UNIT", "HOUR_WORD")
    number = _number(match)
    if number is None and match.amounts:
        number, unit_of = match.amounts[0].numbers[0]
    elif name is not None:
        unit_of = TimeUnit.named(str(name))
    else:
        return None
    sign = -1 if match.has("LAST") else 1
    if number is None:
        return Amount(((None, unit_of),))
    return Rolling(sign * number, unit_of, match.has("WITHIN"))
