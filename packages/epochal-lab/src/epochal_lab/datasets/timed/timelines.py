"""Questions about topics whose documents have dates: in a month, latest, first, as of, before, since, and none then.

What is right follows from the dates: the latest is the greatest, a month without a date of the topic is empty.
"""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from epochal.times.span import Span
from epochal.times.words import MONTHS
from epochal_lab.datasets.timed.questions import ExpectedOutcome, Split, TimedQuestion, choose
from epochal_lab.datasets.timed.wording import Domain, name_day, name_month, word

#: How many questions of each kind a topic gives, and a topic with fewer dates than this gives none.
PER_TOPIC: Final[Mapping[str, int]] = {
    "in_month": 6,
    "in_year": 2,
    "between": 2,
    "empty_month": 6,
    "latest": 3,
    "first": 3,
    "nth": 1,
    "as_of_words": 3,
    "as_of_option": 3,
    "last_before": 2,
    "first_after": 2,
    "before": 2,
    "since": 2,
    "current": 2,
    "not_yet": 2,
    "not_covered": 1,
}
_LEAST_DATES: Final = 3
#: How far back before all documents a time is that they do not cover, in years.
_BACK: Final = (20, 60)
#: A topic of fewer months than this is also asked about for months so many days before and after them.
_FEW_MONTHS: Final = 12
_BESIDE: Final = 730
#: The kinds in whose words an unknown name is asked for.
_ABSENT: Final = ("in_month", "in_month", "latest", "first", "as_of_words", "since", "in_year")
_ORDINALS: Final = ("second", "third", "fourth")


