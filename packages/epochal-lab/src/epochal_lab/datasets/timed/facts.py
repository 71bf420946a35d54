"""Facts with validity (tdbench): who held what when, what holds now, and questions that no fact answers."""

from __future__ import annotations

import random
from typing import Final

from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.sources import Source, rows
from epochal_lab.datasets.timed.questions import Split, TimedCorpus, TimedQuestion, number_questions

_KINDS: Final = {"now": "current", "basic_unique": "stated", "basic_multiple": "stated", "basic_none": "unanswerable"}
_REPORT_SHARE: Final = 0.4


def load_facts(source: Source, seed: int = 0) -> TimedCorpus:
    """Facts, and questions by Allen's relations. Training has their paraphrases, reporting their first wording."""
    folder = source.require("tdbench", "tdbench", "get the facts and questions of TDBench")
    documents = tuple(
        Document(row["id"], row["text"], valid=Span.parse(row["valid"]), meta={"table": row["table"]})
        for _, row in rows(folder / "facts.jsonl.gz")
    )
    tables: dict[str, set[str]] = {}
    for document in documents:
        tables.setdefault(document.meta["table"], set()).add(document.id)
    questions = []
    for _, row in rows(folder / "queries.jsonl.gz"):
        rng = random.Random(f"facts-{seed}-{row['id']}")
        split: Split = "report" if rng.random() < _REPORT_SHARE else "train"
        gold = frozenset(row["gold"] or ())
        table = row["id"].partition("-")[0]
        for text in (row["text"],) if split == "report" else row["paraphrases"]:
            questions.append(
                TimedQuestion(
                    "",
                    text,
                    _KINDS[row["kind"]],
                    "tdbench",
                    Span.parse(row["now"]),
                    gold,
                    outcome="recorded" if row["answerable"] else "none_recorded",
                    # Which other facts of a table are about the same holder or office is not known.
                    unjudged=frozenset(tables.get(table, ())) - gold,
                    group=row["id"],
                    split=split,
                )
            )
    return TimedCorpus("tdbench", documents, number_questions(questions), notes=("some labels are noisy",))
