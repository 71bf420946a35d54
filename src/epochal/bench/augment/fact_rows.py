"""Facts to rows as the first training set of TNP was made: a template, an interval, and one that lies beside it.

For each fact and for two ways of asking: an easy one, "from A to B", and a hard one, a point or a part within the fact,
"before" for the first fact of a page and "after" for the last. What lies within two months is asked as "in A". The
wrong question has the same words and an interval that ends a year before the fact or starts a year after it. Beyond the
recipe: a wrong interval that shares time with another fact of the paragraph is drawn anew, and what the tagger does not
read as one time is dropped.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from epochal.bench.augment.facts import Fact, Templates
from epochal.bench.augment.moments import Moment, read_moments, relation_of, shares_time
from epochal.bench.augment.templates import folded
from epochal.models.tmrl.rows import EXPLICIT, TemporalQuestion, TemporalRow
from epochal.times import Grain, Span
from epochal.times.axis import DAY, civil_date
from epochal.times.words import MONTHS, year_words

__all__ = ["FactRows"]

_CLOSE: Final = 62 * DAY
_FARTHEST: Final = 10
_TRIES: Final = 4


class FactRows:
    """Makes the rows of facts, one a paragraph. `dropped` counts what was thrown away, by the reason.

    >>> text = "Ann Hay played for Leeds from 1998 to 2001, and won a cup."
    >>> fact = Fact("Ann Hay", "P54", Span.year(1998), Span.year(2001), text)
    >>> (row,) = FactRows(Templates({"P54": ["Which team did $1 play for $4?"]}), seed=1).rows([fact])
    >>> row.positives[0].text, row.positives[0].relation
    ('Which team did Ann Hay play for from 1998 to 2001?', 'Equals')
    """

    def __init__(self, templates: Templates, *, seed: int = 0) -> None:
        self._templates = templates
        self._seed = seed
        self.dropped: Counter[str] = Counter()

    def rows(self, facts: Iterable[Fact]) -> Iterator[TemporalRow]:
        """The rows, in the order in which their paragraphs came first.

        >>> list(FactRows(Templates({})).rows([]))
        []
        """
        by_passage: dict[str, list[Fact]] = {}
        for fact in facts:
            by_passage.setdefault(fact.passage, []).append(fact)
        for number, (passage, found) in enumerate(by_passage.items()):
            row = self._row(number, passage, list(dict.fromkeys(found)))
            if row is not None:
                yield row

    def _row(self, number: int, passage: str, facts: Sequence[Fact]) -> TemporalRow | None:
        chance = random.Random(f"{self._seed} {passage}")
        moments = [moment for moment in read_moments(passage).moments if moment.absolute]
        if not moments:
            self.dropped["no time in the paragraph"] += 1
            return None
        right: list[TemporalQuestion] = []
        wrong: list[TemporalQuestion] = []
        seen: set[str] = set()
        for fact in facts:
            for hard in (False, True):
                template = chance.randrange(12)
                words = _hard(fact, chance) if hard else _easy(fact.start, fact.end)[1]
                question = self._question(fact, template, words, moments, seen)
                if question is None:
                    continue
                against = self._beside(fact, facts, template, moments, seen, chance)
                if against is None:
                    continue
                right.append(question)
                wrong.append(against)
        if not right:
            self.dropped["no question of the paragraph"] += 1
            return None
        said = tuple(dict.fromkeys(moment.text for moment in moments))
        return TemporalRow(f"fact-{number}", passage, said, tuple(right), tuple(wrong))

    def _question(
        self, fact: Fact, template: int, words: str, moments: Sequence[Moment], seen: set[str]
    ) -> TemporalQuestion | None:
        text = self._templates.filled(fact.relation, template, fact.subject, words)
        if folded(text) in seen:
            self.dropped["question repeated"] += 1
            return None
        read = read_moments(text).only
        if read is None:
            self.dropped["not exactly one time in the question"] += 1
            return None
        seen.add(folded(text))
        anchor = min(moments, key=lambda one: abs(one.span.start - fact.start.start) + abs(one.span.end - fact.end.end))
        label = relation_of(read.span, anchor.span)
        return TemporalQuestion(text, (read.text,), EXPLICIT, label, anchor.text if len(moments) > 1 else "")

    def _beside(
        self,
        fact: Fact,
        facts: Sequence[Fact],
        template: int,
        moments: Sequence[Moment],
        seen: set[str],
        chance: random.Random,
    ) -> TemporalQuestion | None:
        """The same question about a time beside the fact, in which no fact of the paragraph holds."""
        held = [one.span for one in facts if one.subject == fact.subject and one.relation == fact.relation]
        for _ in range(_TRIES):
            first, last = _shifted(fact, chance)
            span, words = _easy(first, last)
            if not any(shares_time(span, one) for one in held):
                question = self._question(fact, template, words, moments, seen)
                if question is not None:
                    return question
        self.dropped["no time beside the fact"] += 1
        return None


def _easy(first: Span, last: Span) -> tuple[Span, str]:
    """All of an interval, or its first unit where it is no longer than two months."""
    if first == last or (first.grain is not Grain.YEAR and last.start - first.start <= _CLOSE):
        return first, f"in {_called(first)}"
    if last.end <= first.end:  # a year that holds both
        return first, f"in {_called(first)}"
    return Span.between(first, last), f"from {_called(first)} to {_called(last)}"


def _hard(fact: Fact, chance: random.Random) -> str:
    """A part of an interval, or a bound that falls into it."""
    months = _months(fact.span)
    if len(months) <= 2:
        return f"in {_called(fact.start)}"
    point = chance.choice(months[1:-1])
    ways = ["in", "between"] + (["before"] if fact.is_first else []) + (["after"] if fact.is_last else [])
    way = chance.choice(ways)
    if way == "between" and len(months) > 3:
        low, high = sorted(chance.sample(range(len(months)), 2))
        return f"between {_called(months[low])} and {_called(months[high])}"
    return f"{way if way in ('before', 'after') else 'in'} {_called(point)}"


def _shifted(fact: Fact, chance: random.Random) -> tuple[Span, Span]:
    """An interval that ends a year before a fact, or starts a year after it; both ends in the fact's grain."""
    length = max(_FARTHEST, (fact.end.last_year or 0) - (fact.start.first_year or 0))
    reach = chance.randint(1, length)
    if chance.random() < 0.5:
        return fact.start.shift(-max(reach, 1), Grain.YEAR), fact.start.shift(-1, Grain.YEAR)
    return fact.end.shift(1, Grain.YEAR), fact.end.shift(max(reach, 1), Grain.YEAR)


def _months(span: Span) -> list[Span]:
    found = [Span.unit(span.start, Grain.MONTH)]
    while found[-1].end < span.end:
        found.append(found[-1].shift(1))
    return found


def _called(unit: Span) -> str:
    year, month, _ = civil_date(unit.start // DAY)
    return f"{MONTHS[month - 1][:3]} {year_words(year)}" if unit.grain is Grain.MONTH else year_words(year)
