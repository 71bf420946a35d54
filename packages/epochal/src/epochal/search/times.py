"""The times of hits, best first: what the text states beside the matching words, when it was published, is valid.

Where a question has a window, the evidence for it comes first. Otherwise it is the stated time whose sentence has most
of the question's words; where no stated time is beside any of them, the dates of the document come before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from epochal.ranking.terms import Terms
from epochal.search.explain import HitTime, Provenance
from epochal.search.response import ESTIMATED_AXIS, Evidence
from epochal.storage.protocol import PassageText, Rows, View
from epochal.storage.records import TITLE, Document
from epochal.storage.text import units
from epochal.times.span import Span

#: The most times of one hit; a table of dates may state thousands.
_MOST: Final = 20
#: Stated times before a carried one that are searched for the one that it comes from.
_BEFORE: Final = 2_000


def collect_times(
    view: View,
    rows: Rows,
    documents: Sequence[Document],
    passages: Sequence[PassageText],
    evidence: Sequence[Sequence[Evidence]],
    terms: Terms,
) -> list[tuple[HitTime, ...]]:
    """The times of some passages with their documents, best first; `evidence` is what supports each in the search."""
    content = view.content
    lows = np.searchsorted(content.rows, rows, side="left")
    highs = np.minimum(np.searchsorted(content.rows, rows, side="right"), lows + _MOST)
    sizes = highs - lows
    positions = np.concatenate([np.arange(low, high) for low, high in zip(lows, highs, strict=True)] or [lows])
    positions = positions.astype(np.int64)
    present = view.match_contexts(np.repeat(rows, sizes), positions, terms.tokens)
    local = terms.shares(present) if len(terms.tokens) else np.zeros(len(positions))
    parts = np.split(np.arange(len(positions)), np.cumsum(sizes)[:-1])
    collected = []
    for row, part, document, passage, items in zip(rows.tolist(), parts, documents, passages, evidence, strict=True):
        stated = [
            _read_time(view, row, int(positions[place]), float(local[place]), document, passage) for place in part
        ]
        collected.append(_order_times(stated, document, items))
    return collected


def _read_time(view: View, row: int, position: int, local: float, document: Document, passage: PassageText) -> HitTime:
    content = view.content
    start, end = int(content.start_chars[position]), int(content.end_chars[position])
    span = content.spans[position]
    if start == TITLE:
        return HitTime(span, "stated", document.title, -1, -1, document.title, local)
    text, offset = passage.text, passage.start_char
    low, high = next((unit for unit in units(text) if unit[0] <= start < unit[1]), (0, len(text)))
    context = text[low:high].strip()
    if start < end:
        return HitTime(span, "stated", text[start:end], offset + start, offset + end, context, local)
    source, words = _find_source(view, row, position)
    return HitTime(span, "carried", words, -1, -1, context, local, source)


def _find_source(view: View, row: int, position: int) -> tuple[str | None, str]:
    """The id of the document whose words state a time that was carried over, and these words."""
    content, low = view.content, max(0, position - _BEFORE)
    starts, ends = content.spans.starts, content.spans.ends
    same = (starts[low:position] == starts[position]) & (ends[low:position] == ends[position])
    (found,) = np.nonzero(same & (content.end_chars[low:position] > content.start_chars[low:position]))
    if not len(found):
        return None, ""
    place = low + int(found[-1])
    source = content.rows[[place]]
    (passage,) = view.get_texts(source)
    (document,) = view.get_documents(view.get_document_rows(source))
    return document.id, passage.text[int(content.start_chars[place]) : int(content.end_chars[place])]


def _order_times(stated: list[HitTime], document: Document, evidence: Sequence[Evidence]) -> tuple[HitTime, ...]:
    own: tuple[tuple[Provenance, Span | None], ...] = (("published", document.published), ("valid", document.valid))
    dates = [HitTime(span, provenance) for provenance, span in own if span is not None]
    # sorted keeps the order of the text among equals.
    beside = sorted((item for item in stated if item.local > 0), key=lambda item: -item.local)
    times = [*beside, *dates, *(item for item in stated if item.local <= 0)]
    for item in reversed(evidence):
        times = _put_first(times, item)
    return tuple(dict.fromkeys(times))


def _put_first(times: list[HitTime], item: Evidence) -> list[HitTime]:
    """The times with the one that supports the hit before all others."""
    if item.axis == ESTIMATED_AXIS:
        return [*times, HitTime(item.span, "estimated", match=item.match)]
    for place, time in enumerate(times):
        by_date = item.axis in ("published", "valid") and time.provenance == item.axis
        by_text = item.axis not in ("published", "valid") and time.provenance in ("stated", "carried")
        at = item.start_char == time.start_char or time.provenance == "carried"
        if time.span == item.span and (by_date or (by_text and at)):
            return [replace(time, match=item.match), *times[:place], *times[place + 1 :]]
    return times
