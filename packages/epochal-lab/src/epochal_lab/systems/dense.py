"""Dense models: texts to one vector each, with the pooling, lengths and prefixes of a preset.

Four ways to load one: pooled here over transformers (`PooledModel`), by sentence-transformers where the model has
layers of its own on top (`SentenceModel`), and with an `encode` that takes an instruction, be it that of the package
gritlm or of the model's own code (`InstructedModel`). All of them are an `Encoder`, but for vectors that a preset does
not want of length 1.

Presets that make one vector of a text: found are the documents with the highest inner product with the question.

Vectors are kept beside the folder by the content of their texts, so that equal texts, and a run that goes on, cost
nothing; all documents are compared, without an approximate index.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from epochal.encoders.base import EncoderError, Vectors, checked_texts, checked_vectors, required, unit_rows
from epochal.encoders.wrappers import CachedEncoder
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import Answer, Ranker, best_hits, text_of
from epochal_lab.systems.presets import Chosen, dtype_of, dtype_option, pick_device

__all__ = [
    "QUESTIONS",
    "VECTORS",
    "DenseModel",
    "DenseSystem",
    "InstructedModel",
    "KeptVectors",
    "PooledModel",
    "SentenceModel",
    "dense_system",
    "load_model",
]


#: Tokenizers without a limit of their own state an absurd one.
_ENDLESS: Final = 1 << 20


class DenseModel(ABC):
    """What the three share: prefixes and cuts before, checks and lengths after.

    `name` says what vectors of documents rest on, `query_name` the same of questions: with another prefix before
    questions, documents need not be encoded again.
    """

    def __init__(self, chosen: Chosen, model: Any, dim: int) -> None:
        self._chosen = chosen
        self._preset = chosen.preset
        self._model = model
        self.dim = dim
        self.name = chosen.identity(model, "document")
        self.query_name = chosen.identity(model, "query")

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of questions."""
        return self._encode(texts, self._preset.query, self._preset.query_tokens)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of documents."""
        most = self._preset.document_characters
        return self._encode([text[:most] for text in texts], self._preset.document, self._preset.document_tokens)

    def _encode(self, texts: Sequence[str], prefix: str, tokens: int | None) -> Vectors:
        found = checked_texts(self.name, texts)
        # Texts of like length go together; a blank one has nothing to be found by.
        rows = sorted((row for row, text in enumerate(found) if text.strip()), key=lambda row: len(found[row]))
        vectors = np.zeros((len(found), self.dim), np.float32)
        for first in range(0, len(rows), self._chosen.batch):
            part = rows[first : first + self._chosen.batch]
            made = self._made([found[row] for row in part], prefix, tokens)
            vectors[part] = checked_vectors(self.name, self.dim, len(part), made)
        return unit_rows(vectors) if self._preset.normalise else vectors

    @abstractmethod
    def _made(self, texts: list[str], prefix: str, tokens: int | None) -> Any:
        """The vectors of texts that are not blank, in their order."""


class PooledModel(DenseModel):
    """A model of transformers, pooled here: the mean of its tokens, the first of them, or the last.

    Tokenizers may pad on either side. With `eos` the sign for the end of a text goes after it, cut or not.
    """

    def __init__(self, chosen: Chosen) -> None:
        who = chosen.who
        self._torch = required("torch", who, "train")
        transformers = required("transformers", who, "train")
        device = pick_device(who, chosen.device)
        option = dtype_option(transformers)
        remote = chosen.preset.remote_code
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(chosen.source, trust_remote_code=remote)
            model = transformers.AutoModel.from_pretrained(
                chosen.source, trust_remote_code=remote, **{option: dtype_of(who, chosen.preset.dtype, device)}
            )
        except (OSError, ValueError) as error:
            raise chosen.failed(error) from error
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._device = device
        super().__init__(chosen, model.to(device).eval(), int(model.config.hidden_size))

    def _made(self, texts: list[str], prefix: str, tokens: int | None) -> Any:
        limit = self._limit() if tokens is None else tokens
        more = [self._tokenizer.eos_token_id] if self._preset.eos else []
        read = self._tokenizer(
            [prefix + text for text in texts],
            truncation=limit is not None,
            max_length=None if limit is None else limit - len(more),
        )
        if more:
            read = {"input_ids": [ids + more for ids in read["input_ids"]]}
        batch = self._tokenizer.pad(read, return_tensors="pt").to(self._device)
        with self._torch.inference_mode():
            states = self._model(**batch).last_hidden_state
        return self._pooled(states, batch["attention_mask"]).float().cpu().numpy()

    def _limit(self) -> int | None:
        limit = self._tokenizer.model_max_length
        return int(limit) if limit and limit < _ENDLESS else None

    def _pooled(self, states: Any, mask: Any) -> Any:
        if self._preset.pooling == "mean":
            weights = mask[..., None].to(states.dtype)
            return (states * weights).sum(1) / weights.sum(1).clamp(min=1)
        rows = self._torch.arange(len(mask), device=mask.device)
        if self._preset.pooling == "cls":
            return states[rows, mask.argmax(1)]
        return states[rows, mask.shape[1] - 1 - mask.flip(1).argmax(1)]


class SentenceModel(DenseModel):
    """A model of sentence-transformers with all its layers; its prefix is an instruction, which is not pooled."""

    def __init__(self, chosen: Chosen) -> None:
        package = required("sentence_transformers", chosen.who, "train")
        device = pick_device(chosen.who, chosen.device)
        try:
            model = package.SentenceTransformer(
                chosen.source, device=device, trust_remote_code=chosen.preset.remote_code
            )
        except (OSError, ValueError) as error:
            raise chosen.failed(error) from error
        model.set_pooling_include_prompt(False)
        ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        super().__init__(chosen, model, int(ask()))

    def _made(self, texts: list[str], prefix: str, tokens: int | None) -> Any:
        if tokens is not None:
            self._model.max_seq_length = tokens
        return self._model.encode(texts, prompt=prefix, batch_size=len(texts), show_progress_bar=False)


class InstructedModel(DenseModel):
    """A model whose own `encode` takes the instruction: GritLM through its package, ReasonIR through its own code."""

    def __init__(self, chosen: Chosen) -> None:
        device = pick_device(chosen.who, chosen.device)
        number = dtype_of(chosen.who, chosen.preset.dtype, device)
        grit = chosen.preset.loader == "gritlm"
        package = required("gritlm" if grit else "transformers", chosen.who, "gritlm" if grit else "train")
        try:
            if grit:
                model = package.GritLM(chosen.source, torch_dtype=number, mode="embedding")
            else:
                model = package.AutoModel.from_pretrained(
                    chosen.source, trust_remote_code=chosen.preset.remote_code, **{dtype_option(package): number}
                )
                model = model.to(device).eval()
        except (OSError, ValueError) as error:
            raise chosen.failed(error) from error
        if not hasattr(model, "encode"):
            raise EncoderError(f"{chosen.who} has no encode of its own; accepted: a model whose code brings one")
        super().__init__(chosen, model, np.asarray(model.encode(["a"], instruction="")).shape[-1])

    def _made(self, texts: list[str], prefix: str, tokens: int | None) -> Any:
        lengths = {} if tokens is None else {"max_length": tokens}
        return self._model.encode(texts, instruction=prefix, batch_size=len(texts), **lengths)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A model for questions alone, under the name that its questions' vectors have."""

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


