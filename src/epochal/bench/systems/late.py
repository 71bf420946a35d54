"""Presets with a vector for each token: every token of a question looks for its best match in a document (MaxSim).

The models are those of PyLate. Sentence-transformers from version 6 reads them too, and is taken where PyLate is not
installed; `through` says which. All documents are compared exactly.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.bench.records import BenchQuery
from epochal.bench.specs import Spec
from epochal.bench.systems.base import Answer, Ranker
from epochal.bench.systems.chosen import Chosen, pick_device
from epochal.bench.systems.kept_rows import Arrays, KeptRows
from epochal.bench.systems.ranks import best_hits, text_of
from epochal.encoders.base import required
from epochal.errors import EpochalError
from epochal.index.records import Document

__all__ = ["LateModel", "LateSystem", "late_system", "max_similarity"]

Floats = npt.NDArray[np.float32]
_ROWS: Final = "rows.db"
_PACKAGES: Final = ("pylate", "sentence-transformers")
_QUESTIONS: Final = 32
#: Tokens of documents that are compared at a time, which bounds the memory of a question.
_TOKENS: Final = 1 << 17


def max_similarity(question: Floats, tokens: Floats, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """For each document the sum, over the tokens of a question, of the best inner product with one of its tokens.

    Document i has the tokens from `starts[i]` to `starts[i + 1]`, at least one.

    >>> tokens = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    >>> max_similarity(np.eye(2, dtype=np.float32), tokens, np.array([0, 2, 3])).round(1).tolist()
    [2.0, 1.4]
    """
    found = np.zeros(len(starts) - 1)
    first = 0
    while first < len(starts) - 1:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + _TOKENS, side="right")) - 1)
        alike = question @ tokens[starts[first] : starts[last]].T
        best = np.maximum.reduceat(alike, starts[first:last] - starts[first], axis=1)
        found[first:last] = best.sum(axis=0)
        first = last
    return found


class LateModel:
    """A model of late interaction: texts to one vector a token.

    >>> LateModel.queries.__name__
    'queries'
    """

    def __init__(self, chosen: Chosen, through: str) -> None:
        self._chosen = chosen
        self._through = through
        device = pick_device(chosen.who, chosen.device)
        remote = chosen.preset.remote_code
        name = "pylate.models" if through == "pylate" else "sentence_transformers"
        package = required(name, chosen.who, "late" if through == "pylate" else "train")
        if through != "pylate" and not hasattr(package, "MultiVectorEncoder"):
            raise EpochalError(f"{chosen.who} needs pylate, or sentence-transformers 6 or newer")
        lengths = {"query_length": chosen.preset.query_tokens, "document_length": chosen.preset.document_tokens}
        given = {name: value for name, value in lengths.items() if value is not None and through == "pylate"}
        make = package.ColBERT if through == "pylate" else package.MultiVectorEncoder
        try:
            self._model: Any = make(chosen.source, device=device, trust_remote_code=remote, **given)
        except (OSError, ValueError) as error:
            raise chosen.failed(error) from error
        tokenizer = self._model.tokenizer
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        self.name = f"{through} {chosen.identity(self._model, 'document')}"

    def queries(self, texts: Sequence[str]) -> list[Floats]:
        """The vectors of the tokens of questions.

        >>> LateModel.queries.__name__
        'queries'
        """
        return [np.asarray(row, np.float32) for row in self._encoded(texts, True)]

    def documents(self, texts: Sequence[str]) -> list[Arrays]:
        """The vectors of the tokens of documents, in half precision, which is how they are kept.

        >>> LateModel.documents.__name__
        'documents'
        """
        return [(np.asarray(row, np.float16),) for row in self._encoded(texts, False)]

    def _encoded(self, texts: Sequence[str], asks: bool) -> Any:
        options = {"batch_size": self._chosen.batch, "show_progress_bar": False, "convert_to_numpy": True}
        if self._through == "pylate":
            return self._model.encode(list(texts), is_query=asks, **options)
        tokens = self._chosen.preset.query_tokens if asks else self._chosen.preset.document_tokens
        if tokens is not None:
            self._model.max_seq_length = tokens
        encode = self._model.encode_query if asks else self._model.encode_document
        return encode(list(texts), **options)


@dataclass(frozen=True, slots=True)
class LateSystem:
    """A late-interaction preset as a system; `through` names the package, pylate where it is there unless given.

    >>> LateSystem(Chosen.of(Spec.parse("colbert-jina"))).name
    'colbert-jina'
    """

    chosen: Chosen
    through: str | None = None

    @property
    def name(self) -> str:
        """The preset and the settings that change answers.

        >>> late_system(Spec.parse("colbert-jina(through=pylate)")).name
        'colbert-jina(through=pylate)'
        """
        return self.chosen.name

    @property
    def store(self) -> str:
        """One for each name.

        >>> LateSystem(Chosen.of(Spec.parse("colbert-jina"))).store.startswith("late-")
        True
        """
        return self.chosen.store

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Load the model, and encode the documents that are not kept.

        >>> LateSystem(Chosen.of(Spec.parse("colbert-jina"))).open([], Path("nowhere")).__class__.__name__
        '_GeneratorContextManager'
        """
        model = LateModel(self.chosen, self.through or _installed())
        ids: list[str] = []
        texts: list[str] = []
        for document in documents:
            # A text without tokens is like no other; its document is left out.
            if (text := text_of(document)).strip():
                ids.append(document.id)
                texts.append(text)
        rows = [row[0] for row in KeptRows(folder / _ROWS).of(model.name, texts, model.documents)]
        starts = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
        tokens = np.concatenate(rows).astype(np.float32) if rows else np.zeros((0, 1), np.float32)
        yield _LateRanker(model, ids, tokens, starts)


@dataclass(frozen=True, slots=True, eq=False)
class _LateRanker:
    model: LateModel
    ids: Sequence[str]
    tokens: Floats
    starts: npt.NDArray[np.int64]

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        if not self.ids:
            yield from (Answer(query.id, ()) for query in queries)
            return
        for first in range(0, len(queries), _QUESTIONS):
            part = queries[first : first + _QUESTIONS]
            for query, question in zip(part, self.model.queries([item.text for item in part]), strict=True):
                yield Answer(query.id, best_hits(self.ids, max_similarity(question, self.tokens, self.starts), k))


def _installed() -> str:
    return _PACKAGES[0 if importlib.util.find_spec("pylate") is not None else 1]


def late_system(spec: Spec) -> LateSystem:
    """The system that a spec names.

    >>> late_system(Spec.parse("colbert-lfm2(through=faiss)"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: colbert-lfm2(through=faiss): through must be pylate or sentence-transformers
    """
    through = spec.settings.get("through")
    chosen = Chosen.of(spec, "through")
    if through is not None and through not in _PACKAGES:
        raise EpochalError(f"{spec}: through must be {' or '.join(_PACKAGES)}")
    return LateSystem(chosen, through)
