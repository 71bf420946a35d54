"""The shapes of answers: what is asked, and what is told, cited and quoted."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from epochal.service.shapes.base import Asked, Question, Time, Told
from epochal.service.shapes.times import Period, Stretch, TimeStep

__all__ = ["AnswerBody", "AnswerCitation", "AnswerClaim", "AnswerMissing", "AnswerPart", "AnswerQuote", "Answered"]

_MOST_CITED = 50
Outcome = Literal["recorded", "none_recorded", "not_covered", "no_window"]


class AnswerBody(Asked):
    """A question that is to be answered.

    >>> AnswerBody(question="What became of steel tariffs in 2003?").stream
    False
    """

    question: Question
    now: Time = Field(None, description="The present of whoever asks; the server's clock unless given.")
    as_of: Time = Field(None, description="See only what was published by then.")
    k: int = Field(10, ge=1, le=_MOST_CITED, description="How many documents are cited for each time.")
    stream: bool = Field(
        False,
        description="Send events as they come: `timeline`, the answer of quotes alone, where a language model writes; "
        "then `answer`, or `problem`.",
    )


class AnswerCitation(Told):
    """A document that is cited; `quote` stands word for word at `start_char` of its text.

    >>> "dated_by" in AnswerCitation.model_fields
    True
    """

    number: int
    id: str
    title: str
    quote: str
    start_char: int
    end_char: int
    date: Stretch | None
    dated_by: str
    standing: str
    part: int
    published: Stretch | None
    superseded_by: str | None
    behind: list[str]


class AnswerPart(Told):
    """What the records say of one time that is asked about; null for any.

    >>> AnswerPart(period=None, outcome="no_window", sentence="", citations=[1], more=0).citations
    [1]
    """

    period: Period | None
    outcome: Outcome
    sentence: str
    citations: list[int]
    more: int


class AnswerQuote(Told):
    """The words of a citation that a claim rests on.

    >>> AnswerQuote(number=1, quote="4 euros", start_char=17, end_char=24).number
    1
    """

    number: int
    quote: str
    start_char: int
    end_char: int


class AnswerClaim(Told):
    """A sentence of the language model whose quotes hold up.

    >>> AnswerClaim(text="A transfer costs 4 euros.", quotes=[]).text
    'A transfer costs 4 euros.'
    """

    text: str
    quotes: list[AnswerQuote]


class AnswerMissing(Told):
    """What the answer lacks.

    >>> AnswerMissing(sentence="Nothing is recorded of 2005.", period=None, outcome="none_recorded").outcome
    'none_recorded'
    """

    sentence: str
    period: Period | None
    outcome: Outcome | None


class Answered(Told):
    """An answer, as `epochal answer --json` tells it. Without a language model its citations are the answer.

    >>> "is_refused" in Answered.model_fields
    True
    """

    question: str
    now: str | None
    as_of: str | None
    newest: str | None
    outcome: Outcome
    is_refused: bool
    text: str
    parts: list[AnswerPart]
    citations: list[AnswerCitation]
    claims: list[AnswerClaim]
    missing: list[AnswerMissing]
    model: str
    plan: list[TimeStep]
    hidden: dict[str, int]
