"""Dated facts of TimeQA: somebody, a relation, from when to when, and the paragraph that says so.

Read from a folder with `relations.json` (the templates) and any of

    annotated_*.json        a page, a relation, and intervals with their answers
    human_annotated_*.json  the same with a question by a person in place of each interval
    shards/*.jsonl[.gz]     questions by template ("Which team did Ann Hay play for after Jul 2014?") with paragraphs
                            that answer them; the interval is the time in a paragraph nearest to the one asked for
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from epochal.bench.augment.frames import plain_title
from epochal.bench.augment.moments import Moment, read_moments, shares_time
from epochal.bench.augment.splitting import normalise
from epochal.bench.builders.re2bench.facts import read_entries
from epochal.errors import EpochalError, InputError
from epochal.index.inputs.jsonl import json_rows
from epochal.index.inputs.rows import Meter
from epochal.times import OPEN_END, OPEN_START, Grain, Span

__all__ = ["Fact", "FactReader", "Templates", "ends_of"]

_TIME: Final = re.compile(r"\$[24]")
_SPECIFIER: Final = r"(?:in|on|from|between|before|after|during|since|until|by)\b"
#: Births and lives stand in brackets behind a name, and are the time of no other fact.
_LIFE: Final = re.compile(r"\([^()]*$")
_LONGEST: Final = 60 * Grain.YEAR.seconds


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a page, with the paragraph that holds it.

    `start` and `end` are months or years; `is_first` and `is_last` tell whether it is that of its page and relation.

    >>> Fact("Ann Hay", "P54", Span.year(1998), Span.year(2001), "Ann Hay played for Leeds from 1998 to 2001.").span
    Span.parse('1998/2001')
    """

    subject: str
    relation: str
    start: Span
    end: Span
    passage: str
    is_first: bool = False
    is_last: bool = False

    @property
    def span(self) -> Span:
        """All of its time.

        >>> Fact("Ann Hay", "P54", Span.year(1998), Span.year(1998), "").span
        Span.parse('1998')
        """
        return self.start if self.start == self.end else Span.between(self.start, self.end)


class Templates:
    """The templates of TimeQA's relations.

    >>> templates = Templates({"P54": ["Which team did $1 play for $4?"], "P39": ["What was the position of $1 $4?"]})
    >>> templates.read("Which team did Ann Hay play for after Jul 2014?")
    ('P54', 'Ann Hay', 'after Jul 2014')
    """

    def __init__(self, by_relation: Mapping[str, Sequence[str]]) -> None:
        self.by_relation = {name: tuple(texts) for name, texts in by_relation.items() if texts}
        self._patterns = [
            (name, _pattern(" ".join(text.split()))) for name, texts in self.by_relation.items() for text in texts
        ]

    @classmethod
    def of_file(cls, path: Path) -> Templates:
        """The templates of a file `relations.json`.

        >>> Templates.of_file(Path("nowhere/relations.json"))
        Traceback (most recent call last):
        ...
        epochal.errors.InputError: nowhere/relations.json: cannot be read; accepted: relations.json of TimeQA
        """
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            return cls({name: row["template"] for name, row in values.items()})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise InputError(str(path), 0, "cannot be read; accepted: relations.json of TimeQA") from None

    def read(self, question: str) -> tuple[str, str, str] | None:
        """The relation, the subject and the time of a question by template; None for another question.

        >>> Templates({}).read("Who left?") is None
        True
        """
        plain = " ".join(question.split())
        found = [(name, match) for name, pattern in self._patterns if (match := pattern.fullmatch(plain))]
        if not found:
            return None
        # Of several that fit, the one with the shortest subject says the most itself.
        name, match = min(found, key=lambda item: len(item[1]["subject"]))
        return name, plain_title(match["subject"]), match["time"]

    def filled(self, relation: str, number: int, subject: str, time: str) -> str:
        """A question of a relation by one of its templates.

        >>> Templates({"P54": ["$1 played for  which team $4?"]}).filled("P54", 3, "Ann Hay", "in 1998")
        'Ann Hay played for which team in 1998?'
        """
        texts = self.by_relation[relation]
        text = " ".join(texts[number % len(texts)].split()).replace(" 's", "'s")
        return _TIME.sub(lambda _: time, text.replace("$1", subject))


def _pattern(template: str) -> re.Pattern[str]:
    before, after = template.split("$1", 1)
    middle = _TIME.split(after)[0].rstrip()
    return re.compile(rf"{re.escape(before)}(?P<subject>.+){re.escape(middle)} (?P<time>{_SPECIFIER}[^?]+)\?")


