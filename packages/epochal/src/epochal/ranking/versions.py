"""Versions of a document, near-duplicates and rewordings: which of them are grouped, and which represents a group.

A group is a series that the documents name, or near-duplicates that the search has found. Without a time in the
question the newest member represents the group, with the best score in it; of those that state their validity, one
that is valid now. With a time, the version valid then does: by its stated validity, or, where no version's text states
that time, as the last that was published by then.

Rewordings are texts of different dates under one title that share much of their words. They may still be about
different things, so only those that score about as well as the best of them take part, and none is collapsed.
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
from epochal.ranking.pool import Floats, Pool, multiply_in_parts
from epochal.reading.questions.states import asks_past_state
from epochal.storage.protocol import Rows, SupportsTokenCodes, View, drop_repeated, locate_rows, supports
from epochal.storage.text import analyse
from epochal.times.axis import OPEN_END
from epochal.times.span import Span

Mask = npt.NDArray[np.bool_]

#: Two texts that share this much of their words are near-duplicates.
_DUPLICATE: Final = 0.9
#: Of two texts under one title that share this much, one is a rewording of the other.
_REWORDED: Final = 0.35
#: Rewordings take part with at least this share of the best one's score.
_MIN_SCORE_SHARE: Final = 0.8
#: Words of a text that are compared.
_MAX_WORDS: Final = 400
#: Passages whose tokens are compared by one matrix, and codes of tokens from which a text may have more words.
_MAX_MATRIX: Final = 256
_LONG: Final = 250
#: The date of a document without one, as `get_publication_ends` gives it.
_UNDATED: Final = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """For each document the number of its group; documents of one number are versions or near-duplicates."""

    groups: Rows

    def members(self, group: int) -> Rows:
        """The positions of a group's documents."""
        return np.flatnonzero(self.groups == group).astype(np.int64)


def group_versions(view: View, document_rows: Rows, texts: Sequence[frozenset[str]]) -> Grouping:
    """The groups among documents: by series where they have one, else by similarity of the given sets of words."""
    count = len(document_rows)
    groups = np.arange(count, dtype=np.int64)
    series = view.get_series_codes(document_rows)
    for code in drop_repeated(series[series >= 0]).tolist():
        members = np.flatnonzero(series == code)
        groups[members] = members[0]
    loose = [at for at, words in enumerate(texts) if words and series[at] < 0]
    for first, second in find_near_duplicates([texts[at] for at in loose]):
        low, high = groups[loose[first]], groups[loose[second]]
        groups[groups == max(low, high)] = min(low, high)
    return Grouping(groups)


def make_word_set(text: str) -> frozenset[str]:
    """The words of a text by which it is compared with others."""
    return frozenset(analyse(text)[:_MAX_WORDS])


def find_similar(view: View, rows: Rows, may_be_reworded: Mask) -> Rows:
    """The places of passages that may be near-duplicates or rewordings of another: others need not be read.

    Codes of tokens say so, as far as a view has them: those of a passage are at least its words that are compared, and
    at most its title's more. Only of some passages there may be rewordings, which have less in common.
    """
    if not supports(view, SupportsTokenCodes) or not 1 < len(rows) <= _MAX_MATRIX:
        return np.arange(len(rows))
    codes, sizes, title_sizes = view.get_token_codes(rows)
    order = codes.argsort()
    ascending = codes[order]
    columns = np.empty(len(codes), dtype=np.int64)
    columns[order] = np.concatenate([[0], (ascending[1:] != ascending[:-1]).cumsum()])[: len(codes)]
    has = np.zeros((len(rows), int(columns.max(initial=-1)) + 1), dtype=np.bool_)
    has[np.arange(len(rows)).repeat(sizes), columns] = True
    # Most tokens are in one passage alone, and are shared by none.
    among_several = has[:, has.sum(axis=0) > 1].astype(np.float32)
    shared = multiply_in_parts(among_several, among_several.T)
    least = (has.sum(axis=1) - title_sizes).astype(np.float32)
    union = np.maximum(np.add.outer(least, least) - shared, np.maximum.outer(least, least))
    least_shared: Floats | float = _DUPLICATE
    if may_be_reworded.any():
        least_shared = np.where(may_be_reworded[:, None] & may_be_reworded, _REWORDED, _DUPLICATE)
    is_similar = shared >= least_shared * union - 1e-3
    is_similar.flat[:: len(rows) + 1] = False  # each is like itself
    # Of a long text only the first words are compared, which may be more alike than the whole.
    (similar,) = (is_similar.any(axis=1) | (sizes > _LONG)).nonzero()
    return np.asarray(similar)


