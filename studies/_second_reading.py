"""A second reading of times and relations, which shares no code with `epochal.times` and `epochal.reading`.

A small grammar reads expressions into days, counted as `datetime.date` counts them; it covers only some of them.
Relations are decided by comparing integers, one definition after the other. Named events come from the file of events.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from functools import cache

from _record import ROOT

Days = tuple[float, float]

EVENTS = ROOT / "packages" / "epochal" / "src" / "epochal" / "reading" / "tables" / "events.toml"
NEVER, ALWAYS = float("-inf"), float("inf")
MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
MONTHS |= {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR = r"(?P<year>\d{4})"
#: From the finest to the coarsest; `the` and `of` may stand where they say nothing.
_UNITS = [
    re.compile(rf"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\.?,? {_YEAR}"),
    re.compile(rf"(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}"),
    re.compile(rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)"),
    re.compile(rf"(?P<part>early |mid |mid-|late )?(?P<month>{_MONTH})\.?(?: of)?,? {_YEAR}"),
    re.compile(r"(?:the )?(?P<part>early |mid |mid-|late )?(?P<decade>\d{3}0)s"),
    re.compile(rf"(?P<part>early |mid |mid-|late )?(?:the year )?{_YEAR}"),
]
_LEAD = re.compile(r"^(?:from|between|since|the years) ")
_JOINT = re.compile(r",? to (?:the )?| and |,? until |,? till | through |\s?[–—-]\s?")


def relate(one: Days, other: Days) -> str:
    """Which of Allen's relations holds, by the definitions; exactly one does."""
    (a, b), (c, d) = one, other
    holds = {
        "Before": b < c,
        "After": a > d,
        "Meets": b == c,
        "MetBy": a == d,
        "Overlaps": a < c < b < d,
        "OverlappedBy": c < a < d < b,
        "Starts": a == c and b < d,
        "StartedBy": a == c and b > d,
        "During": a > c and b < d,
        "Contains": a < c and b > d,
        "Finishes": b == d and a > c,
        "FinishedBy": b == d and a < c,
        "Equals": a == c and b == d,
    }
    (matches,) = [name for name, is_so in holds.items() if is_so]
    return matches


def read(text: str) -> Days | None:
    """The days that an expression names; None where the grammar does not have it."""
    plain = " ".join(text.lower().split())
    for words, bound in (
        ("up to ", "until"),
        ("until ", "until"),
        ("till ", "until"),
        ("before ", "before"),
        ("prior to ", "before"),
        ("after ", "after"),
        ("since ", "since"),
    ):
        if plain.startswith(words):
            inner = _named(plain.removeprefix(words)) or _unit(plain.removeprefix(words))
            return None if inner is None else _bounded(bound, inner)
    return _named(plain) or _unit(plain) or _range(plain)


def _bounded(bound: str, days: Days) -> Days:
    first, last = days
    return {
        "until": (NEVER, last),
        "before": (NEVER, first),
        "after": (last, ALWAYS),
        "since": (first, ALWAYS),
    }[bound]


def _range(text: str) -> Days | None:
    """Two units with a joint between them; a hyphen may also belong to a day, so every joint is tried."""
    bare = _LEAD.sub("", text)
    for joint in _JOINT.finditer(bare):
        result = _joined(bare[: joint.start()], bare[joint.end() :])
        if result is not None:
            return result
    return None


def _joined(before: str, after: str) -> Days | None:
    first, last = _unit(before), _unit(after)
    if last is None and re.fullmatch(r"\d\d", after) and re.fullmatch(r"\d{4}", before):
        last = _unit(before[:2] + after)  # 2006–07
    if first is None and last is not None and re.fullmatch(rf"(?:\d{{1,2}} )?(?:{_MONTH})(?: \d{{1,2}})?", before):
        year = re.search(r"\d{4}", after)  # from 27 April to 18 August 1904
        first = _unit(f"{before} {year[0]}") if year else None
    return None if first is None or last is None or first[0] >= last[0] else (first[0], last[1])


def _unit(text: str) -> Days | None:
    for pattern in _UNITS:
        match = pattern.fullmatch(text)
        if match is not None:
            return _days(match.groupdict())
    return None


def _days(result: dict[str, str | None]) -> Days | None:
    part = (result.get("part") or "").strip(" -")
    if result.get("decade"):
        year = int(result["decade"] or 0)
        low, high = {"": (0, 10), "early": (0, 3), "mid": (3, 7), "late": (7, 10)}[part]
        return _ordinal(year + low, 1, 1), _ordinal(year + high, 1, 1)
    year = int(result["year"] or 0)
    if not result.get("month"):
        low, high = {"": (1, 13), "early": (1, 5), "mid": (5, 9), "late": (9, 13)}[part]
        return _ordinal(year, low, 1), _ordinal(year, high, 1)
    month = int(result["month"]) if (result["month"] or "").isdigit() else MONTHS[result["month"] or ""]
    if not 1 <= month <= 12:
        return None
    if result.get("day"):
        day = int(result["day"] or 0)
        if not 1 <= day <= calendar.monthrange(year, month)[1]:
            return None
        return _ordinal(year, month, day), _ordinal(year, month, day) + 1
    after = _ordinal(year, month + 1, 1)
    low_day, high_day = {"": (1, 0), "early": (1, 11), "mid": (11, 21), "late": (21, 0)}[part]
    return _ordinal(year, month, low_day), _ordinal(year, month, high_day) if high_day else after


def _ordinal(year: int, month: int, day: int) -> int:
    return dt.date(year + (month - 1) // 12, (month - 1) % 12 + 1, day).toordinal()


# ---------------------------------------------------------------- events


@cache
def _events() -> dict[str, Days]:
    result: dict[str, Days] = {}
    for part in EVENTS.read_text(encoding="utf-8").split("[[event]]")[1:]:
        row = dict(re.findall(r'^(name|span) = "([^"]*)"', part, re.MULTILINE))
        days = _edtf(row["span"])
        if days is not None:
            result[row["name"].lower()] = days
    return result


def _named(text: str) -> Days | None:
    return _events().get(text.removeprefix("the ")) or _events().get(text)


def _edtf(text: str) -> Days | None:
    """Days, months and years of our era, alone or as a range."""
    ends = [re.fullmatch(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", end.rstrip("~")) for end in text.split("/")]
    if None in ends or len(ends) > 2:
        return None
    days = [_days({"year": end[1], "month": end[2], "day": end[3]}) for end in ends if end]
    if any(one is None for one in days) or int(ends[0][1] if ends[0] else 0) < 1:
        return None
    return days[0][0], days[-1][1]  # type: ignore[index]
