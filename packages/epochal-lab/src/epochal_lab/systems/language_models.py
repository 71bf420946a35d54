"""Centres of a few vectors: k-means, seeded, in numpy.

PQR: a language model asks what each record answers; a question is compared with that, not with the record.

The questions of a record are encoded and gathered into a few centres, the best of which counts. The replies of the
language model are recorded in the folder and asked for once. A record for which it gives none stands for itself, as
in the paper; how many do is told with each answer.

Another system's first documents in the order in which a language model thinks that they answer the question.

The model is asked, after its own form (Qwen3-Reranker), whether a document meets what is asked for; how likely "yes"
is against "no" orders the first `top`. What lies behind them stays behind them, in its order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import EncoderError, Vectors, required, unit_rows
from epochal.errors import EpochalError
from epochal.llm.chat import Chat, LlmError, Message
from epochal.llm.endpoint import Endpoint
from epochal.llm.recorded import Recorded, Replay
from epochal.llm.structured import ask
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import Answer, Ranker, System, best_hits, text_of
from epochal_lab.systems.dense import QUESTIONS, VECTORS, KeptVectors
from epochal_lab.systems.presets import Chosen, dtype_of, dtype_option, pick_device

__all__ = ["PqrSystem", "RerankedSystem", "YesNo", "asked_questions", "centres", "pqr_system", "reranked_system"]


_ROUNDS = 100


def centres(vectors: Vectors, count: int, seed: int = 0) -> Vectors:
    """At most `count` centres of the vectors, of length 1; the vectors themselves where there are no more than that."""
    if len(vectors) <= count:
        return vectors
    found = _first(vectors, count, np.random.default_rng(seed))
    nearest = np.full(len(vectors), -1)
    for _ in range(_ROUNDS):
        away = ((vectors[:, None] - found[None]) ** 2).sum(-1)
        now = away.argmin(1)
        if (now == nearest).all():
            break
        nearest = now
        for number in range(len(found)):
            if (own := nearest == number).any():
                found[number] = vectors[own].mean(0)
    return unit_rows(found)


def _first(vectors: Vectors, count: int, chance: np.random.Generator) -> Vectors:
    """Centres to begin with, each drawn by its squared distance from those before (k-means++)."""
    rows = [int(chance.integers(len(vectors)))]
    while len(rows) < count:
        away = ((vectors[:, None] - vectors[rows][None]) ** 2).sum(-1).min(1).astype(np.float64)
        total = away.sum()
        if total <= 0:  # fewer different vectors than centres
            break
        rows.append(int(chance.choice(len(vectors), p=away / total)))
    return np.array(vectors[rows])


_CALLS: Final = "questions.jsonl"
_PQR_TASK: Final = (
    "Write {count} different questions that somebody could ask and that the record below answers. Ask in the language "
    "of the record. Name the time that the record states, where it states one. Reply with a JSON object of the form "
    '{{"questions": ["...", "..."]}}.\n\nRecord:\n{text}'
)


@dataclass(frozen=True, slots=True)
class _Questions:
    questions: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.questions:
            raise ValueError("questions has 0 items; accepted: 1 or more")


def asked_questions(chat: Chat, text: str, count: int) -> list[str]:
    """Up to `count` different questions that a text answers."""
    reply = ask(chat, [Message("user", _PQR_TASK.format(count=count, text=text))], _Questions)
    found = dict.fromkeys(question.strip() for question in reply.questions)
    return [question for question in found if question][:count]


@dataclass(frozen=True, slots=True)
class PqrSystem:
    """PQR with the encoder of its preset and a language model. `workers` calls are made at a time."""

    chosen: Chosen
    chat: Chat
    questions: int = 20
    clusters: int = 4
    workers: int = 8

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
        """Let questions be asked of the documents, encode them, and gather them into centres."""
        ids: list[str] = []
        texts: list[str] = []
        for document in documents:
            ids.append(document.id)
            texts.append(text_of(document))
        asked, missing = self._asked(list(dict.fromkeys(texts)), folder)
        kept = KeptVectors(self.chosen, folder.parent / VECTORS)
        # What is encoded like a document in the paper are the questions asked of it.
        every = list(dict.fromkeys(question for questions in asked.values() for question in questions))
        place = {question: row for row, question in enumerate(every)}
        vectors = kept.documents(every)
        found = {text: centres(vectors[[place[item] for item in asked[text]]], self.clusters) for text in asked}
        rows = [found[text] for text in texts]
        starts = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
        joined = np.concatenate(rows) if rows else np.zeros((0, vectors.shape[1]), np.float32)
        yield _PqrRanker(kept, ids, joined, starts[:-1], f"{missing} of {len(asked)}")

    def _asked(self, texts: list[str], folder: Path) -> tuple[dict[str, list[str]], int]:
        """The questions of each text, or the text itself, and for how many texts there are none."""
        chat = self.chat if isinstance(self.chat, Replay) else Recorded(self.chat, folder / _CALLS)
        asked: dict[str, list[str]] = {}
        troubles: list[LlmError] = []

        def one(text: str) -> list[str] | LlmError:
            try:
                return asked_questions(chat, text, self.questions)
            except LlmError as error:
                return error

        with ThreadPoolExecutor(self.workers) as pool:
            for text, found in zip(texts, pool.map(one, texts), strict=True):
                if isinstance(found, LlmError):
                    troubles.append(found)
                asked[text] = [text] if isinstance(found, LlmError) or not found else found
        if troubles and len(troubles) == len(texts):
            raise EpochalError(f"{self.name}: none of {len(texts)} records has a question; the first: {troubles[0]}")
        return asked, len(troubles)


@dataclass(frozen=True, slots=True, eq=False)
class _PqrRanker:
    kept: KeptVectors
    ids: Sequence[str]
    centres: Vectors
    starts: npt.NDArray[np.int64]
    unasked: str

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        facts = {"records without questions": self.unasked}
        if not self.ids:
            yield from (Answer(query.id, (), facts) for query in queries)
            return
        for first in range(0, len(queries), QUESTIONS):
            part = queries[first : first + QUESTIONS]
            alike = self.kept.queries([query.text for query in part]) @ self.centres.T
            best = np.maximum.reduceat(alike, self.starts, axis=1)
            for query, row in zip(part, best.astype(np.float64), strict=True):
                yield Answer(query.id, best_hits(self.ids, row, k), facts)


def pqr_system(spec: Spec) -> PqrSystem:
    """The system that a spec names: `url` and `llm` of an endpoint (`key` names the variable with its key), or a
    `recording` of its replies; `questions` a record, `clusters`, `workers`.
    """
    given = spec.settings
    chosen = Chosen.of(spec, "url", "llm", "key", "recording", "questions", "clusters", "workers")
    chat: Chat
    if "recording" in given:
        chat = Replay(given["recording"], given.get("llm"))
    elif "url" in given and "llm" in given:
        chat = Endpoint(given["url"], given["llm"], given.get("key"))
    else:
        raise EpochalError("pqr needs a language model; accepted: url=ADDRESS, llm=NAME, or recording=FILE")
    counts = {}
    for key in ("questions", "clusters", "workers"):
        if key in given:
            if not given[key].isdigit() or int(given[key]) < 1:
                raise EpochalError(f"{spec}: {key} must be a whole number from 1")
            counts[key] = int(given[key])
    return PqrSystem(chosen, chat, **counts)


MODEL: Final = "Qwen/Qwen3-Reranker-0.6B"
#: The form on which the model was trained.
_BEFORE: Final = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct "
    'provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n'
)
_AFTER: Final = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
_RERANK_TASK: Final = "Given a web search query, retrieve relevant passages that answer the query"


class YesNo:
    """A causal language model that says yes or no: how likely yes is, against no, for each document."""

    def __init__(
        self,
        source: str = MODEL,
        *,
        task: str = _RERANK_TASK,
        tokens: int = 4096,
        device: str | None = None,
        dtype: str = "float16",
        batch: int = 8,
    ) -> None:
        who = f"reranker {source!r}"
        self._torch = required("torch", who, "train")
        transformers = required("transformers", who, "train")
        self._device = pick_device(who, device)
        option = dtype_option(transformers)
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(source, padding_side="left")
            model = transformers.AutoModelForCausalLM.from_pretrained(
                source, **{option: dtype_of(who, dtype, self._device)}
            )
        except (OSError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise EncoderError(f"{who} cannot be loaded from the hub or a folder: {reason}") from error
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._model: Any = model.to(self._device).eval()
        self._task, self._batch = task, batch
        self._words = [self._tokenizer.convert_tokens_to_ids(word) for word in ("no", "yes")]
        if None in self._words or self._tokenizer.unk_token_id in self._words:
            raise EncoderError(f"{who} has no tokens 'yes' and 'no'; accepted: a model such as {MODEL}")
        self._before, self._after = (
            self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in (_BEFORE, _AFTER)
        )
        self._most = tokens - len(self._before) - len(self._after)
        if self._most < 1:
            raise EncoderError(f"{who} may read {tokens} tokens, and its form alone has as many; give more")

    def likely(self, question: str, texts: Sequence[str]) -> list[float]:
        """For each text how likely it meets the question, from 0 to 1."""
        found: list[float] = []
        for first in range(0, len(texts), self._batch):
            part = [
                f"<Instruct>: {self._task}\n<Query>: {question}\n<Document>: {text}"
                for text in texts[first : first + self._batch]
            ]
            read = self._tokenizer(part, add_special_tokens=False, truncation=True, max_length=self._most)
            rows = [self._before + ids + self._after for ids in read["input_ids"]]
            batch = self._tokenizer.pad({"input_ids": rows}, return_tensors="pt").to(self._device)
            with self._torch.inference_mode():
                ends = self._model(**batch).logits[:, -1, self._words]
            found += self._torch.softmax(ends.float(), -1)[:, 1].cpu().tolist()
        return found


@dataclass(frozen=True, slots=True)
class RerankedSystem:
    """A system whose first `top` documents a `YesNo` puts in order; any `base` will do."""

    name: str
    base: System
    source: str = MODEL
    top: int = 50
    device: str | None = None

    def __post_init__(self) -> None:
        if self.top < 1:
            raise EpochalError(f"{self.name}: top must be a whole number from 1")

    @property
    def store(self) -> str:
        """That of the system within."""
        return self.base.store

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Open the system within, and load the model; the texts are held for it."""
        held = list(documents)
        judge = YesNo(self.source, device=self.device)
        with self.base.open(held, folder) as ranker:
            yield _RerankedRanker(ranker, judge, {document.id: text_of(document) for document in held}, self.top)


