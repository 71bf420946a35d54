"""Versions: documents that say the same thing at different times, and which of them should speak.

A group is a series that the documents name, or near-copies that the search has found. Inside a group freshness comes
first: without a time in the question the newest member speaks, with the score of the best. With one, the version that
held then speaks: by its own word, or, where no version's text speaks of that time, as the last that had appeared.

Rewordings are found too: texts of different dates under one title that share much of their words. Two such texts may
still be about different things, so only those that answer the question about as well as the best of them take part,
and none is put behind another.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.ranking.features import get_publication_ends
from epochal.ranking.pool import Floats
from epochal.storage.protocol import Rows, View
from epochal.storage.text import analyse
from epochal.times.axis import OPEN_END
from epochal.times.span import Span

__all__ = [
    "Grouping",
    "find_current_versions",
    "find_near_duplicates",
    "find_rewordings",
    "find_validity",
    "group_versions",
    "make_word_set",
    "promote_current_versions",
]

Mask = npt.NDArray[np.bool_]

#: Of two texts that share this much of their words, one is a copy of the other.
_ALIKE: Final = 0.9
#: Of two texts under one title that share this much, one is a rewording of the other.
_REWORDED: Final = 0.35
#: Rewordings take part as far as they answer: with this share of the best one's score.
_AS_GOOD: Final = 0.8
#: Words beyond this many say nothing more about whether two texts are copies.
_WORDS: Final = 400
#: The date of a document without one, as `get_publication_ends` gives it.
_UNDATED: Final = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """For each document the number of its group; documents of one number are versions or copies of each other."""

    groups: Rows

    def members(self, group: int) -> Rows:
        """The places of a group's documents."""
        return np.flatnonzero(self.groups == group).astype(np.int64)


def group_versions(view: View, document_rows: Rows, texts: Sequence[frozenset[str]]) -> Grouping:
    """The groups among documents: by series where they have one, else by likeness of the given sets of words."""
    count = len(document_rows)
    groups = np.arange(count, dtype=np.int64)
    series = view.series_of(document_rows)
    for code in np.unique(series[series >= 0]).tolist():
        places = np.flatnonzero(series == code)
        groups[places] = places[0]
    loose = [place for place in range(min(count, len(texts))) if series[place] < 0]
    for first, second in find_near_duplicates([texts[place] for place in loose]):
        low, high = groups[loose[first]], groups[loose[second]]
        groups[groups == max(low, high)] = min(low, high)
    return Grouping(groups)


def make_word_set(text: str) -> frozenset[str]:
    """The words of a text that tell whether another is like it."""
    return frozenset(analyse(text)[:_WORDS])


def find_rewordings(titles: Sequence[str], texts: Sequence[frozenset[str]], dates: Rows) -> list[list[int]]:
    """Groups of documents that say much the same under one title at different dates, each in ascending order."""
    named: dict[str, list[int]] = defaultdict(list)
    for place, title in enumerate(titles):
        if title and dates[place] != _UNDATED:
            named[title].append(place)
    found = []
    for places in named.values():
        heads = {place: place for place in places}
        for turn, second in enumerate(places):
            for first in places[:turn]:
                if dates[first] != dates[second] and heads[first] != heads[second]:
                    mine, theirs = texts[first], texts[second]
                    if len(mine & theirs) >= _REWORDED * len(mine | theirs):
                        old, new = heads[second], heads[first]
                        heads = {place: new if head == old else head for place, head in heads.items()}
        groups: dict[int, list[int]] = defaultdict(list)
        for place, head in heads.items():
            groups[head].append(place)
        found += [group for group in groups.values() if len(group) > 1]
    return found


def find_near_duplicates(texts: Sequence[frozenset[str]]) -> list[tuple[int, int]]:
    """Pairs of texts, as sets of words, that are near-copies; of those with the same words, each goes with the first"""
    firsts: dict[frozenset[str], int] = {}
    found = []
    for place, words in enumerate(texts):
        if words and firsts.setdefault(words, place) != place:
            found.append((firsts[words], place))
    often = Counter(word for words in firsts for word in words)
    seen: dict[str, list[frozenset[str]]] = defaultdict(list)
    for theirs, second in firsts.items():
        # Two sets that are alike share one of their rarest words: all but the last nine tenths of either.
        rarest = sorted(theirs, key=lambda word: (often[word], word))
        rarest = rarest[: len(theirs) - math.ceil(_ALIKE * len(theirs) - 1e-6) + 1]
        for mine in {other for word in rarest for other in seen[word]}:
            if len(mine & theirs) >= _ALIKE * len(mine | theirs):
                found.append((firsts[mine], second))
        for word in rarest:
            seen[word].append(theirs)
    return sorted(found)


