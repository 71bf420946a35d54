"""What RAG answers are made from, who writes and who grades them, and the protocols of TEMPO and TMRL.

A context is empty, the relevant documents, or the top of a system's ranking. `select_covering` retains the documents
that mention a period that the question requires, if together they mention all of them; otherwise none. A question
without required periods retains all. Writers and graders are language models, rules that only quote, or a comparison
word by word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from epochal.errors import EpochalError, UnknownNameError
from epochal.llm.chat import Chat
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.judges.evidence import read_temporal_needs
from epochal_lab.metrics.runs import Qrels
from epochal_lab.metrics.texts import best_score, exact_match, token_f1
from epochal_lab.tempo.generate import Style, generate_by_model, generate_by_rules
from epochal_lab.tempo.records import check_covered, get_mentioned_times
from epochal_lab.tempo.scoring import evaluate_by_model, evaluate_by_rules

#: The suffix of the name of a context that abstains.
COVERING = ", covering or nothing"


@dataclass(frozen=True, slots=True)
class RagContext:
    """The documents that each question is answered from, best first.

    With `abstains`, only documents that cover the required periods are passed on, or none.
    """

    name: str
    ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    abstains: bool = False

    def get_ids(self, query: str) -> tuple[str, ...]:
        return self.ids.get(query, ())


def make_empty_context() -> RagContext:
    """The context without documents, which measures the model alone."""
    return RagContext("none")


def make_oracle_context(qrels: Qrels, top: int) -> RagContext:
    """The relevant documents, most relevant first."""
    selected = {
        query: tuple(sorted((id for id, grade in judged.items() if grade > 0), key=lambda id: -judged[id])[:top])
        for query, judged in qrels.items()
    }
    return RagContext("oracle", selected)


def make_ranking_context(name: str, rankings: Mapping[str, Sequence[str]], top: int) -> RagContext:
    """The top documents of a system's rankings."""
    return RagContext(name, {query: tuple(ids[:top]) for query, ids in rankings.items()})


def make_abstaining_context(context: RagContext) -> RagContext:
    """The same context, of which only covering documents are passed on."""
    return RagContext(f"{context.name}{COVERING}", context.ids, abstains=True)


def select_covering(query: BenchQuery, documents: Sequence[Document]) -> tuple[Document, ...]:
    """The documents that mention a required period of a question, if together they cover all; otherwise none."""
    periods = read_temporal_needs(query).periods
    if not periods:
        return tuple(documents)
    coverage = [(document, check_covered(periods, get_mentioned_times(document))) for document in documents]
    complete = all(any(covered[at] for _, covered in coverage) for at in range(len(periods)))
    return tuple(document for document, covered in coverage if any(covered)) if complete else ()


def collect_documents(bench_set: BenchSet, contexts: Iterable[RagContext]) -> dict[str, Document]:
    """The documents of contexts for the questions of a set, by id; the corpus is iterated once."""
    queries = [query.id for query in bench_set.queries]
    ids = {id for context in contexts for query in queries for id in context.get_ids(query)}
    documents = {document.id: document for document in bench_set.documents if document.id in ids} if ids else {}
    for id in sorted(ids):
        if id not in documents:
            raise EpochalError(
                f"the set {bench_set.id!r} has no document {id!r}, which a question is to be answered from"
            )
    return documents


@dataclass(frozen=True, slots=True)
class RagProtocol:
    """The number of documents per question, the characters of each (None for all), the style of answers, the measures
    of a grader, and the settings of the model.
    """

    name: str
    top: int
    characters: int | None
    style: Style
    measures: tuple[str, ...]
    temperature: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)


#: TEMPO's paper does not state the number and length of documents; here ten of 2,000 characters each, as its judges see
#: them. TMRL: FlashRAG's settings for Qwen3-8B.
PROTOCOLS: Final[Mapping[str, RagProtocol]] = {
    "tempo": RagProtocol("tempo", 10, 2000, "full", ("score",)),
    "tmrl": RagProtocol(
        "tmrl",
        5,
        None,
        "short",
        ("f1", "em"),
        0.7,
        {"top_p": 0.8, "top_k": 20, "max_tokens": 8192, "seed": 42},
    ),
}


def get_protocol(name: str) -> RagProtocol:
    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, PROTOCOLS)
    return PROTOCOLS[name]


class Writer(Protocol):
    """Writes the answer to a question from documents. An `LlmError` leaves the question unanswered."""

    @property
    def name(self) -> str:
        """Its name in results."""
        ...

    def write(self, query: BenchQuery, documents: Sequence[Document]) -> str:
        """The answer; empty for none."""
        ...


class Grader(Protocol):
    """Grades an answer by the references of its question. An `LlmError` leaves the answer ungraded."""

    @property
    def name(self) -> str:
        """Its name in results."""
        ...

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of its measures."""
        ...

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        """The measures of an answer, from 0 to 100."""
        ...


@dataclass(frozen=True, slots=True)
class ModelWriter:
    """A language model that answers by a protocol."""

    chat: Chat
    protocol: RagProtocol

    @property
    def name(self) -> str:
        return self.chat.name

    def write(self, query: BenchQuery, documents: Sequence[Document]) -> str:
        style, characters = self.protocol.style, self.protocol.characters
        return generate_by_model(self.chat, query.text, documents, style=style, now=query.now, characters=characters)


@dataclass(frozen=True, slots=True)
class RuleWriter:
    """Quotes the best matching sentences, without a language model."""

    name: str = "rules"

    def write(self, query: BenchQuery, documents: Sequence[Document]) -> str:
        return generate_by_rules(query.text, documents, now=query.now)


@dataclass(frozen=True, slots=True)
class ModelGrader:
    """A language model that compares an answer with the first reference, from 0 to 100 in tens."""

    chat: Chat
    measures: tuple[str, ...] = ("score",)

    @property
    def name(self) -> str:
        return self.chat.name

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        """The score; an empty answer gets 0 without a call."""
        if not answer.strip():
            return {"score": 0.0}
        return {"score": float(evaluate_by_model(self.chat, query.text, answer, get_references(query)[0]).score)}


@dataclass(frozen=True, slots=True)
class RuleGrader:
    """The share of the first reference's words and times, from 0 to 100 in tens, without a language model."""

    name: str = "rules"
    measures: tuple[str, ...] = ("score",)

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        return {"score": float(evaluate_by_rules(answer, get_references(query)[0], query.now).score)}


@dataclass(frozen=True, slots=True)
class WordGrader:
    """Token F1 and exact match against the best reference, from 0 to 100."""

    name: str = "words"
    measures: tuple[str, ...] = ("f1", "em")

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        gold = get_references(query)
        return {"f1": 100 * best_score(token_f1, answer, gold), "em": 100 * best_score(exact_match, answer, gold)}


def get_references(query: BenchQuery) -> tuple[str, ...]:
    """The reference answers of a question, under any of the keys that sets use; empty if it has none."""
    for key in ("gold_answers", "answers", "answer"):
        value = query.annotations.get(key)
        items = [value] if isinstance(value, str) else value if isinstance(value, (list, tuple)) else []
        answers = tuple(item for item in items if isinstance(item, str) and item.strip())
        if answers:
            return answers
    return ()
