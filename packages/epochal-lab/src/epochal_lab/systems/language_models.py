"""Systems with a language model: PQR, which compares a query with questions generated from each record, and a reranker.

PQR generates questions for each record, encodes them and clusters them into a few centres, the best of which counts.
The replies of the language model are recorded in the folder. A record without a usable reply is represented by its own
text, as in the paper; facts of each answer report how many.

The reranker asks a model (Qwen3-Reranker), in its own format, whether a document meets the query; the probability of
"yes" against "no" orders the first `top` documents of another system. The rest keep their order behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import EncoderError, Vectors, import_extra, unit_rows
from epochal.errors import EpochalError
from epochal.llm.chat import Chat, LlmError, Message
from epochal.llm.endpoint import Endpoint
from epochal.llm.recorded import RecordedChat, Replay
from epochal.llm.structured import ask
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import BatchRanker, QueryAnswer, Ranker, System, get_document_text, read_texts
from epochal_lab.systems.dense import VECTOR_FILE, VectorCache
from epochal_lab.systems.presets import PresetOptions, PresetSystem, load_transformers_model, pick_device

_ROUNDS = 100


def find_centres(vectors: Vectors, count: int, seed: int = 0) -> Vectors:
    """At most `count` centres of the vectors by seeded k-means, of length 1; few vectors are their own centres."""
    if len(vectors) <= count:
        return vectors
    centres = _pick_initial_centres(vectors, count, np.random.default_rng(seed))
    nearest = np.full(len(vectors), -1)
    for _ in range(_ROUNDS):
        distances = ((vectors[:, None] - centres[None]) ** 2).sum(-1)
        closest = distances.argmin(1)
        if (closest == nearest).all():
            break
        nearest = closest
        for cluster in range(len(centres)):
            if (members := nearest == cluster).any():
                centres[cluster] = vectors[members].mean(0)
    return unit_rows(centres)


def _pick_initial_centres(vectors: Vectors, count: int, rng: np.random.Generator) -> Vectors:
    """Initial centres, each sampled by its squared distance from those before (k-means++)."""
    rows = [int(rng.integers(len(vectors)))]
    while len(rows) < count:
        distances = ((vectors[:, None] - vectors[rows][None]) ** 2).sum(-1).min(1).astype(np.float64)
        total = distances.sum()
        if total <= 0:  # fewer distinct vectors than centres
            break
        rows.append(int(rng.choice(len(vectors), p=distances / total)))
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


def generate_questions(chat: Chat, text: str, count: int) -> list[str]:
    """Up to `count` distinct questions that a text answers, by a language model."""
    reply = ask(chat, [Message("user", _PQR_TASK.format(count=count, text=text))], _Questions)
    distinct = dict.fromkeys(question.strip() for question in reply.questions)
    return [question for question in distinct if question][:count]


@dataclass(frozen=True, slots=True)
class PqrSystem(PresetSystem):
    """PQR with the encoder of its preset and a language model, which gets up to `workers` calls at a time."""

    chat: Chat
    questions: int = 20
    clusters: int = 4
    workers: int = 8

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Generate questions for the documents, encode them, and cluster them."""
        ids, texts = read_texts(documents)
        questions, missing = self._generate(list(dict.fromkeys(texts)), folder)
        cache = VectorCache(self.options, folder.parent / VECTOR_FILE)
        # In the paper the generated questions are encoded like documents.
        distinct = list(dict.fromkeys(question for generated in questions.values() for question in generated))
        row_of_question = {question: row for row, question in enumerate(distinct)}
        vectors = cache.encode_documents(distinct)
        centres = {
            text: find_centres(vectors[[row_of_question[item] for item in generated]], self.clusters)
            for text, generated in questions.items()
        }
        rows = [centres[text] for text in texts]
        starts = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
        stacked = np.concatenate(rows) if rows else np.zeros((0, vectors.shape[1]), np.float32)

        def score(queries: list[str]) -> npt.NDArray[np.float64]:
            similarity = cache.encode_queries(queries) @ stacked.T
            return np.maximum.reduceat(similarity, starts[:-1], axis=1).astype(np.float64)

        yield BatchRanker(ids, score, facts={"records without questions": f"{missing} of {len(questions)}"})

    def _generate(self, texts: list[str], folder: Path) -> tuple[dict[str, list[str]], int]:
        """The questions of each text, or the text itself; and the number of texts without a usable reply."""
        chat = self.chat if isinstance(self.chat, Replay) else RecordedChat(self.chat, folder / _CALLS)
        questions: dict[str, list[str]] = {}
        errors: list[LlmError] = []

        def generate(text: str) -> list[str] | LlmError:
            try:
                return generate_questions(chat, text, self.questions)
            except LlmError as error:
                return error

        with ThreadPoolExecutor(self.workers) as pool:
            for text, reply in zip(texts, pool.map(generate, texts), strict=True):
                if isinstance(reply, LlmError):
                    errors.append(reply)
                questions[text] = [text] if isinstance(reply, LlmError) or not reply else reply
        if errors and len(errors) == len(texts):
            raise EpochalError(f"{self.name}: none of {len(texts)} records has a question; the first: {errors[0]}")
        return questions, len(errors)


