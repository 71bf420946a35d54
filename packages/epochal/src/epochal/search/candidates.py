"""Which passages a search considers: those its strict options leave, and the best of them by words, vectors, spans.

`select` counts the documents that the options hide; `collect_candidates` puts the best of each source into one pool.
Vectors are compared by their first `dims` dimensions where a request says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import UNORDERED, Encoder
from epochal.encoders.wrappers import cut_encoder, nested_dims
from epochal.ranking.pool import Pool, Proposer, Window, multiply_in_parts, score_meaning
from epochal.ranking.terms import weigh_tokens
from epochal.ranking.versions import find_validity
from epochal.reading.questions.question import Understanding
from epochal.search.request import Request
from epochal.search.response import Applied
from epochal.search.where import describe_where, parse_where
from epochal.storage.metadata import Where, find_documents, find_field_rows
from epochal.storage.protocol import (
    Ranked,
    Rows,
    View,
    drop_repeated,
    intersect_rows,
    locate_rows,
    subtract_rows,
    union_rows,
)
from epochal.times.filters import TimeFilter
from epochal.times.span import Span
from epochal.times.spanset import SpanSet

#: How many times as long as a window a time may be for its passage to be a candidate on that ground alone.
_LONGER: Final = 20
#: The share of all passages up to which those from a window are searched by themselves.
_MAX_SHARE: Final = 0.5
_MIN_PASSAGES: Final = 1_000
#: So many passages, and words of a question, are compared one by one: that costs less than searching among them.
_COMPARED: Final = 4_000
_MAX_TOKENS: Final = 64
#: So many passages that score like the last candidate are added: which was stored first says nothing.
_MAX_TIES: Final = 32
#: The share of a source that is looked at to see whether others would answer.
_LAST: Final = 0.25
#: Sums of weights are compared to so many digits: their last bits depend on the order of adding up.
_DIGITS: Final = 9
#: Where fewer passages from a window share a word with the question, others from that window are added.
_MIN_MATCHING: Final = 30

Vector = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The passages that are left, ascending, None for all of them; what was applied; documents hidden, by reason."""

    rows: Rows | None
    applied: tuple[Applied, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)


def select(view: View, request: Request, *, timed: bool) -> Selection:
    """The passages that a request leaves; `timed` says whether there is a query window."""
    excludes_undated = request.undated == "exclude" and timed
    is_filtered = request.strict and request.filters
    if not (request.where or request.as_of or request.valid_at or is_filtered or excludes_undated):
        return Selection(None)
    remaining = _Remaining(view)
    if request.where and (where := parse_where(request.where)):
        remaining.keep(remaining.mark(find_documents(view, where)), "with other metadata")
        sentence = f"keeps only documents with {describe_where(where)}"
        remaining.applied.append(Applied("where", sentence, None, True))
        if not remaining.documents.any():
            remaining.applied += _report_unknown_fields(view, where)
    if request.as_of is not None:
        _keep_published_by(remaining, request.as_of)
    if request.valid_at is not None:
        _keep_valid_at(remaining, request.valid_at)
    if is_filtered:
        _keep_within(remaining, request)
    elif excludes_undated:
        remaining.keep(_mark_dated(remaining), "undated")
        remaining.applied.append(Applied("undated", "leaves out documents without any date", None, True))
    return remaining.selection()


def _report_unknown_fields(view: View, where: Where) -> list[Applied]:
    """What is wrong with conditions on fields that no document has."""
    unknown = [name for name in where if not len(find_field_rows(view, name, "exists", True))]
    advice = dict.fromkeys(("date", "published", "valid"), "; during, before and after filter by date")
    return [
        Applied("where", f"no document has the field {name!r}{advice.get(name, '')}", None, True) for name in unknown
    ]


