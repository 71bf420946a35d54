"""Local evidence: a time in a document counts as far as the words around it answer the question.

A document holds many times (born 1902, prize 1933). What tells "won in 1933" from "born in 1933" is the sentence or
line that the time stands in. So each dating of a candidate gets two numbers,

    match   how well its span answers to the time asked for (`epochal.times.align`)
    local   the share of the question's words, by weight and nearness, in its sentence or in the document's title

and says match * (floor + local^bend) / (floor + 1); of a candidate's datings the best one counts. For something that
lasted from one time to another, a text that states when it began says more than one that states a time in between,
and one that states both ends more still; `_FIRST`, `_LAST` and `_BOTH` weigh that. When the document appeared is
evidence too, for the passage as a whole: of a news item without a date in its text it is all there is.

Freshness: how new a document is, for questions whose answer goes stale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from epochal.errors import EpochalError
from epochal.ranking.pool import Floats, Pool, Window, scale_to_best
from epochal.ranking.terms import Terms
from epochal.storage.protocol import Rows, SpanTable, View, expand_runs
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.kernels import Exponential, align, freshness
from epochal.times.span import Span
from epochal.times.spanset import SpanSet

__all__ = [
    "PUBLISHED",
    "VALID",
    "BestEvidence",
    "WindowMatches",
    "find_evidence",
    "get_publication_ends",
    "match_window",
    "measure_freshness",
    "needs_freshness",
]


#: What a time says when no word around it answers the question, and how much the first words count beside the last.
_FLOOR: Final = 0.3
_BEND: Final = 0.8
#: Below this a time is simply another time; no need to read the words around it.
_LEAST: Final = 0.1
#: Candidates whose words are read one by one, and what the score of the words of the others is worth in their place.
_READ: Final = 100
_UNREAD: Final = 0.5
#: What is known of a document is worth this beside a date in its text: when it appeared, by the axis that is asked for,
#: and the stretch for which it holds.
_PUBLISHED: Final = {"content": 0.9, "publication": 1.0}
_CONTENT: Final = {"content": 1.0, "publication": 0.8}
_VALID: Final = 0.9
#: What the first and the last moment of a stretch are worth beside a time within it, and both of them together.
_FIRST: Final = 1.0
_LAST: Final = 0.3
_BOTH: Final = 0.5
#: What "since 1983" says of a time long after, beside what it says of 1983.
_OPEN: Final = 0.4
#: How much less a text says of a time that lay far ahead when it appeared.
_AHEAD: Final = 0.8
#: What the date of a text is worth beside that of others, where the text speaks of later times only.
_FORETELLS: Final = 0.5
#: What is known of a document in place of a dating: when it was published, and the stretch for which it holds.
PUBLISHED: Final = -2
VALID: Final = -3


@dataclass(frozen=True, slots=True, eq=False)
class BestEvidence:
    """For each candidate its best evidence: the `score`, its `match`, which dating it is, and the share of the question
    that the words around it have, `local`, which is for people: the score weighs words by what tells contexts apart.

    `dating` is a place in the view's content; -1 for none, `PUBLISHED` or `VALID` for what is known of
    the document itself.
    """

    score: Floats
    match: Floats
    local: Floats
    dating: Rows

    @classmethod
    def nothing(cls, count: int) -> BestEvidence:
        """No evidence for any of so many candidates."""
        return cls(np.zeros(count), np.zeros(count), np.zeros(count), np.full(count, -1, dtype=np.int64))


class WindowMatches(NamedTuple):
    """How well datings answer to a window: by lying in it, by stating its first moment, by stating its last."""

    inside: Floats
    first: Floats | None
    last: Floats | None


def match_window(window: Window, spans: SpanSet) -> WindowMatches:
    """How well each span answers to a window; its ends count only where something lasted throughout."""
    return _with_ends(window, spans, _inside(window, spans))


def _with_ends(window: Window, spans: SpanSet, inside: Floats) -> WindowMatches:
    if not window.throughout or window.span.start == OPEN_START or window.span.end == OPEN_END:
        return WindowMatches(inside, None, None)
    first = align(Span.unit(window.span.start, window.span.grain), spans)
    last = align(Span.unit(window.span.end - 1, window.span.end_grain), spans)
    return WindowMatches(inside, inside * first, inside * last)


def _inside(window: Window, spans: SpanSet) -> Floats:
    return align(window.span, spans) * _stated(window.span, spans)


def _stated(window: Span, spans: SpanSet) -> Floats:
    """1, and less for spans open at an end ("since 1983") whose other end, all that they state, lies elsewhere."""
    low, high = window.start - window.grain.seconds, window.end + window.end_grain.seconds
    since = (spans.ends == OPEN_END) & ((spans.starts < low) | (spans.starts >= high))
    until = (spans.starts == OPEN_START) & ((spans.ends <= low) | (spans.ends > high))
    return np.where(since | until, _OPEN, 1.0)


def find_evidence(pool: Pool, terms: Terms, prior: Floats | None = None) -> BestEvidence:
    """The best evidence of each candidate of a pool for the windows of its question.

    Of several periods that are compared the best counts, of several times in one question their mean. Only the most
    promising candidates are read word by word, by their best match and a `prior` score of each.
    """
    if not pool.windows or not len(pool):
        return BestEvidence.nothing(len(pool))
    candidates, places, matches, plain = _near(pool)
    best = np.max([match.inside for match in matches], axis=0)
    read = _promising(candidates, best, np.zeros(len(pool)) if prior is None else prior)
    around = pool.view.contexts(pool.rows[candidates[read]], places[read], terms.tokens)
    # Of candidates that are not read, the words of the passage as a whole stand in for those around its times.
    local, shown = _UNREAD * scale_to_best(pool.lexical)[candidates], np.zeros(len(candidates))
    local[read], shown[read] = terms.shares_around(around), terms.shares(around)
    said = (_FLOOR + local**_BEND) / (_FLOOR + 1)
    scores = [_score(len(pool), candidates, match, said) for match in matches]
    score = np.max(scores, axis=0) if pool.understanding.cross_period else np.mean(scores, axis=0)
    return _shown(score, candidates, plain, shown, places, best * said)


def _near(pool: Pool) -> tuple[Rows, Rows, list[WindowMatches], Floats]:
    """The times that answer to any window: whose they are, where in the content they stand, and their matches for each.

    What is known of documents stands behind all datings, so that of equal evidence the one in the text is shown. With
    them comes the best match of each by its time alone, whenever its text appeared: that is what people are shown.
    """
    candidates, places = _datings_of(pool.view.content, pool.rows)
    content = pool.view.content.spans[places]
    published, dates = _known_of(pool, pool.view.published)
    valid, stretches = _known_of(pool, pool.view.valid)
    appeared = np.full(len(pool), OPEN_END, dtype=np.int64)
    appeared[published] = dates.ends
    present = _about_then(len(pool), candidates, content, appeared)[published]
    worth = [_CONTENT[window.axis] for window in pool.windows]
    inside = [_inside(window, content) for window in pool.windows]
    known = [
        np.append(
            (_PUBLISHED[window.axis] * (present if window.axis == "content" else 1.0)) * align(window.span, dates),
            _VALID * align(window.span, stretches),
        )
        for window in pool.windows
    ]
    # Most times are simply other times, and need not be asked for the ends of a window.
    by_text = np.max([share * part for share, part in zip(worth, inside, strict=True)], axis=0)
    by_date = np.max(known, axis=0)
    (stated,), (dated,) = np.nonzero(by_text > _LEAST), np.nonzero(by_date > _LEAST)
    close = content[stated]
    matches = [
        _joined(
            _with_ends(window, close, part[stated] * _informed(window.span, close, appeared[candidates[stated]])),
            share,
            other[dated],
        )
        for window, part, share, other in zip(pool.windows, inside, worth, known, strict=True)
    ]
    kinds = np.repeat(np.array([PUBLISHED, VALID], dtype=np.int64), [len(published), len(valid)])
    candidates = np.concatenate([candidates[stated], np.append(published, valid)[dated]])
    plain = np.concatenate([by_text[stated], by_date[dated]])
    return candidates, np.concatenate([places[stated], kinds[dated]]), matches, plain


def _about_then(count: int, candidates: Rows, content: SpanSet, appeared: Rows) -> Floats:
    """How much each candidate is about when it appeared: less, where all days that it states lay ahead of that."""
    (days,) = np.nonzero(content.grains >= Grain.DAY)
    later = content.starts[days] >= appeared[candidates[days]]
    states, states_earlier = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    states[candidates[days]] = True
    states_earlier[candidates[days[~later]]] = True
    return np.where(states & ~states_earlier, _FORETELLS, 1.0)


def _informed(window: Span, spans: SpanSet, appeared: Rows) -> Floats:
    """What a time in a text is worth by when the text appeared: less, the longer before that time had passed.

    Of two forecasts for a day the later one knows more, and a report more than either. How long before is counted in
    lengths of the time that is asked for and spoken of, which is a day at least.
    """
    starts, ends = np.maximum(spans.starts, window.start), np.minimum(spans.ends, window.end)
    lengths = np.maximum(ends - starts, Grain.DAY.seconds).astype(np.float64)
    ahead = np.maximum(ends - appeared, 0) / lengths
    ahead[(starts >= ends) | (ends == OPEN_END)] = 0.0
    worth: Floats = 1 - _AHEAD * ahead / (1 + ahead)
    return worth


def _joined(match: WindowMatches, worth: float, dates: Floats) -> WindowMatches:
    """The matches of datings and of documents' dates in one; a date is a time in between, never an end."""
    ends = [None if part is None else np.append(worth * part, np.zeros(len(dates))) for part in match[1:]]
    return WindowMatches(np.append(worth * match.inside, dates), *ends)


