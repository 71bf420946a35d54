"""Topics in text that has few names: common nouns for Latin scripts, and groups of characters for Chinese."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from epochal.reading.folding import fold_in_place

__all__ = ["HanFinder", "NounFinder"]

_WORD: Final = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*")
#: What opens a group around a noun.
_OPENERS: Final = frozenset(
    "a an the of in on to for from with by at its his her their our your this that these those no some any all "
    "and".split()
)
_SMALL_WORDS: Final = _OPENERS | frozenset(
    "is was are were be been being has have had do does did will would shall should can could may might must not or "
    "but if as it he she they we you i them him us me who whom which what when where why how than then there here so "
    "such also only just very more most less least much many few other another each every both either neither own same "
    "about after again against before between during into over under until up down out off through while because "
    "since upon within without per via one two three first last new old said says say".split()
)
_OPENING: Final = re.compile(r"(?:^|[.!?:;]\W*|\n)$")
_SHORTEST: Final = 4
_OPENED: Final = 0.4
_TOGETHER: Final = 0.25
_VERBAL: Final = ("ed", "ly")

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
#: Characters that hold a sentence together, in modern and in classical Chinese: no topic has them.
_PARTICLES: Final = frozenset(
    "的了在是和与與及或但而因为為于於对對从從到被把将將向就都也还還又再这這那其之以所者则則乃且若夫矣焉哉乎兮曰"
    "年月日時时分秒今昨明春夏秋冬上下一二三四五六七八九十百千万萬亿億个個有无無不未"
)
_COHESION: Final = 4.0
_EDGE: Final = " "


@dataclass(slots=True)
class NounFinder:
    """Finds the common nouns of a collection, and pairs of words that belong together ("steel tariffs").

    >>> finder = NounFinder()
    >>> for text in ("They raised the tariffs.", "It cut the tariffs on coal.", "In 1998 tariffs rose."):
    ...     finder.show(text)
    >>> finder.names(least=2)
    {('tariffs',)}
    """

    _all: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _opened: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def show(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> None:
        """Count what a text has.

        >>> NounFinder().show("They raised the tariffs.")
        """
        for words, _, opened in _groups(text, hidden):
            self._all[words] += 1
            self._opened[words] += opened

    def names(self, least: int) -> set[tuple[str, ...]]:
        """The nouns and pairs that occur at least so often.

        >>> NounFinder().names(1)
        set()
        """
        return {words for words, count in self._all.items() if count >= least and self._is_noun(words, count)}

    def _is_noun(self, words: tuple[str, ...], count: int) -> bool:
        if words[-1].endswith(_VERBAL) or self._opened[words] < _OPENED * count:
            return False
        # "The tariffs rose" has a pair of neighbours too, but nobody writes "the rose" of what rises.
        alone = len(words) == 1 or self._opened[words[1:]] > 0
        return alone and (len(words) == 1 or count >= _TOGETHER * min(self._all[words[:1]], self._all[words[1:]]))

    def found_in(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
        """The words and pairs of a text, with their places.

        >>> [words for words, _ in NounFinder().found_in("The tariffs rose.")]
        [('tariffs',), ('rose',), ('tariffs', 'rose')]
        """
        for words, place, _ in _groups(text, hidden):
            yield words, place


def _groups(text: str, hidden: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[str, ...], int, bool]]:
    """Words, and pairs of neighbours; with their place, and whether a word that opens a group stands right before."""
    before: re.Match[str] | None = None
    opened = is_opener = False
    for found in _WORD.finditer(text):
        is_hidden = any(low < found.end() and found.start() < up for low, up in hidden)
        # A capital inside a sentence makes a name, or part of one, which is not what is looked for here.
        if is_hidden or (found[0][0].isupper() and not _OPENING.search(text, max(0, found.start() - 3), found.start())):
            before, is_opener = None, False
            continue
        word = found[0].lower()
        if word in _SMALL_WORDS or len(word) < _SHORTEST:
            before, is_opener = None, word in _OPENERS
            continue
        yield (word,), found.start(), is_opener
        if before is not None and text[before.end() : found.start()] == " ":
            yield (before[0].lower(), word), before.start(), opened
        before, opened, is_opener = found, is_opener, False


@dataclass(slots=True)
class HanFinder:
    """Finds groups of two to four characters that belong together and stand among different neighbours.

    >>> finder = HanFinder()
    >>> for text in ("他见齐侯。", "齐侯来，会于鲁。", "公及齐侯盟。", "楚人伐齐侯。"):
    ...     finder.show(text)
    >>> ("齐侯",) in finder.names(least=3)
    True
    """

    _all: Counter[str] = field(default_factory=Counter)
    _left: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _right: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _characters: int = 0

    def show(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> None:
        """Count what a text has.

        >>> HanFinder().show("齐侯来。")
        """
        for run, _ in _han_runs(text, hidden):
            self._characters += len(run)
            padded = f"{_EDGE}{run}{_EDGE}"
            for size in (1, 2, 3, 4):
                for at in range(1, len(run) - size + 2):
                    group = padded[at : at + size]
                    self._all[group] += 1
                    if size > 1:
                        self._left[group].add(padded[at - 1])
                        self._right[group].add(padded[at + size])

    def names(self, least: int) -> set[tuple[str, ...]]:
        """The groups that occur at least so often.

        >>> HanFinder().names(1)
        set()
        """
        return {(group,) for group, count in self._all.items() if count >= least and self._belongs(group, count)}

    def _belongs(self, group: str, count: int) -> bool:
        if len(group) < 2 or not _PARTICLES.isdisjoint(group):
            return False
        # The edge of a sentence parts words more surely than two different neighbours do.
        if any(len(beside) < 2 and _EDGE not in beside for beside in (self._left[group], self._right[group])):
            return False
        chance = max(self._all[group[:cut]] * self._all[group[cut:]] for cut in range(1, len(group)))
        return count * self._characters >= _COHESION * chance

    def found_in(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
        """The groups of a text, with their places.

        >>> [words[0] for words, _ in HanFinder().found_in("齐侯来。")]
        ['齐侯', '侯来', '齐侯来']
        """
        for run, start in _han_runs(text, hidden):
            for size in (2, 3, 4):
                for at in range(len(run) - size + 1):
                    yield (run[at : at + size],), start + at


def _han_runs(text: str, hidden: Sequence[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    """Stretches of characters without the places that are hidden, traditional ones made simplified."""
    for found in _HAN.finditer(text):
        start = found.start()
        for low, up in sorted(hidden):
            if low < found.end() and start < up:
                if low > start:
                    yield fold_in_place(text[start:low]), start
                start = max(start, up)
        if start < found.end():
            yield fold_in_place(text[start : found.end()]), start
