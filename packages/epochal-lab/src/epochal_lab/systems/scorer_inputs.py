"""What published scorers need of a pool: vectors of the whole question and of texts, and the times of candidates.

A pool has the vector of the *topic* of a question: the question without its time words, where it asks for a time.
Published dense baselines encode the question as it is, and some encode documents with their dates. So a scorer needs
the encoder of the index. It may be given one; else the named encoders are tried, and the one whose vector of the topic
equals that of the pool is used. No other encoder is ever used.

Published baselines assume one time stamp per document. Here a candidate may have many times, of any length, or none.
What a baseline says of *the* time of a document applies to the candidate's time that is nearest to the query's.
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
from epochal.encoders.wrappers import cut_encoder
from epochal.errors import EpochalError, MissingExtraError
from epochal.ranking.pool import Floats, Pool
from epochal.storage.protocol import Rows
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.span import Span
from epochal.times.spanset import SpanSet

#: How far vectors of two runs of one encoder may differ.
_TOLERANCE: Final = 1e-3


class VectorMemory:
    """Vectors of texts that were encoded before: the latest `most` of them, for any number of threads."""

    def __init__(self, most: int = 50_000) -> None:
        if most < 1:
            raise EpochalError(f"a memory must hold 1 vector or more, but most is {most}")
        self.most = most
        self._vectors: dict[tuple[str, str], npt.NDArray[np.float32]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    def vectors(self, kind: str, texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        """The vectors of texts; those that are missing under this kind are encoded, each once."""
        vectors = {text: vector for text in texts if (vector := self._vectors.get((kind, text))) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in vectors]
        if missing:
            vectors.update(zip(missing, encode(missing), strict=True))
            with self._lock:
                self._vectors.update({(kind, text): vectors[text] for text in missing})
                for key in list(self._vectors)[: max(len(self._vectors) - self.most, 0)]:
                    del self._vectors[key]
        return np.stack([vectors[text] for text in texts])


@dataclass(frozen=True, slots=True, eq=False)
class MemoisedEncoder:
    """An encoder with a memory, under the name of the inner encoder."""

    encoder: Encoder
    memory: VectorMemory = field(default_factory=VectorMemory)

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def dim(self) -> int:
        return self.encoder.dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        return self._encode("document", texts, self.encoder.encode_documents)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode("query", texts, self.encoder.encode_queries)

    def _encode(self, role: str, texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return self.memory.vectors(f"{self.name} {role}", texts, encode)


def find_encoder(pool: Pool, own_encoder: Encoder | None, memory: VectorMemory, scorer: str) -> MemoisedEncoder:
    """The encoder of the pool's vectors: the given one, or a named one."""
    vector = _get_topic_vector(pool, scorer)
    for candidate in _list_encoders(own_encoder, len(vector)):
        if candidate.dim != len(vector):
            continue
        encoder = MemoisedEncoder(candidate, memory)
        if np.allclose(encoder.encode_queries([_get_topic(pool)])[0], vector, atol=_TOLERANCE):
            return encoder
    if own_encoder is not None:
        raise EpochalError(
            f"scorer {scorer!r} was given the encoder {own_encoder.name!r}, which did not make the vectors of the "
            "index; accepted: the encoder that the index was made with"
        )
    raise EpochalError(
        f"scorer {scorer!r} needs the encoder of the index, whose vectors have {len(vector)} dimensions and are of no "
        f"named one ({', '.join(encoder_names())}); give the scorer that encoder, as encoder="
    )


def score_similarity(pool: Pool, encoder: Encoder | None, memory: VectorMemory, scorer: str) -> Floats:
    """The cosine of each candidate and the whole question, including its time words."""
    if not len(pool):
        return np.empty(0)
    _get_topic_vector(pool, scorer)
    if _get_topic(pool) == pool.question:
        return pool.semantic
    vector = find_encoder(pool, encoder, memory, scorer).encode_queries([pool.question])[0]
    return pool.view.score_vectors(vector, pool.rows)


