"""Plan: the steps that answer a question, one a period that must be covered, and one that explains the change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from epochal.reading.questions.question import Step
from epochal.times import OPEN_END, OPEN_START, Span

__all__ = ["make_plan"]

_LEAD = re.compile(
    r"^(?:(?:how|what|which|why|who|in what way)(?: (?:much|far))? (?:has|have|had|did|do|does|is|are|was|"
    r"were)(?: there been)?|compare)\s+"
    r"(?:the (?:state|evolution|history|development|trends?) (?:of|in) )?",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:chang(?:e|ed|ing)|evol(?:ve|ved|ving)|develop(?:ed)?|differ(?:ed|ent)?(?: (?:from|than))?|"
    r"compare(?:d)?(?: (?:with|to))?|"
    r"been changing|grow[n]?|shift(?:ed)?|vary|varied)(?: over)?(?: (?:after|before|since|during|in) .+)?$",
    re.IGNORECASE,
)
_ENDS = {
    "when": "State when it happened, with the passage that dates it",
    "duration": "Find its start and its end, and state how long it lasted",
    "order": "Date each event, and put them in order",
    "before_after": "State what came before and what came after, with dates",
    "ongoing_status": "Check with the newest source whether that still holds",
    "period_definition": "State when the period starts and ends, and by whose reckoning",
    "timeline": "Put the dated events in order",
}


def make_plan(
    topic: str,
    intent: str,
    periods: Sequence[Span],
    now: Span | None = None,
    *,
    published: Sequence[Span] = (),
    cross: bool = False,
) -> tuple[Step, ...]:
    """Steps for a topic: one search a period, then what the intent asks for, or the change that is to be explained.

    >>> for step in make_plan("transaction fees", "timeline", [Span.year(2017), Span.year(2026)], cross=True):
    ...     print(step.number, step.action)
    1 Find the state of "transaction fees" in 2017.
    2 Find the state of "transaction fees" in 2026.
    3 Explain what changed between 2017 and 2026, and why.
    """
    about = f'the state of "{_subject(topic)}"' if cross else f'"{topic}"'
    among = f" among what was published {_when(published[0], None)}" if published else ""
    found: list[tuple[str, Span | None]] = [(f"Find {about} {_when(item, now)}{among}.", item) for item in periods]
    if not periods:
        found.append((f'Find "{topic}"{among}.', None))
    if cross and len(periods) >= 2:
        first, last = _name(periods[0], now), _name(periods[-1], now)
        found.append((f"Explain what changed between {first} and {last}, and why.", None))
    elif cross:
        found.append(("Explain what changed over time, and why.", None))
    elif intent in _ENDS:
        found.append((f"{_ENDS[intent]}.", None))
    return tuple(Step(number, action, period) for number, (action, period) in enumerate(found, 1))


def _subject(topic: str) -> str:
    """What a question of change is about: "How have fees changed" is about fees."""
    rest = _TAIL.sub("", _LEAD.sub("", topic)).strip(" ,")
    return rest or topic


def _when(span: Span, now: Span | None) -> str:
    """A period as an adverbial: "in 2017", "before 1990", "since May 2004"."""
    if span.start == OPEN_START and span.end == OPEN_END:
        return "at any time"
    words = span.describe()
    if span.start == OPEN_START:
        return words
    if span.end == OPEN_END:
        return words
    if words.startswith(("from ", "since ", "until ")):
        return words
    preposition = "on" if span.grain.name == "DAY" and span.days == 1 else "in"
    return f"{preposition} {words}{_present(span, now)}"


def _name(span: Span, now: Span | None) -> str:
    words = span.describe()
    if span.start == OPEN_START:
        return f"the time {words}"
    return f"the time {words}" if span.end == OPEN_END or words.startswith("from ") else words


def _present(span: Span, now: Span | None) -> str:
    return " (the present)" if now is not None and span.overlaps(now) and not span.is_open else ""
