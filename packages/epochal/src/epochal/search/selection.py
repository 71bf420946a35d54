"""Select the passages that a search may return, by its strict options, and count the documents that these hide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import and_

import numpy as np
import numpy.typing as npt

from epochal.ranking.versions import find_validity
from epochal.search.request import Request
from epochal.search.response import Applied
from epochal.search.where import describe_where, parse_where
from epochal.storage.metadata import find_documents
from epochal.storage.protocol import Rows, View, intersect_rows, locate_rows, union_rows
from epochal.times.filters import TimeFilter
from epochal.times.span import Span

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The passages that are left, ascending, None for all of them; what was applied; documents hidden, by reason."""

    rows: Rows | None
    applied: tuple[Applied, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)


def select(view: View, request: Request, *, timed: bool) -> Selection:
    """The passages that a request leaves; `timed` says whether there is a query window."""
    remaining = _Remaining(view)
    if request.where and (where := parse_where(request.where)):
        remaining.keep(remaining.mark(find_documents(view, where)), "with other metadata")
        sentence = f"keeps only documents with {describe_where(where)}"
        remaining.applied.append(Applied("where", sentence, None, True))
    if request.as_of is not None:
        _keep_published_by(remaining, request.as_of)
    if request.valid_at is not None:
        _keep_valid_at(remaining, request.valid_at)
    if request.strict and request.filters:
        _keep_within(remaining, request)
    elif request.undated == "exclude" and timed:
        remaining.keep(_mark_dated(remaining), "undated")
        remaining.applied.append(Applied("undated", "leaves out documents without any date", None, True))
    return remaining.selection()


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
