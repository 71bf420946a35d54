"""A set in the manner of TEMPO from a folder of questions and pages: passages, hard negatives, plans, annotations.

    questions.jsonl   id, question, gold (names of pages); date, answer where there are any
    pages/            Markdown, text and HTML files with their dates in the front matter

Pages are split into passages. Of a page that answers, those passages are relevant that mention a time that the question
asks about, or else the one that its words rank first. Hard negatives are passages of other pages that the question's
words find without its times, and that mention other times.

Annotations come from rules or from a language model; without a usable reply an annotation is missing (None).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from epochal.api import Index
from epochal.errors import EpochalError, InputError
from epochal.llm.chat import Chat, LlmError
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.storage.importers.fields import DateReader
from epochal.storage.importers.pages import read_pages
from epochal.storage.records import Document
from epochal.storage.text import split
from epochal.times.span import Span
from epochal_lab.datasets.folder import Manifest, file_digest
from epochal_lab.datasets.re2bench.cases import digest
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard
from epochal_lab.tempo.annotate import (
    annotate_passage_by_model,
    annotate_passage_by_rules,
    annotate_query_by_model,
    annotate_query_by_rules,
)
from epochal_lab.tempo.negatives import plan_searches_by_model, plan_searches_by_rules
from epochal_lab.tempo.records import QUERY_KEYS

Json = dict[str, Any]
Reply = TypeVar("Reply")
#: The keys of what is said about a question, in TEMPO's order.
GUIDANCE: Final = QUERY_KEYS


class Annotator(Protocol):
    """Says what a question asks of time, what a passage says of it, and how to search for near misses."""

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
    """By the rules that Epochal reads questions and texts with."""

    def guidance(self, question: str, now: Span | None) -> Json | None:
        """The twelve keys of `query_guidance`."""
        return annotate_query_by_rules(question, now).to_dict()

    def passage(self, question: str, document: Document) -> Json | None:
        """What a passage says of time, whatever is asked."""
        return annotate_passage_by_rules(document).to_dict()

    def searches(self, question: str, now: Span | None) -> tuple[str, ...]:
        """The question without its times, and its names."""
        return plan_searches_by_rules(question, now).make_queries()


class ModelAnnotator:
    """By a language model. `gaps` counts the replies that could not be used."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self.gaps = 0

    def guidance(self, question: str, now: Span | None) -> Json | None:
        """The twelve keys of `query_guidance`; None where the model gave none."""
        note = self._call_model(lambda: annotate_query_by_model(self._chat, question, now))
        return None if note is None else note.to_dict()

    def passage(self, question: str, document: Document) -> Json | None:
        """What a passage says of time; None where the model gave nothing."""
        note = self._call_model(lambda: annotate_passage_by_model(self._chat, question, document))
        return None if note is None else note.to_dict()

    def searches(self, question: str, now: Span | None) -> tuple[str, ...]:
        """A summary and the names in the question, as texts to search with; none where the model gave none."""
        reply = self._call_model(lambda: plan_searches_by_model(self._chat, question))
        return () if reply is None else reply.make_queries()

    def _call_model(self, call: Callable[[], Reply]) -> Reply | None:
        try:
            return call()
        except LlmError:
            self.gaps += 1
            return None


_QUESTIONS: Final = "questions.jsonl"
_PAGES: Final = "pages"


@dataclass(frozen=True, slots=True)
class _PageQuestion:
    """A row of questions.jsonl."""

    id: str
    text: str
    gold: tuple[str, ...]
    now: Span | None
    answer: str


def build(
    source: Path,
    chat: Chat | None = None,
    *,
    domain: str = "own",
    negatives: int = 5,
    depth: int = 50,
    size: int = 1000,
) -> tuple[BenchSet, Manifest]:
    """The set from a folder. With a `chat`, a language model annotates; without one, rules do.

    `negatives` is how many hard negatives a question has at most, looked for among the first `depth` passages, and
    `size` how many characters a passage has at most.
    """
    if negatives < 0 or depth < 1:
        raise EpochalError(f"negatives and depth are {negatives} and {depth}; accepted: 0 and 1 or more")
    pages = read_pages(source / _PAGES)
    questions = list(_read_questions(source / _QUESTIONS, {page.id for page in pages}))
    passages = {page.id: _split_passages(page, domain, size) for page in pages}
    documents = [item for page in pages for item in passages[page.id]]
    times = {item.id: _get_times(item) for item in documents}
    annotator: Annotator = RuleAnnotator() if chat is None else ModelAnnotator(chat)
    queries, judged, covered = [], {}, {}
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        index.add(documents)
        for row in questions:
            periods = understand(row.text, row.now).periods
            ranked = _rank_by_words(index, annotator.searches(row.text, row.now) or (row.text,), depth)
            gold = [one for page in row.gold for one in _select_gold(passages[page], periods, times, ranked)]
            of_gold = {item.id for page in row.gold for item in passages[page]}
            near = [one for one in ranked if one not in of_gold and not _overlaps_any(times[one], periods)]
            queries.append(_query(row, periods, gold, near[:negatives], annotator, index, times))
            judged[row.id] = {**dict.fromkeys(gold, 1), **dict.fromkeys(near[:negatives], 0)}
            if periods:
                covered[row.id] = tuple(
                    frozenset(one for one in gold if _overlaps_any(times[one], (period,))) for period in periods
                )
    card = SetCard(f"{domain}, in the manner of TEMPO", "Questions that need evidence from the right time.")
    bench_set = BenchSet(f"tempo_style/{domain}", tuple(documents), tuple(queries), judged, covered, card)
    return bench_set, Manifest(
        bench_set.id,
        card,
        "epochal.bench.builders.tempo_style",  # the recorded name stays, so that sets built again are the same bytes
        {
            "domain": domain,
            "negatives": negatives,
            "depth": depth,
            "size": size,
            "annotated_by": "rules" if chat is None else chat.name,
        },
        {_QUESTIONS: file_digest(source / _QUESTIONS)},
        facts={
            "pages": len(pages),
            "passages_without_any_date": sum(not spans for spans in times.values()),
            "hard_negatives_a_question": round(
                sum(len(j) - sum(j.values()) for j in judged.values()) / len(questions), 3
            ),
            "annotations_missing": annotator.gaps if isinstance(annotator, ModelAnnotator) else 0,
        },
    )