def get_passage_texts(pool: Pool) -> list[str]:
    """The text of each candidate as it was encoded for the index: the title of its document, and the passage."""
    documents = np.unique(pool.document_rows)
    titles = {row: item.title for row, item in zip(documents.tolist(), pool.view.get_documents(documents), strict=True)}
    passages = pool.view.get_passages(pool.rows)
    return [
        f"{titles[item.document_row]}\n{item.text}" if titles[item.document_row] else item.text for item in passages
    ]


def encode_or_zero(texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors], dim: int) -> Floats:
    """Vectors of texts, one row each; empty texts get zeros, and are not encoded."""
    vectors = np.zeros((len(texts), dim))
    rows = [row for row, text in enumerate(texts) if text]
    if rows:
        vectors[rows] = encode([texts[row] for row in rows])
    return vectors


def _get_topic(pool: Pool) -> str:
    """The text whose vector the pool has."""
    return (pool.understanding.topic or pool.question) if pool.windows else pool.question


def _get_topic_vector(pool: Pool, scorer: str) -> npt.NDArray[np.float32]:
    if pool.vector is None:
        raise EpochalError(
            f"scorer {scorer!r} compares vectors, but the index was made without an encoder; accepted: an index with "
            "vectors"
        )
    return pool.vector


def _list_encoders(own_encoder: Encoder | None, dim: int) -> Iterator[Encoder]:
    if own_encoder is not None:
        yield cut_encoder(own_encoder, dim) if own_encoder.dim > dim else own_encoder
        return
    loaded = [item for name in encoder_names() if (item := _load_encoder(name)) is not None and item.dim >= dim]
    # Most vectors are not truncated, so encoders with just as many dimensions are tried first.
    for encoder in sorted(loaded, key=lambda item: item.dim != dim):
        yield cut_encoder(encoder, dim)


@cache
def _load_encoder(name: str) -> Encoder | None:
    """An encoder by name, loaded once; None where its packages are not installed."""
    try:
        return named_encoder(name)
    except MissingExtraError:
        return None


