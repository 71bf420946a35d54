"""What replies of a language model must be: TEMPO's annotations, plans, and searches for hard negatives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from epochal.reading.questions.question import INTENTS, REASONING_CLASSES

__all__ = [
    "GRANULARITIES",
    "SUMMARY_WORDS",
    "TENSES",
    "PassageReply",
    "PlanReply",
    "QueryReply",
    "ScopeReply",
    "SearchesReply",
    "StepReply",
    "plan_problem",
]

#: How finely a time is stated.
GRANULARITIES: Final = ("date", "month", "year", "decade", "century", "multicentury", "unknown")
#: Which time the verbs of a passage speak in.
TENSES: Final = ("past", "present", "future", "mixed", "unknown")
#: The most words of a summary of a question.
SUMMARY_WORDS: Final = 50

_ISO: Final = re.compile(r"(-?\d{4}(-\d{2}(-\d{2})?)?)?")
_PRIMARY_CLASSES: Final = ("", *REASONING_CLASSES)

if TYPE_CHECKING:
    Intent = str
    ReasoningClass = str
    PrimaryClass = str
    Granularity = str
    Tense = str
else:
    Intent = Literal[INTENTS]
    ReasoningClass = Literal[REASONING_CLASSES]
    PrimaryClass = Literal[_PRIMARY_CLASSES]
    Granularity = Literal[GRANULARITIES]
    Tense = Literal[TENSES]


@dataclass(frozen=True, slots=True)
class StepReply:
    """A step of a plan."""

    step: int
    action: str

    def __post_init__(self) -> None:
        if self.step < 1:
            raise ValueError(f"step is {self.step}; accepted: numbers from 1")


@dataclass(frozen=True, slots=True)
class QueryReply:
    """The annotation of a question: all keys are there."""

    is_temporal_query: bool
    temporal_intent: Intent
    query_temporal_signals: tuple[str, ...]
    query_temporal_events: tuple[str, ...]
    query_summary: str
    temporal_reasoning_class_primary: PrimaryClass
    temporal_reasoning_class_secondary: tuple[ReasoningClass, ...]
    retrieval_reasoning: str
    retrieval_plan: tuple[StepReply, ...]
    key_time_anchors: tuple[str, ...]
    expected_granularity: str
    quality_checks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScopeReply:
    """The time that a passage is about: years, months or days as ISO has them, empty where not known."""

    start_iso: str
    end_iso: str
    granularity: Granularity

    def __post_init__(self) -> None:
        for name in ("start_iso", "end_iso"):
            if _ISO.fullmatch(date := getattr(self, name)) is None:
                raise ValueError(f'{name} is "{date}"; accepted: texts such as match {_ISO.pattern}')


@dataclass(frozen=True, slots=True)
class PassageReply:
    """The annotation of a passage: all keys are there."""

    passage_temporal_signals: tuple[str, ...]
    passage_temporal_events: tuple[str, ...]
    time_mentions: tuple[str, ...]
    time_scope_guess: ScopeReply
    tense_guess: Tense
    confidence: float

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence is {self.confidence:g}; accepted: numbers from 0 to 1")


@dataclass(frozen=True, slots=True)
class PlanReply:
    """A plan alone: two to four steps."""

    retrieval_plan: tuple[StepReply, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.retrieval_plan) <= 4:
            raise ValueError(f"retrieval_plan has {len(self.retrieval_plan)} items; accepted: 2 to 4")


@dataclass(frozen=True, slots=True)
class SearchesReply:
    """Searches for hard negatives."""

    llm_summary: str
    entities_events: tuple[str, ...]


def plan_problem(reply: QueryReply | PlanReply) -> str | None:
    """What is wrong with the steps of a plan: numbers that are not 1, 2, 3, or nothing to do."""
    numbers = [step.step for step in reply.retrieval_plan]
    if numbers != list(range(1, len(numbers) + 1)):
        return f"the steps of retrieval_plan are numbered {', '.join(map(str, numbers))}; accepted: 1 and on"
    if not all(step.action.strip() for step in reply.retrieval_plan):
        return "a step of retrieval_plan has an empty action"
    return None
