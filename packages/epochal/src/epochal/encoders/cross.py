"""The cross-encoder of `search(rerank=True)`: minilm reads a question and a passage together, and scores the pair.

It is an adapter over the bundled model, like `epochal.encoders.tmrl`, with a vector in addition: the score of a pair is
the product of that vector with the mean of the model's token states. `studies/rerank.py` says how it was trained and
what it brings.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import EncoderError, check_texts, wrap_model_errors
from epochal.encoders.bundled import MAX_TOKENS, data_file, load_tokenizer
from epochal.encoders.tmrl import CARD, MATRICES, merge_adapter
from epochal.errors import InputError
from epochal.files import read_tensors

#: The vector that turns the states of a pair into a score.
_HEAD: Final = "head.weight"
_SHIPPED: Final = "rerank"
#: Characters beyond these are never read: 256 tokens end long before.
_MAX_CHARACTERS: Final = 4_000


class CrossEncoder:
    """Scores of passages for a question: the higher, the better a passage answers. Reads 256 tokens of both together.

    The folder holds an adapter with a scoring vector, as `tools/train_rerank.py` writes one; without a folder it is the
    adapter that ships. The model is loaded for the first pair. Several threads may use it at once.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        place = data_file(_SHIPPED, CARD).parent if folder is None else Path(folder)
        for name in (CARD, MATRICES):
            if not (place / name).is_file():
                raise EncoderError(
                    f"{place} holds no cross-encoder: {name} is missing; accepted: a folder with {CARD} and {MATRICES}"
                )
        self._place = place
        self._scale, self.weight = _read_card(place / CARD)
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any, npt.NDArray[np.float32]] | None = None

    def score(self, question: str, passages: Sequence[str]) -> npt.NDArray[np.float64]:
        """The score of each passage. A pair's score does not depend on the other passages."""
        session, tokens, head = self._load()
        (query,) = check_texts("cross-encoder", [question])
        checked = check_texts("cross-encoder", passages)
        pairs = [tokens.encode(query[:_MAX_CHARACTERS], text[:_MAX_CHARACTERS]).ids for text in checked]
        by_length: dict[int, list[int]] = {}
        for row, ids in enumerate(pairs):
            by_length.setdefault(len(ids), []).append(row)
        scores = np.zeros(len(checked))
        # Pairs of one length at a time, as the model has no padding.
        with wrap_model_errors("cross-encoder", "run"):
            for rows in by_length.values():
                vectors = session.run(["vectors"], {"input_ids": np.array([pairs[row] for row in rows], np.int64)})[0]
                scores[rows] = vectors @ head
        return scores

    def _load(self) -> tuple[Any, Any, npt.NDArray[np.float32]]:
        """The session, the tokenizer and the scoring vector, made once."""
        with self._lock, wrap_model_errors("cross-encoder", "loaded"):
            if self._loaded is None:
                from onnxruntime import InferenceSession, SessionOptions

                try:
                    matrices = read_tensors(self._place / MATRICES)
                except InputError as error:
                    raise EncoderError(str(error)) from error
                head = matrices.pop(_HEAD, None)
                if head is None or head.ndim != 1:
                    raise EncoderError(
                        f"{self._place / MATRICES} has no vector {_HEAD!r}; accepted: an adapter with a scoring vector"
                    )
                model = data_file("minilm", "model.int8.onnx").read_bytes()
                options = SessionOptions()
                options.intra_op_num_threads = 1
                session = InferenceSession(
                    merge_adapter(model, matrices, self._scale, str(self._place)),
                    options,
                    providers=["CPUExecutionProvider"],
                )
                tokens = load_tokenizer()
                # The question is kept whole as far as possible; the passage is cut.
                tokens.enable_truncation(MAX_TOKENS, strategy="longest_first")
                self._loaded = session, tokens, np.asarray(head, np.float32)
            return self._loaded


@cache
def load_cross_encoder() -> CrossEncoder:
    """The cross-encoder that ships with the package, shared by all searches of a process."""
    return CrossEncoder()


def _read_card(path: Path) -> tuple[float, float]:
    """How much of the matrices' product is added to the weights, and how much the score counts beside the engine's."""
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        if card["kind"] != "cross-encoder":
            raise ValueError(card["kind"])
        return float(card["alpha"]) / int(card["rank"]), float(card["weight"])
    except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise EncoderError(
            f"{path} is no card of a cross-encoder; accepted: JSON with kind 'cross-encoder', rank, alpha, weight"
        ) from error