def find_rewordings(titles: Sequence[str], texts: Sequence[frozenset[str]], dates: Rows) -> list[list[int]]:
    """Groups of documents that say much the same under one title at different dates, each in ascending order."""
    named: dict[str, list[int]] = defaultdict(list)
    for at, title in enumerate(titles):
        if title and dates[at] != _UNDATED:
            named[title].append(at)
    result = []
    for members in named.values():
        heads = {at: at for at in members}
        for count, second in enumerate(members):
            for first in members[:count]:
                if dates[first] != dates[second] and heads[first] != heads[second]:
                    mine, theirs = texts[first], texts[second]
                    if len(mine & theirs) >= _REWORDED * len(mine | theirs):
                        old, new = heads[second], heads[first]
                        heads = {at: new if head == old else head for at, head in heads.items()}
        groups: dict[int, list[int]] = defaultdict(list)
        for at, head in heads.items():
            groups[head].append(at)
        result += [group for group in groups.values() if len(group) > 1]
    return result


def find_near_duplicates(texts: Sequence[frozenset[str]]) -> list[tuple[int, int]]:
    """Pairs of near-duplicate texts, as sets of words; of those with the same words, each is paired with the first."""
    firsts: dict[frozenset[str], int] = {}
    pairs = []
    for at, words in enumerate(texts):
        if words and firsts.setdefault(words, at) != at:
            pairs.append((firsts[words], at))
    counts = Counter(word for words in firsts for word in words)
    seen: dict[str, list[frozenset[str]]] = defaultdict(list)
    for theirs, second in firsts.items():
        # Two near-duplicates share one of their rarest words: all but the last nine tenths of either.
        rarest = sorted(theirs, key=lambda word: (counts[word], word))
        rarest = rarest[: len(theirs) - math.ceil(_DUPLICATE * len(theirs) - 1e-6) + 1]
        for mine in {other for word in rarest for other in seen[word]}:
            if len(mine & theirs) >= _DUPLICATE * len(mine | theirs):
                pairs.append((firsts[mine], second))
        for word in rarest:
            seen[word].append(theirs)
    return sorted(pairs)


def find_validity(view: View, document_rows: Rows) -> tuple[Rows, Rows]:
    """The validity of each document, as the seconds of its start and its end; both the least integer where unknown.

    A document states it, or else, in a series, is valid from its publication until that of the next version among
    those that are given.
    """
    starts = np.full(len(document_rows), np.iinfo(np.int64).min, dtype=np.int64)
    ends = starts.copy()
    codes = view.get_series_codes(document_rows)
    dated, at = locate_rows(view.published.rows, document_rows)
    dated &= codes >= 0
    starts[dated] = view.published.spans.starts[at[dated]]
    stated, at = locate_rows(view.valid.rows, document_rows)
    starts[stated] = view.valid.spans.starts[at[stated]]
    known = np.flatnonzero((dated | stated) & (codes >= 0))
    order = known[np.lexsort((document_rows[known], starts[known], codes[known]))]
    ends[order] = np.append(np.where(codes[order][1:] == codes[order][:-1], starts[order][1:], OPEN_END), OPEN_END)
    ends[stated] = view.valid.spans.ends[at[stated]]
    return starts, ends


def find_current_versions(view: View, members: Rows, query_spans: Sequence[Span], now: Span | None = None) -> Rows:
    """Which of a series' documents are current: the newest that is valid now, or those valid in a query window."""
    if query_spans:
        starts, ends = find_validity(view, members)
        return members[np.any([(starts < span.end) & (ends > span.start) for span in query_spans], axis=0)]
    dates, expired = date_versions(view, members, now)
    return members[np.lexsort((members, dates, ~expired))[-1:]]


def asks_for_state(pool: Pool) -> bool:
    """Whether a question asks for what was so at a time, and may have begun before it."""
    return asks_past_state(pool.question, pool.understanding.constraints)


def find_versions_in_force(pool: Pool) -> Mask:
    """Which candidates were the current versions of their series in the query window; only where a state is asked for.

    Those that state their validity are left out: it says more than when the next version was published.
    """
    if "in force" not in pool.known:
        pool.known["in force"] = _find_versions_in_force(pool)
    in_force: Mask = pool.known["in force"]
    return in_force


