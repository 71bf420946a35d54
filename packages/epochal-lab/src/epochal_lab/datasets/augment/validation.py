"""What a training row must be, of any origin: the checks of TMRL's pipeline, each drop and each change counted.

In order: the expressions of a passage are in it word for word, and are one (with `several`, one or more). A question
that comes again is dropped. An explicit or implicit question has one expression, which is in it; an implicit one
whose expression a tagger reads is explicit; an implicit one that asks for a time is one for a temporal answer. What
asks for a time states none beside. Questions with relative expressions ("last year", "now") are dropped, and rows that
are left without a question of either sign, or with fewer than two that have a time.

With `check`, labels are compared with what is read: where both times can be read, the relation is that of these times,
and a question that a passage answers must share time with it. A claim that cannot be read stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from epochal_lab.datasets.augment.chunks import StatedTime, read_stated_times, relate_spans, shares_time
from epochal_lab.datasets.augment.frames import strip_interrogative
from epochal_lab.datasets.augment.rows import (
    EMPTY,
    EXPLICIT,
    IMPLICIT,
    TEMPORAL_ANSWER,
    TemporalQuestion,
    TemporalRow,
)
from epochal_lab.datasets.augment.templates import normalise_text

_RELATIVE: Final = re.compile(
    r"\b(?:now|today|tonight|yesterday|tomorrow|nowadays|currently|recently|lately|at present|at the moment|so far|"
    r"(?:last|next|this|past|coming|previous|following) (?:year|month|week|decade|century|season|spring|summer|autumn|"
    r"fall|winter|day|night|morning|evening|few years)|ago)\b",
    re.IGNORECASE,
)


class Validator:
    """Checks rows. `dropped` counts what was thrown away and `changed` what was mended, by the reason."""

    def __init__(self, *, several: bool = False, check: bool = True) -> None:
        self._several = several
        self._check = check
        self.dropped: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()

    def rows(self, rows: Iterable[TemporalRow]) -> Iterator[TemporalRow]:
        """The rows that are left, mended where they can be; a passage that comes again is dropped."""
        seen: set[str] = set()
        for row in rows:
            if normalise_text(row.passage) in seen:
                self.dropped["row: passage repeated"] += 1
                continue
            seen.add(normalise_text(row.passage))
            result = self.row(row)
            if result is not None:
                yield result

    def row(self, row: TemporalRow) -> TemporalRow | None:
        """A row as it should be, or None."""
        problem = self._find_passage_problem(row)
        if problem:
            self.dropped[f"row: {problem}"] += 1
            return None
        stated_times = self._map_stated_times(row)
        seen: set[str] = set()
        right = tuple(self._validate_questions(row.positives, stated_times, seen, True))
        wrong = tuple(self._validate_questions(row.negatives, stated_times, seen, False))
        if not right or not wrong:
            self.dropped[f"row: no {'positives' if not right else 'negatives'} left"] += 1
            return None
        if sum(question.type != TEMPORAL_ANSWER for question in (*right, *wrong)) < 2:
            self.dropped["row: fewer than two explicit or implicit questions"] += 1
            return None
        return replace(row, positives=right, negatives=wrong)

    def _find_passage_problem(self, row: TemporalRow) -> str:
        if not row.temporal:
            return "no expression"
        if len(row.temporal) > 1 and not self._several:
            return "several expressions"
        small = row.passage.lower()
        return "" if all(text and text.lower() in small for text in row.temporal) else "expression not in the passage"

    def _map_stated_times(self, row: TemporalRow) -> dict[str, StatedTime]:
        """What is read in the passage, by the expressions that the row names; without those that cannot be read."""
        if not self._check:
            return {}
        stated_times: dict[str, StatedTime] = {}
        for stated_time in read_stated_times(row.passage).stated_times:
            for text in row.temporal:
                if text.lower() in stated_time.text.lower() or stated_time.text.lower() in text.lower():
                    stated_times.setdefault(text, stated_time)
        return stated_times

    def _validate_questions(
        self, questions: Iterable[TemporalQuestion], stated_times: dict[str, StatedTime], seen: set[str], right: bool
    ) -> Iterator[TemporalQuestion]:
        for question in questions:
            key = normalise_text(question.text)
            if key in seen:
                self.dropped["question: repeated"] += 1
                continue
            result = self._validate_question(question)
            if not isinstance(result, str):
                result = self._label_question(result, stated_times, right)
            if isinstance(result, str):
                self.dropped[f"question: {result}"] += 1
            else:
                seen.add(key)
                yield result

    def _validate_question(self, question: TemporalQuestion) -> TemporalQuestion | str:
        """A question as its type wants it, or why it is dropped."""
        text = question.text
        asking = strip_interrogative(text)
        if question.type == IMPLICIT and asking is not None:
            self.changed["implicit question that asks for a time"] += 1
            question = replace(question, type=TEMPORAL_ANSWER, temporal=(), relation=EMPTY)
        if question.type == TEMPORAL_ANSWER:
            if asking is None:
                return "asks for no time"
            if read_stated_times(asking).stated_times:
                return "asks for a time and states one"
            if question.temporal or question.relation != EMPTY:
                self.changed["temporal answer with a time"] += 1
            return replace(question, temporal=(), relation=EMPTY)
        if not question.type:
            return "no type"
        if len(question.temporal) != 1:
            return "not exactly one expression"
        if question.temporal[0].lower() not in text.lower():
            return "expression not in the question"
        read = read_stated_times(text)
        if _RELATIVE.search(text) or any(not stated_time.absolute for stated_time in read.stated_times):
            return "relative expression"
        if question.type == IMPLICIT and any(
            _contains_either(question.temporal[0], stated_time) for stated_time in read.stated_times
        ):
            self.changed["implicit question with a date"] += 1
            return replace(question, type=EXPLICIT)
        if question.type == EXPLICIT and not read.stated_times:
            return "no date in an explicit question"
        return question

    def _label_question(
        self, question: TemporalQuestion, stated_times: dict[str, StatedTime], right: bool
    ) -> TemporalQuestion | str:
        """A question with the relation that is read, where the times on both sides can be."""
        if not self._check or question.relation == EMPTY or not stated_times:
            return question
        read = read_stated_times(question.text, implicit=True)
        if len(read.stated_times) != 1:
            self.changed["relation not checked"] += 1
            return question
        span = read.stated_times[0].span
        sharing = any(shares_time(span, stated_time.span) for stated_time in stated_times.values())
        if right and not sharing:
            return "answered by the passage, but at another time"
        anchor = stated_times.get(question.anchor) or next(iter(stated_times.values()))
        label = relate_spans(span, anchor.span)
        if label != question.relation:
            self.changed["relation corrected"] += 1
        return replace(question, relation=label)


def _contains_either(text: str, stated_time: StatedTime) -> bool:
    return text.lower() in stated_time.text.lower() or stated_time.text.lower() in text.lower()
