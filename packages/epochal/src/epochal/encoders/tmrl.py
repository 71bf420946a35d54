"""minilm with a temporal adapter: `tmrl:FOLDER`, or `epochal-tmrl`, the adapter that ships with the package.

An adapter holds two thin matrices for each linear layer (`epochal train tmrl` makes one). When the model is loaded
their product is added to the layer's weight, which stays in eight bits, so that a search costs what it costs without an
adapter. Neither torch nor the package onnx is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import EncoderError, Vectors, check_texts
from epochal.encoders.bundled import MAX_TOKENS, MiniLM, data_file
from epochal.encoders.onnx_weights import read_constants, replace_constants, replace_weights
from epochal.errors import InputError
from epochal.files import read_tensors

#: The files of an adapter's folder.
MATRICES: Final = "adapter.safetensors"
CARD: Final = "adapter.json"

_SHIPPED: Final = "tmrl"
#: Which way matrices are added to weights, part of the version: vectors of another way are not the same.
_MERGED: Final = b"2"
#: The layers of BERT by the names of transformers, and the constants that hold them, of which the first three are one.
_PACKED: Final = ("attention.self.query", "attention.self.key", "attention.self.value")
_ALONE: Final = {"attention.output.dense": "mixed", "intermediate.dense": "inner", "output.dense": "outer"}

Array = npt.NDArray[np.float32]


class TMRLEncoder(MiniLM):
    """Sentence vectors of minilm as an adapter changed them: 384 numbers, of which any prefix serves as well.

    The folder is one that `epochal train tmrl` wrote as adapter/, for minilm; without one it is the adapter that ships.
    Everything else is as with minilm.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        super().__init__(threads, max_tokens)
        self._folder = None if folder is None else os.fspath(folder)
        place = _get_shipped_folder() if folder is None else Path(folder)
        for name in (CARD, MATRICES):
            if not (place / name).is_file():
                raise EncoderError(
                    f"{place} holds no adapter: {name} is missing; accepted: a folder with {CARD} and {MATRICES}"
                )
        self._place = place
        self._scale, self._prefixes, self._nested = _read_card(place / CARD)
        held = (place / MATRICES).read_bytes() + (place / CARD).read_bytes()
        self._version = hashlib.sha256(held + _MERGED).hexdigest()[:8]

    def __reduce__(self) -> tuple[type[TMRLEncoder], tuple[str | None, int, int]]:  # type: ignore[override]
        return TMRLEncoder, (self._folder, self._threads, self._max_tokens)

    @property
    def name(self) -> str:
        """That of minilm with the version of the adapter, which changes whenever its files do."""
        return f"tmrl-{self._version}-{super().name}"

    @property
    def nested_dims(self) -> tuple[int, ...]:
        """The lengths at which the adapter was trained to be cut."""
        return self._nested

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row a text, each behind the prefix that the adapter was trained with, if any."""
        return super().encode_documents(self._add_prefix(self._prefixes[1], texts))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same for questions, whose prefix may be another."""
        return super().encode_documents(self._add_prefix(self._prefixes[0], texts))

    def _add_prefix(self, prefix: str, texts: Sequence[str]) -> list[str]:
        checked = check_texts(self.name, texts)
        return [f"{prefix}{text}" if text.strip() else text for text in checked] if prefix else checked

    def _get_model(self) -> str | bytes:
        model = data_file("minilm", "model.int8.onnx").read_bytes()
        try:
            matrices = read_tensors(self._place / MATRICES)
        except InputError as error:
            raise EncoderError(str(error)) from error
        return merge_adapter(model, matrices, self._scale, str(self._place))


def merge_adapter(model: bytes, matrices: Mapping[str, Array], scale: float, source: str) -> bytes:
    """A BERT encoder in eight bits, as `bert_graph` writes one, with an adapter in its weights.

    `matrices` are `LAYER.down` (rank, inputs) and `LAYER.up` (outputs, rank) by the names of transformers.
    """
    constants = read_constants(model)
    new: dict[str, npt.NDArray[Any]] = {}
    for layer in sorted({name.rpartition(".")[0] for name in matrices}):
        name, columns = _find_constant(layer)
        down, up = matrices.get(f"{layer}.down"), matrices.get(f"{layer}.up")
        weight = constants.get(f"{name}.weight")
        if down is None or up is None or weight is None:
            raise EncoderError(f"{source} does not fit at {layer!r}; accepted: an adapter of minilm")
        inputs, outputs = weight.array.shape
        part = slice(columns * outputs // 3, (columns + 1) * outputs // 3) if columns is not None else slice(outputs)
        scales = constants[f"{name}.scale"].array[part]
        if (down.shape[1], up.shape[0]) != (inputs, len(scales)) or down.shape[0] != up.shape[1]:
            raise EncoderError(f"{source} has other shapes at {layer!r} than the model; accepted: an adapter of minilm")
        merged = new.setdefault(f"{name}.weight", weight.array.copy())
        wide = new.setdefault(f"{name}.scale", constants[f"{name}.scale"].array.copy())
        merged[:, part], wide[part] = replace_weights(merged[:, part], scales, down.T, scale * up.T)
    if not new:
        raise EncoderError(f"{source} adapts no layer; accepted: an adapter of minilm")
    return replace_constants(model, new)


def _find_constant(layer: str) -> tuple[str, int | None]:
    """The constant that holds a layer, and which third of its columns, if not all."""
    parts = layer.removeprefix("encoder.layer.").partition(".")
    if parts[2] in _PACKED:
        return f"{parts[0]}.attention", _PACKED.index(parts[2])
    return f"{parts[0]}.{_ALONE.get(parts[2], parts[2])}", None


def _get_shipped_folder() -> Path:
    try:
        return data_file(_SHIPPED, CARD).parent
    except EncoderError as error:
        raise EncoderError(
            "this installation ships no adapter; accepted: tmrl:FOLDER, see epochal train tmrl"
        ) from error


def _read_card(path: Path) -> tuple[float, tuple[str, str], tuple[int, ...]]:
    """How much of the matrices' product is added, what goes before questions and passages, and nested lengths."""
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        if card["kind"] != "lora":
            raise ValueError(card["kind"])
        prefixes = str(card.get("question_prefix", "")), str(card.get("passage_prefix", ""))
        return float(card["alpha"]) / int(card["rank"]), prefixes, tuple(map(int, card.get("nested_dims", ())))
    except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise EncoderError(f"{path} is no card of an adapter; accepted: JSON with kind 'lora', rank, alpha") from error
