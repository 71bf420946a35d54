"""What a question is answered from: nothing, the relevant documents, or what a system found, and the covering part.

`covering` keeps of some documents those that speak of a period that the question requires, and only where together they
speak of all of them; otherwise it keeps none. A question that requires no period keeps all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from epochal.answers.tempo.texts import covered, spoken_times
from epochal.bench.judges.gate import read_gate
from epochal.bench.metrics.base import Qrels
from epochal.bench.records import BenchQuery, BenchSet
from epochal.errors import EpochalError
from epochal.index.records import Document

__all__ = [
    "COVERING",
    "Context",
    "abstaining",
    "covering",
    "no_context",
    "oracle",
    "ranking_context",
    "wanted_documents",
]

#: What is added to the name of a context that abstains.
COVERING = ", covering or nothing"


@dataclass(frozen=True, slots=True)
class Context:
    """Which documents each question is answered from, the best first; one that is not named has none.

    With `abstains`, only what covers the required periods is passed on, or nothing.

    >>> Context("oracle", {"q1": ("d1",)}).of("q2")
    ()
    """

    name: str
    ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    abstains: bool = False

    def of(self, query: str) -> tuple[str, ...]:
        """The ids of a question.

        >>> Context("oracle", {"q1": ("d1",)}).of("q1")
        ('d1',)
        """
        return self.ids.get(query, ())


def no_context() -> Context:
    """The context without documents: what a model knows by itself.

    >>> no_context().name
    'none'
    """
    return Context("none")


def oracle(qrels: Qrels, top: int) -> Context:
    """The relevant documents, the most relevant first; at most so many.

    >>> oracle({"q1": {"d1": 1, "d2": 0, "d3": 2}}, 10).of("q1")
    ('d3', 'd1')
    """
    chosen = {
        query: tuple(sorted((id for id, grade in judged.items() if grade > 0), key=lambda id: -judged[id])[:top])
        for query, judged in qrels.items()
    }
    return Context("oracle", chosen)


def ranking_context(name: str, rankings: Mapping[str, Sequence[str]], top: int) -> Context:
    """The first documents of a system's rankings.

    >>> ranking_context("bm25", {"q1": ["d1", "d2", "d3"]}, 2).of("q1")
    ('d1', 'd2')
    """
    return Context(name, {query: tuple(ids[:top]) for query, ids in rankings.items()})


def abstaining(context: Context) -> Context:
    """The same context, of which only what covers is passed on.

    >>> abstaining(Context("bm25")).name
    'bm25, covering or nothing'
    """
    return Context(f"{context.name}{COVERING}", context.ids, abstains=True)


def covering(query: BenchQuery, documents: Sequence[Document]) -> tuple[Document, ...]:
    """The documents that cover the periods that a question requires, all of them, or none.

    >>> asked = BenchQuery("q1", "How did fees differ between 2017 and 2021?")
    >>> old, new = Document("a", "Fees rose in 2017."), Document("b", "Fees fell in 2021.")
    >>> [page.id for page in covering(asked, [old, Document("c", "It rained."), new])], covering(asked, [old])
    (['a', 'b'], ())
    """
    periods = read_gate(query).periods
    if not periods:
        return tuple(documents)
    spoken = [(document, covered(periods, spoken_times(document))) for document in documents]
    together = [any(held[place] for _, held in spoken) for place in range(len(periods))]
    return tuple(document for document, held in spoken if any(held)) if all(together) else ()


def wanted_documents(made: BenchSet, contexts: Iterable[Context]) -> dict[str, Document]:
    """The documents that contexts name for the questions of a set, by id; the corpus is gone through once.

    >>> made = BenchSet("own", (Document("d1", "Rain."),), (BenchQuery("q1", "Rain?"),), {})
    >>> list(wanted_documents(made, [Context("oracle", {"q1": ("d1",)})]))
    ['d1']
    """
    asked = [query.id for query in made.queries]
    wanted = {id for context in contexts for query in asked for id in context.of(query)}
    found = {document.id: document for document in made.documents if document.id in wanted} if wanted else {}
    for id in sorted(wanted):
        if id not in found:
            raise EpochalError(f"the set {made.id!r} has no document {id!r}, which a question is to be answered from")
    return found
