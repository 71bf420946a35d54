"""The times of hits, best first: what the text states beside the matching words, when it was published, is valid.

Where a question has a window, the evidence for it comes first. Otherwise it is the stated time whose sentence has most
of the question's words; where no stated time is beside any of them, the dates of the document come before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from epochal.ranking.terms import Terms
from epochal.search.explain import HitTime, Provenance
from epochal.search.response import ESTIMATED_AXIS, Evidence
from epochal.storage.protocol import PassageText, Rows, View
from epochal.storage.records import TITLE, Document
from epochal.storage.text import analyse, units
from epochal.times.span import Span

#: The most times of one hit; a table of dates may state thousands.
_MOST: Final = 20
#: Stated times before a carried one that are searched for the one that it comes from.
_BEFORE: Final = 2_000
#: How many times as far a word counts that comes after a time.
_BEHIND: Final = 2
_WORD: Final = re.compile(r"[^\W_]+")


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
        collected.append(_order_times(stated, document, passage, items, terms))
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


def _measure_gap(time: HitTime, passage: PassageText, terms: Terms) -> float:
    """How far the words of the question are from a time in its sentence, on average by weight; 0 for other times."""
    if time.provenance != "stated" or time.start_char < 0:
        return 0.0
    start = passage.text.find(time.context)
    place = time.start_char - passage.start_char - max(start, 0)
    weights = dict(zip(terms.tokens, terms.weights.tolist(), strict=True))
    nearest: dict[str, float] = {}
    for match in _WORD.finditer(time.context):
        # A time belongs rather to the word before it: "born in 100 BC and killed in 44 BC".
        gap = place - match.end() if match.end() <= place else _BEHIND * (match.start() - place)
        for token in analyse(match[0]):
            if token in weights:
                nearest[token] = min(gap, nearest.get(token, gap))
    total = sum(weights[token] for token in nearest)
    return sum(weights[token] * math.log1p(max(gap, 0)) for token, gap in nearest.items()) / total if total else 0.0


def _order_times(
    stated: list[HitTime],
    document: Document,
    passage: PassageText,
    evidence: Sequence[Evidence],
    terms: Terms,
) -> tuple[HitTime, ...]:
    own: tuple[tuple[Provenance, Span | None], ...] = (("published", document.published), ("valid", document.valid))
    dates = [HitTime(span, provenance) for provenance, span in own if span is not None]
    gaps = {id(item): _measure_gap(item, passage, terms) for item in stated}
    # sorted keeps the order of the text among equals.
    beside = sorted((item for item in stated if item.local > 0), key=lambda item: (-item.local, gaps[id(item)]))
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