def make_pqr_system(spec: Spec) -> PqrSystem:
    """The system of a spec: `url` and `llm` of an endpoint (`key` names the variable with its key), or a `recording`
    of its replies; `questions` per record, `clusters`, `workers`.
    """
    settings = spec.settings
    options = PresetOptions.from_spec(spec, "url", "llm", "key", "recording", "questions", "clusters", "workers")
    chat: Chat
    if "recording" in settings:
        chat = Replay(settings["recording"], settings.get("llm"))
    elif "url" in settings and "llm" in settings:
        chat = Endpoint(settings["url"], settings["llm"], settings.get("key"))
    else:
        raise EpochalError("pqr needs a language model; accepted: url=ADDRESS, llm=NAME, or recording=FILE")
    counts = {}
    for key in ("questions", "clusters", "workers"):
        if key in settings:
            if not settings[key].isdigit() or int(settings[key]) < 1:
                raise EpochalError(f"{spec}: {key} must be a whole number from 1")
            counts[key] = int(settings[key])
    return PqrSystem(options, chat, **counts)


MODEL: Final = "Qwen/Qwen3-Reranker-0.6B"
#: The format that the model was trained on.
_BEFORE: Final = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct "
    'provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n'
)
_AFTER: Final = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
_RERANK_TASK: Final = "Given a web search query, retrieve relevant passages that answer the query"


class YesNoReranker:
    """A causal language model that answers yes or no for each document."""

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
        self._torch = import_extra("torch", who, "train")
        self._device = pick_device(who, device)
        self._tokenizer, self._model = load_transformers_model(
            who, source, "AutoModelForCausalLM", self._device, dtype, padding_side="left"
        )
        self._task, self._batch = task, batch
        self._words = [self._tokenizer.convert_tokens_to_ids(word) for word in ("no", "yes")]
        if None in self._words or self._tokenizer.unk_token_id in self._words:
            raise EncoderError(f"{who} has no tokens 'yes' and 'no'; accepted: a model such as {MODEL}")
        self._before, self._after = (
            self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in (_BEFORE, _AFTER)
        )
        self._max_tokens = tokens - len(self._before) - len(self._after)
        if self._max_tokens < 1:
            raise EncoderError(f"{who} may read {tokens} tokens, and its prompt alone has as many; give more")

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """For each text the probability that it meets the query."""
        probabilities: list[float] = []
        for first in range(0, len(texts), self._batch):
            prompts = [
                f"<Instruct>: {self._task}\n<Query>: {question}\n<Document>: {text}"
                for text in texts[first : first + self._batch]
            ]
            tokenised = self._tokenizer(prompts, add_special_tokens=False, truncation=True, max_length=self._max_tokens)
            rows = [self._before + ids + self._after for ids in tokenised["input_ids"]]
            batch = self._tokenizer.pad({"input_ids": rows}, return_tensors="pt").to(self._device)
            with self._torch.inference_mode():
                logits = self._model(**batch).logits[:, -1, self._words]
            probabilities += self._torch.softmax(logits.float(), -1)[:, 1].cpu().tolist()
        return probabilities


@dataclass(frozen=True, slots=True)
class RerankedSystem:
    """Any system, whose first `top` documents a `YesNoReranker` reorders."""

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
        """That of the base system."""
        return self.base.store

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Open the base system, and load the model; the texts stay in memory for it."""
        loaded = list(documents)
        reranker = YesNoReranker(self.source, device=self.device)
        with self.base.open(loaded, folder) as ranker:
            yield _RerankedRanker(
                ranker, reranker, {document.id: get_document_text(document) for document in loaded}, self.top
            )


@dataclass(frozen=True, slots=True, eq=False)
class _RerankedRanker:
    ranker: Ranker
    reranker: YesNoReranker
    texts: dict[str, str]
    top: int

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        by_id = {query.id: query for query in queries}
        for answer in self.ranker.answer(queries, max(k, self.top)):
            head, rest = answer.hits[: self.top], answer.hits[self.top :]
            scores = self.reranker.score(by_id[answer.query].text, [self.texts[id] for id, _ in head])
            order = sorted(range(len(head)), key=lambda rank: -scores[rank])
            hits = [(head[rank][0], scores[rank]) for rank in order]
            hits += [(id, -float(rank)) for rank, (id, _) in enumerate(rest, 1)]
            yield QueryAnswer(answer.query, tuple(hits[:k]), answer.facts)


def make_reranked_system(spec: Spec, base: System | None) -> RerankedSystem:
    """The system of a spec over its `base`; settings are `path` (a model), `top` and `device`."""
    settings = spec.only("base", "path", "top", "device")
    if base is None:
        raise EpochalError("reranked needs a system to start from; accepted: base=NAME, such as base=bm25-official")
    if not settings.get("top", "1").isdigit():
        raise EpochalError(f"{spec}: top must be a whole number from 1")
    name = str(Spec(spec.name, {key: value for key, value in settings.items() if key != "device"}))
    return RerankedSystem(
        name, base, settings.get("path", MODEL), int(settings.get("top", "50")), settings.get("device")
    )
