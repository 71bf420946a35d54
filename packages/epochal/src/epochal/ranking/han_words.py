"""Words of Chinese questions, which are written without spaces: parted by what the index has side by side.

Two characters belong together if passages have them side by side more often than chance would have it; of all ways to
part a run of characters into pairs and single ones, the one with the most such evidence is taken (pointwise mutual
information, as in Sproat and Shih, "A statistical method for finding word boundaries in Chinese text", 1990). Several
characters in a row that no passage has side by side are one word that the index does not know: a name, most likely.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

__all__ = ["HanWord", "list_pieces", "part_run"]

#: Characters that ask, point and join, and no name begins or ends with.
_FUNCTIONS: Final = frozenset(
    "的地得之了着过過在于於从從以因与與和跟及并並而或若则則但被把将將让讓使给給是否有没沒未也都就還还又再才只已曾很最更较較"
    "这這那哪谁誰何什么麼啥几幾怎样樣吗嗎呢吧啊嘛们們其该該此每各所等个個些"
)
#: How many places a passage has, as a logarithm: two characters in it are side by side by chance once in so many.
_PLACES: Final = 5.0
#: What it costs a pair to have a character that only joins words: 现在 is a word, 子的 none.
_JOINING: Final = 3.0


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

    >>> frequencies = dict.fromkeys("成功发射了卫星", 40) | {"成功": 9, "功发": 2, "发射": 5, "卫星": 7}
    >>> [word.text for word in part_run("成功发射了卫星", frequencies, 100)]
    ['成功', '发射', '卫星']
    """
    # The best score of each beginning, and whether it ends with a pair.
    scores, pairs = [0.0], [False]
    for end in range(1, len(run) + 1):
        score, is_pair = scores[end - 1], False
        if end > 1 and (evidence := scores[end - 2] + _measure_pair(run[end - 2 : end], frequencies, passages)) > score:
            score, is_pair = evidence, True
        scores.append(score)
        pairs.append(is_pair)
    starts, end = [], len(run)
    while end:
        end -= 1 + pairs[end]
        starts.append(end)
    parts = [(start, end) for start, end in zip(starts[::-1], [*starts[-2::-1], len(run)], strict=True)]
    words: list[HanWord] = []
    unknown = 0
    for start, end in [*parts, (len(run), len(run) + 1)]:
        if end - start == 1 and start < len(run) and not (start and frequencies.get(run[start - 1 : start + 1])):
            continue
        # What is single up to here, and stands side by side nowhere, is one word.
        words += _find_name(run, unknown, start)
        unknown = start
        if end - start > 1 and end <= len(run):
            words.append(HanWord(run[start:end], start, is_known=True))
            unknown = end
    return words or _find_name(run, 0, len(run), least=1)


def _find_name(run: str, start: int, end: int, least: int = 2) -> list[HanWord]:
    """The characters between two places as a word, without those at its ends that only join words, if any is left."""
    while start < end and run[start] in _FUNCTIONS:
        start += 1
    while start < end and run[end - 1] in _FUNCTIONS:
        end -= 1
    return [HanWord(run[start:end], start, is_known=False)] if end - start >= least else []


def _measure_pair(pair: str, frequencies: Mapping[str, int], passages: int) -> float:
    """How much more often two characters stand side by side than by chance, as a logarithm; below 0 if never."""
    together = frequencies.get(pair, 0)
    if not together:
        return -1.0
    apart = max(frequencies.get(pair[0], 0), together) * max(frequencies.get(pair[1], 0), together)
    cost = 0.0 if _FUNCTIONS.isdisjoint(pair) else _JOINING
    return _PLACES - cost + math.log(together * max(passages, 1) / apart)
