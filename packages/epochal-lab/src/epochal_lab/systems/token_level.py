"""Arrays kept on disk by the content of their texts: weights on words, or a vector for each token.

Presets with a vector for each token: every token of a question looks for its best match in a document (MaxSim).

The models are those of PyLate. Sentence-transformers from version 6 reads them too, and is taken where PyLate is not
installed; `through` says which. All documents are compared exactly.

Presets that put weights on words, SPLADE and its kin, through the SparseEncoder of sentence-transformers.
"""

from __future__ import annotations

import importlib.util
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import required
from epochal.errors import EpochalError, StorageError
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import Answer, Ranker, best_hits, text_of
from epochal_lab.systems.bm25 import Postings
from epochal_lab.systems.presets import Chosen, pick_device

__all__ = [
    "Arrays",
    "KeptRows",
    "LateModel",
    "LateSystem",
    "SparseModel",
    "SparseSystem",
    "late_system",
    "max_similarity",
    "pruned",
    "sparse_system",
]


Arrays = tuple[npt.NDArray[Any], ...]
#: Texts that are computed and committed at a time: what a killed process loses.
_CHUNK: Final = 128
_PATIENCE: Final = 60.0


class KeptRows:
    """What a model makes of texts, computed once for each text. `name` says all that it depends on besides the text."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __len__(self) -> int:
        with self._opened() as database:
            return int(database.execute("SELECT count(*) FROM rows").fetchone()[0])

    def of(self, name: str, texts: Sequence[str], compute: Callable[[list[str]], list[Arrays]]) -> list[Arrays]:
        """The arrays of the texts, in their order; `compute` gets those that are not kept, each once."""
        keys = [_key(name, text) for text in texts]
        first = dict(zip(keys, texts, strict=True))
        found: dict[bytes, Arrays] = {}
        unique = list(first)
        with self._opened() as database:
            for start in range(0, len(unique), _CHUNK):
                part = unique[start : start + _CHUNK]
                marks = ",".join("?" * len(part))
                known = database.execute(f"SELECT key, arrays FROM rows WHERE key IN ({marks})", part).fetchall()
                found.update((key, _unpacked(data)) for key, data in known)
                missing = [key for key in part if key not in found]
                if not missing:
                    continue
                made = dict(zip(missing, compute([first[key] for key in missing]), strict=True))
                rows = [(key, _packed(arrays)) for key, arrays in made.items()]
                with database:
                    database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?)", rows)
                found.update(made)
        return [found[key] for key in keys]

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot write {self.path.parent}: {error.strerror or error}") from error
        try:
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as database:
                database.execute("CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, arrays BLOB NOT NULL)")
                yield database
        except sqlite3.Error as error:
            raise StorageError(
                f"the file {self.path} cannot be used: {error}; delete it, and it is made again"
            ) from error


def _key(name: str, text: str) -> bytes:
    digest = blake2b(digest_size=24)
    for part in (name, text):
        data = part.encode(errors="replace")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def _packed(arrays: Arrays) -> bytes:
    file = BytesIO()
    for array in arrays:
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def _unpacked(data: bytes) -> Arrays:
    file = BytesIO(data)
    found = []
    while file.tell() < len(data):
        found.append(np.load(file, allow_pickle=False))
    return tuple(found)


Floats = npt.NDArray[np.float32]
_ROWS: Final = "rows.db"
_PACKAGES: Final = ("pylate", "sentence-transformers")
_LATE_QUERIES: Final = 32
#: Tokens of documents that are compared at a time, which bounds the memory of a question.
_TOKENS: Final = 1 << 17


def max_similarity(question: Floats, tokens: Floats, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """For each document the sum, over the tokens of a question, of the best inner product with one of its tokens.

    Document i has the tokens from `starts[i]` to `starts[i + 1]`, at least one.
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
    """A model of late interaction: texts to one vector a token."""

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
        """The vectors of the tokens of questions."""
        return [np.asarray(row, np.float32) for row in self._encoded(texts, True)]

    def documents(self, texts: Sequence[str]) -> list[Arrays]:
        """The vectors of the tokens of documents, in half precision, which is how they are kept."""
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
    """A late-interaction preset as a system; `through` names the package, pylate where it is there unless given."""

    chosen: Chosen
    through: str | None = None

    @property
    def name(self) -> str:
        """The preset and the settings that change answers."""
        return self.chosen.name

    @property
    def store(self) -> str:
        """One for each name."""
        return self.chosen.store

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Load the model, and encode the documents that are not kept."""
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
        for first in range(0, len(queries), _LATE_QUERIES):
            part = queries[first : first + _LATE_QUERIES]
            for query, question in zip(part, self.model.queries([item.text for item in part]), strict=True):
                yield Answer(query.id, best_hits(self.ids, max_similarity(question, self.tokens, self.starts), k))


def _installed() -> str:
    return _PACKAGES[0 if importlib.util.find_spec("pylate") is not None else 1]


def late_system(spec: Spec) -> LateSystem:
    """The system that a spec names."""
    through = spec.settings.get("through")
    chosen = Chosen.of(spec, "through")
    if through is not None and through not in _PACKAGES:
        raise EpochalError(f"{spec}: through must be {' or '.join(_PACKAGES)}")
    return LateSystem(chosen, through)


_SPARSE_QUERIES: Final = 64


def pruned(terms: Arrays, share: float) -> Arrays:
    """Terms with their weights, without those up to a share of the highest weight, and none that is not above 0."""
    numbers, weights = terms
    kept = weights > max(0.0, share * float(weights.max(initial=0.0)))
    return numbers[kept], weights[kept]


class SparseModel:
    """A SparseEncoder with the lengths of a preset: texts to words, as numbers, and their weights."""

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
        """The words of questions."""
        return self._encoded(texts, self._model.encode_query, self._chosen.preset.query_tokens)

    def documents(self, texts: Sequence[str]) -> list[Arrays]:
        """The words of documents, without those that the preset prunes."""
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
    """A learned sparse preset as a system."""

    chosen: Chosen

    @property
    def name(self) -> str:
        """The preset and the settings that change answers."""
        return self.chosen.name

    @property
    def store(self) -> str:
        """One for each name."""
        return self.chosen.store

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Load the model, encode the documents that are not kept, and turn their words into an index."""
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
        for first in range(0, len(queries), _SPARSE_QUERIES):
            part = queries[first : first + _SPARSE_QUERIES]
            for query, (terms, weights) in zip(part, self.model.queries([item.text for item in part]), strict=True):
                asked = {
                    term: weight
                    for term, weight in zip(terms.tolist(), weights.tolist(), strict=True)
                    if term < self.size
                }
                yield Answer(query.id, best_hits(self.ids, self.postings.scores(asked), k, above=0.0))


def sparse_system(spec: Spec) -> SparseSystem:
    """The system that a spec names."""
    return SparseSystem(Chosen.of(spec))
