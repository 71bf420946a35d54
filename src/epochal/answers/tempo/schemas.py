"""What replies of a language model must be: TEMPO's annotations, plans, and searches for hard negatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from epochal.llm.structured import Schema
from epochal.reading.questions.question import INTENTS, REASONING_CLASSES

__all__ = ["GRANULARITIES", "PASSAGE", "PLAN", "QUERY", "SEARCHES", "SUMMARY_WORDS", "TENSES", "plan_problem"]

#: How finely a time is stated.
GRANULARITIES: Final = ("date", "month", "year", "decade", "century", "multicentury", "unknown")
#: Which time the verbs of a passage speak in.
TENSES: Final = ("past", "present", "future", "mixed", "unknown")
#: The most words of a summary of a question.
SUMMARY_WORDS: Final = 50

_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_ISO: Final = {"type": "string", "pattern": r"(-?\d{4}(-\d{2}(-\d{2})?)?)?"}
_STEP: Final = {
    "type": "object",
    "properties": {"step": {"type": "integer", "minimum": 1}, "action": _TEXT},
    "required": ["step", "action"],
}


def _object(properties: Mapping[str, Any]) -> Schema:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


#: The annotation of a question.
QUERY: Final[Schema] = _object(
    {
        "is_temporal_query": {"type": "boolean"},
        "temporal_intent": {"enum": list(INTENTS)},
        "query_temporal_signals": _TEXTS,
        "query_temporal_events": _TEXTS,
        "query_summary": _TEXT,
        "temporal_reasoning_class_primary": {"enum": ["", *REASONING_CLASSES]},
        "temporal_reasoning_class_secondary": {"type": "array", "items": {"enum": list(REASONING_CLASSES)}},
        "retrieval_reasoning": _TEXT,
        "retrieval_plan": {"type": "array", "items": _STEP},
        "key_time_anchors": _TEXTS,
        "expected_granularity": _TEXT,
        "quality_checks": _TEXTS,
    }
)
#: The annotation of a passage.
PASSAGE: Final[Schema] = _object(
    {
        "passage_temporal_signals": _TEXTS,
        "passage_temporal_events": _TEXTS,
        "time_mentions": _TEXTS,
        "time_scope_guess": _object({"start_iso": _ISO, "end_iso": _ISO, "granularity": {"enum": list(GRANULARITIES)}}),
        "tense_guess": {"enum": list(TENSES)},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    }
)
#: A plan alone: two to four steps.
PLAN: Final[Schema] = _object({"retrieval_plan": {"type": "array", "items": _STEP, "minItems": 2, "maxItems": 4}})
#: Searches for hard negatives.
SEARCHES: Final[Schema] = _object({"llm_summary": _TEXT, "entities_events": _TEXTS})


def plan_problem(told: Mapping[str, Any]) -> str | None:
    """What is wrong with the steps of a plan: numbers that are not 1, 2, 3, or nothing to do.

    >>> plan_problem({"retrieval_plan": [{"step": 2, "action": "Find it."}]})
    'the steps of retrieval_plan are numbered 2; accepted: 1 and on'
    """
    numbers = [step["step"] for step in told["retrieval_plan"]]
    if numbers != list(range(1, len(numbers) + 1)):
        return f"the steps of retrieval_plan are numbered {', '.join(map(str, numbers))}; accepted: 1 and on"
    if not all(step["action"].strip() for step in told["retrieval_plan"]):
        return "a step of retrieval_plan has an empty action"
    return None
