"""The outcome of a search for a time: recorded, none recorded, or a time that the documents do not cover."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from epochal.engine.coverage import covers
from epochal.engine.request import Request
from epochal.engine.response import Evidence, Hit, Outcome
from epochal.index.analysis import analyse
from epochal.index.backend import View
from epochal.ranking.terms import Terms, read_terms
from epochal.ranking.windows import Window
from epochal.reading.questions.question import Understanding

__all__ = ["outcome_of"]

#: Evidence as good as this says that something is recorded: from that time, and about that.
_MATCH: Final = 0.6
_LOCAL: Final = 0.5
#: Words that ask for whatever there is: a question with no others has no topic that evidence could miss.
_ANYTHING: Final = re.compile(
    r"\b(?:happen(?:s|ed|ing)?|occur(?:s|red|ring)?|(?:took|takes?|taking|taken) place|(?:going|went|goes) on|events?|"
    r"news|anything|something|everything|recorded|reported)\b|"
    r"发生|發生|什么|什麼|何事|何|哪些|大事|事件|事情|事|新闻|新聞|记载|記載|[过過了嗎有]",
    re.IGNORECASE,
)
#: Words that speak of documents and of asking, not of what is asked about: no text need have them to be an answer.
_FRAME: Final = re.compile(
    r"\b(?:documents?|articles?|texts?|items?|entr(?:y|ies)|reports?|sources?|publi(?:sh(?:ed|es)?|cations?)|"
    r"appear(?:s|ed)?|mention(?:s|ed|ing)?|sa(?:y|ys|id)|tells?|told|known?|stated?|states|involv(?:es?|ed|ing)|"
    r"compar(?:e|es|ed|ison)|differ(?:s|ed|ent|ences?)?|already|earlier|later|find|show|list|give)\b|"
    r"文件|文章|文献|文獻|提到|提及|发表|發表|发布|發布|出版|报道|報道|报导|報導|说|說",
    re.IGNORECASE,
)


def outcome_of(
    view: View, request: Request, asked: Understanding, windows: tuple[Window, ...], hits: tuple[Hit, ...]
) -> Outcome:
    """Whether what is asked about is recorded for the time that is asked for, by the evidence of the hits.

    >>> from epochal.index.store import Store
    >>> from epochal.reading.questions import understand
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     outcome_of(store.view(), Request("tariffs"), understand("tariffs"), (), ())
    'no_window'
    """
    if not windows:
        return "no_window"
    found = [(hit, item) for hit in hits for item in hit.evidence if item.match >= _MATCH]
    if any(item.local >= _LOCAL for _, item in found):
        return "recorded"
    # Without a topic anything of that time will do, but not what is dated more vaguely: "2014" is not in July 2014.
    topic = read_terms(view, _ANYTHING.sub(" ", asked.topic))
    then = [item for _, item in found if any(item.span in window.span for window in windows)]
    if then and not topic.tokens:
        return "recorded"
    narrow = read_terms(view, _FRAME.sub(" ", _ANYTHING.sub(" ", asked.topic)))
    if narrow.tokens and any(_share(narrow, hit, item) >= _LOCAL for hit, item in found):
        return "recorded"
    return "none_recorded" if any(covers(view, window.span, request.as_of) for window in windows) else "not_covered"


def _share(terms: Terms, hit: Hit, item: Evidence) -> float:
    """The share of the words, by weight, that stand around the evidence: in its sentence, or in all of the passage."""
    words = set(analyse(f"{hit.document.title}\n{item.context if item.axis == 'content' else hit.passage}"))
    present = np.array([[token in words for token in terms.tokens]])
    return float(terms.shares(present)[0])
