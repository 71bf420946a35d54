"""TNP, the Temporal Nobel Prize set, from its published files, with the times that its questions ask about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from epochal.bench.folder import Manifest, file_digest, read_folder
from epochal.bench.records import BenchQuery, BenchSet, Card
from epochal.errors import EpochalError
from epochal.reading.questions.understand import understand

__all__ = ["CARD", "build"]

CARD: Final = Card(
    "Temporal Nobel Prize",
    "Who won which Nobel prize in, before, after or between years, or was born in a decade; a card a laureate.",
    "the test set of TS-Retriever and TMRL",
    notes=("The times of the questions were read from their words; the published files have none.",),
)

_FILES: Final = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


def build(source: Path, *, periods: bool = True) -> tuple[BenchSet, Manifest]:
    """The set from a folder in BEIR's form: corpus.jsonl, queries.jsonl, qrels/test.tsv.

    >>> build(Path("nowhere"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the folder 'nowhere' has no corpus.jsonl; accepted: TNP in BEIR's form
    """
    for name in _FILES:
        if not (source / name).is_file():
            raise EpochalError(f"the folder {str(source)!r} has no {name}; accepted: TNP in BEIR's form")
    read = read_folder(source, "tnp", check=False)
    queries = tuple(_dated(query) if periods else query for query in read.queries)
    made = replace(read, queries=queries, card=CARD)
    return made, Manifest(
        "tnp",
        CARD,
        "epochal.bench.builders.tnp",
        {"periods": periods},
        {name: file_digest(source / name) for name in _FILES},
        facts={"questions_with_a_time_read": sum(bool(query.periods) for query in queries)},
    )


def _dated(query: BenchQuery) -> BenchQuery:
    """The question with the times that it asks about, and the relation that it states them by as its class."""
    found = understand(query.text)
    kind = found.constraints[0].relation if found.constraints else ""
    return replace(query, periods=found.periods, kind=kind)
