"""Made collections: documents with all kinds of times, words and vectors, the same for the same seed."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.index.records import TITLE, Dating, Document, Entry, Passage
from epochal.times import Span

__all__ = [
    "DIM",
    "DIMS",
    "ENCODER",
    "SPANS",
    "WORDS",
    "MadeEncoder",
    "made_entries",
    "made_entry",
    "spread_rows",
    "vector_of",
]

#: The length of the vectors of made documents, of their prefixes, and what their encoder is called. All lengths are
#: multiples of 16: as some builds of pgvector have it, others end the server on processors that they were not made for.
DIM: Final = 48
DIMS: Final = 16
ENCODER: Final = "made"
#: Words of texts and of queries: stems that meet, accents, numbers, and scripts that do not part their words.
WORDS: Final = (
    "tariff tariffs ship ships king harvest flood floods treaty march comet plague bridge council harbour election "
    "winter tax the of in café naïve 1998 44 永樂元年 天津條約 ทดสอบ O'Brien x"
).split()
#: Times of every kind: before our era, deep time, open and unknown ends, uncertain ones, seconds and centuries.
SPANS: Final = tuple(
    Span.parse(text)
    for text in (
        "1998 1998-03 1998-03-05 2004-06-01T12:30:00Z -0043 -0043-03-15 -0899/-0500 0001 0000 9999-12-31 Y-66000000 "
        "1985/.. ../1066 1985/ /2001 ../.. 1984? 1984~ 2004-06%/2006 19XX 199X 2001-21 1939-09-01/1945-09-02 1914/1918"
    ).split()
)


def vector_of(text: str, dim: int = DIM) -> npt.NDArray[np.float32]:
    """A vector of length 1 that is settled by a text.

    >>> bool(np.isclose(np.linalg.norm(vector_of("Tariffs rise.")), 1)), len(vector_of("Tariffs rise.", 4))
    (True, 4)
    """
    drawn = np.random.default_rng(zlib.crc32(text.encode(errors="replace"))).standard_normal(dim)
    return np.asarray(drawn / np.linalg.norm(drawn), dtype=np.float32)


class MadeEncoder:
    """An encoder without a model: each word has a direction, and a text lies between those of its words.

    >>> encoder = MadeEncoder()
    >>> float(encoder.encode_queries(["king"])[0] @ encoder.encode_documents(["king"])[0]) > 0.99
    True
    """

    name = ENCODER
    dim = DIM

    def encode_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row a text."""
        found = np.zeros((len(texts), DIM), np.float32)
        for row, text in zip(found, texts, strict=True):
            words = text.lower().split()
            if words:
                total = np.sum([vector_of(word).astype(np.float64) for word in words], axis=0)
                row[:] = total / max(float(np.linalg.norm(total)), 1e-9)
        return found

    def encode_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """As documents are."""
        return self.encode_documents(texts)


def made_entry(id: str, version: int = 1, dim: int = DIM) -> Entry:
    """An entry that is settled by its id and version: some passages, with some times and a vector each.

    >>> made_entry("d1") .document == made_entry("d1").document != made_entry("d1", 2).document
    True
    """
    rng = random.Random(f"{id}/{version}")
    count = rng.choice((0, 1, 1, 2, 2, 3, 5)) if version % 2 else rng.randint(1, 3)
    parts = [_sentence(rng) for _ in range(count)]
    title = rng.choice(("", f"{id} title", " ".join(rng.choices(WORDS, k=2))))
    text = "\n".join(parts)
    passages, start = [], 0
    for part in parts:
        passages.append(Passage(start, start + len(part), _datings(rng, len(part), bool(title))))
        start += len(part) + 1
    document = Document(
        id,
        text,
        title,
        rng.choice((None, *SPANS)) if rng.random() < 0.7 else None,
        rng.choice(SPANS) if rng.random() < 0.3 else None,
        rng.choice((None, None, "acts", "laws", f"series {id[-1]}")),
        {"version": version, "nested": {"a": [1, 2.5, None, True, "永"]}} if rng.random() < 0.8 else {},
    )
    # A vector of a few: equal vectors have equal products, and so there are ties.
    vectors = np.array([vector_of(f"{rng.randrange(40)}", dim) for _ in parts], np.float32).reshape(len(parts), dim)
    keys = tuple(zlib.crc32(vector.tobytes()).to_bytes(4, "big") for vector in vectors)
    return Entry(document, tuple(passages), vectors, keys) if dim else Entry(document, tuple(passages))


def _sentence(rng: random.Random) -> str:
    words = rng.choices(WORDS, k=rng.choice((1, 3, 6, 9, 20, 45, 90)))
    breaks = rng.sample(range(len(words)), k=len(words) // 8)
    return " ".join(f"{word}." if place in breaks else word for place, word in enumerate(words)) + "."


def _datings(rng: random.Random, size: int, titled: bool) -> tuple[Dating, ...]:
    found = []
    for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
        start = rng.randrange(size)
        found.append(
            Dating(rng.choice(SPANS), start, min(size, start + rng.randint(0, 6)), rng.choice((1.0, 0.5, 0.1)))
        )
    if titled and rng.random() < 0.2:
        found.append(Dating(rng.choice(SPANS), TITLE, TITLE))
    return tuple(found)


def made_entries(count: int, seed: int = 0, dim: int = DIM) -> list[Entry]:
    """So many entries.

    >>> [entry.document.id for entry in made_entries(2, 7)]
    ['7-d0', '7-d1']
    """
    return [made_entry(f"{seed}-d{number}", dim=dim) for number in range(count)]


def spread_rows(rows: npt.NDArray[np.int64], share: float, seed: int) -> npt.NDArray[np.int64]:
    """About a share of the rows, ascending; at least one where there is any.

    >>> spread_rows(np.arange(100), 0.02, 1)
    array([46, 51])
    """
    if not len(rows):
        return rows
    kept = np.random.default_rng(seed).choice(rows, max(1, round(share * len(rows))), replace=False)
    return np.asarray(np.sort(kept), dtype=np.int64)
