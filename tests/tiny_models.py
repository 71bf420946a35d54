"""What the tests of systems share: a few documents, the words that tiny models know, and a question put to a system."""

from __future__ import annotations

from pathlib import Path

from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.systems.base import QueryAnswer, System

WORDS = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] [EOS] [Q] [D] yes no query passage document : rain snow tariff tariffs rose fell "
    "in may june 1998 2003 the a flood north . ? - < > Instruct Query Document"
).split()
DOCUMENTS = (
    Document("d1", "tariffs rose in may 1998 ."),
    Document("d2", "rain fell in june ."),
    Document("d3", "a flood in the north"),
    Document("d4", "tariffs rose in may 1998 ."),
)


def ranked(
    made: System, folder: Path, text: str, k: int = 4, documents: tuple[Document, ...] = DOCUMENTS
) -> QueryAnswer:
    """What a system answers to one question."""
    with made.open(documents, folder) as ranker:
        (answer,) = ranker.answer([BenchQuery("q", text)], k)
        return answer
