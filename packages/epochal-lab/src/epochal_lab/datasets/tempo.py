"""TEMPO: the questions of a domain against its whole corpus, and one query per step of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from epochal.errors import EpochalError, InputError
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.cards import TEMPO_SIZES
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard, Switch
from epochal_lab.datasets.sources import LoadedSet, Source, get_text, get_texts, parse_list
from epochal_lab.datasets.tempo_files import (
    REASONING,
    Files,
    Guidance,
    PublishedPassageNote,
    assign_splits,
    passage_notes,
    reasoning_kind,
)

SWITCHES: Final = (
    Switch("exclusion", "excl", "take each question's mined negatives out of its ranking, or not", ("excl", "full")),
    Switch("reasoning", "none", "questions with a language model's reasoning after them", ("none", *REASONING)),
    Switch("split", "none", "RETECO's division of the questions into train and dev", ("none", "reteco")),
    Switch("passages", False, "annotations of the gold passages in meta: for oracles only, they give the gold away"),
)


@dataclass(frozen=True, slots=True)
class TempoExample:
    """A row of `examples`, or of a config with reasoning.

    `excluded` is None where the row has no list of exclusions at all, as in the earlier revision.
    """

    id: str
    text: str
    gold: tuple[str, ...]
    answers: tuple[str, ...] = ()
    excluded: tuple[str, ...] | None = None


class TempoDocuments:
    """The corpus of a domain, read from disk whenever it is gone through."""

    def __init__(
        self, files: Files, domain: str, notes: Mapping[str, list[PublishedPassageNote]] | None = None
    ) -> None:
        self._files = files
        self._domain = domain
        self._notes = notes or {}

    def __iter__(self) -> Iterator[Document]:
        for path, line, row in self._files.rows(self._domain, "id"):
            id, text = get_text(row, "id"), row.get("content")
            if not id or not isinstance(text, str):
                raise InputError(str(path), line, "the row is no document; accepted: texts under 'id' and 'content'")
            yield Document(id, text, meta=_make_meta(self._notes[id]) if id in self._notes else {})


def read_examples(files: Files, domain: str) -> list[TempoExample]:
    """The questions of a domain; a row without id or text is an error, and so is an id that comes twice."""
    examples: dict[str, TempoExample] = {}
    for path, line, row in files.rows(domain, "gold_ids"):
        id, text = get_text(row, "id"), get_text(row, "query")
        if not id or not text:
            raise InputError(str(path), line, "the row is no question; accepted: texts under 'id' and 'query'")
        if id in examples:
            raise InputError(str(path), line, f"the id {id!r} occurs a second time; accepted: ids of one row")
        examples[id] = TempoExample(
            id,
            text,
            tuple(parse_list(row.get("gold_ids")) or ()),
            tuple(get_texts(row.get("gold_answers"))),
            excluded(row),
        )
    return list(examples.values())


def excluded(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The ids that a row takes out of its question's ranking, by either name; None where it has neither list."""
    if "negative_ids" not in row and "excluded_ids" not in row:
        return None
    ids = parse_list(row.get("negative_ids")) or parse_list(row.get("excluded_ids")) or []
    return tuple(id for id in dict.fromkeys(ids) if id != "N/A")


@dataclass(slots=True)
class _DomainGuidance:
    """What `steps` says of a domain's questions and passages."""

    guidance: dict[str, Guidance] = field(default_factory=dict)
    notes: dict[str, list[PublishedPassageNote]] = field(default_factory=dict)
    lost: int = 0

    def by_document(self) -> dict[str, list[PublishedPassageNote]]:
        grouped: dict[str, list[PublishedPassageNote]] = {}
        for notes in self.notes.values():
            for note in notes:
                grouped.setdefault(note.document, []).append(note)
        return grouped


def read_guidance(files: Files | None, domain: str) -> _DomainGuidance:
    """The annotations that `steps` holds in its nested layout, by question; nothing where there is no such file."""
    result = _DomainGuidance()
    for _, _, row in files.rows(domain, "gold_ids") if files is not None else ():
        id = get_text(row, "id")
        guidance = Guidance.of(row.get("query_guidance"))
        if id and guidance.values:
            result.guidance[id] = guidance
        notes, lost = passage_notes(row.get("gold_passage_annotations"), parse_list(row.get("gold_ids")) or [])
        result.lost += lost
        if id and notes:
            result.notes[id] = notes
    return result


