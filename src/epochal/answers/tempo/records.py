"""What TEMPO's annotators say of a question and of a passage, key for key as its published files have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from epochal.answers.tempo.schemas import PassageReply, QueryReply
from epochal.errors import EpochalError
from epochal.llm.structured import validate

__all__ = ["PASSAGE_KEYS", "QUERY_KEYS", "PassageNote", "PlanStep", "QueryNote", "TimeScope"]


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step of a plan: its number, from 1, and what to do.

    >>> PlanStep(1, "Find the fees of 2017.").to_dict()
    {'step': 1, 'action': 'Find the fees of 2017.'}
    """

    step: int
    action: str

    def to_dict(self) -> dict[str, Any]:
        """As TEMPO's files have it.

        >>> list(PlanStep(2, "Compare.").to_dict())
        ['step', 'action']
        """
        return {"step": self.step, "action": self.action}


@dataclass(frozen=True, slots=True)
class QueryNote:
    """TEMPO's `query_guidance`: twelve keys.

    >>> QueryNote.from_dict(QueryNote(True, "when").to_dict()).temporal_intent
    'when'
    """

    is_temporal_query: bool
    temporal_intent: str = "none"
    query_temporal_signals: tuple[str, ...] = ()
    query_temporal_events: tuple[str, ...] = ()
    query_summary: str = ""
    temporal_reasoning_class_primary: str = ""
    temporal_reasoning_class_secondary: tuple[str, ...] = ()
    retrieval_reasoning: str = ""
    retrieval_plan: tuple[PlanStep, ...] = ()
    key_time_anchors: tuple[str, ...] = ()
    expected_granularity: str = "unknown"
    quality_checks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As TEMPO's files have it, the keys in its order.

        >>> QueryNote(False).to_dict()["retrieval_plan"]
        []
        """
        told = {name: _plain(getattr(self, name)) for name in QUERY_KEYS}
        return {**told, "retrieval_plan": [step.to_dict() for step in self.retrieval_plan]}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> QueryNote:
        """The note that an object of all twelve keys says; other keys are passed over.

        >>> QueryNote.from_dict({"is_temporal_query": True})
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: an annotation of a question cannot be read: the reply has no 'temporal_intent'
        """
        try:
            return cls.from_reply(validate(told, QueryReply))
        except EpochalError as error:
            raise EpochalError(f"an annotation of a question cannot be read: {error}") from None

    @classmethod
    def from_reply(cls, reply: QueryReply) -> QueryNote:
        """The note of a checked reply."""
        plan = tuple(PlanStep(step.step, step.action) for step in reply.retrieval_plan)
        return cls(**{**{name: getattr(reply, name) for name in QUERY_KEYS}, "retrieval_plan": plan})


@dataclass(frozen=True, slots=True)
class TimeScope:
    """The stretch that a passage speaks of: years, months or days as ISO has them, empty where not known.

    >>> TimeScope("1914", "1918", "year").to_dict()["granularity"]
    'year'
    """

    start_iso: str = ""
    end_iso: str = ""
    granularity: str = "unknown"

    def to_dict(self) -> dict[str, Any]:
        """As TEMPO's files have it.

        >>> TimeScope().to_dict()
        {'start_iso': '', 'end_iso': '', 'granularity': 'unknown'}
        """
        return {"start_iso": self.start_iso, "end_iso": self.end_iso, "granularity": self.granularity}


@dataclass(frozen=True, slots=True)
class PassageNote:
    """TEMPO's annotation of a passage: six keys.

    >>> PassageNote.from_dict(PassageNote(tense_guess="past", confidence=0.9).to_dict()).confidence
    0.9
    """

    passage_temporal_signals: tuple[str, ...] = ()
    passage_temporal_events: tuple[str, ...] = ()
    time_mentions: tuple[str, ...] = ()
    time_scope_guess: TimeScope = TimeScope()
    tense_guess: str = "unknown"
    confidence: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As TEMPO's files have it, the keys in its order.

        >>> PassageNote().to_dict()["time_mentions"]
        []
        """
        told = {name: _plain(getattr(self, name)) for name in PASSAGE_KEYS}
        return {**told, "time_scope_guess": self.time_scope_guess.to_dict()}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> PassageNote:
        """The note that an object of all six keys says; other keys, such as the document's id, are passed over.

        >>> PassageNote.from_dict({"doc_id": "a"})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: an annotation of a passage cannot be read: the reply has no ...
        """
        try:
            return cls.from_reply(validate(told, PassageReply))
        except EpochalError as error:
            raise EpochalError(f"an annotation of a passage cannot be read: {error}") from None

    @classmethod
    def from_reply(cls, reply: PassageReply) -> PassageNote:
        """The note of a checked reply."""
        scope = reply.time_scope_guess
        values = {name: getattr(reply, name) for name in PASSAGE_KEYS}
        return cls(**{**values, "time_scope_guess": TimeScope(scope.start_iso, scope.end_iso, scope.granularity)})


#: The keys of both, in TEMPO's order.
QUERY_KEYS: Final = tuple(item.name for item in fields(QueryNote))
PASSAGE_KEYS: Final = tuple(item.name for item in fields(PassageNote))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
