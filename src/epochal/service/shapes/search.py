"""The shapes of searches: what is asked, and what is found, why, and what was done on the way."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from epochal.service.limits import MOST_EDITS, MOST_HITS, MOST_TIME
from epochal.service.shapes.base import Asked, Name, Question, Time, Told
from epochal.service.shapes.times import Stretch, Understanding

__all__ = [
    "AppliedStep",
    "DocumentRow",
    "EvidenceItem",
    "Found",
    "FoundHit",
    "SearchBody",
    "SearchQuery",
    "SearchWishes",
]


class SearchWishes(Asked):
    """What goes with a question; the names are those of `Index.search`.

    >>> SearchWishes(k=5, during="2003", strict=True).undated
    'neutral'
    """

    k: int = Field(10, ge=1, le=MOST_HITS, description="How many hits.")
    now: Time = Field(None, description="The present of whoever asks; the server's clock unless given.")
    as_of: Time = Field(None, description="See only what was published by then.")
    valid_at: Time = Field(None, description="See only what holds then.")
    during: Time = Field(None, description="Prefer what lies in this time, or reaches into it.")
    before: Time = Field(None, description="Prefer what lies before this time.")
    after: Time = Field(None, description="Prefer what lies after this time.")
    relation: Name = Field(
        None, description="Another relation to `during`: one of Allen's, or `around`.", examples=["during"]
    )
    strict: bool = Field(False, description="Leave out what `during`, `before` and `after` exclude.")
    undated: Literal["neutral", "exclude", "penalise"] = Field(
        "neutral", description="What becomes of documents without any date where a time is asked for."
    )
    time: bool = Field(True, description="Whether time is read in the question at all.")
    fold: bool = Field(True, description="Whether versions and near-copies stand behind one of them.")
    scorer: Name = Field(
        None, description="What ranks the hits; a name of the list in /api/v1/info.", examples=["gate"]
    )
    explain: bool = Field(False, description="Tell in `timings` how many milliseconds each step took.")


class SearchQuery(SearchWishes):
    """A question and what goes with it, in the address.

    >>> SearchQuery(q="steel tariffs in 2003").k
    10
    """

    q: Question


class SearchBody(SearchWishes):
    """A question and what goes with it, in a body; what was read in the question can be corrected there.

    >>> SearchBody(question="steel tariffs in 2003", drop=[0]).periods is None
    True
    """

    question: Question
    drop: list[Annotated[int, Field(ge=0, le=1_000)]] = Field(
        default_factory=list,
        max_length=MOST_EDITS,
        description="Constraints of the question to leave out, by their places in `understanding.constraints`.",
        examples=[[0]],
    )
    periods: list[Annotated[str, Field(min_length=1, max_length=MOST_TIME)]] | None = Field(
        None,
        max_length=MOST_EDITS,
        description="Times that stand in for all that the question says of time; an empty list for none.",
        examples=[["1998", "2003"]],
    )


class DocumentRow(Told):
    """A document, without the parts that it lacks. A time is EDTF, or an object where EDTF would say less.

    >>> DocumentRow(id="p1", text="Rain.").title
    ''
    """

    id: str
    text: str
    title: str = ""
    published: str | dict[str, Any] | None = None
    valid: str | dict[str, Any] | None = None
    series: str | None = None
    meta: dict[str, Any] = Field(default_factory=dict)


class EvidenceItem(Stretch):
    """A time that speaks for a hit: `text` stands at `start_char` of the document's text, -1 for a known date.

    >>> "context" in EvidenceItem.model_fields
    True
    """

    axis: str
    text: str
    start_char: int
    end_char: int
    context: str
    match: float
    local: float


class FoundHit(Told):
    """A document that was found; `parts` sum to `score`.

    >>> "superseded_by" in FoundHit.model_fields
    True
    """

    id: str
    score: float | None
    parts: dict[str, float | None]
    passage: str
    passage_start: int
    evidence: list[EvidenceItem]
    period: Stretch | None
    superseded_by: str | None
    folded: list[str]
    document: DocumentRow


class AppliedStep(Told):
    """Something that was done about time; what is `strict` could leave documents out.

    >>> AppliedStep(name="as_of", sentence="sees only what was published by 2019", strict=True, span=None).name
    'as_of'
    """

    name: str
    sentence: str
    strict: bool
    span: Stretch | None


class Found(Told):
    """What a search found, as `epochal search --json` tells it, the state of the index, and how long it took.

    >>> "generation" in Found.model_fields
    True
    """

    question: str
    now: str | None
    outcome: Literal["recorded", "none_recorded", "not_covered", "no_window"]
    hits: list[FoundHit]
    applied: list[AppliedStep]
    hidden: dict[str, int]
    missing: list[str] = Field(description="Shards of the index that did not answer, and were not searched.")
    understanding: Understanding
    timings: dict[str, float]
    generation: int
    took_ms: float