def _read_questions(path: Path, pages: set[str]) -> Iterator[_PageQuestion]:
    accepted = "a row with id, question and gold, a list of pages"
    if not path.is_file():
        raise EpochalError(f"{path} is not there; accepted: rows with id, question and gold")
    seen: set[str] = set()
    dates = DateReader()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            text, gold, id = row["question"], [str(name) for name in row["gold"]], str(row["id"])
        except (ValueError, KeyError, TypeError):
            raise InputError(path.name, number, f"the line is no question; accepted: {accepted}") from None
        names = [name if name in pages else name.rpartition(".")[0] for name in gold]
        unknown = [title for title, name in zip(gold, names, strict=True) if name not in pages]
        if unknown or not gold:
            problem = f"no page is called {unknown[0]!r}" if unknown else "the question has no page"
            raise InputError(path.name, number, f"{problem}; accepted: {accepted}")
        if id in seen:
            raise InputError(path.name, number, f"the id {id!r} is there twice")
        seen.add(id)
        now = dates.read(row["date"], "date") if row.get("date") else None
        yield _PageQuestion(id, text, tuple(dict.fromkeys(names)), now, str(row.get("answer", "")))
    if not seen:
        raise EpochalError(f"{path} has no question; accepted: rows with id, question and gold")


def _split_passages(page: Document, domain: str, size: int) -> list[Document]:
    name = digest(page.id, page.text)[:8]
    return [
        Document(
            f"{domain}/{name}_{number}.txt",
            page.text[start:end],
            page.title,
            page.published,
            meta={"page": page.id},
        )
        for number, (start, end) in enumerate(split(page.text, size))
    ]


def _get_times(document: Document) -> tuple[Span, ...]:
    """The times that a passage states, or, where it states none, the day that it appeared."""
    expressions = tag(f"{document.title}\n{document.text}", document.published)
    spans = tuple(item.span for item in expressions if item.span is not None and not item.span.is_open)
    return spans or ((document.published,) if document.published is not None else ())


def _overlaps_any(spans: Sequence[Span], periods: Sequence[Span]) -> bool:
    return any(span.overlaps(period) for span in spans for period in periods)


def _rank_by_words(index: Index, searches: Sequence[str], depth: int) -> list[str]:
    """What the searches find by words alone, in turns, each once."""
    rankings = [
        [hit.id for hit in index.search(text, k=depth, time=False, collapse_versions=False)] for text in searches
    ]
    longest = max(map(len, rankings), default=0)
    return list(dict.fromkeys(ids[position] for position in range(longest) for ids in rankings if position < len(ids)))


def _select_gold(
    passages: Sequence[Document], periods: Sequence[Span], times: Mapping[str, Sequence[Span]], ranked: Sequence[str]
) -> list[str]:
    dated = [item.id for item in passages if _overlaps_any(times[item.id], periods)]
    if dated:
        return dated
    own = {item.id for item in passages}
    return [next((one for one in ranked if one in own), passages[0].id)]


def _query(
    row: _PageQuestion,
    periods: tuple[Span, ...],
    gold: Sequence[str],
    near: Sequence[str],
    annotator: Annotator,
    index: Index,
    times: Mapping[str, Sequence[Span]],
) -> BenchQuery:
    annotations: dict[str, Any] = {"gold_answers": [row.answer] if row.answer else [], "negative_ids": list(near)}
    guidance = annotator.guidance(row.text, row.now)
    kind = ""
    if guidance is not None:
        annotations["query_guidance"] = {
            **guidance,
            "retrieval_plan": [_step(step, gold, times, row.now) for step in guidance["retrieval_plan"]],
        }
        kind = guidance["temporal_reasoning_class_primary"]
    for name, ids in (("gold_passage_annotations", gold), ("negative_passage_annotations", near)):
        notes = []
        for one in ids:
            document = index.get(one)
            note = None if document is None else annotator.passage(row.text, document)
            if note is not None:
                notes.append({"doc_id": one, **note})
        annotations[name] = notes
    return BenchQuery(row.id, row.text, row.now, periods, kind, annotations=annotations)


def _step(
    step: Mapping[str, Any], gold: Sequence[str], times: Mapping[str, Sequence[Span]], now: Span | None
) -> dict[str, Any]:
    """A step with the relevant passages of its time, all of them where it names none; a text, as TEMPO writes it."""
    periods = understand(step["action"], now).periods
    ids = [one for one in gold if _overlaps_any(times[one], periods)] if periods else list(gold)
    return {**step, "gold_ids": repr(ids)}
