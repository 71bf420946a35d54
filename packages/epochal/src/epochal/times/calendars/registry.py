"""Calendars by name: the built-in ones, those of installed packages, and those a program registers itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import entry_points

from epochal.errors import EpochalError, UnknownNameError
from epochal.times.calendars.base import Calendar

__all__ = ["calendar", "calendars", "register"]

_registered: dict[str, Calendar] = {}


def _gregorian() -> Iterable[Calendar]:
    from epochal.times.calendars.gregorian import GregorianCalendar

    yield GregorianCalendar()


def _julian() -> Iterable[Calendar]:
    from epochal.times.calendars.julian import JulianCalendar, load_place_calendars

    yield JulianCalendar()
    yield from load_place_calendars()


def _iso_week() -> Iterable[Calendar]:
    from epochal.times.calendars.gregorian import IsoWeekCalendar

    yield IsoWeekCalendar()


def _arithmetic() -> Iterable[Calendar]:
    from epochal.times.calendars.arithmetic import load_arithmetic_calendars

    yield from load_arithmetic_calendars()


def _regnal() -> Iterable[Calendar]:
    from epochal.times.calendars.regnal import load_bundled_calendars

    yield from load_bundled_calendars()


_FAMILIES: tuple[Callable[[], Iterable[Calendar]], ...] = (_gregorian, _julian, _iso_week, _arithmetic, _regnal)


@cache
def _built_in() -> dict[str, Calendar]:
    """Built-in calendars and those that installed packages offer as entry points of `epochal.calendars`."""
    found: dict[str, Calendar] = {}
    for family in _FAMILIES:
        for item in family():
            _put(found, item)
    for point in entry_points(group="epochal.calendars"):
        _put(found, point.load()())
    return found


def _put(registry: dict[str, Calendar], item: Calendar) -> None:
    if item.name in registry:
        raise EpochalError(f"two calendars are called {item.name!r}; give one of them another name")
    registry[item.name] = item


def calendars() -> dict[str, Calendar]:
    """Every known calendar by name, built-in ones first.

    >>> list(calendars())[:2]
    ['gregorian', 'julian']
    """
    return _built_in() | _registered


def calendar(name: str) -> Calendar:
    """The calendar of that name.

    >>> calendar("lu").title
    'The twelve dukes of Lu (Spring and Autumn Annals)'
    """
    known = calendars()
    if name not in known:
        raise UnknownNameError("calendar", name, known)
    return known[name]


def register(item: Calendar) -> None:
    """Make a calendar known for the rest of this program; a name that is taken is an error.

    >>> register(calendar("julian"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: two calendars are called 'julian'; give one of them another name
    """
    _put(calendars(), item)
    _registered[item.name] = item
