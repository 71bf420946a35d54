"""The script of a question: words of Chinese that no document has, in the other script where documents have them.

Who asks for 關稅 means 关税, too. Texts are stored as they are written; so it is the question that is rewritten, and
only where its own words are not found.
"""

from __future__ import annotations

import re
from itertools import islice, product
from typing import Final

from epochal.reading.scripts import list_variants
from epochal.search.response import Applied
from epochal.storage.protocol import View

_RUN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]{2,}")
#: A character may have several traditional forms (发: 發, 髮); so many combinations are looked up for a run.
_MAX_FORMS: Final = 32


def adapt_script(view: View, question: str) -> tuple[str, tuple[Applied, ...]]:
    """A question as the documents write it, and what the response reports of that."""
    applied: list[Applied] = []

    def rewrite(match: re.Match[str]) -> str:
        form = _find_form(view, match[0])
        if form != match[0]:
            applied.append(Applied("script", f"reads “{match[0]}” as “{form}”, as the documents write it"))
        return form

    return _RUN.sub(rewrite, question), tuple(applied)


def _find_form(view: View, run: str) -> str:
    """The form of a run of characters that has most of its pairs in documents; the run itself where none has more."""
    own = _count_known(view, run)
    if own == len(run) - 1:
        return run
    best = run
    for characters in islice(product(*(list_variants(character) for character in run)), _MAX_FORMS):
        form = "".join(characters)
        if (count := _count_known(view, form)) > own:
            best, own = form, count
    return best


def _count_known(view: View, run: str) -> int:
    """How many pairs of neighbours of a run some document has."""
    pairs = [token for token in view.analyse(run) if len(token) == 2]
    frequencies = view.get_document_frequencies(set(pairs))
    return sum(frequencies.get(pair, 0) > 0 for pair in pairs)
