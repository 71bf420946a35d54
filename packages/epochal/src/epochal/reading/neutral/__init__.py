"""What every language writes alike: dates and clock times in digits. Read where a language is not covered."""

from __future__ import annotations

from pathlib import Path

from epochal.reading.grammar import Rule
from epochal.reading.shared.language import Language

__all__ = ["NEUTRAL"]

_DIGITS = (
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