def _score(count: int, candidates: Rows, match: WindowMatches, said: Floats) -> Floats:
    """What the datings of each candidate say for one window."""
    inside, first, last = (None if part is None else _most(count, candidates, part * said) for part in match)
    if inside is None:
        raise AssertionError("a window has matches")
    if first is None or last is None:
        return inside
    total = 1.0 + _FIRST + _LAST + _BOTH
    return (inside + _FIRST * first + _LAST * last + _BOTH * np.minimum(first, last)) / total


def _most(count: int, candidates: Rows, values: Floats) -> Floats:
    most = np.zeros(count)
    np.maximum.at(most, candidates, values)
    return most


def _shown(score: Floats, candidates: Rows, match: Floats, local: Floats, places: Rows, worth: Floats) -> BestEvidence:
    """The findings, each with the dating that says most; of equals the first."""
    order = np.lexsort((np.arange(len(worth)), -worth, candidates))
    first = order[np.unique(candidates[order], return_index=True)[1]]
    best = BestEvidence.nothing(len(score))
    at = candidates[first]
    best.match[at], best.local[at], best.dating[at] = match[first], local[first], places[first]
    return replace(best, score=score)


def _promising(candidates: Rows, match: Floats, prior: Floats) -> Rows:
    """Which of the datings belong to the candidates that could come first."""
    best = np.full(len(prior), -np.inf)
    np.maximum.at(best, candidates, match)
    hopes = best + prior
    if np.isfinite(hopes).sum() <= _READ:
        return np.arange(len(candidates), dtype=np.int64)
    return np.flatnonzero(hopes[candidates] >= np.partition(hopes, -_READ)[-_READ])


