"""Documents: looking at one, adding some, deleting one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.index.inputs.dates import DateReader
from epochal.index.inputs.fields import Fields, document_of
from epochal.index.inputs.rows import Row
from epochal.index.records import Document
from epochal.service.limits import MOST_DOCUMENTS_BODY, MOST_ID, MOST_SHOWN
from epochal.service.operations import JSON, Body, Operation
from epochal.service.problems import ProblemError
from epochal.service.records import document_record
from epochal.service.shapes.documents import Added, Deleted, DocumentPath, GivenDocuments, OneDocument
from epochal.service.state import Service
from epochal.service.wire import read_json

__all__ = ["OPERATIONS"]

NDJSON: Final = "application/x-ndjson"
_ROW: Final = {"id": "p2", "title": "Lower tariffs", "text": "Tariffs fell last month.", "published": "2003-07-02"}


def _get(service: Service, asked: DocumentPath) -> dict[str, Any]:
    view = service.reader.view()
    document = view.document(asked.id)
    if document is None:
        raise _unknown(asked.id)
    return document_record(view, document)


def _add(service: Service, asked: GivenDocuments) -> dict[str, Any]:
    documents = _documents(item.model_dump(exclude_unset=True) for item in asked.documents)
    if service.writer is None:
        raise ProblemError("read-only", "this service is read-only")
    added, generation = service.writer.add(documents)
    service.metrics.count("documents_added", added)
    return {"added": added, "given": len(documents), "generation": generation}


def _delete(service: Service, asked: DocumentPath) -> dict[str, Any]:
    if service.writer is None:
        raise ProblemError("read-only", "this service is read-only")
    deleted, generation = service.writer.delete([asked.id])
    if not deleted:
        raise _unknown(asked.id)
    service.metrics.count("documents_deleted", deleted)
    return {"deleted": deleted, "generation": generation}


def _unknown(id: str) -> ProblemError:
    return ProblemError("not-found", f"no document has the id {id!r}")


def _documents(rows: Iterable[Mapping[str, Any]]) -> list[Document]:
    """The documents of rows; where one is wrong, a problem that names all that are, and nothing is stored."""
    dates = DateReader()
    found: list[Document] = []
    wrong: list[dict[str, str]] = []
    for place, row in enumerate(rows):
        try:
            document = document_of(Row("body", place + 1, dict(row)), Fields(), dates)
            if len(document.id) > MOST_ID:
                raise EpochalError(f"the id has {len(document.id):,} characters; accepted: up to {MOST_ID}")
            if "\x00" in document.id:
                raise EpochalError("the id holds a NUL; accepted: any other characters")
        except EpochalError as error:
            wrong.append({"where": f"documents.{place}", "problem": str(error)})
        else:
            found.append(document)
    if wrong:
        more = f"; {len(wrong) - 1:,} more" if len(wrong) > 1 else ""
        sentence = f"{wrong[0]['where']}: {wrong[0]['problem']}{more}; nothing was stored"
        raise ProblemError("not-accepted", sentence, errors=wrong)
    return found


def _read_lines(body: bytes) -> dict[str, Any]:
    """One object a line, as what a body of JSON would hold; blank lines are passed over."""
    rows: list[Any] = []
    wrong: list[dict[str, str]] = []
    for number, line in enumerate(body.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(read_json(line, f"line {number}"))
        except ProblemError as error:
            wrong.append({"where": f"line {number}", "problem": error.detail})
            if len(wrong) == MOST_SHOWN:
                break
    if wrong:
        raise ProblemError("malformed", f"{wrong[0]['problem']}; nothing was stored", errors=wrong)
    return {"documents": rows}


OPERATIONS: Final = (
    Operation(
        name="document",
        method="GET",
        path="/api/v1/documents/{id}",
        summary="A document, the times that were read in it, and its versions.",
        asks=DocumentPath,
        tells=OneDocument,
        handle=_get,
        example={"id": "p2"},
        told={
            "document": _ROW,
            "times": [
                {
                    "span": "2003-06",
                    "start": 1054425600,
                    "end": 1057017600,
                    "words": "June 2003",
                    "axis": "content",
                    "text": "last month",
                    "start_char": 13,
                    "end_char": 23,
                    "confidence": 1.0,
                }
            ],
            "series": [],
        },
        kinds=("not-found",),
    ),
    Operation(
        name="delete_document",
        method="DELETE",
        path="/api/v1/documents/{id}",
        summary="Delete a document.",
        asks=DocumentPath,
        tells=Deleted,
        handle=_delete,
        example={"id": "p2"},
        told={"deleted": 1, "generation": 8},
        kinds=("not-found",),
        lane="write",
        seconds="write_seconds",
    ),
    Operation(
        name="add_documents",
        method="POST",
        path="/api/v1/documents",
        summary="Store documents, in place of those with the same ids: all of them or, where one is wrong, none.",
        asks=GivenDocuments,
        tells=Added,
        handle=_add,
        example={"documents": [_ROW]},
        told={"added": 1, "given": 1, "generation": 7},
        lane="write",
        body=Body(
            types={JSON: read_json, NDJSON: _read_lines},
            examples={NDJSON: '{"id": "p2", "text": "Tariffs fell last month.", "published": "2003-07-02"}\n'},
            most=MOST_DOCUMENTS_BODY,
        ),
        seconds="write_seconds",
    ),
)
