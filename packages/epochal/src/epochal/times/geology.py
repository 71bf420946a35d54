"""Deep time: the units of the geological time scale, and ages that are counted back from the present.

Boundaries are those of the International Chronostratigraphic Chart, version 2023/04 (International Commission on
Stratigraphy), in millions of years before 1950. Ages are approximate, and "BP" counts from 1950 as radiocarbon
laboratories do.
"""

from __future__ import annotations

import re
from functools import cache

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import Certainty, Grain, to_seconds
from epochal.times.interval import Interval

#: Unit, start and end in millions of years before 1950.
_UNITS: tuple[tuple[str, float, float], ...] = (
    ("hadean", 4567, 4031),
    ("archean|archaean", 4031, 2500),
    ("proterozoic", 2500, 538.8),
    ("phanerozoic", 538.8, 0),
    ("precambrian", 4567, 538.8),
    ("paleozoic|palaeozoic", 538.8, 251.902),
    ("mesozoic", 251.902, 66),
    ("cenozoic|cainozoic", 66, 0),
    ("ediacaran", 635, 538.8),
    ("cryogenian", 720, 635),
    ("tonian", 1000, 720),
    ("cambrian", 538.8, 485.4),
    ("ordovician", 485.4, 443.8),
    ("early ordovician|lower ordovician", 485.4, 470),
    ("middle ordovician", 470, 458.4),
    ("late ordovician|upper ordovician", 458.4, 443.8),
    ("silurian", 443.8, 419.2),
    ("devonian", 419.2, 358.9),
    ("early devonian|lower devonian", 419.2, 393.3),
    ("middle devonian", 393.3, 382.7),
    ("late devonian|upper devonian", 382.7, 358.9),
    ("carboniferous", 358.9, 298.9),
    ("mississippian|early carboniferous", 358.9, 323.2),
    ("pennsylvanian|late carboniferous", 323.2, 298.9),
    ("permian", 298.9, 251.902),
    ("early permian|cisuralian", 298.9, 273.01),
    ("middle permian|guadalupian", 273.01, 259.51),
    ("late permian|lopingian", 259.51, 251.902),
    ("triassic", 251.902, 201.4),
    ("early triassic|lower triassic", 251.902, 247.2),
    ("middle triassic", 247.2, 237),
    ("late triassic|upper triassic", 237, 201.4),
    ("jurassic", 201.4, 145),
    ("early jurassic|lower jurassic", 201.4, 174.7),
    ("middle jurassic", 174.7, 161.5),
    ("late jurassic|upper jurassic", 161.5, 145),
    ("cretaceous", 145, 66),
    ("early cretaceous|lower cretaceous", 145, 100.5),
    ("late cretaceous|upper cretaceous", 100.5, 66),
    ("maastrichtian", 72.1, 66),
    ("paleogene|palaeogene", 66, 23.03),
    ("paleocene|palaeocene", 66, 56),
    ("eocene", 56, 33.9),
    ("oligocene", 33.9, 23.03),
    ("neogene", 23.03, 2.58),
    ("miocene", 23.03, 5.333),
    ("pliocene", 5.333, 2.58),
    ("quaternary", 2.58, 0),
    ("pleistocene", 2.58, 0.0117),
    ("early pleistocene|lower pleistocene", 2.58, 0.774),
    ("middle pleistocene|chibanian", 0.774, 0.129),
    ("late pleistocene|upper pleistocene", 0.129, 0.0117),
    ("holocene", 0.0117, 0),
)
_EPOCH = 1950
_SIZES = {
    "y": 1, "yr": 1, "yrs": 1, "year": 1, "years": 1,
    "k": 1000, "ka": 1000, "kya": 1000, "kyr": 1000, "kyrs": 1000, "kiloyears": 1000, "thousand": 1000,
    "ma": 10**6, "mya": 10**6, "myr": 10**6, "m": 10**6, "million": 10**6, "mn": 10**6,
    "ga": 10**9, "gya": 10**9, "gyr": 10**9, "billion": 10**9, "bn": 10**9,
}  # fmt: skip
_COUNT = r"\d{1,3}(?:,\d{3})+|\d{1,12}(?:\.\d{1,6})?"
_AGE = lazy_regex(
    rf"(?P<first>{_COUNT})(?:\s*(?:[-–—]|to)\s*(?P<last>{_COUNT}))?\s*"
    r"(?:(?P<size>thousand|million|billion|bn|mn|m|k)\s*)?"
    r"(?P<unit>ka|kya|kyr|kyrs|kiloyears|ma|mya|myr|ga|gya|gyr|years?|yrs?|y)?\.?\s*"
    r"(?P<before>ago|old|(?:cal\.?\s*)?b\.?\s?p\.?|before\s+(?:the\s+)?present)?",
)


def list_geological_units() -> tuple[str, ...]:
    """The names of the units of the geological time scale, in lower case."""
    return tuple(_load_units())


def read_geology(text: str) -> Interval | None:
    """The span of a unit of the geological time scale; None for anything else."""
    words = re.sub(r"\s+", " ", text.strip().lower())
    name = re.sub(r"^(?:the|in the|during the) | (?:period|epoch|era|eon|age)$", "", words)
    bounds = _load_units().get(name) or _load_units().get(re.sub(r" (?:period|epoch|era|eon|age)$", "", name))
    return None if bounds is None else _make_span(bounds[0] * 1e6, bounds[1] * 1e6)


def read_age(text: str, present: int | None = None) -> Interval | None:
    """The year that lies so many years back: "65 million years ago", "5.2 Ma", "12 kyr BP"; None for anything else.

    Years "ago" count from the year `present` where it is given, all others from 1950.
    """
    match = _AGE.fullmatch(re.sub(r"\s+", " ", text.strip().lower()).removesuffix("."))
    if match is None:
        return None
    unit, size, before = match["unit"] or "", match["size"], match["before"] or ""
    is_scale = unit in ("ka", "kya", "ma", "mya", "ga", "gya")
    if not (is_scale or before) or (before == "old" and not (size or is_scale)):
        return None
    if before == "ago" and not (size or is_scale or unit):
        return None
    scale = _SIZES.get(size or "", 1) * _SIZES.get(unit or "y", 1)
    first, last = (float(part.replace(",", "")) * scale for part in (match["first"], match["last"] or match["first"]))
    if "b" in before or is_scale or scale >= 10**5:
        return _make_span(max(first, last), min(first, last))
    if before != "ago" or present is None or first < 1000:
        return None  # "five years ago" counts from a reference time
    years = (present - int(first), present - int(last))
    return _round_years(min(years), max(years))


def _make_span(oldest: float, youngest: float) -> Interval | None:
    return _round_years(_EPOCH - round(oldest), _EPOCH - round(youngest))


def _round_years(first: int, last: int) -> Interval | None:
    try:
        start, end = to_seconds(first), to_seconds(last + 1)
    except TimeRangeError:
        return None
    doubt = Certainty.APPROXIMATE
    return Interval(start, end, Grain.YEAR, Grain.YEAR, doubt, doubt)


@cache
def _load_units() -> dict[str, tuple[float, float]]:
    return {name: (start, end) for names, start, end in _UNITS for name in names.split("|")}
