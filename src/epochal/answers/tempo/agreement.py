"""How far two annotations agree, key by key, from 0 to 1: rules with people, rules with a model, a model with itself.

yes or no, one of a list   1 where they are equal
texts                      the share of words that they have in common, twice the common ones over all
lists of texts             each item with the one of the other list that is most like it, in both directions
times                      like texts, and 1 where they name times that meet
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from epochal.answers.tempo.records import PASSAGE_KEYS, QUERY_KEYS, PassageNote, QueryNote
from epochal.answers.tempo.texts import content_words
from epochal.index.analysis import analyse
from epochal.reading.ranges import stretches
from epochal.reading.tagger import tag
from epochal.times import Span

__all__ = ["compare_passages", "compare_queries", "likeness"]

_EXACT: Final = ("is_temporal_query", "temporal_intent", "temporal_reasoning_class_primary", "expected_granularity")
_TIMES: Final = ("key_time_anchors", "query_temporal_signals", "passage_temporal_signals", "time_mentions")


def compare_queries(one: QueryNote, other: QueryNote) -> dict[str, float]:
    """The agreement of two annotations of a question, by key; `plan_steps` tells whether plans are equally long.

    >>> a = QueryNote(True, "when", key_time_anchors=("2017", "the merge"))
    >>> b = QueryNote(True, "timeline", key_time_anchors=("the year 2017",))
    >>> found = compare_queries(a, b)
    >>> found["is_temporal_query"], found["temporal_intent"], round(found["key_time_anchors"], 2)
    (1.0, 0.0, 0.67)
    """
    told: dict[str, float] = {}
    for key in QUERY_KEYS:
        mine, theirs = getattr(one, key), getattr(other, key)
        if key in _EXACT:
            told[key] = float(mine == theirs)
        elif key == "retrieval_plan":
            told[key] = _lists([step.action for step in mine], [step.action for step in theirs], likeness)
            told["plan_steps"] = float(len(mine) == len(theirs))
        elif isinstance(mine, tuple):
            told[key] = _lists(mine, theirs, _timely if key in _TIMES else likeness)
        else:
            told[key] = likeness(mine, theirs)
    return told


def compare_passages(one: PassageNote, other: PassageNote) -> dict[str, float]:
    """The agreement of two annotations of a passage, by key; a scope is compared by its start, its end and its grain.

    >>> from epochal.answers.tempo.records import TimeScope
    >>> a = PassageNote(time_scope_guess=TimeScope("1914", "1918", "year"), tense_guess="past")
    >>> b = PassageNote(time_scope_guess=TimeScope("1914-06", "", "year"), tense_guess="past")
    >>> round(compare_passages(a, b)["time_scope_guess"], 2)
    0.67
    """
    told: dict[str, float] = {}
    for key in PASSAGE_KEYS:
        mine, theirs = getattr(one, key), getattr(other, key)
        if key == "time_scope_guess":
            ends = [_years(getattr(mine, end), getattr(theirs, end)) for end in ("start_iso", "end_iso")]
            told[key] = (sum(ends) + (mine.granularity == theirs.granularity)) / 3
        elif key == "tense_guess":
            told[key] = float(mine == theirs)
        elif key == "confidence":
            told[key] = 1.0 - abs(mine - theirs)
        else:
            told[key] = _lists(mine, theirs, _timely if key in _TIMES else likeness)
    return told


def likeness(one: str, other: str) -> float:
    """Twice the words that two texts share, over the words of both; 1 for two empty texts.

    Small words count only in texts that have no others.

    >>> likeness("fees rose", "The fees fell"), likeness("", "")
    (0.5, 1.0)
    """
    mine, theirs = _words(one), _words(other)
    return 2 * len(mine & theirs) / (len(mine) + len(theirs)) if mine or theirs else 1.0


def _words(text: str) -> frozenset[str]:
    return content_words(text) or frozenset(analyse(text))


def _lists(mine: Sequence[str], theirs: Sequence[str], alike: Callable[[str, str], float]) -> float:
    """The harmonic mean of how well each list is found in the other."""
    if not mine or not theirs:
        return float(not mine and not theirs)
    there = sum(max(alike(item, other) for other in theirs) for item in mine) / len(mine)
    back = sum(max(alike(item, other) for item in mine) for other in theirs) / len(theirs)
    return 2 * there * back / (there + back) if there + back else 0.0


def _timely(one: str, other: str) -> float:
    mine, theirs = _span(one), _span(other)
    return 1.0 if mine is not None and theirs is not None and mine.overlaps(theirs) else likeness(one, other)


def _span(text: str) -> Span | None:
    """The time that a short text names first, be it by the name of an event."""
    for implicit in (False, True):
        found = stretches(text, tag(text, implicit=implicit))
        if found:
            return found[0].span
    return None


def _years(one: str, other: str) -> bool:
    """Whether two dates are of the same year, or both are missing."""
    return one[:5].rstrip("-") == other[:5].rstrip("-")
