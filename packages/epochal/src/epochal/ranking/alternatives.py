"""Alternatives of a question, of which a text needs one: "floods or droughts", and two events that are set in order.

"Which came first, the Nepal earthquake or the Oder flood?" is answered by two texts, of which each has one event.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

import numpy as np

from epochal.lazy import lazy_regex
from epochal.ranking.pool import Floats
from epochal.ranking.words import QueryWords

__all__ = ["join_alternatives", "join_events"]

#: Words between alternatives.
_OR: Final = re.compile(r"\b(\w+)[^\S\n]+(?:or|oder|ou|или|أو)[^\S\n]+(?=(\w+))", re.IGNORECASE)
#: What asks which of several events was first, or whether they were at one time.
_SETS_IN_ORDER: Final = lazy_regex(
    r"\b(?:in|on|during) the same (?:year|month|week|day|decade|century)\b"
    r"|\b(?:which|what|who)\b[^?]{0,60}\b(?:first|earlier|later|earliest|latest|last)\b[^?]*\bor\b"
    r"|同一?[个個]?[年月天日周週]|哪[^，。？]{0,10}(?:[更最较][早晚先后後]|先[于於]|在先)|先后|先後|[顺順]序|早[还還]是晚",
    re.IGNORECASE,
)
#: What stands between events.
_BETWEEN: Final = lazy_regex(r"[,;:，、；：]|\b(?:and|or|with|as)\b|以及|[和与與跟及]", re.IGNORECASE)


def join_alternatives(question: str, words: QueryWords, anywhere: Floats, head: Floats) -> None:
    """Of "floods or droughts" one is enough: who has either has both."""
    alternatives = _OR.findall(question)
    if not alternatives:
        return
    columns = {word.lower(): column for column, word in enumerate(words.words)}
    for one, other in alternatives:
        if one.lower() in columns and other.lower() in columns:
            pair = [columns[one.lower()], columns[other.lower()]]
            for values in (anywhere, head):
                values[:, pair] = values[:, pair].max(axis=1, keepdims=True)
            words.frequencies[pair] = words.frequencies[pair].max()


def join_events(question: str, words: QueryWords, anywhere: Floats) -> None:
    """Of events that are set in order one is enough: who has the words of one lacks none of the others."""
    if not _SETS_IN_ORDER.search(question):
        return
    events = _find_events(question, words)
    if len(events) < 2:
        return
    is_name = words.get("common") == 0
    shares = np.array([anywhere[:, [column for column in event if is_name[column]]].mean(axis=1) for event in events])
    best = shares.max(axis=0)
    for event, own in zip(events, shares, strict=True):
        lifted = np.where(own < best, best, 0.0)[:, None]
        anywhere[:, event] = np.maximum(anywhere[:, event], lifted)


def _find_events(question: str, words: QueryWords) -> list[list[int]]:
    """The columns of the words of each event: between two commas or conjunctions, with a word that is not common."""
    places: list[tuple[int, int]] = []
    for word in words.words:
        start = question.find(word)
        places.append((start, start + len(word)))
    inside = {at for start, end in places for at in range(start, end)}
    edges = [match.start() for match in _BETWEEN.finditer(question) if match.start() not in inside]
    is_name = words.get("common") == 0
    events = []
    for low, high in pairwise([-1, *edges, len(question)]):
        event = [column for column, (start, _) in enumerate(places) if low < start < high]
        if is_name[event].any():
            events.append(event)
    return events
