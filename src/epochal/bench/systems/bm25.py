"""BM25 as the two papers ran it, which differs from the usual one and from each other.

    bm25-official  TEMPO: Lucene's English words and Lucene's BM25 (k1 0.9, b 0.4), which weighs the question like a
                   document too, so that the rarity of a word counts twice; `query=plain` counts it once
    bm25-okapi-zh  ChunQiuTR: characters and pairs, BM25 of Okapi (k1 1.5, b 0.75), words that most documents have
                   count a quarter of the mean
    bm25-okapi-zh-timekde  the same with a prior over the months of the records that it finds (see `TimePrior`)

Everything is counted anew when documents are opened, which takes a second or two for twenty thousand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.bench.records import BenchQuery
from epochal.bench.specs import Spec
from epochal.bench.systems.analysers import han_tokens, lucene_tokens
from epochal.bench.systems.base import Answer, Ranker
from epochal.bench.systems.postings import Counted, Postings, count_terms
from epochal.bench.systems.ranks import best_hits, text_of
from epochal.bench.systems.timeprior import TimePrior
from epochal.errors import EpochalError
from epochal.index.records import Document

__all__ = ["Bm25System", "bm25_system", "lucene_weights", "okapi_weights"]

Floats = npt.NDArray[np.float64]
_TIMED: Final = "bm25-okapi-zh-timekde"


@dataclass(frozen=True, slots=True, eq=False)
class _Weighed:
    """Documents as a formula weighs them, and what it makes of the counts in a question."""

    postings: Postings
    asked: Callable[[Mapping[int, int]], Mapping[int, float]]


def lucene_weights(counted: Counted, *, k1: float = 0.9, b: float = 0.4, twice: bool = True) -> _Weighed:
    """Lucene's BM25 without its constant factor; `twice` weighs a question as if it were a document.

    >>> weighed = lucene_weights(count_terms([["rain", "rain"], ["snow"]]))
    >>> weighed.postings.scores(weighed.asked({0: 1})).round(3).tolist()
    [0.179, 0.0]
    """
    size, mean = len(counted.lengths), _mean_length(counted)
    found = counted.in_documents
    rarity = np.log(1 + (size - found + 0.5) / (found + 0.5))

    def weights(terms: npt.ArrayLike, counts: npt.ArrayLike, lengths: npt.ArrayLike) -> Floats:
        often = np.asarray(counts, np.float64)
        return np.asarray(rarity[terms] * often / (often + k1 * (1 - b + b * np.asarray(lengths) / mean)))

    def asked(counts: Mapping[int, int]) -> Mapping[int, float]:
        if not twice:
            return {term: float(count) for term, count in counts.items()}
        terms = list(counts)
        length = sum(counts.values())
        return dict(zip(terms, weights(terms, [counts[term] for term in terms], length).tolist(), strict=True))

    values = weights(counted.terms, counted.counts, counted.lengths[counted.rows])
    return _Weighed(Postings.of(len(rarity), size, counted.terms, counted.rows, values), asked)


def okapi_weights(counted: Counted, *, k1: float = 1.5, b: float = 0.75, epsilon: float = 0.25) -> _Weighed:
    """BM25 of Okapi; a word that more than half of the documents have gets `epsilon` of the mean rarity.

    >>> weighed = okapi_weights(count_terms([["rain"], ["snow"], ["hail"]]))
    >>> weighed.postings.scores(weighed.asked({0: 2})).round(3).tolist()
    [1.022, 0.0, 0.0]
    """
    size, mean = len(counted.lengths), _mean_length(counted)
    found = counted.in_documents
    rarity = np.log(size - found + 0.5) - np.log(found + 0.5)
    rarity[rarity < 0] = epsilon * (rarity.mean() if len(rarity) else 0.0)
    often = counted.counts.astype(np.float64)
    values = rarity[counted.terms] * often * (k1 + 1)
    values /= often + k1 * (1 - b + b * counted.lengths[counted.rows] / mean)
    postings = Postings.of(len(rarity), size, counted.terms, counted.rows, values)
    return _Weighed(postings, lambda counts: {term: float(count) for term, count in counts.items()})


def _mean_length(counted: Counted) -> float:
    return float(counted.lengths.mean()) if len(counted.lengths) and counted.lengths.any() else 1.0


@dataclass(frozen=True, slots=True)
class Bm25System:
    """One of the published ways to count words. Only documents that share a word are found, but for the timed one.

    >>> import tempfile
    >>> system = Bm25System("bm25-official")
    >>> documents = [Document("d1", "Tariffs rose in May."), Document("d2", "It rained in May.")]
    >>> with system.open(documents, Path(tempfile.mkdtemp())) as ranker:
    ...     [hit[0] for hit in next(ranker.answer([BenchQuery("q", "tariff")], 5)).hits]
    ['d1']
    """

    name: str
    twice: bool = True
    prior: TimePrior | None = None

    @property
    def store(self) -> str:
        """Nothing is kept.

        >>> Bm25System("bm25-official").store
        'bm25'
        """
        return "bm25"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Count the words of the documents.

        >>> Bm25System("bm25-official").open([], Path("nowhere")).__class__.__name__
        '_GeneratorContextManager'
        """
        ids: list[str] = []
        bins: list[int] = []
        tokens = lucene_tokens if self.name.startswith("bm25-official") else han_tokens

        def read() -> Iterator[list[str]]:
            for document in documents:
                ids.append(document.id)
                if self.prior is not None:
                    bins.append(self.prior.place_of(document))
                yield tokens(text_of(document))

        counted = count_terms(read())
        weighed = lucene_weights(counted, twice=self.twice) if tokens is lucene_tokens else okapi_weights(counted)
        yield _Bm25Ranker(ids, counted.vocabulary, weighed, tokens, self.prior, np.asarray(bins, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _Bm25Ranker:
    ids: Sequence[str]
    vocabulary: Mapping[str, int]
    weighed: _Weighed
    tokens: Callable[[str], list[str]]
    prior: TimePrior | None
    bins: npt.NDArray[np.int64]

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        for query in queries:
            known = Counter(self.vocabulary[word] for word in self.tokens(query.text) if word in self.vocabulary)
            scores = self.weighed.postings.scores(self.weighed.asked(known))
            if self.prior is None:
                yield Answer(query.id, best_hits(self.ids, scores, k, above=0.0))
            else:
                yield Answer(query.id, best_hits(self.ids, self.prior.applied(scores, self.bins), k))


def bm25_system(spec: Spec) -> Bm25System:
    """The system that a spec names; bm25-official takes query=plain, the timed one the settings of `TimePrior`.

    >>> bm25_system(Spec.parse("bm25-official(query=plain)")).twice
    False
    >>> bm25_system(Spec.parse("bm25-okapi-zh-timekde(sigma=2)")).prior
    TimePrior(top=200, sigma=2.0, weight=1.0)
    """
    if spec.name == "bm25-official":
        wanted = spec.only("query").get("query", "weighed")
        if wanted not in ("weighed", "plain"):
            raise EpochalError(f"{spec}: query must be weighed or plain")
        return Bm25System(str(spec), twice=wanted == "weighed")
    if spec.name == _TIMED:
        return Bm25System(str(spec), prior=TimePrior.from_settings(spec))
    return Bm25System(str(Spec(spec.name, spec.only())), prior=None)
