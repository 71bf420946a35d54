"""A small linear classifier of texts: hashed n-grams and cues into a softmax, with numpy alone.

The weights are eight-bit numbers in one `.npz` file a model under `weights/`; `tools/train_understanding.py`
makes them. A feature is a token of one of four kinds (words, pieces of words, the shape of the sentence, cues); it
falls into one of a few thousand buckets by its CRC-32, so no vocabulary has to be shipped.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, UnknownNameError
from epochal.lazy import lazy_regex
from epochal.reading.questions.cues import detect_cues, mask_years
from epochal.times.span import Span

__all__ = ["QuestionClassifier", "decide", "extract_features", "load_model", "tokenise"]

Floats = npt.NDArray[np.float64]
_WEIGHTS = Path(__file__).parent / "weights"
_WORD = lazy_regex(r"[^\W_]+", re.UNICODE)
_HAN = lazy_regex(r"[\u3400-\u9fff]")
#: The words that carry the frame of a question; all others are known in its shape by their ending only.
_FRAME = frozenset(
    """
    a an the of in on at to for from by with and or is are was were be been being do does did has have had will would
    can could should may might who whom whose what which when where why how many much long often old far most more
    least first last next previous current currently latest recent recently new newest now today this that these
    those there any some all it its their his her he she they before after since until during within over than as
    not no if so still yet ever never year years month months week weeks day days hour hours minute minutes season
    time total number name play plays played hold held head chair position team employer
    """.split()
)


def tokenise(text: str, now: Span | None = None) -> Iterator[tuple[str, str]]:
    """Every token of a text with its kind: word, piece, shape or cue. Years are masked where there is a present."""
    found, words = _split(mask_years(text, now))
    yield from (("word", gram) for gram in _grams(words, 2))
    yield from (("piece", piece) for word in words for piece in _pieces(word))
    yield from (("shape", gram) for gram in _grams(list(_shape(found)), 3))
    yield from (("cue", name) for name in detect_cues(text, now))


def _split(masked: str) -> tuple[list[str], list[str]]:
    """The words of a text as they are written, and in small letters with each sign of Chinese by itself."""
    found = _WORD.findall(masked)
    small = [word.lower() for word in found]
    if masked.isascii():
        return found, small
    return found, [piece for word in small for piece in (_HAN.findall(word) if _HAN.search(word) else [word])]


def _pieces(word: str) -> Iterator[str]:
    padded = f" {word} "
    for size in (3, 4, 5):
        yield from (padded[at : at + size] for at in range(max(1, len(padded) - size + 1)))


def _grams(words: list[str], most: int) -> Iterator[str]:
    for size in range(1, most + 1):
        yield from (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))


def _shape(words: list[str]) -> Iterator[str]:
    """The frame words as they are, numbers and names as such, the rest by their last letters."""
    before = ""
    for place, word in enumerate(words):
        lowered = word.lower()
        if lowered in _FRAME:
            sign = lowered
        elif word.isdigit():
            sign = "N"
        elif word[0].isupper() and place:
            sign = "E"
        else:
            sign = "x" + lowered[-3:]
        if sign != "E" or before != "E":
            yield sign
        before = sign


def extract_features(
    text: str, now: Span | None, idf: npt.NDArray[np.floating] | None, buckets: int, cue_weight: float
) -> tuple[npt.NDArray[np.intp], Floats]:
    """The buckets that a text fills, and how far; one may come twice. Without `idf` all buckets are equally rare.

    A kind other than cues has length 1 in a text, however long the text is.
    """
    tokens = _count_tokens(text, now)
    places = tokens.hashes % buckets
    values = np.full(len(places), cue_weight)
    if tokens.sizes:
        count = len(tokens.counts)
        weighed = tokens.counts if idf is None else tokens.counts * idf[places[:count]]
        lengths = np.sqrt(np.add.reduceat(weighed * weighed, tokens.starts))
        values[:count] = weighed / np.repeat(np.maximum(lengths, 1e-9), tokens.sizes)
    return places, values


class _Tokens(NamedTuple):
    """The hashes of the tokens of a text, kind by kind with cues last, and one plus the logarithm of their counts.

    Cues have no counts. `starts` says where each of the other kinds begins, `sizes` how many tokens it has.
    """

    hashes: npt.NDArray[np.intp]
    counts: Floats
    starts: list[int]
    sizes: list[int]


@lru_cache(maxsize=16)  # both models ask for the same text in turn
def _count_tokens(text: str, now: Span | None) -> _Tokens:
    found, words = _split(mask_years(text, now))
    kinds = (
        _gram_hashes("word", words, 2),
        [code for word in words for code in _piece_hashes(word)],
        _gram_hashes("shape", list(_shape(found)), 3),
    )
    counted = [Counter(hashes) for hashes in kinds if hashes]
    sizes = [len(counts) for counts in counted]
    hashes = [*chain.from_iterable(counted), *_hashes("cue", detect_cues(text, now))]
    counts = [count for part in counted for count in part.values()]
    starts = [0, *accumulate(sizes[:-1])] if sizes else []
    return _Tokens(np.array(hashes, np.intp), 1.0 + np.log(np.array(counts, np.float64)), starts, sizes)


def _hashes(kind: str, listed: Iterable[str]) -> list[int]:
    """The checksum of each token with its kind before it."""
    before = zlib.crc32(f"{kind}:".encode())
    return [zlib.crc32(token.encode(), before) for token in listed]


def _gram_hashes(kind: str, words: list[str], most: int) -> list[int]:
    """The hashes of the grams of words. A checksum goes on from that of the words before, so no gram need be made."""
    codes = _hashes(kind, words)
    behind = [b" " + word.encode() for word in words]
    found, size = [*codes], 1
    while size < most:
        codes = list(map(zlib.crc32, behind[size:], codes))
        found += codes
        size += 1
    return found


@lru_cache(maxsize=4096)  # most questions share their words
def _piece_hashes(word: str) -> tuple[int, ...]:
    return tuple(_hashes("piece", _pieces(word)))


@dataclass(frozen=True, eq=False)
class QuestionClassifier:
    """Weights of one question: `labels`, a weight a bucket and label, a bias a label, and the rarity of the buckets.

    `present` is the reference time of the model when none is given; None where years are then left unmasked.
    """

    labels: tuple[str, ...]
    weights: Floats
    bias: Floats
    idf: Floats
    cue_weight: float
    present: Span | None = None

    def __post_init__(self) -> None:
        if self.weights.shape != (len(self.idf), len(self.labels)) or self.bias.shape != (len(self.labels),):
            raise EpochalError(
                f"a linear model of {len(self.labels)} labels and {len(self.idf)} buckets has weights of shape "
                f"{self.weights.shape} and a bias of shape {self.bias.shape}"
            )

    def probabilities(self, text: str, now: Span | None = None) -> Floats:
        """How likely each label is, in the order of `labels`."""
        places, values = extract_features(text, now or self.present, self.idf, len(self.idf), self.cue_weight)
        scores = values @ self.weights[places] + self.bias
        powers = np.exp(scores - scores.max())
        return np.asarray(powers / powers.sum())

    def save(self, path: Path) -> None:
        """Write the model; weights are rounded to eight bits a label."""
        scale = np.maximum(np.abs(self.weights).max(axis=0), 1e-9) / 127
        rarity = max(float(self.idf.max()), 1e-9) / 255
        np.savez_compressed(
            path,
            labels=np.array(self.labels),
            weights=np.round(self.weights / scale).astype(np.int8),
            scale=scale.astype(np.float32),
            bias=self.bias.astype(np.float32),
            idf=np.round(self.idf / rarity).astype(np.uint8),
            rarity=np.float32(rarity),
            cue_weight=np.float32(self.cue_weight),
            present=np.array("" if self.present is None else self.present.edtf()),
        )

    @classmethod
    def load(cls, path: Path) -> QuestionClassifier:
        """Read a model that `save` wrote."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                present = str(arrays["present"])
                return cls(
                    tuple(str(label) for label in arrays["labels"]),
                    arrays["weights"].astype(np.float64) * arrays["scale"],
                    arrays["bias"].astype(np.float64),
                    arrays["idf"].astype(np.float64) * float(arrays["rarity"]),
                    float(arrays["cue_weight"]),
                    Span.parse(present) if present else None,
                )
        except (OSError, EOFError, KeyError, ValueError, BadZipFile) as error:
            raise EpochalError(f"{path} is no linear model: {error}") from error


@lru_cache(maxsize=8)
def load_model(name: str) -> QuestionClassifier:
    """A model that the package ships, read once: "recency" or "temporal_class"."""
    path = _WEIGHTS / f"{name}.npz"
    if not path.is_file():
        raise UnknownNameError("model of questions", name, sorted(item.stem for item in _WEIGHTS.glob("*.npz")))
    return QuestionClassifier.load(path)


def decide(probabilities: Floats, most: float = 1.0) -> int:
    """The label with the least expected cost, when a label `d` places off costs `d`, and at most `most`.

    With `most` 1 that is the likeliest label; a larger one prefers the middle of what is likely, which is what
    ordered labels want.
    """
    return int((_list_costs(len(probabilities), most) @ probabilities).argmin())


@lru_cache(maxsize=16)
def _list_costs(count: int, most: float) -> Floats:
    """What each of so many labels costs where another one is true."""
    places = np.arange(count)
    return np.asarray(np.minimum(np.abs(places[:, None] - places[None, :]), most), dtype=np.float64)
