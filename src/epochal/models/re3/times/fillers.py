"""What stands around the dates of made sentences: names, things, deeds, and numbers that are no dates."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

__all__ = ["SLOTS", "filled", "number_clause"]

_FIRST: Final = (
    "Ada Bruno Clara Diego Elif Farid Greta Hugo Irena Jonas Keiko Luis Mara Nadia Oskar Priya Quentin Rosa Samir "
    "Tessa Umar Vera Wanda Xavier Yusuf Zofia Agnes Boris Carmen Derek Esther Felix"
).split()
_LAST: Final = (
    "Abbott Bergström Castillo Dvorak Eriksen Fontaine Grigoriev Haddad Ibarra Jansen Kowalski Lindqvist Moretti "
    "Nakata Okafor Petrov Quinn Rossi Saito Thornton Ueda Vasquez Weber Xu Yilmaz Zeller Carver Doyle Ferris Hume"
).split()
_PLACES: Final = (
    "Antwerp Bergen Cork Dresden Esbjerg Faro Ghent Haifa Izmir Jaipur Kyoto Leeds Malmö Nantes Odessa Porto Quito "
    "Riga Split Turin Utrecht Vilnius Windhoek Yerevan Zagreb Halifax Perth Lagos Lima Hanoi"
).split()
_BODIES: Final = (
    "city council",
    "harbour authority",
    "national museum",
    "chess federation",
    "railway company",
    "state university",
    "publishing house",
    "football club",
    "film festival",
    "botanical society",
    "regional court",
    "teachers' union",
    "observatory",
    "steelworks",
    "broadcasting corporation",
    "cavalry regiment",
)
_THINGS: Final = (
    "the stone bridge",
    "a new library",
    "the concert hall",
    "its annual report",
    "the peace treaty",
    "a collection of essays",
    "the north tower",
    "a research station",
    "the tram line",
    "a second edition",
    "the training ship",
    "the main stadium",
    "an open letter",
    "the lighthouse",
    "the parish register",
    "a memorial plaque",
)
_DEEDS: Final = "opened sold rebuilt presented lost announced finished bought inspected repaired renamed closed".split()
_ROLES: Final = (
    "chief engineer",
    "treasurer",
    "ambassador",
    "head gardener",
    "captain",
    "managing editor",
    "conductor",
    "provost",
    "quartermaster",
    "goalkeeper",
    "lead researcher",
    "harbour master",
)
_EVENTS: Final = (
    "general assembly",
    "sailing regatta",
    "book fair",
    "public hearing",
    "charity concert",
    "graduation ceremony",
    "opening match",
    "wine auction",
    "staff training",
    "street market",
    "poetry reading",
    "court session",
)
_ONSETS: Final = "b br c d dr f g gl h k kr l m n p r s st t tr v w z".split()
_VOWELS: Final = "a e i o u ai ei ou".split()
_CODAS: Final = ["", "l", "n", "r", "s", "th", "m", "nd", "rk"]

#: The slots that a sentence may have beside its date.
SLOTS: Final = ("who", "person", "place", "body", "thing", "deed", "role", "event", "name", "n", "big")

#: Numbers that a hasty reader takes for years or days.
_NUMBERS: Final = (
    "for about {big} guests",
    "at a cost of ${big}",
    "in room {year}",
    "over {n} km",
    "with {n} votes to {k}",
    "by {n} percent",
    "under file number K{year}",
    "from platform {n}",
    "at number {n}, {name} Street",
    "for {comma} shareholders",
    "with {year} kilograms of cargo",
    "on page {year}",
    "with a crew of {n}",
    "aboard flight {year}",
    "for €{n}.{k:02}",
    "after {n} hours of talks",
    "by a margin of {comma} points",
    "at {n} metres above the river",
)


def filled(template: str, rng: random.Random, given: Mapping[str, str]) -> str:
    """A template with its slots filled; what is given goes first.

    >>> filled("{person} of {place} {deed} {thing} {when}.", random.Random(1), {"when": "in 1998"})
    'Irena Saito of Porto closed the lighthouse in 1998.'
    """
    person = f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
    body = rng.choice(_BODIES)
    place = rng.choice(_PLACES) if rng.random() < 0.7 else _coined(rng)
    return template.format_map(
        {
            "person": person,
            "who": rng.choice(
                (person, f"the {body}", f"the {body} of {place}", _coined(rng), f"{_coined(rng)} & Sons")
            ),
            "place": place,
            "body": body,
            "thing": rng.choice(_THINGS),
            "deed": rng.choice(_DEEDS),
            "role": rng.choice(_ROLES),
            "event": rng.choice(_EVENTS),
            "name": _coined(rng),
            "n": str(rng.randint(2, 99)),
            "big": f"{rng.randint(2, 99) * 100}",
            **given,
        }
    )


def number_clause(rng: random.Random) -> str:
    """Some words with a number that is no date.

    >>> number_clause(random.Random(2))
    'in room 1115'
    """
    year = rng.randint(1000, 2099)
    return rng.choice(_NUMBERS).format(
        big=rng.randint(2, 99) * 100,
        n=rng.randint(2, 31),
        k=rng.randint(2, 31),
        year=year,
        comma=f"{rng.randint(1000, 9999):,}",
        name=_coined(rng),
    )


def _coined(rng: random.Random) -> str:
    """A name that nobody has."""
    parts = [rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(rng.randint(2, 3))]
    return "".join(parts).capitalize()
