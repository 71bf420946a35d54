"""The histogram of documents over time that a request asks for: by bins, units of the calendar, or reigns."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np

from epochal.errors import EpochalError
from epochal.ranking.histogram import Histogram, count_in_reigns, measure_histogram, seconds_between
from epochal.ranking.terms import get_topic_terms
from epochal.reading.questions.understand import understand
from epochal.search.request import parse_time
from epochal.search.response import find_missing_shards
from epochal.server.document_schemas import CoverageQuery
from epochal.server.settings import MAX_BINS
from epochal.server.state import Service
from epochal.storage.protocol import Rows, View, name_state
from epochal.times.axis import DAY, Grain
from epochal.times.calendars.registry import calendar, calendars
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.span import Span

#: How many passages that share words with a question are collected to find the documents about it.
_MATCHES: Final = 10_000
#: Words of a topic that a document must have; those beyond are not looked for.
_MAX_TOKENS: Final = 20
_UNITS: Final = {"month": Grain.MONTH, "year": Grain.YEAR}


def measure_documents(service: Service, query: CoverageQuery) -> dict[str, Any]:
    """The histogram that a query asks for; it is cached until the index changes."""
    now = service.clock.now()
    low, high = seconds_between(_read_time(query.first, "from", now), _read_time(query.last, "to", now))
    view = service.reader.view()
    question = (query.q or "").strip()
    by = (query.by or "").strip()
    reigns = _get_regnal_calendar(by) if by and by not in _UNITS else None

    def measure() -> dict[str, Any]:
        among = _find_documents(view, question, query.words) if question else None
        histogram = measure_histogram(
            view,
            query.bins,
            low,
            high,
            axis=query.axis,
            among=among,
            calendar=query.calendar or bool(by),
            finest=_UNITS.get(by, Grain.DAY),
        )
        record = {**histogram.to_dict(), "generation": view.generation}
        if reigns is not None and histogram.edges:
            start = histogram.edges[0] if low is None else low
            end = histogram.edges[-1] if high is None else high
            counted = count_in_reigns(view, reigns, start, end, axis=query.axis, among=among)
            record["bins"] = [item.to_dict() for item in counted[:MAX_BINS]]
        return record

    which = (query.bins, query.calendar, by, low, high, query.axis, question, query.words)
    record: dict[str, Any] = service.histograms.get((name_state(view), find_missing_shards(view), *which), measure)
    return record


def list_reign_calendars(histogram: Histogram) -> list[dict[str, str]]:
    """The regnal calendars in which the documents are from several reigns, each with its name and title."""
    if histogram.usual is None:
        return []
    low, high = (second // DAY for second in histogram.usual)
    return [
        {"name": item.name, "title": item.title}
        for item in calendars().values()
        if isinstance(item, RegnalCalendar) and 2 <= len(item.list_reigns(low, high + 1)) <= MAX_BINS
    ]


def _get_regnal_calendar(name: str) -> RegnalCalendar:
    found = calendar(name)
    if not isinstance(found, RegnalCalendar):
        raise EpochalError(f"the calendar {name!r} has no reigns; accepted: month, year, or a regnal calendar")
    return found


def _read_time(text: str | None, name: str, now: Span) -> Span | None:
    return None if text is None or not text.strip() else parse_time(text, name, now)


def _find_documents(view: View, question: str, words: Literal["any", "all"]) -> Rows:
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
