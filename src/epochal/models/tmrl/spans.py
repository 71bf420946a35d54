"""Where the time expressions of a text stand: in its characters, and in its tokens. Needs no torch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from epochal.models.tmrl.rows import EMPTY, TEMPORAL_ANSWER, TemporalQuestion, TemporalRow
from epochal.reading.ranges import stretches
from epochal.reading.tagger import tag

__all__ = ["Place", "anchor_of", "located", "passage_places", "question_places", "read_places", "token_span"]

#: The first character of an expression, and the one after its last.
Place = tuple[int, int]

#: The most tokens of one expression that are read, as published.
_LONGEST: Final = 16


def located(text: str, expressions: Iterable[str]) -> list[Place]:
    """Where expressions stand in a text, in the order given, large letters or small; each where it comes first.

    An expression that is not in the text word for word has no place.

    >>> located("In May 1998, and again in 2001.", ["2001", "may 1998", "1999"])
    [(26, 30), (3, 11)]
    """
    small = text.lower()
    if len(small) != len(text):  # letters whose small form is longer, as İ: their places would not be those of the text
        found = (re.search(re.escape(item), text, re.IGNORECASE) for item in expressions if item.strip())
        return [match.span() for match in found if match is not None]
    wanted = [item.lower() for item in expressions if item.strip()]
    return [(start, start + len(item)) for item in wanted if (start := small.find(item)) >= 0]


def read_places(text: str) -> list[Place]:
    """Where a text states times, by the tagger; a range is one place, and takes in the words that bind it.

    >>> text = "Ann played for Leeds from 1998 to 2001, and coached them since 2004."
    >>> [text[start:end] for start, end in read_places(text)]
    ['from 1998 to 2001', 'since 2004']
    """
    return [(item.start_char, item.end_char) for item in stretches(text, tag(text))]


def passage_places(row: TemporalRow) -> list[Place]:
    """Where a passage states times: what its row says, or else what the tagger finds.

    >>> passage_places(TemporalRow("p", "Ann left in 1998.", ("1998",))), passage_places(TemporalRow("p", "In 1998."))
    ([(12, 16)], [(3, 7)])
    """
    return located(row.passage, row.temporal) if row.temporal else read_places(row.passage)


def question_places(question: TemporalQuestion) -> list[Place]:
    """Where a question states a time: as its row says, or else what the tagger finds; one that asks for it, nowhere.

    >>> question_places(TemporalQuestion("Who left in 1998?"))
    [(12, 16)]
    >>> question_places(TemporalQuestion("When did Ann leave, in 1998?", (), TEMPORAL_ANSWER))
    []
    """
    if question.temporal:
        return located(question.text, question.temporal)
    if question.type == TEMPORAL_ANSWER or question.relation == EMPTY:
        return []
    return read_places(question.text)


def anchor_of(row: TemporalRow, question: TemporalQuestion, places: Sequence[Place]) -> int:
    """Which of a passage's places a question is about: the one its row names, and the first where it names none.

    >>> row = TemporalRow("p", "Ann came in 1998 and left in 2001.", ("1998", "2001"))
    >>> anchor_of(row, TemporalQuestion("Who left after 2000?", anchor="2001"), passage_places(row))
    1
    """
    found = located(row.passage, [question.anchor])
    return places.index(found[0]) if found and found[0] in places else 0


def token_span(offsets: Sequence[tuple[int, int]], place: Place, longest: int = _LONGEST) -> tuple[int, int] | None:
    """The tokens of a place: the first, and the one after the last; what lies beyond the last token has none.

    `offsets` are the first character of each token and the one after its last, equal for tokens that are no text.

    >>> offsets = [(0, 0), (0, 2), (3, 6), (7, 11), (0, 0)]  # [CLS] in may 1998 [SEP]
    >>> token_span(offsets, (3, 11)), token_span(offsets, (20, 24))
    ((2, 4), None)
    """
    start, end = place
    inside = [number for number, (low, high) in enumerate(offsets) if low < high and low < end and high > start]
    return (inside[0], min(inside[-1] + 1, inside[0] + longest)) if inside else None