class _Remaining:
    """Documents and passages that remain, and why others do not."""

    def __init__(self, view: View) -> None:
        self.view = view
        documents = view.alive_documents
        self.documents: Mask = np.zeros(int(documents[-1]) + 1 if len(documents) else 0, dtype=np.bool_)
        self.documents[documents] = True
        self.passages: Rows | None = None
        self.applied: list[Applied] = []
        self.hidden: dict[str, int] = {}

    def mark(self, rows: Rows) -> Mask:
        mask = np.zeros_like(self.documents)
        mask[rows] = True
        return mask

    def keep(self, kept: Mask, reason: str) -> None:
        """Keep those documents, and count the others under a reason."""
        lost = int((self.documents & ~kept).sum())
        if lost:
            self.hidden[reason] = self.hidden.get(reason, 0) + lost
        self.documents &= kept

    def selection(self) -> Selection:
        if not self.applied:
            return Selection(None)
        if not self.hidden and self.passages is None:
            return Selection(None, tuple(self.applied))  # all documents: a search among given rows would be slower
        rows = union_rows(self.view.get_passage_rows(np.flatnonzero(self.documents)))
        if self.passages is not None:
            rows = intersect_rows(rows, self.passages)
        return Selection(rows, tuple(self.applied), self.hidden)


def _mark_dated(remaining: _Remaining) -> Mask:
    view = remaining.view
    kept = remaining.mark(view.published.rows)
    kept[view.valid.rows] = True
    kept[view.get_document_rows(view.content.rows)] = True
    return kept


def _keep_published_by(remaining: _Remaining, as_of: Span) -> None:
    """Keep what was surely published by then, and of each series the version valid then.

    What has no date of publication, but a validity, was known from its beginning on.
    """
    published, valid = remaining.view.published, remaining.view.valid
    only_valid = np.flatnonzero(~np.isin(valid.rows, published.rows))
    rows, spans = valid.rows[only_valid], valid.spans[only_valid]
    remaining.keep(remaining.mark(np.append(published.rows, rows)), "without a date of publication")
    by_then = published.rows[published.spans.ends <= as_of.end]
    remaining.keep(remaining.mark(np.append(by_then, rows[spans.starts < as_of.end])), "not surely published by then")
    _keep_one_version(remaining, as_of)
    remaining.applied.append(
        Applied(
            "as_of",
            f"only documents published by {as_of.describe()}, and of each series the version of that time",
            as_of,
            True,
        )
    )


def _keep_one_version(remaining: _Remaining, as_of: Span) -> None:
    """Of the remaining documents of a series keep the one valid then, else the one published last."""
    view = remaining.view
    left = np.flatnonzero(remaining.documents)
    codes = view.get_series_codes(left)
    members, codes = left[codes >= 0], codes[codes >= 0]
    if not len(members):
        return
    starts, ends = find_validity(view, members)
    published = view.published
    is_dated, places = locate_rows(published.rows, members)
    dates = starts.copy()
    dates[is_dated] = published.spans.starts[places[is_dated]]
    # A month has many moments: what is valid at its last comes before what was valid at another.
    last_moment = as_of.end - 1
    valid = ((starts < as_of.end) & (ends > as_of.start)).astype(np.int64) + (
        (starts <= last_moment) & (ends > last_moment)
    )
    order = np.lexsort((members, dates, valid, codes))
    last = np.append(codes[order][1:] != codes[order][:-1], True)
    kept = np.ones_like(remaining.documents)
    kept[members[order[~last]]] = False
    remaining.keep(kept, "an older version by then")


def _keep_valid_at(remaining: _Remaining, at: Span) -> None:
    """Keep what is valid then by its own statement, or as the version of its series that was in force."""
    view = remaining.view
    left = np.flatnonzero(remaining.documents)
    starts, ends = find_validity(view, left)
    remaining.keep(remaining.mark(left[starts < ends]), "without a validity")
    remaining.keep(remaining.mark(left[(starts < at.end) & (ends > at.start)]), "not in force then")
    remaining.applied.append(Applied("valid_at", f"only documents valid at {at.describe()}", at, True))