def find_validity(view: View, document_rows: Rows) -> tuple[Rows, Rows]:
    """The stretch for which each document holds, as the seconds of its start and its end; no time where none is known.

    A document says so itself, or else holds, in a series, from when it appeared until the next version does: the next
    among those that are given.
    """
    starts = np.full(len(document_rows), np.iinfo(np.int64).min, dtype=np.int64)
    ends = starts.copy()
    codes = view.series_of(document_rows)
    dated, at = _places_in(view.published.rows, document_rows)
    dated &= codes >= 0
    starts[dated] = view.published.spans.starts[at[dated]]
    stated, at = _places_in(view.valid.rows, document_rows)
    starts[stated] = view.valid.spans.starts[at[stated]]
    known = np.flatnonzero((dated | stated) & (codes >= 0))
    order = known[np.lexsort((document_rows[known], starts[known], codes[known]))]
    ends[order] = np.append(np.where(codes[order][1:] == codes[order][:-1], starts[order][1:], OPEN_END), OPEN_END)
    ends[stated] = view.valid.spans.ends[at[stated]]
    return starts, ends


def _places_in(rows: Rows, wanted: Rows) -> tuple[Mask, Rows]:
    """Which of the rows that are wanted are there, and where."""
    if not len(rows):
        return np.zeros(len(wanted), dtype=np.bool_), np.zeros(len(wanted), dtype=np.int64)
    at = np.minimum(rows.searchsorted(wanted), len(rows) - 1)
    return rows[at] == wanted, at


def find_current_versions(view: View, members: Rows, asked: Sequence[Span]) -> Rows:
    """Which of a series' documents should speak: the newest, or those that held at the time that is asked for."""
    if asked:
        starts, ends = find_validity(view, members)
        return members[np.any([(starts < span.end) & (ends > span.start) for span in asked], axis=0)]
    ends = get_publication_ends(view, members)
    return members[np.flatnonzero(ends == ends.max(initial=np.iinfo(np.int64).min))[:1]]


def promote_current_versions(
    view: View,
    document_rows: Rows,
    scores: Floats,
    grouping: Grouping,
    asked: Sequence[Span],
    told: Mask,
    reworded: Sequence[Sequence[int]] = (),
) -> tuple[Floats, Rows]:
    """Scores in which the member of each group that should speak has the best of them, and the others follow it.

    With them comes the turn of each document among those of equal score. `asked` are the times that the question asks
    for, and `told` says whose text speaks of them. `reworded` are groups of rewordings, which have no say in a question
    about a time.
    """
    settled = scores.copy()
    turns = np.arange(len(scores), dtype=np.int64)
    ends = get_publication_ends(view, document_rows)
    sizes = np.unique(grouping.groups, return_counts=True)
    for group in sizes[0][sizes[1] > 1].tolist():
        places = grouping.members(group)
        if not asked:
            # Of whole numbers the complement, for the least of them, which those without a date have, has no negative.
            order = places[np.lexsort((places, -scores[places], ~ends[places]))]
        elif len(asked) == 1:
            speaks = _in_force(view, document_rows[places], asked[0], told[places])
            order = places[np.lexsort((places, -scores[places], ~speaks))]
        else:
            continue
        # The one that should speak takes the best score and place, the next the second best, and so on.
        settled[order] = np.sort(scores[places])[::-1]
        turns[order] = places
    for group in reworded if not asked else ():
        members = np.array(group, dtype=np.int64)
        places = members[settled[members] >= _AS_GOOD * settled[members].max()]
        order = places[np.lexsort((places, -settled[places], ~ends[places]))]
        turns[order] = np.sort(turns[places])
        settled[order] = np.sort(settled[places])[::-1]
    return settled, turns


def _in_force(view: View, members: Rows, asked: Span, told: Mask) -> Mask:
    """Which versions of a series held then; by their own word first, and by when they appeared if no text tells."""
    code = int(view.series_of(members[:1])[0])
    if code < 0:
        return np.zeros(len(members), dtype=np.bool_)
    series = view.series_members(code)
    starts, ends = find_validity(view, series)
    held = (starts < asked.end) & (ends > asked.start)
    stated = np.isin(series, view.valid.rows)
    if (held & stated).any():
        held &= stated
    elif told.any():
        held[:] = False
    return np.isin(members, series[held])
