"""What a search understood, found and left out, in words that a person can follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from epochal.cli.rendering.columns import clean
from epochal.engine.response import ESTIMATED_AXIS

if TYPE_CHECKING:
    from epochal.engine.response import Evidence, Response
    from epochal.reading.questions.question import Constraint, Understanding
    from epochal.times import Span

__all__ = ["evidence_sentence", "hidden_words", "outcome_sentence", "part_words", "understood_words"]

_PARTS: Final = {
    "lexical": "shares words with the question",
    "semantic": "means something close to the question",
    "topical": "fits the question without its time words",
    "alignment": "has the time asked for, beside words of the topic",
    "dated": "has names and words of the time asked for, as was learned",
    "worth": "reads like a record, not like talk about one",
    "freshness": "is recent, as the question needs",
    "undated": "has no date",
    "version": "moved by the age of its versions",
}
_KNOWN: Final = {
    "published": "the document was published",
    "valid": "the document holds",
    "title": "its title speaks of",
}
#: Words that a description of a span may start with, which no "in" goes before.
_LED: Final = ("from ", "since ", "until ", "before ", "after ", "between ")
_INTENTS: Final = {
    "when": "asks when",
    "duration": "asks how long",
    "order": "asks in which order",
    "before_after": "asks what came before or after",
    "ongoing_status": "asks how things stand",
    "period_definition": "asks what a period was",
    "timeline": "asks for a course of events",
}


def understood_words(understanding: Understanding, *, time: bool = True) -> str:
    """One line on what a question asks of time.

    >>> from epochal.reading.questions import understand
    >>> from epochal.times import Span
    >>> understood_words(understand("earthquakes in Japan before 2011", Span.year(2026)))
    'asks what came before or after; about the time until 2010 (from “2011”); topic “earthquakes in Japan”'
    >>> understood_words(understand("planets outside the solar system"))
    'nothing about time; topic “planets outside the solar system”'
    """
    found = []
    if not time:
        found.append("time switched off")
    elif not understanding.is_temporal:
        found.append("nothing about time")
    else:
        if understanding.intent in _INTENTS:
            found.append(_INTENTS[understanding.intent])
        if understanding.temporal_focus == "recency":
            found.append("wants the newest")
        found += [_constraint(item) for item in understanding.constraints]
        named = {item.span for item in understanding.constraints}
        found += [f"about {_in(period)}" for period in understanding.periods if period not in named]
        if understanding.cross_period and len(understanding.periods) > 1:
            found.append("sets these periods against each other")
        if not found:
            found.append(f"is about the {understanding.temporal_class}")
    if understanding.topic:
        found.append(f"topic “{clean(understanding.topic)}”")
    return "; ".join(found)


def _constraint(item: Constraint) -> str:
    words = item.span.describe()
    told = f"about {_in(item.span)}"
    if item.axis == "publication":
        told = f"published {words if words.startswith(_LED) else f'in {words}'}"
    if item.evidence is None or item.evidence.text == words:
        return told
    return f"{told} (from “{clean(item.evidence.text)}”)"


def _in(span: Span) -> str:
    words = span.describe()
    return f"the time {words}" if words.startswith(_LED) else words


def outcome_sentence(response: Response, first: Span | None, last: Span | None) -> str:
    """What a search says of a time that holds nothing, plainly; empty where something is recorded or no time asked.

    `first` and `last` are the times from which and up to which the index holds documents.

    >>> from epochal.engine.response import Response
    >>> from epochal.reading.questions import understand
    >>> from epochal.times import Span
    >>> asked = Response("q", None, (), understand("What happened in 1995?"), outcome="not_covered")
    >>> outcome_sentence(asked, Span.year(2002), Span.year(2026))
    'Not covered: the index, which reaches from 2002 to 2026, has no records of 1995.'
    """
    if response.outcome not in ("none_recorded", "not_covered"):
        return ""
    asked = _asked(response)
    if response.outcome == "none_recorded":
        sentence = f"None recorded: the index covers {asked}, but holds nothing on this from then."
    elif first is None or last is None:
        sentence = f"Not covered: the index holds no dated documents, so it cannot speak about {asked}."
    else:
        reach = f"from {_edge(first)} to {_edge(last)}"
        sentence = f"Not covered: the index, which reaches {reach}, has no records of {asked}."
    return f"{sentence} What comes nearest follows." if response.hits else sentence


def _edge(span: Span) -> str:
    words = span.describe()
    return words.removeprefix("from ") if span.is_open else words


def _asked(response: Response) -> str:
    spans = dict.fromkeys(item.span for item in response.applied if item.span is not None and item.name != "as_of")
    spans = spans or dict.fromkeys(item.span for item in response.understanding.constraints)
    words = [span.describe() for span in spans]
    return ", ".join(words[:-1]) + " and " * bool(words[:-1]) + words[-1] if words else "the time asked about"


def hidden_words(hidden: Mapping[str, int]) -> str:
    """How many documents a search left out, and why.

    >>> hidden_words({"undated": 2, "at another time": 1200})
    '1,202 documents: 1,200 at another time, 2 undated'
    """
    total = sum(hidden.values())
    reasons = sorted(hidden.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in reasons)
    return f"{total:,} document{'' if total == 1 else 's'}: {told}"


def part_words(name: str) -> str:
    """What a part of a score stands for; empty for one of a scorer of somebody's own.

    >>> part_words("lexical"), part_words("mine")
    ('shares words with the question', '')
    """
    return _PARTS.get(name, "")


def evidence_sentence(item: Evidence) -> str:
    """What a time says, how well it fits the time asked for, and how well the words around it fit the topic.

    >>> from epochal.engine.response import Evidence
    >>> from epochal.times import Span
    >>> print(evidence_sentence(Evidence(Span.parse("1998-05"), "May", 0, 3, "in May", 1.0, 0.5)))
    “May” is read as May 1998 (1998-05); it fits the time asked for by 100 %, the words around it the topic by 50 %
    >>> guess = Evidence(Span.parse("1998?/2003?"), "", -1, -1, "", 0.04, 0.0, "estimated")
    >>> evidence_sentence(guess).partition(";")[0]
    'it states no time'
    """
    read = f"{item.span.describe()} ({item.span.edtf()})"
    if item.axis == ESTIMATED_AXIS:
        guess = f"estimated by its names and words: {read}, a stretch that is meant to be right half of the time"
        chance = f"{item.match:.1%}".replace("%", " %")
        return f"it states no time; {guess}; the chance that it is from the time asked for is put at {chance}"
    fits = f"it fits the time asked for by {item.match:.0%}".replace("%", " %")
    if item.axis != "content":
        return f"{_KNOWN.get(item.axis, f'the document’s {item.axis} is')} {read}; {fits}"
    around = f"the words around it the topic by {item.local:.0%}".replace("%", " %")
    return f"“{clean(item.text)}” is read as {read}; {fits}, {around}"