def _datings_of(table: SpanTable, rows: Rows) -> tuple[Rows, Rows]:
    """The datings of passages: for each the place of its passage in `rows`, and its own place in the table."""
    low, high = table.rows.searchsorted(rows, side="left"), table.rows.searchsorted(rows, side="right")
    counts = high - low
    return np.repeat(np.arange(len(rows), dtype=np.int64), counts), expand_runs(low, counts)


def _known_of(pool: Pool, table: SpanTable) -> tuple[Rows, SpanSet]:
    """The candidates whose documents have a span in a table, and those spans."""
    at = np.minimum(table.rows.searchsorted(pool.document_rows), max(len(table) - 1, 0))
    found = np.flatnonzero(table.rows[at] == pool.document_rows) if len(table) else np.empty(0, dtype=np.int64)
    return found, table.spans[at[found]]


_DAY: Final = 86_400
#: An answer that is stale within the hour is not answered by last month's news at all; the curve stays readable.
_SHORTEST: Final = 7.0
_LONGEST: Final = 365.0


def needs_freshness(pool: Pool) -> bool:
    """Whether the question of a pool needs what is new, and says what the present is."""
    known = pool.now is not None and pool.now.end != OPEN_END
    return known and pool.understanding.temporal_focus == "recency"


def measure_freshness(pool: Pool) -> Floats:
    """The freshness of each candidate as of the pool's `now`, in [0, 1], at the pace at which its answer goes stale.

    A document without a date is as fresh as the middle one of the pool: nothing is known against it.
    """
    if pool.now is None:
        raise EpochalError("freshness needs to know the present; give now")
    days = min(max(pool.understanding.half_life or _LONGEST, _SHORTEST), _LONGEST)
    return _freshness(pool.view, pool.document_rows, pool.now, days)


def _freshness(view: View, document_rows: Rows, now: Span, days: float) -> Floats:
    table = view.published
    if not len(table) or not len(document_rows):
        return np.zeros(len(document_rows))
    at = np.minimum(table.rows.searchsorted(document_rows), len(table) - 1)
    dated = table.rows[at] == document_rows
    scores = np.zeros(len(document_rows))
    scores[dated] = freshness(table.spans[at[dated]], now, Exponential(scale=days * _DAY))
    if dated.any():
        scores[~dated] = float(np.median(scores[dated]))
    return scores


def get_publication_ends(view: View, document_rows: Rows) -> Rows:
    """When each document was published, as the second at which that ended; the least number for those without a date"""
    table = view.published
    found = np.full(len(document_rows), np.iinfo(np.int64).min, dtype=np.int64)
    if len(table):
        at = np.minimum(table.rows.searchsorted(document_rows), len(table) - 1)
        dated = table.rows[at] == document_rows
        found[dated] = table.spans.ends[at[dated]]
    return found
