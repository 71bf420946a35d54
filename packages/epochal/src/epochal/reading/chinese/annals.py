"""Classical Chinese annals: finds their cues of time, and dates them through a regnal calendar.

    元年春王正月        a year, a season, a month          夏五月          a season and a month
    冬十有二月          month 12                           閏月乙卯晦      an intercalary month and a day
    永明三年春正月甲辰  an era, its year, season, month and day

A cue opens a clause; a month inside a clause (天子七月而葬) counts months, and dates nothing. How each cue moves the
state (reign, year, month; spec/chunqiutr.md, 1.1):

    reign named, or 元年 after a later year   a new reign; the year stated, month 1
    a year                                    that year, month 1
    a month                                   that month; 閏月 without a number keeps the month and marks it
    a season without a month                  the later of the current month and the season's first
    nothing                                   everything is carried over

Where a text opens with a month or season half a year or more before the current one, and names no year, a year was
passed over (`turn_year`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final, Literal

from epochal.errors import EpochalError
from epochal.lazy import lazy_regex
from epochal.reading.expression import TimeExpr
from epochal.reading.scripts import simplify_characters
from epochal.reading.timex3 import timex3_value
from epochal.times.axis import DAY, OPEN_START, Certainty
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.date_text import SEASONS, format_han_month, format_han_year
from epochal.times.calendars.registry import calendar
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.numerals import BRANCHES, STEMS, from_ganzhi, from_han, get_sexagenary_year, to_ganzhi, to_han
from epochal.times.span import Span

__all__ = [
    "AnnalsCue",
    "AnnalsState",
    "AnnalsTagger",
    "DatedCue",
    "advance",
    "find_cues",
    "get_state_date",
    "get_state_span",
    "get_stated_span",
    "make_state",
    "turn_year",
]


_DIGIT = "一二三四五六七八九"
_NUMBER = f"(?:元|[{_DIGIT}十廿卅百有又〇零]{{1,7}}|[0-9０-９]{{1,3}})"
_GANZHI = f"[{STEMS}][{BRANCHES}]"
_MONTH = f"(?:正|十[有又]?[一二]|[{_DIGIT}十腊]|冬)"
_STOP = r"[。，、；：！？．,.;:\s]"
#: Before a cue: the start, or the end of a clause. Quotation marks do not count: what people say is not the annalist's.
_OPEN = r"(?:^|(?<=[。，、；：！？．,.;:\s\]】」』”’）)0-9]))"
_CUE = lazy_regex(
    rf"(?:(?P<year>{_NUMBER})年(?![而之矣後后])|(?P<year_name>{_GANZHI})(?:年|岁))?"
    rf"(?(year){_STOP}{{0,2}}|(?(year_name){_STOP}{{0,2}}))"
    # 夏 and 秋 are names too (夏父弗忌, 秋官): without a year before, a season needs a pause, a month or 王 after it.
    # 夏五 alone is how the annals write one month whose 月 was lost.
    rf"(?:(?P<season>[{SEASONS}])(?!秋[^，。七八九闰王]|官)(?:季|天)?"
    rf"(?={_STOP}|$|周?王|闰|{_MONTH}月|五{_STOP}|(?(year).|(?!))|(?:(?<=^.)[大有]))"
    rf"(?:(?:[，、]\s?)?(?=周?王|闰|{_MONTH}月))?)?"
    rf"(?:(?P<lead>其|于是|于|自|是岁)?(?:周王|王周|王)?"
    rf"(?:(?P<leap>闰|后(?={_MONTH}月))(?P<leap_month>{_MONTH})?月|(?P<month>{_MONTH})月(?!而|之(?!望))))?"
    rf"(?(month)[，、\s]?|(?(leap)[，、\s]?))"
    rf"(?:(?P<day_name>{_GANZHI})(?!年|岁)(?P<day_mark>日?朔|日?晦|之?日|夜|旦|昔)?"
    rf"|(?P<first>朔|晦|望)(?={_STOP}|日|$)"
    rf"|(?:初|第)?(?P<day>(?:初?[{_DIGIT}十廿卅]{{1,3}}|[0-9０-９]{{1,2}}))[日号])?"
)
#: What may open a cue; the scan jumps from one such character at a clause's head to the next.
_HEAD = lazy_regex(rf"{_OPEN}(?=[元正{_DIGIT}十廿卅百{SEASONS}闰后腊{STEMS}王周其于自是初朔晦0-9０-９])")
_AFTER_DAY = lazy_regex(rf"{_STOP}|$|[，。]")


@dataclass(frozen=True, slots=True)
class AnnalsCue:
    """What `text[start:end]` states; parts that it leaves out are None.

    `eras` are the ids of the reigns that its era name may mean. A `month` of 0 is an intercalary month without number.
    `day_name` and `year_name` are places in the cycle of sixty. A month that is `led` by a word (自正月, 其五月) is one
    that the text refers to.
    """

    start: int
    end: int
    eras: tuple[str, ...] = ()
    year: int | None = None
    year_name: int | None = None
    season: int | None = None
    month: int | None = None
    leap: bool = False
    day: int | None = None
    day_name: int | None = None
    led: bool = False

    @property
    def stated(self) -> tuple[str, ...]:
        """The parts it names, coarse to fine."""
        parts = {
            "era": bool(self.eras),
            "year": self.year is not None or self.year_name is not None,
            "season": self.season is not None,
            "month": self.month is not None,
            "day": self.day is not None or self.day_name is not None,
        }
        return tuple(name for name, is_stated in parts.items() if is_stated)


def find_cues(text: str, calendar: RegnalCalendar | None = None) -> Iterator[AnnalsCue]:
    """The cues of a text in order. With a calendar, the names of its reigns are read before a year."""
    plain = simplify_characters(text)
    done = 0
    for start, eras in _places(plain, calendar):
        if start < done:
            continue
        at = start + (eras[1] if eras else 0)
        match = _CUE.match(plain, at)
        cue = None if match is None else _cue(match, start, eras[0] if eras else ())
        if cue is not None:
            done = cue.end
            yield cue


def _places(plain: str, calendar: RegnalCalendar | None) -> list[tuple[int, tuple[tuple[str, ...], int] | None]]:
    """Where a cue may begin: at the start of a clause, and at the name of an era before a year."""
    places: dict[int, tuple[tuple[str, ...], int] | None] = {match.start(): None for match in _HEAD.finditer(plain)}
    if calendar is not None:
        for match in _era_year(calendar).finditer(plain):
            name = match["era"]
            places[match.start()] = (tuple(reign.id for reign in calendar.names.han[name]), len(name))
    return sorted(places.items())


@cache
def _era_year(calendar: RegnalCalendar) -> re.Pattern[str]:
    """Any name of a reign, longest first, with a year after it. Names grouped by their first character, for speed."""
    groups: dict[str, list[str]] = {}
    for name in sorted(calendar.names.han, key=len, reverse=True):
        groups.setdefault(name[0], []).append(re.escape(name[1:]))
    names = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in groups.items())
    return re.compile(rf"(?P<era>{names})(?=(?:{_NUMBER}|{_GANZHI})[年岁])")


def _cue(match: re.Match[str], start: int, eras: tuple[str, ...]) -> AnnalsCue | None:
    """The cue of a match, or None when it states nothing, or a number that no date has."""
    year = from_han(match["year"]) if match["year"] else None
    if match["year"] and not year:
        return None
    month = _month(match)
    day, day_name = _day(match)
    is_day_alone = match["day_name"] and not match["day_mark"] and month is None and match["season"] is None
    if is_day_alone and not _AFTER_DAY.match(match.string, match.end("day_name")):
        day_name = None  # 甲 and 乙 name people and things too, so a pause must follow
    is_month_alone = match["month"] and not (match["season"] or match["year"] or match["lead"])
    if is_month_alone and match.string.startswith("不", match.end("month") + 1):
        return None  # 三月不違: for three months
    end = _end(match, day_name)
    season = SEASONS.index(match["season"]) + 1 if match["season"] else None
    year_name = from_ganzhi(match["year_name"]) if match["year_name"] else None
    leap, led = bool(match["leap"]), bool(match["lead"])
    cue = AnnalsCue(start, end, eras, year, year_name, season, month, leap, day, day_name, led)
    if not cue.stated or end <= start or (cue.stated == ("day",) and match["day"]):
        return None  # a day's number without its month is as often a count of days
    return cue


def _end(match: re.Match[str], day_name: int | None) -> int:
    """Where the last part ends: pauses and leads after it that turned out to open nothing are not part of it."""
    ends = [match.end(name) + 1 for name in ("year", "year_name", "month", "leap", "day") if match[name]]
    if match["leap_month"]:
        ends.append(match.end("leap_month") + 1)
    ends += [match.end(name) for name in ("season", "first") if match[name]]
    if day_name is not None:
        ends.append(match.end("day_mark") if match["day_mark"] else match.end("day_name"))
    return max(ends, default=match.start())


def _month(match: re.Match[str]) -> int | None:
    if match["leap"] and not match["leap_month"]:
        return 0
    text = match["leap_month"] or match["month"]
    return {"腊": 12, "冬": 11}.get(text) or from_han(text) if text else None


def _day(match: re.Match[str]) -> tuple[int | None, int | None]:
    if match["day_name"]:
        return None, from_ganzhi(match["day_name"])
    if match["first"]:
        # 望 and 晦 fall on days that depend on the month's length; only 朔 is certain.
        return (1, None) if match["first"] == "朔" else (None, None)
    if match["day"]:
        number = from_han(match["day"].removeprefix("初"))
        return (number if number is not None and 1 <= number <= 30 else None), None
    return None, None


#: What the month of a state rests on.
Basis = Literal["month", "season", "year"]
#: Months that an annal goes back by where it has come to another year. What goes back by less is out of its order.
_ROUND: Final = 6


@dataclass(frozen=True, slots=True)
class AnnalsState:
    """A place in a regnal calendar. Parts not yet known are empty or None."""

    era: str = ""
    year: int | None = None
    month: int | None = None
    leap: bool = False
    basis: Basis = "year"
    season: int | None = None
    day: int | None = None
    day_name: int | None = None


def make_state(date: CalendarDate | None) -> AnnalsState:
    """The state at a date; an empty one without a date."""
    if date is None:
        return AnnalsState()
    if date.month is not None:
        return AnnalsState(date.era, date.year, date.month, date.leap, "month", None, date.day, date.sexagenary or None)
    season = date.season or None
    return AnnalsState(date.era, date.year, 3 * (season or 1) - 2, False, "season" if season else "year", season)


def advance(state: AnnalsState, cue: AnnalsCue, calendar: RegnalCalendar) -> AnnalsState:
    """The state after a cue."""
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


def turn_year(state: AnnalsState, cue: AnnalsCue, calendar: RegnalCalendar) -> AnnalsState:
    """The state before a cue that opens a text: in the next year, where the months have come round without its name."""
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
    """The reign that an era's name means: the only one, or the nearest to the current state; else none."""
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
    found = [year for year in years if get_sexagenary_year(reign.first + year - reign.first_year) == cue.year_name]
    return found[0] if found else None


