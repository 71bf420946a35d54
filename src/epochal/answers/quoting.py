"""Quotes: the words of a document that bear out an answer, with their place, never changed."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from epochal.engine.response import Evidence, Hit
from epochal.index.analysis import analyse
from epochal.index.splitting import units
from epochal.ranking.terms import Terms

__all__ = ["excerpt", "quote_of"]

#: The longest quote of an answer, and the longest stretch of a text that a language model is shown, in characters.
_LONGEST: Final = 300
_EXCERPT: Final = 1_200
#: A sentence shorter than this is quoted with the one after it: "13. Rain." says little.
_SHORT: Final = 12
_SPACE = re.compile(r"\s")


def quote_of(hit: Hit, evidence: Evidence | None, topic: Terms) -> tuple[int, int]:
    """Where the quote of a hit stands in its text: the sentence or line with the date, or the one nearest the topic.

    >>> from epochal.index.records import Document
    >>> from epochal.times import Span
    >>> text = "It rained. The bank cut its rate in May 1998. Nobody knew why."
    >>> said = Evidence(Span.parse("1998-05"), "May 1998", 36, 44, "The bank cut its rate in May 1998.", 1.0, 1.0)
    >>> start, end = quote_of(Hit(Document("a", text), 1.0, {}, text), said, Terms((), np.empty(0), np.empty(0)))
    >>> text[start:end]
    'The bank cut its rate in May 1998.'
    """
    text, first = hit.document.text, hit.passage_start
    parts = [(first + start, first + end) for start, end in units(hit.passage)] or [(first, first + len(hit.passage))]
    at = 0
    if evidence is not None and evidence.axis == "content" and evidence.start_char >= 0:
        at = next((number for number, part in enumerate(parts) if part[0] <= evidence.start_char < part[1]), 0)
    elif topic.tokens:
        present = [[token in set(analyse(text[start:end])) for token in topic.tokens] for start, end in parts]
        at = int(topic.shares(np.array(present)).argmax())
    start, end = _trimmed(text, *parts[at])
    while end - start < _SHORT and at + 1 < len(parts):
        at += 1
        end = _trimmed(text, start, parts[at][1])[1]
    mark = evidence.start_char if evidence is not None and evidence.start_char >= 0 else start
    return _cut(text, start, end, mark, _LONGEST)


def excerpt(hit: Hit, start: int, end: int) -> tuple[int, int]:
    """Where the stretch around a quote stands that a language model is shown: the passage, as far as there is room.

    >>> from epochal.index.records import Document
    >>> excerpt(Hit(Document("a", "It rained. It poured."), 1.0, {}, "It rained. It poured."), 0, 10)
    (0, 21)
    """
    text = hit.document.text
    low, high = _trimmed(text, hit.passage_start, hit.passage_start + len(hit.passage))
    low, high = min(low, start), max(high, end)
    return _cut(text, low, high, start, _EXCERPT)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut(text: str, start: int, end: int, mark: int, most: int) -> tuple[int, int]:
    """A stretch of at most so many characters that holds the mark, between words where there are spaces."""
    if end - start <= most:
        return start, end
    low = max(start, min(mark - most // 3, end - most))
    high = min(end, low + most)
    if low > start and (space := _SPACE.search(text, low, min(low + 40, mark))):
        low = space.end()
    if high < end:
        spaces = [found.start() for found in _SPACE.finditer(text, max(high - 40, mark), high)]
        high = spaces[-1] if spaces else high
    return _trimmed(text, low, high)
