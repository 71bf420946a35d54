"""Single times in English words: `describe` writes spans, `read` and `read_relative` read them.

`describe` writes a small, regular English; `read` accepts it back, along with the usual variants (BC and BCE,
"March 15, 44 BC", "circa", "c.", "AD 79"). It reads one time and nothing else: finding times in running text is the
work of `epochal.reading`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Certainty, Grain, civil_date, day_number, to_seconds
from epochal.times.edtf import get_iso_week, get_week_start
from epochal.times.interval import AnyInterval, Interval, Part

_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_UNIT = lazy_regex(r"(?P<which>this|current|last|previous|next) (?P<grain>[a-z]+)")
_AGO = lazy_regex(r"(?P<count>\d{1,15}) (?P<grain>[a-z]+?)s? (?P<side>ago|from now)")
_PLURALS = {"centurie": "century", "millennia": "millennium", "halve": "half"}


def read_relative(text: str, now: AnyInterval) -> AnyInterval | None:
    """The interval of a relative expression as of `now`, of the same class; None when the text is none.

    A `now` without end is an error.
    """
    words = re.sub(r"\s+", " ", text.strip().lower())
    # The present is known to its last second: of a day that is `now`, its end is the latest that can be meant.
    moment = now.end - 1
    if words == "now":
        return now
    if words in _DAYS:
        _must_end(now)
        return type(now).unit(moment, Grain.DAY).shift(_DAYS[words])
    if match := _UNIT.fullmatch(words):
        count = {"this": 0, "current": 0, "last": -1, "previous": -1, "next": 1}[match["which"]]
    elif match := _AGO.fullmatch(words):
        count = int(match["count"]) * (-1 if match["side"] == "ago" else 1)
    else:
        return None
    name = _PLURALS.get(match["grain"], match["grain"])
    if name.upper() not in Grain.__members__ or name == "era":
        return None
    _must_end(now)
    return type(now).unit(moment, Grain.named(name)).shift(count)


def _must_end(now: Interval) -> None:
    if now.end == OPEN_END:
        raise TimeRangeError(f"the present, {now}, has no end, so nothing can be counted from it")


def describe_distance(span: Interval, now: Interval) -> str:
    """How far a span lies from the present, in words."""
    gap = now.gap(span)
    if gap == 0 and span.overlaps(now):
        return "now"
    if gap == 0:
        return "just before now" if span.end <= now.start else "just after now"
    size = abs(gap)
    for grain in (Grain.YEAR, Grain.MONTH, Grain.DAY, Grain.HOUR, Grain.MINUTE, Grain.SECOND):
        count = size // grain.seconds
        if count or grain is Grain.SECOND:
            break
    words = f"{count:,} {grain.label}{'' if count == 1 else 's'}"
    return f"{words} ago" if gap < 0 else f"in {words}"


MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SEASONS = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
_NUMBER_WORDS = ("first", "second", "third", "fourth")
_PARTS: tuple[Part, ...] = ("early", "mid", "late")
#: The units whose thirds are called early, mid and late, by the grain of the third.
_PART_PARENTS = {
    Grain.DAY: (Grain.MONTH,),
    Grain.MONTH: (Grain.YEAR, Grain.HALF),
    Grain.YEAR: (Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM),
}


@lru_cache(maxsize=1024)  # a search describes the same few spans again and again
def describe(span: Interval) -> str:
    """A span in words that `read` accepts."""
    if span.start == OPEN_START and span.end == OPEN_END:
        left = "an unknown time" if span.certainty.is_uncertain else "the beginning"
        right = "an unknown time" if span.end_certainty.is_uncertain else "the end of time"
        return f"from {left} to {right}"
    if span.start == OPEN_START:
        end = _hedge(_describe_edge(span.end, span.end_grain, False), span.end_certainty)
        return f"from an unknown time to {end}" if span.certainty.is_uncertain else f"until {end}"
    if span.end == OPEN_END:
        start = _hedge(_describe_edge(span.start, span.grain, True), span.certainty)
        return f"from {start} to an unknown time" if span.end_certainty.is_uncertain else f"since {start}"
    if text := _describe_part(span):
        return text
    left = _hedge(_describe_edge(span.start, span.grain, True), span.certainty)
    right = _hedge(_describe_edge(span.end, span.end_grain, False), span.end_certainty)
    return left if left == right else f"from {left} to {right}"


def format_ordinal(number: int) -> str:
    """An English ordinal."""
    suffix = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def format_year(year: int) -> str:
    """An astronomical year as people count it."""
    if year <= 0:
        return f"{1 - year:,} BCE" if year < -9998 else f"{1 - year} BCE"
    if year < 1000:
        return f"{year} CE"
    return f"{year:,} CE" if year > 9999 else str(year)


def _hedge(text: str, certainty: Certainty) -> str:
    return {0: "", 1: "about ", 2: "perhaps ", 3: "perhaps about "}[certainty] + text


def _describe_part(span: Interval) -> str | None:
    doubt = span.certainty
    if not doubt.is_approximate or doubt != span.end_certainty or span.grain != span.end_grain:
        return None
    for parent in _PART_PARENTS.get(span.grain, ()):
        whole = Interval.unit(span.start, parent)
        for name in _PARTS:
            third = whole.part(name)
            if (third.start, third.end) == (span.start, span.end):
                words = _describe_unit(whole.start, parent)
                if words is None:
                    continue
                text = f"the {name} {words[4:]}" if words.startswith("the ") else f"{name} {words}"
                return f"perhaps {text}" if doubt.is_uncertain else text
    return None


def _describe_unit(start: int, grain: Grain) -> str | None:
    """The words for the unit that starts at a point; None for a decade that is described by its years."""
    return _describe_year_block(start, start, grain, True) if grain > Grain.YEAR else _format_unit(start, grain)


def _describe_edge(point: int, grain: Grain, is_start: bool) -> str:
    """The words for the unit that starts (or ends) at a point, in a finer grain where the point lies inside one."""
    finer = (Grain.YEAR, Grain.MONTH, Grain.DAY, Grain.HOUR, Grain.MINUTE, Grain.SECOND)
    inside = point if is_start else point - 1
    for candidate in (grain, *(other for other in finer if other < grain)):
        if candidate is Grain.ERA:
            continue
        if candidate > Grain.YEAR:
            if text := _describe_year_block(point, inside, candidate, is_start):
                return text
        elif candidate.unit(inside)[0 if is_start else 1] == point:
            return _format_unit(inside, candidate)
    raise AssertionError("every point is the edge of a second")


def _describe_year_block(point: int, inside: int, grain: Grain, is_start: bool) -> str | None:
    """The words for a decade, century or millennium; None when the point is not the edge of one."""
    size = grain.months // 12
    year = civil_date(inside // DAY)[0]
    if day_number(year + (not is_start)) * DAY != point:
        return None
    edge_above, edge_below = (0, size - 1) if is_start else (size - 1, 0)
    if year >= 0 and year % size == edge_above:
        first, era = year // size, ""
    elif year <= 0 and -year % size == edge_below:
        first, era = -year // size, " BCE"
    else:
        return None
    if grain is Grain.DECADE:
        # "The 40s BCE" would be 49 to 40 BCE, which is not how EDTF groups astronomical years: say the years.
        # and "the 90s" is rarely the 90s CE.
        return None if era or first < 10 else f"the {first * 10}s"
    return f"the {format_ordinal(first + 1)} {grain.label}{era}"


def _format_unit(inside: int, grain: Grain) -> str:
    start = grain.unit(inside)[0] // DAY
    year, month, day = civil_date(start)
    if grain is Grain.YEAR:
        return format_year(year)
    if grain is Grain.HALF:
        return f"the {_NUMBER_WORDS[month // 6]} half of {format_year(year)}"
    if grain is Grain.QUARTER:
        return f"the {_NUMBER_WORDS[month // 3]} quarter of {format_year(year)}"
    if grain is Grain.SEASON:
        return f"{_SEASONS[month]} {format_year(year)}"
    if grain is Grain.MONTH:
        return f"{MONTHS[month - 1]} {format_year(year)}"
    if grain is Grain.WEEK:
        week_year, week = get_iso_week(start)
        return f"week {week} of {format_year(week_year)}"
    date = f"{day} {MONTHS[month - 1]} {format_year(year)}"
    if grain is Grain.DAY:
        return date
    clock = inside % DAY
    hour, minute, second = clock // 3600, clock // 60 % 60, clock % 60
    if grain is Grain.HOUR:
        return f"{date}, {hour:02d}h UTC"
    if grain is Grain.MINUTE:
        return f"{date}, {hour:02d}:{minute:02d} UTC"
    return f"{date}, {hour:02d}:{minute:02d}:{second:02d} UTC"


# ---------------------------------------------------------------- words to spans

_MONTH_NUMBER = {name.lower(): number for number, name in enumerate(MONTHS, 1)}
_MONTH_NUMBER |= {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
_MONTH = r"(?P<month>" + "|".join(sorted(_MONTH_NUMBER, key=len, reverse=True)) + r")\.?"
_ERA_BEFORE = r"(?:(?P<ad>a\.?\s?d\.?|c\.?\s?e\.?)\s?)?"
_ERA_AFTER = r"(?:\s?(?P<era>b\.?\s?c\.?\s?e\.?|b\.?\s?c\.?|c\.?\s?e\.?|a\.?\s?d\.?))?"
_YEAR = rf"{_ERA_BEFORE}(?P<year>\d{{1,3}}(?:,\d{{3}}){{1,4}}|\d{{1,15}}){_ERA_AFTER}"
_YEAR_PATTERN = lazy_regex(_YEAR, re.IGNORECASE)
_ORDINAL = r"(?P<number>\d{1,15})(?:st|nd|rd|th)"
#: Hedges and ranges hold one another: "from perhaps about early 2004 to ..." is as deep as they sensibly go.
_DEEPEST = 8
_DAY_FIRST = rf"(?P<day>\d\d?)(?:st|nd|rd|th)?(?: of)? {_MONTH},? {_YEAR}"
_MONTH_FIRST = rf"{_MONTH} (?P<day>\d\d?)(?:st|nd|rd|th)?(?:, | ){_YEAR}"
_MONTH_ONLY = rf"{_MONTH}(?:,| of)? {_YEAR}"
_DATE_PATTERNS = tuple(lazy_regex(form) for form in (_DAY_FIRST, _MONTH_FIRST, _MONTH_ONLY, _YEAR))
_CLOCK = r"(?:,\s*(?P<hour>\d\d)(?:h|:(?P<minute>\d\d)(?::(?P<second>\d\d))?)\s*utc)?"


_DAY_ALONE = lazy_regex(r"(?:the )?(\d\d?)(?:st|nd|rd|th)?")
_DAY_AND_MORE = lazy_regex(r"(?:the )?(\d\d?)(?:st|nd|rd|th)?( .+)")


def read(text: str) -> Interval | None:
    """Read the words of `describe` and their usual variants; None for anything else."""
    return _read(re.sub(r"\s+", " ", text.strip()).removesuffix(".").lower(), _DEEPEST)


def _read(lowered: str, depth: int) -> Interval | None:
    if not depth:
        return None
    depth -= 1
    if match := re.fullmatch(r"(?:from|between) (.+) (?:to|and|until|till) (.+)", lowered):
        return _parse_range(match[1], match[2], depth)
    if match := re.fullmatch(r"(?:until|till|up to) (.+)", lowered):
        last = _read(match[1], depth)
        return last and Interval(
            OPEN_START, last.end, last.grain, last.end_grain, Certainty.CERTAIN, last.end_certainty
        )
    if match := re.fullmatch(r"since (.+)", lowered):
        first = _read(match[1], depth)
        return first and Interval(first.start, OPEN_END, first.grain, None, first.certainty, Certainty.CERTAIN)  # type: ignore[arg-type]
    if match := re.fullmatch(r"(?:perhaps|possibly|maybe) (.+)", lowered):
        return _add_doubt(_read(match[1], depth), Certainty.UNCERTAIN)
    if match := re.fullmatch(r"(?:about|around|circa|ca\.?|c\.) ?(.+)", lowered):
        return _add_doubt(_read(match[1], depth), Certainty.APPROXIMATE)
    if match := re.fullmatch(r"(?:the )?(early|mid|late)(?: |-)(?:in )?(.+)", lowered):
        whole = _read(match[2], depth)
        try:
            return whole and whole.part(match[1])  # type: ignore[arg-type]
        except TimeRangeError:
            return None
    for pattern, build in _FORMS:
        if form := pattern.fullmatch(lowered):
            try:
                return build(form)
            except TimeRangeError:
                return None
    return None


def read_year(text: str) -> int | None:
    """The astronomical year that a text such as "44 BC" or "AD 79" names; None when it names none."""
    match = _YEAR_PATTERN.fullmatch(text.strip())
    return None if match is None else _read_year(match)


def read_date(text: str) -> tuple[int, int | None, int | None] | None:
    """Astronomical year, month and day of a date in words, not checked against any calendar; None when it is none."""
    lowered = re.sub(r"\s+", " ", text.strip()).removesuffix(".").lower()
    for pattern in _DATE_PATTERNS:
        if match := pattern.fullmatch(lowered):
            year, stated = _read_year(match), match.groupdict()
            month = _MONTH_NUMBER[stated["month"]] if "month" in stated else None
            day = int(stated["day"]) if "day" in stated else None
            return None if year is None else (year, month, day)
    return None


def _read_year(match: re.Match[str]) -> int | None:
    number = int(match["year"].replace(",", ""))
    is_bce = (match["era"] or "").lower().startswith("b")
    if number == 0 or (is_bce and match["ad"]):
        return None
    return 1 - number if is_bce else number


def _parse_range(left: str, right: str, depth: int) -> Interval | None:
    ends = {"an unknown time": Certainty.UNCERTAIN, "the beginning": Certainty.CERTAIN}
    ends_right = {"an unknown time": Certainty.UNCERTAIN, "the end of time": Certainty.CERTAIN}
    # "From 9 to 10 May 2024", "between the 3rd and the 5th of June 1998": the first day shares the month and the year.
    if (day := _DAY_ALONE.fullmatch(left)) and (whole := _DAY_AND_MORE.fullmatch(right)):
        left, right = f"{day[1]}{whole[2]}", f"{whole[1]}{whole[2]}"
    first = None if left in ends else _read(left, depth)
    last = None if right in ends_right else _read(right, depth)
    if (first is None and left not in ends) or (last is None and right not in ends_right):
        return None
    if first and last and first.start >= last.end:
        return None
    return Interval(
        first.start if first else OPEN_START,
        last.end if last else OPEN_END,
        first.grain if first else Grain.ERA,
        last.end_grain if last else Grain.ERA,
        first.certainty if first else ends[left],
        last.end_certainty if last else ends_right[right],
    )


def _add_doubt(span: Interval | None, doubt: Certainty) -> Interval | None:
    return span and span.with_certainty(span.certainty | doubt, span.end_certainty | doubt)


def _read_day(match: re.Match[str]) -> Interval | None:
    year = _read_year(match)
    if year is None:
        return None
    span = Interval.day(year, _MONTH_NUMBER[match["month"]], int(match["day"]))
    groups = match.groupdict()
    if groups.get("hour") is None:
        return span
    hour, minute, second = (int(groups[name] or 0) for name in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 59:
        return None
    grain = Grain.SECOND if groups["second"] else Grain.MINUTE if groups["minute"] else Grain.HOUR
    start = span.start + hour * 3600 + minute * 60 + second
    return Interval(start, start + grain.seconds, grain)


def _read_months(
    grain: Grain, first_month: Callable[[re.Match[str]], int]
) -> Callable[[re.Match[str]], Interval | None]:
    def build(match: re.Match[str]) -> Interval | None:
        year = _read_year(match)
        return None if year is None else Interval.unit(to_seconds(year, first_month(match)), grain)

    return build


def _read_week(match: re.Match[str]) -> Interval | None:
    year = _read_year(match)
    if year is None:
        return None
    start = get_week_start(year, int(match["week"]))
    if get_iso_week(start) != (year, int(match["week"])):
        return None
    return Interval.unit(start * DAY, Grain.WEEK)


def _read_decade(match: re.Match[str]) -> Interval | None:
    return Interval(to_seconds(int(match["year"])), to_seconds(int(match["year"]) + 10), Grain.DECADE)


def _read_years(match: re.Match[str]) -> Interval | None:
    first, last = int(match["year"]), int(match["last"])
    return Interval(to_seconds(first), to_seconds(last + 1), Grain.YEAR) if first < last else None


def _read_block(match: re.Match[str]) -> Interval | None:
    number, grain = int(match["number"]), Grain.named(match["unit"])
    size = grain.months // 12
    if number < 1:
        return None
    low = (number - 1) * size
    if (match["era"] or "").startswith("b"):
        return Interval(to_seconds(-(low + size - 1)), to_seconds(-low + 1), grain)
    return Interval(to_seconds(low), to_seconds(low + size), grain)


_HALVES = r"(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th)"
_NTH = {word: number for number, word in enumerate(_NUMBER_WORDS)} | {format_ordinal(n + 1): n for n in range(4)}
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Interval | None]], ...] = tuple(
    (lazy_regex(pattern), build)
    for pattern, build in (
        (_DAY_FIRST + _CLOCK, _read_day),
        (_MONTH_FIRST, _read_day),
        (_MONTH_ONLY, _read_months(Grain.MONTH, lambda m: _MONTH_NUMBER[m["month"]])),
        (
            rf"(?P<season>spring|summer|autumn|fall|winter)(?: of|,)? {_YEAR}",
            _read_months(Grain.SEASON, lambda m: {"sp": 3, "su": 6, "au": 9, "fa": 9, "wi": 12}[m["season"][:2]]),
        ),
        (
            rf"(?:the )?{_HALVES} quarter of {_YEAR}",
            _read_months(Grain.QUARTER, lambda m: _NTH[m["nth"]] * 3 + 1),
        ),
        (rf"q(?P<nth>[1-4]),? {_YEAR}", _read_months(Grain.QUARTER, lambda m: int(m["nth"]) * 3 - 2)),
        (
            rf"(?:the )?(?P<nth>first|second|1st|2nd) half of {_YEAR}",
            _read_months(Grain.HALF, lambda m: _NTH[m["nth"]] * 6 + 1),
        ),
        (rf"(?:the )?week (?P<week>\d\d?)(?: of|,)? {_YEAR}", _read_week),
        (r"(?:the )?(?P<year>\d{2,14}0)'?s", _read_decade),
        (r"(?P<year>\d{4})\s?[–—-]\s?(?P<last>\d{4})", _read_years),
        (rf"(?:the )?{_ORDINAL} (?P<unit>century|millennium){_ERA_AFTER}", _read_block),
        (_YEAR, _read_months(Grain.YEAR, lambda _: 1)),
    )
)