@lru_cache(maxsize=4096)
def get_state_date(state: AnnalsState, calendar: RegnalCalendar) -> CalendarDate | None:
    """The date of a state as finely as the calendar can tell; None while reign or year is unknown or wrong."""
    if not state.era or state.year is None:
        return None
    head = state.era + format_han_year(state.year)
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
        return format_han_month(state.month)
    # Where the table knows the intercalary months, 閏月 alone finds the year's own; else it keeps the month before.
    return format_han_month(state.month, leap=True) if calendar.table.ordinal else "閏月"


@lru_cache(maxsize=4096)
def get_state_span(state: AnnalsState, date: CalendarDate | None, calendar: RegnalCalendar) -> Span | None:
    """The span that a state supports: of a month inferred from a season, the season; without a month, the year.

    A day that is named without its month says no more: its name comes round in every other month.
    """
    if date is None:
        return None
    if state.basis == "season" and state.season and date.month is not None:
        dates = calendar.parse(f"{state.era}{format_han_year(state.year or 1)}{'春夏秋冬'[state.season - 1]}")
        return calendar.span(dates[0]) if dates else calendar.span(date)
    if state.basis == "year" and date.month is not None:
        return calendar.span(CalendarDate(date.calendar, date.year, era=date.era))
    return get_stated_span(date, calendar)


