"""Schemas of requests and responses that search and read time; those of a search are derived from its options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from epochal.search.explain import Provenance
from epochal.search.request import ALIASES, OPTIONS, list_options, make_field_arguments
from epochal.search.response import Outcome
from epochal.server.problems import ProblemError
from epochal.server.settings import MAX_EDITS, MAX_HITS, MAX_NAME, MAX_QUESTION, MAX_TEXT, MAX_TIME

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_BOOLEANS: Final = {"true": True, "false": False}

Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_QUESTION,
        pattern=r"\S",
        description="The question, in plain words.",
        examples=["What happened to steel tariffs in 2003?"],
    ),
]
#: A time in a request; the description of each field says what for.
Time = Annotated[str | None, Field(max_length=MAX_TIME, examples=["2003-07"])]
Name = Annotated[str | None, Field(max_length=MAX_NAME)]

# ---------------------------------------------------------------- the base of all schemas


class RequestModel(BaseModel):
    """The body of a request. No value is converted to another type, and unknown names are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class QueryModel(RequestModel):
    """The query string of a request, converted to the types of the fields; blank text counts as not given."""

    @model_validator(mode="before")
    @classmethod
    def read_text(cls, value: Any) -> Any:
        """Convert text to the types of the fields; what cannot be converted stays, and validation refuses it."""
        if not isinstance(value, Mapping):
            return value
        model: Any = cls
        kinds, fields = _find_kinds(model), {}
        for name, text in value.items():
            kind = kinds.get(name)
            if text == "" and kind == "text":
                continue
            if kind == "integer" and isinstance(text, str) and _WHOLE.fullmatch(text):
                fields[name] = int(text)
            elif kind == "boolean" and text in _BOOLEANS:
                fields[name] = _BOOLEANS[text]
            else:
                fields[name] = text
        return fields


@cache
def _find_kinds(model: Any) -> Mapping[str, str]:
    """The JSON type of each property; "text" for a string that may be empty."""
    return {name: _find_kind(about) for name, about in model.model_json_schema().get("properties", {}).items()}


def _find_kind(about: Mapping[str, Any]) -> str:
    (value,) = [part for part in about.get("anyOf", [about]) if part.get("type") != "null"]
    bounded = "enum" in value or "minLength" in {**value, **about}
    return "text" if value.get("type") == "string" and not bounded else str(value.get("type"))


class ResponseModel(BaseModel):
    """A response; it may have more keys than those described."""

    model_config = ConfigDict(extra="allow", frozen=True)


# ---------------------------------------------------------------- reading time

Seconds = Annotated[int | None, Field(description="Seconds since 1970, UTC; null where it is open.")]
Edtf = Annotated[str, Field(description="EDTF.", examples=["2003-07"])]


class UnderstandQuery(QueryModel):
    """A question to analyse."""

    q: Question
    now: Time = Field(None, description="The reference time; the server's clock unless given.")


class TagBody(RequestModel):
    """A text to find time expressions in."""

    text: str = Field(min_length=1, max_length=MAX_TEXT, description="The text.", examples=["Sold in May 1998."])
    dct: Time = Field(None, description="The date of the text, from which 'last week' counts.")
    lang: str = Field("auto", description="The code of the language of the text, or auto to detect it.")
    events: bool = Field(False, description="Whether named events count too, such as 'the Korean War'.")


class TagQuery(QueryModel, TagBody):
    """A short text to find time expressions in."""

    text: str = Field(min_length=1, max_length=MAX_QUESTION, description="The text.", examples=["Sold in May 1998."])


class WhenQuery(QueryModel):
    """A time expression in any calendar."""

    expr: str = Field(
        min_length=1,
        max_length=MAX_TIME,
        pattern=r"\S",
        description="EDTF, ISO 8601, words, or a date of any calendar.",
        examples=["魯隱公元年十二月"],
    )
    calendar: Name = Field(None, description="Read it in this calendar only.", examples=["nengo"])
    now: Time = Field(None, description="The reference time of 'last year'; the server's clock unless given.")
    check: bool = Field(False, description="Answer with no readings and a `problem` where it cannot be read.")


class SpanModel(ResponseModel):
    """A span of time."""

    span: Edtf
    start: Seconds
    end: Seconds


class PeriodModel(SpanModel):
    """A span of time, and its description in words."""

    words: str


class MentionModel(ResponseModel):
    """Where in a question a time is stated."""

    text: str
    start: int
    end: int
    confidence: float


