"""Encoders of classical Chinese that were trained here, in eight bits on onnxruntime: `annals:FOLDER`.

As with minilm, texts share a batch only with texts of equally many tokens, and every token is scaled by itself, so that
a text's vector is the same, bit for bit, whatever else is encoded with it.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np

from epochal.encoders.base import EncoderError, Vectors, checked_texts, checked_vectors

__all__ = ["MODEL", "TOKENIZER", "AnnalsEncoder"]

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

    >>> AnnalsEncoder("no/folder")
    Traceback (most recent call last):
    ...
    epochal.encoders.base.EncoderError: no/folder holds no annals encoder: model.int8.onnx is missing; accepted: a
    folder with model.int8.onnx, tokenizer.json and card.json
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
        self._threads = threads or _cores()
        self._version, self._dim, self._max_tokens = _card(self._folder / _CARD)
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def __reduce__(self) -> tuple[type[AnnalsEncoder], tuple[str, int]]:
        return AnnalsEncoder, (str(self._folder), self._threads)

    @property
    def name(self) -> str:
        """The version of the model, which changes whenever its files do; where the folder lies does not matter.

        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> for name in (MODEL, TOKENIZER):
        ...     (folder / name).touch()
        >>> _ = (folder / "card.json").write_text('{"version": "0a1b2c3d", "dim": 384, "max_tokens": 256}')
        >>> AnnalsEncoder(folder).name
        'annals-int8-0a1b2c3d'
        """
        return f"annals-int8-{self._version}"

    @property
    def dim(self) -> int:
        """As the card says.

        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> for name in (MODEL, TOKENIZER):
        ...     (folder / name).touch()
        >>> _ = (folder / "card.json").write_text('{"version": "0a1b2c3d", "dim": 384, "max_tokens": 256}')
        >>> AnnalsEncoder(folder).dim
        384
        """
        return self._dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row a text.

        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> for name in (MODEL, TOKENIZER):
        ...     (folder / name).touch()
        >>> _ = (folder / "card.json").write_text('{"version": "0a1b2c3d", "dim": 384, "max_tokens": 256}')
        >>> AnnalsEncoder(folder).encode_documents([]).shape
        (0, 384)
        """
        found = checked_texts(self.name, texts)
        vectors = np.zeros((len(found), self._dim), np.float32)
        lengths: dict[int, list[int]] = {}
        if found:
            session, tokens = self._load()
            # A character is a token: what lies far beyond the last position need not be tokenised.
            read = [tokens.encode(text[: 16 * self._max_tokens]).ids for text in found]
            for row, ids in enumerate(read):
                if len(ids) > 2:  # more than [CLS] and [SEP]
                    lengths.setdefault(len(ids), []).append(row)
            batches = [
                rows[first : first + max(1, _BATCH_TOKENS // length)]
                for length, rows in sorted(lengths.items(), reverse=True)
                for first in range(0, len(rows), max(1, _BATCH_TOKENS // length))
            ]

            def compute(rows: list[int]) -> Any:
                return session.run(["vectors"], {"input_ids": np.array([read[row] for row in rows], np.int64)})[0]

            if self._threads == 1 or len(batches) < 2:
                computed = [compute(rows) for rows in batches]
            else:
                with ThreadPoolExecutor(self._threads) as pool:
                    computed = list(pool.map(compute, batches))
            for rows, part in zip(batches, computed, strict=True):
                vectors[rows] = part
        return checked_vectors(self.name, self._dim, len(found), vectors)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as for documents: this model makes no difference between them.

        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> for name in (MODEL, TOKENIZER):
        ...     (folder / name).touch()
        >>> _ = (folder / "card.json").write_text('{"version": "0a1b2c3d", "dim": 384, "max_tokens": 256}')
        >>> AnnalsEncoder(folder).encode_queries([]).shape
        (0, 384)
        """
        return self.encode_documents(texts)

    def _load(self) -> tuple[Any, Any]:
        """The session and the tokenizer, made once."""
        with self._lock:
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


def _card(path: Path) -> tuple[str, int, int]:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return str(fields["version"]), int(fields["dim"]), int(fields["max_tokens"])
    except (ValueError, KeyError, TypeError) as error:
        raise EncoderError(f"{path} is no card of an encoder; accepted: JSON with version, dim, max_tokens") from error


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
