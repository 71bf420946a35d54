"""Rows from dated facts: subject, relation, interval, and the paragraph that states it.

Facts of TimeQA are read from a folder with `relations.json` (the templates) and any of

    annotated_*.json        a page, a relation, and intervals with their answers
    human_annotated_*.json  the same with a question by a person in place of each interval
    shards/*.jsonl[.gz]     questions by template ("Which team did Ann Hay play for after Jul 2014?") with paragraphs
                            that answer them; the interval is the time in a paragraph nearest to the queried one

Facts of other passages are clauses whose verb names a relation ("played for": P54).

Each fact is asked for in an easy way ("from A to B") and a hard one: a point or a part within it, "before" for the
first fact of a page, "after" for the last. What lies within two months is asked as "in A". The wrong question has the
same words and an interval that ends a year before the fact or starts a year after it. Beyond the recipe of TNP's first
training set: a wrong interval that overlaps another fact of the paragraph is sampled again, and a question that the
tagger does not read as one time is dropped.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from epochal.errors import EpochalError, InputError
from epochal.storage.importers.rows import Meter, json_rows
from epochal.storage.text import units
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Grain, civil_date
from epochal.times.span import Span
from epochal.times.words import MONTHS, format_year
from epochal_lab.datasets.augment.chunks import (
    Chunk,
    StatedTime,
    normalise,
    read_stated_times,
    relate_spans,
    shares_time,
)
from epochal_lab.datasets.augment.clauses import Clause, find_clause
from epochal_lab.datasets.augment.frames import strip_title
from epochal_lab.datasets.augment.rows import EXPLICIT, TemporalQuestion, TemporalRow
from epochal_lab.datasets.augment.templates import normalise_text
from epochal_lab.datasets.timeqa import read_entries

_TIME: Final = re.compile(r"\$[24]")
_SPECIFIER: Final = r"(?:in|on|from|between|before|after|during|since|until|by)\b"
#: Births and lives are in brackets after a name, and are the time of no other fact.
_LIFE: Final = re.compile(r"\([^()]*$")
_LONGEST: Final = 60 * Grain.YEAR.seconds


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a page, with the paragraph that holds it.

    `start` and `end` are months or years; `is_first` and `is_last` tell whether it is that of its page and relation.
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
        """All of its time."""
        return self.start if self.start == self.end else Span.between(self.start, self.end)


class Templates:
    """The templates of TimeQA's relations."""

    def __init__(self, group_by_relation: Mapping[str, Sequence[str]]) -> None:
        self.group_by_relation = {name: tuple(texts) for name, texts in group_by_relation.items() if texts}
        self._patterns = [
            (name, _compile_template(" ".join(text.split())))
            for name, texts in self.group_by_relation.items()
            for text in texts
        ]

    @classmethod
    def from_file(cls, path: Path) -> Templates:
        """The templates of a file `relations.json`."""
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            return cls({name: row["template"] for name, row in values.items()})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise InputError(str(path), 0, "cannot be read; accepted: relations.json of TimeQA") from None

    def read(self, question: str) -> tuple[str, str, str] | None:
        """The relation, the subject and the time of a question by template; None for another question."""
        plain = " ".join(question.split())
        readings = [(name, match) for name, pattern in self._patterns if (match := pattern.fullmatch(plain))]
        if not readings:
            return None
        # Of several that fit, the one with the shortest subject says the most itself.
        name, match = min(readings, key=lambda item: len(item[1]["subject"]))
        return name, strip_title(match["subject"]), match["time"]

    def fill_template(self, relation: str, number: int, subject: str, time: str) -> str:
        """A question of a relation by one of its templates."""
        texts = self.group_by_relation[relation]
        text = " ".join(texts[number % len(texts)].split()).replace(" 's", "'s")
        return _TIME.sub(lambda _: time, text.replace("$1", subject))


def _compile_template(template: str) -> re.Pattern[str]:
    before, after = template.split("$1", 1)
    middle = _TIME.split(after)[0].rstrip()
    return re.compile(rf"{re.escape(before)}(?P<subject>.+){re.escape(middle)} (?P<time>{_SPECIFIER}[^?]+)\?")


