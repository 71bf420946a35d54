"""What baselines need of an encoder: the vector of the whole question, and vectors of texts that no index holds.

A pool holds the vector of the *topic* of a question, which is the question without its time words where it asks for a
time. Published dense baselines encode the question as it is, and some encode documents anew with their dates. So a
scorer needs the encoder that the index was made with. It may be given one; else the encoders that have a name are
tried, and that one is taken whose vector of the topic is the one in the pool. No other encoder is ever used.

The times of candidates as baselines use them: what a passage speaks of, and when its document was published.

Published baselines know one time stamp a document. Here a candidate may have many times, of any length, or none. What
a baseline says of *the* time of a document is said of that time of the candidate which lies nearest to the question's.

A fixed encoding of time: waves of many lengths, from a day to ten thousand years.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Encoder, Vectors, unit_rows
from epochal.encoders.registry import encoder as named_encoder
from epochal.encoders.registry import encoder_names
from epochal.encoders.wrappers import prefix_of
from epochal.errors import EpochalError, MissingExtraError
from epochal.ranking.pool import Floats, Pool
from epochal.storage.protocol import Rows
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.span import Span
from epochal.times.spanset import SpanSet

__all__ = [
    "Memory",
    "Remembering",
    "Times",
    "asked_spans",
    "distances",
    "encoder_of",
    "nearest",
    "passage_texts",
    "published_of",
    "question_similarity",
    "time_texts",
    "times_of",
    "waves",
    "zeros_or_vectors",
]


#: How far the numbers of two runs of one encoder may lie apart.
_SAME: Final = 1e-3


class Memory:
    """The vectors of texts that were encoded before: the latest `most` of them, for any number of threads."""

    def __init__(self, most: int = 50_000) -> None:
        if most < 1:
            raise EpochalError(f"a memory must hold 1 vector or more, but most is {most}")
        self.most = most
        self._known: dict[tuple[str, str], npt.NDArray[np.float32]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._known)

    def vectors(self, kind: str, texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        """The vectors of texts; those that are not known under this kind are encoded, each once."""
        found = {text: vector for text in texts if (vector := self._known.get((kind, text))) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found.update(zip(missing, encode(missing), strict=True))
            with self._lock:
                self._known.update({(kind, text): found[text] for text in missing})
                for key in list(self._known)[: max(len(self._known) - self.most, 0)]:
                    del self._known[key]
        return np.stack([found[text] for text in texts])


@dataclass(frozen=True, slots=True, eq=False)
class Remembering:
    """An encoder with a memory; it bears the name of the encoder within."""

    encoder: Encoder
    memory: Memory = field(default_factory=Memory)

    @property
    def name(self) -> str:
        """The name of the encoder within."""
        return self.encoder.name

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self.encoder.dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found."""
        return self._vectors("document", texts, self.encoder.encode_documents)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of questions."""
        return self._vectors("query", texts, self.encoder.encode_queries)

    def _vectors(self, role: str, texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return self.memory.vectors(f"{self.name} {role}", texts, encode)


def encoder_of(pool: Pool, given: Encoder | None, memory: Memory, scorer: str) -> Remembering:
    """The encoder whose vectors the pool holds: the given one, or one that has a name."""
    vector = _topic_vector(pool, scorer)
    for candidate in _candidates(given, len(vector)):
        known = Remembering(candidate, memory)
        if candidate.dim == len(vector) and np.allclose(known.encode_queries([_topic(pool)])[0], vector, atol=_SAME):
            return known
    if given is not None:
        raise EpochalError(
            f"scorer {scorer!r} was given the encoder {given.name!r}, which did not make the vectors of the index; "
            "accepted: the encoder that the index was made with"
        )
    raise EpochalError(
        f"scorer {scorer!r} needs the encoder of the index, whose vectors have {len(vector)} numbers and are of none "
        f"that has a name ({', '.join(encoder_names())}); give the scorer that encoder, as encoder="
    )


def question_similarity(pool: Pool, given: Encoder | None, memory: Memory, scorer: str) -> Floats:
    """The cosine of each candidate and the whole question, its time words included."""
    if not len(pool):
        return np.empty(0)
    _topic_vector(pool, scorer)
    if _topic(pool) == pool.question:
        return pool.semantic
    vector = encoder_of(pool, given, memory, scorer).encode_queries([pool.question])[0]
    return pool.view.similarities(vector, pool.rows)


def passage_texts(pool: Pool) -> list[str]:
    """The text of each candidate as it was encoded for the index: its document's title, and the passage."""
    documents = np.unique(pool.document_rows)
    titles = {row: item.title for row, item in zip(documents.tolist(), pool.view.documents(documents), strict=True)}
    passages = pool.view.passages(pool.rows)
    return [
        f"{titles[item.document_row]}\n{item.text}" if titles[item.document_row] else item.text for item in passages
    ]


