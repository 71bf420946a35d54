"""The words that a question asks with: how much each says, and how near it stands to the time that is asked for.

A word weighs the square root of its inverse document frequency. The root keeps one rare word ("won", in a collection
that happens to use it once) from outweighing all others, which matters for questions: people ask in words that
documents do not use. Words that every question has ("who", "the") weigh nothing.

Nearness tells the two halves of "Who was born in the 1860s and won the Nobel Prize?" apart: the time belongs to the
birth, because that is what stands next to it. It falls with the number of words in between.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
import numpy.typing as npt

from epochal.index.analysis import analyse
from epochal.index.backend import View
from epochal.ranking.asked import topic_words
from epochal.reading.expr import TimeExpr

__all__ = ["Terms", "read_terms", "token_weights"]

#: Over how many words nearness falls, and what is left of it far away.
_FALL = 4.0
_FAR = 0.2
#: A new clause is so many words further away.
_CLAUSE = 4
#: Questions of more words than this are read up to here; nobody weighs the words of a page.
_MOST = 2_000

_WORD = re.compile(r"[^\W_]+")
_MARK = re.compile("[,;:]")
_NEW_CLAUSE = frozenset(("and", "but", "or", "while", "who", "which", "that", "when", "where"))
_COMMON = (
    "the of in a an and or to who whom whose which what when where why how was were is are am be been being did do "
    "does done had has have having from between for by with on at as that this these those it its his her their our "
    "your my he she they we you i among during into about than then there here not no can could will would shall "
    "should may might must if so such s t 's 的 了 是 在 和 与 有 哪 谁 什 么 吗 呢 之 "
    # What asks for anything at all, and words of no weight: what happened, which events are recorded.
    "happen occur 什么 哪些 有何 何事 事情 事件 大事 记事 记载 记录 发生 请问 查询 列出 重要 "
    "这个 这一 于 以 而 为 其 及 中 里 时"
)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The words of a question as the index counts them, with the weight and the nearness of each.

    >>> Terms(("prize",), np.array([2.0]), np.array([0.5])).tokens
    ('prize',)
    """

    tokens: tuple[str, ...]
    weights: npt.NDArray[np.float64]
    nearness: npt.NDArray[np.float64]

    def shares(self, present: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """The share of the question, by weight, that each of some contexts has: a line a context, a column a token.

        >>> terms = Terms(("prize", "peace"), np.array([1.0, 3.0]), np.ones(2))
        >>> terms.shares(np.array([[False, True], [False, False]]))
        array([0.75, 0.  ])
        """
        return _shares(present, self.weights)

    def shares_around(self, present: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """The share of the question, by weight and nearness, that each of the contexts of a time has.

        A word weighs more that tells the contexts apart, and nothing that none of them has: "born" may stand in every
        document, and still tell the dates of birth from all others.

        >>> terms = Terms(("born", "won"), np.array([0.0, 2.0]), np.ones(2))
        >>> terms.shares_around(np.array([[True, False], [False, False], [False, False]])).round(2)
        array([1., 0., 0.])
        """
        often = present.sum(axis=0)
        if not often.any():  # where nothing is asked but the time, the time alone answers
            return np.ones(len(present))
        telling = np.sqrt(np.log1p((len(present) - often + 0.5) / (often + 0.5)))
        return _shares(present, np.where(often > 0, self.nearness * (self.weights + telling), 0.0))


def _shares(present: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    total = float(weights.sum())
    return present @ weights / total if total else np.zeros(len(present))


def read_terms(view: View, text: str, times: Sequence[TimeExpr] = ()) -> Terms:
    """The words of a question without its time expressions.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     read_terms(store.view(), "Who won the peace prize?").tokens
    ('won', 'peac', 'prize')
    """
    common = _common_tokens()
    nearness: dict[str, float] = {}
    plain = topic_words(view, text, times)
    words = list(islice(_words(plain, times), _MOST))
    inside = [_is_inside(word, times) for word in words]
    places = _places(plain, words, inside)
    timed = [place for place, is_time in zip(places, inside, strict=True) if is_time]
    for place, word, is_time in zip(places, words, inside, strict=True):
        if is_time:
            continue
        distance = min((abs(place - other) for other in timed), default=0)
        near = _FAR + (1 - _FAR) * math.exp(-distance / _FALL)
        for token in analyse(word[0]):
            if token not in common:
                nearness[token] = max(near, nearness.get(token, 0.0))
    frequency = view.document_frequency(nearness)
    tokens = _telling(tuple(nearness), frequency)
    count = view.passage_count
    weights = [math.sqrt(_idf(count, frequency.get(token, 0))) for token in tokens]
    return Terms(tokens, np.array(weights), np.array([nearness[token] for token in tokens]))


def token_weights(view: View, tokens: Iterable[str]) -> dict[str, float]:
    """What each token of a question weighs; 0 for one that every question has, and for one that no passage has.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     token_weights(store.view(), ["the", "prize"])
    {'the': 0.0, 'prize': 0.0}
    """
    common, count = _common_tokens(), view.passage_count
    return {
        token: 0.0 if token in common else math.sqrt(_idf(count, frequency))
        for token, frequency in view.document_frequency(tokens).items()
    }


def _words(text: str, times: Sequence[TimeExpr]) -> Iterator[re.Match[str]]:
    """The words of a text; where a script does not part them, a time expression within a run of them stands apart."""
    start = 0
    for edge in sorted({edge for item in times for edge in (item.start_char, item.end_char)} | {len(text)}):
        yield from _WORD.finditer(text, start, edge)
        start = edge


def _telling(tokens: Sequence[str], frequency: Mapping[str, int]) -> tuple[str, ...]:
    """The tokens without single signs of a script that does not part its words, where a pair with it is known.

    One sign of 春秋 stands anywhere; it counts only where the index knows no more of the word.
    """
    known = {sign for token in tokens if len(token) == 2 and frequency.get(token) for sign in token}
    return tuple(token for token in tokens if len(token) > 1 or token.isascii() or token not in known)


def _idf(count: int, frequency: int) -> float:
    """BM25's inverse document frequency; 0 for a word that no passage has, which tells none from another.

    Deleted passages stay in the frequencies until the index is compacted, so there may be more of them than passages.
    """
    return math.log1p(max(count - frequency + 0.5, 0.5) / (frequency + 0.5)) if frequency else 0.0


def _places(text: str, words: Sequence[re.Match[str]], inside: Sequence[bool]) -> list[int]:
    """The place of each word, with more room where a clause ends: after a comma, and before "and" or "who"."""
    places, place, last = [], 0, 0
    for word, is_time in zip(words, inside, strict=True):
        if not is_time and (word[0].lower() in _NEW_CLAUSE or _MARK.search(text, last, word.start())):
            place += _CLAUSE
        places.append(place)
        place += 1
        last = word.end()
    return places


def _is_inside(word: re.Match[str], times: Sequence[TimeExpr]) -> bool:
    return any(item.start_char <= word.start() and word.end() <= item.end_char for item in times)


@cache
def _common_tokens() -> frozenset[str]:
    return frozenset(token for word in _COMMON.split() for token in analyse(word))
