"""Who writes answers, and who grades them: language models, rules that only quote, or a comparison word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from epochal.answers.tempo.evaluation import evaluate_by_model, evaluate_by_rules
from epochal.answers.tempo.generation import generate_by_model, generate_by_rules
from epochal.bench.metrics.texts import best_score, exact_match, token_f1
from epochal.bench.rag.protocols import RagProtocol
from epochal.bench.records import BenchQuery
from epochal.index.records import Document
from epochal.llm.chat import Chat

__all__ = ["Grader", "ModelGrader", "ModelWriter", "RuleGrader", "RuleWriter", "WordGrader", "Writer", "references"]


class Writer(Protocol):
    """Writes the answer to a question from documents. May raise `LlmError`, which is a gap.

    >>> RuleWriter().name
    'rules'
    """

    @property
    def name(self) -> str:
        """How results call it."""
        ...

    def write(self, query: BenchQuery, documents: Sequence[Document]) -> str:
        """The answer; empty for none."""
        ...


class Grader(Protocol):
    """Grades an answer by the references of its question. May raise `LlmError`, which is a gap.

    >>> WordGrader().measures
    ('f1', 'em')
    """

    @property
    def name(self) -> str:
        """How results call it."""
        ...

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of what it measures."""
        ...

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        """The measures of an answer, from 0 to 100."""
        ...


@dataclass(frozen=True, slots=True)
class ModelWriter:
    """A language model that answers as a protocol has it.

    >>> from epochal.bench.rag.protocols import protocol
    >>> from epochal.llm import Endpoint
    >>> ModelWriter(Endpoint("http://localhost:8080/v1", "small-model"), protocol("tempo")).name
    'small-model'
    """

    chat: Chat
    protocol: RagProtocol

    @property
    def name(self) -> str:
        """The name of the model.

        >>> ModelWriter.name.fget.__name__
        'name'
        """
        return self.chat.name

    def write(self, query: BenchQuery, documents: Sequence[Document]) -> str:
        """What the model answers.

        >>> ModelWriter.write.__name__
        'write'
        """
        way = self.protocol
        return generate_by_model(
            self.chat, query.text, documents, style=way.style, now=query.now, characters=way.characters
        )


@dataclass(frozen=True, slots=True)
class RuleWriter:
    """Quotes the sentences that fit best; sends nothing anywhere.

    >>> RuleWriter().write(BenchQuery("q1", "Who won in 1998?"), [Document("a", "Ann won in 1998.")])
    'Ann won in 1998.'
    """

    name: str = "rules"

    def write(self, query: BenchQuery, documents: Sequence[Document]) -> str:
        """What is quoted; empty where nothing fits.

        >>> RuleWriter().write(BenchQuery("q1", "Who won?"), [])
        ''
        """
        return generate_by_rules(query.text, documents, now=query.now)


@dataclass(frozen=True, slots=True)
class ModelGrader:
    """A language model that compares an answer with the first reference, from 0 to 100 in tens.

    >>> ModelGrader.__name__
    'ModelGrader'
    """

    chat: Chat
    measures: tuple[str, ...] = ("score",)

    @property
    def name(self) -> str:
        """The name of the model.

        >>> ModelGrader.name.fget.__name__
        'name'
        """
        return self.chat.name

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        """The score; an empty answer has none of the reference, and is not sent.

        >>> ModelGrader.grade.__name__
        'grade'
        """
        if not answer.strip():
            return {"score": 0.0}
        return {"score": float(evaluate_by_model(self.chat, query.text, answer, references(query)[0]).score)}


@dataclass(frozen=True, slots=True)
class RuleGrader:
    """The share of the first reference's words and times, from 0 to 100 in tens; sends nothing anywhere.

    >>> asked = BenchQuery("q1", "Who won?", annotations={"gold_answers": ["Ann won in 1998."]})
    >>> RuleGrader().grade(asked, "Ann, in 1998.")
    {'score': 80.0}
    """

    name: str = "rules"
    measures: tuple[str, ...] = ("score",)

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        """The score of an answer.

        >>> RuleGrader().grade(BenchQuery("q1", "Who?", annotations={"answer": "Ann"}), "")
        {'score': 0.0}
        """
        return {"score": float(evaluate_by_rules(answer, references(query)[0], query.now).score)}


@dataclass(frozen=True, slots=True)
class WordGrader:
    """Token F1 and exact match against the best reference, from 0 to 100.

    >>> asked = BenchQuery("q1", "Who won?", annotations={"answers": ["Ann Hay", "A. Hay"]})
    >>> WordGrader().grade(asked, "Ann Hay")
    {'f1': 100.0, 'em': 100.0}
    """

    name: str = "words"
    measures: tuple[str, ...] = ("f1", "em")

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        """Both measures of an answer.

        >>> WordGrader().grade(BenchQuery("q1", "Who?", annotations={"answer": "Ann"}), "Bob")
        {'f1': 0.0, 'em': 0.0}
        """
        known = references(query)
        return {"f1": 100 * best_score(token_f1, answer, known), "em": 100 * best_score(exact_match, answer, known)}


def references(query: BenchQuery) -> tuple[str, ...]:
    """The reference answers of a question, under any of the names that sets have for them; empty where it has none.

    >>> references(BenchQuery("q1", "Who?", annotations={"gold_answers": ["Ann", ""]}))
    ('Ann',)
    """
    for key in ("gold_answers", "answers", "answer"):
        told = query.annotations.get(key)
        listed = [told] if isinstance(told, str) else told if isinstance(told, (list, tuple)) else []
        found = tuple(item for item in listed if isinstance(item, str) and item.strip())
        if found:
            return found
    return ()
