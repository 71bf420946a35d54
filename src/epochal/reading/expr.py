"""TimeExpr: a time expression found in a text, and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from epochal.errors import EpochalError
from epochal.times import Span

__all__ = ["KINDS", "Kind", "Tagger", "TimeExpr"]

Kind = Literal["DATE", "TIME", "DURATION", "SET"]
#: The four kinds of TIMEX3.
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class TimeExpr:
    """An expression at `text[start_char:end_char]`, its TIMEX3 `value` and `mod`, and its `span`.

    Durations and sets have no place on the axis, and references such as "soon" only a vague one: their `span` is None
    where nothing can be said. `stated` names the parts that the text itself gives ("year", "month", "day", ...) and
    `carried` those taken from the reference time or from what was read before.

    >>> TimeExpr("March 1998", 3, 13, "DATE", "1998-03", Span.parse("1998-03")).span.days
    31
    """

    text: str
    start_char: int
    end_char: int
    kind: Kind
    value: str
    span: Span | None = None
    mod: str = ""
    confidence: float = 1.0
    stated: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise EpochalError(f"kind must be one of {', '.join(KINDS)}, but is {self.kind!r}")
        if not 0 <= self.start_char < self.end_char:
            raise EpochalError(f"characters {self.start_char} to {self.end_char} are no stretch of a text")
        if not 0 < self.confidence <= 1:
            raise EpochalError(f"confidence must lie above 0 and be at most 1, but is {self.confidence}")

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the keys are documented in docs/reference/json.md. `span` is EDTF, or null.

        >>> record = TimeExpr("March 1998", 3, 13, "DATE", "1998-03", Span.parse("1998-03")).to_dict()
        >>> record["start"], record["end"], record["value"], record["span"]
        (3, 13, '1998-03', '1998-03')
        """
        return {
            "text": self.text,
            "start": self.start_char,
            "end": self.end_char,
            "kind": self.kind,
            "value": self.value,
            "mod": self.mod or None,
            "span": None if self.span is None else self.span.edtf(),
            "confidence": self.confidence,
        }

    def shifted(self, offset: int) -> TimeExpr:
        """The same expression in a text that has `offset` characters more before it.

        >>> TimeExpr("1998", 0, 4, "DATE", "1998").shifted(10).start_char
        10
        """
        return TimeExpr(
            self.text,
            self.start_char + offset,
            self.end_char + offset,
            self.kind,
            self.value,
            self.span,
            self.mod,
            self.confidence,
            self.stated,
            self.carried,
        )


@runtime_checkable
class Tagger(Protocol):
    """Finds the time expressions of a text. `now` is the text's own date, against which relative ones are resolved.

    >>> class Never:
    ...     def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
    ...         return []
    >>> isinstance(Never(), Tagger)
    True
    """

    def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        """The expressions in order of their place; they do not overlap."""
        ...
