"""What went wrong, to look at: the questions answered worst, with a time line of what was asked and what was found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from epochal.bench.metrics.base import Run, stated_times
from epochal.bench.records import BenchQuery, BenchSet
from epochal.engine.ingest import read_times
from epochal.index.records import Document
from epochal.reading.questions import understand
from epochal.times import Span
from epochal.times.axis import OPEN_END, OPEN_START

__all__ = ["Example", "Shown", "time_line", "worst_examples"]

_WIDTH: Final = 60
_FOUND: Final = 5
_SNIPPET: Final = 90
_LABEL: Final = 7


@dataclass(frozen=True, slots=True)
class Shown:
    """A document as an example shows it: how it begins, and the times that it is known to speak of or appeared at.

    >>> Shown("d1", "Ann won.", (Span.year(1998),), True).is_relevant
    True
    """

    id: str
    text: str
    times: tuple[Span, ...]
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class Example:
    """A question, what should have been found, and what was.

    >>> query = BenchQuery("q1", "Who won in 1998?", periods=(Span.year(1998),))
    >>> print(Example(query, 0.0, (), (Shown("d2", "Bob won.", (Span.year(1999),), False),)).markdown())
    **Who won in 1998?** (q1: 0.000; asked for 1998)
    <BLANKLINE>
        1998                                                    1999
        asked  ==============================
        1                                    ##############################
    <BLANKLINE>
    1. d2: Bob won. (1999)
    <BLANKLINE>
    """

    query: BenchQuery
    value: float
    missed: tuple[Shown, ...]
    found: tuple[Shown, ...]

    def markdown(self) -> str:
        """The example with its time line.

        >>> Example(BenchQuery("q1", "Who won?"), 0.0, (), ()).markdown().splitlines()[0]
        '**Who won?** (q1: 0.000)'
        """
        asked = ", ".join(span.describe() for span in self.query.periods)
        about = f"{self.query.id}: {self.value:.3f}{f'; asked for {asked}' if asked else ''}"
        head = f"**{_short(self.query.text)}** ({about})"
        rows = [("asked", "=", self.query.periods)] if self.query.periods else []
        rows += [("right", "*", item.times) for item in self.missed]
        rows += [(str(place), "#", item.times) for place, item in enumerate(self.found, 1)]
        drawn = time_line(rows)
        lines = [head, "", *(f"    {line}" for line in drawn), *([""] if drawn else [])]
        lines += [f"- missed {_told(item)}" for item in self.missed]
        lines += [f"{place}. {_told(item)}" for place, item in enumerate(self.found, 1)]
        return "\n".join([*lines, ""])


def worst_examples(
    asked: BenchSet, run: Run, values: Mapping[str, float], count: int = 5, *, found: int = _FOUND
) -> list[Example]:
    """The questions with the least values, with the relevant documents that are not among the first and the first ones.

    >>> documents = (Document("d1", "Ann won.", published=Span.year(1998)), Document("d2", "Bob won."))
    >>> made = BenchSet("own", documents, (BenchQuery("q1", "Who won?"),), {"q1": {"d1": 1}})
    >>> example = worst_examples(made, {"q1": {"d2": 0.5}}, {"q1": 0.0})[0]
    >>> [item.id for item in example.missed], [item.id for item in example.found]
    (['d1'], ['d2'])
    """
    queries = {query.id: query for query in asked.queries}
    known = [(value, id) for id, value in values.items() if id in queries and not math.isnan(value)]
    chosen = [id for _, id in sorted(known)[:count]]
    firsts = {id: _first(run.get(id, {}), found) for id in chosen}
    right = {id: [name for name, score in asked.qrels.get(id, {}).items() if score > 0] for id in chosen}
    needed = {name for id in chosen for name in (*firsts[id], *right[id][:found])}
    documents = {document.id: document for document in asked.documents if document.id in needed}
    examples = []
    for id in chosen:
        relevant = set(right[id])
        missed = [name for name in right[id] if name not in firsts[id]][:found]
        examples.append(
            Example(
                _asked(queries[id]),
                values[id],
                tuple(_shown(documents[name], True) for name in missed if name in documents),
                tuple(_shown(documents[name], name in relevant) for name in firsts[id] if name in documents),
            )
        )
    return examples


def time_line(rows: Sequence[tuple[str, str, Sequence[Span]]], width: int = _WIDTH) -> list[str]:
    """Rows of spans under one axis, each with a label and a sign; nothing where no span has an end to draw.

    >>> for line in time_line([("asked", "=", [Span.year(1998)]), ("1", "#", [Span.year(2001)])], 20):
    ...     print(line)
    1998            2001
    asked  =====
    1                     #####
    """
    edges = [
        edge
        for _, _, spans in rows
        for span in spans
        for edge in (span.start, span.end)
        if edge not in (OPEN_START, OPEN_END)
    ]
    if not edges:
        return []
    low, high = min(edges), max(edges)
    size = max(high - low, 1)

    def place(edge: int) -> int:
        return int(np.clip(round((edge - low) / size * width), 0, width)) if size else 0

    first, last = Span.at(low).edtf()[: _year(low)], Span.at(high - 1).edtf()[: _year(high - 1)]
    lines = [f"{'':<{_LABEL}}{first}{' ' * max(1, width - len(first) - len(last))}{last}"]
    for label, sign, spans in rows:
        cells = [" "] * width
        for span in spans:
            start = 0 if span.start == OPEN_START else place(span.start)
            end = width if span.end == OPEN_END else place(span.end)
            for cell in range(min(start, width - 1), max(end, min(start, width - 1) + 1)):
                cells[cell] = sign
        lines.append(f"{label:<{_LABEL}}{''.join(cells)}".rstrip())
    return lines


def _year(second: int) -> int:
    """How many characters of the EDTF of a second name its year."""
    text = Span.at(second).edtf()
    return text.index("-", 1)


def _first(scores: Mapping[str, float], count: int) -> list[str]:
    return sorted(scores, key=lambda name: -scores[name])[:count]


def _shown(document: Document, relevant: bool) -> Shown:
    """Times that the set knows of go before those that are read."""
    published = (document.published,) if document.published is not None else ()
    stated = stated_times(document)
    read = () if stated else tuple(item.span for part in read_times(document) for item in part)
    return Shown(document.id, _short(document.text), (*(stated or read), *published), relevant)


def _asked(query: BenchQuery) -> BenchQuery:
    """The question with the periods that the set knows of, or those that are read in it."""
    return query if query.periods else replace(query, periods=tuple(understand(query.text, query.now).periods))


def _told(item: Shown) -> str:
    times = ", ".join(span.describe() for span in item.times[:3])
    mark = ", relevant" if item.is_relevant else ""
    return f"{item.id}: {item.text}{f' ({times}{mark})' if times else ''}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SNIPPET else f"{line[:_SNIPPET]}..."
