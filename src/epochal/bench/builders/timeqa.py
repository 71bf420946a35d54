"""TimeQA as passage retrieval: the paragraphs of its pages, and which of them hold the answer that people marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from epochal.bench.builders.re2bench.facts import annotated_files, read_entries
from epochal.bench.folder import Manifest, file_digest
from epochal.bench.records import BenchQuery, BenchSet, Card
from epochal.errors import EpochalError, InputError
from epochal.index.records import Document
from epochal.reading.questions.understand import understand

__all__ = ["CARD", "build"]

CARD: Final = Card(
    "TimeQA, questions that people wrote",
    "Facts of a page in a stretch of years; the relevant paragraphs are those in which the answer was marked.",
    "TSQA-Human, https://github.com/wenhuchen/Time-Sensitive-QA",
    "BSD-3-Clause",
    notes=("Questions without an answer in their page are left out.",),
)


def build(source: Path, *, split: str = "train", periods: bool = True) -> tuple[BenchSet, Manifest]:
    """The set from the folder with human_annotated_SPLIT.json; `periods` reads the times that each question asks about.

    >>> build(Path("nowhere"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the folder 'nowhere' has no human_annotated_*.json of TimeQA
    """
    files = {path.stem.removeprefix("human_annotated_"): path for path in annotated_files(source)}
    if split not in files:
        raise EpochalError(f"split is {split!r}; accepted: {', '.join(files)}")
    path = files[split]
    documents: dict[str, Document] = {}
    queries: list[BenchQuery] = []
    judged: dict[str, dict[str, int]] = {}
    unanswered = 0
    for number, entry in enumerate(read_entries(path), 1):
        title = entry["link"].removeprefix("/wiki/").replace("_", " ")
        for place, text in enumerate(entry["paras"]):
            documents.setdefault(f"{entry['link']}#{place}", Document(f"{entry['link']}#{place}", text, title=title))
        for place, (text, answers) in enumerate(entry["questions"]):
            relevant = _relevant(entry, answers, documents, path.name, number)
            if not relevant:
                unanswered += 1
                continue
            query = BenchQuery(
                f"{entry['index']}@{place}",
                text,
                periods=understand(text).periods if periods else (),
                kind=entry["type"],
                annotations={"answers": [item["answer"] for item in answers if item.get("answer")]},
            )
            queries.append(query)
            judged[query.id] = relevant
    made = BenchSet(f"timeqa/human_{split}", tuple(documents.values()), tuple(queries), judged, card=CARD)
    return made, Manifest(
        made.id,
        CARD,
        "epochal.bench.builders.timeqa",
        {"split": split, "periods": periods},
        {path.name: file_digest(path)},
        facts={
            "questions_without_an_answer": unanswered,
            "questions_with_a_time_read": sum(bool(query.periods) for query in queries),
        },
    )


def _relevant(
    entry: dict[str, Any], answers: list[dict[str, Any]], documents: dict[str, Document], name: str, number: int
) -> dict[str, int]:
    """The paragraphs in which an answer was marked."""
    found = {f"{entry['link']}#{item['para']}": 1 for item in answers if item.get("answer")}
    for one in found:
        if one not in documents:
            raise InputError(name, 0, f"entry {number} marks an answer in {one!r}, which is no paragraph of its page")
    return found
