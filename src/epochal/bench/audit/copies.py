"""Checks of documents beside one another: near-copies and their dates, and series whose order is not clear."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from epochal.bench.audit.facts import Facts
from epochal.bench.audit.findings import SHOWN, Example, Finding, Severity
from epochal.errors import InputError
from epochal.ranking.versions import near_copies, word_set
from epochal.times.axis import DAY

__all__ = ["check_copies", "check_rows", "check_series"]

#: As much of a text as is compared; near_copies looks at its first words only.
_COMPARED: Final = 4000
_SPREAD: Final = 31


def check_copies(facts: Sequence[Facts]) -> list[Finding]:
    """Near-copies outside any series, and whether their dates lie apart.

    >>> from epochal.index.records import Document
    >>> from epochal.times import Span
    >>> one = Document("a", "Tariffs rise in May.", published=Span.year(1998))
    >>> two = Document("b", "tariffs RISE in May!", published=Span.year(2003))
    >>> check_copies([Facts(one), Facts(two)])[0].examples[0].words
    'like b, 1,826 days apart'
    """
    loose = [item.document for item in facts if item.document.series is None]
    pairs = near_copies([word_set(document.text[:_COMPARED]) for document in loose])
    if not pairs:
        return []
    told: list[tuple[int, Example]] = []
    for first, second in pairs:
        one, two = loose[first], loose[second]
        apart = 0
        words = f"like {two.id}"
        if one.published is not None and two.published is not None:
            apart = abs(one.published.start - two.published.start) // DAY
            words += f", {apart:,} days apart" if apart else ", of the same day"
        told.append((apart, Example(one.id, words)))
    far = sum(apart > _SPREAD for apart, _ in told)
    told.sort(key=lambda pair: -pair[0])
    return [
        Finding(
            "copies",
            Severity.WARNING if far else Severity.NOTE,
            f"pairs of near-copies, {far:,} of them more than {_SPREAD} days apart",
            len(pairs),
            tuple(example for _, example in told[:SHOWN]),
            "If they are versions, give them one 'series'; if one is a copy, delete it, or the later date will count.",
        )
    ]


def check_series(facts: Sequence[Facts]) -> list[Finding]:
    """Series with an undated version, with versions of the same date, and with a version that repeats an older one.

    >>> from epochal.index.records import Document
    >>> [finding.code for finding in check_series([Facts(Document(id, id, series="fees")) for id in "ab"])]
    ['series-undated']
    """
    groups: dict[str, list[Facts]] = defaultdict(list)
    for item in facts:
        if item.document.series is not None:
            groups[item.document.series].append(item)
    undated, equal, repeated = [], [], []
    for name, items in sorted(groups.items()):
        spans = [item.document.valid or item.document.published for item in items]
        starts = [span.start for span in spans if span is not None]
        first = items[0].document.id
        if len(items) > 1 and len(starts) < len(items):
            undated.append((first, f"series {name}: {len(items) - len(starts)} of {len(items)} without a date"))
        same = [count for count in Counter(starts).values() if count > 1]
        if same:
            equal.append((first, f"series {name}: {max(same)} versions of the same date"))
        texts = Counter(" ".join(item.document.text.casefold().split()) for item in items)
        if max(texts.values()) > 1:
            repeated.append((first, f"series {name}: one text in {max(texts.values())} of {len(items)} versions"))
    checks = (
        (
            "series-undated",
            Severity.ERROR,
            "series with versions that have no date",
            undated,
            "Without dates nobody can tell the newest version; give each one 'published' or 'valid_from'.",
        ),
        (
            "series-equal",
            Severity.WARNING,
            "series with several versions of the same date",
            equal,
            "Give the time of day too, or 'valid_from', so that one of them is the newer.",
        ),
        (
            "series-repeated",
            Severity.NOTE,
            "series in which a version has the text of another",
            repeated,
            "A text that came back, or a copy that was taken for a version; it makes no difference to what is found.",
        ),
    )
    return [
        Finding(code, severity, title, len(found), _examples(found), advice)
        for code, severity, title, found, advice in checks
        if found
    ]


def check_rows(bad: int, problems: Iterable[InputError]) -> list[Finding]:
    """Rows that were refused when they were read: those whose dates cannot be read, and others.

    >>> check_rows(1, [InputError("a.csv", 3, "the date under 'date' cannot be read: ...")])[0].code
    'refused-dates'
    """
    if not bad:
        return []
    told = list(problems)
    dates = [problem for problem in told if "date under" in problem.problem]
    others = [problem for problem in told if problem not in dates]
    found = []
    if dates:
        count = bad if not others else len(dates)
        found.append(
            Finding(
                "refused-dates",
                Severity.ERROR,
                "rows that were passed over because of their dates",
                count,
                _examples([(f"{problem.file}, line {problem.line}", problem.problem) for problem in dates]),
                "Write dates as ISO 8601 (1998-03-15); 03/04/2005 may be a day in March or in April.",
            )
        )
    if others:
        found.append(
            Finding(
                "refused-rows",
                Severity.ERROR,
                "rows that were passed over",
                bad - (len(dates) if dates else 0),
                _examples([(f"{problem.file}, line {problem.line}", problem.problem) for problem in others]),
                "Mend the rows, or read them with --id-from-row or other field names.",
            )
        )
    return found


def _examples(found: Sequence[tuple[str, str]]) -> tuple[Example, ...]:
    return tuple(Example(id, words) for id, words in found[:SHOWN])
