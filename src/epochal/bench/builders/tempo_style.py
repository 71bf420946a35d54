"""A set in the manner of TEMPO from a folder of questions and pages: passages, hard negatives, plans, annotations.

    questions.jsonl   id, question, gold (names of pages); date, answer where there are any
    pages/            Markdown, text and HTML files with their dates in the front matter

Pages are cut into passages. Of a page that answers, those passages are relevant that speak of a time that the question
asks about, or else the one that its words find first. Hard negatives are passages of other pages that the question's
words find without its times, and that speak of other times than it asks about.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.bench.builders.re2bench.common import digest
from epochal.bench.builders.tempo_annotation import Annotator, ModelAnnotator, RuleAnnotator
from epochal.bench.folder import Manifest, file_digest
from epochal.bench.records import BenchQuery, BenchSet, Card
from epochal.engine.index import Index
from epochal.errors import EpochalError, InputError
from epochal.index.inputs.dates import DateReader
from epochal.index.inputs.pages import read_pages
from epochal.index.records import Document
from epochal.index.splitting import split
from epochal.llm.chat import Chat
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.times import Span

__all__ = ["build"]

_QUESTIONS: Final = "questions.jsonl"
_PAGES: Final = "pages"


@dataclass(frozen=True, slots=True)
class _Asked:
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

    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "pages").mkdir()
    >>> _ = (folder / "pages" / "old.md").write_text("Steel tariffs were raised in May 1998.")
    >>> _ = (folder / "pages" / "new.md").write_text("Steel tariffs were lowered in 2003.")
    >>> row = {"id": "q1", "question": "What happened to steel tariffs in 2003?", "gold": ["new"]}
    >>> _ = (folder / "questions.jsonl").write_text(json.dumps(row))
    >>> made, manifest = build(folder)
    >>> sorted(made.qrels["q1"].values()), manifest.facts["hard_negatives_a_question"]
    ([0, 1], 1.0)
    """
    if negatives < 0 or depth < 1:
        raise EpochalError(f"negatives and depth are {negatives} and {depth}; accepted: 0 and 1 or more")
    pages = read_pages(source / _PAGES)
    asked = list(_questions(source / _QUESTIONS, {page.id for page in pages}))
    passages = {page.id: _passages(page, domain, size) for page in pages}
    documents = [item for page in pages for item in passages[page.id]]
    times = {item.id: _times(item) for item in documents}
    annotator: Annotator = RuleAnnotator() if chat is None else ModelAnnotator(chat)
    queries, judged, covered = [], {}, {}
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        index.add(documents)
        for row in asked:
            periods = understand(row.text, row.now).periods
            ranked = _ranked(index, annotator.searches(row.text, row.now) or (row.text,), depth)
            gold = [one for page in row.gold for one in _gold(passages[page], periods, times, ranked)]
            of_gold = {item.id for page in row.gold for item in passages[page]}
            near = [one for one in ranked if one not in of_gold and not _speaks_of(times[one], periods)]
            queries.append(_query(row, periods, gold, near[:negatives], annotator, index, times))
            judged[row.id] = {**dict.fromkeys(gold, 1), **dict.fromkeys(near[:negatives], 0)}
            if periods:
                covered[row.id] = tuple(
                    frozenset(one for one in gold if _speaks_of(times[one], (period,))) for period in periods
                )
    card = Card(f"{domain}, in the manner of TEMPO", "Questions that need evidence from the right time.")
    made = BenchSet(f"tempo_style/{domain}", tuple(documents), tuple(queries), judged, covered, card)
    return made, Manifest(
        made.id,
        card,
        "epochal.bench.builders.tempo_style",
        {"domain": domain, "negatives": negatives, "depth": depth, "size": size, "annotated_by": _name(chat)},
        {_QUESTIONS: file_digest(source / _QUESTIONS)},
        facts={
            "pages": len(pages),
            "passages_without_any_date": sum(not found for found in times.values()),
            "hard_negatives_a_question": round(sum(len(j) - sum(j.values()) for j in judged.values()) / len(asked), 3),
            "annotations_missing": annotator.gaps if isinstance(annotator, ModelAnnotator) else 0,
        },
    )


def _name(chat: Chat | None) -> str:
    return "rules" if chat is None else chat.name


def _questions(path: Path, pages: set[str]) -> Iterator[_Asked]:
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
        unknown = [given for given, name in zip(gold, names, strict=True) if name not in pages]
        if unknown or not gold:
            problem = f"no page is called {unknown[0]!r}" if unknown else "the question has no page"
            raise InputError(path.name, number, f"{problem}; accepted: {accepted}")
        if id in seen:
            raise InputError(path.name, number, f"the id {id!r} is there twice")
        seen.add(id)
        now = dates.read(row["date"], "date") if row.get("date") else None
        yield _Asked(id, text, tuple(dict.fromkeys(names)), now, str(row.get("answer", "")))
    if not seen:
        raise EpochalError(f"{path} has no question; accepted: rows with id, question and gold")


def _passages(page: Document, domain: str, size: int) -> list[Document]:
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


def _times(document: Document) -> tuple[Span, ...]:
    """The times that a passage states, or, where it states none, the day that it appeared."""
    found = tag(f"{document.title}\n{document.text}", document.published)
    spans = tuple(item.span for item in found if item.span is not None and not item.span.is_open)
    return spans or ((document.published,) if document.published is not None else ())


def _speaks_of(spans: Sequence[Span], periods: Sequence[Span]) -> bool:
    return any(span.overlaps(period) for span in spans for period in periods)


def _ranked(index: Index, searches: Sequence[str], depth: int) -> list[str]:
    """What the searches find by words alone, in turns, each once."""
    found = [[hit.id for hit in index.search(text, k=depth, time=False, collapse_versions=False)] for text in searches]
    longest = max(map(len, found), default=0)
    return list(dict.fromkeys(ids[place] for place in range(longest) for ids in found if place < len(ids)))


def _gold(
    passages: Sequence[Document], periods: Sequence[Span], times: Mapping[str, Sequence[Span]], ranked: Sequence[str]
) -> list[str]:
    dated = [item.id for item in passages if _speaks_of(times[item.id], periods)]
    if dated:
        return dated
    own = {item.id for item in passages}
    return [next((one for one in ranked if one in own), passages[0].id)]


def _query(
    row: _Asked,
    periods: tuple[Span, ...],
    gold: Sequence[str],
    near: Sequence[str],
    annotator: Annotator,
    index: Index,
    times: Mapping[str, Sequence[Span]],
) -> BenchQuery:
    told: dict[str, Any] = {"gold_answers": [row.answer] if row.answer else [], "negative_ids": list(near)}
    guidance = annotator.guidance(row.text, row.now)
    kind = ""
    if guidance is not None:
        told["query_guidance"] = {
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
        told[name] = notes
    return BenchQuery(row.id, row.text, row.now, periods, kind, annotations=told)


def _step(
    step: Mapping[str, Any], gold: Sequence[str], times: Mapping[str, Sequence[Span]], now: Span | None
) -> dict[str, Any]:
    """A step with the relevant passages of its time, all of them where it names none; a text, as TEMPO writes it."""
    periods = understand(step["action"], now).periods
    ids = [one for one in gold if _speaks_of(times[one], periods)] if periods else list(gold)
    return {**step, "gold_ids": repr(ids)}
