"""What baselines need of an encoder: the vector of the whole question, and vectors of texts that no index holds.

A pool holds the vector of the *topic* of a question, which is the question without its time words where it asks for a
time. Published dense baselines encode the question as it is, and some encode documents anew with their dates. So a
scorer needs the encoder that the index was made with. It may be given one; else the encoders that have a name are
tried, and that one is taken whose vector of the topic is the one in the pool. No other encoder is ever used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.encoders import encoder as named_encoder
from epochal.encoders import encoder_names
from epochal.encoders.base import Encoder, Vectors
from epochal.encoders.nested import prefix_of
from epochal.errors import EpochalError, MissingExtraError
from epochal.ranking.pool import Floats, Pool

__all__ = ["Memory", "Remembering", "encoder_of", "passage_texts", "question_similarity", "zeros_or_vectors"]

#: How far the numbers of two runs of one encoder may lie apart.
_SAME: Final = 1e-3


class Memory:
    """The vectors of texts that were encoded before: the latest `most` of them, for any number of threads.

    >>> memory = Memory(most=1)
    >>> encode = lambda texts: np.array([[len(text)] for text in texts], dtype=np.float32)
    >>> memory.vectors("lengths", ["a", "abc", "a"], encode).tolist(), len(memory)
    ([[1.0], [3.0], [1.0]], 1)
    """

    def __init__(self, most: int = 50_000) -> None:
        if most < 1:
            raise EpochalError(f"a memory must hold 1 vector or more, but most is {most}")
        self.most = most
        self._known: dict[tuple[str, str], npt.NDArray[np.float32]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._known)

    def vectors(self, kind: str, texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        """The vectors of texts; those that are not known under this kind are encoded, each once.

        >>> Memory().vectors("ones", ["a"], lambda texts: np.ones((len(texts), 2), dtype=np.float32)).shape
        (1, 2)
        """
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
    """An encoder with a memory; it bears the name of the encoder within.

    >>> from epochal.encoders import encoder
    >>> static = Remembering(encoder("static"))
    >>> static.encode_documents(["It rained."]).shape, len(static.memory)
    ((1, 256), 1)
    """

    encoder: Encoder
    memory: Memory = field(default_factory=Memory)

    @property
    def name(self) -> str:
        """The name of the encoder within.

        >>> from epochal.encoders import encoder
        >>> Remembering(encoder("static")).name == encoder("static").name
        True
        """
        return self.encoder.name

    @property
    def dim(self) -> int:
        """The length of a vector.

        >>> from epochal.encoders import encoder
        >>> Remembering(encoder("static")).dim
        256
        """
        return self.encoder.dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found.

        >>> from epochal.encoders import encoder
        >>> Remembering(encoder("static")).encode_documents([]).shape
        (0, 256)
        """
        return self._vectors("document", texts, self.encoder.encode_documents)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of questions.

        >>> from epochal.encoders import encoder
        >>> Remembering(encoder("static")).encode_queries(["Did it rain?"]).shape
        (1, 256)
        """
        return self._vectors("query", texts, self.encoder.encode_queries)

    def _vectors(self, role: str, texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return self.memory.vectors(f"{self.name} {role}", texts, encode)


def encoder_of(pool: Pool, given: Encoder | None, memory: Memory, scorer: str) -> Remembering:
    """The encoder whose vectors the pool holds: the given one, or one that has a name.

    >>> from epochal.reading.questions import understand
    >>> none = np.empty(0, dtype=np.int64)
    >>> bare = Pool("tariffs", understand("tariffs"), None, None, (), none, none, np.empty(0), np.empty(0))
    >>> encoder_of(bare, None, Memory(), "dense")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: scorer 'dense' compares vectors, but the index was made without an encoder; accepted:
    an index with vectors
    """
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
    """The cosine of each candidate and the whole question, its time words included.

    >>> question_similarity.__name__
    'question_similarity'
    """
    if not len(pool):
        return np.empty(0)
    _topic_vector(pool, scorer)
    if _topic(pool) == pool.question:
        return pool.semantic
    vector = encoder_of(pool, given, memory, scorer).encode_queries([pool.question])[0]
    return pool.view.similarities(vector, pool.rows)


def passage_texts(pool: Pool) -> list[str]:
    """The text of each candidate as it was encoded for the index: its document's title, and the passage.

    >>> passage_texts.__name__
    'passage_texts'
    """
    documents = np.unique(pool.document_rows)
    titles = {row: item.title for row, item in zip(documents.tolist(), pool.view.documents(documents), strict=True)}
    passages = pool.view.passages(pool.rows)
    return [
        f"{titles[item.document_row]}\n{item.text}" if titles[item.document_row] else item.text for item in passages
    ]


def zeros_or_vectors(texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors], dim: int) -> Floats:
    """Vectors of texts, one row each; the empty text has zeros, and is not encoded.

    >>> zeros_or_vectors(["", "a"], lambda texts: np.ones((len(texts), 2), dtype=np.float32), 2).tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
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
