"""Presets with more than one vector per text: late interaction (a vector per token) and learned sparse weights.

Late interaction matches every token of a query with its best token of a document (MaxSim). The models are those of
PyLate; sentence-transformers from version 6 reads them too, and is used where PyLate is not installed (`through` says
which). Sparse presets, SPLADE and its kin, go through the SparseEncoder of sentence-transformers. All documents are
compared exactly.
"""

from __future__ import annotations

import importlib.util
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import import_extra
from epochal.encoders.wrappers import hash_parts
from epochal.errors import EpochalError, StorageError
from epochal.storage.records import Document
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import BatchRanker, Ranker, get_document_text, read_texts
from epochal_lab.systems.bm25 import Postings
from epochal_lab.systems.presets import PresetOptions, PresetSystem, pick_device

Arrays = tuple[npt.NDArray[Any], ...]
#: Texts that are computed and committed at a time: the most that a killed process loses.
_CHUNK: Final = 128
_TIMEOUT_S: Final = 60.0


class ArrayCache:
    """Arrays of texts, computed once per text and stored in SQLite; `name` identifies the model and its settings."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __len__(self) -> int:
        with self._open() as database:
            return int(database.execute("SELECT count(*) FROM rows").fetchone()[0])

    def get(self, name: str, texts: Sequence[str], compute: Callable[[list[str]], list[Arrays]]) -> list[Arrays]:
        """The arrays of the texts, in their order; `compute` gets those that are not cached, each once."""
        keys = [hash_parts(name, text) for text in texts]
        text_by_key = dict(zip(keys, texts, strict=True))
        arrays: dict[bytes, Arrays] = {}
        unique = list(text_by_key)
        with self._open() as database:
            for start in range(0, len(unique), _CHUNK):
                chunk = unique[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                cached = database.execute(f"SELECT key, arrays FROM rows WHERE key IN ({marks})", chunk).fetchall()
                arrays.update((key, _unpack(data)) for key, data in cached)
                missing = [key for key in chunk if key not in arrays]
                if not missing:
                    continue
                computed = dict(zip(missing, compute([text_by_key[key] for key in missing]), strict=True))
                rows = [(key, _pack(row)) for key, row in computed.items()]
                with database:
                    database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?)", rows)
                arrays.update(computed)
        return [arrays[key] for key in keys]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot write {self.path.parent}: {error.strerror or error}") from error
        try:
            with closing(sqlite3.connect(self.path, timeout=_TIMEOUT_S)) as database:
                database.execute("CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, arrays BLOB NOT NULL)")
                yield database
        except sqlite3.Error as error:
            raise StorageError(
                f"the file {self.path} cannot be used: {error}; delete it, and it is made again"
            ) from error


def _pack(arrays: Arrays) -> bytes:
    file = BytesIO()
    for array in arrays:
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def _unpack(data: bytes) -> Arrays:
    file = BytesIO(data)
    arrays = []
    while file.tell() < len(data):
        arrays.append(np.load(file, allow_pickle=False))
    return tuple(arrays)


Floats = npt.NDArray[np.float32]
_ROWS: Final = "rows.db"
_PACKAGES: Final = ("pylate", "sentence-transformers")
_LATE_QUERIES: Final = 32
#: Document tokens that are compared at a time, which limits the memory of a query.
_TOKENS: Final = 1 << 17


def score_max_similarity(query: Floats, tokens: Floats, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """MaxSim: for each document the sum, over the query tokens, of the best inner product with one of its tokens.

    Document i has the tokens from `starts[i]` to `starts[i + 1]`, at least one.
    """
    scores = np.zeros(len(starts) - 1)
    first = 0
    while first < len(starts) - 1:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + _TOKENS, side="right")) - 1)
        similarity = query @ tokens[starts[first] : starts[last]].T
        best = np.maximum.reduceat(similarity, starts[first:last] - starts[first], axis=1)
        scores[first:last] = best.sum(axis=0)
        first = last
    return scores


class LateModel:
    """A late-interaction model: one vector per token."""

    def __init__(self, options: PresetOptions, through: str) -> None:
        self._options = options
        self._through = through
        device = pick_device(options.who, options.device)
        remote = options.preset.remote_code
        name = "pylate.models" if through == "pylate" else "sentence_transformers"
        package = import_extra(name, options.who, "late" if through == "pylate" else "train")
        if through != "pylate" and not hasattr(package, "MultiVectorEncoder"):
            raise EpochalError(f"{options.who} needs pylate, or sentence-transformers 6 or newer")
        lengths = {"query_length": options.preset.query_tokens, "document_length": options.preset.document_tokens}
        settings = {name: value for name, value in lengths.items() if value is not None and through == "pylate"}
        make = package.ColBERT if through == "pylate" else package.MultiVectorEncoder
        try:
            self._model: Any = make(options.source, device=device, trust_remote_code=remote, **settings)
        except (OSError, ValueError) as error:
            raise options.make_load_error(error) from error
        tokenizer = self._model.tokenizer
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        self.name = f"{through} {options.make_identity(self._model, 'document')}"

    def encode_queries(self, texts: Sequence[str]) -> list[Floats]:
        """The token vectors of queries."""
        return [np.asarray(row, np.float32) for row in self._encode(texts, True)]

    def encode_documents(self, texts: Sequence[str]) -> list[Arrays]:
        """The token vectors of documents, in half precision, as they are cached."""
        return [(np.asarray(row, np.float16),) for row in self._encode(texts, False)]

    def _encode(self, texts: Sequence[str], is_query: bool) -> Any:
        options = {"batch_size": self._options.batch, "show_progress_bar": False, "convert_to_numpy": True}
        if self._through == "pylate":
            return self._model.encode(list(texts), is_query=is_query, **options)
        tokens = self._options.preset.query_tokens if is_query else self._options.preset.document_tokens
        if tokens is not None:
            self._model.max_seq_length = tokens
        encode = self._model.encode_query if is_query else self._model.encode_document
        return encode(list(texts), **options)


@dataclass(frozen=True, slots=True)
class LateSystem(PresetSystem):
    """A late-interaction preset as a system; `through` names the package, by default pylate where it is installed."""

    through: str | None = None

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Load the model, and encode the documents that are not cached."""
        model = LateModel(self.options, self.through or _find_package())
        ids: list[str] = []
        texts: list[str] = []
        for document in documents:
            # A text without tokens matches nothing; its document is left out.
            if (text := get_document_text(document)).strip():
                ids.append(document.id)
                texts.append(text)
        rows = [row[0] for row in ArrayCache(folder / _ROWS).get(model.name, texts, model.encode_documents)]
        starts = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
        tokens = np.concatenate(rows).astype(np.float32) if rows else np.zeros((0, 1), np.float32)

        def score(queries: list[str]) -> Iterator[npt.NDArray[np.float64]]:
            return (score_max_similarity(query, tokens, starts) for query in model.encode_queries(queries))

        yield BatchRanker(ids, score, _LATE_QUERIES)


