"""An inverted index in plain arrays: by term the documents that have it, each with a weight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Counted", "Postings", "count_terms"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Weights by term and document: those of term t are in the rows `starts[t]` to `starts[t + 1]`.

    >>> postings = Postings.of(2, 3, np.array([0, 1, 1]), np.array([0, 0, 2]), np.array([1.0, 0.5, 2.0]))
    >>> postings.scores({1: 2.0}).tolist()
    [1.0, 0.0, 4.0]
    """

    documents: int
    starts: Integers
    rows: Integers
    weights: Floats

    @classmethod
    def of(cls, terms: int, documents: int, term: Integers, row: Integers, weight: npt.ArrayLike) -> Postings:
        """The index of triples; a term and a document stand in one triple at most.

        >>> Postings.of(2, 1, np.array([1]), np.array([0]), np.array([1.0])).starts.tolist()
        [0, 0, 1]
        """
        order = np.argsort(term, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(term, minlength=terms))))
        return cls(documents, starts, row[order], np.asarray(weight, np.float64)[order])

    def scores(self, asked: Mapping[int, float]) -> Floats:
        """The inner product of every document with a question, which gives weights to terms.

        >>> Postings.of(1, 2, np.array([0]), np.array([1]), np.array([3.0])).scores({}).tolist()
        [0.0, 0.0]
        """
        found = np.zeros(self.documents)
        for term, weight in asked.items():
            part = slice(self.starts[term], self.starts[term + 1])
            found[self.rows[part]] += weight * self.weights[part]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """How often which document has which term: triples, the lengths of the documents, and the numbers of the terms.

    >>> count_terms([["a", "b", "a"], ["b"]]).lengths.tolist()
    [3, 1]
    """

    vocabulary: Mapping[str, int]
    lengths: Integers
    terms: Integers
    rows: Integers
    counts: Integers

    @property
    def in_documents(self) -> Integers:
        """By term how many documents have it.

        >>> count_terms([["a", "b", "a"], ["b"]]).in_documents.tolist()
        [1, 2]
        """
        return np.bincount(self.terms, minlength=len(self.vocabulary))


def count_terms(documents: Iterable[Iterable[str]]) -> Counted:
    """Count the terms of documents.

    >>> counted = count_terms([["a", "b", "a"], ["b"]])
    >>> list(zip(counted.terms.tolist(), counted.rows.tolist(), counted.counts.tolist()))
    [(0, 0, 2), (1, 0, 1), (1, 1, 1)]
    """
    vocabulary: dict[str, int] = {}
    lengths: list[int] = []
    terms: list[int] = []
    rows: list[int] = []
    counts: list[int] = []
    for row, document in enumerate(documents):
        found: dict[int, int] = {}
        length = 0
        for word in document:
            number = vocabulary.setdefault(word, len(vocabulary))
            found[number] = found.get(number, 0) + 1
            length += 1
        lengths.append(length)
        terms += found
        rows += [row] * len(found)
        counts += found.values()
    as_integers = [np.asarray(column, np.int64) for column in (lengths, terms, rows, counts)]
    return Counted(vocabulary, *as_integers)
