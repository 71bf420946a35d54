"""Search: one question through the whole engine. Understand, select, gather, score, settle versions, cover, explain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Encoder
from epochal.ranking.coverage import select_covering
from epochal.ranking.features import PUBLISHED, VALID, find_evidence, get_publication_ends
from epochal.ranking.pool import Floats, Pool, Proposer, Scored, Scorer, Window, get_terms, get_windows
from epochal.ranking.versions import (
    Grouping,
    find_current_versions,
    find_rewordings,
    group_versions,
    make_word_set,
    promote_current_versions,
)
from epochal.reading.questions.question import Understanding
from epochal.reading.questions.understand import understand
from epochal.search.candidates import apply_dims, collect_candidates
from epochal.search.outcome import decide_outcome
from epochal.search.request import Request
from epochal.search.response import (
    ESTIMATED_AXIS,
    Applied,
    Evidence,
    Hit,
    Response,
    find_missing_shards,
    report_missing_shards,
)
from epochal.search.selection import Selection, select
from epochal.storage.protocol import PassageText, Rows, View
from epochal.storage.records import TITLE, Document
from epochal.storage.text import units

__all__ = ["run_search", "understand_request"]

#: Each source brings at least this many passages.
_DEPTH: Final = 100
#: Documents among which those that cover several periods are chosen: so many, and a multiple of what is asked for.
_CHOICE: Final = 100
_DEEPER: Final = 3
#: Documents behind the first ones that are compared with them for copies.
_COMPARED: Final = 30
#: Texts shorter than this are alike only if their titles are: "Rain." may be every other line of a log.
_SHORT: Final = 200
#: A time in a text that answers as well as this says that the text speaks of it.
_TOLD: Final = 0.5
_PENALTY: Final = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """Documents, best first: each with the place of its best passage in the pool."""

    places: Rows
    scores: Floats


def run_search(
    view: View,
    encoder: Encoder | None,
    request: Request,
    scorer: Scorer,
    stopwatch: Callable[[], float] | None = None,
    asked: Understanding | None = None,
) -> Response:
    """The response to a request. With `asked` its question asks of time what that says, whatever its words are."""
    laps = _Laps(stopwatch)
    missing = find_missing_shards(view)
    view, encoder, compared = apply_dims(view, encoder, request)
    reads = request.time or asked is not None
    asked = asked or understand_request(request)
    given = request.sought
    windows = get_windows(asked, given) if reads else tuple(Window(span) for span in given)
    laps.lap("understand")
    selection = select(view, request, timed=bool(windows))
    laps.lap("select")
    pool = _gathered(view, encoder, request, asked, windows, selection.rows, scorer)
    laps.lap("gather")
    scored = _penalised(pool, scorer.score(pool), request)
    laps.lap("score")
    ranked = _by_document(pool, scored)
    hits = _Hits(pool, scored, request, ranked)
    found = hits.chosen()
    laps.lap("choose")
    return Response(
        question=request.question,
        now=request.now,
        hits=found,
        understanding=asked,
        applied=(
            *_applied(request, asked, windows, selection, hits, scored),
            *compared,
            *report_missing_shards(missing),
        ),
        hidden={**selection.hidden, **hits.hidden},
        outcome=decide_outcome(view, request, asked, windows, found),
        timings=laps.timings,
        missing=missing,
    )


class _Laps:
    """Milliseconds by step, when there is a stopwatch to read."""

    def __init__(self, stopwatch: Callable[[], float] | None) -> None:
        self._read = stopwatch
        self._last = stopwatch() if stopwatch else 0.0
        self.timings: dict[str, float] = {}

    def lap(self, name: str) -> None:
        if self._read is not None:
            now = self._read()
            self.timings[name] = 1000 * (now - self._last)
            self._last = now


def understand_request(request: Request) -> Understanding:
    """What the question of a request asks of time; nothing where time is switched off."""
    if request.time:
        return understand(request.question, request.now)
    return Understanding("none", "atemporal", "Never", topic=request.question)


def _gathered(
    view: View,
    encoder: Encoder | None,
    request: Request,
    asked: Understanding,
    windows: tuple[Window, ...],
    rows: Rows | None,
    scorer: Scorer,
) -> Pool:
    """The pool, deeper while fewer than k can speak and more may be found, and with those that should speak."""
    depth = max(_DEPTH, request.k)
    proposer = scorer if isinstance(scorer, Proposer) else None
    pool = collect_candidates(view, encoder, request.question, asked, request.now, windows, rows, depth, proposer)
    while depth <= len(pool) < view.passage_count and _speakers(pool, request) < request.k:
        depth *= 4
        pool = collect_candidates(view, encoder, request.question, asked, request.now, windows, rows, depth, proposer)
    return _with_successors(pool, rows) if request.promote_current_version else pool


def _speakers(pool: Pool, request: Request) -> int:
    """How many documents are left when those of each series stand behind one of them."""
    documents = np.unique(pool.document_rows)
    series = pool.view.series_of(documents)
    in_series = series >= 0 if request.collapse_versions else np.zeros(len(series), dtype=np.bool_)
    return int((~in_series).sum()) + len(np.unique(series[in_series]))


def _with_successors(pool: Pool, rows: Rows | None) -> Pool:
    """The pool with the versions that should speak for the series in it, where their own words did not bring them."""
    view, windows = pool.view, [window.span for window in pool.windows]
    series = view.series_of(pool.document_rows)
    codes = np.unique(series[series >= 0]).tolist()
    if not codes or len(windows) > 1:
        return pool
    speak = np.concatenate([find_current_versions(view, view.series_members(code), windows) for code in codes])
    missing = np.sort(view.rows_of(np.setdiff1d(speak, pool.document_rows)))
    if rows is not None:
        missing = np.intersect1d(missing, rows, assume_unique=True)
    if not len(missing):
        return pool
    found = np.sort(np.concatenate([pool.rows, missing]))
    return replace(
        pool,
        rows=found,
        document_rows=view.document_of(found),
        lexical=view.word_scores(pool.question, found),
        semantic=np.zeros(len(found)) if pool.vector is None else view.similarities(pool.vector, found),
    )


def _penalised(pool: Pool, scored: Scored, request: Request) -> Scored:
    """With the policy "penalise", documents without any date lose a share of the best score."""
    if request.undated != "penalise" or not pool.windows or not len(pool):
        return scored
    view = pool.view
    dated = np.isin(pool.document_rows, view.published.rows) | np.isin(pool.document_rows, view.valid.rows)
    spoken = view.document_of(np.unique(view.content.rows))
    most = _PENALTY * float(np.abs(scored.scores).max())
    loss = np.where(dated | np.isin(pool.document_rows, spoken), 0.0, -most)
    return replace(scored, scores=scored.scores + loss, parts={**scored.parts, "undated": loss})


def _by_document(pool: Pool, scored: Scored) -> _Ranked:
    """The best passage of each document; of equals the earlier one."""
    order = np.lexsort((pool.rows, -scored.scores))
    first = np.sort(np.unique(pool.document_rows[order], return_index=True)[1])
    places = order[first].astype(np.int64)
    return _Ranked(places, scored.scores[places])


class _Hits:
    """The choice of k documents among the ranked ones, and their making into hits."""

    def __init__(self, pool: Pool, scored: Scored, request: Request, ranked: _Ranked) -> None:
        self._pool, self._scored, self._request = pool, scored, request
        self._view = pool.view
        self._places, self._scores = ranked.places, ranked.scores
        self.hidden: dict[str, int] = {}
        # "Between 2009 and 2019" is one stretch to look in, and two periods to be covered.
        periods = pool.understanding.periods if pool.understanding.cross_period else ()
        self._periods = [window for window in pool.windows if window.span in periods]
        self.covered = len(self._periods) > 1 and len(self._places) > 0
        self._behind: dict[int, list[int]] = {}
        self._ids: dict[int, str] = {}
        self._settle()

    @property
    def period_count(self) -> int:
        return len(self._periods)

    def _settle(self) -> None:
        """Let the right one of versions and copies speak, and fold the others behind it."""
        compared = self._request.k + _COMPARED
        kept, scores = self._folded(compared)
        # A hit that was not compared may be one more copy of another.
        while (
            self._request.collapse_versions
            and compared < len(self._places)
            and max(kept[: self._request.k]) >= compared
        ):
            compared *= 2
            kept, scores = self._folded(compared)
        moved = scores - self._scores
        self._places, self._scores = self._places[kept], scores[kept]
        self._shift = dict(zip(self._places.tolist(), moved[kept].tolist(), strict=True))

    def _folded(self, compared: int) -> tuple[list[int], Floats]:
        """The documents that speak, best first, when the first so many are compared; and the scores of all."""
        pool, places = self._pool, self._places
        documents = pool.document_rows[places]
        asked = [window.span for window in pool.windows]
        renewed = self._request.promote_current_version and not asked and len(self._view.published) > 0
        titles, words = self._words(compared) if self._request.collapse_versions or renewed else ([], [])
        grouping = group_versions(self._view, documents, words if self._request.collapse_versions else [])
        scores, turns = self._scores, np.arange(len(documents))
        if self._request.promote_current_version:
            dates = get_publication_ends(self._view, documents[: len(words)])
            reworded = find_rewordings(titles, words, dates) if renewed else []
            scores, turns = promote_current_versions(
                self._view, documents, self._scores, grouping, asked, self._told(), reworded
            )
        order = np.lexsort((turns, -scores))
        self._behind = {}
        if not self._request.collapse_versions:
            return order.tolist(), scores
        periods = self._best_periods(grouping)
        silent: set[int] = set()
        spoken: dict[tuple[int, int], int] = {}
        # Most documents are alone in their group, and speak.
        grouped = order[np.bincount(grouping.groups)[grouping.groups[order]] > 1]
        for place, group, period in zip(
            grouped.tolist(), grouping.groups[grouped].tolist(), periods[grouped].tolist(), strict=True
        ):
            # A version that answers for no period stands behind any; one that does, behind those for the same.
            speaker = spoken.get((group, period))
            if speaker is None:
                spoken[group, period] = place
                spoken.setdefault((group, -1), place)
            else:
                silent.add(place)
                self._behind.setdefault(int(places[speaker]), []).append(int(places[place]))
        return [place for place in order.tolist() if place not in silent], scores

    def _words(self, count: int) -> tuple[list[str], list[frozenset[str]]]:
        """The titles of the first documents, and the words of their texts; of short ones those of the title too."""
        found = self._view.texts(self._pool.rows[self._places[:count]])
        texts = (item.text if len(item.text) >= _SHORT else f"{item.title}\n{item.text}" for item in found)
        return [item.title for item in found], [make_word_set(text) for text in texts]

    def _told(self) -> npt.NDArray[np.bool_]:
        """Whose text or title speaks of the time that is asked for."""
        if self._scored.dating is None or self._scored.match is None:
            return np.zeros(len(self._places), dtype=np.bool_)
        told: npt.NDArray[np.bool_] = (self._scored.dating >= 0) & (self._scored.match >= _TOLD)
        return told[self._places]

    def _best_periods(self, grouping: Grouping) -> Rows:
        """For each version which of several periods it answers best; -1 for none, and where there are not several."""
        best = np.full(len(self._places), -1, dtype=np.int64)
        sizes = np.bincount(grouping.groups, minlength=len(best))
        grouped = np.flatnonzero(sizes[grouping.groups] > 1)
        if self.covered and len(grouped):
            answers = self._period_scores(self._places[grouped])
            best[grouped] = np.where(answers.max(axis=0) > 0, answers.argmax(axis=0), -1)
        return best

    def chosen(self) -> tuple[Hit, ...]:
        pool, request = self._pool, self._request
        picked = list(range(min(request.k, len(self._places))))
        reasons = [-1] * len(picked)
        if self.covered:
            candidates = self._places[: max(_CHOICE, _DEEPER * request.k)]
            picked, reasons = select_covering(
                self._scores[: len(candidates)], self._period_scores(candidates), request.k
            )
        if not picked:
            return ()
        # All at once: the index may lie on a server, where each question takes its time.
        chosen = self._places[picked]
        documents, passages = self._view.documents(pool.document_rows[chosen]), self._view.texts(pool.rows[chosen])
        behind = [other for place in chosen.tolist() for other in self._behind.get(place, ())]
        if behind:
            self.hidden["a version or copy of a hit"] = len(behind)
            known = self._view.documents(pool.document_rows[behind])
            self._ids = {place: document.id for place, document in zip(behind, known, strict=True)}
        return tuple(
            self._hit(int(self._places[place]), float(self._scores[place]), document, passage, reason)
            for place, document, passage, reason in zip(picked, documents, passages, reasons, strict=True)
        )

    def _period_scores(self, places: Rows) -> Floats:
        pool = self._pool
        small = pool.at(places)
        terms = get_terms(pool)
        found = [find_evidence(replace(small, windows=(window,)), terms) for window in self._periods]
        return np.stack([item.match * item.local for item in found])

    def _hit(self, place: int, score: float, document: Document, passage: PassageText, reason: int) -> Hit:
        scored = self._scored
        parts = {name: float(values[place]) for name, values in scored.parts.items()}
        if shift := self._shift.get(place, 0.0):
            parts["version"] = float(shift)
        return Hit(
            document=document,
            score=score,
            parts=parts,
            passage=passage.text,
            passage_start=passage.start_char,
            evidence=self._evidence(place, document, passage.text, passage.start_char),
            period=self._periods[reason].span if reason >= 0 else None,
            superseded_by=self._successor(place, document),
            folded=tuple(self._ids[other] for other in self._behind.get(place, ())),
        )

    def _evidence(self, place: int, document: Document, text: str, offset: int) -> tuple[Evidence, ...]:
        scored = self._scored
        dating = -1 if scored.dating is None else int(scored.dating[place])
        if dating == -1 or scored.match is None or scored.local is None:
            told = None if scored.estimate is None else scored.estimate(place)
            return () if told is None else (Evidence(told.span, "", -1, -1, "", told.chance, 0.0, ESTIMATED_AXIS),)
        match, local = float(scored.match[place]), float(scored.local[place])
        for code, known, axis in ((PUBLISHED, document.published, "published"), (VALID, document.valid, "valid")):
            if dating == code and known is not None:
                return (Evidence(known, "", -1, -1, "", match, local, axis),)
        content = self._view.content
        start, end = int(content.start_chars[dating]), int(content.end_chars[dating])
        span = content.spans[dating]
        if start == TITLE:
            return (Evidence(span, document.title, -1, -1, document.title, match, local, "title"),)
        low, high = next((unit for unit in units(text) if unit[0] <= start < unit[1]), (0, len(text)))
        return (Evidence(span, text[start:end], offset + start, offset + end, text[low:high], match, local),)

    def _successor(self, place: int, document: Document) -> str | None:
        """The newest version of the document's series, where that is another one and is newer."""
        if document.series is None or document.published is None:
            return None
        row = self._pool.document_rows[[place]]
        members = self._view.series_members(int(self._view.series_of(row)[0]))
        published = self._view.published
        dated = np.flatnonzero(np.isin(published.rows, members))
        if self._request.as_of is not None:
            # Whoever looks from a past day does not know what came after it.
            dated = dated[published.spans.ends[dated] <= self._request.as_of.end]
        # "2019" is not known to be newer than a day of 2019.
        newer = published.spans.starts[dated] >= document.published.start
        dated = dated[newer & (published.spans.ends[dated] > document.published.end)]
        if not len(dated):
            return None
        newest = dated[int(published.spans.ends[dated].argmax())]
        return self._view.documents(published.rows[[newest]])[0].id


