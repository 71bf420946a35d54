"""Questions: for every month some point questions and some about a window that it anchors, drawn by hash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from epochal.bench.builders.chunqiutr.keys import MonthKey, Timeline, year_name
from epochal.bench.builders.chunqiutr.records import Record, pick
from epochal.bench.builders.chunqiutr.templates import AMOUNTS, TEMPLATES, Template
from epochal.bench.metrics.base import PeriodQrels, Qrels
from epochal.bench.records import BenchQuery

__all__ = ["Asked", "ask_all", "asked_of"]

_AMOUNT_TEXTS: Final[Mapping[int, str]] = {1: "一個月", 2: "兩個月", 3: "三個月", 6: "半年", 12: "一年"}
_POINT: Final = tuple(template for template in TEMPLATES if template.family == "point")
_OF_YEARS: Final = tuple(template for template in TEMPLATES if template.group in ("year", "previous", "next"))
_OF_MONTHS: Final = tuple(template for template in TEMPLATES if template.group in AMOUNTS)


@dataclass(frozen=True, slots=True)
class Asked:
    """A template made into a question: the month that it starts from, its words, and the months that it asks for.

    >>> line = Timeline.whole_years([MonthKey(8, 6, 1), MonthKey(8, 7, 1)])
    >>> asked = asked_of(TEMPLATES[20], MonthKey(8, 7, 1), 6, line)
    >>> asked.text, asked.targets[0].text, asked.targets[-1].text
    ('魯成公七年正月之前半年內，發生了哪些事？', '魯成公六年七月', '魯成公六年十二月')
    """

    template: Template
    anchor: MonthKey
    amount: int
    text: str
    targets: tuple[MonthKey, ...]


def asked_of(template: Template, anchor: MonthKey, amount: int, line: Timeline) -> Asked:
    """The question of a template; its targets are none where the line of months does not reach so far.

    Before and after leave the anchor out, around takes it in, and reigns follow each other without a break.

    >>> line = Timeline.whole_years([MonthKey(1, 11, 1), MonthKey(2, 1, 1)])
    >>> [str(key) for key in asked_of(TEMPLATES[31], MonthKey(2, 1, 1), 1, line).targets]
    ['1-11-12', '2-1-1', '2-1-2']
    """
    place = line.places[anchor]
    targets = {
        "content": (anchor,),
        "existence": (anchor,),
        "past": line.between(place - amount, place - 1),
        "future": line.between(place + 1, place + amount),
        "around": line.between(place - amount, place + amount),
        "range": line.between(place, place + amount),
        "year": line.year(anchor),
        "previous": line.year(anchor, -1),
        "next": line.year(anchor, 1),
    }[template.group]
    text = template.text.format(
        t=anchor.text,
        y=year_name(anchor),
        n=_AMOUNT_TEXTS.get(amount, ""),
        u=targets[-1].text if targets else "",
    )
    return Asked(template, anchor, amount, text, targets)


def ask_all(
    records: Sequence[Record], line: Timeline, *, points: int = 3, windows: float = 2.4
) -> tuple[tuple[BenchQuery, ...], Qrels, PeriodQrels, int]:
    """The questions of a line of months, what is relevant to them, and how many windows were dropped.

    A window whose months are not all in one split is dropped. Relevant are all records of the months asked for, but
    never a commentary.

    >>> line = Timeline.whole_years([MonthKey(1, 1, 1)])
    >>> record = Record("a", "event", MonthKey(1, 1, 1), "經", "元年春王正月。")
    >>> queries, qrels, _, _ = ask_all([record], line, points=1, windows=0)
    >>> len(queries), dict(qrels[queries[0].id]), queries[0].periods[0].edtf()
    (12, {'a': 1}, '-0721-01~')
    """
    gold: dict[MonthKey, list[str]] = {key: [] for key in line.keys}
    full: set[MonthKey] = set()
    for record in records:
        if record.kind != "neg_comment":
            gold[record.key].append(record.id)
            if record.kind == "event":
                full.add(record.key)
    spans = {key: key.span for key in line.keys}
    queries: list[BenchQuery] = []
    qrels: dict[str, dict[str, int]] = {}
    periods: dict[str, tuple[frozenset[str], ...]] = {}
    mixed = 0
    for asked in _drawn(line, points, windows):
        split = line.split(asked.targets)
        if split == "mixed":
            mixed += 1
            continue
        template = asked.template
        amount = f"-{asked.amount}" if asked.amount else ""
        name = f"{template.family}-{asked.anchor}-t{template.number:02}{amount}"
        queries.append(
            BenchQuery(
                name,
                asked.text,
                periods=tuple(spans[key] for key in asked.targets),
                kind=template.group,
                split=split,
                annotations={
                    "family": template.family,
                    "gap": not any(key in full for key in asked.targets),
                    "template": template.number,
                    "anchor": str(asked.anchor),
                    "targets": [str(key) for key in asked.targets],
                },
            )
        )
        qrels[name] = {document: 1 for key in asked.targets for document in gold[key]}
        periods[name] = tuple(frozenset(gold[key]) for key in asked.targets)
    return tuple(queries), qrels, periods, mixed


def _drawn(line: Timeline, points: int, windows: float) -> Iterator[Asked]:
    """The questions in the order of their months: so many of either family a month, which ones a hash tells.

    A year is asked for once, with its first month; all other windows are counted in months.
    """
    for place, key in enumerate(line.keys):
        for template in _shuffled("point", key, _POINT)[:points]:
            yield asked_of(template, key, 0, line)
        wanted = int((place + 1) * windows) - int(place * windows)
        years = _shuffled("year", key, _OF_YEARS)[:1] if key.month == 1 else []
        for template in (*years, *_shuffled("window", key, _OF_MONTHS)):
            if wanted == 0:
                break
            amounts = AMOUNTS.get(template.group, (0,))
            asked = asked_of(template, key, amounts[pick("amount", key, template.number) % len(amounts)], line)
            if asked.targets:
                wanted -= 1
                yield asked


def _shuffled(what: str, key: MonthKey, templates: Sequence[Template]) -> list[Template]:
    return sorted(templates, key=lambda template: pick(what, key, template.number))