def _keep_within(remaining: _Remaining, request: Request) -> None:
    """Keep what lies there: passages by the times in them, all passages of a document by its own dates.

    One time must meet all conditions: of "after 1990" and "before 2000", a text on 1950 and 2010 meets neither.
    """
    view = remaining.view
    condition = reduce(and_, (item for item, _ in request.filters))
    by_date = remaining.mark(view.published.rows[view.published.spans.find(condition)])
    by_date[view.valid.rows[view.valid.spans.find(condition)]] = True
    stated = union_rows(view.content.rows[view.content.spans.find(condition)])
    kept = by_date.copy()
    kept[view.get_document_rows(stated)] = True
    remaining.passages = union_rows(stated, view.get_passage_rows(np.flatnonzero(by_date)))
    remaining.keep(_mark_dated(remaining), "undated")
    remaining.keep(kept, "at another time")
    references = [span for span in (request.during, request.before, request.after) if span is not None]
    for (each, span), reference in zip(request.filters, references, strict=True):
        remaining.applied.append(Applied("filter", f"keeps only what {_describe_filter(each, reference)}", span, True))


def _describe_filter(condition: TimeFilter, reference: Span) -> str:
    name = condition.text.split(" ", 1)[0]
    if name == "overlaps":
        return f"lies in or overlaps {reference.describe()}"
    if name in ("during", "before", "after", "around"):
        return f"lies {name} {reference.describe()}"
    return f"has the relation {name.replace('_', ' ')!r} to {reference.describe()}"


def collect_candidates(
    view: View,
    encoder: Encoder | None,
    question: str,
    understanding: Understanding,
    now: Span | None,
    windows: tuple[Window, ...],
    rows: Rows | None,
    depth: int,
    proposer: Proposer | None = None,
) -> Pool:
    """The pool of a question: the best `depth` of each source among `rows`, and all their scores.

    It holds at least `depth` documents where the index has as many, unless there are no vectors. What a `proposer`
    gives for the windows is added.
    """
    topic = (understanding.topic or question) if windows else question
    vector = None if encoder is None else encoder.encode_queries([topic])[0]
    best = [_take_with_ties(view.search_words(question, depth + _MAX_TIES, rows), depth)]
    if vector is not None:
        best.append(_take_with_ties(view.search_vectors(vector, depth + _MAX_TIES, rows), depth))
    sources: list[Rows] = []
    for close in _iterate_close_rows(view, windows, rows):
        if vector is not None and len(close) <= depth:
            sources.append(close)  # by their vectors all of them are among the best
            continue
        matching = _match_topic(view, topic, depth, close)
        best.append(matching)
        # A record of that time may share no word with the question: "What happened in May 1843?"
        if len(matching) < _MIN_MATCHING:
            sources.append(subtract_rows(close, matching)[: _MIN_MATCHING - len(matching)])
        if vector is not None:
            best.append(_take_with_ties(view.search_vectors(vector, depth + _MAX_TIES, close), depth))
    if proposer is not None and windows:
        proposed = proposer.propose(view, windows, rows, depth)
        sources.append(proposed if rows is None else intersect_rows(proposed, rows))
    candidates = _fill(view, union_rows(*best, *sources), vector, rows, depth)
    lexical = view.score_words(question, candidates)
    last = [source[-max(1, int(_LAST * depth)) :] for source in best if len(source) >= depth]
    return Pool(
        question=question,
        understanding=understanding,
        now=now,
        view=view,
        windows=windows,
        rows=candidates,
        document_rows=view.get_document_rows(candidates),
        lexical=lexical,
        semantic=score_meaning(view, vector, candidates, lexical),
        vector=vector,
        is_unordered=encoder is not None and encoder.name.startswith(UNORDERED),
        last_rows=union_rows(*last) if last else candidates[:0],
        encoder=encoder,
    )


def _take_with_ties(ranked: Ranked, depth: int) -> Rows:
    """The best so many, and those that score like the last of them."""
    if len(ranked) <= depth:
        return ranked.rows
    return np.asarray(ranked.rows[ranked.scores >= ranked.scores[depth - 1]])


