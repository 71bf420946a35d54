"""TEMPO's annotations of questions and passages, by rules or by a language model.

The keys are those of TEMPO's published files: `query_guidance` has twelve, an annotation of a passage six and the id of
its document. A model that gives no usable reply leaves a gap (None); nothing is put in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from epochal.index.records import Document
from epochal.llm.chat import Chat, LlmError, Message
from epochal.llm.structured import ask
from epochal.reading.questions.question import INTENTS, REASONING_CLASSES
from epochal.reading.questions.understand import expected_granularity, understand
from epochal.reading.tagger import tag
from epochal.times import Grain, Span

__all__ = ["GUIDANCE", "Annotator", "ModelAnnotator", "RuleAnnotator"]

Json = dict[str, Any]
_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_TEXT: Final = {"type": "string"}
_GRANULARITIES: Final = ("date", "month", "year", "decade", "century", "multicentury", "unknown")
_TENSES: Final = ("past", "present", "future", "mixed", "unknown")

_STEP: Final = {
    "type": "object",
    "properties": {"step": {"type": "integer"}, "action": _TEXT},
    "required": ["step", "action"],
}
_GUIDANCE: Final[Mapping[str, Any]] = {
    "is_temporal_query": {"type": "boolean"},
    "temporal_intent": {"enum": list(INTENTS)},
    "query_temporal_signals": _TEXTS,
    "query_temporal_events": _TEXTS,
    "query_summary": _TEXT,
    "temporal_reasoning_class_primary": {"enum": ["", *REASONING_CLASSES]},
    "temporal_reasoning_class_secondary": _TEXTS,
    "retrieval_reasoning": _TEXT,
    "retrieval_plan": {"type": "array", "items": _STEP},
    "key_time_anchors": _TEXTS,
    "expected_granularity": _TEXT,
    "quality_checks": _TEXTS,
}
#: The keys of what is said about a question, in TEMPO's order.
GUIDANCE: Final = tuple(_GUIDANCE)
_PASSAGE: Final[Mapping[str, Any]] = {
    "passage_temporal_signals": _TEXTS,
    "passage_temporal_events": _TEXTS,
    "time_mentions": _TEXTS,
    "time_scope_guess": {
        "type": "object",
        "properties": {"start_iso": _TEXT, "end_iso": _TEXT, "granularity": {"enum": list(_GRANULARITIES)}},
        "required": ["start_iso", "end_iso", "granularity"],
    },
    "tense_guess": {"enum": list(_TENSES)},
    "confidence": {"type": "number"},
}
_SEARCHES: Final[Mapping[str, Any]] = {"llm_summary": _TEXT, "entities_events": _TEXTS}

_AHEAD = re.compile(r"\b(?:will|shall|going to|expected to|planned|upcoming)\b", re.IGNORECASE)
_BACK = re.compile(r"\b(?:was|were|had|did|became|began|rose|fell|\w{3,}ed)\b", re.IGNORECASE)
_HERE = re.compile(r"\b(?:is|are|has|have|does|do|remains?|currently|now)\b", re.IGNORECASE)


class Annotator(Protocol):
    """Says what a question asks of time, what a passage says of it, and how to search for near misses.

    >>> RuleAnnotator().searches("How did fees change between 2017 and 2021?", None)
    ('How did fees change?',)
    """

    def guidance(self, question: str, now: Span | None) -> Json | None:
        """The twelve keys of `query_guidance`; None for a gap."""
        ...

    def passage(self, question: str, document: Document) -> Json | None:
        """What a passage says of time; None for a gap."""
        ...

    def searches(self, question: str, now: Span | None) -> tuple[str, ...]:
        """Texts to search with for passages on the topic, without the times of the question."""
        ...


class RuleAnnotator:
    """By the rules that Epochal reads questions and texts with.

    >>> told = RuleAnnotator().guidance("How did fees change between 2017 and 2021?", None)
    >>> told["temporal_reasoning_class_primary"], told["key_time_anchors"], len(told["retrieval_plan"])
    ('trends_changes_and_cross_period', ['2017', '2021'], 3)
    """

    def guidance(self, question: str, now: Span | None) -> Json | None:
        """The twelve keys of `query_guidance`.

        >>> tuple(RuleAnnotator().guidance("Who won in 1998?", None)) == GUIDANCE
        True
        """
        found = understand(question, now)
        stated = {(item.start_char, item.end_char) for item in tag(question, now)}
        events = [item.text for item in found.expressions if (item.start_char, item.end_char) not in stated]
        plan = [{"step": step.number, "action": step.action} for step in found.plan]
        return {
            "is_temporal_query": found.is_temporal,
            "temporal_intent": found.intent,
            "query_temporal_signals": [item.text for item in found.expressions],
            "query_temporal_events": events,
            "query_summary": " ".join(found.topic.split()[:50]),
            "temporal_reasoning_class_primary": found.reasoning_class,
            "temporal_reasoning_class_secondary": [],
            "retrieval_reasoning": "",
            "retrieval_plan": plan,
            "key_time_anchors": list(found.anchors),
            "expected_granularity": found.granularity,
            "quality_checks": [],
        }

    def passage(self, question: str, document: Document) -> Json | None:
        """What a passage says of time, whatever is asked.

        >>> page = Document("a", "Fees rose in May 2017 and fell in 2018.")
        >>> RuleAnnotator().passage("Fees?", page)["time_scope_guess"]
        {'start_iso': '2017-05', 'end_iso': '2018', 'granularity': 'year'}
        """
        stated = tag(document.text, document.published)
        every = tag(document.text, document.published, implicit=True)
        places = {(item.start_char, item.end_char) for item in stated}
        dated = [item for item in every if item.span is not None and not item.span.is_open]
        confidences = [item.confidence for item in dated]
        return {
            "passage_temporal_signals": [item.text for item in every],
            "passage_temporal_events": [item.text for item in every if (item.start_char, item.end_char) not in places],
            "time_mentions": [item.value for item in stated if item.value],
            "time_scope_guess": _scope([item.span for item in dated if item.span is not None]),
            "tense_guess": _tense(document.text),
            "confidence": round(sum(confidences) / len(confidences), 3) if confidences else 0.0,
        }

    def searches(self, question: str, now: Span | None) -> tuple[str, ...]:
        """The question without its times.

        >>> RuleAnnotator().searches("Who won in 1998?", None)
        ('Who won?',)
        """
        return (dict(understand(question, now).variants).get("strip") or question,)


class ModelAnnotator:
    """By a language model. `gaps` counts the replies that could not be used.

    >>> class Silent:
    ...     name = "silent"
    ...     def complete(self, messages, *, json=False):
    ...         return "I cannot say."
    >>> annotator = ModelAnnotator(Silent())
    >>> annotator.guidance("Who won in 1998?", None), annotator.gaps
    (None, 1)
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self.gaps = 0

    def guidance(self, question: str, now: Span | None) -> Json | None:
        """The twelve keys of `query_guidance`; None where the model gave none.

        >>> ModelAnnotator.guidance.__name__
        'guidance'
        """
        task = (
            "Describe what this question asks of time. Use nothing but the question. Give every key; an empty list or "
            "an empty text where there is nothing to say. query_summary has at most 50 words; retrieval_plan has two "
            "to four steps, each one concrete thing to look for."
        )
        asked = f"Question: {question}" + (f"\nAsked on: {now.edtf()}" if now is not None else "")
        return self._ask(task, asked, _GUIDANCE)

    def passage(self, question: str, document: Document) -> Json | None:
        """What a passage says of time; None where the model gave nothing.

        >>> ModelAnnotator.passage.__name__
        'passage'
        """
        task = (
            "Describe the times that the passage speaks of. Take them from the passage alone; the question only says "
            "why it is read. Dates are YYYY, YYYY-MM or YYYY-MM-DD, or an empty text; confidence is from 0 to 1."
        )
        dated = f"\nPublished: {document.published.edtf()}" if document.published is not None else ""
        return self._ask(task, f"Question: {question}\n\nPassage: {document.text}{dated}", _PASSAGE)

    def searches(self, question: str, now: Span | None) -> tuple[str, ...]:
        """A summary and the names in the question, as texts to search with; none where the model gave none.

        >>> ModelAnnotator.searches.__name__
        'searches'
        """
        task = (
            "Write a search text of about 32 words for the topic of this question, and list the people, things and "
            "events that it names. Leave out all dates and words of time."
        )
        told = self._ask(task, f"Question: {question}", _SEARCHES)
        return () if told is None else tuple(text for text in (told["llm_summary"], *told["entities_events"]) if text)

    def _ask(self, task: str, asked: str, keys: Mapping[str, Any]) -> Json | None:
        schema = {"type": "object", "properties": dict(keys), "required": list(keys)}
        told = f"{task}\nReply with one JSON object with these keys: {', '.join(keys)}."
        try:
            reply = ask(self._chat, [Message("system", told), Message("user", asked)], schema)
        except LlmError:
            self.gaps += 1
            return None
        return {key: reply[key] for key in keys}


def _scope(spans: Sequence[Span]) -> Json:
    """From the earliest start to the latest end, as finely as these were stated; empty where nothing is dated."""
    if not spans:
        return {"start_iso": "", "end_iso": "", "granularity": "unknown"}
    order = sorted(spans, key=lambda span: (span.start, span.end))
    first = order[0]
    last = max(order, key=lambda span: (span.end, -span.start))
    return {
        "start_iso": _iso(first.start, first.grain),
        "end_iso": _iso(last.end - 1, last.end_grain),
        "granularity": expected_granularity("", "none", order),
    }


def _iso(second: int, grain: Grain) -> str:
    unit = Grain.DAY if grain <= Grain.WEEK else Grain.MONTH if grain <= Grain.HALF else Grain.YEAR
    return Span.unit(second, unit).edtf()


def _tense(text: str) -> str:
    found = [name for name, signs in (("past", _BACK), ("present", _HERE), ("future", _AHEAD)) if signs.search(text)]
    return "unknown" if not found else found[0] if len(found) == 1 else "mixed"
