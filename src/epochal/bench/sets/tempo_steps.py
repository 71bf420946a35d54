"""TEMPO's second task: one question a step of a plan, in both layouts of `steps`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from epochal.bench.records import BenchQuery, BenchSet, Card
from epochal.bench.sets.base import Loaded, Source
from epochal.bench.sets.rows import listed, text_of
from epochal.bench.sets.tempo import (
    SWITCHES,
    TempoDocuments,
    excluded,
    exclusion_note,
    part_note,
    read_examples,
    read_guidance,
    with_notes,
)
from epochal.bench.sets.tempo_fields import Guidance, reasoning_kind, split_of
from epochal.bench.sets.tempo_files import Files
from epochal.errors import InputError

__all__ = ["STEP_SWITCHES", "load_tempo_steps"]

#: The questions of steps are those of `examples`: reasoning belongs to the first task.
STEP_SWITCHES: Final = tuple(switch for switch in SWITCHES if switch.name != "reasoning")


@dataclass(frozen=True, slots=True)
class _Step:
    """A step with its question; `own` are the exclusions that the flat layout gives with it."""

    id: str
    parent: str
    question: str
    number: str
    text: str
    gold: tuple[str, ...]
    own: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    """The steps of a domain that have gold, and what was left out."""

    steps: tuple[_Step, ...]
    questions: int
    without_gold: int
    damaged: int


def load_tempo_steps(domain: str, card: Card, source: Source, switches: Mapping[str, Any]) -> Loaded:
    """The steps of a domain that have gold, one question each (its text is the step's), and the domain's corpus.

    >>> settings = {switch.name: switch.default for switch in STEP_SWITCHES}
    >>> load_tempo_steps("law", Card("TEMPO"), Source(), settings)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.bench.sets.base.SetNotThereError: the set 'tempo/law/steps' needs a data folder with
    tempo/documents/law.parquet ...
    """
    id = f"tempo/{domain}/steps"
    corpus = Files.need(source, "documents", domain, id)
    steps = Files.need(source, "steps", domain, id)
    asked = Files.find(source, "examples", domain)
    examples = {example.id: example for example in read_examples(asked, domain)} if asked is not None else {}
    told = read_guidance(steps, domain)
    plan = _read_plan(steps, domain)
    parents = dict.fromkeys(examples or (step.parent for step in plan.steps))
    splits = split_of(list(parents), domain) if switches["split"] == "reteco" else {}
    excluding = switches["exclusion"] == "excl"
    queries = tuple(
        _query(step, told.guidance.get(step.parent, Guidance()), splits, _excluded(step, examples) if excluding else ())
        for step in plan.steps
    )
    note = exclusion_note(examples.values(), excluding=excluding)
    if excluding and any(step.own is not None for step in plan.steps):
        note = "Read in mode excl: the exclusions that stand with the steps are taken out of their rankings."
    made = BenchSet(
        id,
        TempoDocuments(corpus, domain, told.by_document() if switches["passages"] else {}),
        queries,
        {step.id: dict.fromkeys(step.gold, 1) for step in plan.steps},
        card=with_notes(card, note, part_note(len(parents), domain) if examples else ""),
    )
    answered = len({step.parent for step in plan.steps})
    facts = {
        "steps without gold, left out": plan.without_gold,
        "questions without a step that has gold, left out": max(plan.questions, len(examples)) - answered,
        "questions with steps": answered,
        "lists of gold ids that could not be read": plan.damaged,
    }
    return Loaded(made, (*corpus.paths, *steps.paths, *(asked.paths if asked is not None else ())), facts)


def _read_plan(files: Files, domain: str) -> _Plan:
    steps: dict[str, _Step] = {}
    parents: dict[str, None] = {}
    without = damaged = 0
    for path, line, row in files.rows(domain, "gold_ids"):
        found, unread = _flat(row) if "q_id" in row else _nested(row)
        damaged += unread
        if found is None:
            raise InputError(str(path), line, f"the row is neither a step nor a plan; accepted: {_ACCEPTED}")
        for step in found:
            parents[step.parent] = None
            if not step.gold:
                without += 1
            elif step.id in steps:
                raise InputError(
                    str(path), line, f"the step {step.id!r} occurs a second time; accepted: one row a step"
                )
            else:
                steps[step.id] = step
        if "q_id" not in row:
            parents[text_of(row, "id")] = None
    return _Plan(tuple(steps.values()), len(parents), without, damaged)


_ACCEPTED: Final = "'q_id', 'step_id', 'query', 'step' and 'gold_ids', or 'id' and 'query' with 'query_guidance'"


def _flat(row: Mapping[str, Any]) -> tuple[list[_Step] | None, int]:
    parent, number = text_of(row, "q_id"), text_of(row, "step_id")
    question, text = text_of(row, "query"), text_of(row, "step")
    gold = listed(row.get("gold_ids"))
    if not parent or not number or not text:
        return None, 0
    # Ids of steps may be numbers within their question, or already tell it.
    id = number if number.startswith(f"{parent}_") else f"{parent}_step{number}"
    number = id.removeprefix(f"{parent}_").removeprefix("step")
    return [_Step(id, parent, question, number, text, tuple(dict.fromkeys(gold or ())), excluded(row))], gold is None


def _nested(row: Mapping[str, Any]) -> tuple[list[_Step] | None, int]:
    parent, question = text_of(row, "id"), text_of(row, "query")
    if not parent or not question:
        return None, 0
    told = Guidance.of(row.get("query_guidance"))
    steps = [
        _Step(f"{parent}_step{step.number}", parent, question, step.number, step.action, step.gold)
        for step in told.plan
    ]
    return steps, told.damaged


def _excluded(step: _Step, examples: Mapping[str, Any]) -> tuple[str, ...]:
    parent = examples.get(step.parent)
    listed = step.own if step.own is not None else (parent.excluded or () if parent is not None else ())
    return tuple(id for id in listed if id not in step.gold)


def _query(step: _Step, told: Guidance, splits: Mapping[str, str], excluded: tuple[str, ...]) -> BenchQuery:
    annotations = {
        "parent": step.parent,
        "parent_text": step.question,
        "step": step.number,
        "step_text": step.text,
    }
    kind, split = reasoning_kind(told.values), splits.get(step.parent, "test")
    return BenchQuery(step.id, step.text, kind=kind, split=split, excluded=excluded, annotations=annotations)
