"""Dates of texts in a sequence, annals or diaries, each of which states only what has changed since the one before.

Annals are read through any regnal calendar (rules in `chinese.annals`), diaries and logs through the Gregorian one.
Every result says what its text stated, what was carried over and what was inferred. The openings of diary entries:

    12 May 1843.   May 12th   1843-05-12   12/5   13.   the 14th   Tuesday   May   1843
    1843年5月12日   5月12日   十三日   星期二

Each entry follows the one before: a day without a month that is not later than the last belongs to the next month, a
month that is earlier to the next year, a weekday is the next one of its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from epochal.errors import EpochalError, TimeRangeError, UnknownNameError
from epochal.lazy import lazy_regex
from epochal.reading.chinese.annals import (
    AnnalsCue,
    AnnalsState,
    AnnalsTagger,
    advance,
    find_cues,
    get_state_date,
    get_state_span,
    make_state,
    turn_year,
)
from epochal.reading.expression import TimeExpr
from epochal.reading.tagger import tag
from epochal.times.axis import civil_date, day_number, days_in_month, weekday
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.registry import calendar
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.numerals import from_han
from epochal.times.span import Span

__all__ = [
    "OPENING",
    "AnnalsTagger",
    "CarriedDate",
    "DateCarrier",
    "DiaryCue",
    "follow",
    "make_carrier",
    "read_diary_cue",
    "read_sequence",
]


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
    lazy_regex(rf"[\s\[(*#-]*(?:{form})", re.IGNORECASE)
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
    """What an entry's opening states, and where it ends; parts left out are None. Weekdays are 1 (Monday) to 7."""

    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    @property
    def stated(self) -> tuple[str, ...]:
        """The parts it names, coarse to fine."""
        return tuple(name for name in ("year", "month", "day", "weekday") if getattr(self, name) is not None)


def read_diary_cue(text: str) -> DiaryCue | None:
    """The date that opens a text; None when it opens with none."""
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
    """Date of an entry that comes after `before`; None while the year is not known, or when there is no such day."""
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


#: Characters of a text that count as its opening. A date further in dates a later sentence, not the text.
OPENING = 24
#: Brackets and entry marks may stand before a year that opens a text, words may not.
_FURTHEST_YEAR = 1
#: A heading in brackets that an edition puts before a record: 【齐纪 建元元年正月（甲辰）】, 【經】.
_BRACKETED = lazy_regex(r"\s*(?:【[^】\n]{1,40}】|〔[^〕\n]{1,40}〕|\[[^\]\n]{1,40}\])")
#: What may stand before the date of a diary entry, and is no part of it.
_MARKS = lazy_regex(r"[\s\[(*#-]*")


@dataclass(frozen=True, slots=True)
class CarriedDate:
    """The date of one text of a sequence, None while unknown, and where its parts come from.

    `span` is what can honestly be said: where the month of `date` was only inferred from a season, it is the season.
    What is stated is at `text[start_char:end_char]`; both are 0 where everything was carried over.
    """

    date: CalendarDate | None
    span: Span | None
    stated: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    start_char: int = 0
    end_char: int = 0


