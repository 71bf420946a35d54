"""Calendars by name: the built-in ones, those of installed packages, and those a program registers itself."""

from __future__ import annotations

from functools import cache

from epochal.errors import EpochalError, UnknownNameError
from epochal.lazy import entry_points
from epochal.times.calendars.base import Calendar

_registered: dict[str, Calendar] = {}


@cache
def _load_built_in() -> dict[str, Calendar]:
    """Built-in calendars and those that installed packages offer as entry points of `epochal.calendars`."""
    from epochal.times.calendars.arithmetic import load_arithmetic_calendars
    from epochal.times.calendars.gregorian import GregorianCalendar, IsoWeekCalendar
    from epochal.times.calendars.julian import JulianCalendar, load_place_calendars
    from epochal.times.calendars.regnal import load_bundled_calendars
    from epochal.times.calendars.year_counts import load_year_counts

    built_in: list[Calendar] = [GregorianCalendar(), JulianCalendar(), *load_place_calendars(), IsoWeekCalendar()]
    built_in += [*load_arithmetic_calendars(), *load_bundled_calendars(), *load_year_counts()]
    registry: dict[str, Calendar] = {}
    for item in built_in:
        _put(registry, item)
    for point in entry_points(group="epochal.calendars"):
        _put(registry, point.load()())
    return registry


def _put(registry: dict[str, Calendar], item: Calendar) -> None:
    if item.name in registry:
        raise EpochalError(f"two calendars are called {item.name!r}; give one of them another name")
    registry[item.name] = item


def calendars() -> dict[str, Calendar]:
    """Every calendar by name, built-in ones first.

    >>> list(calendars())[:2]
    ['gregorian', 'julian']
    """
    return _load_built_in() | _registered


def calendar(name: str) -> Calendar:
    """The calendar of that name.

    >>> calendar("lu").title
    'The twelve dukes of Lu (Spring and Autumn Annals)'
    """
    registry = calendars()
    if name not in registry:
        raise UnknownNameError("calendar", name, registry)
    return registry[name]


def register(item: Calendar) -> None:
    """Register a calendar for the rest of this program; a name that is taken is an error.

    >>> register(calendar("julian"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: two calendars are called 'julian'; give one of them another name
    """
    _put(calendars(), item)
    _registered[item.name] = item
