"""Calendars: one file each, found by name.

>>> calendar("gregorian").title
'Gregorian (proleptic before 1582)'
"""

from epochal.times.calendars.base import Calendar, CalendarDate
from epochal.times.calendars.registry import calendar, calendars, register

__all__ = ["Calendar", "CalendarDate", "calendar", "calendars", "register"]
