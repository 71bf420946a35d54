"""TEMPO's files (folders of Parquet, JSON Lines, or the hub), their annotations, and time anchors as periods.

Anchors are words of annotators: "44 BCE", "April-May 2023", "Middle Ages".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.reading.questions.question import REASONING_CLASSES
from epochal.reading.resolve import resolve
from epochal.times.span import Span
from epochal_lab.datasets.sources import (
    Fetch,
    MissingSetError,
    Source,
    get_text,
    get_texts,
    make_hub_fetch,
    parse_list,
    parse_literal,
    rows,
)


def anchor_periods(anchors: Iterable[str]) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """The periods that anchors name, each once and in chronological order, and the anchors that name none.

    An anchor may name several periods; one within another of the same anchor is not a second one.
    """
    periods: set[Span] = set()
    unread: list[str] = []
    for anchor in anchors:
        spans = _read_spans(anchor)
        periods.update(spans)
        if not spans:
            unread.append(anchor)
    return tuple(sorted(periods, key=lambda span: (span.start, span.end))), tuple(unread)


def scope(start: str, end: str) -> Span | None:
    """The span of a guess at a scope: YYYY, YYYY-MM or YYYY-MM-DD at both ends, or at one; None where it says
    nothing.
    """
    bounds = [text.strip() for text in (start, end) if text.strip()]
    try:
        spans = [Span.parse(text) for text in bounds]
        return Span.between(spans[0], spans[-1]) if len(set(bounds)) > 1 else spans[0] if spans else None
    except EpochalError:
        return None


def _read_spans(anchor: str) -> list[Span]:
    from epochal.reading.expression import stated_ranges
    from epochal.reading.tagger import tag

    try:
        return [reading.span for reading in resolve(anchor, calendar="gregorian")]
    except EpochalError:
        pass  # no single expression: words around a date, or the name of an event
    spans = [item.span for item in stated_ranges(anchor, tag(anchor, implicit=True))]
    return [span for span in spans if not any(span != other and span in other for other in spans)]


#: The classes that are reported on their own; the others, and whatever is no class, count as `other`.
CLASSES: Final = REASONING_CLASSES[:9]
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
class PublishedStep:
    """A step of a plan: its number, what to do, and the documents that answer it."""

    number: str
    action: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guidance:
    """The annotation of a question: its twelve keys with their right types, the plan read, and the periods."""

    values: Mapping[str, Any] = field(default_factory=dict)
    plan: tuple[PublishedStep, ...] = ()
    periods: tuple[Span, ...] = ()
    unread: tuple[str, ...] = ()
    #: How many lists of gold ids of the plan could not be read.
    damaged: int = 0

    @classmethod
    def of(cls, value: Any) -> Guidance:
        """The annotation that a field holds: an object, or a text that writes one."""
        parsed = parse_literal(value) if isinstance(value, str) else value
        if not isinstance(parsed, Mapping) or not parsed:
            return cls()
        plan, damaged = _plan(parsed.get("retrieval_plan"))
        anchors = get_texts(parsed.get("key_time_anchors"))
        periods, unread = anchor_periods(anchors)
        temporal = parsed.get("is_temporal_query")
        values: dict[str, Any] = {"is_temporal_query": temporal if isinstance(temporal, bool) else None}
        values |= {key: get_text(parsed, key) for key in _TEXTS}
        values |= {key: get_texts(parsed.get(key)) for key in _LISTS}
        values["retrieval_plan"] = [
            {"step": step.number, "action": step.action, "gold_ids": list(step.gold)} for step in plan
        ]
        return cls(values, plan, periods, unread, damaged)


@dataclass(frozen=True, slots=True)
class PublishedPassageNote:
    """Annotation of a passage that is relevant to a question; `span` is its scope in time where that can be read."""

    document: str
    values: Mapping[str, Any]
    span: Span | None


def passage_notes(value: Any, gold: list[str]) -> tuple[list[PublishedPassageNote], int]:
    """The annotations of a question's passages, and how many cannot be said to be of any.

    One without the id of its document is that of the gold document in the same place, where there are as many.
    """
    parsed = parse_literal(value) if isinstance(value, str) else value
    items = parsed if isinstance(parsed, (list, tuple)) else []
    notes: list[PublishedPassageNote] = []
    for position, item in enumerate(items):
        if not isinstance(item, Mapping):
            continue
        document = get_text(item, *_DOCUMENT) or (gold[position] if len(items) == len(gold) else "")
        if document:
            guess = item.get("time_scope_guess")
            edges = guess if isinstance(guess, Mapping) else {}
            values = {key: field for key, field in item.items() if key not in _DOCUMENT}
            span = scope(get_text(edges, "start_iso"), get_text(edges, "end_iso"))
            notes.append(PublishedPassageNote(document, values, span))
    return notes, len(items) - len(notes)


def reasoning_kind(values: Mapping[str, Any]) -> str:
    """The class under which a question is reported; "" for one without any annotation."""
    if not values:
        return ""
    name = str(values.get("temporal_reasoning_class_primary", "")).strip().lower()
    return name if name in CLASSES else "other"


def assign_splits(ids: list[str], domain: str) -> dict[str, str]:
    """RETECO's split of a domain's questions: 70 in 100 to train on, drawn in a fixed way."""
    import random

    shuffled = sorted(ids)
    random.Random(f"20270101:tempo:{domain}").shuffle(shuffled)
    count = max(min(round(0.7 * len(shuffled)), len(shuffled) - 1), 1)
    return {id: "train" if position < count else "dev" for position, id in enumerate(shuffled)}


def _plan(value: Any) -> tuple[tuple[PublishedStep, ...], int]:
    values = parse_literal(value) if isinstance(value, str) else value
    steps: list[PublishedStep] = []
    damaged = 0
    for position, item in enumerate(values if isinstance(values, (list, tuple)) else (), 1):
        if not isinstance(item, Mapping):
            continue
        gold = parse_list(item.get("gold_ids"))
        damaged += gold is None
        number, action = get_text(item, "step") or str(position), get_text(item, "action")
        if action:
            taken = sum(step.number.partition(".")[0] == number for step in steps)
            number = f"{number}.{taken + 1}" if taken else number  # ids are made of numbers, which may come twice
            steps.append(PublishedStep(number, action, tuple(dict.fromkeys(gold or ()))))
    return tuple(steps), damaged


#: The thirteen domains, in the order of the official code.
DOMAINS: Final = (
    *("bitcoin", "cardano", "economics", "genealogy", "history", "hsm", "iota"),
    *("law", "monero", "politics", "quant", "travel", "workplace"),
)
#: Configs whose questions have a language model's reasoning after them.
REASONING: Final = ("qwen72b_reason", "gpt4o_reason", "deepseek_reason", "llama70b_reason")
REPOSITORY: Final = "tempo26/Tempo"
#: By config, the revision that is read; the later one of `examples` adds `negative_ids`.
REVISIONS: Final = {
    "": "f9df06c05688225e37701974d23c8e3c5d4efaf6",
    "examples": "1dba7027d0afa628993c6dd794e9b68c657a6fac",
}
_ENDINGS: Final = (".parquet", ".jsonl", ".jsonl.gz")


def tempo_hub() -> Fetch:
    """What fetches TEMPO's files from the hub, at the pinned revisions."""
    return make_hub_fetch(REPOSITORY, REVISIONS)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one config of one domain; `mixed` when they hold other domains too."""

    paths: tuple[Path, ...]
    mixed: bool

    def rows(self, domain: str, key: str) -> Iterator[tuple[Path, int, dict[str, Any]]]:
        """The rows of the domain, with file and line. In mixed files the ids under `key` tell whose a row is."""
        for path in self.paths:
            for line, row in rows(path):
                ids = [row.get(key)] if key == "id" else parse_list(row.get(key)) or []
                if not self.mixed or any(str(id).startswith(f"{domain}/") for id in ids):
                    yield path, line, row

    @classmethod
    def find(cls, source: Source, config: str, domain: str) -> Files | None:
        """The files in the data folder, or those that are fetched; None where the folder has none."""
        if source.fetch is not None:
            return cls((source.fetch(f"{config}/{domain}.parquet"),), mixed=False)
        if source.data is None:
            return None
        for root in (source.data / "tempo", source.data):
            for ending in _ENDINGS:
                if (single := root / config / f"{domain}{ending}").is_file():
                    return cls((single,), mixed=False)
                if shards := sorted((root / config).glob(f"{domain}-*-of-*{ending}")):
                    return cls(tuple(shards), mixed=False)
            for ending in _ENDINGS:
                if (whole := root / f"{config}{ending}").is_file():
                    return cls((whole,), mixed=True)
        return None

    @classmethod
    def need(cls, source: Source, config: str, domain: str, id: str) -> Files:
        """The files, or one sentence on how to come by them."""
        files = cls.find(source, config, domain)
        if files is None:
            name = f"tempo/{config}/{domain}.parquet"
            lacks = f"is not in {source.data}: it lacks {name}" if source.data else f"needs a data folder with {name}"
            raise MissingSetError(
                f"the set {id!r} {lacks} (or .jsonl, or tempo/{config}.jsonl for all domains); get the folders of "
                f"{REPOSITORY} from huggingface.co/datasets, or load it with --hub (hub=True)"
            )
        return files
