"""What every language writes alike: dates and clock times in digits. Read where a language is not covered."""

from __future__ import annotations

from pathlib import Path

from epochal.reading.grammar import Rule
from epochal.reading.shared.language import Language
from epochal.reading.shared.match import Match, rule
from epochal.reading.shared.parts import Parsed, Parts

__all__ = ["NEUTRAL"]


@rule
def spaced_date(match: Match) -> Parsed | None:
    """ "24 12 2014", "20 02 14": a day, a month and a year with spaces between them, which are all of a text."""
    groups = [item.word for item in match.items]
    day, month, year = (int(group) for group in groups)
    if not 1 <= day <= 31 or not 1 <= month <= 12:
        return None
    if year < 100:  # short years need two digits everywhere, and a day that is no month
        if any(len(group) != 2 for group in groups) or day <= 12:
            return None
        year += 1900 if year > 50 else 2000
    return Parts(year=year, month=month, day=day)


_DIGITS = (
    Rule(
        "spaced_date",
        "<!ANY SMALL_NUMBER SMALL_NUMBER (YEAR | SMALL_NUMBER) !ANY",
        "[24 12 2014]",
        "2014-12-24",
    ),
    Rule("numeric_date", "NUMERIC_DATE", "[2024-05-14]", "2024-05-14"),
    Rule("numeric_date", 'DAY_MONTH "."', "[24.11.]", "1998-11-24"),
    Rule("numeric_date", "<!ANY DAY_MONTH !(OTHER | SMALL_NUMBER | YEAR | LARGE_NUMBER)", "[24.11]", "1998-11-24"),
    Rule("clock", "CLOCK", "[15:30]", "T15:30"),
    Rule("date_of_years", '<(PERIOD "-") YEAR | YEAR &("-" YEAR)', "1914-[1918]", "1914/1918"),
)
_CLOCKS = (Rule("range_of", 'TIME "-" TIME', "[11:30-13:30]", "1998-03-05T11:30/1998-03-05T13:30"),)
_JOINED = (Rule("join", '(DAY | TIME | MOMENT) ","? (DAY | TIME | MOMENT)', "24.11. [15:30]", "1998-11-24T15:30"),)
_RANGES = (
    Rule(
        "range_of",
        '(DAY | PERIOD | TIME | MOMENT) "-" (DAY | PERIOD | TIME | MOMENT)',
        "[24.11.-26.11.]",
        "1998-11-24/1998-11-26",
    ),
    Rule("range_of_numbers", 'SMALL_NUMBER "."? "-" DAY', "[14.-15.10.]", "1998-10-14/1998-10-15"),
)
_DAYS = (Rule("join", 'DAY ","? RANGE', "24.11. [11:30-13:30]", "1998-11-24T11:30/1998-11-24T13:30"),)

#: The language as the shared reader takes it.
NEUTRAL = Language(Path(__file__).parent, (_DIGITS, _CLOCKS, _JOINED, _RANGES, _DAYS), {})
