"""Where an annal has got to: reign, year and month, and how each cue moves it on (spec/chunqiutr.md, 1.1).

reign named, or 元年 after a later year   a new reign; the year stated, month 1
a year                                    that year, month 1
a month                                   that month; 閏月 without a number keeps the month and marks it
a season without a month                  the later of the present month and the season's first
nothing                                   everything is inherited

Where a text opens with a month or season half a year or more before the one reached, and names no year, a year was
passed over (`turned`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from epochal.reading.sequences.annals_cues import AnnalsCue
from epochal.times import CalendarDate, Span
from epochal.times.calendars.han_text import month_text, year_text
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.ganzhi import to_ganzhi, year_of_cycle
from epochal.times.numerals_han import to_han

__all__ = ["AnnalsState", "advance", "state_date", "state_of", "state_span", "stated_span", "turned"]

#: What the month of a state rests on.
Basis = Literal["month", "season", "year"]
#: Months that an annal goes back by where it has come to another year. What goes back by less is out of its order.
_ROUND: Final = 6


@dataclass(frozen=True, slots=True)
class AnnalsState:
    """A place in a regnal calendar. Parts not yet known are empty or None.

    >>> AnnalsState("魯隱公", 1, 1).basis
    'year'
    """

    era: str = ""
    year: int | None = None
    month: int | None = None
    leap: bool = False
    basis: Basis = "year"
    season: int | None = None
    day: int | None = None
    day_name: int | None = None


def state_of(date: CalendarDate | None) -> AnnalsState:
    """The state that a date stands for; without one, nothing is known.

    >>> state_of(CalendarDate("lu", 3, 5, era="魯隱公")).month
    5
    """
    if date is None:
        return AnnalsState()
    if date.month is not None:
        return AnnalsState(date.era, date.year, date.month, date.leap, "month", None, date.day, date.sexagenary or None)
    season = date.season or None
    return AnnalsState(date.era, date.year, 3 * (season or 1) - 2, False, "season" if season else "year", season)


def advance(state: AnnalsState, cue: AnnalsCue, calendar: RegnalCalendar) -> AnnalsState:
    """The state after a cue.

    >>> from epochal.reading.sequences.annals_cues import find_cues
    >>> from epochal.times import calendar
    >>> def after(state, text):
    ...     return advance(state, next(find_cues(text)), calendar("lu"))
    >>> state = after(AnnalsState("魯隱公", 11, 11), "元年春王正月，公即位。")
    >>> state.era, state.year, state.month
    ('魯桓公', 1, 1)
    >>> after(state, "秋，大水。").month, after(after(state, "冬十月。"), "閏月，").leap
    (7, True)
    """
    era = state.era
    if cue.eras:
        era = _choose(cue, state, calendar)
    elif cue.year == 1 and state.era and (state.year or 0) > 1:
        era = _next_reign(state, calendar)
    if cue.eras or cue.year is not None or cue.year_name is not None:
        year = cue.year if cue.year is not None else _named_year(cue, era, calendar)
        state = AnnalsState(era, year, 1)
    if cue.season is not None:
        first = 3 * cue.season - 2
        state = replace(
            state,
            month=max(state.month or 1, first),
            leap=False,
            basis="season",
            season=cue.season,
            day=None,
            day_name=None,
        )
    if cue.month is not None:
        month = cue.month or state.month
        state = replace(state, month=month, leap=cue.leap, basis="month", day=None, day_name=None)
    if cue.day is not None or cue.day_name is not None:
        state = replace(state, day=cue.day, day_name=cue.day_name)
    return state


def turned(state: AnnalsState, cue: AnnalsCue, calendar: RegnalCalendar) -> AnnalsState:
    """The state before a cue that opens a text: in the next year, where the months have come round without its name.

    >>> from epochal.reading.sequences.annals_cues import find_cues
    >>> from epochal.times import calendar
    >>> late = AnnalsState("魯隱公", 11, 11, basis="month")
    >>> after = turned(late, next(find_cues("三月，公會鄭伯于垂。")), calendar("lu"))
    >>> after.era, after.year
    ('魯桓公', 1)
    >>> turned(late, next(find_cues("八月，大雩。")), calendar("lu")) == late
    True
    """
    begins = cue.month or (3 * cue.season - 2 if cue.season else None)
    named = cue.eras or cue.year is not None or cue.year_name is not None
    if begins is None or named or cue.led or state.month is None or state.month - begins < _ROUND:
        return state
    reign = calendar.table.by_id.get(state.era)
    if reign is None or state.year is None:
        return state
    if calendar.years.has_year(reign, state.year + 1):
        return AnnalsState(state.era, state.year + 1, 1)
    later = _next_reign(state, calendar)
    return state if later == state.era else AnnalsState(later, calendar.table.by_id[later].first_year, 1)


def _choose(cue: AnnalsCue, state: AnnalsState, calendar: RegnalCalendar) -> str:
    """The reign that an era's name means: the only one, or the nearest to where the annal stands; else none."""
    reigns = [calendar.table.by_id[name] for name in cue.eras]
    if cue.year is not None:
        reigns = [reign for reign in reigns if calendar.years.has_year(reign, cue.year or 1)] or reigns
    if len(reigns) == 1:
        return reigns[0].id
    here = calendar.table.by_id.get(state.era)
    if here is None:
        return ""
    now = here.first + (state.year or 1) - here.first_year
    # An annal goes on under its own realm sooner than under another's.
    return min(reigns, key=lambda reign: (reign.realm != here.realm, abs(reign.first - now))).id