def _find_versions_in_force(pool: Pool) -> Mask:
    in_force = np.zeros(len(pool), dtype=np.bool_)
    if len(pool.windows) != 1 or not asks_for_state(pool):
        return in_force
    view, span = pool.view, pool.windows[0].span
    codes = view.get_series_codes(pool.document_rows)
    for code in drop_repeated(codes[codes >= 0]).tolist():
        members = view.get_series_rows(code)
        starts, ends = find_validity(view, members)
        current = members[(starts != _UNDATED) & (starts < span.end) & (ends > span.start)]
        in_force |= np.isin(pool.document_rows, np.setdiff1d(current, view.valid.rows))
    return in_force


def date_versions(view: View, document_rows: Rows, now: Span | None) -> tuple[Rows, Mask]:
    """The date by which each version is newer than another, and whether it states that it is not valid now.

    The date is the end of its publication date, else the start of its validity; the least integer without either.
    """
    dates = get_publication_ends(view, document_rows)
    stated, at = locate_rows(view.valid.rows, document_rows)
    starts, ends = view.valid.spans.starts[at[stated]], view.valid.spans.ends[at[stated]]
    expired = np.zeros(len(document_rows), dtype=np.bool_)
    if now is not None:
        expired[stated] = (starts >= now.end) | (ends <= now.start)
    dates[stated] = np.where(dates[stated] == _UNDATED, starts, dates[stated])
    return dates, expired


def promote_current_versions(
    view: View,
    document_rows: Rows,
    scores: Floats,
    grouping: Grouping,
    query_spans: Sequence[Span],
    states_window: Mask,
    reworded: Sequence[Sequence[int]] = (),
    eligible: Mask | None = None,
    now: Span | None = None,
) -> tuple[Floats, Rows]:
    """Scores in which the current member of each group has the best score of the group, and the others follow.

    The second value orders documents of equal score. `states_window` says whose text states a time of the query
    windows. `reworded` are groups of rewordings, which count only for a question without a time. `eligible` are
    documents that may be promoted: where the question names something that one version has, only that one may. `now`
    is the present, in which a version without a time in the question should be valid.
    """
    ties = np.arange(len(scores), dtype=np.int64)
    several = np.flatnonzero(np.bincount(grouping.groups) > 1).tolist()
    if not several and not reworded:
        return scores, ties
    promoted = scores.copy()
    dates, expired = date_versions(view, document_rows, now)
    series = view.get_series_codes(document_rows)
    for group in several:
        members = grouping.members(group)
        if not query_spans:
            # The complement, not the negative: the least integer, which undated documents have, has none.
            lacks = np.zeros(len(members), dtype=np.bool_)
            if eligible is not None:
                lacks = ~eligible[members]
            # Of versions of one date the one that was added last is the newest.
            is_version = (dates[members] != _UNDATED) & (series[members] >= 0)
            added = np.where(is_version, -document_rows[members], 0)
            order = members[np.lexsort((members, -scores[members], added, ~dates[members], expired[members], lacks))]
        elif len(query_spans) == 1:
            current = _find_in_force(view, document_rows[members], query_spans[0], states_window[members])
            order = members[np.lexsort((members, -scores[members], ~current))]
        else:
            continue
        # The current one takes the best score and rank, the next the second best, and so on.
        promoted[order] = np.sort(scores[members])[::-1]
        ties[order] = members
    for group in reworded if not query_spans else ():
        members = np.array(group, dtype=np.int64)
        members = members[promoted[members] >= _MIN_SCORE_SHARE * promoted[members].max()]
        lacks = np.zeros(len(members), dtype=np.bool_) if eligible is None else ~eligible[members]
        order = members[np.lexsort((members, -promoted[members], ~dates[members], lacks))]
        ties[order] = np.sort(ties[members])
        promoted[order] = np.sort(promoted[members])[::-1]
    return promoted, ties


def _find_in_force(view: View, members: Rows, query_span: Span, states_window: Mask) -> Mask:
    """Which versions of a series were valid then: as stated, else by publication if no text states the time."""
    code = int(view.get_series_codes(members[:1])[0])
    if code < 0:
        return np.zeros(len(members), dtype=np.bool_)
    series = view.get_series_rows(code)
    starts, ends = find_validity(view, series)
    in_force = (starts < query_span.end) & (ends > query_span.start)
    stated = np.isin(series, view.valid.rows)
    if (in_force & stated).any():
        in_force &= stated
    elif states_window.any():
        in_force[:] = False
    return np.isin(members, series[in_force])
