"""How often topics occur over time: documents that pass the relevance floor of a search, by year, month or reign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from epochal.encoders.base import Encoder
from epochal.errors import EpochalError
from epochal.ranking.histogram import Axis, Histogram, ReignCount, count_in_reigns, measure_histogram, seconds_between
from epochal.ranking.pool import Scorer
from epochal.ranking.terms import get_topic_terms
from epochal.reading.questions.understand import understand
from epochal.search.candidates import select
from epochal.search.request import Request
from epochal.search.search import run_search
from epochal.storage.protocol import Rows, View, drop_repeated, intersect_rows
from epochal.times.axis import Grain
from epochal.times.calendars.registry import calendars
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.span import Span

Counted = Literal["relevance", "words"]

#: Passages that share words with a question, at most, from which documents about it are collected.
_MATCHES: Final = 10_000
#: Words of a topic that a document must have; those beyond are not looked for.
_MAX_TOKENS: Final = 20
#: Documents with all words of a topic beyond which they are counted by these words, as too many to score.
_SCORED: Final = 5_000
#: Periods of a trend: months of some eighty years.
_MAX_PERIODS: Final = 1_000
_UNITS: Final = {"month": Grain.MONTH, "year": Grain.YEAR}


@dataclass(frozen=True, slots=True, eq=False)
class TopicDocuments:
    """The documents on a topic: by relevance, exactly or at least so many; or by words, where they are too many."""

    rows: Rows
    counted: Counted
    is_lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class Trend:
    """How many documents on a topic are from each of a row of periods, of which reigns have names.

    `total` counts all documents on the topic, as a search does, also those without a time (`undated`). Where `counted`
    is "words" they are too many to score, and those count that have all words of the topic; with `is_lower_bound` there
    are likely more than were scored.

    >>> Trend("floods", (Span.year(1998),), (3,), 3).to_dict()["counts"]
    [3]
    """

    topic: str
    periods: tuple[Span, ...]
    counts: tuple[int, ...]
    total: int
    undated: int = 0
    counted: Counted = "relevance"
    is_lower_bound: bool = False
    names: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are stable."""
        return {
            "topic": self.topic,
            "periods": [span.edtf() for span in self.periods],
            "names": list(self.names),
            "counts": list(self.counts),
            "total": self.total,
            "undated": self.undated,
            "counted": self.counted,
            "is_lower_bound": self.is_lower_bound,
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """A row for each period, with plain values, for a data frame."""
        names = self.names or ("",) * len(self.periods)
        return [
            {"topic": self.topic, "period": span.edtf(), "name": name, "count": count}
            for span, name, count in zip(self.periods, names, self.counts, strict=True)
        ]


def measure_trends(
    view: View, encoder: Encoder | None, requests: Sequence[Request], scorer: Scorer, by: str, within: Span | None
) -> list[Trend]:
    """A trend for the question of each request, all over the same periods."""
    low, high = seconds_between(within, within)
    everything, _ = count_over_time(view, by, _MAX_PERIODS, low, high, calendar=True)
    bounds = (everything.edges[0], everything.edges[-1]) if everything.edges else (low, high)
    return [_measure_trend(view, encoder, request, scorer, by, bounds) for request in requests]


def _measure_trend(
    view: View,
    encoder: Encoder | None,
    request: Request,
    scorer: Scorer,
    by: str,
    bounds: tuple[int | None, int | None],
) -> Trend:
    found = find_topic_documents(view, encoder, request, scorer)
    histogram, reigns = count_over_time(view, by, _MAX_PERIODS, *bounds, calendar=True, among=found.rows)
    periods, counts, names = tuple(histogram.periods), tuple(histogram.counts), tuple[str, ...]()
    if reigns is not None:
        days = [(Span.unit(item.start, Grain.DAY), Span.unit(item.end - 1, Grain.DAY)) for item in reigns]
        periods = tuple(Span.between(first, last) for first, last in days)
        counts, names = tuple(item.count for item in reigns), tuple(item.name for item in reigns)
    total, undated = histogram.documents, histogram.undated
    return Trend(request.question, periods, counts, total, undated, found.counted, found.is_lower_bound, names)


def count_over_time(
    view: View,
    by: str,
    bins: int,
    low: int | None,
    high: int | None,
    *,
    calendar: bool,
    axis: Axis = "auto",
    among: Rows | None = None,
) -> tuple[Histogram, list[ReignCount] | None]:
    """How many documents are from each month, year or what else fits, and from each reign where `by` is a calendar."""
    reigns = _get_regnal_calendar(by) if by and by not in _UNITS else None
    histogram = measure_histogram(
        view, bins, low, high, axis=axis, among=among, calendar=calendar, finest=_UNITS.get(by, Grain.DAY)
    )
    if reigns is None or not histogram.edges:
        return histogram, None
    start = histogram.edges[0] if low is None else low
    end = histogram.edges[-1] if high is None else high
    return histogram, count_in_reigns(view, reigns, start, end, axis=axis, among=among)


def _get_regnal_calendar(name: str) -> RegnalCalendar:
    found = calendars().get(name)
    if not isinstance(found, RegnalCalendar):
        what = "is no unit of a trend" if found is None else "is a calendar without reigns"
        raise EpochalError(f"by: {name!r} {what}; accepted: month, year, or a calendar with reigns, such as british")
    return found


def find_topic_documents(view: View, encoder: Encoder | None, request: Request, scorer: Scorer) -> TopicDocuments:
    """The documents that pass the relevance floor, as the total of a search counts them.

    Where the search has not scored all of them, and more have all words of the topic than can be scored, those with
    all words take their place: the best of so many would show nothing of when the others are from.
    """
    response = run_search(view, encoder, request, scorer, counts_all=True)
    rows = response.counter.rows
    is_scored = response.total is not None or not len(rows)
    if is_scored and not response.total_is_lower_bound:
        return TopicDocuments(rows, "relevance")
    named = find_documents_by_words(view, request.question, "all")
    if is_scored and len(named) <= _SCORED:
        return TopicDocuments(rows, "relevance", is_lower_bound=True)
    remaining = find_remaining_documents(view, request)
    return TopicDocuments(named if remaining is None else intersect_rows(named, remaining), "words")


def find_remaining_documents(view: View, request: Request) -> Rows | None:
    """The documents that the filters of a request leave; None for all of them."""
    rows = select(view, request, timed=False).rows
    return None if rows is None else drop_repeated(view.get_document_rows(rows))


def find_documents_by_words(view: View, question: str, words: Literal["any", "all"]) -> Rows:
    """Find the documents that share words with the topic of a question, or that have all of them in one passage."""
    understanding = understand(question)
    topic = understanding.topic or question
    if words == "any":
        return np.unique(view.get_document_rows(view.search_words(topic, _MATCHES).rows))
    tokens = get_topic_terms(view, understanding).tokens or tuple(view.analyse(topic))
    found: Rows | None = None
    for token in tokens[:_MAX_TOKENS]:
        rows = np.sort(view.search_words(token, view.passage_count, found).rows) if view.passage_count else view.alive
        found = rows if found is None else np.intersect1d(found, rows)
    return np.unique(view.get_document_rows(view.alive if found is None else found))
