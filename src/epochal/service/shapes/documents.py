"""The shapes of documents, of changes to them, and of their spread over time."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from epochal.service.limits import MOST_BINS, MOST_ID, MOST_QUESTION
from epochal.service.shapes.base import Asked, Time, Told
from epochal.service.shapes.search import DocumentRow
from epochal.service.shapes.times import Period

__all__ = [
    "Added",
    "Bin",
    "CoverageQuery",
    "Deleted",
    "DocumentPath",
    "DocumentTime",
    "GivenDocument",
    "GivenDocuments",
    "OneDocument",
    "Spread",
    "Usual",
    "Version",
]

Textual = Annotated[str | int | None, Field(description="A text, or a whole number.")]
Dated = Annotated[
    str | int | float | dict[str, Any] | None,
    Field(description="A date, as `epochal index` reads it.", examples=["2003-07-02"]),
]


class DocumentPath(Asked):
    """Which document.

    >>> DocumentPath(id="p1").id
    'p1'
    """

    id: str = Field(min_length=1, max_length=MOST_ID, description="The id of the document.", examples=["p1"])


class DocumentTime(Period):
    """A time that was read in a document: in its text from `start_char`, or in its title, with -1.

    >>> "confidence" in DocumentTime.model_fields
    True
    """

    axis: Literal["title", "content"]
    text: str
    start_char: int
    end_char: int
    confidence: float


class Version(Told):
    """A version of a series.

    >>> Version(id="fees-2", title="Fees", published="2009-01-01", valid=None).id
    'fees-2'
    """

    id: str
    title: str
    published: str | None
    valid: str | None


class OneDocument(Told):
    """A document, the times that were read in it, and the versions of its series, the oldest first.

    >>> OneDocument(document=DocumentRow(id="p1", text="Rain."), times=[], series=[]).series
    []
    """

    document: DocumentRow
    times: list[DocumentTime]
    series: list[Version]


class GivenDocument(Told):
    """A document to store, with the keys that `epochal index` reads; others are kept with it.

    >>> GivenDocument(id="p1", text="Rain.").title is None
    True
    """

    model_config = ConfigDict(
        json_schema_extra={"example": {"id": "p1", "text": "Tariffs fell last month.", "published": "2003-07-02"}}
    )

    id: Annotated[str, Field(min_length=1, max_length=MOST_ID)] | int
    text: Textual = None
    title: Textual = None
    published: Dated = None
    valid: Dated = None
    valid_from: Dated = None
    valid_to: Dated = None
    series: Textual = None


class GivenDocuments(Asked):
    """Documents to store: all of them or, where one is wrong, none.

    >>> GivenDocuments(documents=[]).documents
    []
    """

    documents: list[GivenDocument]


class Added(Told):
    """How many documents were new or changed, and the generation of the index after it.

    >>> Added(added=2, given=3, generation=7).added
    2
    """

    added: int
    given: int
    generation: int


class Deleted(Told):
    """How many documents were deleted, and the generation of the index after it.

    >>> Deleted(deleted=1, generation=8).deleted
    1
    """

    deleted: int
    generation: int


class CoverageQuery(Asked):
    """What to count.

    >>> CoverageQuery(**{"from": "1998"}).first
    '1998'
    """

    bins: int = Field(200, ge=1, le=MOST_BINS, description="How many equal stretches.")
    first: Time = Field(None, alias="from", description="Where to begin; at the first time unless given.")
    last: Time = Field(None, alias="to", description="Where to end; after the last time unless given.")
    q: str | None = Field(
        None, max_length=MOST_QUESTION, description="Count documents with words of this question only."
    )
    axis: Literal["auto", "published", "content"] = Field(
        "auto", description="Times of publication, times that texts speak of, or the first of these that there is."
    )


class Bin(Told):
    """A stretch, the units in which it begins and ends, and how many documents lie in it.

    >>> Bin(start=0, end=86400, start_edtf="1970-01-01", end_edtf="1970-01-01", count=3).count
    3
    """

    start: int
    end: int
    start_edtf: str
    end_edtf: str
    count: int


class Usual(Told):
    """The stretch in which all times lie but the outermost hundredth at each end, in seconds.

    >>> Usual(start=0, end=86400).end
    86400
    """

    start: int
    end: int


class Spread(Told):
    """How documents are spread over time. `first` and `last` bound all times, whatever part of them is shown.

    >>> Spread(bins=[], first=None, last=None, usual=None, undated=0, documents=0, generation=0).documents
    0
    """

    bins: list[Bin]
    first: str | None
    last: str | None
    usual: Usual | None
    undated: int
    documents: int
    generation: int
