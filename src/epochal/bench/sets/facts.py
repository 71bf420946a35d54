"""What a loaded set really holds: sizes, gold that cannot be found, repeated texts, and the sha256 of its files."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from epochal.bench.folder import file_digest
from epochal.bench.sets.base import Loaded
from epochal.index.records import Document

__all__ = ["Copies", "FileFact", "SetFacts", "copies", "describe"]

#: The middle of a TEMPO id is the start of the MD5 of the document's text.
_TOLD = re.compile(r"[a-z]+/(?P<digest>[0-9a-f]{8})_\d+\.txt")


@dataclass(frozen=True, slots=True)
class FileFact:
    """A file, its sha256, and what that should be where it is known.

    >>> FileFact("corpus.jsonl", "ab", "ab").state, FileFact("corpus.jsonl", "ab", "cd").state
    ('as pinned', 'differs')
    """

    name: str
    sha256: str
    pinned: str = ""

    @property
    def state(self) -> str:
        """How the file compares: `as pinned`, `differs`, or `not pinned`.

        >>> FileFact("queries.jsonl", "ab").state
        'not pinned'
        """
        return "not pinned" if not self.pinned else "as pinned" if self.sha256 == self.pinned else "differs"


@dataclass(frozen=True, slots=True)
class Copies:
    """Texts that occur more than once.

    `documents` counts those whose text another before them has. `gold` has, for each gold document with copies, the
    question, the document, and the copies that are not gold for that question: finding one of those earns nothing.

    >>> Copies(10, 3).share
    0.3
    """

    of: int
    documents: int
    gold: tuple[tuple[str, str, tuple[str, ...]], ...] = ()

    @property
    def share(self) -> float:
        """Copies among all documents.

        >>> Copies(0, 0).share
        0.0
        """
        return self.documents / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class SetFacts:
    """What a set holds. `judged` counts judgements above 0, `unreachable` gold documents that the corpus lacks.

    >>> SetFacts("own", 0, 0, 0).to_dict()["documents"]
    0
    """

    id: str
    documents: int
    questions: int
    judged: int
    splits: Mapping[str, int] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    dated_documents: int = 0
    with_now: int = 0
    with_periods: int = 0
    with_period_labels: int = 0
    with_exclusions: int = 0
    unjudged: int = 0
    unreachable: int = 0
    damaged: int = 0
    copies: Copies = field(default_factory=lambda: Copies(0, 0))
    files: tuple[FileFact, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; docs/reference/json.md explains the keys.

        >>> list(SetFacts("own", 1, 1, 1).to_dict())[:4]
        ['id', 'documents', 'questions', 'judged']
        """
        plain = ("id", "documents", "questions", "judged", "splits", "kinds", "dated_documents", "with_now")
        rest = ("with_periods", "with_period_labels", "with_exclusions", "unjudged", "unreachable", "damaged")
        told = {name: getattr(self, name) for name in (*plain, *rest)}
        told |= {"splits": dict(self.splits), "kinds": dict(self.kinds)}
        gold = [{"question": query, "document": id, "copies": list(twins)} for query, id, twins in self.copies.gold]
        told["copies"] = {"documents": self.copies.documents, "share": self.copies.share, "gold": gold}
        told["files"] = [
            {"name": file.name, "sha256": file.sha256, "pinned": file.pinned, "state": file.state}
            for file in self.files
        ]
        return {**told, "facts": dict(self.facts)}


def describe(loaded: Loaded, pinned: Mapping[str, str] | None = None) -> SetFacts:
    """What a set holds; its documents are gone through once, its files a second time for their sha256.

    >>> documents = (Document("d1", "Rain."), Document("d2", "Rain."))
    >>> from epochal.bench.records import BenchQuery, BenchSet
    >>> made = BenchSet("own", documents, (BenchQuery("q1", "Rain?"),), {"q1": {"d1": 1, "d9": 1}})
    >>> told = describe(Loaded(made))
    >>> told.unreachable, told.copies.documents, told.copies.gold
    (1, 1, (('q1', 'd1', ('d2',)),))
    """
    made = loaded.made
    told = _Counted(made.documents)
    gold = {query: [id for id, score in judged.items() if score > 0] for query, judged in made.qrels.items()}
    return SetFacts(
        made.id,
        told.documents,
        len(made.queries),
        sum(map(len, gold.values())),
        Counter(query.split for query in made.queries),
        Counter(query.kind for query in made.queries if query.kind),
        told.dated,
        sum(query.now is not None for query in made.queries),
        sum(bool(query.periods) for query in made.queries),
        len(made.period_qrels),
        sum(bool(query.excluded) for query in made.queries),
        sum(not gold.get(query.id) for query in made.queries),
        len({id for ids in gold.values() for id in ids} - told.by_id.keys()),
        told.damaged,
        told.copies(gold),
        tuple(_file(path, loaded.files, pinned or {}) for path in loaded.files),
        dict(loaded.facts),
    )


def copies(documents: Iterable[Document], gold: Mapping[str, Iterable[str]]) -> Copies:
    """The texts that repeat, and the copies of gold documents that are not gold, by question.

    >>> copies([Document("a", "Rain."), Document("b", "Rain."), Document("c", "Sun.")], {"q": ["a", "b"]})
    Copies(of=3, documents=1, gold=())
    """
    return _Counted(documents).copies(gold)


class _Counted:
    """One pass over documents: by the digest of their texts, whose they are."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = self.dated = self.damaged = 0
        self.by_text: dict[bytes, list[str]] = {}
        self.by_id: dict[str, bytes] = {}
        for document in documents:
            text = document.text.encode()
            key = hashlib.blake2b(document.title.encode() + b"\0" + text, digest_size=16).digest()
            self.by_text.setdefault(key, []).append(document.id)
            self.by_id[document.id] = key
            self.documents += 1
            self.dated += document.published is not None or "times" in document.meta
            told = _TOLD.fullmatch(document.id)
            self.damaged += told is not None and _md5(text) != told["digest"]

    def copies(self, gold: Mapping[str, Iterable[str]]) -> Copies:
        found = []
        for query, ids in gold.items():
            kept = set(ids)
            for id in ids:
                twins = (
                    [other for other in self.by_text[self.by_id[id]] if other not in kept] if id in self.by_id else []
                )
                if twins:
                    found.append((query, id, tuple(twins)))
        return Copies(self.documents, self.documents - len(self.by_text), tuple(found))


def _md5(text: bytes) -> str:
    return hashlib.md5(text, usedforsecurity=False).hexdigest()[:8]


def _file(path: Path, files: tuple[Path, ...], pinned: Mapping[str, str]) -> FileFact:
    """The names of pinned files are those within the folder of the set: the end of the path tells which it is."""
    known = next((sha for name, sha in pinned.items() if path.as_posix().endswith(f"/{name}")), "")
    root = os.path.commonpath([file.resolve().parent for file in files])
    return FileFact(path.resolve().relative_to(root).as_posix(), file_digest(path), known)
