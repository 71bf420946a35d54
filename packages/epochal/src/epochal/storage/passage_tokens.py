"""The tokens of passages, read batch by batch: for the word index, and for the columns of `epochal.storage.contexts`.

A batch is parted into words at once, each distinct word is analysed once, and one sort counts the tokens of all
passages. Letters beyond ASCII stay with their neighbours until they are analysed, so that the analyser alone says what
parts them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count, islice
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.storage.contexts import MOST, encode_token, find_contexts
from epochal.storage.protocol import Rows, expand_runs
from epochal.storage.text import analyse

#: Words that are remembered, and the longest that are analysed many at a time: the analyser drops endless ones.
_REMEMBERED: Final = 1 << 16
_LONGEST: Final = 40
#: Characters that are read at a time, unless one passage has more.
_AT_ONCE: Final = 1 << 18

#: What stands behind each segment of a passage, and behind its last one.
_SEGMENT: Final = "\1"
_PASSAGE: Final = "\2"
_WITHOUT_MARKS: Final = {1: " ", 2: " "}
#: Whatever else of ASCII is no letter and no digit parts words. Capitals are small letters to the analyser.
_SIGNS: Final = bytes(
    ord(sign.lower()) if sign > "\x7f" or sign.isalnum() or sign in (_SEGMENT, _PASSAGE) else 32
    for sign in map(chr, range(128))
) + bytes(range(128, 256))
#: The code of marks, above those of tokens.
_MARK: Final = 1 << 32


class PassageTokens(NamedTuple):
    """The tokens of each passage with blanks between them, and the columns of the passages."""

    bodies: list[str]
    columns: dict[str, npt.NDArray[Any]]


class TokenReader:
    """Reads the tokens of passages. It remembers words, so that one reader should read all batches of a run."""

    def __init__(self) -> None:
        self._words = _Words()

    def read(
        self, texts: Sequence[tuple[str, str]], sizes: Sequence[int], starts: Sequence[int], first: int
    ) -> PassageTokens:
        """The tokens of some passages, the first of which is the `first` of all.

        Of each passage there are the title and the text; `sizes` says how many times each has, and `starts` the
        position of each in its passage, passage by passage.
        """
        bodies: list[str] = []
        parts: list[dict[str, npt.NDArray[Any]]] = []
        left = iter(starts)
        for low, high in _part_batch(texts):
            segments = _make_segments(texts[low:high], [list(islice(left, size)) for size in sizes[low:high]])
            codes, joined = self._read_words(_split_words(segments.texts))
            bodies += joined.replace(_SEGMENT, " ").split(_PASSAGE)[:-1]
            parts.append(_build_columns(codes, segments, first))
            first += len(parts[-1]["tokens"])
        return PassageTokens(bodies, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]})

    def _read_words(self, words: list[str]) -> tuple[npt.NDArray[np.int64], str]:
        """The codes of the tokens of words, and the tokens with blanks between them."""
        if len(self._words.numbers) > _REMEMBERED:
            self._words = _Words()
        known = self._words
        known.learn(set(words).difference(known.numbers))
        numbers = np.fromiter(map(known.numbers.__getitem__, words), np.int64, len(words))
        ends = np.array(known.ends)
        begins = ends[numbers]
        codes = np.array(known.codes)[expand_runs(begins, ends[numbers + 1] - begins)]
        return codes, " ".join(map(known.tokens.__getitem__, numbers.tolist()))


class _Words:
    """Words by their numbers: their tokens with blanks between them, and the codes of these. Most words have one."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {_SEGMENT: 0, _PASSAGE: 1}
        self.tokens = [_SEGMENT, _PASSAGE]
        self.codes = array("q", [_MARK, _MARK])
        #: Where the codes of each word end, behind a 0.
        self.ends = array("q", [0, 1, 2])

    def learn(self, words: Iterable[str]) -> None:
        """Analyse words that are not known."""
        plain: list[str] = []
        others: list[str] = []
        for word in words:
            (plain if len(word) <= _LONGEST and word.isascii() else others).append(word)
        tokens = analyse(" ".join(plain))  # one of each
        spelled, counts = list(tokens), [1] * len(tokens)
        for word in others:
            own = analyse(word)
            spelled.append(" ".join(own))
            counts.append(len(own))
            tokens += own
        self.numbers.update(zip((*plain, *others), count(len(self.tokens))))
        self.tokens += spelled
        self.ends.extend(accumulate(counts[1:], initial=self.ends[-1] + counts[0]) if counts else ())
        self.codes.extend(map(encode_token, tokens))


class _Segments(NamedTuple):
    """Passages in segments: the title, each run of text that is the context of a time, and the rest of the text.

    `texts` has a mark behind each segment. Of each passage there are whether it has a title, how many runs, and for
    each time the number of its run, -1 if that is the whole passage.
    """

    texts: list[str]
    titled: list[bool]
    runs: list[int]
    times: list[list[int]]


def _part_batch(texts: Sequence[tuple[str, str]]) -> Iterator[tuple[int, int]]:
    """Ranges of passages that are read at a time; one range at least, which may be empty."""
    low = size = 0
    for high, (title, text) in enumerate(texts):
        size += len(title) + len(text)
        if size > _AT_ONCE and high > low:
            yield low, high
            low, size = high, len(title) + len(text)
    yield low, len(texts)


