"""The histogram of documents over time that a request asks for: by bins, units of the calendar, or reigns."""

from __future__ import annotations

from typing import Any, Final

from epochal.ranking.histogram import Histogram, seconds_between
from epochal.search.request import Request, parse_time
from epochal.search.response import find_missing_shards
from epochal.search.trends import (
    count_over_time,
    find_documents_by_words,
    find_remaining_documents,
    find_topic_documents,
)
from epochal.server.document_schemas import CoverageQuery
from epochal.server.settings import MAX_BINS
from epochal.server.state import Service
from epochal.storage.protocol import intersect_rows, name_state
from epochal.times.axis import DAY
from epochal.times.calendars.registry import calendars
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.span import Span

#: The question of a request that counts all documents; it is not searched for.
_ANYTHING: Final = "anything"


def measure_documents(service: Service, query: CoverageQuery) -> dict[str, Any]:
    """The histogram that a query asks for; it is cached until the index changes."""
    now = service.clock.now()
    low, high = seconds_between(_read_time(query.first, "from", now), _read_time(query.last, "to", now))
    options = {"where": query.where, "as_of": query.as_of, "valid_at": query.valid_at, "now": query.now}
    question, by = (query.q or "").strip(), (query.by or "").strip()
    request = Request.parse({"question": question or _ANYTHING, **options}, now)
    view = service.reader.view()

    def measure() -> dict[str, Any]:
        counted: dict[str, Any] = {"counted": "words" if question else "all", "is_lower_bound": False}
        if not question:
            among = find_remaining_documents(view, request)
        elif query.words == "relevant":
            found = find_topic_documents(view, service.reader.encoder, request, service.reader.scorer(None))
            among = found.rows
            counted = {"counted": found.counted, "is_lower_bound": found.is_lower_bound}
        else:
            among = find_documents_by_words(view, question, query.words)
            remaining = find_remaining_documents(view, request)
            among = among if remaining is None else intersect_rows(among, remaining)
        calendar = query.calendar or bool(by)
        histogram, reigns = count_over_time(
            view, by, query.bins, low, high, calendar=calendar, axis=query.axis, among=among
        )
        record = {**histogram.to_dict(), **counted, "generation": view.generation}
        if reigns is not None:
            record["bins"] = [item.to_dict() for item in reigns[:MAX_BINS]]
        return record

    # The present matters where a topic names a time by it ("last year"); days are fine enough.
    present = None if request.now is None else request.now.start // DAY
    which = (query.bins, query.calendar, by, low, high, query.axis, question, query.words)
    filters = (query.where, request.as_of, request.valid_at, present if question else None)
    key = (name_state(view), find_missing_shards(view), *which, *filters)
    record: dict[str, Any] = service.histograms.get(key, measure)
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


def _read_time(text: str | None, name: str, now: Span) -> Span | None:
    return None if text is None or not text.strip() else parse_time(text, name, now)