class FactReader:
    """Reads the facts of a folder of TimeQA. `left_out` counts what gives none, by the reason.

    >>> FactReader(Path("nowhere"))
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: nowhere/relations.json: cannot be read; accepted: relations.json of TimeQA
    """

    def __init__(self, folder: Path, *, shards: bool = True, pages: bool = True) -> None:
        self.templates = Templates.of_file(folder / "relations.json")
        self._pages = (
            sorted((*folder.glob("annotated_*.json"), *folder.glob("human_annotated_*.json"))) if pages else []
        )
        self._shards = sorted(folder.glob("shards/*.jsonl*")) if shards else []
        if not self._pages and not self._shards:
            raise EpochalError(
                f"the folder {str(folder)!r} has no facts; accepted: annotated_*.json, human_annotated_*.json, shards/"
            )
        self.left_out: Counter[str] = Counter()

    def facts(self) -> Iterator[Fact]:
        """The facts, those of pages first.

        >>> FactReader.facts.__name__
        'facts'
        """
        for path in self._pages:
            for entry in read_entries(path):
                yield from self._of_page(entry)
        for path in self._shards:
            yield from self._of_shard(path)

    def _of_page(self, entry: Mapping[str, Any]) -> Iterator[Fact]:
        subject = plain_title(unquote(entry["link"].removeprefix("/wiki/")).replace("_", " "))
        if entry["type"] not in self.templates.by_relation:
            self.left_out["no template"] += len(entry["questions"])
            return
        count = len(entry["questions"])
        for number, (when, answers) in enumerate(entry["questions"]):
            span = self._interval(when)
            if span is None:
                self.left_out["no interval"] += 1
                continue
            holding = sorted({item["para"] for item in answers if item.get("answer")})
            told = [entry["paras"][place] for place in holding if place < len(entry["paras"])]
            said = [text for text in told if _says_a_year(text, *span)]
            if not said:
                self.left_out["no paragraph with the answer and a year"] += 1
            for text in said:
                yield Fact(subject, entry["type"], *span, normalise(text), number == 0, number == count - 1)

    def _interval(self, when: Any) -> tuple[Span, Span] | None:
        """The first and last unit of what a page says: two texts, or a question that states one time."""
        if isinstance(when, str):
            read = read_moments(when).only
            return None if read is None or read.span.is_open else ends_of(read.span)
        try:
            first, last = (read_moments(str(text)).only for text in when)
        except ValueError:
            return None
        if first is None or last is None or first.span.is_open or last.span.end <= first.span.start:
            return None
        return ends_of(first.span)[0], ends_of(last.span)[1]

    def _of_shard(self, path: Path) -> Iterator[Fact]:
        for row in json_rows(path, str(path), Meter(0)):
            if row.problem is not None:
                raise InputError(row.file, row.line, row.problem)
            question, told = row.values.get("question"), row.values.get("positive_ctxs")
            if not isinstance(question, str) or not isinstance(told, list):
                raise InputError(row.file, row.line, "the row has no question with positive_ctxs; accepted: both")
            read = self.templates.read(question)
            asked = read_moments(question).only
            if read is None or asked is None:
                self.left_out["no template" if read is None else "no time asked for"] += 1
                continue
            for item in told:
                text = normalise(str(item.get("text", "")))
                nearest = _nearest(text, asked)
                if nearest is None:
                    self.left_out["no time in the paragraph"] += 1
                    continue
                first, last = ends_of(nearest.span)
                yield Fact(read[1], read[0], first, last, text, "before" in read[2], "after" in read[2])


def ends_of(span: Span) -> tuple[Span, Span]:
    """The first and last month of a span, or its first and last year where it is said in years or coarser.

    >>> [unit.edtf() for unit in ends_of(Span.parse("1998-05-04/2001"))]
    ['1998-05', '2001']
    """
    first = Grain.MONTH if span.grain <= Grain.MONTH else Grain.YEAR
    last = Grain.MONTH if span.end_grain <= Grain.MONTH else Grain.YEAR
    return Span.unit(span.start, first), Span.unit(span.end - 1, last)


def _says_a_year(text: str, first: Span, last: Span) -> bool:
    return any(str(year) in text for year in (first.first_year, last.last_year))


def _nearest(text: str, asked: Moment) -> Moment | None:
    """The time of a paragraph that shares most with the one asked for, or lies nearest to where that is bounded."""
    edge = asked.span.start if asked.span.end == OPEN_END else asked.span.end
    if asked.span.start != OPEN_START and asked.span.end != OPEN_END:
        edge = (asked.span.start + asked.span.end) // 2
    found = [
        moment
        for moment in read_moments(text).moments
        if moment.absolute
        and not moment.span.is_open
        and moment.span.seconds <= _LONGEST
        and shares_time(moment.span, asked.span)
        and not _LIFE.search(text[: moment.start_char])
    ]
    return min(found, key=lambda moment: abs(moment.span.start - edge) + abs(moment.span.end - edge), default=None)
