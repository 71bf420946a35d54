"""The shapes of what the service tells of itself, and of problems."""

from __future__ import annotations

from pydantic import Field

from epochal.service.shapes.base import Asked, Told

__all__ = ["Health", "Info", "InfoLimits", "Nothing", "ProblemDetails", "ProblemPlace"]


class Nothing(Asked):
    """A request that asks for one thing only.

    >>> Nothing().model_dump()
    {}
    """


class InfoLimits(Told):
    """The limits of requests.

    >>> InfoLimits(question=2000, k=200, bins=1000, body=1, documents_body=1, text=1, seconds=10).k
    200
    """

    question: int
    k: int
    bins: int
    body: int
    documents_body: int
    text: int
    seconds: float


class Info(Told):
    """What is served.

    >>> "encoder" in Info.model_fields
    True
    """

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
    scorers: list[str]
    limits: InfoLimits


class Health(Told):
    """Whether the service lives, and whether it can read its index.

    >>> Health(status="ok", ready=True, documents=3, generation=1).ready
    True
    """

    status: str
    ready: bool
    documents: int
    generation: int


class ProblemPlace(Told):
    """What is wrong at one place of a request.

    >>> ProblemPlace(where="k", problem="Input should be less than or equal to 200").where
    'k'
    """

    where: str
    problem: str


class ProblemDetails(Told):
    """What went wrong, as RFC 9457 has it.

    >>> "instance" in ProblemDetails.model_fields
    True
    """

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ProblemPlace] = Field(default_factory=list)
