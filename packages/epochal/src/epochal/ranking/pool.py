"""The interface between search and scorers: query windows, the pool of candidates, scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Encoder
from epochal.ranking.script_words import KANA_OR_HANGUL, find_words, is_unparted
from epochal.ranking.terms import Terms, blank_dates, read_terms
from epochal.reading.expression import TimeExpr
from epochal.reading.questions.bounds import Edge
from epochal.reading.questions.ordering import blank_order
from epochal.reading.questions.question import Axis, Constraint, Understanding
from epochal.storage.protocol import Rows, View, drop_repeated, list_pending, locate_rows, union_rows
from epochal.times.axis import Grain
from epochal.times.span import Span

_FROM_TO: Final = re.compile(r"\b(?:to|until|till|through)\b|\d\s?[-–—]\s?\w*\s?\d|[至到]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Window:
    """A span that the question asks for, on one axis: what a document is about, or when it was published.

    `throughout` says that the question is about something that lasted for all of it ("from 1916 to 1920"), so that a
    text which states its first or last moment says more than one which states a moment in between. `edge` says that a
    validity must begin or end in `edge_span` ("whose term ended in 2018"), or cover all of it.
    """

    span: Span
    axis: Axis = "content"
    throughout: bool = False
    edge: Edge | None = None
    edge_span: Span | None = None


def get_windows(understanding: Understanding, extra: Iterable[Span] = ()) -> tuple[Window, ...]:
    """The windows of a question: its binding constraints, its other periods, and spans given as options."""
    windows = [_make_window(item) for item in understanding.constraints if item.binds]
    spans = {window.span for window in windows}
    if understanding.cross_period:
        windows += [Window(period) for period in understanding.periods if period not in spans]
    windows += [Window(span) for span in extra if span not in spans]
    windows = list(dict.fromkeys(windows))
    if understanding.cross_period:
        return tuple(windows)
    # "On 5 May at night" is one time: that of its smallest part.
    return tuple(window for window in windows if not any(_narrows(other, window) for other in windows))


def _narrows(part: Window, whole: Window) -> bool:
    """Whether a window is a part of a day, and another all of that day."""
    is_part = part.span.grain < Grain.DAY and whole.span.grain == Grain.DAY and part.axis == whole.axis
    return is_part and whole.span.seconds == Grain.DAY.seconds and whole.span.start <= part.span.start < whole.span.end


def _make_window(item: Constraint) -> Window:
    """A range "from ... to ..." is meant as a whole; "between 1916 and 1920" and "the 1920s" mean any time in it."""
    words = item.evidence.text if item.relation == "between" and item.evidence is not None else ""
    edge_span = None if item.edge is None else item.edge_span or item.span
    return Window(item.span, item.axis, _FROM_TO.search(words) is not None, item.edge, edge_span)


_WORD = re.compile(r"\w")

Floats = npt.NDArray[np.float64]


#: Products of fewer numbers than this are computed by one thread: of matrices, and of a matrix with a vector.
_SMALL_PRODUCT: Final = 250_000
_SMALL_VECTOR_PRODUCT: Final = 9_000


def multiply_in_parts(matrix: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The product of a small matrix with another or a vector, in parts that start no threads.

    Threads of a product go on waiting for the next one, and take more time than all else that a search does.
    """
    most = _SMALL_VECTOR_PRODUCT if other.ndim == 1 else _SMALL_PRODUCT
    step = max(most // max(other.size, 1), 1)
    if step >= len(matrix):
        return np.asarray(matrix @ other)
    return np.concatenate([matrix[low : low + step] @ other for low in range(0, len(matrix), step)])


def scale_to_best(values: Floats) -> Floats:
    """Each as a share of the best; nothing below 0, and 0 for all where none is above it."""
    best = float(values.max(initial=0.0))
    return np.maximum(values, 0.0) / best if best > 0 else np.zeros(len(values))


def score_meaning(
    view: View, vector: npt.NDArray[np.float32] | None, rows: Rows, lexical: Floats
) -> npt.NDArray[np.float64]:
    """The cosines of passages with a vector; 0 without one.

    That a passage has no vector yet says nothing against it. It has the median cosine of those that have one, or more:
    as great a share of the best as its words score of the best. Where none has a vector, words stand for all.
    """
    if vector is None:
        return np.zeros(len(rows))
    scores = view.score_vectors(vector, rows)
    pending = list_pending(view)
    if not len(pending):
        return scores
    is_pending, _ = locate_rows(pending, rows)
    shares, known = scale_to_best(lexical), scores[~is_pending]
    if len(known):
        shares = np.maximum(known.max() * shares, np.median(known))
    return np.where(is_pending, shares, scores)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The candidates of one question: passages as rows of a view, and how well each fits by words and by meaning.

    `lexical` is the BM25 of the question; `semantic` is the cosine of its topic, which is the question without its time
    words where it asks for a time, and 0 where the index has no vectors; see `score_meaning`. `vector` is that of the
    topic.
    """

    question: str
    understanding: Understanding
    now: Span | None
    view: View
    windows: tuple[Window, ...]
    rows: Rows
    document_rows: Rows
    lexical: Floats
    semantic: Floats
    vector: npt.NDArray[np.float32] | None = None
    #: Whether a vector is that of the words alone, in whatever order they are.
    is_unordered: bool = False
    #: Passages that a filter hides, for comparison: what is on the topic is known by what there is at any time.
    hidden_rows: Rows = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    #: The last candidates of sources that had more: where one of these answers, others that are no candidates may.
    last_rows: Rows = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    #: The terms of the question (`get_terms`), for all pools made from this one.
    memo: dict[tuple[str, tuple[TimeExpr, ...]], Terms] = field(default_factory=dict, repr=False)
    #: What the vector comes from, and how surely words say what kind of thing all documents are; for all such pools.
    encoder: Encoder | None = field(default=None, repr=False)
    kinds: dict[str, float] = field(default_factory=dict, repr=False)
    #: What was found out about the rows of this pool, whichever its windows are.
    known: dict[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def times(self) -> tuple[TimeExpr, ...]:
        """The expressions of the question that are times and nothing else: the name of an event is also its topic."""
        topic, expressions = self.understanding.topic, self.understanding.expressions
        # A question that is nothing but times has them for a topic, and needs no words.
        words = topic
        for item in expressions:
            words = words.replace(item.text, "")
        return tuple(
            item for item in expressions if item.text not in topic or (item.stated and not _WORD.search(words))
        )

    def number_documents(self) -> tuple[Rows, Rows]:
        """The documents of the candidates, each once, and for each candidate the place of its document."""
        if "documents" not in self.known:
            rows = self.document_rows
            if (rows[1:] > rows[:-1]).all():  # each is of another document, as in a collection of short texts
                self.known["documents"] = rows, np.arange(len(rows))
            else:
                documents = drop_repeated(rows)
                self.known["documents"] = documents, documents.searchsorted(rows)
        numbered: tuple[Rows, Rows] = self.known["documents"]
        return numbered

    def extend(self, rows: Rows) -> Pool:
        """The pool with more passages, and all their scores."""
        union = union_rows(self.rows, rows)
        if len(union) == len(self):
            return self
        view = self.view
        lexical = view.score_words(self.question, union)
        return replace(
            self,
            known={},
            rows=union,
            document_rows=view.get_document_rows(union),
            lexical=lexical,
            semantic=score_meaning(view, self.vector, union, lexical),
        )

    def reveal_hidden(self) -> Pool:
        """The pool with the passages that a filter hides."""
        return self.extend(self.hidden_rows) if len(self.hidden_rows) else self

    def at(self, positions: Rows) -> Pool:
        """The pool of the candidates at some positions alone."""
        return replace(
            self,
            known={},
            rows=self.rows[positions],
            document_rows=self.document_rows[positions],
            lexical=self.lexical[positions],
            semantic=self.semantic[positions],
        )


def get_terms(pool: Pool) -> Terms:
    """The words of the question of a pool without its time expressions, read once for it and all pools made from it."""
    key = pool.question, pool.times
    if key not in pool.memo:
        pool.memo[key] = read_terms(pool.view, *key)
    return pool.memo[key]


def score_query_words(pool: Pool) -> Floats:
    """BM25 of the candidates for a question; for one in Chinese, without its dates, its frame and its words of order.

    Their characters are in many texts, and a dated passage is found by its times. In a script with spaces the year is a
    word like others, and a rare one: a text that has it is likely to be about it. Of a question in Japanese or Korean
    the words are left, without what joins them.
    """
    words = pool.question
    if not is_unparted(words):
        return pool.lexical
    if pool.understanding.order is not None:
        words = blank_order(words)
    words = blank_dates(pool.view, words, pool.times)
    if KANA_OR_HANGUL.search(words):
        words = " ".join(word for word, _ in find_words(pool.view, words)) or words
    if words == pool.question:
        return pool.lexical
    return pool.view.score_words(words, pool.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """For each candidate the probability that it is on the topic, and that it answers; the words of the question.

    `same_topic` says how likely each is beside the best candidate, apart from how well the words score. `salience` says
    how much a text needs each word, and `unknown_words` are the salient ones that no document has. `named` is how far
    each has all words that name the topic, `identified` how far those with capitals, digits or signs, and `known` the
    best of the former, also of what a filter hides. `subject` is the best probability of the topic under one title:
    passages under one title are on one topic, whichever words of the question each has.
    """

    topic: Floats
    subject: Floats
    same_topic: Floats
    named: Floats
    identified: Floats
    answer: Floats
    salience: Mapping[str, float]
    unknown_words: tuple[str, ...]
    known: float = 0.0
    #: The best probability of the topic, also of what a filter hides.
    best_topic: float = 0.0
    #: What the probability of the topic, and bearing its name, weigh in the scores of this question.
    weight: float = 0.0
    head_weight: float = 0.0
    #: How well each states a time of the query windows in its text, other than where its validity begins or ends.
    stated: Floats = field(default_factory=lambda: np.zeros(0))
    #: How far each has, in its title, series and metadata, the names that some candidate has there.
    headed: Floats = field(default_factory=lambda: np.zeros(0))
    #: The factor of the words that no document has: it is that of every candidate, and must not hide the others.
    unknown_factor: float = 1.0
    #: How many rare words beside those that are unknown some candidate has.
    rest: float = 0.0
    #: Words of candidates that stand for words that no document has.
    near_words: Mapping[str, str] = field(default_factory=dict)
    #: How much nearer some candidate comes in meaning than by chance, where all unknown words are ordinary.
    nearness: float | None = None


class Estimate(NamedTuple):
    """When a text that states no time may be from, and the probability by that of the query windows."""

    span: Span
    chance: float


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A score for each candidate of a pool, the components that sum to it, and its evidence.

    `dating` is an index into the view's `content`, -1 for none; `match` and `local` say how well that dating and the
    words around it match. `estimate` gives, for a position in the pool, the time that the scorer has estimated for a
    candidate that has none, and None for one that has.

    >>> Scored(np.array([1.0])).parts
    {}
    """

    scores: Floats
    parts: Mapping[str, Floats] = field(default_factory=dict)
    dating: Rows | None = None
    match: Floats | None = None
    local: Floats | None = None
    estimate: Callable[[int], Estimate | None] | None = None
    relevance: Relevance | None = None


@runtime_checkable
class Scorer(Protocol):
    """Anything that can rank a pool: the default scorer, a published baseline, a learned model.

    >>> class ByWords:
    ...     name = "by-words"
    ...     def score(self, pool: Pool) -> Scored:
    ...         return Scored(pool.lexical)
    >>> isinstance(ByWords(), Scorer)
    True
    """

    name: str

    def score(self, pool: Pool) -> Scored:
        """The score of each candidate; higher is better."""
        ...


@runtime_checkable
class Proposer(Protocol):
    """A scorer that finds candidates of its own, which share neither words nor a stated time with the question."""

    def propose(self, view: View, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
        """The rows of passages to rank with the others, about `depth` for each window, all in `rows`."""
        ...
