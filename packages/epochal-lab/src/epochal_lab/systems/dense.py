"""Dense presets: one vector per text, documents ranked by inner product with the query.

Models are loaded in one of three ways: pooled here over transformers (`PooledModel`), by sentence-transformers where
the model has layers of its own on top (`SentenceModel`), and with an `encode` that takes an instruction, from the
package gritlm or the model's own code (`InstructedModel`). All are an `Encoder`, except that a preset may not want
vectors of length 1. Vectors are cached beside the folder by the content of their texts, so that equal texts and
resumed runs cost nothing; all documents are compared, without an approximate index.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from epochal.encoders.base import EncoderError, Vectors, check_texts, check_vectors, import_extra, unit_rows
from epochal.encoders.wrappers import CachedEncoder
from epochal.storage.records import Document
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import BatchRanker, Ranker, read_texts
from epochal_lab.systems.presets import (
    PresetOptions,
    PresetSystem,
    get_dtype,
    get_dtype_option,
    load_transformers_model,
    pick_device,
)

#: Tokenizers without a limit state an absurdly high one.
_NO_LIMIT: Final = 1 << 20


class DenseModel(ABC):
    """The base of the three: adds prefixes and truncates before, checks and normalises after.

    `name` identifies what document vectors depend on, `query_name` the same for queries: with another query prefix,
    documents need not be encoded again.
    """

    def __init__(self, options: PresetOptions, model: Any, dim: int) -> None:
        self._options = options
        self._preset = options.preset
        self._model = model
        self.dim = dim
        self.name = options.make_identity(model, "document")
        self.query_name = options.make_identity(model, "query")

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, self._preset.query, self._preset.query_tokens)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        limit = self._preset.document_characters
        return self._encode([text[:limit] for text in texts], self._preset.document, self._preset.document_tokens)

    def _encode(self, texts: Sequence[str], prefix: str, tokens: int | None) -> Vectors:
        checked = check_texts(self.name, texts)
        # Texts of similar length go together; blank ones stay zero.
        rows = sorted((row for row, text in enumerate(checked) if text.strip()), key=lambda row: len(checked[row]))
        vectors = np.zeros((len(checked), self.dim), np.float32)
        for first in range(0, len(rows), self._options.batch):
            batch = rows[first : first + self._options.batch]
            encoded = self._encode_batch([checked[row] for row in batch], prefix, tokens)
            vectors[batch] = check_vectors(self.name, self.dim, len(batch), encoded)
        return unit_rows(vectors) if self._preset.normalise else vectors

    @abstractmethod
    def _encode_batch(self, texts: list[str], prefix: str, tokens: int | None) -> Any:
        """The vectors of non-blank texts, in their order."""


class PooledModel(DenseModel):
    """A model of transformers, pooled here: the mean of its tokens, the first token, or the last.

    Tokenizers may pad on either side. With `eos` the end-of-text token is added, also to truncated texts.
    """

    def __init__(self, options: PresetOptions) -> None:
        self._torch = import_extra("torch", options.who, "train")
        self._device = pick_device(options.who, options.device)
        preset = options.preset
        self._tokenizer, model = load_transformers_model(
            options.who, options.source, "AutoModel", self._device, preset.dtype, remote_code=preset.remote_code
        )
        super().__init__(options, model, int(model.config.hidden_size))

    def _encode_batch(self, texts: list[str], prefix: str, tokens: int | None) -> Any:
        limit = self._get_limit() if tokens is None else tokens
        end = [self._tokenizer.eos_token_id] if self._preset.eos else []
        tokenised = self._tokenizer(
            [prefix + text for text in texts],
            truncation=limit is not None,
            max_length=None if limit is None else limit - len(end),
        )
        if end:
            tokenised = {"input_ids": [ids + end for ids in tokenised["input_ids"]]}
        batch = self._tokenizer.pad(tokenised, return_tensors="pt").to(self._device)
        with self._torch.inference_mode():
            states = self._model(**batch).last_hidden_state
        return self._pool(states, batch["attention_mask"]).float().cpu().numpy()

    def _get_limit(self) -> int | None:
        limit = self._tokenizer.model_max_length
        return int(limit) if limit and limit < _NO_LIMIT else None

    def _pool(self, states: Any, mask: Any) -> Any:
        if self._preset.pooling == "mean":
            weights = mask[..., None].to(states.dtype)
            return (states * weights).sum(1) / weights.sum(1).clamp(min=1)
        rows = self._torch.arange(len(mask), device=mask.device)
        if self._preset.pooling == "cls":
            return states[rows, mask.argmax(1)]
        return states[rows, mask.shape[1] - 1 - mask.flip(1).argmax(1)]


class SentenceModel(DenseModel):
    """A model of sentence-transformers with all its layers; the prefix is an instruction, which is not pooled."""

    def __init__(self, options: PresetOptions) -> None:
        package = import_extra("sentence_transformers", options.who, "train")
        device = pick_device(options.who, options.device)
        try:
            model = package.SentenceTransformer(
                options.source, device=device, trust_remote_code=options.preset.remote_code
            )
        except (OSError, ValueError) as error:
            raise options.make_load_error(error) from error
        model.set_pooling_include_prompt(False)
        get_dim = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        super().__init__(options, model, int(get_dim()))

    def _encode_batch(self, texts: list[str], prefix: str, tokens: int | None) -> Any:
        if tokens is not None:
            self._model.max_seq_length = tokens
        return self._model.encode(texts, prompt=prefix, batch_size=len(texts), show_progress_bar=False)


class InstructedModel(DenseModel):
    """A model whose own `encode` takes the instruction: GritLM through its package, ReasonIR through its own code."""

    def __init__(self, options: PresetOptions) -> None:
        device = pick_device(options.who, options.device)
        dtype = get_dtype(options.who, options.preset.dtype, device)
        grit = options.preset.loader == "gritlm"
        package = import_extra("gritlm" if grit else "transformers", options.who, "gritlm" if grit else "train")
        try:
            if grit:
                model = package.GritLM(options.source, torch_dtype=dtype, mode="embedding")
            else:
                model = package.AutoModel.from_pretrained(
                    options.source, trust_remote_code=options.preset.remote_code, **{get_dtype_option(package): dtype}
                )
                model = model.to(device).eval()
        except (OSError, ValueError) as error:
            raise options.make_load_error(error) from error
        if not hasattr(model, "encode"):
            raise EncoderError(f"{options.who} has no encode of its own; accepted: a model whose code has one")
        super().__init__(options, model, np.asarray(model.encode(["a"], instruction="")).shape[-1])

    def _encode_batch(self, texts: list[str], prefix: str, tokens: int | None) -> Any:
        lengths = {} if tokens is None else {"max_length": tokens}
        return self._model.encode(texts, instruction=prefix, batch_size=len(texts), **lengths)


@dataclass(frozen=True, slots=True)
class _QueryEncoder:
    """A model for queries alone, under the name of its query vectors."""

    model: DenseModel

    @property
    def name(self) -> str:
        return self.model.query_name

    @property
    def dim(self) -> int:
        return self.model.dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        return self.model.encode_documents(texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self.model.encode_queries(texts)


class VectorCache:
    """The vectors of a model, cached in a file by the content of their texts; the model is loaded at once."""

    def __init__(self, options: PresetOptions, path: Path) -> None:
        model = load_model(options)
        self._documents = CachedEncoder(model, path)
        self._queries = CachedEncoder(_QueryEncoder(model), path)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        return self._documents.encode_documents(texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._queries.encode_queries(texts)


def load_model(options: PresetOptions) -> DenseModel:
    """Load the model of a preset with the loader that the preset names."""
    if options.preset.loader == "transformers":
        return PooledModel(options)
    return SentenceModel(options) if options.preset.loader == "sentence-transformers" else InstructedModel(options)


VECTOR_FILE: Final = "vectors.db"


@dataclass(frozen=True, slots=True)
class DenseSystem(PresetSystem):
    """A dense preset as a system."""

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Load the model, and encode the documents that are not cached."""
        cache = VectorCache(self.options, folder.parent / VECTOR_FILE)
        ids, texts = read_texts(documents)
        vectors = cache.encode_documents(texts)
        yield BatchRanker(ids, lambda queries: np.asarray(cache.encode_queries(queries) @ vectors.T, np.float64))


def make_dense_system(spec: Spec) -> DenseSystem:
    return DenseSystem(PresetOptions.from_spec(spec))
