"""The shapes of times, of time expressions, and of what is understood of a question."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from epochal.service.limits import MOST_NAME, MOST_QUESTION, MOST_TEXT, MOST_TIME
from epochal.service.shapes.base import Asked, Name, Question, Time, Told

__all__ = [
    "Constraint",
    "Date",
    "Expression",
    "Expressions",
    "InCalendar",
    "Mention",
    "Ordinal",
    "Period",
    "Reading",
    "Readings",
    "Stretch",
    "TagBody",
    "TagQuery",
    "TimeStep",
    "UnderstandQuery",
    "Understanding",
    "WhenQuery",
]

Seconds = Annotated[int | None, Field(description="Seconds since 1970, UTC; null where it is open.")]
Edtf = Annotated[str, Field(description="EDTF.", examples=["2003-07"])]


class UnderstandQuery(Asked):
    """What to understand.

    >>> UnderstandQuery(q="Who won last year?", now="2013").now
    '2013'
    """

    q: Question
    now: Time = Field(None, description="The present of whoever asks; the server's clock unless given.")


class TagQuery(Asked):
    """A short text whose time expressions are asked for.

    >>> TagQuery(text="Sold in May 1998.").lang
    'auto'
    """

    text: str = Field(min_length=1, max_length=MOST_QUESTION, description="The text.", examples=["Sold in May 1998."])
    dct: Time = Field(None, description="The date of the text, from which 'last week' counts.")
    lang: Literal["auto", "en", "zh"] = Field("auto", description="The language of the text.")
    events: bool = Field(False, description="Whether named events count too, such as 'the Korean War'.")


class TagBody(TagQuery):
    """A text whose time expressions are asked for.

    >>> TagBody(text="Sold in May 1998.", events=True).events
    True
    """

    text: str = Field(min_length=1, max_length=MOST_TEXT, description="The text.", examples=["Sold in May 1998."])


class WhenQuery(Asked):
    """An expression of any calendar.

    >>> WhenQuery(expr="Meiji 10").calendar is None
    True
    """

    expr: str = Field(
        min_length=1,
        max_length=MOST_TIME,
        pattern=r"\S",
        description="EDTF, ISO 8601, words, or a date of any calendar.",
        examples=["魯隱公元年十二月"],
    )
    calendar: Name = Field(None, description="Read it in this calendar only.", examples=["nengo"])
    now: Time = Field(None, description="The present, for 'last year'; the server's clock unless given.")


class Stretch(Told):
    """A stretch of time.

    >>> Stretch(span="1970/..", start=0, end=None).span
    '1970/..'
    """

    span: Edtf
    start: Seconds
    end: Seconds


class Period(Stretch):
    """A stretch of time with words for it.

    >>> Period(span="-0043", start=None, end=None, words="44 BCE").words
    '44 BCE'
    """

    words: str


class Mention(Told):
    """Where in a question a time is named.

    >>> Mention(text="in 1998", start=5, end=12, confidence=1.0).text
    'in 1998'
    """

    text: str
    start: int
    end: int
    confidence: float


class Constraint(Stretch):
    """A time that the answer must have. Its place in the list is the number by which it is dropped.

    >>> Constraint(relation="during", axis="content", span="1998", start=None, end=None, evidence=None).axis
    'content'
    """

    relation: str
    axis: Literal["content", "publication"]
    evidence: Mention | None


class TimeStep(Told):
    """A step of a plan, and the period that it looks in, as EDTF.

    >>> TimeStep(step=1, action="Find how fees stood in 2017.", period="2017").step
    1
    """

    step: int
    action: str
    period: str | None


class Understanding(Told):
    """What a question asks of time, as `epochal understand` tells it.

    >>> "constraints" in Understanding.model_fields
    True
    """

    intent: str
    temporal_class: str
    recency: str
    constraints: list[Constraint]
    periods: list[Period]
    plan: list[TimeStep]
    topic: str
    anchors: list[str]
    granularity: str
    cross_period: bool
    reasoning_class: str
    half_life: float | None
    is_temporal: bool
    temporal_focus: str
    variants: dict[str, str]


class Expression(Told):
    """A time expression, as `epochal tag` tells it.

    >>> Expression(text="1998", start=0, end=4, kind="DATE", value="1998", mod=None, span=None, confidence=1).kind
    'DATE'
    """

    text: str
    start: int
    end: int
    kind: Literal["DATE", "TIME", "DURATION", "SET"]
    value: str
    mod: str | None
    span: str | None
    confidence: float


class Expressions(Told):
    """The time expressions of a text, in order.

    >>> Expressions(expressions=[]).expressions
    []
    """

    expressions: list[Expression]


class Date(Told):
    """A date in its own calendar.

    >>> Date(era="明治", year=10, season=None, month=None, leap=False, day=None, sexagenary=None).year
    10
    """

    era: str | None
    year: int | None
    season: str | None
    month: int | None
    leap: bool
    day: int | None
    sexagenary: str | None


class Ordinal(Told):
    """A month on the axis of a calendar that only orders its months.

    >>> Ordinal(key="隱公 1-12", place=11).place
    11
    """

    key: str
    place: int


class InCalendar(Told):
    """The first and the last day of a span as a calendar writes them; several where eras overlap.

    >>> InCalendar(first=["1 May 1998"], last=["31 May 1998"]).first
    ['1 May 1998']
    """

    first: list[str]
    last: list[str]


class Reading(Told):
    """One way to read an expression, as `epochal when` tells it.

    >>> "edtf" in Reading.model_fields
    True
    """

    calendar: str = Field(max_length=MOST_NAME)
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
    date: Date | None
    ordinal: Ordinal | None
    within: dict[str, InCalendar] = Field(alias="in")


class Readings(Told):
    """All ways to read an expression.

    >>> Readings(text="44 BCE", now="2026-11-15", readings=[]).text
    '44 BCE'
    """

    text: str
    now: str
    readings: list[Reading]
