"""Sentences of our own: with a date in one of many forms, without one, and with numbers that are no dates.

A template has one of four ways to say its date: `{when}` with the words that lead to it ("in 1998"), `{When}` the same
at the start of a sentence, `{date}` bare, or `{y}` with a `{md}` elsewhere, where the year that "Monday, June 9" leaves
out is given by another part of the text.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from epochal.errors import EpochalError
from epochal.models.re3.times.fillers import filled, number_clause
from epochal.models.re3.times.forms import led, random_label, written
from epochal.models.re3.times.label import NONE, Label
from epochal.models.re3.times.rows import Row

__all__ = ["BARE", "DATED", "DAY_ONLY", "UNDATED", "WITH_YEAR_APART", "sentences"]

#: Templates for a date of any kind.
DATED: Final = (
    "{person} was made {role} of the {body} {when}.",
    "{who} {deed} {thing} {when}{number}.",
    "{When}, {who} {deed} {thing}{number}.",
    "{When} {person} moved to {place} and joined the {body}.",
    "{When}, nobody in {place} had heard of {name}.",
    "It was {when} that {person} {deed} {thing}.",
    "{person} ({role}, {place}) left the {body} {when}.",
    "Which {role} led the {body} of {place} {when}?",
    "Who {deed} {thing} in {place} {when}?",
    "{When}, which {body} did {person} work for?",
    "What was {name} called {when}?",
    "Where did {person} live {when}?",
    "{When}, who held the post of {role} at the {body}?",
    "Name the {role} whom {place} had {when}.",
    "How many members did the {body} count {when}?",
    "Was {person} still {role} {when}?",
    "According to the archive, {thing} in {place} was {deed} {when}{number}.",
    "The {body} had {n} branches {when}.",
    "The {role} {when} was {person}.",
    "{person} served the {body} as {role} {when}.",
    "A fire destroyed {thing} {when}; {who} paid for the repairs.",
    "Under {person}, {when}, the {body} moved from {place} to {name}.",
    "Critics {when} praised {person} for {thing}.",
    "{name} became part of {place} {when}{number}.",
    "The charter was signed {when} and names {person} as {role}.",
    "Trains ran between {place} and {name} {when}.",
    "{person}, who {deed} {thing} {when}, never returned to {place}.",
)
#: Templates for a date alone, without words that lead to it.
BARE: Final = (
    "{place}: {who} {deed} {thing} ({date}).",
    "{name}, first edition, {place}, {date}.",
    "Photograph of {thing}, {place}, {date}.",
    "Last changed: {date}",
    "{date} - {who} {deed} {thing}",
    "[{date}] {person}: {role} of the {body}",
    "Letter from {person} to the {body}, {date}",
    "{body}, annual accounts, {date}, {n} pages",
)
#: Templates for a day, with its year or without.
DAY_ONLY: Final = (
    "The {event} in {place} takes place on {date}{number}.",
    "Doors to the {event} open on {date} at the {body}.",
    "Can I still register for the {event} on {date}?",
    "Is the {body} in {place} open on {date}?",
    "Which roads in {place} are closed on {date}?",
    "Please reply to {person} by {date}.",
    "{date}: {event} in {place}, chaired by {person}.",
    "{event} ({place}), {date}: {n} tickets left",
    "Minutes of the {event} held at {place} on {date}.",
    "From {place}, {date}. Dear {person}, {thing} is finished.",
    "On {date} the {event} in {place} was called off{number}.",
    "We travel to {place} on {date}; who looks after {thing}?",
    "Departure from {place} on {date}, platform {n}, coach {n}.",
    "Notice for {place}, effective {date}. Bring {n} copies.",
    "The shop in {place} is shut on {date}, and {person} is away.",
    "{person} ({place}) plays at the {event} on {date}.",
    "Timetable of the {event}, {name}, {date}. It costs {n} euros, {big} seats.",
)
#: Templates in which the year of a day stands elsewhere in the text.
WITH_YEAR_APART: Final = (
    "Programme for {y}: the {event} in {place} is on {md}.",
    "{event} {y}, {place} - doors open on {md}.",
    "In {y} the {event} of {place} fell on {md}{number}.",
    "Calendar of the {body} ({y}). On {md} {person} gives a talk.",
    "All dates are in {y}. {person} arrives in {place} on {md}.",
    "{person} looks back on {y}: it began with the {event} on {md}.",
)
#: Templates without any date.
UNDATED: Final = (
    "{who} {deed} {thing}{number}.",
    "{person} is the {role} of the {body} in {place}.",
    "The {body} of {place} has {n} rooms and a garden of {big} square metres.",
    "Who is the {role} of {name}?",
    "What does the {event} in {place} cost?",
    "{name} is a village near {place} with {big} inhabitants.",
    "The answer from {person} came too late for {thing}.",
    "Flight {big} from {place} to {name} carries {n} passengers.",
    "Call extension {big}, or ask for {person} in room {n}.",
    "The {role} {deed} {thing}, won {n} to {n}, and thanked the {body}.",
    "How far is it from {place} to {name}?",
    "Serial number K{big}, made in {place} by {name} & Sons",
    "Add {n} grams of salt to {big} grams of flour.",
    "The {event} was chaired by {person}, not by the {role}.",
)
#: A number without words that make it a year is hardly one before this.
_EARLIEST_BARE: Final = 1600
#: How often a sentence with a date stands beside one without.
_BESIDE: Final = 0.3
#: How often each of the sorts of templates is drawn, in percent.
_SORTS: Final = {"dated": 42, "bare": 12, "day": 26, "apart": 4, "undated": 16}
_DATED_KINDS: Final = {"year": 54, "month": 18, "day": 16, "month of no year": 6, "day of no year": 6}
_BARE_KINDS: Final = {"year": 40, "month": 20, "day": 30, "day of no year": 10}
_DAY_KINDS: Final = {"day": 65, "day of no year": 35}


def sentences(count: int, seed: int = 0) -> Iterator[Row]:
    """So many labelled sentences; the same seed gives the same ones. The group of a row is its template.

    >>> for row in sentences(2, seed=5):
    ...     print(f"{row.text} | {row.label}")
    We travel to Haifa on Wed, Dec 21; who looks after the north tower? | XXXX-12-21
    Sometime in 1900, nobody in Antwerp had heard of Kaisfen. | 1900
    """
    if count < 0:
        raise EpochalError(f"{count} sentences were asked for; accepted: 0 or more")
    rng = random.Random(seed)
    for _ in range(count):
        yield _sentence(rng)


def _sentence(rng: random.Random) -> Row:
    sort = _drawn(_SORTS, rng)
    templates = {"dated": DATED, "bare": BARE, "day": DAY_ONLY, "apart": WITH_YEAR_APART, "undated": UNDATED}[sort]
    place = rng.randrange(len(templates))
    template = templates[place]
    label, given = NONE, {}
    if sort == "apart":
        label = random_label("day", rng, _EARLIEST_BARE)
        given = {"y": str(label.year), "md": written(Label(None, label.month, label.day), rng, label.year)}
    elif sort != "undated":
        kinds = {"dated": _DATED_KINDS, "bare": _BARE_KINDS, "day": _DAY_KINDS}[sort]
        label = random_label(_drawn(kinds, rng), rng, _EARLIEST_BARE if sort == "bare" else None)
        when = led(label, rng)
        given = {"when": when, "When": when[0].upper() + when[1:], "date": written(label, rng)}
    given["number"] = f" {number_clause(rng)}" if rng.random() < 0.5 else ""
    text = _capital(filled(template, rng, given))
    if sort != "undated" and rng.random() < _BESIDE:
        text = _beside(text, rng)
    return Row(text, label, f"{sort} {place}")


def _beside(text: str, rng: random.Random) -> str:
    """The sentence with another one before or after it that states no date, but numbers perhaps."""
    other = _capital(filled(rng.choice(UNDATED), rng, {"number": f" {number_clause(rng)}"}))
    first, second = (text, other) if rng.random() < 0.7 else (other, text)
    return f"{first}{'' if first[-1] in '.?!' else '.'} {second}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _drawn(shares: dict[str, int], rng: random.Random) -> str:
    return rng.choices(list(shares), list(shares.values()))[0]