def zeros_or_vectors(texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors], dim: int) -> Floats:
    """Vectors of texts, one row each; the empty text has zeros, and is not encoded."""
    found = np.zeros((len(texts), dim))
    places = [place for place, text in enumerate(texts) if text]
    if places:
        found[places] = encode([texts[place] for place in places])
    return found


def _topic(pool: Pool) -> str:
    """What the vector of a pool is of."""
    return (pool.understanding.topic or pool.question) if pool.windows else pool.question


def _topic_vector(pool: Pool, scorer: str) -> npt.NDArray[np.float32]:
    if pool.vector is None:
        raise EpochalError(
            f"scorer {scorer!r} compares vectors, but the index was made without an encoder; accepted: an index with "
            "vectors"
        )
    return pool.vector


def _candidates(given: Encoder | None, dim: int) -> Iterator[Encoder]:
    if given is not None:
        yield prefix_of(given, dim) if given.dim > dim else given
        return
    known = [made for name in encoder_names() if (made := _named(name)) is not None and made.dim >= dim]
    # Vectors that were cut come from a longer encoder; most were not, so those of the very length are tried first.
    for made in sorted(known, key=lambda encoder: encoder.dim != dim):
        yield prefix_of(made, dim)


@cache
def _named(name: str) -> Encoder | None:
    """An encoder by name, loaded once; None for one whose packages are not installed, which made no vector here."""
    try:
        return named_encoder(name)
    except MissingExtraError:
        return None


