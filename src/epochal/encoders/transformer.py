"""Any model of sentence-transformers, from the hub or a folder, with the prefixes it was trained on.

Needs the extra `train`, which brings torch. Encoding is the library's own; this adapter adds what retrieval needs: the
texts that go before queries and documents, vectors of length 1, and a name that changes whenever vectors would.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from epochal.encoders.base import EncoderError, Vectors, checked_texts, checked_vectors, required, unit_rows
from epochal.encoders.prefixes import Prefixes, prefixes_of

__all__ = ["TransformerEncoder"]


class TransformerEncoder:
    """A model of sentence-transformers by its name on the hub or its folder.

    What goes before a query or a document is, in this order: the prefix that was given; the model's own prompt
    for queries or documents; the prefix known for models of that name (`prefixes_of`); nothing. An `instruction` says
    in words what is searched for, and fills the prefix of models that were trained to follow one.

    `max_tokens` shortens what is read, `truncate_dim` the vectors (for models trained to bear it). Vectors are made
    to length 1 after that, whatever the model does.

        TransformerEncoder("intfloat/e5-small-v2")
        TransformerEncoder("Qwen/Qwen3-Embedding-0.6B", instruction="Find the report in force on the given day")
        TransformerEncoder("./my-model", query_prefix="q: ", document_prefix="d: ", device="cuda")

    >>> TransformerEncoder("./my-model", max_tokens=0)
    Traceback (most recent call last):
    ...
    epochal.encoders.base.EncoderError: encoder 'st:./my-model': max_tokens is 0; give 1 or more, or None
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
        package = required("sentence_transformers", self._who, "train")
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
        self._prefixes = _chosen(model, dict(self._model.prompts), query_prefix, document_prefix, instruction)
        self._dim = _dimension(self._model)
        self._name = self._identity(model, revision)

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
        found = checked_texts(self._name, texts)
        rows = [row for row, text in enumerate(found) if text.strip()]
        vectors = np.zeros((len(found), self._dim), np.float32)
        if rows:
            with self._lock:  # the library pads and moves batches with no promise about threads
                computed = self._model.encode(
                    [found[row] for row in rows],
                    prompt=prefix,
                    batch_size=self._batch_size,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
            vectors[rows] = checked_vectors(self._name, self._dim, len(rows), computed)
        return unit_rows(vectors)

    def _identity(self, model: str, revision: str | None) -> str:
        folder = Path(model)
        parts = [self._prefixes.query, self._prefixes.document, str(self._model.max_seq_length), str(self._dim)]
        if folder.is_dir():
            parts.append(_contents(folder))
        else:
            config = getattr(getattr(self._model[0], "auto_model", None), "config", None)
            parts.append(str(getattr(config, "_commit_hash", None) or revision))
        digest = blake2b("\0".join(parts).encode(), digest_size=6).hexdigest()
        return f"st:{folder.name if folder.is_dir() else model}-{digest}"


def _chosen(
    model: str, prompts: dict[str, str], query: str | None, document: str | None, instruction: str | None
) -> Prefixes:
    known = prefixes_of(model, instruction)
    if query is None:
        query = known.query if instruction is not None else prompts.get("query") or known.query
    if document is None:
        document = prompts.get("document") or prompts.get("passage") or known.document
    return Prefixes(query, document)


def _dimension(model: Any) -> int:
    # The method changed its name; the old one warns where both are there.
    ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    found = ask()
    return int(found) if found else int(model.encode(["a"], show_progress_bar=False).shape[1])


def _contents(folder: Path) -> str:
    """A digest of every file in a folder."""
    digest = blake2b(digest_size=16)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(folder)).encode())
        with path.open("rb") as file:
            while data := file.read(1 << 20):
                digest.update(data)
    return digest.hexdigest()
