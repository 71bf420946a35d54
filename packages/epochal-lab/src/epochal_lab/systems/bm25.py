"""BM25 as two papers ran it, which differs from the usual one and from each other.

    bm25-official  TEMPO: Lucene's English words and Lucene's BM25 (k1 0.9, b 0.4), which also weighs the query like a
                   document, so that the rarity of a word counts twice; `query=plain` counts it once
    bm25-okapi-zh  ChunQiuTR: characters and bigrams, Okapi BM25 (k1 1.5, b 0.75), words that most documents have get a
                   quarter of the mean rarity
    bm25-okapi-zh-timekde  the same with a prior over the months of the top records (see `TimePrior`)

Terms are counted whenever documents are opened, which takes a second or two for twenty thousand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import QueryAnswer, Ranker, get_document_text, select_top_hits

_VOWELS: Final = frozenset("aeiou")
#: Endings and their replacements where a syllable is left before them; the first that fits is used.
_SECOND: Final = tuple(
    tuple(pair.split(">"))
    for pair in (
        "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize "
        "ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble logi>log"
    ).split()
)
_THIRD: Final = tuple(tuple(pair.split(">")) for pair in "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>".split())
#: Endings that are dropped where two syllables are left before them.
_FOURTH: Final = "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize".split()


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """The stem of a lower-case word: Porter's stemmer of 1980 with his two later changes (bli, logi), as in Lucene."""
    if len(word) < 3:
        return word
    word = _strip_plural(word)
    word = _strip_past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = f"{word[:-1]}i"
    word = _replace_ending(word, _SECOND)
    word = _replace_ending(word, _THIRD)
    word = _drop_ending(word)
    return _finish(word)


def _get_shape(word: str) -> str:
    """The word as v for vowels and c for consonants; y is a vowel after a consonant."""
    shape: list[str] = []
    for letter in word:
        vowel = letter in _VOWELS or (letter == "y" and bool(shape) and shape[-1] == "c")
        shape.append("v" if vowel else "c")
    return "".join(shape)


def _count_syllables(word: str) -> int:
    """Porter's measure: how many times consonants follow vowels."""
    return _get_shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _get_shape(word)


def _is_doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _get_shape(word)[-1] == "c"


def _ends_short(word: str) -> bool:
    """Whether it ends like "hop": consonant, vowel, and a consonant other than w, x, y."""
    return _get_shape(word).endswith("cvc") and word[-1] not in "wxy"


def _strip_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _strip_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _count_syllables(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            if not _has_vowel(rest):
                return word
            if rest.endswith(("at", "bl", "iz")):
                return f"{rest}e"
            if _is_doubled(rest):
                return rest if rest[-1] in "lsz" else rest[:-1]
            return f"{rest}e" if _count_syllables(rest) == 1 and _ends_short(rest) else rest
    return word


def _replace_ending(word: str, endings: tuple[tuple[str, ...], ...]) -> str:
    for ending, instead in endings:
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            return rest + instead if _count_syllables(rest) else word
    return word


def _drop_ending(word: str) -> str:
    for ending in _FOURTH:
        if word.endswith(ending):
            # Of -sion and -tion, only -ion is dropped.
            rest = word[:-3] if ending in ("sion", "tion") else word.removesuffix(ending)
            return rest if _count_syllables(rest) > 1 else word
    return word


def _finish(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _count_syllables(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _count_syllables(word) > 1 else word


#: Scripts in which every character is a word: Han and hiragana.
_CHARACTER_WORDS: Final = "\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SIGN: Final = rf"[^\W{_CHARACTER_WORDS}]"
#: Words by UAX 29: points within letters and within digits join, hyphens and slashes separate.
_WORD: Final = re.compile(
    rf"[{_CHARACTER_WORDS}]|{_SIGN}+(?:(?:(?<=[^\W\d_])[:.\u00b7'\u2019](?=[^\W\d_])|(?<=\d)[.,;'\u2019](?=\d)){_SIGN}+)*"
)
#: The stop words of Lucene's English analysis.
_STOP_WORDS: Final = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)
_POSSESSIVES: Final = ("'s", "\u2019s", "\uff07s")
_HAN: Final = re.compile("[\u4e00-\u9fff]")
#: The token of a text without Han characters.
_EMPTY: Final = "<EMPTY>"


def tokenise_lucene(text: str) -> list[str]:
    """The tokens of Lucene's English analysis: lower-case stems, without possessives and stop words."""
    tokens = []
    for match in _WORD.finditer(text):
        word = match[0]
        if not word.strip("_"):
            continue
        if word[-2:].lower() in _POSSESSIVES:
            word = word[:-2]
        word = word.lower()
        if word and word not in _STOP_WORDS:
            tokens.append(stem(word))
    return tokens


def tokenise_han(text: str) -> list[str]:
    """The Han characters of a text, then their bigrams; other characters are removed first."""
    characters = _HAN.findall(text)
    return [*characters, *(first + second for first, second in pairwise(characters))] or [_EMPTY]


Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """An inverted index: the documents and weights of term t are at `starts[t]` to `starts[t + 1]`."""

    documents: int
    starts: Integers
    rows: Integers
    weights: Floats

    @classmethod
    def of(cls, terms: int, documents: int, term: Integers, row: Integers, weight: npt.ArrayLike) -> Postings:
        """Build the index from triples; each pair of a term and a document occurs at most once."""
        order = np.argsort(term, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(term, minlength=terms))))
        return cls(documents, starts, row[order], np.asarray(weight, np.float64)[order])

    def score(self, query: Mapping[int, float]) -> Floats:
        """The inner product of every document with the weighted terms of a query."""
        scores = np.zeros(self.documents)
        for term, weight in query.items():
            postings = slice(self.starts[term], self.starts[term + 1])
            scores[self.rows[postings]] += weight * self.weights[postings]
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class TermCounts:
    """Triples of term, document and count; the lengths of the documents; and the ids of the terms."""

    vocabulary: Mapping[str, int]
    lengths: Integers
    terms: Integers
    rows: Integers
    counts: Integers

    @property
    def document_frequency(self) -> Integers:
        """By term how many documents have it."""
        return np.bincount(self.terms, minlength=len(self.vocabulary))