_SECONDS: Final = np.array([grain.seconds for grain in Grain], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class CandidateTimes:
    """Spans, and for each the position of its candidate in the pool, in ascending order."""

    positions: Rows
    spans: SpanSet

    def get_minimum(self, values: Floats, count: int) -> Floats:
        """For each candidate the minimum over the values of its times; infinite for one without times."""
        best = np.full(count, np.inf)
        np.minimum.at(best, self.positions, values)
        return best


def get_times(pool: Pool) -> CandidateTimes:
    """All times of each candidate: those that the passage mentions, and the date of its document."""
    mentioned, published = _get_mentioned_times(pool), get_published_times(pool)
    order = np.argsort(np.concatenate([mentioned.positions, published.positions]), kind="stable")
    positions = np.concatenate([mentioned.positions, published.positions])[order]
    return CandidateTimes(positions, _concatenate(mentioned.spans, published.spans)[order])


def get_published_times(pool: Pool) -> CandidateTimes:
    """The dates of the candidates' documents; undated ones are left out."""
    table = pool.view.published
    if not len(table):
        return CandidateTimes(np.empty(0, dtype=np.int64), table.spans)
    at = np.minimum(table.rows.searchsorted(pool.document_rows), len(table) - 1)
    dated = np.flatnonzero(table.rows[at] == pool.document_rows).astype(np.int64)
    return CandidateTimes(dated, table.spans[at[dated]])


def get_query_spans(pool: Pool) -> tuple[Span, ...]:
    """The times of a query: those that it asks for, else `now`, else none."""
    if pool.windows:
        return tuple(window.span for window in pool.windows)
    return () if pool.now is None else (pool.now,)


def measure_distances(span: Span, spans: SpanSet) -> Floats:
    """Seconds from a span to each: 0 where they overlap, else the gap plus one unit of the coarser grain.

    So 1903 is one year after 1902, as with time stamps, though there is no gap between them.
    """
    grains = np.maximum(np.maximum(spans.grains, spans.end_grains), span.coarsest_grain)
    distances = np.abs(spans.gap(span)) + _SECONDS[grains]
    return np.where(spans.overlaps(span), 0.0, distances)


def measure_nearest(times: CandidateTimes, query_spans: Sequence[Span], count: int) -> Floats:
    """Seconds from each candidate to the nearest query span; infinite for one without times."""
    best = np.full(count, np.inf)
    for span in query_spans:
        np.minimum(best, times.get_minimum(measure_distances(span, times.spans), count), out=best)
    return best


def describe_times(pool: Pool, most: int) -> list[str]:
    """The time of each candidate in words: the date of its document, else the first times that it mentions."""
    phrases: list[dict[str, None]] = [{} for _ in range(len(pool))]
    published = get_published_times(pool)
    for position, span in zip(published.positions.tolist(), published.spans, strict=True):
        phrases[position][_describe(span)] = None
    dated = set(published.positions.tolist())
    mentioned = _get_mentioned_times(pool)
    for row, position in enumerate(mentioned.positions.tolist()):
        if position not in dated and len(phrases[position]) < most:
            phrases[position][_describe(mentioned.spans[row])] = None
    return [", ".join(words) for words in phrases]


@lru_cache(maxsize=65_536)
def _describe(span: Span) -> str:
    return span.describe()


def _get_mentioned_times(pool: Pool) -> CandidateTimes:
    table = pool.view.content
    low, high = table.rows.searchsorted(pool.rows, side="left"), table.rows.searchsorted(pool.rows, side="right")
    counts = high - low
    positions = np.repeat(np.arange(len(pool), dtype=np.int64), counts)
    within = np.arange(len(positions), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
    return CandidateTimes(positions, table.spans[np.repeat(low, counts) + within])


def _concatenate(first: SpanSet, second: SpanSet) -> SpanSet:
    def join(name: str) -> npt.NDArray[np.int64]:
        return np.concatenate([getattr(first, name), getattr(second, name)])

    return SpanSet(
        join("starts"),
        join("ends"),
        grains=join("grains"),
        end_grains=join("end_grains"),
        certainties=join("certainties"),
        end_certainties=join("end_certainties"),
        weights=join("weights"),
    )


_DAY: Final = 86_400.0
_SHORTEST: Final = 2 * _DAY
_LONGEST: Final = 10_000 * 365.2425 * _DAY


def encode_waves(spans: SpanSet, dim: int) -> Floats:
    """A fixed time encoding: sines and cosines from two days to ten thousand years, averaged over each span.

    Vectors have length 1. Wavelengths are evenly spaced on a logarithmic scale. Over a long span short waves cancel
    out, so that a year is like its neighbours and says nothing about days. An open end counts as the unit at the other
    end.
    """
    starts, ends = spans.starts.copy(), spans.ends.copy()
    for row in np.flatnonzero((starts == OPEN_START) | (ends == OPEN_END)).tolist():
        span = spans[row]
        if span.start != OPEN_START:
            starts[row], ends[row] = span.grain.unit(span.start)
        elif span.end != OPEN_END:
            starts[row], ends[row] = span.end_grain.unit(span.end - 1)
        else:
            starts[row], ends[row] = 0, 1
    lengths = np.geomspace(_SHORTEST, _LONGEST, (dim + 1) // 2)
    middle, half = (starts + ends) / 2.0, (ends - starts) / 2.0
    damped = np.sinc(2 * half[:, None] / lengths)
    angle = 2 * np.pi * middle[:, None] / lengths
    both = np.stack([np.sin(angle) * damped, np.cos(angle) * damped], axis=2).reshape(len(spans), -1)
    return unit_rows(both[:, :dim]).astype(np.float64)
