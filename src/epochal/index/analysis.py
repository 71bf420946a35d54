"""How texts become the tokens that are counted: the same for passages and for queries."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from epochal.reading.folding import fold_in_place

if TYPE_CHECKING:
    import tantivy

__all__ = ["analyse", "analyser", "spread"]

#: Scripts that do not part their words: Han, kana, hangul syllables, Thai, Lao, Khmer and Burmese.
_UNPARTED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)


@cache
def analyser() -> tantivy.TextAnalyzer:
    """Words in small letters without accents, reduced to their English stems; none is left out but endless ones.

    >>> analyser().analyze("The cafés' tariffs")
    ['the', 'cafe', 'tariff']
    """
    import tantivy

    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(100))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def spread(text: str) -> str:
    """The text with scripts that do not part their words spread out: each character, and each pair of neighbours.

    >>> spread("in 永樂元年")
    'in  永 乐 元 年 永乐 乐元 元年 '
    """
    if text.isascii():
        return text
    # Half characters, which a query may hold and a stored text cannot, are no part of any word.
    return _UNPARTED.sub(_spread_run, text.encode(errors="replace").decode())


def _spread_run(found: re.Match[str]) -> str:
    run = fold_in_place(found[0])
    pairs = [run[place : place + 2] for place in range(len(run) - 1)]
    return f" {' '.join([*run, *pairs])} "


def analyse(text: str) -> list[str]:
    """The tokens of a text.

    >>> analyse("Tariffs of 1998")
    ['tariff', 'of', '1998']
    """
    return analyser().analyze(spread(text))
