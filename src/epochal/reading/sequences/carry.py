"""Carry-over: the dates of a sequence of texts, each of which states only what has changed since the one before.

Annals (through any regnal calendar), and diaries and logs (Gregorian). The rules are in `annals_state` and
`diary_cues`; every result says what its text stated, what it inherited and what was inferred.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from epochal.errors import EpochalError, TimeRangeError, UnknownNameError
from epochal.reading.expr import TimeExpr
from epochal.reading.sequences.annals import AnnalsTagger
from epochal.reading.sequences.annals_cues import AnnalsCue, find_cues
from epochal.reading.sequences.annals_state import AnnalsState, advance, state_date, state_of, state_span, turned
from epochal.reading.sequences.diary_cues import follow, read_diary_cue
from epochal.reading.tagger import tag
from epochal.times import CalendarDate, Span, calendar
from epochal.times.calendars.regnal import RegnalCalendar

__all__ = ["OPENING", "Carried", "Carrier", "carrier", "read_sequence"]

#: Characters of a text that count as its opening. A date further in dates a later sentence, not the text.
OPENING = 24
#: Brackets and entry marks may stand before a year that opens a text, words may not.
_FURTHEST_YEAR = 1
#: What may stand before the date of a diary entry, and is no part of it.
_MARKS = re.compile(r"[\s\[(*#-]*")


@dataclass(frozen=True, slots=True)
class Carried:
    """The date of one text of a sequence, None while it cannot be known, and where its parts come from.

    `span` is what can honestly be said: where the month of `date` was only inferred from a season, it is the season.
    What is stated stands at `text[start_char:end_char]`; both are 0 where everything was carried.

    >>> Carried(None, None).stated
    ()
    """

    date: CalendarDate | None
    span: Span | None
    stated: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    start_char: int = 0
    end_char: int = 0


class Carrier(Protocol):
    """Reads the texts of a sequence one at a time, and keeps nothing of them but the date that it has got to.

    >>> diary: Carrier = carrier("gregorian")
    >>> [diary.read(text).span.edtf() for text in ("12 May 1843. Rain.", "13. Rain again.")]
    ['1843-05-12', '1843-05-13']
    """

    def read(self, text: str) -> Carried:
        """The date of the next text."""
        ...

    def later(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        """The dates further inside the text that was read last, counted from its own; from `now` where it has none."""
        ...


def carrier(
    calendar: str | RegnalCalendar = "gregorian",
    start: CalendarDate | Span | None = None,
    carry: Literal["opening", "last"] = "opening",
) -> Carrier:
    """A reader of one sequence, which stands at `start`; see `read_sequence`, which reads all of it at once.

    >>> annals = carrier("lu", CalendarDate("lu", 1, era="魯隱公"))
    >>> annals.read("三月，公及邾儀父盟于蔑。").span.edtf()
    '-0721-03~'
    """
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
) -> list[Carried]:
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
    reader = carrier(calendar, start, carry)
    return [reader.read(text) for text in texts]


class _Annals:
    """The carrier of a regnal calendar."""

    def __init__(self, known: RegnalCalendar, start: CalendarDate | None, carry: Literal["opening", "last"]) -> None:
        self._known, self._carry = known, carry
        self._tagger = AnnalsTagger(known)
        self._state = self._own = state_of(start)
        self._end = 0

    def read(self, text: str) -> Carried:
        cues = list(find_cues(text, self._known))
        opening = _opening(cues)
        before = turned(self._state, opening[0], self._known) if opening else self._state
        passed = (before.era, before.year) != (self._state.era, self._state.year)
        self._state = before
        for cue in opening:
            self._state = advance(self._state, cue, self._known)
        self._own, self._end = self._state, opening[-1].end if opening else 0
        result = _result(self._state, opening, self._known, passed)
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

    def read(self, text: str) -> Carried:
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
            return Carried(None, None)
        parts = [name for name in ("year", "month", "day") if getattr(date, name) is not None]
        inferred = tuple(name for name in parts if name == "day" and "weekday" in stated and "day" not in stated)
        carried = tuple(name for name in parts if name not in stated and name not in inferred)
        begin = _MARKS.match(text).end() if self._end else 0  # type: ignore[union-attr]
        return Carried(date, calendar("gregorian").span(date), stated, carried, inferred, begin, self._end)

    def later(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        own = now if self._date is None else calendar("gregorian").span(self._date)
        return [item for item in tag(text, own) if item.start_char >= self._end]


def _regnal(name: str | RegnalCalendar) -> RegnalCalendar:
    found = calendar(name) if isinstance(name, str) else name
    if not isinstance(found, RegnalCalendar) or found.table.text != "han":
        raise EpochalError(f"the calendar {found.name!r} counts no reigns in characters, so no annal is read in it")
    return found


def _opening(cues: list[AnnalsCue]) -> list[AnnalsCue]:
    """The cues that date the text: those of its opening, up to the first that states a month.

    "十有五年春，…。二月己亥，盟于劉" is of the second month; "三月，…。五月，…" of the third; "秋，…。冬，…" of
    autumn. A year counts only where the text begins: further in, it is a year that the text tells of (僖之元年).
    """
    taken: list[AnnalsCue] = []
    for cue in cues:
        if cue.start >= OPENING or (taken and _is_settled(taken, cue)):
            break
        if "year" not in cue.stated or cue.start <= _FURTHEST_YEAR:
            taken.append(cue)
    return taken


def _is_settled(taken: list[AnnalsCue], cue: AnnalsCue) -> bool:
    named = {part for before in taken for part in before.stated}
    if cue.stated == ("day",):
        return "day" in named
    # A month after a season refines it (夏，…。五月甲辰，…); a second season begins something else.
    return "month" in named or "day" in named or ("season" in named and cue.season is not None)


def _result(state: AnnalsState, opening: list[AnnalsCue], known: RegnalCalendar, passed: bool) -> Carried:
    date = state_date(state, known)
    span = state_span(state, date, known)
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
        return Carried(date, span, stated, carried, inferred)
    return Carried(date, span, stated, carried, inferred, opening[0].start, opening[-1].end)


def _gregorian_start(start: CalendarDate | Span | None) -> CalendarDate | None:
    if not isinstance(start, Span):
        return start
    dates = calendar("gregorian").dates(start.start // 86_400, start.grain)
    return dates[0]
