"""What the service tells as JSON beside the records of the engine: documents, their times, expressions, readings."""

from __future__ import annotations

from typing import Any

import numpy as np

from epochal.errors import TimeRangeError
from epochal.index.backend import View
from epochal.index.exchange import row_of
from epochal.index.records import TITLE, Document
from epochal.reading.expr import TimeExpr
from epochal.reading.questions.question import period_record
from epochal.times import OPEN_END, OPEN_START, Grain, Reading, Span, renderings
from epochal.times.calendars import calendars
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.relative import distance

__all__ = ["document_record", "expression_record", "reading_record"]


def expression_record(expression: TimeExpr) -> dict[str, Any]:
    """A time expression, with the keys that `epochal tag` has.

    >>> record = expression_record(TimeExpr("March 1998", 3, 13, "DATE", "1998-03", Span.parse("1998-03")))
    >>> record["start"], record["value"], record["span"]
    (3, '1998-03', '1998-03')
    """
    return {
        "text": expression.text,
        "start": expression.start_char,
        "end": expression.end_char,
        "kind": expression.kind,
        "value": expression.value,
        "mod": expression.mod or None,
        "span": None if expression.span is None else expression.span.edtf(),
        "confidence": expression.confidence,
    }


def document_record(view: View, document: Document) -> dict[str, Any]:
    """A document with the times that were read in it, and the versions of its series from the oldest to the newest.

    >>> import tempfile
    >>> from epochal.engine import Index
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
    ...     _ = index.add([Document("p1", "Rain in May 1998.", series="rain")])
    ...     record = document_record(index.view(), index.get("p1"))
    >>> record["times"][0]["text"], [item["id"] for item in record["series"]]
    ('May 1998', ['p1'])
    """
    row = view.document_rows([document.id])
    times: list[dict[str, Any]] = []
    for passage in view.passages(view.rows_of(row)):
        for dating in passage.datings:
            in_title = dating.start_char == TITLE
            if in_title and passage.ordinal:
                continue  # each passage has the times of the title
            start, end = passage.start_char + dating.start_char, passage.start_char + dating.end_char
            times.append(
                {
                    **period_record(dating.span),
                    "axis": "title" if in_title else "content",
                    "text": document.title if in_title else document.text[start:end],
                    "start_char": -1 if in_title else start,
                    "end_char": -1 if in_title else end,
                    "confidence": dating.confidence,
                }
            )
    return {"document": row_of(document), "times": times, "series": _versions(view, document)}


def _versions(view: View, document: Document) -> list[dict[str, Any]]:
    if document.series is None:
        return []
    members = view.documents(np.asarray(view.series_members(view.series_code(document.series)), dtype=np.int64))
    return [
        {
            "id": item.id,
            "title": item.title,
            "published": None if item.published is None else item.published.edtf(),
            "valid": None if item.valid is None else item.valid.edtf(),
        }
        for item in sorted(members, key=_age)
    ]


def _age(document: Document) -> tuple[int, str]:
    """When a version began to speak; those that say nothing of it come first."""
    began = document.published or document.valid
    return (OPEN_START if began is None else began.start, document.id)


def reading_record(reading: Reading, now: Span) -> dict[str, Any]:
    """A reading of an expression, with the keys that `epochal when` has.

    >>> from epochal.times import resolve
    >>> record = reading_record(resolve("Meiji 10")[0], Span.year(2026))
    >>> record["edtf"], record["calendar"], record["date"]["year"], record["in"]["julian"]["first"]
    ('1877', 'nengo', 10, ['1876 (Julian)'])
    """
    span, date = reading.span, reading.date
    return {
        "calendar": reading.calendar,
        "text": reading.text,
        "words": span.describe(),
        "edtf": span.edtf(),
        "start": None if span.start == OPEN_START else span.start,
        "end": None if span.end == OPEN_END else span.end,
        "first_day": None if span.start == OPEN_START else Span.unit(span.start, Grain.DAY).edtf(),
        "last_day": None if span.end == OPEN_END else Span.unit(span.end - 1, Grain.DAY).edtf(),
        "first_year": span.first_year,
        "last_year": span.last_year,
        "grain": span.grain.label,
        "end_grain": span.end_grain.label,
        "certainty": span.certainty.label,
        "end_certainty": span.end_certainty.label,
        "distance": distance(span, now),
        "date": None
        if date is None
        else {
            "era": date.era,
            "year": date.year,
            "season": date.season or None,
            "month": date.month,
            "leap": date.leap,
            "day": date.day,
            "sexagenary": date.sexagenary or None,
        },
        "ordinal": _ordinal(reading),
        "in": {item.calendar: {"first": list(item.first), "last": list(item.last)} for item in renderings(span)},
    }


def _ordinal(reading: Reading) -> dict[str, Any] | None:
    """The key and place of a month in a calendar that has an ordinal axis."""
    item = calendars().get(reading.calendar)
    if not isinstance(item, RegnalCalendar) or not item.table.ordinal or reading.date is None:
        return None
    try:
        return {"key": item.key(reading.date), "place": item.ordinal(reading.date)}
    except TimeRangeError:
        return None  # years and seasons, and the two years that the axis leaves out, have no key
