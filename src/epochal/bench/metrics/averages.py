"""Means over questions: of all, by kind, and over domains both ways."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["Average", "Averages", "average", "averages", "breakdown"]


@dataclass(frozen=True, slots=True)
class Average:
    """A mean over the values that are defined; nan where none is. `count` says how many, `undefined` how many are not.

    >>> Average(0.5, 10).undefined
    0
    """

    mean: float
    count: int
    undefined: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Averages:
    """The two ways to average over domains, which differ where domains differ in size, and each domain for itself.

    >>> averages({"law": {"q1": 1.0}, "travel": {"q2": 0.0, "q3": 0.0}}).macro.mean
    0.5
    """

    pooled: Average
    macro: Average
    domains: Mapping[str, Average]


def average(values: Iterable[float]) -> Average:
    """The mean of the values that are numbers.

    >>> average([1.0, 0.0, float("nan")])
    Average(mean=0.5, count=2, undefined=1)
    """
    given = list(values)
    defined = [value for value in given if not math.isnan(value)]
    mean = math.fsum(defined) / len(defined) if defined else math.nan
    return Average(mean, len(defined), len(given) - len(defined))


def averages(values: Mapping[str, Mapping[str, float]]) -> Averages:
    """Means over domains, from each domain's values by question.

    `pooled` takes every question alike, `macro` every domain: TEMPO's Table 4 is the first, its Tables 3 and 29 are the
    second. A domain in which nothing is defined does not count in `macro`, and is counted as undefined.

    >>> found = averages({"law": {"q1": 1.0}, "travel": {"q2": 0.0, "q3": 0.0}, "iota": {"q4": float("nan")}})
    >>> round(found.pooled.mean, 3), found.macro
    (0.333, Average(mean=0.5, count=2, undefined=1))
    """
    domains = {domain: average(told.values()) for domain, told in values.items()}
    pooled = average(value for told in values.values() for value in told.values())
    return Averages(pooled, average(domain.mean for domain in domains.values()), domains)


def breakdown(values: Mapping[str, float], kinds: Mapping[str, str]) -> dict[str, Average]:
    """The mean of each kind of question, in the order of their names; questions without a kind are under ''.

    >>> breakdown({"q1": 1.0, "q2": 0.0, "q3": 0.5}, {"q1": "point", "q2": "window", "q3": "point"})
    {'point': Average(mean=0.75, count=2, undefined=0), 'window': Average(mean=0.0, count=1, undefined=0)}
    """
    groups: dict[str, list[float]] = {}
    for query, value in values.items():
        groups.setdefault(kinds.get(query, ""), []).append(value)
    return {kind: average(groups[kind]) for kind in sorted(groups)}