class FactReader:
    """Reads the facts of a folder of TimeQA. `left_out` counts what gives none, by the reason."""

    def __init__(self, folder: Path, *, shards: bool = True, pages: bool = True) -> None:
        self.templates = Templates.from_file(folder / "relations.json")
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
        """The facts, those of pages first."""
        for path in self._pages:
            for entry in read_entries(path):
                yield from self._read_page(entry)
        for path in self._shards:
            yield from self._read_shard(path)

    def _read_page(self, entry: Mapping[str, Any]) -> Iterator[Fact]:
        subject = strip_title(unquote(entry["link"].removeprefix("/wiki/")).replace("_", " "))
        if entry["type"] not in self.templates.group_by_relation:
            self.left_out["no template"] += len(entry["questions"])
            return
        count = len(entry["questions"])
        for number, (when, answers) in enumerate(entry["questions"]):
            span = self._read_interval(when)
            if span is None:
                self.left_out["no interval"] += 1
                continue
            holding = sorted({item["para"] for item in answers if item.get("answer")})
            paragraphs = [entry["paras"][position] for position in holding if position < len(entry["paras"])]
            dated = [text for text in paragraphs if _states_year(text, *span)]
            if not dated:
                self.left_out["no paragraph with the answer and a year"] += 1
            for text in dated:
                yield Fact(subject, entry["type"], *span, normalise(text), number == 0, number == count - 1)

    def _read_interval(self, when: Any) -> tuple[Span, Span] | None:
        """The first and last unit of what a page says: two texts, or a question that states one time."""
        if isinstance(when, str):
            read = read_stated_times(when).only
            return None if read is None or read.span.is_open else get_ends(read.span)
        try:
            first, last = (read_stated_times(str(text)).only for text in when)
        except ValueError:
            return None
        if first is None or last is None or first.span.is_open or last.span.end <= first.span.start:
            return None
        return get_ends(first.span)[0], get_ends(last.span)[1]

    def _read_shard(self, path: Path) -> Iterator[Fact]:
        for row in json_rows(path, str(path), Meter(0)):
            if row.problem is not None:
                raise InputError(row.file, row.line, row.problem)
            question, contexts = row.values.get("question"), row.values.get("positive_ctxs")
            if not isinstance(question, str) or not isinstance(contexts, list):
                raise InputError(row.file, row.line, "the row has no question with positive_ctxs; accepted: both")
            read = self.templates.read(question)
            question_time = read_stated_times(question).only
            if read is None or question_time is None:
                self.left_out["no template" if read is None else "no time asked for"] += 1
                continue
            for item in contexts:
                text = normalise(str(item.get("text", "")))
                nearest = _find_nearest_time(text, question_time)
                if nearest is None:
                    self.left_out["no time in the paragraph"] += 1
                    continue
                first, last = get_ends(nearest.span)
                yield Fact(read[1], read[0], first, last, text, "before" in read[2], "after" in read[2])


def get_ends(span: Span) -> tuple[Span, Span]:
    """The first and last month of a span, or its first and last year where it is said in years or coarser."""
    first = Grain.MONTH if span.grain <= Grain.MONTH else Grain.YEAR
    last = Grain.MONTH if span.end_grain <= Grain.MONTH else Grain.YEAR
    return Span.unit(span.start, first), Span.unit(span.end - 1, last)


def _states_year(text: str, first: Span, last: Span) -> bool:
    return any(str(year) in text for year in (first.first_year, last.last_year))


def _find_nearest_time(text: str, target: StatedTime) -> StatedTime | None:
    """The time of a paragraph that shares most with the one asked for, or lies nearest to where that is bounded."""
    edge = target.span.start if target.span.end == OPEN_END else target.span.end
    if target.span.start != OPEN_START and target.span.end != OPEN_END:
        edge = (target.span.start + target.span.end) // 2
    candidates = [
        stated_time
        for stated_time in read_stated_times(text).stated_times
        if stated_time.absolute
        and not stated_time.span.is_open
        and stated_time.span.seconds <= _LONGEST
        and shares_time(stated_time.span, target.span)
        and not _LIFE.search(text[: stated_time.start_char])
    ]
    return min(
        candidates,
        key=lambda stated_time: abs(stated_time.span.start - edge) + abs(stated_time.span.end - edge),
        default=None,
    )