class KeptVectors:
    """The vectors of a model, kept in a file by the content of their texts; the model is loaded at once."""

    def __init__(self, chosen: Chosen, path: Path) -> None:
        model = load_model(chosen)
        self._documents = CachedEncoder(model, path)
        self._queries = CachedEncoder(_Asking(model), path)

    def documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of documents."""
        return self._documents.encode_documents(texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of questions."""
        return self._queries.encode_queries(texts)


def load_model(chosen: Chosen) -> DenseModel:
    """The model of a preset, loaded as the preset says."""
    if chosen.preset.loader == "transformers":
        return PooledModel(chosen)
    return SentenceModel(chosen) if chosen.preset.loader == "sentence-transformers" else InstructedModel(chosen)


VECTORS: Final = "vectors.db"
#: Questions that are encoded and compared at a time.
QUESTIONS: Final = 64


@dataclass(frozen=True, slots=True)
class DenseSystem:
    """A dense preset as a system."""

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
        """Load the model, and encode the documents that are not kept."""
        kept = KeptVectors(self.chosen, folder.parent / VECTORS)
        ids: list[str] = []
        texts: list[str] = []
        for document in documents:
            ids.append(document.id)
            texts.append(text_of(document))
        yield _DenseRanker(kept, ids, kept.documents(texts))


@dataclass(frozen=True, slots=True, eq=False)
class _DenseRanker:
    kept: KeptVectors
    ids: Sequence[str]
    vectors: Vectors

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        for first in range(0, len(queries), QUESTIONS):
            part = queries[first : first + QUESTIONS]
            scores = self.kept.queries([query.text for query in part]) @ self.vectors.T
            for query, row in zip(part, np.asarray(scores, np.float64), strict=True):
                yield Answer(query.id, best_hits(self.ids, row, k))


def dense_system(spec: Spec) -> DenseSystem:
    """The system that a spec names."""
    return DenseSystem(Chosen.of(spec))