class DateCarrier(Protocol):
    """Reads the texts of a sequence one at a time, and remembers only the current date."""

    def read(self, text: str) -> CarriedDate:
        """The date of the next text."""
        ...

    def later(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        """The dates further inside the text that was read last, counted from its own; from `now` where it has none."""
        ...


def make_carrier(
    calendar: str | RegnalCalendar = "gregorian",
    start: CalendarDate | Span | None = None,
    carry: Literal["opening", "last"] = "opening",
) -> DateCarrier:
    """A reader of one sequence that begins at `start`; `read_sequence` reads all of it at once."""
    if carry not in ("opening", "last"):
        raise UnknownNameError("carry", carry, ["opening", "last"])
    if calendar == "gregorian":
        return _Diary(start)
    known = _regnal(calendar)
    if isinstance(start, Span):
        raise EpochalError(f"the start of a sequence in {known.name!r} is a date of that calendar, not a span")
    return _Annals(known, start, carry)


def read_sequence(
    texts: Iterable[str],
    calendar: str | RegnalCalendar = "gregorian",
    start: CalendarDate | Span | None = None,
    carry: Literal["opening", "last"] = "opening",
) -> list[CarriedDate]:
    """The date of every text, read in order from `start`.

    `calendar` is the name of a regnal calendar, or "gregorian" for diaries. A heading (隱公二年) is a text like any
    other. With `carry` "opening" a text hands on the date it opens with, as narratives need, which run ahead; with
    "last", the last date that it states, as terse annals may.

    >>> lines = ["元年春王正月。", "三月，公及邾儀父盟于蔑。", "秋，大水。", "公子益師卒。"]
    >>> read = read_sequence(lines, "lu", CalendarDate("lu", 1, era="魯隱公"))
    >>> [(item.date.month, item.stated, item.carried) for item in read][1:]
    [(3, ('month',), ('era', 'year')), (7, ('season',), ('era', 'year')), (7, (), ('era', 'year', 'month'))]
    >>> diary = read_sequence(["12 May 1843. Rain.", "13. Rain again.", "Tuesday. Sun."])
    >>> [item.span.edtf() for item in diary]
    ['1843-05-12', '1843-05-13', '1843-05-16']
    """
    reader = make_carrier(calendar, start, carry)
    return [reader.read(text) for text in texts]


class _Annals:
    """The carrier of a regnal calendar."""

    def __init__(self, known: RegnalCalendar, start: CalendarDate | None, carry: Literal["opening", "last"]) -> None:
        self._known, self._carry = known, carry
        self._tagger = AnnalsTagger(known)
        self._state = self._own = make_state(start)
        self._end = 0

    def read(self, text: str) -> CarriedDate:
        cues = list(find_cues(text, self._known))
        bracketed = _BRACKETED.match(text)
        opening = _select_opening(cues, bracketed.end() if bracketed else 0)
        before = turn_year(self._state, opening[0], self._known) if opening else self._state
        passed = (before.era, before.year) != (self._state.era, self._state.year)
        self._state = before
        for cue in opening:
            self._state = advance(self._state, cue, self._known)
        self._own, self._end = self._state, opening[-1].end if opening else 0
        result = _build_result(self._state, opening, self._known, passed)
        for cue in cues if self._carry == "last" else ():
            if cue not in opening and "year" not in cue.stated:
                self._state = advance(self._state, cue, self._known)
        return result

    def later(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        return self._tagger.tag_after(text, self._end, self._own)


class _Diary:
    """The carrier of the Gregorian calendar."""

    def __init__(self, start: CalendarDate | Span | None) -> None:
        self._date = _gregorian_start(start)
        self._end = 0

    def read(self, text: str) -> CarriedDate:
        cue = read_diary_cue(text)
        stated: tuple[str, ...] = ()
        self._end = 0
        if cue is not None:
            try:
                moved = follow(self._date, cue)
            except TimeRangeError:
                moved = None  # 31 June: what the text says is no date, so it says nothing
            if moved is not None:
                self._date, stated, self._end = moved, cue.stated, len(text[: cue.end].rstrip(" .,"))
        date = self._date
        if date is None:
            return CarriedDate(None, None)
        parts = [name for name in ("year", "month", "day") if getattr(date, name) is not None]
        inferred = tuple(name for name in parts if name == "day" and "weekday" in stated and "day" not in stated)
        carried = tuple(name for name in parts if name not in stated and name not in inferred)
        begin = _MARKS.match(text).end() if self._end else 0  # type: ignore[union-attr]
        return CarriedDate(date, calendar("gregorian").span(date), stated, carried, inferred, begin, self._end)

    def later(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        own = now if self._date is None else calendar("gregorian").span(self._date)
        return [item for item in tag(text, own) if item.start_char >= self._end]


def _regnal(name: str | RegnalCalendar) -> RegnalCalendar:
    regnal = calendar(name) if isinstance(name, str) else name
    if not isinstance(regnal, RegnalCalendar) or regnal.table.text != "han":
        raise EpochalError(f"the calendar {regnal.name!r} counts no reigns in characters, so no annal is read in it")
    return regnal


def _select_opening(cues: list[AnnalsCue], heading_end: int = 0) -> list[AnnalsCue]:
    """The cues that date the text: those of its opening, up to the first that states a month.

    "十有五年春，…。二月己亥，盟于劉" is of the second month; "三月，…。五月，…" of the third; "秋，…。冬，…" of
    autumn. A year counts only where the text begins, in its heading in brackets or next to it: further in, it is a year
    that the text tells of (僖之元年).
    """
    taken: list[AnnalsCue] = []
    for cue in cues:
        if cue.start >= OPENING + heading_end or (taken and _ends_opening(taken, cue)):
            break
        if "year" not in cue.stated or cue.start <= max(_FURTHEST_YEAR, heading_end):
            taken.append(cue)
    return taken


def _ends_opening(taken: list[AnnalsCue], cue: AnnalsCue) -> bool:
    named = {part for before in taken for part in before.stated}
    if cue.stated == ("day",):
        return "day" in named
    # A month after a season refines it (夏，…。五月甲辰，…); a second season begins something else.
    return "month" in named or "day" in named or ("season" in named and cue.season is not None)


def _build_result(state: AnnalsState, opening: list[AnnalsCue], known: RegnalCalendar, passed: bool) -> CarriedDate:
    date = get_state_date(state, known)
    span = get_state_span(state, date, known)
    named = {part for cue in opening for part in cue.stated}
    order = ("era", "year", "season", "month", "day")
    stated = tuple(part for part in order if part in named)
    have = {
        "era": bool(state.era),
        "year": state.year is not None,
        "month": state.month is not None,
    }
    derived = bool(named & {"season", "year", "era"}) and "month" not in named
    inferred = ("year",) * passed + ("month",) * (derived and state.month is not None)
    carried = tuple(part for part in order if have.get(part) and part not in named and part not in inferred)
    if not opening:
        return CarriedDate(date, span, stated, carried, inferred)
    return CarriedDate(date, span, stated, carried, inferred, opening[0].start, opening[-1].end)


def _gregorian_start(start: CalendarDate | Span | None) -> CalendarDate | None:
    if not isinstance(start, Span):
        return start
    dates = calendar("gregorian").dates(start.start // 86_400, start.grain)
    return dates[0]
