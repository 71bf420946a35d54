"""Counts of training rows as tables: passages and questions, types, relations, expressions a text, words a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from epochal.models.tmrl.rows import QUESTION_TYPES, RELATIONS, TemporalQuestion, TemporalRow

__all__ = ["Statistics", "count_rows"]


@dataclass(frozen=True, slots=True)
class Statistics:
    """What rows have, as the tables 7 to 10 of TMRL's paper count it.

    `sources` are the documents that the passages come from: what their ids have before the last "#".

    >>> count_rows([TemporalRow("p1#0", "Ann left in 1998.", ("1998",))]).passages
    1
    """

    sources: int
    passages: int
    positives: int
    negatives: int
    types: dict[str, tuple[int, int]]
    relations: dict[str, tuple[int, int]]
    passage_expressions: float
    question_expressions: float
    passage_words: float
    question_words: float
    distinct_questions: int
    specifiers: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON; types and relations have a pair of counts, of positives and of negatives.

        >>> count_rows([]).to_dict()["passages"]
        0
        """
        return {
            "sources": self.sources,
            "passages": self.passages,
            "positives": self.positives,
            "negatives": self.negatives,
            "distinct questions": self.distinct_questions,
            "types": {name: list(pair) for name, pair in self.types.items()},
            "relations": {name: list(pair) for name, pair in self.relations.items()},
            "expressions a passage": round(self.passage_expressions, 3),
            "expressions a question": round(self.question_expressions, 3),
            "words a passage": round(self.passage_words, 2),
            "words a question": round(self.question_words, 2),
            "first words of expressions": dict(self.specifiers),
        }

    def markdown(self) -> str:
        """As tables for a page.

        >>> print(count_rows([TemporalRow("p1", "Ann left in 1998.", ("1998",))]).markdown().splitlines()[0])
        | sources | passages | positives | negatives | distinct questions |
        """
        head = ("sources", "passages", "positives", "negatives", "distinct questions")
        counts = (self.sources, self.passages, self.positives, self.negatives, self.distinct_questions)
        means = (self.passage_expressions, self.question_expressions, self.passage_words, self.question_words)
        return "\n\n".join(
            (
                _table(head, [[f"{count:,}" for count in counts]]),
                _table(("type", "positives", "negatives"), _pairs(self.types)),
                _table(("relation", "positives", "negatives"), _pairs(self.relations)),
                _table(
                    ("expressions a passage", "expressions a question", "words a passage", "words a question"),
                    [[f"{mean:.2f}" for mean in means]],
                ),
            )
        )


def count_rows(rows: Iterable[TemporalRow]) -> Statistics:
    """The counts of rows.

    >>> question = TemporalQuestion("Who left in 1998?", ("1998",), "Explicit", "Equals")
    >>> found = count_rows([TemporalRow("p1", "Ann left in 1998.", ("1998",), (question,))])
    >>> found.types["Explicit"], found.relations["Equals"], found.question_words
    ((1, 0), (1, 0), 4.0)
    """
    rows = list(rows)
    right = [question for row in rows for question in row.positives]
    wrong = [question for row in rows for question in row.negatives]
    both = right + wrong
    return Statistics(
        len({row.id.rpartition("#")[0] or row.id for row in rows}),
        len(rows),
        len(right),
        len(wrong),
        _by(QUESTION_TYPES, [item.type for item in right], [item.type for item in wrong]),
        _by(RELATIONS, [item.relation for item in right], [item.relation for item in wrong]),
        _mean([len(row.temporal) for row in rows]),
        _mean([len(item.temporal) for item in both]),
        _mean([len(row.passage.split()) for row in rows]),
        _mean([len(item.text.split()) for item in both]),
        len({item.text for item in both}),
        dict(_first_words(both).most_common()),
    )


def _by(names: Sequence[str], right: Sequence[str], wrong: Sequence[str]) -> dict[str, tuple[int, int]]:
    one, two = Counter(right), Counter(wrong)
    # What nobody said has a line of its own, where there is some.
    rest = [name for name in ("",) if one[name] or two[name]]
    return {name or "not said": (one[name], two[name]) for name in (*names, *rest)}


def _first_words(questions: Iterable[TemporalQuestion]) -> Counter[str]:
    """How expressions open: "from", "between", "before", "after", ...; "in" for what has no word that binds it."""
    bound = ("from", "between", "before", "prior", "after", "since", "until", "up", "early", "mid", "late")
    found: Counter[str] = Counter()
    for question in questions:
        for text in question.temporal:
            words = text.lower().removeprefix("the ").split()
            found[words[0] if words and words[0] in bound else "in"] += 1
    return found


def _mean(numbers: Sequence[int]) -> float:
    return fmean(numbers) if numbers else 0.0


def _pairs(counts: dict[str, tuple[int, int]]) -> list[list[str]]:
    return [[name, f"{right:,}", f"{wrong:,}"] for name, (right, wrong) in counts.items()]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