def load_tempo(domain: str, card: SetCard, source: Source, switches: Mapping[str, Any]) -> LoadedSet:
    """The questions of a domain, and its corpus."""
    id = f"tempo/{domain}"
    corpus = Files.need(source, "documents", domain, id)
    config = "examples" if switches["reasoning"] == "none" else switches["reasoning"]
    example_files = Files.need(source, config, domain, id)
    steps = Files.find(source, "steps", domain)
    examples, annotations = read_examples(example_files, domain), read_guidance(steps, domain)
    if not examples:
        raise EpochalError(f"{example_files.paths[0]} holds no question of the domain {domain!r}; get its {config}")
    splits = assign_splits([example.id for example in examples], domain) if switches["split"] == "reteco" else {}
    excluding = switches["exclusion"] == "excl"
    queries = tuple(
        build_query(example, annotations.guidance.get(example.id, Guidance()), splits, excluding=excluding)
        for example in examples
    )
    by_document = annotations.by_document() if switches["passages"] else {}
    bench_set = BenchSet(
        id,
        TempoDocuments(corpus, domain, by_document),
        queries,
        {example.id: dict.fromkeys(example.gold, 1) for example in examples},
        {
            example.id: judged
            for example in examples
            if (
                judged := _match_periods(
                    example, annotations.guidance.get(example.id), annotations.notes.get(example.id, [])
                )
            )
        },
        add_notes(card, exclusion_note(examples, excluding=excluding), part_note(len(examples), domain)),
    )
    facts = {
        "questions without annotation": len(examples) - sum(example.id in annotations.guidance for example in examples),
        "questions without gold": sum(not example.gold for example in examples),
        "gold that is also excluded": sum(len({*example.gold} & {*(example.excluded or ())}) for example in examples),
        "anchors that name no time": sum(len(item.unread) for item in annotations.guidance.values()),
        "passage annotations of no passage": annotations.lost,
    }
    files = (*corpus.paths, *example_files.paths, *(steps.paths if steps is not None else ()))
    return LoadedSet(bench_set, files, facts)


def build_query(example: TempoExample, guidance: Guidance, splits: Mapping[str, str], *, excluding: bool) -> BenchQuery:
    """The question of a row. What is gold stays in the ranking, whatever the list of exclusions says."""
    annotations: dict[str, Any] = dict(guidance.values)
    if example.answers:
        annotations["gold_answers"] = list(example.answers)
    if example.excluded is not None:
        annotations["negative_ids"] = list(example.excluded)
    if guidance.unread:
        annotations["anchors_without_time"] = list(guidance.unread)
    excluded = tuple(id for id in example.excluded or () if id not in example.gold)
    return BenchQuery(
        example.id,
        example.text,
        None,
        guidance.periods,
        reasoning_kind(guidance.values),
        splits.get(example.id, "test"),
        excluded if excluding else (),
        annotations,
    )


def add_notes(card: SetCard, *notes: str) -> SetCard:
    """A card with what is true of this reading after what is true of the set; an empty note is none."""
    return replace(card, notes=(*card.notes, *(note for note in notes if note)))


def exclusion_note(examples: Iterable[TempoExample], *, excluding: bool) -> str:
    """What was done with the lists of exclusions."""
    lists = [example.excluded for example in examples if example.excluded is not None]
    if not excluding:
        return "Read in mode full: mined negatives stay in the ranking, unlike in the published figures."
    if not lists:
        return "No question has a list of exclusions, so none is excluded: the later revision of examples has lists."
    return f"Read in mode excl: the mined negatives of {len(lists)} questions are taken out of their own rankings."


def part_note(count: int, domain: str) -> str:
    """What to know where a domain has not as many questions as its paper says; "" where it has."""
    whole = TEMPO_SIZES[domain][1]
    if count == whole:
        return ""
    sentence = f"Read from files with {count} of {whole} questions"
    return f"{sentence}: neither figures nor the split of RETECO are those of the domain."


def _make_meta(notes: list[PublishedPassageNote]) -> dict[str, Any]:
    spans = sorted({note.span for note in notes if note.span is not None}, key=lambda span: (span.start, span.end))
    meta: dict[str, Any] = {"annotations": [dict(note.values) for note in notes]}
    return {"times": [span.edtf() for span in spans], **meta} if spans else meta


def _match_periods(
    example: TempoExample, guidance: Guidance | None, notes: list[PublishedPassageNote]
) -> tuple[frozenset[str], ...] | None:
    """Which gold passages mention which period, by their annotated scopes; None where no scope was read."""
    placed: list[tuple[str, Span]] = [
        (note.document, note.span) for note in notes if note.span is not None and note.document in example.gold
    ]
    if guidance is None or not guidance.periods or not placed:
        return None
    return tuple(frozenset(id for id, span in placed if span.overlaps(period)) for period in guidance.periods)


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


