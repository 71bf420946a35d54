"""Hits from scored candidates: collapse versions, select k documents, and attach their evidence and times.

The times of a hit are sorted, best first: what the text states beside the matching words, when it was published, when
it is valid. Where a question has a window, the evidence for it comes first. Otherwise it is the stated time whose
sentence has most of the question's words; where no stated time is beside any of them, the dates of the document come
before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.ranking.coverage import select_covering
from epochal.ranking.features import PUBLISHED, VALID, get_publication_ends, score_periods
from epochal.ranking.pool import Floats, Pool, Scored, get_terms
from epochal.ranking.terms import Terms
from epochal.ranking.versions import (
    Grouping,
    find_rewordings,
    find_similar,
    group_versions,
    make_word_set,
    promote_current_versions,
)
from epochal.reading.questions.states import asks_past_event
from epochal.search.explain import HitTime, Provenance
from epochal.search.request import Request
from epochal.search.response import ESTIMATED_AXIS, Evidence, Hit
from epochal.storage.protocol import (
    PassageText,
    Rows,
    SupportsHeadings,
    View,
    expand_runs,
    get_passage_documents,
    supports,
)
from epochal.storage.records import TITLE, Document
from epochal.storage.text import analyse_word, units
from epochal.times.span import Span

__all__ = ["HitSelector", "collect_times"]


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
    lows = content.rows.searchsorted(rows, side="left")
    sizes = np.minimum(content.rows.searchsorted(rows, side="right") - lows, _MOST)
    positions = expand_runs(lows, sizes)
    present = view.match_contexts(rows.repeat(sizes), positions, terms.tokens)
    local = terms.shares(present).tolist() if len(terms.tokens) else [0.0] * len(positions)
    found = iter(zip(positions.tolist(), local, strict=True))
    collected = []
    for row, size, document, passage, items in zip(
        rows.tolist(), sizes.tolist(), documents, passages, evidence, strict=True
    ):
        stated = [_read_time(view, row, *time, document, passage) for time in islice(found, size)]
        collected.append(_order_times(stated, document, passage, items, terms))
    return collected


def _read_time(view: View, row: int, position: int, local: float, document: Document, passage: PassageText) -> HitTime:
    content = view.content
    start, end = int(content.start_chars[position]), int(content.end_chars[position])
    span = content.spans[position]
    if start == TITLE:
        return HitTime(span, "stated", document.title, -1, -1, document.title, local)
    text, offset = passage.text, passage.start_char
    low, high = _find_unit(text, start)
    context = text[low:high].strip()
    if start < end:
        return HitTime(span, "stated", text[start:end], offset + start, offset + end, context, local)
    source, words = _find_source(view, row, position)
    return HitTime(span, "carried", words, -1, -1, context, local, source)


def _find_unit(text: str, place: int) -> tuple[int, int]:
    """The sentence or line of a text that a place is in; all of it where there is none."""
    for low, high in _list_units(text):
        if low <= place < high:
            return low, high
    return 0, len(text)


@lru_cache(maxsize=16)  # a passage states several times, of which one is also evidence
def _list_units(text: str) -> list[tuple[int, int]]:
    return units(text)


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
        for token in analyse_word(match[0]):
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
    beside = [item for item in stated if item.local > 0]
    if len(beside) > 1:
        # sorted keeps the order of the text among equals.
        beside.sort(key=lambda item: (-item.local, _measure_gap(item, passage, terms)))
    times = [*beside, *dates, *(item for item in stated if item.local <= 0)]
    for item in reversed(evidence):
        times = _put_first(times, item)
    # Times are compared only where some may be equal: that takes longer than all else.
    is_plain = len({(item.start_char, item.provenance, item.span.start) for item in times}) == len(times)
    return tuple(times) if is_plain else tuple(dict.fromkeys(times))


def _put_first(times: list[HitTime], item: Evidence) -> list[HitTime]:
    """The times with the one that supports the hit before all others."""
    if item.axis == ESTIMATED_AXIS:
        return [*times, HitTime(item.span, "estimated", match=item.match)]
    for place, time in enumerate(times):
        by_date = item.axis in ("published", "valid") and time.provenance == item.axis
        by_text = item.axis not in ("published", "valid") and time.provenance in ("stated", "carried")
        at = item.start_char == time.start_char or time.provenance == "carried"
        if time.span == item.span and (by_date or (by_text and at)):
            return [time.with_match(item.match), *times[:place], *times[place + 1 :]]
    return times


#: Documents among which those that cover several periods are selected: so many, or this multiple of k if that is more.
_COVERING_DEPTH: Final = 100
_COVERING_FACTOR: Final = 3
#: Documents after the first k that are compared with them for near-duplicates.
_COMPARED: Final = 30
#: Texts shorter than this are near-duplicates only if their titles are too: "Rain." may be every other line of a log.
_SHORT: Final = 200
#: A text whose best time matches the query window this well is about that window.
_STATED_MATCH: Final = 0.5
#: A version with less than this share of the names and identifiers that another one has does not represent it.
_IDENTIFIED: Final = 0.5
#: The same of the probability of the topic, where a question is for when something happened.
_ABOUT_EVENT: Final = 0.9


class HitSelector:
    """Selects k documents of a scored pool and builds their hits.

    `hidden` counts the documents that were collapsed into a hit, once `build` has run.
    """

    def __init__(self, pool: Pool, scored: Scored, request: Request, *, is_ordered: bool = False) -> None:
        self._pool, self._scored, self._request, self._is_ordered = pool, scored, request, is_ordered
        self._view = pool.view
        # The best passage represents its document; of equal ones the first in the index.
        order = np.lexsort((pool.rows, -scored.scores))
        if len(pool.number_documents()[0]) < len(pool):
            order = order[np.sort(np.unique(pool.document_rows[order], return_index=True)[1])]
        self._positions: Rows = order.astype(np.int64)
        self._scores: Floats = scored.scores[self._positions]
        self.hidden: dict[str, int] = {}
        # "Between 2009 and 2019" is one interval to search, and two periods to cover.
        periods = pool.understanding.periods if pool.understanding.cross_period else ()
        self._periods = [window for window in pool.windows if window.span in periods]
        self.covers_periods = len(self._periods) > 1 and len(self._positions) > 0
        self._collapsed: dict[int, list[int]] = {}
        self._ids: dict[int, str] = {}
        self._version_gains: Floats = np.zeros(len(pool))
        self._group_versions()

    @property
    def period_count(self) -> int:
        return len(self._periods)

    def _group_versions(self) -> None:
        """Promote the current one of versions and near-duplicates, and collapse the others into it."""
        compared = self._request.depth + _COMPARED
        grouped = self._collapse(compared)
        # A hit beyond those that were compared may be another near-duplicate.
        while (
            grouped is not None
            and self._request.collapse_versions
            and compared < len(self._positions)
            and max(grouped[0][: self._request.depth], default=0) >= compared
        ):
            compared *= 2
            grouped = self._collapse(compared)
        if grouped is not None:
            kept, scores = grouped
            self._version_gains[self._positions] = scores - self._scores
            self._positions, self._scores = self._positions[kept], scores[kept]

    def _collapse(self, compared: int) -> tuple[list[int], Floats] | None:
        """The documents that remain, best first, when the first `compared` are compared; and the scores of all.

        None where each is alone, as most are.
        """
        pool, positions = self._pool, self._positions
        documents = pool.document_rows[positions]
        query_spans = [window.span for window in pool.windows]
        # An order of time decides among versions, too.
        promotes = self._request.promote_current_version and not self._is_ordered
        collapses = self._request.collapse_versions
        rewords = promotes and not query_spans and len(self._view.published) > 0
        titles, words = self._read_words(compared, rewordings=rewords) if collapses or rewords else ([], [])
        grouping = group_versions(self._view, documents, words if collapses else [])
        is_grouped = np.bincount(grouping.groups)[grouping.groups] > 1
        reworded: list[list[int]] = []
        if rewords and any(titles):
            reworded = find_rewordings(titles, words, get_publication_ends(self._view, documents[: len(words)]))
        scores = self._scores
        self._collapsed = {}
        if not reworded and not is_grouped.any():
            return None
        ties = np.arange(len(documents))
        if promotes:
            scores, ties = promote_current_versions(
                self._view,
                documents,
                self._scores,
                grouping,
                query_spans,
                self._states_window(),
                reworded,
                self._find_eligible(grouping),
                pool.now,
            )
        order = np.lexsort((ties, -scores))
        if not collapses:
            return order.tolist(), scores
        periods = self._find_best_periods(grouping)
        removed: set[int] = set()
        representatives: dict[tuple[int, int], int] = {}
        grouped = order[is_grouped[order]]
        for document, group, period in zip(
            grouped.tolist(), grouping.groups[grouped].tolist(), periods[grouped].tolist(), strict=True
        ):
            # A version that answers for no period is collapsed into any; another one only into one for its period.
            representative = representatives.get((group, period))
            if representative is None:
                representatives[group, period] = document
                representatives.setdefault((group, -1), document)
            else:
                removed.add(document)
                self._collapsed.setdefault(int(positions[representative]), []).append(int(positions[document]))
        return [document for document in order.tolist() if document not in removed], scores

    def _find_eligible(self, grouping: Grouping) -> npt.NDArray[np.bool_] | None:
        """Which documents may represent their group: those with the names and identifiers that the best of it has.

        A newer version may say the same in other words; one that lacks "CVE-2023-38545" is no answer. When something
        happened, a version that is less about it than another does not say.
        """
        relevance = self._scored.relevance
        if relevance is None:
            return None
        eligible = self._are_near_best(grouping, relevance.identified, _IDENTIFIED)
        if asks_past_event(self._pool.understanding, self._pool.question):
            eligible &= self._are_near_best(grouping, relevance.topic, _ABOUT_EVENT)
        return eligible

    def _are_near_best(self, grouping: Grouping, values: Floats, share: float) -> npt.NDArray[np.bool_]:
        """Which documents have, in some passage, at least so much of the highest of the values of their group."""
        documents, inverse = self._pool.number_documents()
        by_document = np.zeros(len(documents))
        np.maximum.at(by_document, inverse, values)
        own = by_document[inverse[self._positions]]
        best = np.zeros(len(own))
        np.maximum.at(best, grouping.groups, own)
        return np.asarray(own >= share * best[grouping.groups])

    def _read_words(self, count: int, *, rewordings: bool) -> tuple[list[str], list[frozenset[str]]]:
        """The titles of the first documents, and the words of their passages; with the title's where they are short.

        Of those that are like no other there are none.
        """
        rows = self._pool.rows[self._positions[:count]]
        similar = find_similar(self._view, rows, self._have_titles(count) if rewordings else np.zeros(len(rows), bool))
        titles, words = [""] * len(rows), [frozenset[str]()] * len(rows)
        if not len(similar):
            return titles, words
        for at, item in zip(similar.tolist(), self._view.get_texts(rows[similar]), strict=True):
            titles[at] = item.title
            words[at] = make_word_set(item.text if len(item.text) >= _SHORT else f"{item.title}\n{item.text}")
        return titles, words

    def _have_titles(self, count: int) -> npt.NDArray[np.bool_]:
        """Which of the first documents may have a title, under which others are rewordings."""
        documents = self._pool.document_rows[self._positions[:count]]
        if not supports(self._view, SupportsHeadings):
            return np.ones(len(documents), dtype=np.bool_)
        return np.array([bool(heading.title) for heading in self._view.get_headings(documents)], dtype=np.bool_)

    def _states_window(self) -> npt.NDArray[np.bool_]:
        """Which documents state a time of a query window in their text or title."""
        if self._scored.dating is None or self._scored.match is None:
            return np.zeros(len(self._positions), dtype=np.bool_)
        states: npt.NDArray[np.bool_] = (self._scored.dating >= 0) & (self._scored.match >= _STATED_MATCH)
        return states[self._positions]

    def _find_best_periods(self, grouping: Grouping) -> Rows:
        """The period that each version answers best; -1 for none, and where no periods are compared."""
        best = np.full(len(self._positions), -1, dtype=np.int64)
        sizes = np.bincount(grouping.groups, minlength=len(best))
        grouped = np.flatnonzero(sizes[grouping.groups] > 1)
        if self.covers_periods and len(grouped):
            answers = self._score_periods(self._positions[grouped])
            best[grouped] = np.where(answers.max(axis=0) > 0, answers.argmax(axis=0), -1)
        return best

    def build(self) -> tuple[Hit, ...]:
        """The hits, best first."""
        pool, request = self._pool, self._request
        selected = list(range(min(request.depth, len(self._positions))))
        reasons = [-1] * len(selected)
        if self.covers_periods:
            candidates = self._positions[: max(_COVERING_DEPTH, _COVERING_FACTOR * request.depth)]
            selected, reasons = select_covering(
                self._scores[: len(candidates)], self._score_periods(candidates), request.depth
            )
        selected, reasons = selected[request.offset :], reasons[request.offset :]
        if not selected:
            return ()
        # All at once: the index may be on a server, where each call takes its time.
        positions = self._positions[selected]
        documents, passages = zip(*get_passage_documents(self._view, pool.rows[positions]), strict=True)
        collapsed = [other for position in positions.tolist() for other in self._collapsed.get(position, ())]
        if collapsed:
            self.hidden["a version or copy of a hit"] = len(collapsed)
            others = self._view.get_documents(pool.document_rows[collapsed])
            self._ids = {position: document.id for position, document in zip(collapsed, others, strict=True)}
        evidence = [
            self._build_evidence(position, document, passage.text, passage.start_char)
            for position, document, passage in zip(positions.tolist(), documents, passages, strict=True)
        ]
        terms = get_terms(pool)
        times = collect_times(self._view, pool.rows[positions], documents, passages, evidence, terms)
        return tuple(
            Hit(
                document=document,
                score=float(self._scores[rank]),
                parts=self._get_parts(position),
                passage=passage.text,
                passage_start=passage.start_char,
                evidence=items,
                period=self._periods[reason].span if reason >= 0 else None,
                superseded_by=self._find_successor(position, document),
                folded=tuple(self._ids[other] for other in self._collapsed.get(position, ())),
                relevance=None if self._scored.relevance is None else float(self._scored.relevance.answer[position]),
                times=own,
                terms=terms.tokens,
            )
            for rank, position, document, passage, reason, items, own in zip(
                selected, positions.tolist(), documents, passages, reasons, evidence, times, strict=True
            )
        )

    def _score_periods(self, positions: Rows) -> Floats:
        """How well each candidate answers for each compared period: a row a period, a column a candidate."""
        return score_periods(self._pool, get_terms(self._pool), positions, self._periods)

    def _get_parts(self, position: int) -> dict[str, float]:
        parts = {name: float(values[position]) for name, values in self._scored.parts.items()}
        if gain := float(self._version_gains[position]):
            parts["version"] = gain
        return parts

    def _build_evidence(self, position: int, document: Document, text: str, offset: int) -> tuple[Evidence, ...]:
        scored = self._scored
        dating = -1 if scored.dating is None else int(scored.dating[position])
        if dating == -1 or scored.match is None or scored.local is None:
            guess = None if scored.estimate is None else scored.estimate(position)
            return () if guess is None else (Evidence(guess.span, "", -1, -1, "", guess.chance, 0.0, ESTIMATED_AXIS),)
        match, local = float(scored.match[position]), float(scored.local[position])
        for code, date, axis in ((PUBLISHED, document.published, "published"), (VALID, document.valid, "valid")):
            if dating == code and date is not None:
                return (Evidence(date, "", -1, -1, "", match, local, axis),)
        content = self._view.content
        start, end = int(content.start_chars[dating]), int(content.end_chars[dating])
        span = content.spans[dating]
        if start == TITLE:
            return (Evidence(span, document.title, -1, -1, document.title, match, local, "title"),)
        low, high = _find_unit(text, start)
        return (Evidence(span, text[start:end], offset + start, offset + end, text[low:high], match, local),)

    def _find_successor(self, position: int, document: Document) -> str | None:
        """The id of the newest version of the document's series, where that is another one and is newer."""
        if document.series is None or document.published is None:
            return None
        row = self._pool.document_rows[[position]]
        members = self._view.get_series_rows(int(self._view.get_series_codes(row)[0]))
        published = self._view.published
        dated = np.flatnonzero(np.isin(published.rows, members))
        if self._request.as_of is not None:
            # As of a past day, what came after it is not known.
            dated = dated[published.spans.ends[dated] <= self._request.as_of.end]
        # "2019" is not known to be newer than a day of 2019.
        newer = published.spans.starts[dated] >= document.published.start
        dated = dated[newer & (published.spans.ends[dated] > document.published.end)]
        if not len(dated):
            return None
        newest = dated[int(published.spans.ends[dated].argmax())]
        return self._view.get_documents(published.rows[[newest]])[0].id
