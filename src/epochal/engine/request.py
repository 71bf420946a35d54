"""Request: everything that a search is asked, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from epochal.errors import EpochalError, TimeParseError, UnknownNameError
from epochal.times import Span
from epochal.times.filters import TimeFilter, after, before, named_filter, overlaps
from epochal.times.kernel import wanted

__all__ = ["UNDATED", "Request", "Undated", "as_span"]

Undated = Literal["neutral", "exclude", "penalise"]
#: What becomes of documents without any date when time is asked about: they rank by topic alone, are left out, or lose.
UNDATED: tuple[Undated, ...] = get_args(Undated)
#: Longer questions than this are texts, which take seconds to read; nothing is gained by that.
_LONGEST: Final = 20_000
_MOST: Final = 10_000
#: Where documents lie that have a relation to a span, unless that is the span itself.
_SIDES: Final = {"before": "before", "meets": "before", "after": "after", "met_by": "after", "around": "around"}


def as_span(value: Span | str | None, name: str) -> Span | None:
    """A span from a span or a text; `name` says in an error which argument was wrong.

    >>> as_span("1998-03", "during").edtf()
    '1998-03'
    >>> as_span(1998, "during")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: during must be a Span or a text such as '1998-03', but is 1998
    """
    if value is None or isinstance(value, Span):
        return value
    if not isinstance(value, str):
        raise EpochalError(f"{name} must be a Span or a text such as '1998-03', but is {value!r}")
    try:
        return Span.parse(value)
    except TimeParseError as error:
        raise TimeParseError(error.text, error.accepted, f"is not a time for {name}") from error


@dataclass(frozen=True, slots=True)
class Request:
    """A question and the wishes that come with it.

    `during`, `before` and `after` are times that the answer must have; they move documents, and with `strict` they
    leave out what is known to lie elsewhere or nowhere. `relation` names another relation to `during`. `as_of` sees
    only what was published by then, and of each series the version that held then; `valid_at` only what holds then.
    Without `time`, the question is searched as if it said nothing of time. With `settle`, of versions the one that
    should speak comes before the others; without, the scorer alone ranks. With `fold`, versions and near-copies stand
    behind the first of them. `dims` compares vectors by their first numbers alone; with a `shortlist`, so many passages
    are found by these and ranked by the whole vectors.

    >>> Request("tariffs", k=0)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: k must be from 1 to 10,000, but is 0
    """

    question: str
    k: int = 10
    now: Span | None = None
    during: Span | None = None
    before: Span | None = None
    after: Span | None = None
    relation: str | None = None
    as_of: Span | None = None
    valid_at: Span | None = None
    strict: bool = False
    undated: Undated = "neutral"
    time: bool = True
    fold: bool = True
    settle: bool = True
    dims: int | None = None
    shortlist: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.question, str) or not self.question.strip():
            raise EpochalError(f"a question must be a text that is not empty, but is {_shown(self.question)}")
        if len(self.question) > _LONGEST:
            raise EpochalError(
                f"a question may have up to {_LONGEST:,} characters, but has {len(self.question):,}; shorten it"
            )
        if not isinstance(self.k, int) or isinstance(self.k, bool) or not 1 <= self.k <= _MOST:
            raise EpochalError(f"k must be from 1 to {_MOST:,}, but is {_shown(self.k)}")
        for name in ("now", "during", "before", "after", "as_of", "valid_at"):
            if not isinstance(getattr(self, name), Span | None):
                raise EpochalError(f"{name} must be a Span or None, but is {_shown(getattr(self, name))}")
        for name in ("strict", "time", "fold", "settle"):
            if not isinstance(getattr(self, name), bool):
                raise EpochalError(f"{name} must be True or False, but is {_shown(getattr(self, name))}")
        for name in ("dims", "shortlist"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise EpochalError(f"{name} must be a whole number from 1 or None, but is {_shown(value)}")
        if self.shortlist is not None and self.dims is None:
            raise EpochalError(f"shortlist {self.shortlist} is of passages found by the first numbers; give dims too")
        if self.undated not in UNDATED:
            raise UnknownNameError("policy for undated documents", self.undated, UNDATED)
        if self.relation is not None:
            if self.during is None:
                raise EpochalError(f"relation {self.relation!r} needs a span that it relates to; give during")
            if not isinstance(self.relation, str):
                raise EpochalError(f"relation must be a text such as 'contains', but is {_shown(self.relation)}")
        # A condition that nothing can meet is found out here, not halfway through a search.
        _ = self.filters

    @property
    def filters(self) -> tuple[tuple[TimeFilter, Span], ...]:
        """The conditions that `during`, `before`, `after` and `relation` state, each with the stretch it looks in.

        >>> len(Request("tariffs", during=Span.year(1998), after=Span.parse("1998-03")).filters)
        2
        """
        found: list[tuple[TimeFilter, Span]] = []
        if self.during is not None:
            condition = overlaps(self.during) if self.relation is None else named_filter(self.relation, self.during)
            found.append((condition, wanted(self.during, _SIDES.get(self.relation or "", "during"))))
        if self.before is not None:
            found.append((before(self.before), wanted(self.before, "before")))
        if self.after is not None:
            found.append((after(self.after), wanted(self.after, "after")))
        return tuple(found)

    @property
    def sought(self) -> tuple[Span, ...]:
        """The stretches in which the answer should lie: what those conditions share, or each where they share nothing.

        >>> Request("tariffs", after=Span.year(1990), before=Span.year(2000)).sought
        (Span.parse('1991/1999'),)
        """
        spans = tuple(span for _, span in self.filters)
        shared: Span | None = spans[0] if spans else None
        for span in spans[1:]:
            shared = None if shared is None else shared & span
        return spans if shared is None else (shared,)


def _shown(value: object) -> str:
    """A value for an error, which stays one line of moderate length."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