def _match_topic(view: View, topic: str, depth: int, close: Rows) -> Rows:
    """The passages, at most `depth` of them, that share most with the topic by the weight of its words.

    Among few passages that is close enough to BM25, by which they are scored later.
    """
    tokens = () if len(close) > _COMPARED else tuple(dict.fromkeys(view.analyse(topic)))
    if len(close) > _COMPARED or len(tokens) > _MAX_TOKENS:
        return _take_with_ties(view.search_words(topic, depth + _MAX_TIES, close), depth)
    present = view.match_contexts(close, np.full(len(close), -1, dtype=np.int64), tokens)
    counts = present.sum(axis=1)
    (matching,) = np.nonzero(counts)
    if len(matching) <= depth:
        return close[matching]
    weights = weigh_tokens(view, tokens)
    shares = multiply_in_parts(present[matching], np.array([weights[token] for token in tokens])).round(_DIGITS)
    order = np.lexsort((-counts[matching], -shares))
    last = order[depth - 1]
    counts = counts[matching]
    equal = (shares == shares[last]) & (counts == counts[last])
    better = (shares > shares[last]) | ((shares == shares[last]) & (counts > counts[last]))
    # Many share the same few words; of these BM25 says which are best, and the order of storing does not.
    tied = close[matching[equal]]
    scores = view.score_words(topic, tied)
    best = np.lexsort((tied, -scores))
    left = depth - int(better.sum())
    kept = tied[best[: left + _MAX_TIES]][scores[best[: left + _MAX_TIES]] >= scores[best[left - 1]]]
    return np.concatenate([close[matching[better]], kept])


def _fill(view: View, candidates: Rows, vector: Vector | None, rows: Rows | None, least: int) -> Rows:
    """Add candidates while they are passages of fewer than `least` documents and others are left."""
    left = view.alive if rows is None else rows
    depth = least
    while len(drop_repeated(view.get_document_rows(candidates))) < least and len(candidates) < len(left):
        depth *= 4
        if vector is not None:
            found = view.search_vectors(vector, depth, rows).rows
            candidates = union_rows(candidates, found)
            vector = vector if len(found) == depth else None  # the others have no vectors yet
        elif rows is not None:
            candidates = union_rows(candidates, rows[:depth])
        else:
            return candidates
    return candidates


def _iterate_close_rows(view: View, windows: tuple[Window, ...], rows: Rows | None) -> Iterator[Rows]:
    """For each window the passages whose own times, or whose document's date, lie in it or not much beyond it."""
    for window in windows:
        stated = view.content.rows[_find_close_spans(view.content.spans, window.span)]
        dated = view.get_passage_rows(view.published.rows[_find_close_spans(view.published.spans, window.span)])
        close = union_rows(stated, dated)
        if rows is not None:
            close = intersect_rows(close, rows)
        # Where most of many passages are from that time, the best of all are the best of those.
        if 0 < len(close) <= max(_MIN_PASSAGES, _MAX_SHARE * (view.passage_count if rows is None else len(rows))):
            yield close


def _find_close_spans(spans: SpanSet, window: Span) -> Rows:
    """The spans that overlap a window, without those that are so long that they say little about it."""
    return spans.overlapping(window, _LONGER * window.seconds).astype(np.int64, copy=False)


def apply_dims(
    view: View, encoder: Encoder | None, request: Request
) -> tuple[View, Encoder | None, tuple[Applied, ...]]:
    """The view and the encoder for the `dims` of a request, and what the response reports of it."""
    if request.dims is None:
        return view, encoder, ()
    dims, shortlist, full = request.dims, request.shortlist, view.dim
    nested = view.with_dims(dims, shortlist)
    if encoder is None or dims == full:
        return nested, encoder, ()
    sentence = f"compares vectors by their first {dims} of {full} dimensions"
    if shortlist is not None:
        sentence = f"finds {shortlist:,} passages by the first {dims} of {full} dimensions, reranks them by all"
    if dims not in nested_dims(encoder):
        sentence += " (the encoder was not trained to be truncated there)"
    return nested, encoder if shortlist is not None else cut_encoder(encoder, dims), (Applied("dims", sentence),)
