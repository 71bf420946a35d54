"""Checks of documents beside one another: near-copies and their dates, and series whose order is not clear.

Checks of single dates: missing, in the future, beyond belief, at odds with the title, and runs without any.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from epochal.audit.facts import MIN_CONFIDENCE, Facts
from epochal.audit.report import SHOWN, AuditFinding, Example, Severity, Spread
from epochal.errors import InputError
from epochal.ranking.histogram import count_in_bins, make_periods
from epochal.ranking.versions import find_near_duplicates, make_word_set
from epochal.times.axis import DAY, Grain, get_year
from epochal.times.span import Span

#: As much of a text as is compared; near_copies looks at its first words only.
_COMPARED: Final = 4000
_SPREAD: Final = 31


def check_copies(facts: Sequence[Facts]) -> list[AuditFinding]:
    """Near-copies outside any series, and whether their dates lie apart."""
    loose = [item.document for item in facts if item.document.series is None]
    pairs = find_near_duplicates([make_word_set(document.text[:_COMPARED]) for document in loose])
    if not pairs:
        return []
    rows: list[tuple[int, Example]] = []
    for first, second in pairs:
        one, two = loose[first], loose[second]
        apart = 0
        words = f"like {two.id}"
        if one.published is not None and two.published is not None:
            apart = abs(one.published.start - two.published.start) // DAY
            words += f", {apart:,} days apart" if apart else ", of the same day"
        rows.append((apart, Example(one.id, words)))
    far = sum(apart > _SPREAD for apart, _ in rows)
    rows.sort(key=lambda pair: -pair[0])
    return [
        AuditFinding(
            "copies",
            Severity.WARNING if far else Severity.NOTE,
            f"pairs of near-copies, {far:,} of them more than {_SPREAD} days apart",
            len(pairs),
            tuple(example for _, example in rows[:SHOWN]),
            "If they are versions, give them one 'series'; if one is a copy, delete it, or the later date will count.",
        )
    ]


def check_series(facts: Sequence[Facts]) -> list[AuditFinding]:
    """Series with an undated version, with versions of the same date, and with a version that repeats an older one."""
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
        AuditFinding(code, severity, title, len(examples), _make_examples(examples), advice)
        for code, severity, title, examples, advice in checks
        if examples
    ]


def check_rows(bad: int, problems: Iterable[InputError]) -> list[AuditFinding]:
    """Rows that were refused when they were read: those whose dates cannot be read, and others."""
    if not bad:
        return []
    rows = list(problems)
    dates = [problem for problem in rows if "date under" in problem.problem]
    others = [problem for problem in rows if problem not in dates]
    findings = []
    if dates:
        count = bad if not others else len(dates)
        findings.append(
            AuditFinding(
                "refused-dates",
                Severity.ERROR,
                "dates that cannot be read; these documents are undated",
                count,
                _make_examples([(f"{problem.file}, line {problem.line}", problem.problem) for problem in dates]),
                "Write dates as ISO 8601 (1998-03-15); 03/04/2005 may be a day in March or in April.",
            )
        )
    if others:
        findings.append(
            AuditFinding(
                "refused-rows",
                Severity.ERROR,
                "rows that were passed over",
                bad - (len(dates) if dates else 0),
                _make_examples([(f"{problem.file}, line {problem.line}", problem.problem) for problem in others]),
                "Mend the rows, or read them with --id-from-row or other field names.",
            )
        )
    return findings


def _make_examples(examples: Sequence[tuple[str, str]]) -> tuple[Example, ...]:
    return tuple(Example(id, words) for id, words in examples[:SHOWN])


#: From which share on undated documents are a warning, and an error.
_MANY: Final = 0.05
_MAJORITY: Final = 0.5
#: A silence this many times as long as the usual one is a hole: the same measure as that of a search's coverage.
_HOLE: Final = 10
#: Days that programs write for "not known", and how far from the usual year they must lie to be taken for that.
_PLACEHOLDERS: Final = ("0001-01-01", "1900-01-01", "1970-01-01", "9999-12-31")
_FAR_YEARS: Final = 20
_OLD: Final = 1000
_RECENT: Final = 1500
_AHEAD_YEARS: Final = 100
_AT_ODDS: Final = 366 * DAY
_MAX_BARS: Final = 120
_GRAINS: Final = (Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.YEAR, Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM)


def _list_published(facts: Sequence[Facts]) -> list[tuple[Span, str]]:
    return [
        (item.document.published, item.document.id)
        for item in facts
        if item.document.published is not None and not item.document.published.is_open
    ]


def check_undated(facts: Sequence[Facts]) -> list[AuditFinding]:
    """Documents of which no time is known, and documents without a date of publication."""
    bare = [item for item in facts if not item.is_dated]
    unpublished = [item for item in facts if item.is_dated and item.document.published is None]
    examples = []
    if bare:
        share = len(bare) / len(facts)
        examples.append(
            AuditFinding(
                "undated",
                Severity.ERROR if share >= _MAJORITY else Severity.WARNING if share >= _MANY else Severity.NOTE,
                f"documents without any date ({share:.1%})",
                len(bare),
                _make_examples([(item.document.id, "no date of publication, and none in its text") for item in bare]),
                "Give them a date under 'published', or choose with undated= what searches do with them.",
            )
        )
    if unpublished:
        examples.append(
            AuditFinding(
                "unpublished",
                Severity.WARNING if len(unpublished) >= _MAJORITY * len(facts) else Severity.NOTE,
                "documents whose text states times, but not when they were published",
                len(unpublished),
                _make_examples(
                    [(item.document.id, f"{len(item.stated) + len(item.about)} times stated") for item in unpublished]
                ),
                "As-of searches do not see them, and 'last week' in them has no place; give them their dates.",
            )
        )
    return examples


def check_future(facts: Sequence[Facts], now: Span | None) -> list[AuditFinding]:
    """Documents published after the present, and documents that mention times after it."""
    if now is None:
        return []
    late = [(id, f"published {span}") for span, id in _list_published(facts) if span.start >= now.end]
    ahead = []
    for item in facts:
        spans = [*item.about, *(stated.span for stated in item.stated if stated.confidence >= MIN_CONFIDENCE)]
        coming = next((span for span in spans if span.start >= now.end and not span.is_open), None)
        if coming is not None:
            ahead.append((item.document.id, f"mentions {coming.describe()}"))
    examples = []
    if late:
        examples.append(
            AuditFinding(
                "future",
                Severity.ERROR,
                f"documents published after {now}",
                len(late),
                _make_examples(late),
                "Mend the dates: such documents are the newest of all, and no search as of today may see them.",
            )
        )
    if ahead:
        examples.append(
            AuditFinding(
                "ahead",
                Severity.NOTE,
                f"documents that mention times after {now}",
                len(ahead),
                _make_examples(ahead),
                "Plans and forecasts do; elsewhere look whether the times were read rightly (epochal tag).",
            )
        )
    return examples


def check_implausible(facts: Sequence[Facts], now: Span | None) -> list[AuditFinding]:
    """Dates of publication that represent "not known", or lie ages away from all others."""
    dated = _list_published(facts)
    if not dated:
        return []
    usual = float(np.median([get_year(span.start) for span, _ in dated]))
    latest = np.inf if now is None else get_year(now.end - 1) + _AHEAD_YEARS
    stand_ins = {Span.parse(text).start for text in _PLACEHOLDERS}
    wrong = []
    for span, id in dated:
        year = get_year(span.start)
        is_placeholder = (
            span.start // DAY * DAY in stand_ins and span.grain <= Grain.DAY and abs(year - usual) > _FAR_YEARS
        )
        if is_placeholder or (year < _OLD and usual > _RECENT) or year > latest:
            wrong.append((id, f"published {span}, while the usual year is {usual:.0f}"))
    if not wrong:
        return []
    return [
        AuditFinding(
            "implausible",
            Severity.ERROR,
            "dates of publication that are hardly meant",
            len(wrong),
            _make_examples(wrong),
            "Look at where they come from: 1970-01-01 and 9999-12-31 mostly mean an empty field. Leave it empty.",
        )
    ]


def check_titles(facts: Sequence[Facts]) -> list[AuditFinding]:
    """Documents whose title states a day or a month more than a year away from their date of publication."""
    odd = []
    for item in facts:
        document = item.document
        if document.published is None or not document.title or "times" in document.meta:
            continue
        fine = [span for span in item.about if span.grain <= Grain.MONTH and not span.is_open]
        if fine and all(abs(span.gap(document.published)) > _AT_ODDS for span in fine):
            odd.append((document.id, f"published {document.published}, title of {fine[0].describe()}"))
    if not odd:
        return []
    return [
        AuditFinding(
            "title",
            Severity.WARNING,
            "titles that state a day or month more than a year away from the date of publication",
            len(odd),
            _make_examples(odd),
            "One of the two is often the day of an import or a migration; keep the one that readers mean.",
        )
    ]


def check_gaps(facts: Sequence[Facts]) -> list[AuditFinding]:
    """Runs without documents that are more than ten times as long as usual."""
    dated = sorted(_list_published(facts), key=lambda pair: pair[0].start)
    starts = np.array([span.start // DAY for span, _ in dated])
    if len(np.unique(starts)) < 3:
        return []
    steps = np.diff(starts)
    usual = float(np.median(steps[steps > 0]))
    holes = [int(at) for at in np.argsort(-steps, kind="stable") if steps[at] > _HOLE * usual]
    if not holes:
        return []
    return [
        AuditFinding(
            "gaps",
            Severity.WARNING,
            f"periods without a document, more than {_HOLE} times as long as the usual {usual:g} days",
            len(holes),
            _make_examples(
                [
                    (
                        dated[at + 1][1],
                        f"nothing for {steps[at] - 1:,} days before it, from {_describe_day(dated[at][0])}",
                    )
                    for at in holes
                ]
            ),
            "Searches call such times not covered. Add what is missing, or tell readers that there is none.",
        )
    ]


def _describe_day(span: Span) -> str:
    return Span.unit(span.start, Grain.DAY).describe()


def measure_spread(facts: Sequence[Facts]) -> Spread:
    """The documents over time: by when they were published, or by what they mention where none says."""
    middles = np.sort(
        [span.start + span.seconds // 2 for span, _ in _list_published(facts)] or _list_content_middles(facts)
    )
    if not len(middles):
        return Spread((), ())
    # A few dates beyond belief must not squeeze all others into one bar; they are findings of their own.
    low, high = (int(np.quantile(middles, share, method="nearest")) for share in (0.005, 0.995))
    periods = make_periods(low, high, _MAX_BARS, _GRAINS)
    edges = np.array([*(period.start for period in periods), periods[-1].end])
    return Spread(tuple(periods), tuple(count_in_bins(edges, middles, np.arange(len(middles)))))


def _list_content_middles(facts: Sequence[Facts]) -> list[int]:
    return [
        span.start + span.seconds // 2
        for item in facts
        for span in (*item.about, *(stated.span for stated in item.stated if stated.confidence >= MIN_CONFIDENCE))
        if not span.is_open
    ]