_SECONDS: Final = np.array([grain.seconds for grain in Grain], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """Spans, and for each the place in the pool of the candidate that has it; places ascend."""

    places: Rows
    spans: SpanSet

    def least(self, values: Floats, count: int) -> Floats:
        """The least of the values of each candidate's times; infinite for one that has none."""
        best = np.full(count, np.inf)
        np.minimum.at(best, self.places, values)
        return best


def times_of(pool: Pool) -> Times:
    """All times of each candidate: those that the passage speaks of, and the date of its document."""
    content, published = _spoken(pool), published_of(pool)
    order = np.argsort(np.concatenate([content.places, published.places]), kind="stable")
    places = np.concatenate([content.places, published.places])[order]
    return Times(places, _joined(content.spans, published.spans)[order])


def published_of(pool: Pool) -> Times:
    """When the documents of the candidates were published; those without a date are left out."""
    table = pool.view.published
    if not len(table):
        return Times(np.empty(0, dtype=np.int64), table.spans)
    at = np.minimum(table.rows.searchsorted(pool.document_rows), len(table) - 1)
    dated = np.flatnonzero(table.rows[at] == pool.document_rows).astype(np.int64)
    return Times(dated, table.spans[at[dated]])


def asked_spans(pool: Pool) -> tuple[Span, ...]:
    """The times of a question: those that it asks for, else the present, else none."""
    if pool.windows:
        return tuple(window.span for window in pool.windows)
    return () if pool.now is None else (pool.now,)


def distances(span: Span, spans: SpanSet) -> Floats:
    """Seconds from a span to each: 0 where they share time, else one unit of the coarser grain more than lies between.

    That is how time stamps count: 1903 is one year after 1902, though nothing lies between them.
    """
    grains = np.maximum(np.maximum(spans.grains, spans.end_grains), span.coarsest_grain)
    apart = np.abs(spans.gap(span)) + _SECONDS[grains]
    return np.where(spans.overlaps(span), 0.0, apart)


def nearest(times: Times, asked: Sequence[Span], count: int) -> Floats:
    """Seconds from each candidate to the nearest of the times asked for; infinite for one without times."""
    best = np.full(count, np.inf)
    for span in asked:
        np.minimum(best, times.least(distances(span, times.spans), count), out=best)
    return best


def time_texts(pool: Pool, most: int) -> list[str]:
    """The time of each candidate in words: the date of its document, else the first times that it speaks of."""
    found: list[dict[str, None]] = [{} for _ in range(len(pool))]
    published = published_of(pool)
    for place, span in zip(published.places.tolist(), published.spans, strict=True):
        found[place][_described(span)] = None
    dated = set(published.places.tolist())
    content = _spoken(pool)
    for place, at in zip(content.places.tolist(), range(len(content.spans)), strict=True):
        if place not in dated and len(found[place]) < most:
            found[place][_described(content.spans[at])] = None
    return [", ".join(words) for words in found]


@lru_cache(maxsize=65_536)
def _described(span: Span) -> str:
    return span.describe()


def _spoken(pool: Pool) -> Times:
    table = pool.view.content
    low, high = table.rows.searchsorted(pool.rows, side="left"), table.rows.searchsorted(pool.rows, side="right")
    counts = high - low
    places = np.repeat(np.arange(len(pool), dtype=np.int64), counts)
    within = np.arange(len(places), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
    return Times(places, table.spans[np.repeat(low, counts) + within])


def _joined(first: SpanSet, second: SpanSet) -> SpanSet:
    def both(name: str) -> npt.NDArray[np.int64]:
        return np.concatenate([getattr(first, name), getattr(second, name)])

    return SpanSet(
        both("starts"),
        both("ends"),
        grains=both("grains"),
        end_grains=both("end_grains"),
        certainties=both("certainties"),
        end_certainties=both("end_certainties"),
        weights=both("weights"),
    )


_DAY: Final = 86_400.0
_SHORTEST: Final = 2 * _DAY
_LONGEST: Final = 10_000 * 365.2425 * _DAY


def waves(spans: SpanSet, dim: int) -> Floats:
    """Vectors of length 1, one a span: sines and cosines of its time, averaged over the span.

    The lengths of the waves fall evenly on a logarithmic scale. Over a long span the short waves cancel out, so that a
    year is like its neighbours and says nothing of days. An open end counts as the unit at the other end.
    """
    starts, ends = spans.starts.copy(), spans.ends.copy()
    for place in np.flatnonzero((starts == OPEN_START) | (ends == OPEN_END)).tolist():
        span = spans[place]
        if span.start != OPEN_START:
            starts[place], ends[place] = span.grain.unit(span.start)
        elif span.end != OPEN_END:
            starts[place], ends[place] = span.end_grain.unit(span.end - 1)
        else:
            starts[place], ends[place] = 0, 1
    lengths = np.geomspace(_SHORTEST, _LONGEST, (dim + 1) // 2)
    middle, half = (starts + ends) / 2.0, (ends - starts) / 2.0
    damped = np.sinc(2 * half[:, None] / lengths)
    angle = 2 * np.pi * middle[:, None] / lengths
    both = np.stack([np.sin(angle) * damped, np.cos(angle) * damped], axis=2).reshape(len(spans), -1)
    return unit_rows(both[:, :dim]).astype(np.float64)
