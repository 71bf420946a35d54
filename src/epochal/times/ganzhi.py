"""The cycle of sixty: stems and branches (干支) that name years, and without a break since antiquity, days."""

from __future__ import annotations

from epochal.times.axis import julian_day_number

__all__ = ["BRANCHES", "STEMS", "day_of_cycle", "from_ganzhi", "to_ganzhi", "year_of_cycle"]

STEMS = "甲乙丙丁戊己庚辛壬癸"
BRANCHES = "子丑寅卯辰巳午未申酉戌亥"


def to_ganzhi(place: int) -> str:
    """The two characters at a place of the cycle, 1 to 60.

    >>> to_ganzhi(1), to_ganzhi(60)
    ('甲子', '癸亥')
    """
    return STEMS[(place - 1) % 10] + BRANCHES[(place - 1) % 12]


def from_ganzhi(text: str) -> int | None:
    """The place of two characters in the cycle, 1 to 60; None for what is no pair of it.

    >>> from_ganzhi("甲子"), from_ganzhi("己巳"), from_ganzhi("甲丑")
    (1, 6, None)
    """
    if len(text) != 2 or text[0] not in STEMS or text[1] not in BRANCHES:
        return None
    stem, branch = STEMS.index(text[0]), BRANCHES.index(text[1])
    # Only pairs of like parity occur: the place is the one number below 60 with both remainders.
    return None if (stem - branch) % 2 else (6 * stem - 5 * branch) % 60 + 1


def day_of_cycle(day: int) -> int:
    """The place in the cycle of a day (counted from 1970-01-01).

    >>> to_ganzhi(day_of_cycle(0))
    '辛巳'
    """
    return (julian_day_number(day) + 49) % 60 + 1


def year_of_cycle(year: int) -> int:
    """The place in the cycle of the Chinese year that begins in an astronomical year.

    >>> to_ganzhi(year_of_cycle(1984)), to_ganzhi(year_of_cycle(-721))
    ('甲子', '己未')
    """
    return (year - 4) % 60 + 1
