"""What the opening of a diary entry or log line states of its date, in English or Chinese, and where that leads.

    12 May 1843.   May 12th   1843-05-12   12/5   13.   the 14th   Tuesday   May   1843
    1843年5月12日   5月12日   十三日   星期二

Each entry follows the one before: a day without a month that is not later than the last belongs to the next month, a
month that is earlier to the next year, a weekday is the next one of its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.errors import TimeRangeError
from epochal.times import CalendarDate
from epochal.times.axis import civil_date, day_number, days_in_month, weekday
from epochal.times.numerals_han import from_han

__all__ = ["DiaryCue", "follow", "read_diary_cue"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b[.,]?\s*"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?![\d/:%])"
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
_HAN = "[0-9０-９一二三四五六七八九十廿卅〇零○正]"
#: A plain number opens an entry only when a full stop, dash or colon follows it ("13. Rain."), else it counts things.
_FORMS = tuple(
    re.compile(rf"[\s\[(*#-]*(?:{form})", re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)",
        rf"(?:{_WEEKDAY})?(?:the\s+)?{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s*{_YEAR})?",
        rf"(?:{_WEEKDAY})?{_MONTH}\s*{_DAY}(?:,?\s*{_YEAR})?",
        rf"(?:{_WEEKDAY})?{_MONTH},?\s*{_YEAR}",
        rf"{_MONTH}(?=\s*(?:[.:,–—-]|$))",
        rf"(?:{_WEEKDAY})(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?=\s*(?:[.:,;–—-]|$))",
        r"(?:the\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th)(?=\s*(?:[.:,;–—-]|$))",
        r"(?P<day>\d{1,2})(?=\s*(?:[.:–—](?!\d)|$))",
        r"(?P<weekday>mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?day\b(?=\s*(?:[.:,;–—-]|$))",
        rf"{_YEAR}(?=\s*(?:[.:,–—-]|$))",
        rf"(?:(?P<year>{_HAN}{{4}})年)?(?P<month>{_HAN}{{1,3}})月(?:(?P<day>{_HAN}{{1,3}})[日号號])?",
        rf"(?P<year>{_HAN}{{4}})年",
        rf"(?P<day>{_HAN}{{1,3}})[日号號](?=[\s，。：、]|$)",
        r"(?:星期|礼拜|禮拜|周|週)(?P<weekday>[一二三四五六日天])(?=[\s，。：、]|$)",
    )
)


@dataclass(frozen=True, slots=True)
class DiaryCue:
    """What an entry's opening states, and where it ends; parts left out are None. Weekdays are 1 (Monday) to 7.

    >>> read_diary_cue("12 May. Rain all day.")
    DiaryCue(end=7, year=None, month=5, day=12, weekday=None)
    """

    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    @property
    def stated(self) -> tuple[str, ...]:
        """The parts it names, coarse to fine.

        >>> read_diary_cue("Tuesday. Walked.").stated
        ('weekday',)
        """
        return tuple(name for name in ("year", "month", "day", "weekday") if getattr(self, name) is not None)


def read_diary_cue(text: str) -> DiaryCue | None:
    """The date that opens a text; None when it opens with none.

    >>> read_diary_cue("13. Fine weather.").day, read_diary_cue("五月十三日，晴。").month
    (13, 5)
    >>> read_diary_cue("13 men came.") is None
    True
    """
    for form in _FORMS:
        match = form.match(text)
        if match is None:
            continue
        parts = match.groupdict()
        year, month, day = (_number(parts.get(name)) for name in ("year", "month", "day"))
        if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
            continue
        return DiaryCue(match.end(), year, month, day, _weekday(parts.get("weekday")))
    return None


def _number(text: str | None) -> int | None:
    if not text:
        return None
    name = text[:3].lower()
    return _MONTHS.index(name) + 1 if name in _MONTHS else from_han(text)


def _weekday(text: str | None) -> int | None:
    if not text:
        return None
    name = text[:3].lower()
    return _DAYS.index(name) + 1 if name in _DAYS else min("一二三四五六日天".index(text), 6) + 1


def follow(before: CalendarDate | None, cue: DiaryCue) -> CalendarDate | None:
    """The date of an entry that comes after `before`; None while the year is not known, or when there is no such day.

    >>> last = CalendarDate("gregorian", 1843, 12, 30)
    >>> follow(last, DiaryCue(0, day=31)).day, follow(last, DiaryCue(0, day=2)).year
    (31, 1844)
    >>> follow(last, DiaryCue(0, weekday=1)).day
    1
    """
    if cue.year is not None:
        year, month, day = cue.year, cue.month, cue.day
        if cue.month is None and cue.day is not None:
            return None
    elif before is None:
        return None
    elif cue.month is not None:
        earlier = before.month is not None and (cue.month, cue.day or 31) < (before.month, before.day or 1)
        year, month, day = before.year + earlier, cue.month, cue.day
    elif cue.day is not None:
        if before.month is None:
            return None
        passed = before.day is not None and cue.day < before.day
        year, month, day = before.year, before.month + passed, cue.day
        # 31 after a short month: the first later month that has such a day.
        for _ in range(2):
            year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
            if cue.day <= days_in_month(year, month):
                break
            month += 1
    elif cue.weekday is not None:
        if before.month is None or before.day is None:
            return None
        today = day_number(before.year, before.month, before.day)
        year, month, day = civil_date(today + ((cue.weekday - weekday(today) - 1) % 7 + 1))
    else:
        return before
    if month is not None and day is not None and day > days_in_month(year, month):
        raise TimeRangeError(f"there is no day {year}-{month}-{day} in the Gregorian calendar")
    return CalendarDate("gregorian", year, month, day)
