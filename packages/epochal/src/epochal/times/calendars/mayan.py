"""The Maya long count: days since 11 August 3114 BCE (Gregorian), written in five places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import DAY, Grain
from epochal.times.calendars.base import CalendarDate, make_date, normalise_name
from epochal.times.calendars.gregorian import numeric_date
from epochal.times.span import Span

_FIRST_DAY: Final = -1_856_305  # 0.0.0.0.0 is the Julian day number 584,283
_LAST_TUN: Final = 7999  # 19.19.19
_TUN: Final = 360
_WINAL: Final = 20

_PLACES = r"\d{1,2}(?:\.\d{1,2})"
_DAY = lazy_regex(rf"(?P<count>{_PLACES}{{4}})(?:,? (?P<round>\d.+))?")
_MONTH = lazy_regex(rf"(?:winal|uinal) (?P<count>{_PLACES}{{3}})", re.IGNORECASE)
_YEAR = lazy_regex(rf"tun (?P<count>{_PLACES}{{2}})", re.IGNORECASE)
_BARE = lazy_regex(rf"(?P<count>{_PLACES}{{2,3}})")
_MARK = lazy_regex(r"\s?[(\[](?:maya|mayan|maya long count|long count)[)\]]$", re.IGNORECASE)

#: Today's spelling of the days and months, and that of older books.
_TZOLKIN = (
    *("Imix'|Imix", "Ik'|Ik", "Ak'b'al|Akbal", "K'an|Kan", "Chikchan|Chicchan", "Kimi|Cimi", "Manik'|Manik"),
    *("Lamat", "Muluk|Muluc", "Ok|Oc", "Chuwen|Chuen", "Eb'|Eb", "B'en|Ben", "Ix", "Men", "K'ib'|Cib"),
    *("Kab'an|Caban", "Etz'nab'|Etznab", "Kawak|Cauac", "Ajaw|Ahau"),
)
_HAAB = (
    *("Pop", "Wo'|Uo", "Zip", "Sotz'|Zotz", "Sek|Tzec", "Xul", "Yaxk'in'|Yaxkin", "Mol", "Ch'en|Chen", "Yax"),
    *("Sak'|Zac", "Keh|Ceh", "Mak|Mac", "K'ank'in|Kankin", "Muwan'|Muan", "Pax", "K'ayab|Kayab", "Kumk'u|Cumku"),
    "Wayeb'|Uayeb",
)


@dataclass(frozen=True, slots=True)
class MayanCalendar:
    """The long count, by the correlation 584,283. In its dates `year` counts tuns of 360 days, `month` is the winal
    of 20 days, 0 to 17, and `day` the k'in, 0 to 19: 9.12.11.5.18 has the year 9 * 400 + 12 * 20 + 11 = 3851.
    """

    name: str = "mayan"
    title: str = "Maya long count (correlation 584,283)"

    @property
    def coverage(self) -> Span:
        """From 0.0.0.0.0 to 19.19.19.17.19."""
        return Span(_FIRST_DAY * DAY, (_FIRST_DAY + (_LAST_TUN + 1) * _TUN) * DAY, Grain.YEAR)

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Five places make a day, with or without its calendar round, which must be right; "tun" and "winal" make years
        and months of three and four. With `bare`, these words may be left out, and numbers count as tun, winal, k'in.
        """
        squeezed = _MARK.sub("", " ".join(text.split()))
        match = next((form_match for form in (_DAY, _MONTH, _YEAR) if (form_match := form.fullmatch(squeezed))), None)
        if match is None and bare:
            match = _BARE.fullmatch(squeezed)
        numbers = _parse_long_count(match["count"]) if match else numeric_date(squeezed) if bare else None
        if numbers is None:
            return ()
        date = CalendarDate(self.name, *numbers)
        try:
            day = self.span(date).start // DAY
        except TimeRangeError:
            return ()
        stated_round = match and match.groupdict().get("round")
        return (date,) if not stated_round or _fold_words(stated_round) in _list_rounds(day) else ()

    def format(self, date: CalendarDate) -> str:
        """The places, and the word for the unit if it is not a day."""
        self.span(date)
        tun = f"{date.year // 400}.{date.year // 20 % 20}.{date.year % 20}"
        if date.month is None:
            return f"tun {tun}"
        return f"winal {tun}.{date.month}" if date.day is None else f"{tun}.{date.month}.{date.day}"

    def span(self, date: CalendarDate) -> Span:
        """The tun (as a year), winal (as a month) or day."""
        if not 0 <= date.year <= _LAST_TUN:
            raise TimeRangeError(f"tun {date.year} lies outside the Maya long count, which covers 0 to {_LAST_TUN}")
        start = _FIRST_DAY + date.year * _TUN
        if date.month is None:
            return Span(start * DAY, (start + _TUN) * DAY, Grain.YEAR)
        if not 0 <= date.month < _TUN // _WINAL:
            raise TimeRangeError(f"there is no winal {date.month} in the Maya long count, its winals are 0 to 17")
        start += date.month * _WINAL
        if date.day is None:
            return Span(start * DAY, (start + _WINAL) * DAY, Grain.MONTH)
        if not 0 <= date.day < _WINAL:
            raise TimeRangeError(f"there is no k'in {date.day} in the Maya long count, its k'ins are 0 to 19")
        return Span((start + date.day) * DAY, (start + date.day + 1) * DAY, Grain.DAY)

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The one date that holds the day."""
        tun, day_of_tun = divmod(day - _FIRST_DAY, _TUN)
        if not 0 <= tun <= _LAST_TUN:
            return ()
        return (make_date(self.name, (tun, *divmod(day_of_tun, _WINAL)), grain),)

    def calendar_round(self, day: int) -> str:
        """The tzolk'in and haab' of a day number."""
        number, name, day_of_month, month = _round(day)
        return f"{number} {_TZOLKIN[name].split('|')[0]} {day_of_month} {_HAAB[month].split('|')[0]}"


def _parse_long_count(count: str) -> tuple[int, int | None, int | None] | None:
    """The places of a long count as tuns, winal and k'in; None when a place that makes up the tuns is 20 or more."""
    baktun, katun, tun, *rest = map(int, count.split("."))
    if max(baktun, katun, tun) > 19:
        return None
    winal, kin = (*rest, None, None)[:2]
    return (baktun * 20 + katun) * 20 + tun, winal, kin


def _round(day: int) -> tuple[int, int, int, int]:
    count = day - _FIRST_DAY
    month, day_of_month = divmod((count + 348) % 365, 20)
    return (count + 3) % 13 + 1, (count + 19) % 20, day_of_month, month


def _list_rounds(day: int) -> set[str]:
    number, name, day_of_month, month = _round(day)
    return {
        f"{number} {normalise_name(day_name)} {day_of_month} {normalise_name(month_name)}"
        for day_name in _TZOLKIN[name].split("|")
        for month_name in _HAAB[month].split("|")
    }


def _fold_words(words: str) -> str:
    return normalise_name(words.replace(",", " "))