@dataclass(frozen=True, slots=True, eq=False)
class _RerankedRanker:
    ranker: Ranker
    judge: YesNo
    texts: dict[str, str]
    top: int

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        asked = {query.id: query for query in queries}
        for answer in self.ranker.answer(queries, max(k, self.top)):
            head, rest = answer.hits[: self.top], answer.hits[self.top :]
            likely = self.judge.likely(asked[answer.query].text, [self.texts[id] for id, _ in head])
            order = sorted(range(len(head)), key=lambda place: -likely[place])
            hits = [(head[place][0], likely[place]) for place in order]
            hits += [(id, -float(place)) for place, (id, _) in enumerate(rest, 1)]
            yield Answer(answer.query, tuple(hits[:k]), answer.facts)


def reranked_system(spec: Spec, base: System | None) -> RerankedSystem:
    """The system that a spec names, over the system of its `base`: `path` is a model, `top` how many, `device`."""
    given = spec.only("base", "path", "top", "device")
    if base is None:
        raise EpochalError("reranked needs a system to start from; accepted: base=NAME, such as base=bm25-official")
    if not given.get("top", "1").isdigit():
        raise EpochalError(f"{spec}: top must be a whole number from 1")
    name = str(Spec(spec.name, {key: value for key, value in given.items() if key != "device"}))
    return RerankedSystem(name, base, given.get("path", MODEL), int(given.get("top", "50")), given.get("device"))
