"""TEMPO's annotations of questions and passages, key by key as its files have them; reply schemas; and question texts.

Questions of TEMPO are a title, a line break, and a body in HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from epochal.errors import EpochalError
from epochal.llm.structured import validate
from epochal.reading.expression import stated_ranges
from epochal.reading.questions.question import INTENTS, REASONING_CLASSES
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal.storage.text import analyse, units
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.span import Span

GRANULARITIES: Final = ("date", "month", "year", "decade", "century", "multicentury", "unknown")
TENSES: Final = ("past", "present", "future", "mixed", "unknown")
#: The maximum number of words of a summary.
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
    """The annotation of a question, with all keys."""

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
    """The time of a passage: years, months or days in ISO form, empty where unknown."""

    start_iso: str
    end_iso: str
    granularity: Granularity

    def __post_init__(self) -> None:
        for name in ("start_iso", "end_iso"):
            if _ISO.fullmatch(date := getattr(self, name)) is None:
                raise ValueError(f'{name} is "{date}"; accepted: texts such as match {_ISO.pattern}')


@dataclass(frozen=True, slots=True)
class PassageReply:
    """The annotation of a passage, with all keys."""

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


def check_plan(reply: QueryReply | PlanReply) -> str | None:
    """The problem with the steps of a plan, if any: numbers that are not 1, 2, 3, or an empty action."""
    numbers = [step.step for step in reply.retrieval_plan]
    if numbers != list(range(1, len(numbers) + 1)):
        return f"the steps of retrieval_plan are numbered {', '.join(map(str, numbers))}; accepted: 1 and on"
    if not all(step.action.strip() for step in reply.retrieval_plan):
        return "a step of retrieval_plan has an empty action"
    return None


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step of a plan: its number, from 1, and what to do."""

    step: int
    action: str

    def to_dict(self) -> dict[str, Any]:
        """As in TEMPO's files."""
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
        """As in TEMPO's files, with the keys in its order."""
        record = {name: _to_plain(getattr(self, name)) for name in QUERY_KEYS}
        return {**record, "retrieval_plan": [step.to_dict() for step in self.retrieval_plan]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> QueryNote:
        """Read an object with all twelve keys; others are ignored.

        >>> QueryNote.from_dict({"is_temporal_query": True})
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: an annotation of a question cannot be read: the reply has no 'temporal_intent'
        """
        try:
            return cls.from_reply(validate(record, QueryReply))
        except EpochalError as error:
            raise EpochalError(f"an annotation of a question cannot be read: {error}") from None

    @classmethod
    def from_reply(cls, reply: QueryReply) -> QueryNote:
        """The note of a checked reply."""
        plan = tuple(PlanStep(step.step, step.action) for step in reply.retrieval_plan)
        return cls(**{**{name: getattr(reply, name) for name in QUERY_KEYS}, "retrieval_plan": plan})


@dataclass(frozen=True, slots=True)
class TimeScope:
    """The time of a passage: years, months or days in ISO form, empty where unknown."""

    start_iso: str = ""
    end_iso: str = ""
    granularity: str = "unknown"

    def to_dict(self) -> dict[str, Any]:
        """As in TEMPO's files."""
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
        """As in TEMPO's files, with the keys in its order."""
        record = {name: _to_plain(getattr(self, name)) for name in PASSAGE_KEYS}
        return {**record, "time_scope_guess": self.time_scope_guess.to_dict()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> PassageNote:
        """Read an object with all six keys; others, such as the document's id, are ignored.

        >>> PassageNote.from_dict({"doc_id": "a"})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: an annotation of a passage cannot be read: the reply has no ...
        """
        try:
            return cls.from_reply(validate(record, PassageReply))
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


def _to_plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


#: Words that say nothing about the topic of a text.
_STOP_WORDS: Final = (
    "a about after all also am an and any are as at be because been before between both but by can could did do does "
    "during each find for from had has have he her him his how i if in into is it its itself just know like me more "
    "most much my no not of on only or other our out over question s she should so some such t than that the their "
    "them then there these they this those to too up us very was we were what when where which while who why will "
    "with would you your"
)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")


def clean_question(text: str) -> str:
    """The text of a question without HTML, with normalised spaces."""
    bare = html.unescape(_TAG.sub(" ", text)) if _TAG.search(text) or "&" in text else text
    return "\n".join(" ".join(line.split()) for line in bare.splitlines() if line.strip())


def get_title(text: str) -> str:
    """The first line of a question."""
    return clean_question(text).partition("\n")[0]


def get_first_words(text: str, most: int) -> str:
    """The first sentences of a text with at most `most` words, or as many words of the first sentence."""
    selected: list[str] = []
    for start, end in units(text):
        words = text[start:end].split()
        if len(selected) + len(words) > most:
            break
        selected += words
    return " ".join(selected or text.split()[:most])


def get_content_words(text: str) -> frozenset[str]:
    """The stems of the words of a text, without stop words."""
    return frozenset(analyse(text)) - _get_stop_words()


@cache
def _get_stop_words() -> frozenset[str]:
    return frozenset(analyse(_STOP_WORDS))


def describe_period(span: Span) -> str:
    """A period as a noun phrase."""
    words = span.describe()
    is_phrase = span.start == OPEN_START or span.end == OPEN_END or words.startswith(("from ", "since ", "until "))
    return f"the time {words}" if is_phrase else words


def get_mentioned_times(document: Document) -> tuple[Span, ...]:
    """The times that the title and the text of a document mention, else its date."""
    text = f"{document.title}\n{document.text}" if document.title else document.text
    spans = tuple(item.span for item in stated_ranges(text, tag(text, document.published)) if not item.span.is_open)
    return spans or ((document.published,) if document.published is not None else ())


def check_covered(periods: Sequence[Span], times: Iterable[Span]) -> tuple[bool, ...]:
    """For each period whether one of the times overlaps it."""
    spans = list(times)
    return tuple(any(span.overlaps(period) for span in spans) for period in periods)