@dataclass(frozen=True, slots=True)
class TimelineTopic:
    """A name, the days of the documents about it, and the other documents that are, or may be, about it.

    `stated` are months that the texts of its documents name: none of them is said to be empty.
    """

    name: str
    entries: tuple[tuple[str, str], ...]
    undated: frozenset[str] = frozenset()
    unjudged: frozenset[str] = frozenset()
    stated: frozenset[str] = frozenset()
    group: str = ""

    @property
    def on_topic(self) -> frozenset[str]:
        """Every document about it."""
        return self.undated | {id for _, id in self.entries}


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the questions of one topic."""

    corpus: str
    domain: Domain
    split: Split
    now: Span
    rng: random.Random
    topic: TimelineTopic
    counts: Mapping[str, int] = field(default_factory=lambda: PER_TOPIC)

    def write(
        self,
        kind: str,
        relevant: Iterable[str],
        *,
        wording: str = "",
        as_of: str | None = None,
        outcome: ExpectedOutcome = "recorded",
        **slots: str,
    ) -> TimedQuestion:
        text = word(self.domain, wording or kind, self.split, self.rng, x=self.topic.name, **slots)
        return TimedQuestion(
            "",
            text,
            kind,
            self.corpus,
            self.now,
            frozenset(relevant),
            None if as_of is None else Span.parse(as_of),
            outcome,
            self.topic.on_topic,
            self.topic.unjudged,
            group=self.topic.group or self.topic.name,
            split=self.split,
        )

    def name_day(self, day: str) -> str:
        """A day in some form of the language of the documents."""
        return name_day(day, self.rng, self.domain.language)

    def name_month(self, month: str) -> str:
        """A month, likewise."""
        return name_month(month, self.rng, self.domain.language)

    def repeat(self, kind: str, draw: Callable[[], TimedQuestion | None]) -> Iterator[TimedQuestion]:
        for _ in range(self.counts.get(kind, 0)):
            result = draw()
            if result is not None:
                yield result


def build_timeline(
    corpus: str,
    topics: Sequence[TimelineTopic],
    domain: Domain,
    split: Split,
    now: str,
    rng: random.Random,
    counts: Mapping[str, int] = PER_TOPIC,
    least: int = _LEAST_DATES,
) -> list[TimedQuestion]:
    """The questions of all topics that have `least` dates; `counts` says how many of each kind a topic gives."""
    days = [day for topic in topics for day, _ in topic.entries]
    if not days:
        return []
    matches: list[TimedQuestion] = []
    for topic in topics:
        if len({day for day, _ in topic.entries if day <= now}) >= least:
            writer = _Writer(corpus, domain, split, Span.parse(now), rng, topic, counts)
            matches.extend(_ask(writer, min(days), now))
    return matches


def _ask(writer: _Writer, earliest: str, now: str) -> Iterator[TimedQuestion]:
    entries = sorted(entry for entry in writer.topic.entries if entry[0] <= now)
    days = sorted({day for day, _ in entries})
    rng = writer.rng
    yield from _ask_windows(writer, entries, earliest, now)
    yield from writer.repeat("latest", lambda: writer.write("latest", _select_day(entries, days[-1])))
    if writer.domain.list_frames("current", writer.split):
        yield from writer.repeat("current", lambda: writer.write("current", _select_day(entries, days[-1])))
    yield from writer.repeat("first", lambda: writer.write("first", _select_day(entries, days[0])))
    if not writer.topic.undated and writer.domain.list_frames("nth", writer.split):
        yield from writer.repeat("nth", lambda: _ask_nth(writer, entries, days))

    def as_of(kind: str) -> TimedQuestion:
        day = _draw_day(days, now, rng)
        gold = _select_day(entries, max(one for one in days if one <= day))
        if kind == "as_of_words":
            return writer.write(kind, gold, d=writer.name_day(day))
        return writer.write(kind, gold, wording=_state_frame(writer), as_of=day)

    yield from writer.repeat("as_of_words", lambda: as_of("as_of_words"))
    yield from writer.repeat("as_of_option", lambda: as_of("as_of_option"))

    def beside(kind: str) -> TimedQuestion:
        position = rng.randrange(1, len(days))
        # A day strictly between two dates, where there is one: nobody can then count it to either side.
        day = _add_days(days[position - 1], 1)
        if kind == "last_before":
            day = days[position] if day >= days[position] else _draw_between(day, days[position], rng)
            return writer.write(kind, _select_day(entries, days[position - 1]), d=writer.name_day(day))
        day = (
            days[position - 1]
            if day >= days[position]
            else _draw_between(days[position - 1], _add_days(days[position], -1), rng)
        )
        return writer.write(kind, _select_day(entries, days[position]), d=writer.name_day(day))

    yield from writer.repeat("last_before", lambda: beside("last_before"))
    yield from writer.repeat("first_after", lambda: beside("first_after"))

    def not_yet() -> TimedQuestion:
        day = _add_days(days[0], -rng.randrange(10, 400))
        if rng.random() < 0.5:
            kinds: Mapping[str, str] = {"d": writer.name_day(day)}
            return writer.write("not_yet", (), wording="as_of_words", outcome="none_recorded", **kinds)
        return writer.write("not_yet", (), wording=_state_frame(writer), as_of=day, outcome="none_recorded")

    if not writer.topic.undated:
        yield from writer.repeat("not_yet", not_yet)

    def not_covered() -> TimedQuestion:
        year = int(earliest[:4]) - rng.randrange(*_BACK)
        month = writer.name_month(f"{year:04}-{rng.randrange(1, 13):02}")
        return writer.write("not_covered", (), wording="in_month", outcome="not_covered", m=month)

    yield from writer.repeat("not_covered", not_covered)


def _ask_windows(
    writer: _Writer, entries: Sequence[tuple[str, str]], earliest: str, now: str
) -> Iterator[TimedQuestion]:
    rng, counts = writer.rng, writer.counts
    months = sorted({day[:7] for day, _ in entries})
    years = sorted({day[:4] for day, _ in entries})
    for month in choose(months, counts.get("in_month", 0), rng):
        gold = [id for day, id in entries if day[:7] == month]
        yield writer.write("in_month", gold, m=writer.name_month(month))
    first, last = months[0], months[-1]
    if len(_list_months(first, last)) < _FEW_MONTHS:
        first = max(_add_days(f"{first}-01", -_BESIDE), earliest)[:7]
        last = min(_add_days(f"{last}-01", _BESIDE), now)[:7]
    empty = [month for month in _list_months(first, last) if month not in {*months, *writer.topic.stated}]
    for month in choose(empty, counts.get("empty_month", 0), rng):
        yield writer.write(
            "empty_month",
            (),
            wording="in_month",
            outcome="none_recorded",
            m=writer.name_month(month),
        )
    for year in choose(years, counts.get("in_year", 0), rng):
        yield writer.write("in_year", [id for day, id in entries if day[:4] == year], y=year)
    if len(years) > 2:
        for _ in range(counts.get("between", 0)):
            low, high = sorted(rng.sample(years, 2))
            gold = [id for day, id in entries if low <= day[:4] <= high]
            yield writer.write("between", gold, y=low, z=high)
    for year in choose(years[1:], counts.get("before", 0), rng):
        gold = [id for day, id in entries if day[:4] < year]
        yield writer.write("before", gold, y=year, w=str(int(year) - 1))
    for month in choose(months[1:], counts.get("since", 0), rng):
        yield writer.write("since", [id for day, id in entries if day[:7] >= month], m=writer.name_month(month))


def _ask_nth(writer: _Writer, entries: Sequence[tuple[str, str]], days: Sequence[str]) -> TimedQuestion | None:
    """The second or third from either end; None where two documents share a day there."""
    number = writer.rng.randrange(2, 4)
    newest = writer.rng.random() < 0.5
    ends = days[::-1] if newest else days
    if len(ends) < number or any(len(_select_day(entries, day)) > 1 for day in ends[:number]):
        return None
    name = _ORDINALS[number - 2]
    ordinal = writer.rng.choice((f"{name} most recent", f"{name} latest")) if newest else name
    return writer.write("nth", _select_day(entries, ends[number - 1]), ordinal=ordinal)


def _state_frame(writer: _Writer) -> str:
    """With a date as an option, a question asks for the latest or for the state of things."""
    own = writer.domain.list_frames("current", writer.split)
    return "current" if own and writer.rng.random() < 0.4 else "latest"


def build_absent(
    corpus: str,
    names: Sequence[str],
    domain: Domain,
    split: Split,
    now: str,
    years: tuple[int, int],
    rng: random.Random,
    each: int = 3,
    *,
    kind: str = "absent_name",
) -> list[TimedQuestion]:
    """Questions about names that no document has: in the same words as the others, so that only the name tells."""
    matches = []
    for name in names:
        for wording in rng.sample(_ABSENT, each):
            month = f"{rng.randrange(years[0], years[1] + 1):04}-{rng.randrange(1, 13):02}"
            slots = {
                "m": name_month(month, rng, domain.language),
                "y": month[:4],
                "d": name_day(f"{month}-{rng.randrange(1, 28):02}", rng, domain.language),
            }
            text = word(domain, wording, split, rng, x=name, **slots)
            matches.append(
                TimedQuestion(
                    "",
                    text,
                    kind,
                    corpus,
                    Span.parse(now),
                    outcome="topic_unknown",
                    on_topic=frozenset(),
                    absent=name,
                    group=name,
                    split=split,
                )
            )
    return matches


def build_plain(
    corpus: str,
    kind: str,
    domain: Domain,
    split: Split,
    now: str,
    rng: random.Random,
    rows: Iterable[tuple[Mapping[str, str], frozenset[str], frozenset[str], str]],
) -> list[TimedQuestion]:
    """Questions without a time, each from its slots, relevant documents, documents of its topic, and group."""
    return [
        TimedQuestion(
            "",
            word(domain, kind, split, rng, **slots),
            kind,
            corpus,
            Span.parse(now),
            relevant,
            unjudged=topic - relevant,
            on_topic=relevant,
            group=group,
            split=split,
        )
        for slots, relevant, topic, group in rows
    ]


# ---------------------------------------------------------------- helpers


def split_groups(groups: Iterable[str], seed: int, share: float = 0.6) -> dict[str, Split]:
    """For each group whether its questions are for training or for reporting."""
    names = sorted(set(groups))
    random.Random(f"groups-{seed}").shuffle(names)
    cut = round(len(names) * share)
    return {name: "train" if position < cut else "report" for position, name in enumerate(names)}


_STATED: Final = re.compile(
    rf"\b(?:(?P<iso>\d{{4}}-\d{{2}})\b|(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?P<month>{'|'.join(MONTHS)}|"
    rf"{'|'.join(name[:3] for name in MONTHS)})\.?(?: \d{{1,2}}(?:st|nd|rd|th)?,?)?,? (?P<year>\d{{4}}))",
    re.IGNORECASE,
)
_NUMBERS: Final = {name.lower()[:3]: number for number, name in enumerate(MONTHS, 1)}


def stated_months(texts: Iterable[str]) -> frozenset[str]:
    """The months that texts name in full (2021-03, 7 March 2021, Mar 2021)."""
    result = set()
    for text in texts:
        for match in _STATED.finditer(text):
            result.add(match["iso"] or f"{match['year']}-{_NUMBERS[match['month'].lower()[:3]]:02}")
    return frozenset(result)


def _select_day(entries: Sequence[tuple[str, str]], day: str) -> list[str]:
    return [id for one, id in entries if one == day]


def _list_months(first: str, last: str) -> list[str]:
    low, high = (int(month[:4]) * 12 + int(month[5:]) - 1 for month in (first, last))
    return [f"{number // 12:04}-{number % 12 + 1:02}" for number in range(low, high + 1)]


def _add_days(day: str, count: int) -> str:
    return (dt.date.fromisoformat(day) + dt.timedelta(days=count)).isoformat()


def _draw_between(first: str, last: str, rng: random.Random) -> str:
    """A day from the first to the last, both included."""
    low, high = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
    return (low + dt.timedelta(days=rng.randrange((high - low).days + 1))).isoformat()


def _draw_day(days: Sequence[str], now: str, rng: random.Random) -> str:
    """A day on which something is the latest: half the time the very day of a document, else one until the next."""
    position = rng.randrange(len(days))
    if rng.random() < 0.5:
        return days[position]
    after = _add_days(days[position + 1], -1) if position + 1 < len(days) else now
    return _draw_between(days[position], max(days[position], after), rng)
