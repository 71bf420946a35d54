"""TEMPO's query variants of any set: as it is, without time, time alone, and with tags of intent and anchors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from epochal.bench.records import BenchQuery, BenchSet
from epochal.errors import UnknownNameError

__all__ = ["VARIANTS", "variant_text", "varied"]

#: The question as it is; without its signals of time; its times and events alone; with intent and anchors after it.
VARIANTS: Final = ("baseline", "strip", "temporal-only", "normalized")

_SIGNALS, _EVENTS = "query_temporal_signals", "query_temporal_events"
_ANCHORS, _INTENT = "key_time_anchors", "temporal_intent"


def varied(made: BenchSet, variant: str) -> BenchSet:
    """The same set with questions in a variant; everything but their texts stays.

    >>> made = BenchSet("own", (), (BenchQuery("q1", "How have fees changed since 2017?"),), {})
    >>> varied(made, "strip").queries[0].text
    'How have fees changed?'
    """
    _check(variant)
    if variant == "baseline":
        return made
    queries = (replace(query, text=variant_text(query, variant)) for query in made.queries)
    return replace(made, queries=tuple(queries))


def variant_text(query: BenchQuery, variant: str) -> str:
    """The text of a question in a variant.

    Signals, events, anchors and intent are those of the set's annotations where the question has any of these, and
    are read by rule elsewhere. Where nothing is left, the text is empty: such a question finds nothing.

    >>> asked = BenchQuery("q1", "How have fees changed since 2017?")
    >>> for name in VARIANTS: print(repr(variant_text(asked, name)))
    'How have fees changed since 2017?'
    'How have fees changed?'
    '2017; since 2017'
    'How have fees changed since 2017?\\n\\nTEMPORAL_INTENT=timeline; ANCHORS=[2017]'
    >>> told = {"query_temporal_signals": ["changed since 2017"], "key_time_anchors": ["2017", "the merge"]}
    >>> variant_text(BenchQuery("q1", asked.text, annotations=told), "strip")
    'How have fees?'
    """
    _check(variant)
    if variant == "baseline":
        return query.text
    if not any(key in query.annotations for key in (_SIGNALS, _EVENTS, _ANCHORS, _INTENT)):
        return _read(query, variant)
    from epochal.reading.questions.variants import normalized, strip, temporal_only

    anchors, signals = _list(query, _ANCHORS), _list(query, _SIGNALS)
    if variant == "strip":
        return strip(query.text, signals)
    if variant == "temporal-only":
        return temporal_only(anchors, _list(query, _EVENTS), signals)
    return normalized(query.text, str(query.annotations.get(_INTENT) or "none"), anchors)


def _check(variant: str) -> None:
    if variant not in VARIANTS:
        raise UnknownNameError("query variant", variant, VARIANTS)


def _read(query: BenchQuery, variant: str) -> str:
    from epochal.reading.questions import understand

    return dict(understand(query.text, query.now).variants)[variant.replace("-", "_")]


def _list(query: BenchQuery, key: str) -> Iterable[str]:
    value = query.annotations.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, (list, tuple)) else []
