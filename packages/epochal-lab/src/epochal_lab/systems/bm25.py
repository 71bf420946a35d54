"""Porter's stemmer of 1980 with his two later changes (bli, logi), as Lucene's English analysis has it.

How published pipelines take texts apart: Lucene's English analysis, and characters with their pairs for Chinese.

An inverted index in plain arrays: by term the documents that have it, each with a weight.

ChunQiuTR's TimeKDE: where in time the records lie that BM25 finds first, as a prior over all records.

Around the month of each of the `top` records goes a bell of `sigma` months, cut off at three sigma and at the ends of
the time line, whatever the record's score. The density at a record's month, as a logarithm times `weight`, is added to
its score. The months are those of the records' own metadata (`time_id`); the time in the question is not read.

BM25 as the two papers ran it, which differs from the usual one and from each other.

    bm25-official  TEMPO: Lucene's English words and Lucene's BM25 (k1 0.9, b 0.4), which weighs the question like a
                   document too, so that the rarity of a word counts twice; `query=plain` counts it once
    bm25-okapi-zh  ChunQiuTR: characters and pairs, BM25 of Okapi (k1 1.5, b 0.75), words that most documents have
                   count a quarter of the mean
    bm25-okapi-zh-timekde  the same with a prior over the months of the records that it finds (see `TimePrior`)

Everything is counted anew when documents are opened, which takes a second or two for twenty thousand.
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
from epochal_lab.systems.base import Answer, Ranker, best_hits, text_of

__all__ = [
    "Bm25System",
    "Counted",
    "Postings",
    "TimePrior",
    "bm25_system",
    "count_terms",
    "han_tokens",
    "lucene_tokens",
    "lucene_weights",
    "okapi_weights",
    "stem",
]


_VOWELS: Final = frozenset("aeiou")
#: Endings with what stands for them where a syllable is left before; of two that fit, the first counts.
_SECOND: Final = tuple(
    tuple(pair.split(">"))
    for pair in (
        "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize "
        "ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble logi>log"
    ).split()
)
_THIRD: Final = tuple(tuple(pair.split(">")) for pair in "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>".split())
#: Endings that fall where two syllables are left before.
_FOURTH: Final = "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize".split()


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """The stem of a word in small letters."""
    if len(word) < 3:
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = f"{word[:-1]}i"
    word = _replaced(word, _SECOND)
    word = _replaced(word, _THIRD)
    word = _shortened(word)
    return _final(word)


def _shape(word: str) -> str:
    """The word as v for vowels and c for consonants; y is a vowel after a consonant."""
    found: list[str] = []
    for letter in word:
        vowel = letter in _VOWELS or (letter == "y" and bool(found) and found[-1] == "c")
        found.append("v" if vowel else "c")
    return "".join(found)


def _measure(word: str) -> int:
    """How many times consonants follow vowels."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _is_doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_short(word: str) -> bool:
    """Whether it ends as hop does: consonant, vowel, and a consonant other than w, x, y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            if not _has_vowel(rest):
                return word
            if rest.endswith(("at", "bl", "iz")):
                return f"{rest}e"
            if _is_doubled(rest):
                return rest if rest[-1] in "lsz" else rest[:-1]
            return f"{rest}e" if _measure(rest) == 1 and _ends_short(rest) else rest
    return word


def _replaced(word: str, endings: tuple[tuple[str, ...], ...]) -> str:
    for ending, instead in endings:
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            return rest + instead if _measure(rest) else word
    return word


def _shortened(word: str) -> str:
    for ending in _FOURTH:
        if word.endswith(ending):
            # Of -sion and -tion, -ion falls.
            rest = word[:-3] if ending in ("sion", "tion") else word.removesuffix(ending)
            return rest if _measure(rest) > 1 else word
    return word


def _final(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


#: Scripts in which the tokenizer makes a word of every character: Han and hiragana.
_APART: Final = "\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SIGN: Final = rf"[^\W{_APART}]"
#: Words as Unicode (UAX 29) has them: points within letters and within digits join, hyphens and slashes part.
_WORD: Final = re.compile(
    rf"[{_APART}]|{_SIGN}+(?:(?:(?<=[^\W\d_])[:.\u00b7'\u2019](?=[^\W\d_])|(?<=\d)[.,;'\u2019](?=\d)){_SIGN}+)*"
)
#: Those that Lucene's English analysis leaves out.
_STOPPED: Final = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)
_OWN: Final = ("'s", "\u2019s", "\uff07s")
_HAN: Final = re.compile("[\u4e00-\u9fff]")
#: What stands for a text that has no Han character.
_NOTHING: Final = "<EMPTY>"


def lucene_tokens(text: str) -> list[str]:
    """The tokens of Lucene's English analysis: words without possessives and stop words, in small letters, stemmed."""
    found = []
    for match in _WORD.finditer(text):
        word = match[0]
        if not word.strip("_"):
            continue
        if word[-2:].lower() in _OWN:
            word = word[:-2]
        word = word.lower()
        if word and word not in _STOPPED:
            found.append(stem(word))
    return found


