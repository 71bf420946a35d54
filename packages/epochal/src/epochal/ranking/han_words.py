"""Words of Chinese questions, which are written without spaces: parted by what the index has side by side.

Two characters belong together if passages have them side by side more often than chance would have it; of all ways to
part a run of characters into pairs and single ones, the one with the most such evidence is taken (pointwise mutual
information, as in Sproat and Shih, "A statistical method for finding word boundaries in Chinese text", 1990). Several
characters in a row that no passage has side by side are one word that the index does not know: a name, most likely.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from epochal.lazy import lazy_regex
from epochal.ranking.word_lists import rank_listed

__all__ = ["HanWord", "list_pieces", "part_run"]

#: Characters that ask, point and join, and no name begins or ends with.
_FUNCTIONS: Final = frozenset(
    "的地得之了着过過在于於从從以因与與和跟及并並而或若则則但被把将將让讓使给給是否有没沒未也都就還还又再才只已曾很最更较較"
    "这這那哪谁誰何什么麼啥几幾怎样樣吗嗎呢吧啊嘛们們其该該此每各所等个個些向对對到至由后後前内內时時"
)
#: How many places a passage has, as a logarithm: two characters in it are side by side by chance once in so many.
_PLACES: Final = 5.0
#: "Fifth" and the like, which number what follows.
_ORDINAL: Final = lazy_regex("第[〇零一二三四五六七八九十百千两]+")
#: What a pair gains by being in a list of frequent words.
_LISTED: Final = 1.5
#: The share of the passages with the rarer of two words in which they stand side by side, if they make a compound.
_BESIDE: Final = 0.2
#: Characters of a compound.
_LONGEST: Final = 5


class HanWord(NamedTuple):
    """A word and its place in the run that it was parted from; `is_known` unless its characters never stand so."""

    text: str
    start: int
    is_known: bool


def list_pieces(runs: Iterable[str]) -> set[str]:
    """The characters and pairs of characters whose frequencies `part_run` needs."""
    return {piece for run in runs for size in (1, 2) for piece in (run[at : at + size] for at in range(len(run)))}


def part_run(run: str, frequencies: Mapping[str, int], passages: int) -> list[HanWord]:
    """The words of a run of Chinese characters; without single characters, unless there is nothing else.

    The run is written as tokens of the index are (`epochal.reading.scripts.simplify_characters`).

    >>> frequencies = dict.fromkeys("成功发射了卫星", 40) | {"成功": 9, "功发": 1, "发射": 5, "卫星": 7}
    >>> [word.text for word in part_run("成功发射了第五卫星", frequencies, 100)]
    ['成功', '发射', '第五', '卫星']
    """
    words: list[HanWord] = []
    start = 0
    for ordinal in _ORDINAL.finditer(run):
        words += _part(run, start, ordinal.start(), frequencies, passages)
        is_known = all(frequencies.get(run[at : at + 2]) for at in range(ordinal.start(), ordinal.end() - 1))
        words.append(HanWord(ordinal[0], ordinal.start(), is_known))
        start = ordinal.end()
    words += _part(run, start, len(run), frequencies, passages)
    return words or _find_name(run, 0, len(run), least=1)


def _part(run: str, first: int, last: int, frequencies: Mapping[str, int], passages: int) -> list[HanWord]:
    """The words of a part of a run, without single characters."""
    # The best score of each beginning, and whether it ends with a pair.
    scores, pairs = [0.0], [False]
    for end in range(first + 1, last + 1):
        score, is_pair = scores[-1], False
        if end > first + 1:
            evidence = scores[-2] + _measure_pair(run[end - 2 : end], frequencies, passages)
            if evidence > score:
                score, is_pair = evidence, True
        scores.append(score)
        pairs.append(is_pair)
    starts, end = [], last
    while end > first:
        end -= 1 + pairs[end - first]
        starts.append(end)
    parts = list(pairwise([*starts[::-1], last]))
    words: list[HanWord] = []
    unknown = first
    for start, end in _join_compounds(run, parts, frequencies):
        is_single = end - start == 1
        if is_single and not (start > first and frequencies.get(run[start - 1 : start + 1])):
            continue
        # What is single up to here, and stands side by side nowhere, is one word.
        words += _find_name(run, unknown, start)
        unknown = start if is_single else end
        if not is_single:
            words.append(HanWord(run[start:end], start, is_known=True))
    return [*words, *_find_name(run, unknown, last)]


def _join_compounds(
    run: str, parts: Sequence[tuple[int, int]], frequencies: Mapping[str, int]
) -> list[tuple[int, int]]:
    """The parts of a run, those that stand side by side often enough as one: 疫情防控, 民政部."""
    joined: list[tuple[int, int]] = []
    for start, end in parts:
        if joined:
            first, _ = joined[-1]
            before = run[max(first, start - 2) : start]
            rarer = min(frequencies.get(before, 0), frequencies.get(run[start:end], 0))
            # Once may be chance.
            together = frequencies.get(run[start - 1 : start + 1], 0) - 1
            is_name = _FUNCTIONS.isdisjoint(run[first:end]) and 2 < end - first <= _LONGEST
            if is_name and together >= max(1, _BESIDE * rarer):
                joined[-1] = first, end
                continue
        joined.append((start, end))
    return joined


def _find_name(run: str, start: int, end: int, least: int = 2) -> list[HanWord]:
    """The characters between two places as a word, without those at its ends that only join words, if any is left."""
    while start < end and run[start] in _FUNCTIONS:
        start += 1
    while start < end and run[end - 1] in _FUNCTIONS:
        end -= 1
    return [HanWord(run[start:end], start, is_known=False)] if end - start >= least else []


def _measure_pair(pair: str, frequencies: Mapping[str, int], passages: int) -> float:
    """How much more often two characters stand side by side than by chance, as a logarithm; below 0 for no word.

    With a character that only joins words a pair is one if it is listed: 现在 and 对于, and not 队的.
    """
    together = frequencies.get(pair, 0)
    if not together:
        return -1.0
    _, is_listed = rank_listed(pair, "zh")
    if not is_listed and not _FUNCTIONS.isdisjoint(pair):
        return -1.0
    apart = max(frequencies.get(pair[0], 0), together) * max(frequencies.get(pair[1], 0), together)
    return _PLACES + _LISTED * is_listed + math.log(together * max(passages, 1) / apart)
