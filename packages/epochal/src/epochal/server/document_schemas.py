"""Schemas of documents, coverage, answers, facts of the service, and problems."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StrictFloat, StrictInt, create_model

from epochal.search.request import list_options
from epochal.search.response import Outcome
from epochal.server.search_schemas import (
    WHERE,
    DocumentRow,
    PeriodModel,
    QueryModel,
    Question,
    RequestModel,
    ResponseModel,
    SpanModel,
    Time,
    TimeStep,
    make_option_fields,
)
from epochal.server.settings import MAX_BINS, MAX_ID, MAX_QUESTION

# ---------------------------------------------------------------- documents

# Strict: false is no number.
Textual = Annotated[str | StrictInt | None, Field(description="A text, or a whole number.")]
Dated = Annotated[
    str | StrictInt | StrictFloat | dict[str, Any] | None,
    Field(description="A date, as `epochal index` reads it.", examples=["2003-07-02"]),
]


class DocumentTime(PeriodModel):
    """A time that a document states: in its text at `start_char`, or in its title (-1)."""

    axis: Literal["title", "content"]
    text: str
    start_char: int
    end_char: int
    confidence: float


class VersionModel(ResponseModel):
    """A version of a series, or a neighbour."""

    id: str
    title: str
    published: str | None
    valid: str | None


class DocumentModel(ResponseModel):
    """A document, the times that it states, the versions of its series, oldest first, and its neighbours.

    `previous` and `next` are the documents stored before and after it.
    """

    document: DocumentRow
    times: list[DocumentTime]
    series: list[VersionModel]
    previous: VersionModel | None
    next: VersionModel | None


class GivenDocument(ResponseModel):
    """A document to store, with the keys that `epochal index` reads; other keys are stored as metadata."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"id": "p1", "text": "Tariffs fell last month.", "published": "2003-07-02"}}
    )

    id: Annotated[str, Field(min_length=1, max_length=MAX_ID)] | StrictInt
    text: Textual = None
    title: Textual = None
    published: Dated = None
    valid: Dated = None
    valid_from: Dated = None
    valid_to: Dated = None
    series: Textual = None


class GivenDocuments(RequestModel):
    """Documents to store: all of them or, if one is wrong, none."""

    documents: list[GivenDocument]


class AddedModel(ResponseModel):
    """How many documents were new or changed, and the generation of the index afterwards."""

    added: int
    given: int
    generation: int


class DeletedModel(ResponseModel):
    """How many documents were deleted, and the generation of the index afterwards."""

    deleted: int
    generation: int


class CoverageQuery(QueryModel):
    """The range and bins of a histogram."""

    bins: int = Field(200, ge=1, le=MAX_BINS, description="The number of bins.")
    calendar: bool = Field(
        False,
        description="Whether bins are whole days, weeks, months or years, at most `bins` of them; without a start and "
        "an end they leave out the few times that lie far from the others.",
    )
    by: str | None = Field(
        None,
        max_length=64,
        description="`month` or `year`: bins are these, or coarser where they would be more than `bins`. The name of a "
        "regnal calendar, such as `lu` or `british`: a bin for each reign, with its name.",
    )
    first: Time = Field(None, alias="from", description="The start; the first time unless given.")
    last: Time = Field(None, alias="to", description="The end; after the last time unless given.")
    q: str | None = Field(
        None, max_length=MAX_QUESTION, description="Count only documents on the topic of this question."
    )
    words: Literal["any", "all", "relevant"] = Field(
        "any",
        description="Whether a document on a topic has any word of it, has all of them, or passes the relevance floor, "
        "as `total` of a search counts. Where more than 5,000 documents have all words, these count instead; `counted` "
        "says so.",
    )
    where: Annotated[str | None, Field(max_length=MAX_QUESTION, examples=["lang=en"])] = Field(
        None, description="Count only documents whose metadata meet these conditions."
    )
    as_of: Time = Field(None, description="Count only documents published by then.")
    valid_at: Time = Field(None, description="Count only documents valid on this date.")
    now: Time = Field(None, description="The present of the question; the server's clock unless given.")
    axis: Literal["auto", "published", "content"] = Field(
        "auto", description="Publication dates, times that texts state, or the first of these that exists."
    )


class BinModel(ResponseModel):
    """A bin, the units in which it starts and ends, how many documents are in it, and the name of a reign."""

    start: int
    end: int
    start_edtf: str
    end_edtf: str
    count: int
    name: str | None = None


