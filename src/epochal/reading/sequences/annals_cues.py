"""What an annal states of its time: years, seasons, months and days in classical Chinese, found with their places.

    元年春王正月        a year, a season, a month          夏五月          a season and a month
    冬十有二月          month 12                           閏月乙卯晦      an intercalary month and a day
    永明三年春正月甲辰  an era, its year, season, month and day

A cue stands where a clause opens; what stands inside a clause (天子七月而葬) counts months, and dates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from epochal.reading.folding import fold_in_place
from epochal.times.calendars.han_text import SEASONS
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.ganzhi import BRANCHES, STEMS, from_ganzhi
from epochal.times.numerals_han import from_han

__all__ = ["AnnalsCue", "find_cues"]

_DIGIT = "一二三四五六七八九"
_NUMBER = f"(?:元|[{_DIGIT}十廿卅百有又〇零]{{1,7}}|[0-9０-９]{{1,3}})"
_GANZHI = f"[{STEMS}][{BRANCHES}]"
_MONTH = f"(?:正|十[有又]?[一二]|[{_DIGIT}十腊]|冬)"
_STOP = r"[。，、；：！？．,.;:\s]"
#: Before a cue: the start, or the end of a clause. Quotation marks do not count: what people say is not the annalist's.
_OPEN = r"(?:^|(?<=[。，、；：！？．,.;:\s\]】」』”’）)0-9]))"
_CUE = re.compile(
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
_HEAD = re.compile(rf"{_OPEN}(?=[元正{_DIGIT}十廿卅百{SEASONS}闰后腊{STEMS}王周其于自是初朔晦0-9０-９])")
_AFTER_DAY = re.compile(rf"{_STOP}|$|[，。]")


@dataclass(frozen=True, slots=True)
class AnnalsCue:
    """A stretch `text[start:end]` and what it states; what it leaves out is None.

    `eras` are the ids of the reigns that its era name may mean. A `month` of 0 is an intercalary month without number.
    `day_name` and `year_name` are places in the cycle of sixty. A month that is `led` by a word (自正月, 其五月) is one
    that the text refers to.

    >>> next(find_cues("夏五月，鄭伯克段于鄢。")).month
    5
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
        """The parts it names, coarse to fine.

        >>> next(find_cues("元年春王正月。")).stated
        ('year', 'season', 'month')
        """
        parts = {
            "era": bool(self.eras),
            "year": self.year is not None or self.year_name is not None,
            "season": self.season is not None,
            "month": self.month is not None,
            "day": self.day is not None or self.day_name is not None,
        }
        return tuple(name for name, is_stated in parts.items() if is_stated)


def find_cues(text: str, calendar: RegnalCalendar | None = None) -> Iterator[AnnalsCue]:
    """The cues of a text in order. With a calendar, the names of its reigns are read before a year.

    >>> from epochal.times import calendar
    >>> [text[c.start:c.end] for text in ["七月，公會紀侯。八月壬辰，陳侯卒。"] for c in find_cues(text)]
    ['七月', '八月壬辰']
    >>> [(c.eras, c.year, c.month) for c in find_cues("永明三年春正月甲辰，", calendar("chinese"))]
    [(('南齊武帝永明',), 3, 1)]
    """
    plain = fold_in_place(text)
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
    """Where a cue may begin: at the heads of clauses, and wherever an era's name stands before a year."""
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