def han_tokens(text: str) -> list[str]:
    """The Han characters of a text, then all pairs of neighbours; other signs are left out before pairs are made."""
    signs = _HAN.findall(text)
    return [*signs, *(first + second for first, second in pairwise(signs))] or [_NOTHING]


Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Weights by term and document: those of term t are in the rows `starts[t]` to `starts[t + 1]`."""

    documents: int
    starts: Integers
    rows: Integers
    weights: Floats

    @classmethod
    def of(cls, terms: int, documents: int, term: Integers, row: Integers, weight: npt.ArrayLike) -> Postings:
        """The index of triples; a term and a document stand in one triple at most."""
        order = np.argsort(term, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(term, minlength=terms))))
        return cls(documents, starts, row[order], np.asarray(weight, np.float64)[order])

    def scores(self, asked: Mapping[int, float]) -> Floats:
        """The inner product of every document with a question, which gives weights to terms."""
        found = np.zeros(self.documents)
        for term, weight in asked.items():
            part = slice(self.starts[term], self.starts[term + 1])
            found[self.rows[part]] += weight * self.weights[part]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """How often which document has which term: triples, the lengths of the documents, and the numbers of the terms."""

    vocabulary: Mapping[str, int]
    lengths: Integers
    terms: Integers
    rows: Integers
    counts: Integers

    @property
    def in_documents(self) -> Integers:
        """By term how many documents have it."""
        return np.bincount(self.terms, minlength=len(self.vocabulary))


def count_terms(documents: Iterable[Iterable[str]]) -> Counted:
    """Count the terms of documents."""
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


_LEAST = 1e-8


@dataclass(frozen=True, slots=True)
class TimePrior:
    """A prior over numbered months."""

    top: int = 200
    sigma: float = 3.0
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.top < 1 or not self.sigma > 0:
            raise EpochalError(f"{self} cannot be computed; accepted: top of 1 or more, sigma above 0")

    @classmethod
    def from_settings(cls, spec: Spec) -> TimePrior:
        """The prior with the settings of a spec."""
        given = spec.only("top", "sigma", "weight")
        try:
            top, sigma, weight = int(given.get("top", 200)), float(given.get("sigma", 3)), float(given.get("weight", 1))
        except ValueError:
            raise EpochalError(f"{spec}: top, sigma and weight must be numbers") from None
        return cls(top, sigma, weight)

    def place_of(self, document: Document) -> int:
        """The number of a document's month."""
        place = document.meta.get("time_id")
        if not isinstance(place, int) or isinstance(place, bool) or place < 0:
            raise EpochalError(f"the document {document.id!r} has the time_id {place!r}; accepted: a number from 0")
        return place

    def applied(self, scores: Floats, places: npt.NDArray[np.int64]) -> Floats:
        """The scores with the prior. Where no document has a score, nothing is known, and they stay alike."""
        if not len(scores):
            return scores
        if not scores.any():
            return scores + self.weight * np.log(np.full(len(scores), 1 / len(scores)) + _LEAST)
        top = _first(scores, self.top)
        bins = int(places.max()) + 1
        width = max(1, int(3 * self.sigma))
        bell = np.exp(-(np.arange(-width, width + 1) ** 2) / (2 * self.sigma**2))
        density = np.convolve(np.bincount(places[top], minlength=bins), bell)[width : width + bins]
        return np.asarray(scores + self.weight * np.log(density[places] / density.sum() + _LEAST))


def _first(scores: Floats, count: int) -> npt.NDArray[np.int64]:
    """The rows of the highest scores, of equal ones those that come first, in no order."""
    if count >= len(scores):
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > least)
    return np.concatenate((above, np.flatnonzero(scores == least)[: count - len(above)]))


_TIMED: Final = "bm25-okapi-zh-timekde"


@dataclass(frozen=True, slots=True, eq=False)
class _Weighed:
    """Documents as a formula weighs them, and what it makes of the counts in a question."""

    postings: Postings
    asked: Callable[[Mapping[int, int]], Mapping[int, float]]


def lucene_weights(counted: Counted, *, k1: float = 0.9, b: float = 0.4, twice: bool = True) -> _Weighed:
    """Lucene's BM25 without its constant factor; `twice` weighs a question as if it were a document."""
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
    """BM25 of Okapi; a word that more than half of the documents have gets `epsilon` of the mean rarity."""
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
    """One of the published ways to count words. Only documents that share a word are found, but for the timed one."""

    name: str
    twice: bool = True
    prior: TimePrior | None = None

    @property
    def store(self) -> str:
        """Nothing is kept."""
        return "bm25"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Count the words of the documents."""
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
    """The system that a spec names; bm25-official takes query=plain, the timed one the settings of `TimePrior`."""
    if spec.name == "bm25-official":
        wanted = spec.only("query").get("query", "weighed")
        if wanted not in ("weighed", "plain"):
            raise EpochalError(f"{spec}: query must be weighed or plain")
        return Bm25System(str(spec), twice=wanted == "weighed")
    if spec.name == _TIMED:
        return Bm25System(str(spec), prior=TimePrior.from_settings(spec))
    return Bm25System(str(Spec(spec.name, spec.only())), prior=None)