def _make_segments(texts: Sequence[tuple[str, str]], starts: Sequence[Sequence[int]]) -> _Segments:
    segments = _Segments([], [], [], [])
    add = segments.texts.append
    for (title, text), times in zip(texts, starts, strict=True):
        around = find_contexts(text, times) if times else []
        runs = sorted(set(around) - {(0, len(text))}) if around else []
        if title:
            add(title)
            add(_SEGMENT)
        rest, done = "", 0
        for low, high in runs:
            add(text[low:high])
            add(_SEGMENT)
            rest = f"{rest}{text[done:low]}\n"
            done = high
        # No token lies across the bounds of a unit, so what is left of the text has its own tokens whole.
        add(rest + text[done:])
        add(_PASSAGE)
        segments.titled.append(bool(title))
        segments.runs.append(len(runs))
        segments.times.append([runs.index(run) if run in runs else -1 for run in around])
    return segments


def _split_words(texts: list[str]) -> list[str]:
    """The words of segments, with the mark behind each segment."""
    joined = " ".join(texts)
    if joined.count(_SEGMENT) + joined.count(_PASSAGE) > len(texts) // 2:
        texts[::2] = [text.translate(_WITHOUT_MARKS) for text in texts[::2]]
        joined = " ".join(texts)
    # Half characters are no part of any word.
    return joined.encode(errors="replace").translate(_SIGNS).decode().split()


def _build_columns(codes: npt.NDArray[np.int64], segments: _Segments, first: int) -> dict[str, npt.NDArray[Any]]:
    titled, runs = np.array(segments.titled, dtype=np.int64), np.array(segments.runs, dtype=np.int64)
    sizes = titled + runs + 1
    # The first segment of each passage, and its last one, which has what is left of its text.
    lasts = sizes.cumsum() - 1
    firsts = lasts - sizes + 1
    passages = np.repeat(np.arange(len(sizes)), sizes)
    is_token = codes < _MARK
    owners = (~is_token).cumsum(dtype=np.int64)[is_token]
    codes = codes[is_token]
    lengths = np.bincount(passages[owners], minlength=len(sizes))
    places, counts = _count_tokens(owners, codes)
    owners, codes = owners[places], codes[places]
    if len(passages) > len(sizes):
        (parted,) = (sizes[passages[owners]] > 1).nonzero()
        earliest, totals = _count_tokens(passages[owners[parted]], codes[parted], counts[parted])
        # What several segments have is counted in the first of them. What is left of a text lacks what its runs have.
        counts[parted] = 0
        counts[parted[earliest]] = totals
        is_rest = (owners == lasts[passages[owners]]) & (runs[passages[owners]] > 0)
        kept = ~is_rest | (counts > 0)
        owners, codes, counts = owners[kept], codes[kept], counts[kept]
    bounds = np.append(0, np.bincount(owners, minlength=len(passages)).cumsum())
    begins, ends = bounds[firsts], bounds[lasts + 1]
    of_times = np.repeat(np.arange(len(sizes)), [len(times) for times in segments.times])
    numbers = np.array([number for times in segments.times for number in times], dtype=np.int64)
    is_whole = numbers < 0
    at = np.where(is_whole, 0, firsts[of_times] + titled[of_times] + numbers)
    own = begins[of_times]
    return {
        "tokens": codes.astype(np.uint32),
        "tokens.count": np.minimum(counts, MOST).astype(np.uint8),
        "passages.token": first + begins,
        "passages.title_tokens": (titled * (bounds[firsts + 1] - begins)).astype(np.int32),
        "passages.length": lengths.astype(np.int32),
        "content.token": np.where(is_whole, 0, bounds[at] - own).astype(np.int32),
        "content.tokens": np.where(is_whole, ends[of_times] - own, bounds[at + 1] - bounds[at]).astype(np.int32),
    }


def _count_tokens(
    owners: Rows, codes: npt.NDArray[np.int64], counts: npt.NDArray[np.int64] | None = None
) -> tuple[Rows, npt.NDArray[np.int64]]:
    """The first place of each token of each owner, in ascending order, and how often the owner has it.

    `owners` ascend. A place may count more than once, as `counts` says.
    """
    bits = len(codes).bit_length()
    if not len(codes):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    if int(owners[-1]).bit_length() + 32 + bits < 64:
        keys = (((owners << 32) | codes) << bits) | np.arange(len(codes))
        keys.sort()
        order, keys = keys & ((1 << bits) - 1), keys >> bits
        is_first = np.append(True, keys[1:] != keys[:-1])
    else:
        order = np.lexsort((codes, owners))
        is_first = np.append(True, (np.diff(codes[order]) != 0) | (np.diff(owners[order]) != 0))
    (starts,) = is_first.nonzero()
    totals = np.zeros(len(codes), dtype=np.int64)
    totals[order[starts]] = (
        np.diff(np.append(starts, len(codes))) if counts is None else np.add.reduceat(counts[order], starts)
    )
    (places,) = totals.nonzero()
    return places, totals[places]
