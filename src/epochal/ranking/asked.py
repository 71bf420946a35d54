"""A Chinese question without the signs of its dates, and of books that the index does not know.

Where a script does not part its words, the index counts signs and pairs of signs. Those of a date (年, 月, 三) stand in
any text, and say nothing of a passage whose time is known. Other questions stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from epochal.index.analysis import analyse
from epochal.index.backend import Rows, View
from epochal.ranking.pool import Floats, Pool
from epochal.reading.expr import TimeExpr

__all__ = ["asked_lexical", "asked_words", "without_titles"]

_HAN = re.compile("[\u3400-\u9fff]")
_TITLE = re.compile("《[^《》]*》")


def asked_lexical(pool: Pool) -> Floats:
    """BM25 of the candidates for a question that asks for a time: of one in Chinese, without the signs of its dates.

    The signs of a date are no words: a passage that is dated is found by its times, and others have the same signs. Of
    a passage without any time they are all there is, and count. In a script that parts its words the year is a word
    like others, and a rare one: a text that has it is likely to be about it.

    >>> asked_lexical.__name__
    'asked_lexical'
    """
    words = asked_words(pool.view, pool.question, pool.times)
    if words == pool.question:
        return pool.lexical
    dated = _has(pool.view.content.rows, pool.rows) | _has(pool.view.published.rows, pool.document_rows)
    return np.where(dated, pool.view.word_scores(words, pool.rows), pool.lexical)


def asked_words(view: View, text: str, times: Sequence[TimeExpr] = ()) -> str:
    """The question with blanks in place of its Chinese dates, and of titles that the index does not know.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     asked_words(store.view(), "永乐三年的船", [TimeExpr("永乐三年", 0, 4, "DATE", "1405")]).split()
    ...     asked_words(store.view(), "ships of 1405", [TimeExpr("1405", 9, 13, "DATE", "1405")])
    ['的船']
    'ships of 1405'
    """
    dates = [(item.start_char, item.end_char) for item in times if _HAN.search(item.text)]
    return _blanked(without_titles(view, text), dates)


def without_titles(view: View, text: str) -> str:
    """The text with blanks for titles in 《》 that the index has no two signs of; nothing moves.

    Such a title names the book that is asked, and its single signs stand in any text.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     without_titles(store.view(), "《史记》中的船")
    '    中的船'
    """
    return _blanked(text, _unknown_titles(view, text))


def _unknown_titles(view: View, text: str) -> Iterator[tuple[int, int]]:
    for title in _TITLE.finditer(text):
        pairs = [token for token in analyse(title[0]) if len(token) > 1]
        if not any(view.document_frequency(pairs).values()):
            yield title.span()


def _has(known: Rows, rows: Rows) -> npt.NDArray[np.bool_]:
    """Which of the rows are among others, which ascend."""
    return known.searchsorted(rows, side="right") > known.searchsorted(rows, side="left")


def _blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    signs = list(text)
    for start, end in places:
        signs[start:end] = " " * (end - start)
    return "".join(signs)
