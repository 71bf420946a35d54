"""Calendars: one file each, found by name.

>>> calendar("gregorian").title
'Gregorian (proleptic before 1582)'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.times.calendars.base import Calendar as Calendar
    from epochal.times.calendars.base import CalendarDate as CalendarDate
    from epochal.times.calendars.registry import calendar as calendar
    from epochal.times.calendars.registry import calendars as calendars
    from epochal.times.calendars.registry import register as register

__all__ = ["Calendar", "CalendarDate", "calendar", "calendars", "register"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.times.calendars.base": "Calendar CalendarDate",
        "epochal.times.calendars.registry": "calendar calendars register",
    },
)
