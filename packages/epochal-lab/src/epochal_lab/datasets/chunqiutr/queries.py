"""Queries of ChunQiuTR, and the published protocol: which records are in the gallery, which queries are dropped.

    neg  commentaries of later ages, which repeat dates and names but are never right, are in the gallery
    ne   the placeholders of empty months are in the gallery
    dq   queries that only placeholders answer are dropped

The headline is neg1_ne1_dq0; neg1_ne0_dq1 tells whether events are found.

Fifty-two templates, in traditional Chinese and our own words, ask for a month or a window of months; they fall into the
nine groups of the published set. {t} is a month in full, {u} the month at which a range ends, {y} a year, {n} a number
of months. Each month gets some point queries and some about a window that it anchors, sampled by hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from epochal.errors import EpochalError, UnknownNameError
from epochal.storage.records import Document
from epochal_lab.datasets.chunqiutr.records import MonthKey, MonthLine, Record, pick, year_name
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics.runs import PeriodQrels, Qrels

#: All modes that make sense, as neg, ne and dq.
MODES = ((1, 1, 0), (1, 1, 1), (1, 0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 1))
#: What questions can be parted into: by the shape of what is asked, and those whose months are all empty.
FAMILIES = ("all", "point", "window", "gap")


@dataclass(frozen=True, slots=True)
class _Gallery:
    """Documents without those of some types, gone through as often as one likes."""

    documents: Iterable[Document]
    without: frozenset[str]

    def __iter__(self) -> Iterator[Document]:
        return (document for document in self.documents if document.meta.get("type") not in self.without)


def protocol(bench_set: BenchSet, *, neg: int = 1, ne: int = 1, dq: int = 0) -> BenchSet:
    """The set in one mode. Questions that have nothing relevant left in the gallery are dropped.

    >>> protocol(BenchSet("chunqiutr", (), (), {}), ne=0, dq=1).id
    'chunqiutr/neg1_ne0_dq1'
    >>> protocol(BenchSet("chunqiutr", (), (), {}), ne=0)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the mode neg1_ne0_dq0 has no gold for empty months; accepted with ne=0: dq=1
    """
    mode = f"neg{int(neg)}_ne{int(ne)}_dq{int(dq)}"
    if not ne and not dq:
        raise EpochalError(f"the mode {mode} has no gold for empty months; accepted with ne=0: dq=1")
    types = {kind for kind, included in (("neg_comment", neg), ("no_event", ne)) if not included}
    gallery = _Gallery(bench_set.documents, frozenset(types))
    ids = {document.id for document in gallery} if types else None
    included = [query for query in bench_set.queries if not (dq and query.annotations.get("gap"))]
    qrels = bench_set.qrels
    periods = bench_set.period_qrels
    if ids is not None:
        qrels = {
            query: {name: score for name, score in judged.items() if name in ids} for query, judged in qrels.items()
        }
        periods = {query: tuple(covered & ids for covered in sets) for query, sets in periods.items()}
    included = [query for query in included if any(score > 0 for score in qrels.get(query.id, {}).values())]
    view = replace(bench_set, id=f"{bench_set.id}/{mode}", documents=gallery, qrels=qrels, period_qrels=periods)
    return view.with_queries(included)


def family(bench_set: BenchSet, name: str) -> BenchSet:
    """The set with the questions of one family: point, window, gap (all its months are empty), or all.

    >>> family(BenchSet("chunqiutr", (), (), {}), "gap").id
    'chunqiutr/gap'
    """
    if name not in FAMILIES:
        raise UnknownNameError("family", name, FAMILIES)
    if name == "all":
        return bench_set
    queries = [
        query
        for query in bench_set.queries
        if (query.annotations.get("gap") if name == "gap" else query.annotations.get("family") == name)
    ]
    return replace(bench_set, id=f"{bench_set.id}/{name}").with_queries(queries)


#: By group the offsets that are drawn for it, in months; a range reaches so many months beyond its first.
AMOUNTS: Final[Mapping[str, tuple[int, ...]]] = {
    "past": (1, 2, 3, 6, 12),
    "future": (1, 2, 3, 6, 12),
    "around": (1, 2, 3),
    "range": (1, 2, 3, 5, 11),
}

_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "content": (
        "{t}發生了什麼事？",
        "《春秋》在{t}記了哪些事？",
        "{t}，魯國與諸侯之間有何大事？",
        "請列出{t}的史事。",
        "經傳於{t}記載了什麼內容？",
        "{t}這個月有哪些記錄？",
        "想知道{t}的事件。",
        "查找{t}的記事。",
        "{t}有哪些人物和事件見於經傳？",
        "史官在{t}寫下了什麼？",
        "{t}的經文與傳文說了什麼？",
        "關於{t}，有哪些史料可以參考？",
    ),
    "existence": (
        "{t}有沒有記事？",
        "《春秋》於{t}是否記載了事件？",
        "{t}是否無事可記？",
        "經傳在{t}有無記錄？",
        "{t}是不是空白的月份？",
        "在{t}可曾發生過什麼事情？",
        "{t}這個月，史書有記載嗎？",
        "能否找到{t}的任何史事？",
    ),
    "past": (
        "{t}之前{n}內，發生了哪些事？",
        "請檢索{t}之前{n}的記事。",
        "在{t}以前的{n}裡，《春秋》記了什麼？",
        "{t}之前的{n}間，諸侯有何動向？",
        "截至{t}之前，過去{n}有哪些史事？",
        "{t}前{n}的經傳記錄有哪些？",
    ),
    "future": (
        "{t}之後{n}內，發生了哪些事？",
        "請檢索{t}之後{n}的記事。",
        "在{t}以後的{n}裡，《春秋》記了什麼？",
        "{t}之後的{n}間，魯國有何大事？",
        "{t}後{n}的經傳記錄有哪些？",
    ),
    "around": (
        "{t}前後{n}，有哪些記事？",
        "請列出{t}前後各{n}的史事。",
        "以{t}為中心，前後{n}之內發生了什麼？",
        "{t}前後{n}間，《春秋》記載了什麼？",
        "查找{t}前後{n}的經傳記錄。",
    ),
    "range": (
        "從{t}到{u}，發生了哪些事？",
        "{t}至{u}之間，《春秋》記了什麼？",
        "請檢索{t}至{u}的記事。",
        "自{t}起至{u}止，有哪些史事？",
        "{t}到{u}期間，諸侯之間有何大事？",
    ),
    "year": (
        "{y}全年發生了哪些事？",
        "《春秋》在{y}記了什麼？",
        "請列出{y}這一年的史事。",
        "{y}一年之中，魯國有何大事？",
        "查找{y}的全部經傳記錄。",
    ),
    "previous": (
        "{y}的前一年發生了哪些事？",
        "請檢索{y}前一年的記事。",
        "{y}的上一年，《春秋》記了什麼？",
    ),
    "next": (
        "{y}的後一年發生了哪些事？",
        "請檢索{y}後一年的記事。",
        "{y}的下一年，《春秋》記了什麼？",
    ),
}
#: The nine groups in the order of their numbers.
GROUPS: Final = tuple(_TEXTS)


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """A way to ask: its number from 1 to 52, its group, and its words."""

    number: int
    group: str
    text: str

    @property
    def family(self) -> str:
        """Whether it asks for one month or for a window."""
        return "point" if self.group in ("content", "existence") else "window"


#: All of them in the order of their numbers.
TEMPLATES: Final = tuple(
    QuestionTemplate(number, group, text)
    for number, (group, text) in enumerate(((group, text) for group, texts in _TEXTS.items() for text in texts), 1)
)


_AMOUNT_TEXTS: Final[Mapping[int, str]] = {1: "一個月", 2: "兩個月", 3: "三個月", 6: "半年", 12: "一年"}
_POINT: Final = tuple(template for template in TEMPLATES if template.family == "point")
_OF_YEARS: Final = tuple(template for template in TEMPLATES if template.group in ("year", "previous", "next"))
_OF_MONTHS: Final = tuple(template for template in TEMPLATES if template.group in AMOUNTS)


@dataclass(frozen=True, slots=True)
class MonthQuery:
    """A template made into a question: the month that it starts from, its words, and the months that it asks for."""

    template: QuestionTemplate
    anchor: MonthKey
    amount: int
    text: str
    targets: tuple[MonthKey, ...]


def build_query(template: QuestionTemplate, anchor: MonthKey, amount: int, line: MonthLine) -> MonthQuery:
    """The question of a template; its targets are none where the line of months does not reach so far.

    Before and after leave the anchor out, around takes it in, and reigns follow each other without a break.
    """
    position = line.places[anchor]
    targets = {
        "content": (anchor,),
        "existence": (anchor,),
        "past": line.between(position - amount, position - 1),
        "future": line.between(position + 1, position + amount),
        "around": line.between(position - amount, position + amount),
        "range": line.between(position, position + amount),
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
    return MonthQuery(template, anchor, amount, text, targets)


def build_queries(
    records: Sequence[Record], line: MonthLine, *, points: int = 3, windows: float = 2.4
) -> tuple[tuple[BenchQuery, ...], Qrels, PeriodQrels, int]:
    """The questions of a line of months, what is relevant to them, and how many windows were dropped.

    A window whose months are not all in one split is dropped. Relevant are all records of the queried months, but
    never a commentary.
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
    for query in _sample_queries(line, points, windows):
        split = line.split(query.targets)
        if split == "mixed":
            mixed += 1
            continue
        template = query.template
        amount = f"-{query.amount}" if query.amount else ""
        name = f"{template.family}-{query.anchor}-t{template.number:02}{amount}"
        queries.append(
            BenchQuery(
                name,
                query.text,
                periods=tuple(spans[key] for key in query.targets),
                kind=template.group,
                split=split,
                annotations={
                    "family": template.family,
                    "gap": not any(key in full for key in query.targets),
                    "template": template.number,
                    "anchor": str(query.anchor),
                    "targets": [str(key) for key in query.targets],
                },
            )
        )
        qrels[name] = {document: 1 for key in query.targets for document in gold[key]}
        periods[name] = tuple(frozenset(gold[key]) for key in query.targets)
    return tuple(queries), qrels, periods, mixed


def _sample_queries(line: MonthLine, points: int, windows: float) -> Iterator[MonthQuery]:
    """The questions in the order of their months: so many of either family a month, which ones a hash tells.

    A year is asked for once, with its first month; all other windows are counted in months.
    """
    for position, key in enumerate(line.keys):
        for template in _shuffle_templates("point", key, _POINT)[:points]:
            yield build_query(template, key, 0, line)
        count = int((position + 1) * windows) - int(position * windows)
        years = _shuffle_templates("year", key, _OF_YEARS)[:1] if key.month == 1 else []
        for template in (*years, *_shuffle_templates("window", key, _OF_MONTHS)):
            if count == 0:
                break
            amounts = AMOUNTS.get(template.group, (0,))
            query = build_query(template, key, amounts[pick("amount", key, template.number) % len(amounts)], line)
            if query.targets:
                count -= 1
                yield query


def _shuffle_templates(what: str, key: MonthKey, templates: Sequence[QuestionTemplate]) -> list[QuestionTemplate]:
    return sorted(templates, key=lambda template: pick(what, key, template.number))
