"""What a conformance suite reports: how each case went, by groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from epochal.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How one case went: `problem` is empty where it passed.

    >>> CaseResult("en-bce-01", "bce", "").passed
    True
    """

    id: str
    group: str
    problem: str

    @property
    def passed(self) -> bool:
        """Whether it went well."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """How all cases went. `known_groups` are those that there are, where some of them were not run.

    >>> report = ConformanceReport([CaseResult("a", "bce", ""), CaseResult("b", "bce", "'44 BC' is not found")])
    >>> print(report)
    bce             1 of 2
    b: '44 BC' is not found
    """

    results: Sequence[CaseResult] = field(default_factory=list)
    known_groups: Sequence[str] = ()

    @property
    def failed(self) -> list[CaseResult]:
        """The cases that failed.

        >>> ConformanceReport([CaseResult("a", "bce", "")]).failed
        []
        """
        return [result for result in self.results if not result.passed]

    def groups(self) -> dict[str, tuple[int, int]]:
        """Passed and all cases by group.

        >>> ConformanceReport([CaseResult("a", "bce", ""), CaseResult("b", "bce", "wrong")]).groups()
        {'bce': (1, 2)}
        """
        counts: dict[str, tuple[int, int]] = {}
        for result in self.results:
            passed, total = counts.get(result.group, (0, 0))
            counts[result.group] = (passed + result.passed, total + 1)
        return counts

    def assert_passed(self, groups: Collection[str] | None = None, known: Collection[str] = ()) -> None:
        """Raise an AssertionError that lists what failed, in these groups or all, and except for the `known` ids.

        >>> ConformanceReport([CaseResult("b", "bce", "'44 BC' is not found")]).assert_passed()
        Traceback (most recent call last):
        ...
        AssertionError: 1 of 1 cases failed
        b: '44 BC' is not found
        """
        there = tuple(self.known_groups) or tuple(self.groups())
        groups = there if groups is None else groups
        each_known("group", groups, there)
        wrong = [result for result in self.failed if result.group in groups and result.id not in known]
        if wrong:
            lines = [f"{result.id}: {result.problem}" for result in wrong]
            total = sum(result.group in groups for result in self.results)
            raise AssertionError("\n".join([f"{len(wrong)} of {total} cases failed", *lines]))

    def record(self) -> dict[str, Any]:
        """As JSON has it.

        >>> ConformanceReport([CaseResult("a", "bce", "")]).record()
        {'groups': {'bce': {'passed': 1, 'cases': 1}}, 'failed': []}
        """
        groups = {name: {"passed": passed, "cases": total} for name, (passed, total) in self.groups().items()}
        failed = [{"id": item.id, "group": item.group, "problem": item.problem} for item in self.failed]
        return {"groups": groups, "failed": failed}

    def __str__(self) -> str:
        lines = [f"{name:14}{passed:3} of {total}" for name, (passed, total) in self.groups().items()]
        return "\n".join([*lines, *(f"{result.id}: {result.problem}" for result in self.failed)])


def each_known(kind: str, names: Collection[str], known: Sequence[str]) -> None:
    """Refuse a name that is not among the known ones."""
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known)
