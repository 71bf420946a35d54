"""What the service tells as JSON beside the records of the engine: documents with their times and versions."""

from __future__ import annotations

from typing import Any

import numpy as np

from epochal.index.backend import View
from epochal.index.exchange import row_of
from epochal.index.records import TITLE, Document
from epochal.reading.questions.question import period_record
from epochal.times import OPEN_START

__all__ = ["document_record"]


def document_record(view: View, document: Document) -> dict[str, Any]:
    """A document with the times that were read in it, and the versions of its series from the oldest to the newest.

    >>> import tempfile
    >>> from epochal.engine.index import Index
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
