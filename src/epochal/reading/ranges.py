"""Ranges: the stretches of time that a document states, one a range, each with the place that states it.

A tagger finds "1939" and "1945" in "from 1939 to 1945". An index wants the seven years between, and where they stand.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from epochal.reading.binding import Relation, bounded, find_cue, find_join, modifies
from epochal.reading.expr import TimeExpr
from epochal.times import Grain, Span

__all__ = ["Stretch", "stretches"]

#: "After 1945" leaves open how long after: it says less of when than "since 1945" does.
_LOOSE = 0.7
_PRESENT = frozenset(("present", "the present", "present day", "the present day", "the present time"))
_INCLUSIVE: dict[Relation, Relation] = {"before": "until", "after": "since"}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A span that a text states at `text[start_char:end_char]`, and the expressions that it is made of.

    The place takes in the words that bind: that of "since 1985" starts at "since".

    >>> Stretch(Span.parse("1985/.."), 0, 10, 0.9, ()).span.is_open
    True
    """

    span: Span
    start_char: int
    end_char: int
    confidence: float
    parts: tuple[TimeExpr, ...]


def stretches(text: str, expressions: Sequence[TimeExpr]) -> list[Stretch]:
    """The stretches that the expressions of a text state, in order; what has no place on the axis is left out.

    Two expressions that make a range ("from 2004 to 2006", "1939–45", "1998年至2003年") are one stretch. "Since" and
    "until" leave one end open, and so do "before" and "after", at a lower confidence.

    >>> from epochal.reading import tag
    >>> text = "Built between 1904 and May 1906, in use until 1990."
    >>> [(found.span.edtf(), text[found.start_char : found.end_char]) for found in stretches(text, tag(text))]
    [('1904/1906-05', 'between 1904 and May 1906'), ('../1990', 'until 1990')]
    """
    found: list[Stretch] = []
    placed = [item for item in expressions if item.span is not None]
    ends = {item.end_char for item in expressions}
    place, last = 0, len(placed)
    while place < last:
        item = placed[place]
        follower = placed[place + 1] if place + 1 < last else None
        place += 1
        if follower is not None and not _is_present(follower) and (join := find_join(text, item, follower)):
            sure = min(item.confidence, follower.confidence)
            found.append(Stretch(join.span, join.start, join.end, sure, (item, follower)))
            place += 1
            continue
        stretch = _single(text, item, ends)
        if follower is not None and follower.start_char < stretch.end_char:
            stretch = _over(stretch, item, follower)
            place += len(stretch.parts) - 1
        found.append(stretch)
    return found


def _is_present(item: TimeExpr) -> bool:
    """Whether an expression means the present at large: what lasts from 1998 to now has no end yet."""
    return item.value == "PRESENT_REF" or item.text.lower() in _PRESENT


def _over(stretch: Stretch, item: TimeExpr, follower: TimeExpr) -> Stretch:
    """A stretch that runs into the next expression: "1998–now" takes it in, "1998 to the present May" does not."""
    if follower.end_char <= stretch.end_char:
        return Stretch(stretch.span, stretch.start_char, stretch.end_char, stretch.confidence, (item, follower))
    return Stretch(item.span or stretch.span, item.start_char, item.end_char, item.confidence, (item,))


def _single(text: str, item: TimeExpr, ends: Container[int]) -> Stretch:
    """The stretch of an expression that is no end of a range; `ends` are the places where expressions end."""
    span = item.span
    if span is None:
        raise AssertionError("only expressions with a span are asked")
    cue = find_cue(text, item)
    relation, confidence = cue.relation, item.confidence
    if relation in _INCLUSIVE:
        # "Shortly after five" is about five: hours are told in order to place, not to bound.
        if span.coarsest_grain < Grain.DAY:
            return Stretch(span, item.start_char, item.end_char, confidence, (item,))
        if modifies(text, item):  # "after the 1906 earthquake" starts within 1906
            relation = _INCLUSIVE[relation]
        confidence *= _LOOSE
        if cue.start - 1 in ends:  # "ten days after 5 May 1998" lies near that day
            return Stretch(span, item.start_char, item.end_char, confidence, (item,))
    whole = span if relation == "during" else bounded(relation, span)
    if whole is None:
        return Stretch(span, item.start_char, item.end_char, confidence, (item,))
    return Stretch(whole, cue.start, cue.end, confidence, (item,))
