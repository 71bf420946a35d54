"""Moments: the stretches of time that a text states, which the label of a pair is computed from.

A range ("from 1990 to 1998") is one moment, and so is a bound ("before 1998"), words that bind included. Durations,
sets and times that nothing places on the axis are no moments; a question has none of them, so they are told apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from epochal.models.tmrl.rows import relation_name
from epochal.reading import stretches, tag
from epochal.reading.expr import TimeExpr
from epochal.times import Certainty, Span

__all__ = ["SURE", "Moment", "Reading", "read_moments", "relation_of", "shares_time"]

#: A moment of a passage is trusted from here on.
SURE: Final = 0.8
#: No name of an event is trusted more than this.
_NAMED: Final = 0.6
_ERA: Final = re.compile(r"centur|millenni", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Moment:
    """A stretch of time at `text[start_char:end_char]`.

    `absolute` says that the words name it without help: "May 1998" does, "two years later" does not. `named` says that
    an event stands for it ("World War II").

    >>> read_moments("It rained from May 1998 to 2001.").moments[0].text
    'from May 1998 to 2001'
    """

    text: str
    start_char: int
    end_char: int
    span: Span
    confidence: float
    absolute: bool
    named: bool = False

    @property
    def is_range(self) -> bool:
        """Whether it says how long something lasted: a range, or a bound with an open end; "late 1998" does not.

        >>> [read_moments(text).moments[0].is_range for text in ("since 1998", "in late 1998", "1998–2001")]
        [True, False, True]
        """
        span = self.span
        is_part = bool(span.worst_certainty & Certainty.APPROXIMATE)
        return span.is_open or (not is_part and 2 * span.seconds > 3 * span.coarsest_grain.seconds)


@dataclass(frozen=True, slots=True)
class Reading:
    """The moments of a text in order, and the time expressions that are part of none.

    >>> len(read_moments("He sat for two years, until 1998.").others)
    1
    """

    moments: tuple[Moment, ...]
    others: tuple[TimeExpr, ...]

    @property
    def only(self) -> Moment | None:
        """The moment of a text that has one, and no other time expression; else None.

        >>> read_moments("Who left in 1998?").only.span.edtf(), read_moments("Who left in 1998 or 2001?").only
        ('1998', None)
        """
        return self.moments[0] if len(self.moments) == 1 and not self.others else None


def read_moments(text: str, *, implicit: bool = False) -> Reading:
    """What a text says of time, read without any date of its own; with `implicit`, named events count too.

    >>> [moment.named for moment in read_moments("before World War II", implicit=True).moments]
    [True]
    """
    items = tag(text, lang="en", implicit=implicit)
    plain = _places(tag(text, lang="en")) if any(item.confidence <= _NAMED for item in items) and implicit else None
    found = stretches(text, items)
    used = _places([part for stretch in found for part in stretch.parts])
    moments = tuple(
        Moment(
            text[stretch.start_char : stretch.end_char],
            stretch.start_char,
            stretch.end_char,
            stretch.span,
            stretch.confidence,
            _is_absolute(stretch.parts),
            plain is not None and not all((part.start_char, part.end_char) in plain for part in stretch.parts),
        )
        for stretch in found
    )
    return Reading(moments, tuple(item for item in items if (item.start_char, item.end_char) not in used))


def _places(items: Sequence[TimeExpr]) -> set[tuple[int, int]]:
    return {(item.start_char, item.end_char) for item in items}


def _is_absolute(parts: Sequence[TimeExpr]) -> bool:
    """Whether the words name a year themselves; one end of a range may lean on the other ("1990-95")."""
    return any("year" in part.stated or _ERA.search(part.text) is not None for part in parts)


def relation_of(question: Span, passage: Span) -> str:
    """How the time of a question lies to that of a passage, as rows write it.

    >>> relation_of(Span.year(1998), Span.parse("1998/2001")), relation_of(Span.year(1998), Span.year(2001))
    ('Starts', 'Before')
    """
    return relation_name(question.relation(passage))


def shares_time(question: Span, passage: Span) -> bool:
    """Whether the two have a second in common.

    >>> shares_time(Span.year(1998), Span.year(1999))
    False
    """
    return question.overlaps(passage)
