"""Time expressions of a text in any language that Epochal reads."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache

from epochal.errors import EpochalError, UnknownNameError
from epochal.reading.expression import Tagger, TimeExpr
from epochal.times.span import Span

__all__ = ["LANGUAGES", "detect_languages", "tag", "tag_batch"]

#: The values of `lang`; `auto` looks at the letters.
LANGUAGES = ("auto", "en", "zh")

_HAN = re.compile(r"[㐀-鿿豈-﫿]")
_LATIN = re.compile(r"[A-Za-z]{2}|\d{3}")


def detect_languages(text: str) -> tuple[str, ...]:
    """The languages whose taggers a text needs, by its letters."""
    if _HAN.search(text) is None:
        return ("en",)
    return ("zh", "en") if _LATIN.search(text) else ("zh",)


def tag(text: str, now: Span | None = None, lang: str = "auto", *, implicit: bool = False) -> list[TimeExpr]:
    """The time expressions of a text in order; relative ones are resolved against `now`, the text's own date.

    With `implicit`, named events and periods ("the Korean War") count too, at a lower confidence, and so do words that
    take one up again ("after the war").

    >>> [(item.text, item.value) for item in tag("Sold in early May 1998, bought two years later.")]
    [('early May 1998', '1998-05'), ('two years later', '2000')]
    """
    if lang not in LANGUAGES:
        raise UnknownNameError("language", lang, LANGUAGES)
    if now is not None and now.is_open:
        now = None  # an open span is no date to count from
    names = detect_languages(text) if lang == "auto" else (lang,)
    expressions: list[TimeExpr] = []
    for name in names:
        matches = _tagger(name).tag(text, now)
        expressions = _merge(expressions, _outside_titles(text, matches) if name == "en" else matches)
    if not implicit:
        return expressions
    # "2008" inside "the 2008 Beijing Olympics" says less than the whole name.
    named = _tagger("events").tag(text, now)
    starts = [item.start_char for item in expressions]
    longer = [
        item for item in named if _contains(item, expressions[(at := bisect_left(starts, item.start_char)) : at + 1])
    ]
    return _merge(_merge(longer, expressions), named)


def tag_batch(
    texts: Iterable[str], nows: Iterable[Span | None] | None = None, lang: str = "auto", *, implicit: bool = False
) -> Iterator[list[TimeExpr]]:
    """The time expressions of many texts, one list a text.

    >>> [len(found) for found in tag_batch(["In 1998.", "Nothing."])]
    [1, 0]
    """
    if nows is None:
        for text in texts:
            yield tag(text, None, lang, implicit=implicit)
        return
    present = iter(nows)
    for text in texts:
        try:
            now = next(present)
        except StopIteration:
            raise EpochalError("there are more texts than dates in nows; give one (or None) for each text") from None
        yield tag(text, now, lang, implicit=implicit)


@cache
def _tagger(name: str) -> Tagger:
    if name == "en":
        from epochal.reading.english.tagger import EnglishTagger

        return EnglishTagger()
    if name == "zh":
        from epochal.reading.chinese.tagger import ChineseTagger

        return ChineseTagger()
    from epochal.reading.events import EventFinder

    return EventFinder()


def _outside_titles(text: str, items: list[TimeExpr]) -> list[TimeExpr]:
    """The expressions outside Chinese titles: only the Chinese tagger knows which years count there."""
    if not items or not any(mark in text for mark in "《〈「『"):
        return items
    from epochal.reading.chinese.text import outside_titles

    outside = outside_titles(text, [(item.start_char, item.end_char) for item in items])
    return [item for item, is_outside in zip(items, outside, strict=True) if is_outside]


def _contains(item: TimeExpr, following: list[TimeExpr]) -> bool:
    """Whether an expression lies within a longer one that starts no later."""
    return any(other.end_char <= item.end_char and len(other.text) < len(item.text) for other in following)


def _merge(first: list[TimeExpr], second: list[TimeExpr]) -> list[TimeExpr]:
    """Both lists in order; where two overlap, the one of the first list stays."""
    if not first or not second:
        return first or second
    merged: list[TimeExpr] = []
    position = 0
    for item in second:
        while position < len(first) and first[position].end_char <= item.start_char:
            merged.append(first[position])
            position += 1
        if position == len(first) or item.end_char <= first[position].start_char:
            merged.append(item)
    return merged + first[position:]