#: Verbs in their base form and the words that may follow, and the relation that they are; "" for anything.
_VERBS: Final = {
    ("play", "for"): "P54",
    ("sign", "for"): "P54",
    ("serve", "as"): "P39",
    ("work", "for"): "P108",
    ("work", "at"): "P108",
    ("teach", "at"): "P108",
    ("attend", ""): "P69",
    ("study", "at"): "P69",
    ("graduate", "from"): "P69",
    ("receive", ""): "P166",
    ("marry", ""): "P26",
    ("live", "in"): "P551",
    ("reside", "in"): "P551",
    ("coach", ""): "P6087",
    ("manage", ""): "P6087",
}
#: The same for "was" with a participle; here the subject is what the relation is of.
_PASSIVES: Final = {
    "elected": "P39",
    "appointed": "P39",
    "awarded": "P166",
    "educated": "P69",
    "renamed": "P1448",
    "redesignated": "P1448",
    "owned": "P127",
    "employed": "P108",
    "promoted": "P410",
}
#: What somebody was or became, where an office follows.
_OFFICES: Final = frozenset(
    "minister president mayor governor chairman chair secretary director head member ambassador senator bishop "
    "chancellor deputy speaker leader commander".split()
)


def find_clause_relation(clause: Clause) -> str:
    """The relation of Wikidata that a clause states; empty where none is known."""
    words = clause.rest.lower().split()
    first = words[0] if words else ""
    if clause.base:
        if clause.base == "become":
            return "P39" if _OFFICES.intersection(words[:4]) else ""
        return _VERBS.get((clause.base, first), "") or (_VERBS.get((clause.base, ""), "") if first else "")
    if clause.verb in ("was", "were"):
        return _PASSIVES.get(first, "") or ("P39" if _OFFICES.intersection(words[:4]) else "")
    return ""


def extract_clause_facts(chunks: Iterable[Chunk]) -> Iterator[Fact]:
    """The facts that chunks state of somebody they name."""
    for chunk in chunks:
        for stated_time in chunk.stated_times:
            if stated_time.span.is_open or not stated_time.absolute:
                continue
            low, high = next((start, end) for start, end in units(chunk.text) if start <= stated_time.start_char < end)
            title = strip_title(chunk.title)
            position = (stated_time.start_char - low, min(stated_time.end_char, high) - low)
            clause = find_clause(chunk.text[low:high], *position, title)
            if clause is None or not clause.subject[:1].isupper():
                continue
            relation = find_clause_relation(clause)
            if relation:
                yield Fact(clause.subject, relation, *get_ends(stated_time.span), chunk.text)


_CLOSE: Final = 62 * DAY
_FARTHEST: Final = 10
_TRIES: Final = 4