def count_terms(documents: Iterable[Iterable[str]]) -> TermCounts:
    vocabulary: dict[str, int] = {}
    lengths: list[int] = []
    terms: list[int] = []
    rows: list[int] = []
    counts: list[int] = []
    for row, document in enumerate(documents):
        frequency: dict[int, int] = {}
        length = 0
        for word in document:
            term = vocabulary.setdefault(word, len(vocabulary))
            frequency[term] = frequency.get(term, 0) + 1
            length += 1
        lengths.append(length)
        terms += frequency
        rows += [row] * len(frequency)
        counts += frequency.values()
    return TermCounts(vocabulary, *(np.asarray(column, np.int64) for column in (lengths, terms, rows, counts)))


_EPSILON = 1e-8


@dataclass(frozen=True, slots=True)
class TimePrior:
    """ChunQiuTR's TimeKDE: a prior over months, from the months of the `top` records by BM25.

    Each of them adds a bell of `sigma` months, cut off at three sigma and at the ends of the time line, whatever its
    score. The logarithm of the density at a record's month, times `weight`, is added to its score. Months are those of
    the records' metadata (`time_id`); the time in the query is not read.
    """

    top: int = 200
    sigma: float = 3.0
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.top < 1 or not self.sigma > 0:
            raise EpochalError(f"{self} cannot be computed; accepted: top of 1 or more, sigma above 0")

    @classmethod
    def from_settings(cls, spec: Spec) -> TimePrior:
        settings = spec.only("top", "sigma", "weight")
        try:
            top, sigma, weight = (
                int(settings.get("top", 200)),
                float(settings.get("sigma", 3)),
                float(settings.get("weight", 1)),
            )
        except ValueError:
            raise EpochalError(f"{spec}: top, sigma and weight must be numbers") from None
        return cls(top, sigma, weight)

    def get_month(self, document: Document) -> int:
        month = document.meta.get("time_id")
        if not isinstance(month, int) or isinstance(month, bool) or month < 0:
            raise EpochalError(f"the document {document.id!r} has the time_id {month!r}; accepted: a number from 0")
        return month

    def apply(self, scores: Floats, months: Integers) -> Floats:
        """The scores with the prior, which is the same for all where no document has a score."""
        if not len(scores):
            return scores
        if not scores.any():
            return scores + self.weight * np.log(np.full(len(scores), 1 / len(scores)) + _EPSILON)
        top = _select_top_rows(scores, self.top)
        bins = int(months.max()) + 1
        width = max(1, int(3 * self.sigma))
        bell = np.exp(-(np.arange(-width, width + 1) ** 2) / (2 * self.sigma**2))
        density = np.convolve(np.bincount(months[top], minlength=bins), bell)[width : width + bins]
        return np.asarray(scores + self.weight * np.log(density[months] / density.sum() + _EPSILON))


def _select_top_rows(scores: Floats, count: int) -> Integers:
    """The rows of the highest scores, in no order; of equal ones those that come first."""
    if count >= len(scores):
        return np.arange(len(scores))
    lowest = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > lowest)
    return np.concatenate((above, np.flatnonzero(scores == lowest)[: count - len(above)]))


_TIMEKDE: Final = "bm25-okapi-zh-timekde"


@dataclass(frozen=True, slots=True, eq=False)
class _WeightedTerms:
    """The weighted documents, and the weights of a query by its term counts."""

    postings: Postings
    weigh_query: Callable[[Mapping[int, int]], Mapping[int, float]]


