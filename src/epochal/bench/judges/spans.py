"""A judge without a language model: a document covers a period as far as its own times do, among the right words.

For each period of the question the document's times give a few numbers (`evidence`), a fitted curve turns these into a
chance (`calibration`), and a chance above the threshold is a yes. A document is relevant when it covers any of the
periods. Of a question without periods the focus decides what it needs:

    specific_time     a time that it names; where it names none ("when was ..."), any time
    change_over_time  the periods that it compares; where they cannot be told, two times
    duration          a duration, or a stretch of time that has a beginning and an end
    recency           a time within the half-life of the answer before the present; a gap where no present is known
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from epochal.bench.judges.base import Judgement
from epochal.bench.judges.calibration import Calibration, default_calibration
from epochal.bench.judges.evidence import (
    Background,
    DatedText,
    Sighting,
    Statement,
    question_terms,
    read_document,
    sight,
    sight_any,
)
from epochal.bench.judges.gate import Gate, plain_text, read_gate
from epochal.bench.metrics.base import Verdict
from epochal.bench.records import BenchQuery
from epochal.errors import TimeRangeError
from epochal.index.records import Document
from epochal.ranking.terms import Terms
from epochal.ranking.windows import Window, windows_of
from epochal.times import OPEN_END, Grain, Span

__all__ = ["Look", "SpanJudge"]

#: How many documents and questions are kept read; each may be judged with many of the others.
_KEPT: Final = 4096
#: How far back a recent time may lie, in days, where the answer never goes stale.
_RECENT_DAYS: Final = 5500.0


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of a document: the best sighting for each period, and the one that its relevance rests on.

    Either is None where it could not be told.

    >>> Look((), None).whole is None
    True
    """

    periods: tuple[Sighting, ...]
    whole: Sighting | None


@dataclass(frozen=True, slots=True)
class _Asked:
    gate: Gate
    terms: Terms
    windows: tuple[Window, ...]


class SpanJudge:
    """The judge without a language model. The same question and document always get the same verdict.

    `background` tells which words are rare among the documents that will be judged; give it where they are at hand, as
    they are for a test set. Without it all words of a question weigh alike, and fewer verdicts are right.

    >>> judge = SpanJudge()
    >>> tolls = Document("d1", "In 1850 the tolls were doubled.")
    >>> both = Span.year(1850), Span.year(1990)
    >>> judge.judge(BenchQuery("q1", "How did tolls differ in 1850 and in 1990?", periods=both), tolls)
    Verdict(relevant=True, covers=(True, False))
    >>> judge.judge(BenchQuery("q2", "What is a Merkle tree?"), tolls) is None
    True
    """

    def __init__(self, background: Background | None = None, calibration: Calibration | None = None) -> None:
        self._background = background
        self.calibration = default_calibration() if calibration is None else calibration
        self._documents: _Kept[tuple[Any, ...], DatedText] = _Kept()
        self._questions: _Kept[tuple[Any, ...], _Asked] = _Kept()

    @property
    def name(self) -> str:
        """The name under which its judgements are kept, with what is not as usual.

        >>> SpanJudge().name, SpanJudge(Background.of([Document("d1", "Rain.")])).name
        ('spans', 'spans, background of 1 document')
        """
        parts = ["spans"]
        if self._background is not None:
            count = self._background.count
            parts.append(f"background of {count:,} document{'' if count == 1 else 's'}")
        if self.calibration != default_calibration():
            parts.append("own calibration")
        return ", ".join(parts)

    def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
        """The verdict on a document; None for a question that asks nothing of time.

        >>> SpanJudge().judge(BenchQuery("q1", "Who was king in 44 BCE?"), Document("d1", "He was king in 44 BCE."))
        Verdict(relevant=True, covers=())
        """
        found = self.explain(query, document)
        return None if found is None else found.verdict

    def explain(self, query: BenchQuery, document: Document) -> Judgement | None:
        """The verdict with its scores, and the words that speak for it.

        >>> asked = BenchQuery("q1", "Who won the prize in 1998?", periods=(Span.year(1998),))
        >>> SpanJudge().explain(asked, Document("d1", "In 1998 Ann won the prize.")).reason
        "1998: '1998'"
        """
        look = self.look(query, document)
        if look is None:
            return None
        at = self.calibration
        chances = [at.chance(sighting.features) for sighting in look.periods]
        covers = tuple(chance >= at.threshold for chance in chances)
        if look.whole is None:
            reason = "what is recent cannot be told, for no present is known"
            return Judgement(query.id, document.id, Verdict(None, covers), self.name, reason)
        whole = max(chances, default=at.chance(look.whole.features))
        verdict = Verdict(whole >= at.threshold, covers)
        return Judgement(query.id, document.id, verdict, self.name, _reason(query, look, verdict), (whole, *chances))

    def look(self, query: BenchQuery, document: Document) -> Look | None:
        """What the verdict rests on; None for a question that asks nothing of time.

        >>> asked = BenchQuery("q1", "Who won the prize in 1998?", periods=(Span.year(1998),))
        >>> look = SpanJudge().look(asked, Document("d1", "In 1998 Ann won the prize."))
        >>> look.periods[0].features
        array([1., 1., 1., 1., 1.])
        """
        asked = self._questions.get(
            (query.text, query.now, query.periods, query.id), lambda: _ask(query, self._background)
        )
        if not asked.gate.temporal:
            return None
        key = document.id, document.content_hash()
        read = self._documents.get(key, lambda: read_document(document))
        seen = tuple(sight(asked.terms, window, read) for window in asked.windows)
        if query.periods:
            return Look(seen, max(seen, key=self._chance))
        if seen:
            return Look((), max(seen, key=self._chance))
        return Look((), _focused(asked, query.now, read))

    def _chance(self, sighting: Sighting) -> float:
        return self.calibration.chance(sighting.features)