class FactRows:
    """Makes the rows of facts, one a paragraph. `dropped` counts what was thrown away, by the reason."""

    def __init__(self, templates: Templates, *, seed: int = 0) -> None:
        self._templates = templates
        self._seed = seed
        self.dropped: Counter[str] = Counter()

    def rows(self, facts: Iterable[Fact]) -> Iterator[TemporalRow]:
        """The rows, in the order in which their paragraphs came first."""
        by_passage: dict[str, list[Fact]] = {}
        for fact in facts:
            by_passage.setdefault(fact.passage, []).append(fact)
        for number, (passage, passage_facts) in enumerate(by_passage.items()):
            row = self._make_row(number, passage, list(dict.fromkeys(passage_facts)))
            if row is not None:
                yield row

    def _make_row(self, number: int, passage: str, facts: Sequence[Fact]) -> TemporalRow | None:
        chance = random.Random(f"{self._seed} {passage}")
        stated_times = [stated_time for stated_time in read_stated_times(passage).stated_times if stated_time.absolute]
        if not stated_times:
            self.dropped["no time in the paragraph"] += 1
            return None
        right: list[TemporalQuestion] = []
        wrong: list[TemporalQuestion] = []
        seen: set[str] = set()
        for fact in facts:
            for hard in (False, True):
                template = chance.randrange(12)
                words = _choose_hard_time(fact, chance) if hard else _choose_easy_time(fact.start, fact.end)[1]
                question = self._make_question(fact, template, words, stated_times, seen)
                if question is None:
                    continue
                against = self._make_neighbour_question(fact, facts, template, stated_times, seen, chance)
                if against is None:
                    continue
                right.append(question)
                wrong.append(against)
        if not right:
            self.dropped["no question of the paragraph"] += 1
            return None
        expressions = tuple(dict.fromkeys(stated_time.text for stated_time in stated_times))
        return TemporalRow(f"fact-{number}", passage, expressions, tuple(right), tuple(wrong))

    def _make_question(
        self, fact: Fact, template: int, words: str, stated_times: Sequence[StatedTime], seen: set[str]
    ) -> TemporalQuestion | None:
        text = self._templates.fill_template(fact.relation, template, fact.subject, words)
        if normalise_text(text) in seen:
            self.dropped["question repeated"] += 1
            return None
        read = read_stated_times(text).only
        if read is None:
            self.dropped["not exactly one time in the question"] += 1
            return None
        seen.add(normalise_text(text))
        anchor = min(
            stated_times, key=lambda one: abs(one.span.start - fact.start.start) + abs(one.span.end - fact.end.end)
        )
        label = relate_spans(read.span, anchor.span)
        return TemporalQuestion(text, (read.text,), EXPLICIT, label, anchor.text if len(stated_times) > 1 else "")

    def _make_neighbour_question(
        self,
        fact: Fact,
        facts: Sequence[Fact],
        template: int,
        stated_times: Sequence[StatedTime],
        seen: set[str],
        chance: random.Random,
    ) -> TemporalQuestion | None:
        """The same question about a time beside the fact, in which no fact of the paragraph holds."""
        held = [one.span for one in facts if one.subject == fact.subject and one.relation == fact.relation]
        for _ in range(_TRIES):
            first, last = _shift_interval(fact, chance)
            span, words = _choose_easy_time(first, last)
            if not any(shares_time(span, one) for one in held):
                question = self._make_question(fact, template, words, stated_times, seen)
                if question is not None:
                    return question
        self.dropped["no time beside the fact"] += 1
        return None


def _choose_easy_time(first: Span, last: Span) -> tuple[Span, str]:
    """All of an interval, or its first unit where it is no longer than two months."""
    if first == last or (first.grain is not Grain.YEAR and last.start - first.start <= _CLOSE):
        return first, f"in {_name_unit(first)}"
    if last.end <= first.end:  # a year that holds both
        return first, f"in {_name_unit(first)}"
    return Span.between(first, last), f"from {_name_unit(first)} to {_name_unit(last)}"


def _choose_hard_time(fact: Fact, chance: random.Random) -> str:
    """A part of an interval, or a bound that falls into it."""
    months = _list_months(fact.span)
    if len(months) <= 2:
        return f"in {_name_unit(fact.start)}"
    point = chance.choice(months[1:-1])
    ways = ["in", "between"] + (["before"] if fact.is_first else []) + (["after"] if fact.is_last else [])
    way = chance.choice(ways)
    if way == "between" and len(months) > 3:
        low, high = sorted(chance.sample(range(len(months)), 2))
        return f"between {_name_unit(months[low])} and {_name_unit(months[high])}"
    return f"{way if way in ('before', 'after') else 'in'} {_name_unit(point)}"


def _shift_interval(fact: Fact, chance: random.Random) -> tuple[Span, Span]:
    """An interval that ends a year before a fact, or starts a year after it; both ends in the fact's grain."""
    length = max(_FARTHEST, (fact.end.last_year or 0) - (fact.start.first_year or 0))
    reach = chance.randint(1, length)
    if chance.random() < 0.5:
        return fact.start.shift(-max(reach, 1), Grain.YEAR), fact.start.shift(-1, Grain.YEAR)
    return fact.end.shift(1, Grain.YEAR), fact.end.shift(max(reach, 1), Grain.YEAR)


def _list_months(span: Span) -> list[Span]:
    months = [Span.unit(span.start, Grain.MONTH)]
    while months[-1].end < span.end:
        months.append(months[-1].shift(1))
    return months


def _name_unit(unit: Span) -> str:
    year, month, _ = civil_date(unit.start // DAY)
    return f"{MONTHS[month - 1][:3]} {format_year(year)}" if unit.grain is Grain.MONTH else format_year(year)
