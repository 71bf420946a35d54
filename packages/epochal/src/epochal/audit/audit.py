"""An audit: everything that is looked at in a collection, in one report."""

from __future__ import annotations

import os
from collections.abc import Iterable

from epochal.audit.checks import (
    check_copies,
    check_future,
    check_gaps,
    check_implausible,
    check_rows,
    check_series,
    check_titles,
    check_undated,
    measure_spread,
)
from epochal.audit.facts import Facts, collect_facts, is_index, iterate_facts
from epochal.audit.report import AuditReport
from epochal.audit.stale import check_stale
from epochal.errors import EpochalError, InputError
from epochal.storage.addresses import provides, shown
from epochal.storage.importers.read import read
from epochal.storage.records import Document
from epochal.times.span import Span


def audit(
    source: str | os.PathLike[str] | Iterable[Document],
    *,
    now: Span | None = None,
    search: bool = True,
    format: str | None = None,
) -> AuditReport:
    """The report on a source: an index, a file or folder of documents, or documents.

    Without `now` nothing is in the future. `search` off leaves out whether stale versions still rank, which takes
    the longest. Findings come with the worst first.
    """
    facts, bad, unreadable, problems = _read(source, format)
    if not facts:
        raise EpochalError(f"{_name(source)} holds no document that can be read; there is nothing to look at")
    findings = [
        *check_rows(bad + unreadable, problems),
        *check_undated(facts),
        *check_future(facts, now),
        *check_implausible(facts, now),
        *check_titles(facts),
        *check_gaps(facts),
        *check_series(facts),
        *check_copies(facts),
    ]
    stale: dict[str, int | str] = {}
    if search:
        stale_findings, stale = check_stale(facts, now, source if isinstance(source, (str, os.PathLike)) else None)
        findings += stale_findings
    findings.sort(key=lambda finding: -finding.severity)
    spread = measure_spread(facts)
    return AuditReport(_name(source), now, _summarise(facts, bad, unreadable), spread, tuple(findings), stale)


def _read(
    source: str | os.PathLike[str] | Iterable[Document], format: str | None
) -> tuple[list[Facts], int, int, list[InputError]]:
    if not isinstance(source, (str, os.PathLike)) or is_index(source):
        return list(iterate_facts(source)), 0, 0, []
    reading = read(source, format=format)
    facts = [collect_facts(document) for document in reading]
    return facts, reading.bad, reading.unreadable, [*reading.problems, *reading.notes]


def _name(source: object) -> str:
    if not isinstance(source, (str, os.PathLike)):
        return "documents"
    return shown(source) if provides(source) else os.fspath(source)


def _summarise(facts: list[Facts], bad: int, unreadable: int) -> dict[str, int | float | str]:
    summary: dict[str, int | float | str] = {
        "documents": len(facts),
        "with a date of publication": sum(item.document.published is not None for item in facts),
        "with a time for which they hold": sum(item.document.valid is not None for item in facts),
        "whose title states a time": sum(bool(item.about) for item in facts),
        "whose text states a time": sum(bool(item.stated) for item in facts),
        "times stated in texts": sum(len(item.stated) for item in facts),
        "without any date": sum(not item.is_dated for item in facts),
        "series": len({item.document.series for item in facts if item.document.series is not None}),
    }
    if bad:
        summary["rows passed over"] = bad
    if unreadable:
        summary["dates that cannot be read"] = unreadable
    published = [span for item in facts if (span := item.document.published) and not span.is_open]
    if published:
        summary["first published"] = min(published, key=lambda span: span.start).describe()
        summary["last published"] = max(published, key=lambda span: span.end).describe()
    return summary
