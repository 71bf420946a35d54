"""A question about time with what is right for it, and a corpus of documents with such questions.

The answers follow from dates and names by construction. Questions for training and questions for reporting share
neither their wording nor their topics, so that no template and no name decides a figure.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar, get_args

from epochal.errors import EpochalError, UnknownNameError
from epochal.ingest import OrderedReader
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard

Split = Literal["train", "report"]
SPLITS: Final[tuple[Split, ...]] = get_args(Split)
ExpectedOutcome = Literal["recorded", "none_recorded", "not_covered", "topic_unknown"]
#: What a search should say of a question: its answer is recorded; the documents have the topic but nothing on it then;
#: no document is from that time; no document is about the topic at any time.
OUTCOMES: Final[tuple[ExpectedOutcome, ...]] = get_args(ExpectedOutcome)
#: The kinds of questions that can be answered, and those that cannot.
ANSWERABLE: Final = (
    "in_month",
    "in_year",
    "pair",
    "between",
    "latest",
    "first",
    "nth",
    "as_of_words",
    "as_of_option",
    "last_before",
    "first_after",
    "before",
    "since",
    "current",
    "when",
    "plain",
    "stated",
)
UNANSWERABLE: Final = (
    "empty_month",
    "absent_name",
    "absent_noun",
    "absent_pair",
    "empty_pair",
    "not_yet",
    "not_covered",
    "unanswerable",
)
KINDS: Final = (*ANSWERABLE, *UNANSWERABLE)


@dataclass(frozen=True, slots=True)
class TimedQuestion:
    """A question and what is right for it.

    `relevant` are the documents that answer it, any of them. `on_topic` are all documents about its topic, of whatever
    time; None where that is not known. `unjudged` may be on the topic or not: nothing is learned from them. `absent` is
    the name that no document has. `group` is what questions of the two splits never share: a package, a law, a city.
    """

    id: str
    text: str
    kind: str
    corpus: str
    now: Span
    relevant: frozenset[str] = frozenset()
    as_of: Span | None = None
    outcome: ExpectedOutcome = "recorded"
    on_topic: frozenset[str] | None = None
    unjudged: frozenset[str] = frozenset()
    absent: str = ""
    group: str = ""
    split: Split = "train"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("kind of question", self.kind, KINDS)
        if self.outcome not in OUTCOMES:
            raise UnknownNameError("outcome", self.outcome, OUTCOMES)
        if bool(self.relevant) != (self.outcome == "recorded"):
            raise EpochalError(
                f"the question {self.id!r} has {len(self.relevant)} relevant documents and the outcome "
                f"{self.outcome!r}; accepted: 'recorded' with relevant documents, another outcome without"
            )

    @property
    def answerable(self) -> bool:
        """Whether some document answers it."""
        return self.outcome == "recorded"


@dataclass(frozen=True, slots=True, eq=False)
class TimedCorpus:
    """Documents as the engine stores them, and questions about them.

    `read` is how `Index.add` reads their times, where they only make sense in sequence.
    """

    name: str
    documents: tuple[Document, ...]
    questions: tuple[TimedQuestion, ...]
    language: str = "en"
    notes: tuple[str, ...] = ()
    read: OrderedReader | None = None

    def select(self, split: Split) -> TimedCorpus:
        """The same documents with the questions of one split."""
        if split not in SPLITS:
            raise UnknownNameError("split", split, SPLITS)
        return replace(self, questions=tuple(question for question in self.questions if question.split == split))

    def sample(self, count: int, seed: int = 0) -> TimedCorpus:
        """The same documents with at most `count` questions, spread evenly over kinds."""
        by_kind: dict[str, list[TimedQuestion]] = {}
        for question in random.Random(seed).sample(self.questions, len(self.questions)):
            by_kind.setdefault(question.kind, []).append(question)
        selected: list[TimedQuestion] = []
        queues = [by_kind[kind] for kind in KINDS if kind in by_kind]
        while len(selected) < count and any(queues):
            for queue in queues:
                if queue and len(selected) < count:
                    selected.append(queue.pop())
        order = {question.id: position for position, question in enumerate(self.questions)}
        return replace(self, questions=tuple(sorted(selected, key=lambda question: order[question.id])))


Item = TypeVar("Item")


def choose(items: Sequence[Item], count: int, rng: random.Random) -> list[Item]:
    """At most so many of the items, in their order."""
    if len(items) <= count:
        return list(items)
    return [items[position] for position in sorted(rng.sample(range(len(items)), count))]


def number_questions(questions: Iterable[TimedQuestion]) -> tuple[TimedQuestion, ...]:
    """The questions with ids of their corpus, split, kind and a number; a text that repeats is left out."""
    numbers: dict[str, int] = {}
    matches = []
    seen: set[tuple[str, str, str]] = set()
    for question in questions:
        key = (question.text, question.now.edtf(), "" if question.as_of is None else question.as_of.edtf())
        if key in seen:
            continue
        seen.add(key)
        prefix = f"{question.corpus}-{question.split}-{question.kind}"
        numbers[prefix] = numbers.get(prefix, 0) + 1
        matches.append(replace(question, id=f"{prefix}-{numbers[prefix]}"))
    return tuple(matches)


# ---------------------------------------------------------------- test sets


def make_bench_set(corpus: TimedCorpus) -> BenchSet:
    """The corpus as a test set: `bench run` and everything else that takes one can measure on it."""
    queries = tuple(
        BenchQuery(
            question.id,
            question.text,
            question.now,
            kind=question.kind,
            split=question.split,
            excluded=tuple(sorted(question.unjudged)),
            annotations={
                "outcome": question.outcome,
                **({} if question.as_of is None else {"as_of": question.as_of.edtf()}),
            },
        )
        for question in corpus.questions
    )
    qrels = {question.id: dict.fromkeys(sorted(question.relevant), 1) for question in corpus.questions}
    card = SetCard(corpus.name, "Questions whose answers follow from dates and names.", notes=corpus.notes)
    return BenchSet(corpus.name, corpus.documents, queries, {id: gold for id, gold in qrels.items() if gold}, {}, card)


#: The kinds of `epochal bench make` by those here; a comparison has an outcome for each period, and is left out.
_MADE_KINDS: Final = {
    "point": "in_month",
    "window": "between",
    "before": "before",
    "after": "since",
    "latest": "latest",
    "as_of": "as_of_words",
    "none_recorded": "empty_month",
    "not_covered": "not_covered",
}


def convert_bench_set(
    bench_set: BenchSet, *, split: Split | Callable[[BenchQuery], Split] = "train", now: Span | None = None
) -> TimedCorpus:
    """A set that `epochal bench make` made from somebody's own documents, as a corpus of this kind."""
    documents = tuple(bench_set.documents)
    questions = []
    for query in bench_set.queries:
        present = query.now or now
        if query.kind not in _MADE_KINDS or present is None:
            continue
        outcome: ExpectedOutcome = "recorded"
        if query.kind in ("none_recorded", "not_covered"):
            outcome = "none_recorded" if query.kind == "none_recorded" else "not_covered"
        questions.append(
            TimedQuestion(
                f"{bench_set.id}-{query.id}",
                query.text,
                _MADE_KINDS[query.kind],
                bench_set.id,
                present,
                frozenset(bench_set.qrels.get(query.id, {})),
                outcome=outcome,
                unjudged=frozenset(query.excluded),
                group=str(query.annotations.get("topic", "")),
                split=split if isinstance(split, str) else split(query),
            )
        )
    return TimedCorpus(bench_set.id, documents, tuple(questions), bench_set.card.language)