class UsualSpan(ResponseModel):
    """The range of all times except the outermost 1 % at each end, in seconds."""

    start: int
    end: int


class CoverageModel(ResponseModel):
    """A histogram of documents over time. `first` and `last` bound all times, also outside the range shown.

    `counted` says which documents count: all, those on the topic by relevance, or those with words of it. With
    `is_lower_bound` there are likely more that pass the relevance floor.
    """

    counted: Literal["all", "relevance", "words"]
    is_lower_bound: bool
    bins: list[BinModel]
    first: str | None
    last: str | None
    usual: UsualSpan | None
    undated: int
    documents: int
    generation: int


# ---------------------------------------------------------------- answers

_MAX_CITED = 50


_AnswerOptions: Any = create_model(
    "AnswerOptions",
    __base__=RequestModel,
    **{
        **make_option_fields(
            list_options("answer"), k={"le": _MAX_CITED, "description": "how many documents are cited for each time"}
        ),
        "where": WHERE,
    },
)


class AnswerBody(_AnswerOptions):
    """A question to answer."""

    question: Question
    stream: bool = Field(
        False,
        description="Send events: `timeline`, the answer of quotes only, if a language model writes answers; "
        "then `answer` or `problem`.",
    )


class AnswerCitation(ResponseModel):
    """A cited document; `quote` is the text at `start_char`, word for word."""

    number: int
    id: str
    title: str
    quote: str
    start_char: int
    end_char: int
    date: SpanModel | None
    dated_by: str
    standing: str
    part: int
    published: SpanModel | None
    superseded_by: str | None
    behind: list[str]


class AnswerPart(ResponseModel):
    """What the documents say about one period of the question; null for any time."""

    period: PeriodModel | None
    outcome: Outcome
    sentence: str
    citations: list[int]
    more: int


class AnswerQuote(ResponseModel):
    """The words of a citation that support a claim."""

    number: int
    quote: str
    start_char: int
    end_char: int


class AnswerClaim(ResponseModel):
    """A sentence of the language model whose quotes were verified."""

    text: str
    quotes: list[AnswerQuote]


class AnswerMissing(ResponseModel):
    """What the answer lacks."""

    sentence: str
    period: PeriodModel | None
    outcome: Outcome | None


class AnswerModel(ResponseModel):
    """An answer, as `epochal answer --json` prints it. Without a language model its citations are the answer."""

    question: str
    now: str | None
    as_of: str | None
    newest: str | None
    outcome: Outcome
    is_refused: bool
    text: str
    times: list[dict[str, Any]]
    parts: list[AnswerPart]
    citations: list[AnswerCitation]
    claims: list[AnswerClaim]
    missing: list[AnswerMissing]
    model: str
    plan: list[TimeStep]
    hidden: dict[str, int]


# ---------------------------------------------------------------- the service itself


class InfoLimits(ResponseModel):
    """The limits of requests."""

    question: int
    k: int
    bins: int
    body: int
    documents_body: int
    text: int
    seconds: float


class ReignsModel(ResponseModel):
    """A regnal calendar."""

    name: str
    title: str


class InfoModel(ResponseModel):
    """Facts of the index and the service."""

    title: str = Field(description="The name of the index: that of its folder.")
    language: str = Field(description="The language of most documents, in English; empty if unknown.")
    examples: list[str] = Field(description="Titles or openings of some documents, to search for.")
    version: str
    documents: int
    generation: int
    encoder: str = Field(description="The name of the encoder; empty without vectors.")
    writable: bool
    answers: bool = Field(description="Whether /api/v1/answer answers.")
    language_model: str | None = Field(description="The language model that writes answers; null without one.")
    bench: bool = Field(description="Whether /api/v1/bench has results to show.")
    first: str | None
    last: str | None
    undated: int
    reigns: list[ReignsModel] = Field(description="Regnal calendars in which the documents are from several reigns.")
    damaged: list[str] = Field(description="Ids of documents that are not what was stored, 20 at most.")
    scorers: list[str]
    limits: InfoLimits


class HealthModel(ResponseModel):
    """Whether the service runs and can read its index."""

    status: str = Field(description='"ok"; "damaged" if there are damaged documents; "unready".')
    ready: bool
    documents: int
    generation: int
    damaged: int = Field(description="How many documents were found that are not what was stored.")


class ProblemPlace(ResponseModel):
    """What is wrong with one value of a request."""

    where: str
    problem: str


class ProblemDetails(ResponseModel):
    """A problem, in the form of RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ProblemPlace] = Field(default_factory=list)
