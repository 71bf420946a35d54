"""Topic: a question without its time words, and the words that were time's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from epochal.reading.expr import TimeExpr
from epochal.reading.questions.constraints import Bound

__all__ = ["signals", "topic"]

_PHRASES = re.compile(
    r"\b(?:since (?:then|its [a-z]+)|ever since|over (?:time|the (?:years|decades|"
    r"centuries|ages))|"
    r"(?:over|in|during|across|for|within) the (?:last|past) (?:\w+ ){0,2}(?:days?|weeks?|months?|years?|"
    r"decades?|centur(?:y|ies))|"
    r"right now|at (?:present|the moment)|these days|up[- ]to[- ]date|then and now|nowadays|currently|"
    r"recently|lately|"
    r"today|tonight|tomorrow|yesterday|so far|to date|throughout history|through(?:out)? the (?:ages|"
    r"years|centuries)|"
    r"once upon a time|formerly|previously|still|yet|any ?more|"
    r"(?:most )?recent|latest|current|upcoming|forthcoming|now)\b"
    r"|最近|目前|现在|如今|至今|当前|近年来",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:so |and |please |tell me )?(?:(?:since )?when(?:'s)?|how long(?: ago)?|how many (?:days|weeks|"
    r"months|years|hours)|(?:in |on |at |"
    r"during )?(?:what|which) (?:exact )?"
    r"(?:year|date|day|month|decade|century|time period|period|era|time))"
    r"(?: (?:did|do|does|was|were|is|are|has|have|had|will|would|can))?\s+",
    re.IGNORECASE,
)
_BINDS = re.compile(
    r"\b(?:for|over|in|within|during|after|every|each|lasted|lasting|than)\s+(?:the\s+)?$", re.IGNORECASE
)
_BOUND = re.compile(
    r"(?:for|over|in|within|during|the (?:last|past|next)|last|past|next|every|each|once|twice|\d+ )\b", re.IGNORECASE
)
#: "The future of nuclear power" is what the question is about.
_OF = re.compile(r"\s+of\b", re.IGNORECASE)


def signals(text: str, expressions: Sequence[TimeExpr], bounds: Sequence[Bound]) -> tuple[str, ...]:
    """The time phrases of a text, each with the words that bind it, in the order of the text.

    >>> year = TimeExpr("2017", 28, 32, "DATE", "2017")
    >>> signals("How do fees stand nowadays, 2017 aside", [year], ())
    ('nowadays', '2017')
    """
    places = {(bound.start_char, bound.end_char) for bound in bounds}
    # "The Hundred Years' War" holds a duration that is a name: one counts only where a word binds it.
    places |= {
        (item.start_char, item.end_char)
        for item in expressions
        if (item.kind in ("DATE", "TIME") and not (item.value.endswith("_REF") and _OF.match(text, item.end_char)))
        or _BINDS.search(text[max(0, item.start_char - 30) : item.start_char])
        or _BOUND.match(item.text)
    }
    for match in _PHRASES.finditer(text):
        places.add(match.span())
    kept: list[tuple[int, int]] = []
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return tuple(dict.fromkeys(text[start:end] for start, end in kept))


def topic(text: str, found: Sequence[str]) -> str:
    """The text without its signals, without the words that ask for a time, and without its closing mark.

    >>> topic("When did the Berlin Wall fall?", ["When"])
    'the Berlin Wall fall'
    >>> topic("How have fees changed since 2017?", ["since 2017"])
    'How have fees changed'
    """
    from epochal.reading.questions.variants import strip

    plain = " ".join(text.split())
    rest = strip(_LEAD.sub("", plain), found)
    return rest.strip(" ?？。!,;，；") or plain.strip(" ?？")