def get_stated_span(date: CalendarDate, calendar: RegnalCalendar) -> Span:
    """The span of a date, which lies in the month that it names.

    Where months are nominal, a day of the cycle of sixty may fall beside its own month; then the month is what is said.
    """
    span = calendar.span(date)
    if not date.sexagenary or date.month is None:
        return span
    month = calendar.span(replace(date, sexagenary=0))
    return span if month.start <= span.start and span.end <= month.end else month


@dataclass(frozen=True, slots=True)
class DatedCue:
    """A cue of a text with the date it comes to; None when the reign or the year is not known."""

    cue: AnnalsCue
    date: CalendarDate | None
    span: Span | None


class AnnalsTagger:
    """Tags a text in a regnal calendar; within the text, what a cue leaves out is carried from the cues before it.

    `start` is the date at which the text begins: without it (and without `now`), nothing can be placed before the text
    has named a reign, and its cues come back without a span.
    """

    def __init__(self, calendar_name: str | RegnalCalendar = "lu", start: CalendarDate | None = None) -> None:
        found = calendar(calendar_name) if isinstance(calendar_name, str) else calendar_name
        if not isinstance(found, RegnalCalendar) or found.table.text != "han":
            raise EpochalError(f"the calendar {found.name!r} counts no reigns in characters, so no annal is read in it")
        self.calendar = found
        self.start = start

    def read(self, text: str, start: CalendarDate | None = None) -> list[DatedCue]:
        """The cues of a text, each with its date, from `start` or the tagger's own."""
        state = make_state(start or self.start)
        return [reading for reading, _ in self._walk(text, state)]

    def _walk(self, text: str, state: AnnalsState, place: int | None = None) -> list[tuple[DatedCue, AnnalsState]]:
        dated = []
        for cue in find_cues(text, self.calendar):
            if place is not None and (cue.start < place or ("year" in cue.stated and not cue.eras)):
                continue
            if cue.stated == ("year",) and cue.start and text[cue.start - 1] in "，、,":
                continue  # 居鄭，三年，… counts years as often as it names one
            after = advance(state, cue, self.calendar)
            date = get_state_date(after, self.calendar)
            if cue.eras and date is None:
                # The name means several reigns, and nothing says which: what follows must not take up the old reign.
                after = AnnalsState(year=cue.year)
            state = after
            dated.append((DatedCue(cue, date, get_state_span(state, date, self.calendar)), state))
        return dated

    def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        """The expressions of a text. Where no `start` was given, it is taken from `now`, the text's own date."""
        state = make_state(self.start or self._find_start(now))
        return [
            expr for reading, _ in self._walk(text, state) if (expr := self._make_expression(text, reading)) is not None
        ]

    def tag_after(self, text: str, place: int, state: AnnalsState) -> list[TimeExpr]:
        """The expressions from an offset on, in a text whose state is `state` there.

        Years count only with their reign: further in, a text tells of other years (僖之元年).
        """
        walked = self._walk(text, state, place)
        return [expr for reading, _ in walked if (expr := self._make_expression(text, reading)) is not None]

    def _find_start(self, now: Span | None) -> CalendarDate | None:
        if now is None or now.start == OPEN_START:
            return None
        dates = self.calendar.dates(now.start // DAY, now.grain)
        # Where several realms counted at once, the reference time does not say whose annal this is.
        return dates[0] if len(dates) == 1 else None

    def _make_expression(self, text: str, reading: DatedCue) -> TimeExpr | None:
        cue, date, span = reading.cue, reading.date, reading.span
        stated = cue.stated
        if span is None and stated in (("day",), ("season",)):
            return None  # nothing is known of it but a name that comes round every sixty days, or every year
        carried = tuple(
            part
            for part, is_known in (
                ("era", date is not None),
                ("year", date is not None),
                ("month", date is not None and date.month is not None),
            )
            if is_known and part not in stated and not (part == "month" and ("season" in stated or "year" in stated))
        )
        confidence = 0.4 if span is None else 0.95 if "era" in stated else 0.85 if "month" in stated else 0.7
        value = "XXXX" if span is None else timex3_value(span)
        mod = "APPROX" if span is not None and span.worst_certainty & Certainty.APPROXIMATE else ""
        return TimeExpr(
            text[cue.start : cue.end], cue.start, cue.end, "DATE", value, span, mod, confidence, stated, carried
        )
