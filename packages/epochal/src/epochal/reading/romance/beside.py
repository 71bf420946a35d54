"""Rule functions of Romance languages for what lies beside a day or an hour, and for the edges of parts of the day."""

from __future__ import annotations

from dataclasses import replace

from epochal.reading.shared.match import Match, rule
from epochal.reading.shared.parts import Parsed, Parts, Range, Rolling, TimeUnit
from epochal.times.axis import Grain

__all__: list[str] = []


@rule
def weekend_of_day(match: Match) -> Parsed | None:
    """ "Le week-end du 4 octobre": the weekend of the week of a day."""
    weekend, day = match.times[0], match.times[-1]
    if len(match.times) != 2 or weekend != Parts(unit=TimeUnit.named("weekend"), step=0) or day.has_clock:
        return None
    return replace(weekend, origin=day)


@rule
def unit_beside_day(match: Match) -> Parsed | None:
    """ "La semaine après Pâques": the week or month before or behind that of a day."""
    name, day = match.value("UNIT"), match.times[-1]
    if name not in ("week", "month", "weekend") or day.has_clock or not day.states_day:
        return None
    return Parts(unit=TimeUnit.named(str(name)), step=1 if match.has("AFTER") else -1, origin=day)


@rule
def minutes_beside(match: Match) -> Parsed | None:
    """ "Vingt minutes avant 15 heures": a clock time that is counted from another."""
    amount, time = match.amounts[0], match.times[-1]
    if time.hour is None or time.mod or any(unit.grain > Grain.HOUR or not count for count, unit in amount.numbers):
        return None
    sign = 1 if match.has("AFTER") else -1
    return Parts(offset=tuple((sign * (count or 0), unit) for count, unit in amount.numbers), origin=time)


@rule
def pointed_daypart(match: Match) -> Parsed | None:
    """ "La nuit suivante": of the day before or behind that which the text mentioned last."""
    part, step = str(match.value("DAYPART", "MORROW")), int(match.value("POINTING"))
    return None if ":" in part else Parts(unit=TimeUnit.named("day"), step=step, anchor="text", daypart=part)


@rule
def early_daypart(match: Match) -> Parsed | None:
    """ "Tôt le matin", "in prima serata": the beginning or the end of a part of the day."""
    part = str(match.value("DAYPART", "MORROW"))
    is_first = match.number("ORDINAL", "FIRST") == 1 if match.has("ORDINAL", "FIRST") else None
    mod = match.value("EARLY_LATE") or ("START" if is_first else None)
    if ":" in part or mod is None:
        return None
    parsed = Parts(daypart=part, mod="" if part == "NI" else str(mod))
    return replace(parsed, unit=TimeUnit.named("day"), step=0) if match.has("THIS") else parsed


@rule
def middle_of_part(match: Match) -> Parsed | None:
    """ "A media mañana", "a metà mattina": the middle of a part of the day."""
    part = str(match.value("DAYPART", "MORROW"))
    return None if ":" in part else Parts(daypart=part, mod="MID")


@rule
def window_of_units(match: Match) -> Parsed | None:
    """ "Los últimos 3 meses y 2 semanas": a window of several units, which ends or begins today."""
    window = next(item.parsed for item in match.items if isinstance(item.parsed, Rolling))
    numbers = ((abs(window.number), window.unit), *match.amounts[0].numbers)
    grains = [unit.grain for _, unit in numbers]
    if grains != sorted(set(grains), reverse=True) or grains[-1] < Grain.DAY or window.anchor is not None:
        return None
    sign = 1 if window.number > 0 else -1
    edge = Parts(offset=tuple((sign * (number or 0), unit) for number, unit in numbers))
    edge = replace(edge, origin=Parts(unit=TimeUnit.named("day"), step=0))
    today = Parts(unit=TimeUnit.named("day"), step=0)
    return Range(edge, today) if sign < 0 else Range(today, edge)


@rule
def beside_today(match: Match) -> Parsed | None:
    """ "Dos días antes de ayer": two days before yesterday, though "antes de ayer" is a day by itself."""
    item = match.items[-1]
    day, amount = match.times[-1], match.amounts[0]
    words = match.tokens.text[item.start : item.end].lower()
    if (
        day.step not in (-2, 2)
        or " " not in words
        or not words.startswith(("antes", "depois", "dopo", "después", "avant", "après"))
    ):
        return None
    sign = 1 if day.step > 0 else -1
    near = Parts(unit=TimeUnit.named("day"), step=sign)
    if any(number is None for number, _ in amount.numbers):
        return None
    return Parts(offset=tuple((sign * (number or 0), unit) for number, unit in amount.numbers), origin=near)
