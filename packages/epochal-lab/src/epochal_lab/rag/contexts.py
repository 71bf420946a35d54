"""What a question is answered from: nothing, the relevant documents, or what a system found, and the covering part.

`covering` keeps of some documents those that speak of a period that the question requires, and only where together they
speak of all of them; otherwise it keeps none. A question that requires no period keeps all.

How answers from documents are made and measured: TEMPO's way and TMRL's.

Who writes answers, and who grades them: language models, rules that only quote, or a comparison word by word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from epochal.errors import EpochalError, UnknownNameError
from epochal.llm.chat import Chat
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.judges.evidence import read_gate
from epochal_lab.metrics.runs import Qrels
from epochal_lab.metrics.texts import best_score, exact_match, token_f1
from epochal_lab.tempo.generate import Style, generate_by_model, generate_by_rules
from epochal_lab.tempo.records import covered, spoken_times
from epochal_lab.tempo.scoring import evaluate_by_model, evaluate_by_rules

__all__ = [
    "COVERING",
    "PROTOCOLS",
    "Context",
    "Grader",
    "ModelGrader",
    "ModelWriter",
    "RagProtocol",
    "RuleGrader",
    "RuleWriter",
    "WordGrader",
    "Writer",
    "abstaining",
    "covering",
    "no_context",
    "oracle",
    "protocol",
    "ranking_context",
    "references",
    "wanted_documents",
]


#: What is added to the name of a context that abstains.
COVERING = ", covering or nothing"


@dataclass(frozen=True, slots=True)
class Context:
    """Which documents each question is answered from, the best first; one that is not named has none.

    With `abstains`, only what covers the required periods is passed on, or nothing.
    """

    name: str
    ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    abstains: bool = False

    def of(self, query: str) -> tuple[str, ...]:
        """The ids of a question."""
        return self.ids.get(query, ())


def no_context() -> Context:
    """The context without documents: what a model knows by itself."""
    return Context("none")


def oracle(qrels: Qrels, top: int) -> Context:
    """The relevant documents, the most relevant first; at most so many."""
    chosen = {
        query: tuple(sorted((id for id, grade in judged.items() if grade > 0), key=lambda id: -judged[id])[:top])
        for query, judged in qrels.items()
    }
    return Context("oracle", chosen)


def ranking_context(name: str, rankings: Mapping[str, Sequence[str]], top: int) -> Context:
    """The first documents of a system's rankings."""
    return Context(name, {query: tuple(ids[:top]) for query, ids in rankings.items()})


def abstaining(context: Context) -> Context:
    """The same context, of which only what covers is passed on."""
    return Context(f"{context.name}{COVERING}", context.ids, abstains=True)


def covering(query: BenchQuery, documents: Sequence[Document]) -> tuple[Document, ...]:
    """The documents that cover the periods that a question requires, all of them, or none."""
    periods = read_gate(query).periods
    if not periods:
        return tuple(documents)
    spoken = [(document, covered(periods, spoken_times(document))) for document in documents]
    together = [any(held[place] for _, held in spoken) for place in range(len(periods))]
    return tuple(document for document, held in spoken if any(held)) if all(together) else ()


def wanted_documents(made: BenchSet, contexts: Iterable[Context]) -> dict[str, Document]:
    """The documents that contexts name for the questions of a set, by id; the corpus is gone through once."""
    asked = [query.id for query in made.queries]
    wanted = {id for context in contexts for query in asked for id in context.of(query)}
    found = {document.id: document for document in made.documents if document.id in wanted} if wanted else {}
    for id in sorted(wanted):
        if id not in found:
            raise EpochalError(f"the set {made.id!r} has no document {id!r}, which a question is to be answered from")
    return found


@dataclass(frozen=True, slots=True)
class RagProtocol:
    """How many documents a question gets, how much of each, the style of the answer, and how a model is set.

    `characters` None leaves documents whole. `measures` are what a grader of the protocol gives.
    """

    name: str
    top: int
    characters: int | None
    style: Style
    measures: tuple[str, ...]
    temperature: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)


#: TEMPO: its paper leaves open how many documents there are and how they are cut; ten of 2,000 characters each, as its
#: judges see them. TMRL: FlashRAG's settings for Qwen3-8B.
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


def protocol(name: str) -> RagProtocol:
    """The protocol of that name."""
    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, PROTOCOLS)
    return PROTOCOLS[name]


class Writer(Protocol):
    """Writes the answer to a question from documents. May raise `LlmError`, which is a gap."""

    @property
    def name(self) -> str:
        """How results call it."""
        ...

    def write(self, query: BenchQuery, documents: Sequence[Document]) -> str:
        """The answer; empty for none."""
        ...


class Grader(Protocol):
    """Grades an answer by the references of its question. May raise `LlmError`, which is a gap."""

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
    """A language model that answers as a protocol has it."""

    chat: Chat
    protocol: RagProtocol

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.chat.name

    def write(self, query: BenchQuery, documents: Sequence[Document]) -> str:
        """What the model answers."""
        way = self.protocol
        return generate_by_model(
            self.chat, query.text, documents, style=way.style, now=query.now, characters=way.characters
        )


@dataclass(frozen=True, slots=True)
class RuleWriter:
    """Quotes the sentences that fit best; sends nothing anywhere."""

    name: str = "rules"

    def write(self, query: BenchQuery, documents: Sequence[Document]) -> str:
        """What is quoted; empty where nothing fits."""
        return generate_by_rules(query.text, documents, now=query.now)


@dataclass(frozen=True, slots=True)
class ModelGrader:
    """A language model that compares an answer with the first reference, from 0 to 100 in tens."""

    chat: Chat
    measures: tuple[str, ...] = ("score",)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.chat.name

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        """The score; an empty answer has none of the reference, and is not sent."""
        if not answer.strip():
            return {"score": 0.0}
        return {"score": float(evaluate_by_model(self.chat, query.text, answer, references(query)[0]).score)}


@dataclass(frozen=True, slots=True)
class RuleGrader:
    """The share of the first reference's words and times, from 0 to 100 in tens; sends nothing anywhere."""

    name: str = "rules"
    measures: tuple[str, ...] = ("score",)

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        """The score of an answer."""
        return {"score": float(evaluate_by_rules(answer, references(query)[0], query.now).score)}


@dataclass(frozen=True, slots=True)
class WordGrader:
    """Token F1 and exact match against the best reference, from 0 to 100."""

    name: str = "words"
    measures: tuple[str, ...] = ("f1", "em")

    def grade(self, query: BenchQuery, answer: str) -> dict[str, float]:
        """Both measures of an answer."""
        known = references(query)
        return {"f1": 100 * best_score(token_f1, answer, known), "em": 100 * best_score(exact_match, answer, known)}


def references(query: BenchQuery) -> tuple[str, ...]:
    """The reference answers of a question, under any of the names that sets have for them; empty where it has none."""
    for key in ("gold_answers", "answers", "answer"):
        told = query.annotations.get(key)
        listed = [told] if isinstance(told, str) else told if isinstance(told, (list, tuple)) else []
        found = tuple(item for item in listed if isinstance(item, str) and item.strip())
        if found:
            return found
    return ()