def _next_reign(state: AnnalsState, calendar: RegnalCalendar) -> str:
    here = calendar.table.by_id.get(state.era)
    if here is None:
        return ""
    later = [reign for reign in calendar.table.reigns if reign.realm == here.realm and reign.first > here.first]
    return min(later, key=lambda reign: reign.first).id if later else state.era


def _named_year(cue: AnnalsCue, era: str, calendar: RegnalCalendar) -> int | None:
    reign = calendar.table.by_id.get(era)
    if reign is None:
        return None
    years = range(reign.first_year, calendar.years.last_year(reign) + 1)
    found = [year for year in years if year_of_cycle(reign.first + year - reign.first_year) == cue.year_name]
    return found[0] if found else None


@lru_cache(maxsize=4096)
def state_date(state: AnnalsState, calendar: RegnalCalendar) -> CalendarDate | None:
    """The date of a state as finely as the calendar can tell; None while reign or year is unknown or wrong.

    >>> from epochal.times import calendar
    >>> state_date(AnnalsState("南齊武帝永明", 3, 1, basis="month", day_name=11), calendar("chinese")).day
    6
    """
    if not state.era or state.year is None:
        return None
    head = state.era + year_text(state.year)
    month = _month_words(state, calendar)
    tries = [head]
    if month:
        tries.insert(0, head + month)
    if state.day_name is not None and month:
        tries.insert(0, head + month + to_ganzhi(state.day_name))
    elif state.day is not None and month:
        tries.insert(0, f"{head}{month}{to_han(state.day)}日")
    for text in tries:
        if dates := calendar.parse(text):
            date = dates[0]
            if calendar.table.ordinal and state.leap and date.month is not None:
                date = replace(date, leap=True, month=state.month)
            return date
    return None


def _month_words(state: AnnalsState, calendar: RegnalCalendar) -> str:
    if state.month is None:
        return ""
    if not state.leap:
        return month_text(state.month)
    # Where the table knows the intercalary months, 閏月 alone finds the year's own; else it keeps the month before.
    return month_text(state.month, leap=True) if calendar.table.ordinal else "閏月"


@lru_cache(maxsize=4096)
def state_span(state: AnnalsState, date: CalendarDate | None, calendar: RegnalCalendar) -> Span | None:
    """The stretch that a state really states: of a month inferred from a season, the season; of none, the year.

    A day that is named without its month says no more: its name comes round in every other month.

    >>> from epochal.times import calendar
    >>> lu = calendar("lu")
    >>> state = AnnalsState("魯隱公", 1, 7, basis="season", season=3)
    >>> state_span(state, state_date(state, lu), lu).edtf()
    '-0721-07~/-0721-09~'
    """
    if date is None:
        return None
    if state.basis == "season" and state.season and date.month is not None:
        dates = calendar.parse(f"{state.era}{year_text(state.year or 1)}{'春夏秋冬'[state.season - 1]}")
        return calendar.span(dates[0]) if dates else calendar.span(date)
    if state.basis == "year" and date.month is not None:
        return calendar.span(CalendarDate(date.calendar, date.year, era=date.era))
    return stated_span(date, calendar)


def stated_span(date: CalendarDate, calendar: RegnalCalendar) -> Span:
    """The span of a date, which lies in the month that it names.

    Where months are nominal, a day of the cycle of sixty may fall beside its own month; then the month is what is said.

    >>> from epochal.times import calendar
    >>> lu = calendar("lu")
    >>> [stated_span(lu.parse(text)[0], lu).edtf() for text in ("魯隱公三年三月庚戌", "魯隱公三年四月辛卯")]
    ['-0719-03-27~', '-0719-04~']
    """
    span = calendar.span(date)
    if not date.sexagenary or date.month is None:
        return span
    month = calendar.span(replace(date, sexagenary=0))
    return span if month.start <= span.start and span.end <= month.end else month
