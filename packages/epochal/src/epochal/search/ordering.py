"""Order as an operation: newest, oldest, nth, last before and first after, among the documents on the topic.

Which documents are on the topic is decided by probability (`epochal.ranking.relevance`), which of them count by the
query windows and by validity; the rest is sorting. A document is placed by its publication date, or, where it has none,
by the start of its validity. What is valid at the reference time is not sorted further: each such document states what
holds then. Where most documents without either open with a date (`epochal.ranking.own_dates`), they are placed by that.
Others cannot be placed: they follow in the order of their scores, and are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.ranking.features import find_forecasts, get_publication_ends, needs_freshness, share_most
from epochal.ranking.own_dates import find_own_dates
from epochal.ranking.pool import Pool, Relevance, Scored, Window
from epochal.ranking.relevance import RelevanceModel
from epochal.ranking.versions import asks_for_state, find_validity, find_versions_in_force
from epochal.reading.questions.ordering import list_firsts, list_numbered
from epochal.reading.questions.question import Order, Understanding
from epochal.reading.questions.states import asks_current
from epochal.search.request import Request
from epochal.storage.protocol import Rows, locate_rows, union_rows
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.span import Span

Mask = npt.NDArray[np.bool_]
_NO_DATE: Final = np.iinfo(np.int64).min
#: A candidate with less than this share of the best one's probability is on another topic.
_LIKELY_TOPIC: Final = 0.5
_TINY: Final = 1e-6
#: So many documents are looked for that come first in an order, among so many at most, so many at once.
_FIRST: Final = 50
_MAX_READ: Final = 20_000
_READ_AT_ONCE: Final = 500
#: Among so many passages with words of the question one is looked for that has its ordinal.
_NUMBERED: Final = 20
#: A time that matches a query window this well is from then.
_MATCH: Final = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class OrderedPool:
    """Scores in which the documents of an order come first, and how many of them are ordered, tied and undated."""

    scored: Scored
    ordered: int
    tied: int
    undated: int
    #: How many documents on the topic there are at any time.
    on_topic: int
    #: How many of those ordered have no other date than the one that they open with.
    own: int


def find_order(request: Request, understanding: Understanding, pool: Pool) -> Order | None:
    """The order that a request or its question asks for: what holds as of a date is the newest by then.

    What texts number themselves has that number as its name: "the second ferry" is no second text on a ferry.
    """
    if request.sort != "relevance":
        return Order("newest" if request.sort == "newest" else "oldest")
    order = understanding.order
    if order is not None:
        names = {"nth": list_numbered, "oldest": list_firsts}.get(order.kind)
        return None if names is not None and _is_named(pool, names(pool.question)) else order
    return Order("newest") if understanding.as_of is not None else None


def _is_named(pool: Pool, names: Sequence[str]) -> bool:
    """Whether a text among those with most of the words has what the question numbers, with its number."""
    if not names:
        return False
    best = np.sort(np.argsort(-pool.lexical, kind="stable")[:_NUMBERED])
    texts = [f"{item.title}\n{item.text}".lower() for item in pool.view.get_texts(pool.rows[best])]
    return any(name in text for name in names for text in texts)


def apply_order(
    pool: Pool, scored: Scored, order: Order, model: RelevanceModel, reference: Span | None
) -> OrderedPool | None:
    """The pool in an order of time; None where no document on the topic has a date, and only scores can order them.

    `reference` is the time whose state of affairs counts: the as-of date, or now.
    """
    if scored.relevance is None or not len(pool):
        return None
    documents, inverse = pool.number_documents()
    topic, score = np.zeros(len(documents)), np.full(len(documents), -np.inf)
    np.maximum.at(topic, inverse, scored.relevance.same_topic)
    np.maximum.at(score, inverse, scored.scores)
    on_topic = topic >= model.same_topic
    starts, ends, dated, valid_now, not_valid, own = _find_dates(pool, documents, order, reference, on_topic)
    inside = _lie_in_windows(pool.windows, starts, ends)
    if _is_definite(pool.windows) and order.kind in ("newest", "nth"):
        # "The latest forecast for 5 May" is about that day, and is not published on it.
        foretold, states = np.zeros(len(documents), dtype=np.bool_), np.zeros(len(documents), dtype=np.bool_)
        np.logical_or.at(foretold, inverse, find_forecasts(pool))
        np.logical_or.at(states, inverse, _state_window(pool, scored, _find_same_name(scored.relevance, model)))
        inside = np.where(foretold, states, inside)
    counts = on_topic & dated & ~not_valid & inside
    if not (on_topic & dated).any():
        return None
    members = np.flatnonzero(counts)
    backwards = _is_backwards(order)
    keys = -ends[members] if backwards else starts[members]
    keys = np.where(valid_now[members], _NO_DATE, keys) if backwards else keys
    placed = members[np.lexsort((-score[members], keys))]
    keys = np.sort(keys)
    if order.kind == "nth" and len(placed):
        distinct = np.unique(keys)
        rank = int(np.searchsorted(keys, distinct[order.n - 1])) if order.n <= len(distinct) else len(placed)
        placed = np.concatenate([placed[rank:], placed[:rank]])
    first = keys[: order.n] if order.kind != "nth" else keys[:0]
    tied = int((keys == first[-1]).sum()) - 1 if len(first) else 0
    boost = np.zeros(len(documents))
    step = 1.0 + float(np.abs(scored.scores).max())
    boost[placed] = step * np.arange(len(placed), 0, -1)
    gains = boost[inverse]
    return OrderedPool(
        replace(scored, scores=scored.scores + gains, parts={**scored.parts, "order": gains}),
        len(placed),
        tied,
        int((on_topic & ~dated).sum()),
        int(on_topic.sum()),
        int(own[placed].sum()),
    )


def _is_backwards(order: Order) -> bool:
    return order.kind in ("newest", "last_before") or (order.kind == "nth" and order.from_end)


def find_first_in_order(pool: Pool, names: Sequence[str], order: Order, reference: Span | None) -> Rows:
    """Passages with the given words, of the documents that come first in an order, however low their scores are."""
    view, documents = pool.view, pool.view.alive_documents
    tokens = tuple(dict.fromkeys(token for name in names for token in view.analyse(name)))
    everything = np.ones(len(documents), dtype=np.bool_)
    starts, ends, dated, _, not_valid, _ = _find_dates(pool, documents, order, reference, everything)
    (members,) = np.nonzero(dated & ~not_valid & _lie_in_windows(pool.windows, starts, ends))
    placed = documents[members[np.argsort(-ends[members] if _is_backwards(order) else starts[members], kind="stable")]]
    found: list[Rows] = []
    wanted = max(_FIRST, order.n)
    for first in range(0, min(len(placed), _MAX_READ), _READ_AT_ONCE):
        rows = view.get_passage_rows(placed[first : first + _READ_AT_ONCE])
        rows = rows[view.match_contexts(rows, np.full(len(rows), -1, dtype=np.int64), tokens).all(axis=1)]
        found.append(rows)
        wanted -= len(np.unique(view.get_document_rows(rows)))
        if wanted <= 0:
            break
    return union_rows(*found)


def promote_then(pool: Pool, scored: Scored, model: RelevanceModel) -> Scored:
    """Scores in which what was known of the query window comes first: the newest forecast, or the version in force."""
    return _promote_versions_in_force(pool, _promote_newest_forecast(pool, scored, model), model)


def _promote_newest_forecast(pool: Pool, scored: Scored, model: RelevanceModel) -> Scored:
    """Scores in which, of several forecasts for the query window on one topic, the newest comes first.

    What was published before a time, or on its day, and states it, is a forecast for it: a later one knows more.
    """
    if scored.relevance is None or scored.dating is None or not _is_definite(pool.windows):
        return scored
    forecasts = find_forecasts(pool)
    if np.count_nonzero(forecasts) < 2:
        return scored
    on_topic = _find_same_name(scored.relevance, model)
    (members,) = np.nonzero(_state_window(pool, scored, on_topic & forecasts))
    if len(members) < 2:
        return scored
    table = pool.view.published
    spans = table.spans[table.rows.searchsorted(pool.document_rows[members])]
    if not (spans.ends <= pool.view.content.spans[scored.dating[members]].starts).any():
        return scored  # reports of the day itself
    order = members[np.lexsort((-scored.scores[members], -spans.ends))]
    scores = scored.scores.copy()
    lead = float(scores[on_topic].max() - scores[members].max())
    scores[order] = np.sort(scores[members])[::-1] + lead
    # Equal scores, as of copies, must not decide.
    scores[order] += _TINY * np.arange(len(order), 0, -1)
    return replace(scored, scores=scores, parts={**scored.parts, "forecast": scores - scored.scores})


def _is_definite(windows: tuple[Window, ...]) -> bool:
    """Whether a question is about a time that has a beginning and an end, for which something can be foretold."""
    return bool(windows) and not any(window.span.is_open for window in windows)


def promote_current(pool: Pool, scored: Scored, model: RelevanceModel, reference: Span) -> Scored:
    """Scores in which what holds at the reference time comes first, where a question asks for how things stand."""
    if needs_freshness(pool):
        by_validity = _promote_what_holds(pool, scored, model, reference)
        if by_validity is not scored:
            return by_validity
    return _promote_newest(pool, scored, model, reference) if asks_current(pool.question) else scored


def _promote_what_holds(pool: Pool, scored: Scored, model: RelevanceModel, reference: Span) -> Scored:
    """Scores in which, of the documents on the topic with a validity, those that hold at the reference time come first.

    Who asks for the current president wants nobody whose term is over.
    """
    table = pool.view.valid
    if scored.relevance is None or not len(table) or reference.end == OPEN_END:
        return scored
    is_valid, places = locate_rows(table.rows, pool.document_rows)
    spans = table.spans[places]
    has = _find_same_topic(scored.relevance, model) & is_valid
    holds = has & (spans.starts < reference.end) & (spans.ends >= reference.end)
    over = has & ~holds
    return _put_first(scored, holds, over, "holds")


def _promote_newest(pool: Pool, scored: Scored, model: RelevanceModel, reference: Span) -> Scored:
    """Scores in which, of the documents on the topic, the one published last by the reference time comes first.

    Who asks for the current fee wants the last word on it, also where all that there is was written long ago.
    """
    if scored.relevance is None or reference.end == OPEN_END:
        return scored
    same = _find_same_topic(scored.relevance, model)
    ends = _find_ends(pool, same)
    by_then = same & (ends != _NO_DATE) & (ends <= reference.end)
    if not by_then.any():
        return scored
    newest = by_then & (ends == ends[by_then].max())
    return _put_first(scored, newest, same & ~newest, "newest")


def _find_ends(pool: Pool, same: Mask) -> Rows:
    """When the publication dates of candidates end, or the dates that documents on the same topic open with."""
    ends = get_publication_ends(pool.view, pool.document_rows)
    documents, inverse = np.unique(pool.document_rows[same & (ends == _NO_DATE)], return_inverse=True)
    has, spans = find_own_dates(pool.view, documents)
    own = np.full(len(documents), _NO_DATE)
    own[has] = spans.ends
    ends[same & (ends == _NO_DATE)] = own[inverse]
    return ends


def _promote_versions_in_force(pool: Pool, scored: Scored, model: RelevanceModel) -> Scored:
    """Scores in which the version in force comes first, where a question asks for what was so at a time.

    It may have been published long before, so that what else was published then has the better match.
    """
    in_force = find_versions_in_force(pool)
    if scored.relevance is None or not in_force.any():
        return scored
    sure = _find_same_topic(scored.relevance, model) & (scored.relevance.answer >= model.recorded)
    return _put_first(scored, in_force & sure, ~(in_force & sure), "holds")


def _put_first(scored: Scored, first: Mask, others: Mask, part: str) -> Scored:
    """Scores in which some candidates come before the others, in their own order; unchanged where there is no other."""
    if not first.any() or not others.any():
        return scored
    lead = float(scored.scores[others].max() - scored.scores[first].max())
    gains = np.where(first, max(lead + _TINY, 0.0), 0.0)
    return replace(scored, scores=scored.scores + gains, parts={**scored.parts, part: gains})


def put_nearest_first(pool: Pool, scored: Scored, model: RelevanceModel) -> Scored | None:
    """Scores in which the documents on the topic come by how near their dates are to the query windows.

    This is for a time of which nothing is recorded; of what was so at that time, the last before it says most. None
    where no document on the topic has a date, where times are estimated, and where the best candidate has words of it
    and is from that time: then it is what comes nearest.
    """
    if scored.relevance is None or scored.estimate is not None or not pool.windows or pool.understanding.cross_period:
        return None
    same = _find_same_topic(scored.relevance, model)
    if scored.match is not None and len(pool):
        best = int(scored.scores.argmax())
        if scored.match[best] >= _MATCH and scored.relevance.same_topic[best] > 0:
            return None
    documents, inverse = pool.number_documents()
    on_topic, score = np.zeros(len(documents), dtype=np.bool_), np.full(len(documents), -np.inf)
    np.logical_or.at(on_topic, inverse, same)
    np.maximum.at(score, inverse, scored.scores)
    # A version lasts until the next one, a document without series and validity is where it was published.
    starts, ends = find_validity(pool.view, documents)
    is_published, places = locate_rows(pool.view.published.rows, documents)
    is_plain = is_published & (starts == _NO_DATE)
    unknown = np.flatnonzero(is_plain)
    spans = pool.view.published.spans[places[unknown]]
    starts[unknown], ends[unknown] = spans.starts, spans.ends
    (members,) = np.nonzero(on_topic & (starts != _NO_DATE))
    if not len(members):
        return None
    starts, ends = starts[members].astype(np.float64), ends[members].astype(np.float64)
    # What was stated once may have held until something else was.
    lasts = asks_for_state(pool)
    ends = np.where(is_plain[members] & lasts, float(OPEN_END), ends)
    gaps = np.min([np.maximum(starts - one.span.end, one.span.start - ends) for one in pool.windows], axis=0)
    age = -starts if lasts else np.zeros(len(starts))
    placed = members[np.lexsort((-score[members], age, np.maximum(gaps, 0.0)))]
    gains = np.zeros(len(documents))
    gains[placed] = (1.0 + float(np.abs(scored.scores).max())) * np.arange(len(placed), 0, -1)
    gains = gains[inverse]
    return replace(scored, scores=scored.scores + gains, parts={**scored.parts, "order": gains})


def _find_same_topic(relevance: Relevance, model: RelevanceModel) -> Mask:
    """Which candidates are on the topic of the best: by their names, and where a question has none, by all words."""
    likely = relevance.topic >= _LIKELY_TOPIC * relevance.topic.max(initial=0.0)
    return np.asarray((relevance.same_topic >= model.same_topic) & likely)


def _find_same_name(relevance: Relevance, model: RelevanceModel) -> Mask:
    """Which candidates bear the names of the question; where none does, which are on the topic of the best.

    Forecasts for one place need not share words: "temperature" is in some of them, and all say how warm it will be.
    """
    if not len(relevance.headed) or float(relevance.headed.min()) >= model.same_topic:
        return _find_same_topic(relevance, model)
    return np.asarray(relevance.headed >= model.same_topic * relevance.headed.max())


def _state_window(pool: Pool, scored: Scored, on_topic: Mask) -> Mask:
    """Which candidates on the topic state a time that covers most of a query window, or lies mostly in it."""
    states = np.zeros(len(on_topic), dtype=np.bool_)
    if scored.dating is None:
        return states
    (rows,) = np.nonzero(on_topic & (scored.dating >= 0))
    spans = pool.view.content.spans[scored.dating[rows]]
    # What goes on from a time is no forecast for each day after it.
    closed = (spans.starts != OPEN_START) & (spans.ends != OPEN_END)
    for window in pool.windows:
        states[rows] |= closed & share_most(spans, window.span)
    return states


class _Dates(NamedTuple):
    """The dates by which documents are placed, which have one, which are valid at the reference time, which are not,
    and which have only the date that they open with."""

    starts: Rows
    ends: Rows
    dated: Mask
    valid_now: Mask
    not_valid: Mask
    own: Mask


def _find_dates(pool: Pool, documents: Rows, order: Order, reference: Span | None, on_topic: Mask) -> _Dates:
    view, count = pool.view, len(documents)
    starts, ends = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    published, valid, own, valid_now, not_valid = (np.zeros(count, dtype=np.bool_) for _ in range(5))
    if len(view.valid):
        valid, places = locate_rows(view.valid.rows, documents)
        spans = view.valid.spans[places[valid]]
        starts[valid], ends[valid] = spans.starts, np.minimum(spans.starts + 1, spans.ends)
        if order.kind == "newest" and reference is not None and reference.end != OPEN_END:
            holds = (spans.starts < reference.end) & (spans.ends >= reference.end)
            valid_now[valid], not_valid[valid] = holds, ~holds
    if len(view.published):
        published, places = locate_rows(view.published.rows, documents)
        spans = view.published.spans[places[published]]
        starts[published], ends[published] = spans.starts, spans.ends
    (others,) = np.nonzero(on_topic & ~published & ~valid)
    if len(others):
        has, spans = find_own_dates(view, documents[others])
        own[others[has]] = True
        starts[own], ends[own] = spans.starts, spans.ends
    if order.kind in ("newest", "nth") and reference is not None and reference.end != OPEN_END:
        not_valid |= (published | own) & (starts >= reference.end)
    dated = (published | valid | own) & (starts != OPEN_START) & (ends != OPEN_END)
    return _Dates(starts, ends, dated, valid_now, not_valid, own)


def _lie_in_windows(windows: tuple[Window, ...], starts: Rows, ends: Rows) -> Mask:
    inside = np.ones(len(starts), dtype=np.bool_)
    for window in windows:
        inside &= (starts < window.span.end) & (ends > window.span.start)
    return inside