class ConstraintModel(SpanModel):
    """A time that the answer must have. `drop` refers to it by its index in the list."""

    relation: str
    axis: Literal["content", "publication"]
    #: Whether something must begin or end then.
    edge: Literal["start", "end"] | None
    evidence: MentionModel | None


class TimeStep(ResponseModel):
    """A step of a plan, and the period that it searches, as EDTF."""

    step: int
    action: str
    period: str | None


class OrderModel(ResponseModel):
    """Which of several things a question takes by their time; `anchor` is EDTF."""

    kind: Literal["newest", "oldest", "nth", "last_before", "first_after"]
    n: int
    from_end: bool
    anchor: str | None


class UnderstandingModel(ResponseModel):
    """What a question asks about time, as `epochal understand --json` prints it."""

    intent: str
    temporal_class: str
    recency: str
    constraints: list[ConstraintModel]
    periods: list[PeriodModel]
    order: OrderModel | None
    as_of: str | None
    plan: list[TimeStep]
    not_understood: list[str]
    topic: str
    anchors: list[str]
    granularity: str
    cross_period: bool
    reasoning_class: str
    half_life: float | None
    is_temporal: bool
    temporal_focus: str
    variants: dict[str, str]
    answer_kind: str


class ExpressionModel(ResponseModel):
    """A time expression, as `epochal tag` prints it."""

    text: str
    start: int
    end: int
    kind: Literal["DATE", "TIME", "DURATION", "SET"]
    value: str
    mod: str | None
    span: str | None
    confidence: float


class TagModel(ResponseModel):
    """The time expressions of a text, in order."""

    expressions: list[ExpressionModel]


class CalendarDateModel(ResponseModel):
    """A date in its own calendar."""

    era: str | None
    year: int | None
    season: str | None
    month: int | None
    leap: bool
    day: int | None
    sexagenary: str | None


class Ordinal(ResponseModel):
    """A month on the axis of a calendar that only orders its months."""

    key: str
    place: int


class InCalendar(ResponseModel):
    """The first and the last day of a span as a calendar writes them; several where eras overlap."""

    first: list[str]
    last: list[str]


class InterpretationModel(ResponseModel):
    """One interpretation of an expression, as `epochal when --json` prints it."""

    calendar: str = Field(max_length=MAX_NAME)
    text: str
    words: str
    edtf: Edtf
    start: Seconds
    end: Seconds
    first_day: str | None
    last_day: str | None
    first_year: int | None
    last_year: int | None
    grain: str
    end_grain: str
    certainty: str
    end_certainty: str
    distance: str
    date: CalendarDateModel | None
    ordinal: Ordinal | None
    within: dict[str, InCalendar] = Field(alias="in")


class WhenModel(ResponseModel):
    """All interpretations of an expression."""

    text: str
    now: str
    readings: list[InterpretationModel]
    problem: str | None = Field(None, description="Why it cannot be read; present if the request has `check`.")


# ---------------------------------------------------------------- searching, derived from SearchOptions


def _capitalise(sentence: str) -> str:
    return f"{sentence[0].upper()}{sentence[1:]}."


def make_option_fields(names: Iterable[str], **changes: Mapping[str, Any]) -> dict[str, Any]:
    """Make fields of search options for `create_model`; `changes` are arguments of `Field`."""
    longest = {"time": MAX_TIME, "name": MAX_NAME, "scorer": MAX_NAME, "where": MAX_QUESTION}
    texts: dict[str, dict[str, Any]] = {
        name: {"max_length": longest[option.kind], "examples": [option.example or "2003-07"]}
        for name, option in OPTIONS.items()
        if option.kind in longest
    }
    field_arguments = make_field_arguments(
        names,
        spell=lambda name: f"`{name}`",
        notes={"now": "the server's clock unless given", "scorer": "see the list in /api/v1/info"},
        **{**texts, **changes},
    )
    option_fields: dict[str, Any] = {}
    for name, (kind, about) in field_arguments.items():
        about["description"] = _capitalise(about["description"])
        option_fields[name] = (kind, Field(**about))
    return option_fields