def load_tempo_steps(domain: str, card: SetCard, source: Source, switches: Mapping[str, Any]) -> LoadedSet:
    """The steps of a domain that have gold, one question each (its text is the step's), and the domain's corpus."""
    id = f"tempo/{domain}/steps"
    corpus = Files.need(source, "documents", domain, id)
    steps = Files.need(source, "steps", domain, id)
    files = Files.find(source, "examples", domain)
    examples = {example.id: example for example in read_examples(files, domain)} if files is not None else {}
    annotations = read_guidance(steps, domain)
    plan = _read_plan(steps, domain)
    parents = dict.fromkeys(examples or (step.parent for step in plan.steps))
    splits = assign_splits(list(parents), domain) if switches["split"] == "reteco" else {}
    excluding = switches["exclusion"] == "excl"
    queries = tuple(
        _query(
            step,
            annotations.guidance.get(step.parent, Guidance()),
            splits,
            _list_excluded(step, examples) if excluding else (),
        )
        for step in plan.steps
    )
    note = exclusion_note(examples.values(), excluding=excluding)
    if excluding and any(step.own is not None for step in plan.steps):
        note = "Read in mode excl: the exclusions that stand with the steps are taken out of their rankings."
    bench_set = BenchSet(
        id,
        TempoDocuments(corpus, domain, annotations.by_document() if switches["passages"] else {}),
        queries,
        {step.id: dict.fromkeys(step.gold, 1) for step in plan.steps},
        card=add_notes(card, note, part_note(len(parents), domain) if examples else ""),
    )
    answered = len({step.parent for step in plan.steps})
    facts = {
        "steps without gold, left out": plan.without_gold,
        "questions without a step that has gold, left out": max(plan.questions, len(examples)) - answered,
        "questions with steps": answered,
        "lists of gold ids that could not be read": plan.damaged,
    }
    return LoadedSet(bench_set, (*corpus.paths, *steps.paths, *(files.paths if files is not None else ())), facts)


def _read_plan(files: Files, domain: str) -> _Plan:
    steps: dict[str, _Step] = {}
    parents: dict[str, None] = {}
    without = damaged = 0
    for path, line, row in files.rows(domain, "gold_ids"):
        parsed, unread = _parse_flat_steps(row) if "q_id" in row else _parse_nested_steps(row)
        damaged += unread
        if parsed is None:
            raise InputError(str(path), line, f"the row is neither a step nor a plan; accepted: {_ACCEPTED}")
        for step in parsed:
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
            parents[get_text(row, "id")] = None
    return _Plan(tuple(steps.values()), len(parents), without, damaged)


_ACCEPTED: Final = "'q_id', 'step_id', 'query', 'step' and 'gold_ids', or 'id' and 'query' with 'query_guidance'"


def _parse_flat_steps(row: Mapping[str, Any]) -> tuple[list[_Step] | None, int]:
    parent, number = get_text(row, "q_id"), get_text(row, "step_id")
    question, text = get_text(row, "query"), get_text(row, "step")
    gold = parse_list(row.get("gold_ids"))
    if not parent or not number or not text:
        return None, 0
    # Ids of steps may be numbers within their question, or already tell it.
    id = number if number.startswith(f"{parent}_") else f"{parent}_step{number}"
    number = id.removeprefix(f"{parent}_").removeprefix("step")
    return [_Step(id, parent, question, number, text, tuple(dict.fromkeys(gold or ())), excluded(row))], gold is None


def _parse_nested_steps(row: Mapping[str, Any]) -> tuple[list[_Step] | None, int]:
    parent, question = get_text(row, "id"), get_text(row, "query")
    if not parent or not question:
        return None, 0
    guidance = Guidance.of(row.get("query_guidance"))
    steps = [
        _Step(f"{parent}_step{step.number}", parent, question, step.number, step.action, step.gold)
        for step in guidance.plan
    ]
    return steps, guidance.damaged


def _list_excluded(step: _Step, examples: Mapping[str, Any]) -> tuple[str, ...]:
    parent = examples.get(step.parent)
    parse_list = step.own if step.own is not None else (parent.excluded or () if parent is not None else ())
    return tuple(id for id in parse_list if id not in step.gold)


def _query(step: _Step, guidance: Guidance, splits: Mapping[str, str], excluded: tuple[str, ...]) -> BenchQuery:
    annotations = {
        "parent": step.parent,
        "parent_text": step.question,
        "step": step.number,
        "step_text": step.text,
    }
    kind, split = reasoning_kind(guidance.values), splits.get(step.parent, "test")
    return BenchQuery(step.id, step.text, kind=kind, split=split, excluded=excluded, annotations=annotations)
