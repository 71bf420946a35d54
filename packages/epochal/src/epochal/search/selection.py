"""Selection: which passages a search may answer with. Time is selected first, and what that hides is counted."""

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
from epochal.storage.protocol import Rows, View, intersect_rows, union_rows
from epochal.times.filters import TimeFilter
from epochal.times.span import Span

__all__ = ["Selection", "select"]

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The passages that are left, ascending, None for all of them; what was applied; documents hidden, by reason."""

    rows: Rows | None
    applied: tuple[Applied, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)


def select(view: View, request: Request, *, timed: bool) -> Selection:
    """What a request leaves to be searched; `timed` says whether the question asks for a time at all."""
    chosen = _Chosen(view)
    if request.as_of is not None:
        _published_by(chosen, request.as_of)
    if request.valid_at is not None:
        _holding_at(chosen, request.valid_at)
    if request.strict and request.filters:
        _within(chosen, request)
    elif request.undated == "exclude" and timed:
        chosen.keep(_dated(chosen), "undated")
        chosen.applied.append(Applied("undated", "leaves out documents without any date", None, True))
    return chosen.selection()


class _Chosen:
    """Documents and passages that are still in, and why others are out."""

    def __init__(self, view: View) -> None:
        self.view = view
        documents = view.alive_documents
        self.documents: Mask = np.zeros(int(documents[-1]) + 1 if len(documents) else 0, dtype=np.bool_)
        self.documents[documents] = True
        self.passages: Rows | None = None
        self.applied: list[Applied] = []
        self.hidden: dict[str, int] = {}

    def mask_of(self, rows: Rows) -> Mask:
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
        rows = union_rows(self.view.rows_of(np.flatnonzero(self.documents)))
        if self.passages is not None:
            rows = intersect_rows(rows, self.passages)
        return Selection(rows, tuple(self.applied), self.hidden)


def _dated(chosen: _Chosen) -> Mask:
    view = chosen.view
    kept = chosen.mask_of(view.published.rows)
    kept[view.valid.rows] = True
    kept[view.document_of(view.content.rows)] = True
    return kept


def _published_by(chosen: _Chosen, as_of: Span) -> None:
    """What had surely appeared by then, and of each series the version that held then."""
    published = chosen.view.published
    chosen.keep(chosen.mask_of(published.rows), "without a date of publication")
    by_then = published.spans.ends <= as_of.end
    chosen.keep(chosen.mask_of(published.rows[by_then]), "not surely published by then")
    _one_a_series(chosen, as_of)
    chosen.applied.append(
        Applied(
            "as_of",
            f"sees only what was published by {as_of.describe()}, and of each series the version of that time",
            as_of,
            True,
        )
    )


def _one_a_series(chosen: _Chosen, as_of: Span) -> None:
    """Of the documents of a series that are left, keep the one that holds as of then, else the last that appeared."""
    view = chosen.view
    left = np.flatnonzero(chosen.documents)
    codes = view.series_of(left)
    members, codes = left[codes >= 0], codes[codes >= 0]
    if not len(members):
        return
    published = view.published
    appeared = published.spans.starts[published.rows.searchsorted(members)]
    starts, ends = find_validity(view, members)
    # A month has many moments: what holds at the last of them comes before what held at another.
    last_moment = as_of.end - 1
    holds = ((starts < as_of.end) & (ends > as_of.start)).astype(np.int64) + (
        (starts <= last_moment) & (ends > last_moment)
    )
    order = np.lexsort((members, appeared, holds, codes))
    last = np.append(codes[order][1:] != codes[order][:-1], True)
    kept = np.ones_like(chosen.documents)
    kept[members[order[~last]]] = False
    chosen.keep(kept, "an older version by then")


def _holding_at(chosen: _Chosen, at: Span) -> None:
    """What holds then, by its own word, or as the version of its series that was in force."""
    view = chosen.view
    left = np.flatnonzero(chosen.documents)
    starts, ends = find_validity(view, left)
    chosen.keep(chosen.mask_of(left[starts < ends]), "without a stretch for which it holds")
    chosen.keep(chosen.mask_of(left[(starts < at.end) & (ends > at.start)]), "not in force then")
    chosen.applied.append(Applied("valid_at", f"sees only what holds at {at.describe()}", at, True))


def _within(chosen: _Chosen, request: Request) -> None:
    """What is known to lie there: passages by what they speak of, all passages of a document by its own dates.

    One time must meet all conditions: of "after 1990" and "before 2000", a text on 1950 and 2010 meets neither.
    """
    view = chosen.view
    condition = reduce(and_, (item for item, _ in request.filters))
    by_date = chosen.mask_of(view.published.rows[view.published.spans.find(condition)])
    by_date[view.valid.rows[view.valid.spans.find(condition)]] = True
    spoken = union_rows(view.content.rows[view.content.spans.find(condition)])
    kept = by_date.copy()
    kept[view.document_of(spoken)] = True
    chosen.passages = union_rows(spoken, view.rows_of(np.flatnonzero(by_date)))
    chosen.keep(_dated(chosen), "undated")
    chosen.keep(kept, "at another time")
    references = [span for span in (request.during, request.before, request.after) if span is not None]
    for (each, span), reference in zip(request.filters, references, strict=True):
        chosen.applied.append(Applied("filter", f"keeps only what {_words(each, reference)}", span, True))


def _words(condition: TimeFilter, reference: Span) -> str:
    name = condition.text.split(" ", 1)[0]
    if name == "overlaps":
        return f"lies in or reaches into {reference.describe()}"
    if name in ("during", "before", "after", "around"):
        return f"lies {name} {reference.describe()}"
    return f"stands to {reference.describe()} as: {name.replace('_', ' ')}"