def _ask(query: BenchQuery, background: Background | None) -> _Asked:
    gate = read_gate(query)
    if gate.understanding is None:
        raise AssertionError("a gate that was read comes with what was understood")
    times = gate.understanding.expressions
    named = windows_of(gate.understanding)
    terms = question_terms(plain_text(query.text), times, background)
    if not query.periods:
        # Across periods that are only implied ("over the years") any of them will do, as for those that are named.
        return _Asked(gate, terms, named or tuple(Window(span) for span in gate.periods))
    as_worded = {window.span: window for window in named}
    return _Asked(gate, terms, tuple(as_worded.get(span, Window(span)) for span in query.periods))


def _focused(asked: _Asked, now: Span | None, read: DatedText) -> Sighting | None:
    """What a document says for a question that names no time; None where that cannot be told."""
    dated = [item for item in read.times if item.span is not None]
    focus = asked.gate.focus
    if focus == "duration":
        return sight_any(asked.terms, read, [*read.durations, *(item for item in dated if _has_length(item))])
    if focus == "change_over_time":
        several = len({item.span for item in dated}) >= 2
        return sight_any(asked.terms, read, dated if several else [])
    if focus == "recency":
        recent = _recent(asked.gate, now)
        return None if recent is None else sight(asked.terms, Window(recent), read)
    return sight_any(asked.terms, read, dated)


def _has_length(item: Statement) -> bool:
    """Whether a stretch is stated by its beginning and its end, as "from 1904 to 1906" is and "1904" is not."""
    span = item.span
    return span is not None and not span.is_open and span.seconds > 1.5 * span.coarsest_grain.seconds


def _recent(gate: Gate, now: Span | None) -> Span | None:
    if now is None or now.end == OPEN_END or gate.understanding is None:
        return None
    days = gate.understanding.half_life or _RECENT_DAYS
    try:
        return Span(now.end - int(days * 86_400), now.end, Grain.DAY)
    except TimeRangeError:
        return None


def _reason(query: BenchQuery, look: Look, verdict: Verdict) -> str:
    if not query.periods:
        return repr(look.whole.quote) if look.whole is not None and look.whole.quote else "no time that is asked for"
    told = zip(query.periods, look.periods, verdict.covers, strict=True)
    return "; ".join(
        f"{period.describe()}: {repr(sighting.quote) if covered and sighting.quote else 'no'}"
        for period, sighting, covered in told
    )


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Kept(Generic[_Key, _Value]):
    """The last few thousand values that were made, for several threads; those longest unused go first."""

    def __init__(self) -> None:
        self._values: OrderedDict[_Key, _Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: _Key, make: Callable[[], _Value]) -> _Value:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            if len(self._values) > _KEPT:
                self._values.popitem(last=False)
        return value
