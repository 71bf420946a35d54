"""Presets that make one vector of a text: found are the documents with the highest inner product with the question.

Vectors are kept beside the folder by the content of their texts, so that equal texts, and a run that goes on, cost
nothing; all documents are compared, without an approximate index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from epochal.bench.records import BenchQuery
from epochal.bench.specs import Spec
from epochal.bench.systems.base import Answer, Ranker
from epochal.bench.systems.chosen import Chosen
from epochal.bench.systems.ranks import best_hits, text_of
from epochal.bench.systems.vectors import KeptVectors
from epochal.encoders.base import Vectors
from epochal.index.records import Document

__all__ = ["QUESTIONS", "VECTORS", "DenseSystem", "dense_system"]

VECTORS: Final = "vectors.db"
#: Questions that are encoded and compared at a time.
QUESTIONS: Final = 64


@dataclass(frozen=True, slots=True)
class DenseSystem:
    """A dense preset as a system.

    >>> DenseSystem(Chosen.of(Spec.parse("bge"))).name
    'bge'
    """

    chosen: Chosen

    @property
    def name(self) -> str:
        """The preset and the settings that change answers.

        >>> DenseSystem(Chosen.of(Spec.parse("bge(setup=corrected)"))).name
        'bge(setup=corrected)'
        """
        return self.chosen.name

    @property
    def store(self) -> str:
        """One for each name.

        >>> DenseSystem(Chosen.of(Spec.parse("bge"))).store.startswith("dense-")
        True
        """
        return self.chosen.store

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Load the model, and encode the documents that are not kept.

        >>> DenseSystem(Chosen.of(Spec.parse("bge"))).open([], Path("nowhere")).__class__.__name__
        '_GeneratorContextManager'
        """
        kept = KeptVectors(self.chosen, folder.parent / VECTORS)
        ids: list[str] = []
        texts: list[str] = []
        for document in documents:
            ids.append(document.id)
            texts.append(text_of(document))
        yield _DenseRanker(kept, ids, kept.documents(texts))


@dataclass(frozen=True, slots=True, eq=False)
class _DenseRanker:
    kept: KeptVectors
    ids: Sequence[str]
    vectors: Vectors

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        for first in range(0, len(queries), QUESTIONS):
            part = queries[first : first + QUESTIONS]
            scores = self.kept.queries([query.text for query in part]) @ self.vectors.T
            for query, row in zip(part, np.asarray(scores, np.float64), strict=True):
                yield Answer(query.id, best_hits(self.ids, row, k))


def dense_system(spec: Spec) -> DenseSystem:
    """The system that a spec names.

    >>> dense_system(Spec.parse("bge(path=./my-bge)")).chosen.source
    './my-bge'
    """
    return DenseSystem(Chosen.of(spec))
