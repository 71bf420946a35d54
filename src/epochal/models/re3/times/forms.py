"""How dates are written: a label in one of many forms, alone or with the words that lead to it."""

from __future__ import annotations

import datetime as dt
import random
from typing import Final

from epochal.errors import EpochalError
from epochal.models.re3.times.label import LAST_YEAR, Label, days_in_month

__all__ = ["KINDS", "kind_of", "led", "random_label", "written"]

#: What a label may state: a year, a month or a day, and the last two without their year.
KINDS: Final = ("year", "month", "day", "month of no year", "day of no year")

_MONTHS: Final = "January February March April May June July August September October November December".split()
_SHORT: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DOTTED: Final = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()
_WEEKDAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

#: The forms of each kind; m is the number of the month, M, Mon and Mon_ its names, W and Wd those of the weekday.
_FORMS: Final[dict[str, tuple[str, ...]]] = {
    "year": ("{y}",),
    "month": ("{M} {y}", "{M} {y}", "{Mon} {y}", "{M} of {y}", "{M}, {y}"),
    "day": (
        "{y}-{m:02}-{d:02}",
        "{y}-{m:02}-{d:02}",
        "{y}/{m:02}/{d:02}",
        "{M} {d}, {y}",
        "{M} {d}, {y}",
        "{M} {d} {y}",
        "{Mon} {d}, {y}",
        "{Mon_} {d}, {y}",
        "{M} {th}, {y}",
        "{d} {M} {y}",
        "{d} {M} {y}",
        "{d} {Mon} {y}",
        "{d}-{Mon}-{y}",
        "{th} {M} {y}",
        "the {th} of {M} {y}",
        "the {th} of {M}, {y}",
        "{W}, {M} {d}, {y}",
        "{W}, {d} {M} {y}",
        "{W} {d} {M} {y}",
        "{W} {d} {Mon} {y}",
        "{Wd}, {d:02} {Mon} {y}",
    ),
    "month of no year": ("{M}",),
    "day of no year": (
        "{M} {d}",
        "{M} {d}",
        "{Mon} {d}",
        "{M} {th}",
        "{d} {M}",
        "{d} {Mon}",
        "the {th} of {M}",
        "{W}, {M} {d}",
        "{W}, {M} {d}",
        "{W} {d} {M}",
        "{W}, {d} {M}",
        "{W} the {th} of {M}",
        "{Wd}, {Mon} {d}",
    ),
}
#: Which of the two numbers is the month can be told only where the other one is above 12.
_CLEAR_DAYS: Final = ("{m}/{d}/{y}", "{d}/{m:02}/{y}", "{d}.{m:02}.{y}")
#: Years of three digits are told from other numbers by their era.
_EARLY: Final[dict[str, tuple[str, ...]]] = {
    "year": ("AD {y}", "{y} AD", "{y} CE", "A.D. {y}"),
    "month": ("{M} {y} AD", "{M} {y} CE"),
    "day": ("{d} {M} {y} AD", "{d} {M} {y} CE"),
}
_LEADS: Final[dict[str, tuple[str, ...]]] = {
    "year": (
        *("in {}",) * 4,
        "back in {}",
        "during {}",
        "in the year {}",
        "as of {}",
        "by {}",
        "sometime in {}",
        "at the end of {}",
    ),
    "month": (*("in {}",) * 3, "during {}", "back in {}", "as of {}", "by {}"),
    "day": (*("on {}",) * 4, "as of {}", "by {}"),
    "month of no year": ("in {}", "in {}", "during {}", "in early {}", "in late {}"),
    "day of no year": (*("on {}",) * 4, "by {}"),
}


def kind_of(label: Label) -> str:
    """Which of the `KINDS` a label is.

    >>> kind_of(Label(None, 6, 9))
    'day of no year'
    """
    if label.month is None:
        if label.year is None:
            raise EpochalError("a label that states nothing has no form; accepted: a label with a year or a month")
        return "year"
    return ("month" if label.day is None else "day") + (" of no year" if label.year is None else "")


def random_label(kind: str, rng: random.Random, earliest: int | None = None) -> Label:
    """A label of a kind, mostly of the last two centuries.

    The `earliest` year is 100 where a year stands alone, and 1000 for those of months and days, unless it is given.

    >>> random_label("month", random.Random(1))
    Label(year=1916, month=5, day=None)
    """
    if kind not in KINDS:
        raise EpochalError(f"the kind of label is {kind!r}; accepted: {', '.join(KINDS)}")
    if earliest is None:
        earliest = 100 if kind == "year" else 1000
    year = None if kind.endswith("of no year") else _random_year(rng, earliest)
    if kind == "year":
        return Label(year)
    month = rng.randint(1, 12)
    return Label(year, month, rng.randint(1, days_in_month(year, month)) if kind.startswith("day") else None)


def _random_year(rng: random.Random, earliest: int) -> int:
    stretches = ((1900, 2035), (1700, 1899), (1000, 1699), (2036, LAST_YEAR), (100, 999))
    while True:
        first, last = rng.choices(stretches, (60, 19, 14, 4, 3))[0]
        if (year := rng.randint(first, last)) >= earliest:
            return year


def written(label: Label, rng: random.Random, year: int | None = None) -> str:
    """A label in one of the forms of its kind; `year` is the one that a label leaves out, for its weekday.

    >>> [written(Label(2014, 7, 4), random.Random(seed)) for seed in (1, 2, 5)]
    ['July 4, 2014', '2014-07-04', 'Friday 4 Jul 2014']
    """
    kind = kind_of(label)
    forms = _FORMS[kind]
    if label.year is not None and label.year < 1000:
        forms = _EARLY[kind]
    elif label.year is not None and label.day is not None and label.day > 12 and rng.random() < 0.1:
        forms = _CLEAR_DAYS
    form = rng.choice(forms)
    weekday = _weekday(label, rng, year)
    month, day = label.month or 1, label.day or 1
    return form.format(
        y=label.year,
        m=month,
        d=day,
        M=_MONTHS[month - 1],
        Mon=_SHORT[month - 1],
        Mon_=_DOTTED[month - 1],
        W=_WEEKDAYS[weekday],
        Wd=_WEEKDAYS[weekday][:3],
        th=_ordinal(day),
    )


def led(label: Label, rng: random.Random) -> str:
    """A label with the words that lead to it within a sentence.

    >>> led(Label(1986), random.Random(4))
    'in 1986'
    """
    return rng.choice(_LEADS[kind_of(label)]).format(written(label, rng))


def _weekday(label: Label, rng: random.Random, year: int | None) -> int:
    """That of the date; of a date without any year, that of some year in which it exists."""
    year = year if label.year is None else label.year
    while year is None or (label.day or 1) > days_in_month(year, label.month or 1):
        year = rng.randint(1990, 2030)
    return dt.date(year, label.month or 1, label.day or 1).weekday()


def _ordinal(day: int) -> str:
    return f"{day}{'th' if 11 <= day <= 13 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
