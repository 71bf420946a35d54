"""How often the parts of a date are right, as Table 5 of Re3 counts: year, month, day, and all of them (EM)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from epochal.errors import EpochalError
from epochal.models.re3.times.label import NONE, Label
from epochal.times.span import Span

__all__ = ["Accuracy", "label_accuracy", "likest", "span_accuracy"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The shares of texts with the right year, month and day, with all of it right, and with no date found.

    Month and day are None where no text has any. `exact` is right where the found date is the same to the grain: a day
    is not the year that it lies in.

    >>> span_accuracy([Span.parse("1998-03"), None], [Span.year(1998), Span.year(2003)])
    Accuracy(texts=2, year=0.5, month=None, day=None, exact=0.0, missing=0.5)
    """

    texts: int
    year: float
    month: float | None
    day: float | None
    exact: float
    missing: float

    def to_dict(self, digits: int = 4) -> dict[str, float | int | None]:
        """As JSON has it, rounded.

        >>> span_accuracy([Span.year(1998)], [Span.year(1998)]).to_dict()["exact"]
        1.0
        """
        told = ((name, getattr(self, name)) for name in ("year", "month", "day", "exact", "missing"))
        return {"texts": self.texts, **{name: None if part is None else round(part, digits) for name, part in told}}


def span_accuracy(found: Sequence[Span | None], gold: Sequence[Span]) -> Accuracy:
    """How often spans are right. A span that is no single year, month or day has no part right.

    >>> span_accuracy([Span.parse("2014-07-04")], [Span.parse("2014-07-05")]).month
    1.0
    """
    return label_accuracy([None if span is None else Label.of_span(span) or NONE for span in found], _labels(gold))


def label_accuracy(found: Sequence[Label | None], gold: Sequence[Label]) -> Accuracy:
    """How often labels are right; None is one that was not found.

    >>> label_accuracy([Label(None, 6, 9)], [Label(2014, 6, 9)])
    Accuracy(texts=1, year=0.0, month=1.0, day=1.0, exact=0.0, missing=0.0)
    """
    if len(found) != len(gold) or not gold:
        raise EpochalError(f"{len(found)} dates were found for {len(gold)} texts; accepted: as many, and one or more")
    pairs = [(one or NONE, other) for one, other in zip(found, gold, strict=True)]
    count = len(gold)
    has_month = any(label.month for label in gold)
    has_day = any(label.day for label in gold)
    return Accuracy(
        count,
        sum(one.year == other.year for one, other in pairs) / count,
        sum(one.month == other.month for one, other in pairs) / count if has_month else None,
        sum(one.day == other.day for one, other in pairs) / count if has_day else None,
        sum(one == other for one, other in pairs) / count,
        sum(one is None for one in found) / count,
    )


def likest(candidates: Iterable[Span], gold: Span) -> Span | None:
    """Of several spans the one with most of its parts right: what a reader of sets has for a date it is asked about.

    >>> likest([Span.year(1998), Span.parse("2014-07-01")], Span.parse("2014-07-04")).edtf()
    '2014-07-01'
    """
    (wanted,) = _labels([gold])

    def right(span: Span) -> tuple[bool, int]:
        here = Label.of_span(span) or NONE
        parts = ((here.year, wanted.year), (here.month, wanted.month), (here.day, wanted.day))
        return here == wanted, sum(one == other for one, other in parts if other is not None)

    return max(candidates, key=right, default=None)


def _labels(gold: Sequence[Span]) -> list[Label]:
    labels = []
    for span in gold:
        label = Label.of_span(span)
        if label is None:
            raise EpochalError(f"the gold date {span.edtf()} cannot be measured; accepted: a year, a month or a day")
        labels.append(label)
    return labels