_SEARCH_FIELDS: Final[dict[str, Any]] = {
    **make_option_fields(list_options("service"), k={"le": MAX_HITS}),
    **{
        alias: (
            bool | None,
            Field(None, json_schema_extra={"deprecated": True}, description=f"The earlier name of `{name}`."),
        )
        for alias, name in ALIASES.items()
    },
    "explain": (bool, Field(False, description="Return the milliseconds of each step in `timings`.")),
    "overview": (bool, Field(False, description="Describe and count all documents that answer, not only the hits.")),
}
_QueryOptions: Any = create_model("SearchQueryOptions", __base__=QueryModel, **_SEARCH_FIELDS)
WHERE: Final = (
    dict[str, Any] | Annotated[str, Field(max_length=MAX_QUESTION)] | None,
    Field(None, description=_SEARCH_FIELDS["where"][1].description, examples=[{"lang": "en", "year": {">=": 1990}}]),
)
_BodyOptions: Any = create_model("SearchBodyOptions", __base__=RequestModel, **{**_SEARCH_FIELDS, "where": WHERE})


class SearchQuery(_QueryOptions):
    """A question and its options, in the query string."""

    q: Question


class SearchBody(_BodyOptions):
    """A question and its options, in a body, with corrections of what the question was understood to ask."""

    question: Question
    drop: list[Annotated[int, Field(ge=0, le=1_000)]] = Field(
        default_factory=list,
        max_length=MAX_EDITS,
        description="Constraints of the question to ignore, by their index in `understanding.constraints`.",
        examples=[[0]],
    )
    periods: list[Annotated[str, Field(min_length=1, max_length=MAX_TIME)]] | None = Field(
        None,
        max_length=MAX_EDITS,
        description="Times that replace those of the question; an empty list for none.",
        examples=[["1998", "2003"]],
    )


def read_options(model: BaseModel) -> dict[str, Any]:
    """Collect the search options of a request for `SearchOptions.parse`; earlier names become today's."""
    options: dict[str, Any] = {}
    for name in sorted(model.model_fields_set & (OPTIONS.keys() | ALIASES.keys())):
        value = getattr(model, name)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        current = ALIASES.get(name, name)
        if current in options:
            raise ProblemError(
                "not-accepted", f"{current}: given more than once, as {' and as '.join([name, current])}"
            )
        options[current] = value
    return options


class DocumentRow(ResponseModel):
    """A document, without empty fields. A time is EDTF, or an object where EDTF cannot express it."""

    id: str
    text: str
    title: str = ""
    published: str | dict[str, Any] | None = None
    valid: str | dict[str, Any] | None = None
    series: str | None = None
    meta: dict[str, Any] = Field(default_factory=dict)


class EvidenceModel(SpanModel):
    """A time that supports a hit: `text` is at `start_char` of the document's text, -1 for a date of the document."""

    axis: str
    text: str
    start_char: int
    end_char: int
    context: str
    match: float
    local: float


class HitTimeModel(SpanModel):
    """A time of a hit and where it comes from; `text` are the words that state it, of `source` if that is given."""

    provenance: Provenance
    text: str
    start_char: int
    end_char: int
    context: str
    local: float
    source: str | None
    match: float | None


class HitModel(ResponseModel):
    """A document that matches; `parts` sum to `score`."""

    id: str
    score: float | None
    parts: dict[str, float | None]
    passage: str
    passage_start: int
    evidence: list[EvidenceModel]
    times: list[HitTimeModel]
    period: SpanModel | None
    superseded_by: str | None
    folded: list[str]
    relevance: float | None
    document: DocumentRow


class AppliedStep(ResponseModel):
    """A step that was applied; one that is `strict` may exclude documents."""

    name: str
    sentence: str
    strict: bool
    span: SpanModel | None


class FieldCount(ResponseModel):
    """A value of a metadata field, and how many of the documents that answer have it."""

    value: Any
    count: int


class OverviewModel(ResponseModel):
    """All documents that answer: their times in seconds, and their metadata where that parts them into groups.

    `words` has for each hit from where to where its passage has words of the question.
    """

    times: list[tuple[int, int]]
    undated: int
    fields: dict[str, list[FieldCount]]
    words: list[list[tuple[int, int]]]


class SearchModel(ResponseModel):
    """The response of a search, as `epochal search --json` prints it, with the index generation and the duration."""

    question: str
    now: str | None
    outcome: Outcome
    probability: float | None
    total: int | None
    total_is_lower_bound: bool
    unknown_words: list[str]
    hits: list[HitModel]
    applied: list[AppliedStep]
    hidden: dict[str, int]
    missing: list[str] = Field(description="Shards of the index that did not answer, and were not searched.")
    understanding: UnderstandingModel
    timings: dict[str, float]
    generation: int
    took_ms: float
    overview: OverviewModel | None = Field(None, description="Present if the request has `overview`.")
