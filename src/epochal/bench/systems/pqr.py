"""PQR: a language model asks what each record answers; a question is compared with that, not with the record.

The questions of a record are encoded and gathered into a few centres, the best of which counts. The replies of the
language model are recorded in the folder and asked for once. A record for which it gives none stands for itself, as
in the paper; how many do is told with each answer.
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

from epochal.bench.records import BenchQuery
from epochal.bench.specs import Spec
from epochal.bench.systems.base import Answer, Ranker
from epochal.bench.systems.chosen import Chosen
from epochal.bench.systems.clusters import centres
from epochal.bench.systems.dense import QUESTIONS, VECTORS
from epochal.bench.systems.ranks import best_hits, text_of
from epochal.bench.systems.vectors import KeptVectors
from epochal.encoders.base import Vectors
from epochal.errors import EpochalError
from epochal.index.records import Document
from epochal.llm.chat import Chat, LlmError, Message
from epochal.llm.endpoint import Endpoint
from epochal.llm.recorded import Recorded, Replay
from epochal.llm.structured import ask

__all__ = ["PqrSystem", "asked_questions", "pqr_system"]

_CALLS: Final = "questions.jsonl"
_TASK: Final = (
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
    """Up to `count` different questions that a text answers.

    >>> class Asking:
    ...     name = "asking"
    ...     def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
    ...         return '{"questions": ["When did it rain?", " When did it rain? ", "", "What fell?"]}'
    >>> asked_questions(Asking(), "It rained in May.", 20)
    ['When did it rain?', 'What fell?']
    """
    reply = ask(chat, [Message("user", _TASK.format(count=count, text=text))], _Questions)
    found = dict.fromkeys(question.strip() for question in reply.questions)
    return [question for question in found if question][:count]


@dataclass(frozen=True, slots=True)
class PqrSystem:
    """PQR with the encoder of its preset and a language model. `workers` calls are made at a time.

    >>> pqr_system(Spec.parse("pqr(url=http://localhost:8000/v1, llm=small-model)")).chat.name
    'small-model'
    """

    chosen: Chosen
    chat: Chat
    questions: int = 20
    clusters: int = 4
    workers: int = 8

    @property
    def name(self) -> str:
        """The preset and the settings that change answers.

        >>> pqr_system(Spec.parse("pqr(url=http://localhost:8000/v1, llm=small-model, clusters=2)")).name
        'pqr(url=http://localhost:8000/v1, llm=small-model, clusters=2)'
        """
        return self.chosen.name

    @property
    def store(self) -> str:
        """One for each name.

        >>> pqr_system(Spec.parse("pqr(url=http://localhost:8000/v1, llm=small-model)")).store.startswith("pqr-")
        True
        """
        return self.chosen.store

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Let questions be asked of the documents, encode them, and gather them into centres.

        >>> PqrSystem.open.__name__
        'open'
        """
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

    >>> pqr_system(Spec.parse("pqr"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: pqr needs a language model; accepted: url=ADDRESS, llm=NAME, or recording=FILE
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