def _find_package() -> str:
    return _PACKAGES[0 if importlib.util.find_spec("pylate") is not None else 1]


def make_late_system(spec: Spec) -> LateSystem:
    through = spec.settings.get("through")
    options = PresetOptions.from_spec(spec, "through")
    if through is not None and through not in _PACKAGES:
        raise EpochalError(f"{spec}: through must be {' or '.join(_PACKAGES)}")
    return LateSystem(options, through)


def prune(terms: Arrays, share: float) -> Arrays:
    """Drop terms whose weight is at most a share of the highest weight, or not above 0."""
    ids, weights = terms
    retained = weights > max(0.0, share * float(weights.max(initial=0.0)))
    return ids[retained], weights[retained]


class SparseModel:
    """A SparseEncoder with the lengths of a preset: texts to term ids and their weights."""

    def __init__(self, options: PresetOptions) -> None:
        self._options = options
        package = import_extra("sentence_transformers", options.who, "train")
        if not hasattr(package, "SparseEncoder"):
            raise EpochalError(f"{options.who} needs sentence-transformers 5 or newer, not {package.__version__}")
        try:
            self._model: Any = package.SparseEncoder(
                options.source,
                device=pick_device(options.who, options.device),
                trust_remote_code=options.preset.remote_code,
            )
        except (OSError, ValueError) as error:
            raise options.make_load_error(error) from error
        self.name = options.make_identity(self._model, "document")

    def encode_queries(self, texts: Sequence[str]) -> list[Arrays]:
        return self._encode(texts, self._model.encode_query, self._options.preset.query_tokens)

    def encode_documents(self, texts: Sequence[str]) -> list[Arrays]:
        """The terms of documents, without those that the preset prunes."""
        rows = self._encode(texts, self._model.encode_document, self._options.preset.document_tokens)
        return [prune(row, self._options.preset.prune) for row in rows]

    def _encode(self, texts: Sequence[str], encode: Any, tokens: int | None) -> list[Arrays]:
        if tokens is not None:
            self._model.max_seq_length = tokens
        matrix = encode(list(texts), batch_size=self._options.batch, show_progress_bar=False).coalesce().cpu()
        rows, terms = matrix.indices().numpy()
        weights = matrix.values().float().numpy()
        ends = np.searchsorted(rows, np.arange(len(texts) + 1))
        return [(terms[start:end], weights[start:end]) for start, end in pairwise(ends)]


@dataclass(frozen=True, slots=True)
class SparseSystem(PresetSystem):
    """A learned sparse preset as a system."""

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Load the model, encode the documents that are not cached, and index their terms."""
        model = SparseModel(self.options)
        ids, texts = read_texts(documents)
        rows = ArrayCache(folder / _ROWS).get(model.name, texts, model.encode_documents)
        terms = np.concatenate([np.zeros(0, np.int64), *(row[0] for row in rows)])
        row_ids = np.repeat(np.arange(len(rows)), [len(row[0]) for row in rows])
        weights = np.concatenate([np.zeros(0), *(row[1] for row in rows)])
        size = int(terms.max(initial=-1)) + 1
        postings = Postings.of(size, len(ids), terms, row_ids, weights)

        def score(queries: list[str]) -> Iterator[npt.NDArray[np.float64]]:
            for query_terms, query_weights in model.encode_queries(queries):
                known = query_terms < size
                pairs = zip(query_terms[known].tolist(), query_weights[known].tolist(), strict=True)
                yield postings.score(dict(pairs))

        yield BatchRanker(ids, score, above=0.0)


def make_sparse_system(spec: Spec) -> SparseSystem:
    return SparseSystem(PresetOptions.from_spec(spec))
