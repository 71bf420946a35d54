"""Timelines against references, as in timeline summarisation: the dates that were chosen, and what is said of each.

    date F1        of the dates, whatever is said of them
    concat ROUGE   n-grams of all sentences together: a right sentence under a wrong date counts
    agree ROUGE    n-grams date by date: only what is said of a date that both have counts (Martschat and Markert, 2017)

A timeline maps dates (of any one notation) to sentences. Words are compared in small letters, without stemming.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from epochal.errors import EpochalError

Timeline = Mapping[str, Sequence[str]]
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of what was found is right, how much of what is right was found, and their harmonic mean."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean; 0 where both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def compare_dates(found: Collection[str], reference: Collection[str]) -> Overlap:
    """The overlap of two sets of dates.

    >>> compare_dates(["2011-01-25", "2011-01-28"], ["2011-01-25"]).f1
    0.6666666666666666
    """
    shared = len(set(found) & set(reference))
    return Overlap(_divide(shared, len(set(found))), _divide(shared, len(set(reference))))


def measure_concat_rouge(found: Timeline, reference: Timeline, n: int = 1) -> Overlap:
    """ROUGE-n of all sentences together, whatever their dates.

    >>> measure_concat_rouge({"2011": ["A march."]}, {"2012": ["The march."]}).recall
    0.5
    """
    return _compare_grams(_count_all(found, n), _count_all(reference, n))


def measure_agree_rouge(found: Timeline, reference: Timeline, n: int = 1) -> Overlap:
    """ROUGE-n date by date: sentences of a date that the other does not have match nothing.

    >>> measure_agree_rouge({"2011": ["A march."]}, {"2012": ["The march."]}).f1
    0.0
    """
    shared = 0
    for date in found.keys() & reference.keys():
        shared += (_count_grams(found[date], n) & _count_grams(reference[date], n)).total()
    return Overlap(_divide(shared, _count_all(found, n).total()), _divide(shared, _count_all(reference, n).total()))


def average_overlaps(overlaps: Iterable[Overlap]) -> Overlap:
    """The mean of precisions and of recalls, over references or topics."""
    items = list(overlaps)
    if not items:
        raise EpochalError("there is nothing to average")
    return Overlap(sum(item.precision for item in items) / len(items), sum(item.recall for item in items) / len(items))


def _count_all(timeline: Timeline, n: int) -> Counter[tuple[str, ...]]:
    """The n-grams of all sentences; none goes from one date into another."""
    counts: Counter[tuple[str, ...]] = Counter()
    for sentences in timeline.values():
        counts.update(_count_grams(sentences, n))
    return counts


def _count_grams(sentences: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    if n < 1:
        raise EpochalError(f"n is {n}; accepted: 1 or more")
    words = [word.lower() for sentence in sentences for word in _WORD.findall(sentence)]
    return Counter(tuple(words[start : start + n]) for start in range(len(words) - n + 1))


def _compare_grams(found: Counter[tuple[str, ...]], reference: Counter[tuple[str, ...]]) -> Overlap:
    shared = (found & reference).total()
    return Overlap(_divide(shared, found.total()), _divide(shared, reference.total()))


def _divide(count: int, total: int) -> float:
    return count / total if total else 0.0
