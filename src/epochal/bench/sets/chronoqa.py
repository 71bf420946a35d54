"""ChronoQA: Chinese questions about time, each with the day on which it is asked and the chunks that answer it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from epochal.bench.records import BenchQuery, BenchSet, Card, Switch
from epochal.bench.sets.base import Loaded, Source
from epochal.bench.sets.rows import listed, rows, text_of
from epochal.errors import EpochalError, InputError
from epochal.index.inputs.dates import DateReader
from epochal.index.records import Document
from epochal.times import Span

__all__ = ["SWITCHES", "load_chronoqa"]

SWITCHES: Final = (Switch("periods", True, "read periods out of the questions, and which gold chunk is of which"),)

_FOLDER: Final = "chronoqa"
_FILE: Final = "questions.jsonl.gz"
_REMEDY: Final = "get questions.jsonl (or .gz) of ChronoQA and put it there"
_FACTS: Final = (
    *("answer", "answer_type", "temporal_expression_type", "temporal_scope", "temporal_granularity"),
    "reference_document_count",
)


def load_chronoqa(card: Card, source: Source, switches: Mapping[str, Any]) -> Loaded:
    """The questions, against all chunks that are gold for any of them.

    >>> from pathlib import Path
    >>> load_chronoqa(Card("ChronoQA"), Source(Path("nowhere")), {"periods": True})
    Traceback (most recent call last):
    ...
    epochal.bench.sets.base.SetNotThereError: the set 'chronoqa' is not in nowhere (looked for
    chronoqa/questions.jsonl.gz); get questions.jsonl (or .gz) of ChronoQA and put it there
    """
    path = source.place(f"{_FOLDER}/questions.jsonl") or source.need("chronoqa", f"{_FOLDER}/{_FILE}", _REMEDY)
    dates = DateReader()
    documents: dict[str, Document] = {}
    queries: list[BenchQuery] = []
    qrels: dict[str, dict[str, int]] = {}
    covered: dict[str, tuple[frozenset[str], ...]] = {}
    damaged = without = 0
    for line, row in rows(path):
        id, text = text_of(row, "", "id", "_id") or str(line), text_of(row, "question")
        if not text:
            raise InputError(str(path), line, "the row has no question; accepted: a text under 'question'")
        if id in qrels:
            raise InputError(str(path), line, f"the id {id!r} occurs a second time; accepted: ids of one row")
        chunks = listed(row.get("golden_chunks"))
        damaged += chunks is None
        gold = {_id(chunk): chunk for chunk in chunks or () if chunk != "None"}
        if not gold:
            without += 1
            continue
        now = _now(row, dates, str(path), line)
        periods = _periods(text, now) if switches["periods"] else ()
        documents |= {key: Document(key, chunk) for key, chunk in gold.items() if key not in documents}
        qrels[id] = dict.fromkeys(gold, 1)
        if judged := _covered(periods, gold):
            covered[id] = judged
        facts = {key: row[key] for key in _FACTS if row.get(key)}
        queries.append(BenchQuery(id, text, now, periods, text_of(row, "temporal_type"), annotations=facts))
    made = BenchSet("chronoqa", tuple(documents.values()), tuple(queries), qrels, covered, card)
    told = {"questions without a chunk, left out": without, "lists of chunks that could not be read": damaged}
    return Loaded(made, (path,), told)


def _id(chunk: str) -> str:
    """Chunks have no ids: the same words are the same chunk, whichever question brings them."""
    return hashlib.sha256(chunk.encode()).hexdigest()[:16]


def _now(row: Mapping[str, Any], dates: DateReader, file: str, line: int) -> Span | None:
    if not row.get("question_date"):
        return None
    try:
        return dates.read(row["question_date"], "question_date")
    except EpochalError as error:
        raise InputError(file, line, str(error)) from None


def _periods(text: str, now: Span | None) -> tuple[Span, ...]:
    from epochal.reading.questions import understand

    return understand(text, now).periods


def _covered(periods: tuple[Span, ...], gold: Mapping[str, str]) -> tuple[frozenset[str], ...] | None:
    """Which gold chunk is of which period; None unless each period has one: then the reading of one side is wrong."""
    from epochal.reading import stretches, tag

    if not periods:
        return None
    spans = {id: [item.span for item in stretches(chunk, tag(chunk))] for id, chunk in gold.items()}
    found = tuple(
        frozenset(id for id, read in spans.items() if any(span.overlaps(period) for span in read)) for period in periods
    )
    return found if all(found) else None