def _applied(
    request: Request,
    asked: Understanding,
    windows: tuple[Window, ...],
    selection: Selection,
    hits: _Hits,
    scored: Scored,
) -> tuple[Applied, ...]:
    found = list(selection.applied)
    filtered = set(request.sought) if request.strict else set()
    for window in windows:
        if window.span not in filtered:
            what = "was published" if window.axis == "publication" else "speaks of or was published"
            found.append(Applied("constraint", f"prefers what {what} {_in(window)}", window.span))
    if "freshness" in scored.parts:
        pace = asked.recency.replace("-", " ").lower()
        found.append(Applied("freshness", f"prefers what is new: such answers hold for about {pace}"))
    if scored.estimate is not None:
        found.append(Applied("estimate", "where a document has no time, estimates one from its words"))
    if request.undated == "penalise" and windows:
        found.append(Applied("undated", "documents without any date lose"))
    if hits.covered:
        found.append(Applied("coverage", f"chooses documents that cover {hits.period_count} periods"))
    if hits.hidden:
        found.append(Applied("versions", "versions and near-copies stand behind the one that speaks for them"))
    return tuple(found)


def _in(window: Window) -> str:
    words = window.span.describe()
    return words if words.startswith(("from ", "since ", "until ", "before ", "after ")) else f"in {words}"
