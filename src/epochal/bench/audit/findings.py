"""What an audit finds: findings with examples and advice, and the report that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

from epochal.errors import UnknownNameError
from epochal.times import Span

__all__ = ["PLAIN", "WITH_TIME", "Example", "Finding", "Report", "Severity", "Spread"]

#: How many documents a finding names.
SHOWN: Final = 3
#: The two ways to search that are compared for stale versions.
PLAIN: Final = "plain hybrid search"
WITH_TIME: Final = "Epochal"


class Severity(IntEnum):
    """How much a finding matters: a note is worth knowing, a warning costs answers, an error gives wrong ones.

    >>> Severity.named("warning") > Severity.NOTE
    True
    """

    NOTE = 0
    WARNING = 1
    ERROR = 2

    @property
    def label(self) -> str:
        """Its name in small letters.

        >>> Severity.ERROR.label
        'error'
        """
        return self.name.lower()

    @classmethod
    def named(cls, name: str) -> Severity:
        """The severity of a name.

        >>> Severity.named("fatal")
        Traceback (most recent call last):
        ...
        epochal.errors.UnknownNameError: no severity is called 'fatal'; known: note, warning, error
        """
        for severity in cls:
            if severity.label == name:
                return severity
        raise UnknownNameError("severity", name, [severity.label for severity in cls])


@dataclass(frozen=True, slots=True)
class Example:
    """A document that shows what a finding means, and a few words on it.

    >>> Example("a", "published 9999").id
    'a'
    """

    id: str
    words: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found: how many documents or groups have it, some of them, and what to do about it.

    >>> Finding("undated", Severity.WARNING, "documents without any date", 7, (), "Date them.").to_dict()["count"]
    7
    """

    code: str
    severity: Severity
    title: str
    count: int
    examples: tuple[Example, ...]
    advice: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Finding("gaps", Severity.NOTE, "gaps", 1, (Example("a", "since 1998"),), "").to_dict()["examples"]
        [{'id': 'a', 'words': 'since 1998'}]
        """
        return {
            "code": self.code,
            "severity": self.severity.label,
            "title": self.title,
            "count": self.count,
            "examples": [{"id": example.id, "words": example.words} for example in self.examples],
            "advice": self.advice,
        }


@dataclass(frozen=True, slots=True)
class Spread:
    """How many documents fall into each of a row of periods.

    >>> Spread((Span.year(1998),), (3,)).most
    3
    """

    periods: tuple[Span, ...]
    counts: tuple[int, ...]

    @property
    def most(self) -> int:
        """The largest count; 0 where there is none.

        >>> Spread((), ()).most
        0
        """
        return max(self.counts, default=0)


@dataclass(frozen=True, slots=True)
class Report:
    """What is known of a collection in time, findings by severity, and the shares of chains that rank stale.

    `facts` are counts by name, `spread` is by date of publication (or by content where no document has one), `stale`
    says for each way to search in how many of the tried chains an older version ranked above the newest.

    >>> Report("news.jsonl", None, {"documents": 2}, Spread((), ()), ()).worst is None
    True
    """

    source: str
    now: Span | None
    facts: Mapping[str, int | float | str]
    spread: Spread
    findings: tuple[Finding, ...]
    stale: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def worst(self) -> Severity | None:
        """The severity of the worst finding.

        >>> finding = Finding("gaps", Severity.NOTE, "gaps", 1, (), "")
        >>> Report("news", None, {}, Spread((), ()), (finding,)).worst.label
        'note'
        """
        return max((finding.severity for finding in self.findings), default=None)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> sorted(Report("news", None, {}, Spread((), ()), ()).to_dict())
        ['facts', 'findings', 'now', 'source', 'spread', 'stale']
        """
        return {
            "source": self.source,
            "now": None if self.now is None else self.now.edtf(),
            "facts": dict(self.facts),
            "spread": {
                "periods": [span.edtf() for span in self.spread.periods],
                "counts": list(self.spread.counts),
            },
            "findings": [finding.to_dict() for finding in self.findings],
            "stale": dict(self.stale),
        }
