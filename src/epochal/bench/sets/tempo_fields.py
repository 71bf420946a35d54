"""TEMPO's annotations of questions and passages, read out of whatever the rows hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from epochal.bench.sets.anchors import anchor_periods, scope
from epochal.bench.sets.rows import listed, literal, text_of, texts_of
from epochal.times import Span

__all__ = ["CLASSES", "Guidance", "PassageNote", "PlanStep", "passage_notes", "reasoning_kind", "split_of"]

#: The classes that are reported on their own; the others, and whatever is no class, count as `other`.
CLASSES: Final = (
    "event_analysis_and_localization",
    "time_period_contextualization",
    "origins_evolution_comparative_analysis",
    "trends_changes_and_cross_period",
    "event_verification_and_authenticity",
    "materials_artifacts_and_provenance",
    "sources_methods_and_documentation",
    "causation_analysis",
    "historical_attribution_and_context",
)
_TEXTS: Final = (
    *("temporal_intent", "query_summary", "temporal_reasoning_class_primary", "retrieval_reasoning"),
    "expected_granularity",
)
_LISTS: Final = (
    *("query_temporal_signals", "query_temporal_events", "temporal_reasoning_class_secondary", "key_time_anchors"),
    "quality_checks",
)
_DOCUMENT: Final = ("doc_id", "document_id", "gold_id", "passage_id", "id")


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step of a plan: its number, what to do, and the documents that answer it.

    >>> PlanStep("2", "Find the fees of 2023.", ("bitcoin/25785deb_4434.txt",)).number
    '2'
    """

    number: str
    action: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guidance:
    """The annotation of a question: its twelve keys with their right types, the plan read, and the periods.

    >>> told = Guidance.of({"key_time_anchors": ["2017", "long ago"], "temporal_intent": None})
    >>> told.periods, told.unread, told.values["temporal_intent"], told.values["quality_checks"]
    ((Span.parse('2017'),), ('long ago',), '', [])
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    plan: tuple[PlanStep, ...] = ()
    periods: tuple[Span, ...] = ()
    unread: tuple[str, ...] = ()
    #: How many lists of gold ids of the plan could not be read.
    damaged: int = 0

    @classmethod
    def of(cls, value: Any) -> Guidance:
        """The annotation that a field holds: an object, or a text that writes one.

        >>> Guidance.of("{'is_temporal_query': True}").values["is_temporal_query"], Guidance.of("none").values
        (True, {})
        """
        given = literal(value) if isinstance(value, str) else value
        if not isinstance(given, Mapping) or not given:
            return cls()
        plan, damaged = _plan(given.get("retrieval_plan"))
        anchors = texts_of(given.get("key_time_anchors"))
        periods, unread = anchor_periods(anchors)
        temporal = given.get("is_temporal_query")
        values: dict[str, Any] = {"is_temporal_query": temporal if isinstance(temporal, bool) else None}
        values |= {key: text_of(given, key) for key in _TEXTS}
        values |= {key: texts_of(given.get(key)) for key in _LISTS}
        values["retrieval_plan"] = [
            {"step": step.number, "action": step.action, "gold_ids": list(step.gold)} for step in plan
        ]
        return cls(values, plan, periods, unread, damaged)


@dataclass(frozen=True, slots=True)
class PassageNote:
    """The annotation of a passage that is relevant to a question; `span` is its scope in time where that can be read.

    >>> PassageNote("law/0a_1.txt", {"tense_guess": "past"}, None).span is None
    True
    """

    document: str
    values: Mapping[str, Any]
    span: Span | None


def passage_notes(value: Any, gold: list[str]) -> tuple[list[PassageNote], int]:
    """The annotations of a question's passages, and how many cannot be said to be of any.

    One without the id of its document is that of the gold document in the same place, where there are as many.

    >>> notes, lost = passage_notes([{"time_scope_guess": {"start_iso": "1914", "end_iso": "1918"}}, 7], ["a", "b"])
    >>> [(note.document, note.span.edtf()) for note in notes], lost
    ([('a', '1914/1918')], 1)
    """
    given = literal(value) if isinstance(value, str) else value
    items = given if isinstance(given, (list, tuple)) else []
    notes: list[PassageNote] = []
    for place, item in enumerate(items):
        if not isinstance(item, Mapping):
            continue
        document = text_of(item, *_DOCUMENT) or (gold[place] if len(items) == len(gold) else "")
        if document:
            guess = item.get("time_scope_guess")
            edges = guess if isinstance(guess, Mapping) else {}
            values = {key: told for key, told in item.items() if key not in _DOCUMENT}
            span = scope(text_of(edges, "start_iso"), text_of(edges, "end_iso"))
            notes.append(PassageNote(document, values, span))
    return notes, len(items) - len(notes)


def reasoning_kind(values: Mapping[str, Any]) -> str:
    """The class under which a question is reported; "" for one without any annotation.

    >>> reasoning_kind({"temporal_reasoning_class_primary": "Causation_Analysis "}), reasoning_kind({})
    ('causation_analysis', '')
    """
    if not values:
        return ""
    name = str(values.get("temporal_reasoning_class_primary", "")).strip().lower()
    return name if name in CLASSES else "other"


def split_of(ids: list[str], domain: str) -> dict[str, str]:
    """RETECO's split of a domain's questions: 70 in 100 to train on, drawn in a fixed way.

    >>> sorted(split_of(["1_0", "2_1", "3_2"], "law").values())
    ['dev', 'train', 'train']
    """
    import random

    shuffled = sorted(ids)
    random.Random(f"20270101:tempo:{domain}").shuffle(shuffled)
    count = max(min(round(0.7 * len(shuffled)), len(shuffled) - 1), 1)
    return {id: "train" if place < count else "dev" for place, id in enumerate(shuffled)}


def _plan(value: Any) -> tuple[tuple[PlanStep, ...], int]:
    given = literal(value) if isinstance(value, str) else value
    steps: list[PlanStep] = []
    damaged = 0
    for place, item in enumerate(given if isinstance(given, (list, tuple)) else (), 1):
        if not isinstance(item, Mapping):
            continue
        gold = listed(item.get("gold_ids"))
        damaged += gold is None
        number, action = text_of(item, "step") or str(place), text_of(item, "action")
        if action:
            taken = sum(step.number.partition(".")[0] == number for step in steps)
            number = f"{number}.{taken + 1}" if taken else number  # ids are made of numbers, which may come twice
            steps.append(PlanStep(number, action, tuple(dict.fromkeys(gold or ()))))
    return tuple(steps), damaged
