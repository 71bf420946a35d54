"""The gate before any judgement: whether a question asks for time at all, and which periods an answer must cover.

Read by `epochal.reading.questions.understand`, so that words count and not pieces of them: "know" says nothing of now,
"unchanged" is no change, "since it is free" is no time. Years before 1900 and before our era are years like others.
What a set says of a question goes first: its periods, and TEMPO's annotation where there is one. Periods are in the
order of time, whatever the order in which they are named.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from epochal.bench.records import BenchQuery
from epochal.reading.questions.question import Understanding
from epochal.reading.questions.understand import understand
from epochal.reading.ranges import stretches
from epochal.reading.tagger import tag
from epochal.times import Span

__all__ = ["Gate", "is_known_temporal", "plain_text", "read_gate", "with_periods"]

_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_CROSS_CLASS: Final = "trends_changes_and_cross_period"


@dataclass(frozen=True, slots=True)
class Gate:
    """What a question asks of time: whether it does, its focus, whether it sets periods against each other, and which.

    >>> Gate(False).focus
    'none'
    """

    temporal: bool
    focus: str = "none"
    cross_period: bool = False
    periods: tuple[Span, ...] = ()
    understanding: Understanding | None = None


def read_gate(query: BenchQuery) -> Gate:
    """What a question asks of time, by its annotations and by its words.

    >>> asked = BenchQuery("q1", "How have fees changed since 2017?", now=Span.parse("2026-11-15"))
    >>> found = read_gate(asked)
    >>> found.focus, found.cross_period, [period.edtf() for period in found.periods]
    ('change_over_time', True, ['2017', '2026'])
    >>> read_gate(BenchQuery("q2", "Does anyone know what a Merkle tree is?")).temporal
    False
    """
    known = _guidance(query.annotations)
    found = understand(plain_text(query.text), query.now)
    cross = (
        len(query.periods) >= 2 or found.cross_period or known.get("temporal_reasoning_class_primary") == _CROSS_CLASS
    )
    temporal = found.is_temporal or is_known_temporal(query)
    focus = found.temporal_focus
    if focus == "none" and (query.periods or cross):
        focus = "change_over_time" if cross else "specific_time"
    return Gate(temporal, focus, cross, _periods(query, found, known, cross), found)


def is_known_temporal(query: BenchQuery) -> bool:
    """Whether the set itself says that a question asks for time: by periods, or by an annotation.

    >>> is_known_temporal(BenchQuery("q1", "Who won?", annotations={"is_temporal_query": True}))
    True
    >>> is_known_temporal(BenchQuery("q1", "Who won?"))
    False
    """
    return bool(query.periods) or _guidance(query.annotations).get("is_temporal_query") is True


def with_periods(query: BenchQuery) -> BenchQuery:
    """The question with the periods that it must cover, where its set names none and it asks across periods.

    >>> asked = BenchQuery("q1", "How did tolls differ in 44 BCE and in 1850?")
    >>> [period.edtf() for period in with_periods(asked).periods]
    ['-0043', '1850']
    >>> with_periods(BenchQuery("q2", "Who was president in 1920?")).periods
    ()
    """
    if query.periods:
        return query
    found = read_gate(query)
    return replace(query, periods=found.periods) if found.cross_period else query


def plain_text(text: str) -> str:
    """The text of a question that was written in HTML, as those of Stack Exchange are; others stay as they are.

    >>> plain_text('<p>Fees in 2017 &amp; <a href="https://x.org/2019">now</a>?</p>').split()
    ['Fees', 'in', '2017', '&', 'now', '?']
    """
    return html.unescape(_TAG.sub(" ", text)) if _TAG.search(text) or "&" in text else text


def _guidance(annotations: Mapping[str, Any]) -> Mapping[str, Any]:
    """TEMPO's annotation of a question, be it an entry of its own or spread among the others."""
    inner = annotations.get("query_guidance")
    return inner if isinstance(inner, Mapping) else annotations


def _periods(query: BenchQuery, found: Understanding, known: Mapping[str, Any], cross: bool) -> tuple[Span, ...]:
    if query.periods:
        return query.periods
    anchors = known.get("key_time_anchors")
    if cross and isinstance(anchors, (list, tuple)):
        named = [span for anchor in anchors if (span := _anchor(str(anchor), query.now)) is not None]
        distinct = tuple(sorted(dict.fromkeys(named), key=lambda span: (span.start, span.end)))
        if len(distinct) >= 2:
            return distinct
    return found.periods


def _anchor(text: str, now: Span | None) -> Span | None:
    """The time that an anchor names, if it names one: free text such as "the 1850s" or "post-war era"."""
    for implicit in (False, True):
        read = stretches(text, tag(text, now, implicit=implicit))
        if read:
            return read[0].span
    return None
