"""Presets that put weights on words, SPLADE and its kin, through the SparseEncoder of sentence-transformers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from epochal.bench.records import BenchQuery
from epochal.bench.specs import Spec
from epochal.bench.systems.base import Answer, Ranker
from epochal.bench.systems.chosen import Chosen, pick_device
from epochal.bench.systems.kept_rows import Arrays, KeptRows
from epochal.bench.systems.postings import Postings
from epochal.bench.systems.ranks import best_hits, text_of
from epochal.encoders.base import required
from epochal.errors import EpochalError
from epochal.index.records import Document

__all__ = ["SparseModel", "SparseSystem", "pruned", "sparse_system"]

_ROWS: Final = "rows.db"
_QUESTIONS: Final = 64


def pruned(terms: Arrays, share: float) -> Arrays:
    """Terms with their weights, without those up to a share of the highest weight, and none that is not above 0.

    >>> [part.tolist() for part in pruned((np.array([3, 5, 8]), np.array([2.0, 0.2, 0.1])), 0.1)]
    [[3], [2.0]]
    """
    numbers, weights = terms
    kept = weights > max(0.0, share * float(weights.max(initial=0.0)))
    return numbers[kept], weights[kept]


class SparseModel:
    """A SparseEncoder with the lengths of a preset: texts to words, as numbers, and their weights.

    >>> SparseModel.queries.__name__
    'queries'
    """

    def __init__(self, chosen: Chosen) -> None:
        self._chosen = chosen
        package = required("sentence_transformers", chosen.who, "train")
        if not hasattr(package, "SparseEncoder"):
            raise EpochalError(f"{chosen.who} needs sentence-transformers 5 or newer, not {package.__version__}")
        try:
            self._model: Any = package.SparseEncoder(
                chosen.source,
                device=pick_device(chosen.who, chosen.device),
                trust_remote_code=chosen.preset.remote_code,
            )
        except (OSError, ValueError) as error:
            raise chosen.failed(error) from error
        self.name = chosen.identity(self._model, "document")

    def queries(self, texts: Sequence[str]) -> list[Arrays]:
        """The words of questions.

        >>> SparseModel.queries.__name__
        'queries'
        """
        return self._encoded(texts, self._model.encode_query, self._chosen.preset.query_tokens)

    def documents(self, texts: Sequence[str]) -> list[Arrays]:
        """The words of documents, without those that the preset prunes.

        >>> SparseModel.documents.__name__
        'documents'
        """
        found = self._encoded(texts, self._model.encode_document, self._chosen.preset.document_tokens)
        return [pruned(row, self._chosen.preset.prune) for row in found]

    def _encoded(self, texts: Sequence[str], encode: Any, tokens: int | None) -> list[Arrays]:
        if tokens is not None:
            self._model.max_seq_length = tokens
        made = encode(list(texts), batch_size=self._chosen.batch, show_progress_bar=False).coalesce().cpu()
        rows, terms = made.indices().numpy()
        weights = made.values().float().numpy()
        ends = np.searchsorted(rows, np.arange(len(texts) + 1))
        return [(terms[start:end], weights[start:end]) for start, end in pairwise(ends)]


@dataclass(frozen=True, slots=True)
class SparseSystem:
    """A learned sparse preset as a system.

    >>> SparseSystem(Chosen.of(Spec.parse("opensearch-sparse"))).name
    'opensearch-sparse'
    """

    chosen: Chosen

    @property
    def name(self) -> str:
        """The preset and the settings that change answers.

        >>> SparseSystem(Chosen.of(Spec.parse("splade(document_tokens=64)"))).name
        'splade(document_tokens=64)'
        """
        return self.chosen.name

    @property
    def store(self) -> str:
        """One for each name.

        >>> SparseSystem(Chosen.of(Spec.parse("splade"))).store.startswith("sparse-")
        True
        """
        return self.chosen.store

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Load the model, encode the documents that are not kept, and turn their words into an index.

        >>> SparseSystem(Chosen.of(Spec.parse("splade"))).open([], Path("nowhere")).__class__.__name__
        '_GeneratorContextManager'
        """
        model = SparseModel(self.chosen)
        ids: list[str] = []
        texts: list[str] = []
        for document in documents:
            ids.append(document.id)
            texts.append(text_of(document))
        rows = KeptRows(folder / _ROWS).of(model.name, texts, model.documents)
        terms = np.concatenate([np.zeros(0, np.int64), *(row[0] for row in rows)])
        places = np.repeat(np.arange(len(rows)), [len(row[0]) for row in rows])
        weights = np.concatenate([np.zeros(0), *(row[1] for row in rows)])
        size = int(terms.max(initial=-1)) + 1
        yield _SparseRanker(model, ids, Postings.of(size, len(ids), terms, places, weights), size)


@dataclass(frozen=True, slots=True, eq=False)
class _SparseRanker:
    model: SparseModel
    ids: Sequence[str]
    postings: Postings
    size: int

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        for first in range(0, len(queries), _QUESTIONS):
            part = queries[first : first + _QUESTIONS]
            for query, (terms, weights) in zip(part, self.model.queries([item.text for item in part]), strict=True):
                asked = {
                    term: weight
                    for term, weight in zip(terms.tolist(), weights.tolist(), strict=True)
                    if term < self.size
                }
                yield Answer(query.id, best_hits(self.ids, self.postings.scores(asked), k, above=0.0))


def sparse_system(spec: Spec) -> SparseSystem:
    """The system that a spec names.

    >>> sparse_system(Spec.parse("opensearch-sparse")).chosen.preset.prune
    0.1
    """
    return SparseSystem(Chosen.of(spec))
