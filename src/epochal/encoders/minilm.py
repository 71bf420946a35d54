"""all-MiniLM-L6-v2 in eight bits on onnxruntime: the encoder Epochal uses unless told otherwise.

The model scales the activations of each token by themselves, and texts share a batch only with texts of equally many
tokens, so nothing is padded. Therefore a text's vector is the same, bit for bit, whatever else is encoded with it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import EncoderError, Vectors, checked_texts, checked_vectors
from epochal.encoders.packaged import card, data_file, tokenizer

__all__ = ["MAX_TOKENS", "MiniLM"]

#: The model was trained on texts of at most so many tokens, [CLS] and [SEP] included.
MAX_TOKENS = 256
#: Characters beyond these are never read: 256 tokens end long before, and a book need not be tokenised.
_MAX_CHARACTERS = 50_000
#: Texts sorted by length at a time, and tokens computed at a time; larger batches are no faster.
_CHUNK = 2048
_BATCH_TOKENS = 1024


class MiniLM:
    """Sentence vectors of 384 numbers, for English above all; reads the first 256 tokens of a text.

    `threads` is how many batches are computed at a time, one for each core unless given; a single text takes one. The
    model is loaded when the first text is encoded. An encoder may be used by several threads at once, and pickled (the
    copy loads the model anew).

    >>> minilm = MiniLM()
    >>> news = minilm.encode_documents(["The parliament passed the law.", "Heavy rain fell all night.", ""])
    >>> likeness = news @ minilm.encode_queries(["new legislation"])[0]
    >>> bool(likeness[0] > 0.5), bool(likeness[1] < 0.2), float(likeness[2])
    (True, True, 0.0)
    """

    def __init__(self, threads: int | None = None, max_tokens: int = MAX_TOKENS) -> None:
        if threads is not None and threads < 1:
            raise EncoderError(f"encoder 'minilm': threads is {threads}; give 1 or more, or None")
        if not 3 <= max_tokens <= MAX_TOKENS:
            raise EncoderError(f"encoder 'minilm': max_tokens is {max_tokens}; give 3 to {MAX_TOKENS}")
        self._threads = threads or _cores()
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def __reduce__(self) -> tuple[type[MiniLM], tuple[int, int]]:
        return MiniLM, (self._threads, self._max_tokens)

    @property
    def name(self) -> str:
        """The version of the bundled model, and the length it reads where that is not the usual one.

        >>> MiniLM(max_tokens=128).name == f"{MiniLM().name}-128"
        True
        """
        length = "" if self._max_tokens == MAX_TOKENS else f"-{self._max_tokens}"
        return f"minilm-int8-{card('minilm').version}{length}"

    @property
    def dim(self) -> int:
        """384.

        >>> MiniLM().dim
        384
        """
        return card("minilm").dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row a text.

        >>> MiniLM().encode_documents([]).shape
        (0, 384)
        """
        found = checked_texts(self.name, texts)
        vectors = np.zeros((len(found), self.dim), np.float32)
        if found:
            session, tokens = self._load()
            for first in range(0, len(found), _CHUNK):
                # One text at a time: the tokenizer's own batches start threads, which do not survive a fork.
                read = [tokens.encode(text[:_MAX_CHARACTERS]).ids for text in found[first : first + _CHUNK]]
                batches = list(_batches(read, self._threads))
                ids = [np.array([read[row] for row in rows], np.int64) for rows in batches]
                for rows, computed in zip(batches, self._computed(session, ids), strict=True):
                    vectors[np.asarray(rows) + first] = computed
        return checked_vectors(self.name, self.dim, len(found), vectors)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as for documents: this model makes no difference between them.

        >>> MiniLM().encode_queries(["Who?"]).shape
        (1, 384)
        """
        return self.encode_documents(texts)

    def _computed(self, session: Any, batches: list[npt.NDArray[np.int64]]) -> Iterator[Vectors]:
        """The vectors of each batch in order.

        Batches side by side, each on one thread, are faster than one batch on several: nobody waits for another.
        """

        def compute(ids: npt.NDArray[np.int64]) -> Any:
            return session.run(["vectors"], {"input_ids": ids})[0]

        if self._threads == 1 or len(batches) < 2:
            yield from map(compute, batches)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            yield from pool.map(compute, batches)

    def _model(self) -> str | bytes:
        """The file of the model, or its contents; another model of the same shape may take its place."""
        return str(data_file("minilm", "model.int8.onnx"))

    def _load(self) -> tuple[Any, Any]:
        """The session and the tokenizer, made once."""
        with self._lock:
            if self._loaded is None:
                from onnxruntime import InferenceSession, SessionOptions

                options = SessionOptions()
                options.intra_op_num_threads = 1
                session = InferenceSession(self._model(), options, providers=["CPUExecutionProvider"])
                tokens = tokenizer()
                tokens.enable_truncation(self._max_tokens)
                self._loaded = session, tokens
            return self._loaded


def _batches(texts: list[list[int]], threads: int) -> Iterator[list[int]]:
    """Rows of texts with equally many tokens, enough batches to keep all threads busy; empty texts left out."""
    lengths: dict[int, list[int]] = {}
    for row, ids in enumerate(texts):
        if len(ids) > 2:  # more than [CLS] and [SEP]
            lengths.setdefault(len(ids), []).append(row)
    for length, rows in sorted(lengths.items(), reverse=True):
        size = max(1, min(_BATCH_TOKENS // length, -(-len(rows) // threads)))
        yield from (rows[first : first + size] for first in range(0, len(rows), size))


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
