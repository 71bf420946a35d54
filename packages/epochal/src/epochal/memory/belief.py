"""Read from a question by when something was believed: "what did we think in May about the house?"."""

from __future__ import annotations

import re
from typing import Final

from epochal.reading.tagger import tag
from epochal.times.span import Span

_SUBJECT: Final = r"(?:we|I|you|they|he|she|people|everybody|everyone|[A-Z]\w+)"
_VERB: Final = r"(?:believed?|think|thought|known?|assumed?|supposed?|expect(?:ed)?)"
#: "Did we believe", "had we known"; what follows, or what comes before the question, says when.
_BELIEVED: Final = re.compile(
    rf"\b(?:did|had)\s+{_SUBJECT}\s+(?:already\s+|still\s+)?{_VERB}\b|\bwas\s+(?:believed|known|thought)\b"
)
_BEFORE_TIME: Final = re.compile(
    r"(?:\s+back)?,?\s+(?:(?:in|on|by|at|as of|during|until|around)(?:\s+the)?\s+)?", re.IGNORECASE
)
_OPENING: Final = re.compile(r"(?:back )?(?:in|on|by|at|as of|during|until|around)(?: the)? ", re.IGNORECASE)


def read_belief(question: str, now: Span | None) -> tuple[str, Span] | None:
    """The question without the words about belief, and by when it was believed; None where no such time is named.

    >>> read_belief("What did we believe in May about the house?", Span.parse("2024-12-20"))
    ('What about the house?', Span.parse('2024-05'))
    >>> read_belief("What did Ana think of the concert in May?", Span.parse("2024-12-20"))
    """
    verb = _BELIEVED.search(question)
    if verb is None:
        return None
    for item in tag(question, now, prefer="past"):  # whatever was expected, it was expected before now
        if item.span is None or item.span.is_open:
            continue
        between = question[verb.end() : item.start_char]
        if item.start_char >= verb.end() and _BEFORE_TIME.fullmatch(between):
            rest = question[: verb.start()] + question[item.end_char :].lstrip(" ,")
        elif item.end_char < verb.start() and _OPENING.fullmatch(question, 0, item.start_char):
            rest = question[item.end_char : verb.start()].lstrip(" ,") + question[verb.end() :].lstrip()
        else:
            continue
        return " ".join(rest.split()), item.span
    return None