def weigh_lucene(counted: TermCounts, *, k1: float = 0.9, b: float = 0.4, twice: bool = True) -> _WeightedTerms:
    """Lucene's BM25 without its constant factor; `twice` weighs the query like a document."""
    size, mean = len(counted.lengths), _get_mean_length(counted)
    frequency = counted.document_frequency
    rarity = np.log(1 + (size - frequency + 0.5) / (frequency + 0.5))

    def weigh(terms: npt.ArrayLike, counts: npt.ArrayLike, lengths: npt.ArrayLike) -> Floats:
        often = np.asarray(counts, np.float64)
        return np.asarray(rarity[terms] * often / (often + k1 * (1 - b + b * np.asarray(lengths) / mean)))

    def weigh_query(counts: Mapping[int, int]) -> Mapping[int, float]:
        if not twice:
            return {term: float(count) for term, count in counts.items()}
        terms = list(counts)
        length = sum(counts.values())
        return dict(zip(terms, weigh(terms, [counts[term] for term in terms], length).tolist(), strict=True))

    values = weigh(counted.terms, counted.counts, counted.lengths[counted.rows])
    return _WeightedTerms(Postings.of(len(rarity), size, counted.terms, counted.rows, values), weigh_query)


def weigh_okapi(counted: TermCounts, *, k1: float = 1.5, b: float = 0.75, epsilon: float = 0.25) -> _WeightedTerms:
    """Okapi BM25; a word that more than half of the documents have gets `epsilon` of the mean rarity."""
    size, mean = len(counted.lengths), _get_mean_length(counted)
    frequency = counted.document_frequency
    rarity = np.log(size - frequency + 0.5) - np.log(frequency + 0.5)
    rarity[rarity < 0] = epsilon * (rarity.mean() if len(rarity) else 0.0)
    often = counted.counts.astype(np.float64)
    values = rarity[counted.terms] * often * (k1 + 1)
    values /= often + k1 * (1 - b + b * counted.lengths[counted.rows] / mean)
    postings = Postings.of(len(rarity), size, counted.terms, counted.rows, values)
    return _WeightedTerms(postings, lambda counts: {term: float(count) for term, count in counts.items()})


def _get_mean_length(counted: TermCounts) -> float:
    return float(counted.lengths.mean()) if len(counted.lengths) and counted.lengths.any() else 1.0


@dataclass(frozen=True, slots=True)
class Bm25System:
    """A published BM25. Only documents that share a word with the query are returned, except with a prior."""

    name: str
    twice: bool = True
    prior: TimePrior | None = None

    @property
    def store(self) -> str:
        """Nothing is stored."""
        return "bm25"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Count the terms of the documents."""
        ids: list[str] = []
        months: list[int] = []
        tokenise = tokenise_lucene if self.name.startswith("bm25-official") else tokenise_han

        def tokenise_documents() -> Iterator[list[str]]:
            for document in documents:
                ids.append(document.id)
                if self.prior is not None:
                    months.append(self.prior.get_month(document))
                yield tokenise(get_document_text(document))

        counted = count_terms(tokenise_documents())
        weighted = weigh_lucene(counted, twice=self.twice) if tokenise is tokenise_lucene else weigh_okapi(counted)
        yield _Bm25Ranker(ids, counted.vocabulary, weighted, tokenise, self.prior, np.asarray(months, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _Bm25Ranker:
    ids: Sequence[str]
    vocabulary: Mapping[str, int]
    weighted: _WeightedTerms
    tokenise: Callable[[str], list[str]]
    prior: TimePrior | None
    months: Integers

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        for query in queries:
            words = (word for word in self.tokenise(query.text) if word in self.vocabulary)
            counts = Counter(self.vocabulary[word] for word in words)
            scores = self.weighted.postings.score(self.weighted.weigh_query(counts))
            if self.prior is None:
                yield QueryAnswer(query.id, select_top_hits(self.ids, scores, k, above=0.0))
            else:
                yield QueryAnswer(query.id, select_top_hits(self.ids, self.prior.apply(scores, self.months), k))


def make_bm25_system(spec: Spec) -> Bm25System:
    """The system of a spec; bm25-official takes query=plain, the one with a prior takes the settings of `TimePrior`."""
    if spec.name == "bm25-official":
        weighting = spec.only("query").get("query", "weighed")
        if weighting not in ("weighed", "plain"):
            raise EpochalError(f"{spec}: query must be weighed or plain")
        return Bm25System(str(spec), twice=weighting == "weighed")
    if spec.name == _TIMEKDE:
        return Bm25System(str(spec), prior=TimePrior.from_settings(spec))
    return Bm25System(str(Spec(spec.name, spec.only())), prior=None)
