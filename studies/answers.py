"""Do answers cite all records of the queried time, say so where there are none, and cover every compared period?

    python studies/answers.py [--quick] [--parts annals coverage]

Makes the tables of answers in docs/results/retrieval.md.

Annals. The months of ChunQiuTR's test split, as rebuilt (built/chunqiutr/traditional in EPOCHAL_DATA): every question
of the set about one month, and questions about 240 months outside the annals, in Chinese and English. The index has the
annals, the three commentaries and later notes, without the placeholders of empty months; annals and commentaries are
read in sequence, without vectors. A record is in the evidence set of a question if it is cited, or named as a
near-duplicate of a citation. Of months with up to ten records, they must be among the first ten citations; of others,
anywhere in the evidence set. "Dated" counts citations whose date overlaps the month, and no neighbours. The years of 65
records are headings in the book, which the set keeps beside the text: with them as titles (the builder's
headings=true), and without.

Coverage. Questions that compare two or three periods of a topic with more than ten relevant documents, generated from
news and forecasts: every eighth item of current_events, twelve versions of each forecast of 45 days. The same
candidates with the same scores, selected by coverage and by score alone. The constants of the selection were set on
questions of another seed. --quick takes what comes with the package, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import _material
import numpy as np
from _material import COLLECTIONS, sample_news
from _record import Row, override_constants, save, skip

from epochal.answers import answer
from epochal.api import Index
from epochal.audit.facts import hash_choice, iterate_facts
from epochal.ingest import SequenceReader
from epochal.search import hits as search_hits
from epochal.storage.records import Document
from epochal.times import Grain, Span
from epochal.times.words import MONTHS
from epochal_lab.datasets.catalogue import load
from epochal_lab.datasets.making.corpus import Axis, Corpus, CorpusTopic, find_topics
from epochal_lab.datasets.making.wording import during
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.datasets.sources import MissingSetError
from epochal_lab.metrics import evaluate, parse_measures
from epochal_lab.metrics.significance import compare

SEED = 4711
PER_KIND = 150
SET = "chunqiutr/traditional"
FIRST = 10
#: Years before and after the annals, which cover 722 to 468 BCE; one month of each is asked for.
BEFORE, AFTER, OURS = range(723, 1023, 6), range(168, 468, 6), range(1000, 2000, 50)
EVERY, VERSIONS, DAYS = 8, 12, 45
#: Relevant documents of a comparison: more than FIRST, and at most this many.
MAX_GOLD = 100
MAX_TRIES = 100
GRAINS = {"current_events": (Grain.YEAR, Grain.MONTH), "forecasts": (Grain.DAY,), "demo news": (Grain.YEAR,)}
#: By the number of compared periods, and by whether these are times of publication or of the content.
WORDINGS = {
    (2, Axis.PUBLISHED): (
        "Compare the documents about {x} that appeared {a} with those that appeared {b}.",
        "How does what was published about {x} {a} differ from what was published {b}?",
        "What was published about {x} {a}, and what {b}?",
    ),
    (2, Axis.ABOUT): (
        "How does {x} {a} differ from {x} {b}?",
        "Compare what is recorded about {x} {a} with what is recorded {b}.",
        "What is recorded about {x} {a}, and what {b}?",
    ),
    (3, Axis.PUBLISHED): (
        "Compare what was published about {x} {a}, {b} and {c}.",
        "What was published about {x} {a}, what {b}, and what {c}?",
        "How do the documents about {x} differ that appeared {a}, {b} and {c}?",
    ),
    (3, Axis.ABOUT): (
        "Compare {x} {a}, {b} and {c}.",
        "What is recorded about {x} {a}, what {b}, and what {c}?",
        "How does {x} differ {a}, {b} and {c}?",
    ),
}
NUMBERS = (2, 3)

# ---------------------------------------------------------------- annals


@dataclass(frozen=True)
class Month:
    """A question for a month, the records of that month, and the month's name."""

    text: str
    gold: frozenset[str]
    name: str


def select_records(bench_set: BenchSet, *, headings: bool) -> Iterator[Document]:
    """The records without placeholders; with `headings`, the headings of the book are their titles."""
    for document in bench_set.documents:
        if document.meta["type"] != "no_event":
            title = str(document.meta.get("heading", "")) if headings else document.title
            yield replace(document, title=title)


def read_months(bench_set: BenchSet) -> list[Month]:
    gold: dict[str, set[str]] = {}
    for document in bench_set.documents:
        if document.meta["type"] == "event":
            gold.setdefault(str(document.meta["key"]), set()).add(document.id)
    point = [query for query in bench_set.select_split("test").queries if query.annotations["family"] == "point"]
    names = [query.annotations["targets"][0] for query in point]
    return [Month(query.text, frozenset(gold.get(name, ())), name) for query, name in zip(point, names, strict=True)]


def make_outside_questions() -> list[str]:
    questions = []
    for number, year in enumerate((*BEFORE, *AFTER)):
        month = number % 12
        questions += [f"公元前{year}年{month + 1}月發生了什麼事？", f"What happened in {MONTHS[month]} {year} BCE?"]
    for number, year in enumerate(OURS):
        month = number % 12
        questions += [
            f"公元{year}年{month + 1}月有哪些記事？",
            f"Which events are recorded for {MONTHS[month]} {year}?",
        ]
    return questions


def judge_answer(index: Index, month: Month) -> Row:
    """The outcome of one answer, and whether its evidence is complete."""
    result = answer(index, month.text)
    if len(result.parts) != 1:
        return {"outcome": "misread", "complete": False, "dated": False}
    cited = [result.citation(number) for number in result.parts[0].citations]
    first = cited if len(month.gold) > FIRST else cited[:FIRST]
    dated = [item for item in cited if item.standing not in ("near", "topic")]
    return {
        "outcome": result.outcome,
        "complete": month.gold <= get_ids(first),
        "dated": month.gold <= get_ids(dated),
        "vague": any(item.standing == "vague" for item in cited),
    }


def get_ids(cited: Iterable[Any]) -> set[str]:
    return {id for item in cited for id in (item.id, *item.behind)}


def summarise_shares(values: Sequence[bool], names: Sequence[str]) -> Row:
    """The share of questions, and the mean over months of the share of their questions."""
    by_month: dict[str, list[bool]] = {}
    for name, value in zip(names, values, strict=True):
        by_month.setdefault(name, []).append(value)
    return {
        "questions": len(values),
        "share": round(float(np.mean(values)), 4),
        "months": len(by_month),
        "of months": round(float(np.mean([np.mean(flags) for flags in by_month.values()])), 4),
    }


def measure_annals(
    what: str, documents: Iterable[Document], months: Sequence[Month], outside: Sequence[str]
) -> list[Row]:
    reader = SequenceReader.named("lu", "魯隱公元年", "work", ("type", "event"))
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        records = index.add(documents, read=reader)
        answers = [judge_answer(index, month) for month in months]
        outcomes = [answer(index, text).outcome for text in outside]
    events = [(month.name, result) for month, result in zip(months, answers, strict=True) if month.gold]
    empty = [(month.name, result) for month, result in zip(months, answers, strict=True) if not month.gold]

    def row(name: str, group: Sequence[tuple[str, Row]], holds: Any) -> Row:
        values = summarise_shares([bool(holds(result)) for _, result in group], [name for name, _ in group])
        return {"part": "annals", "what": what, "records": records, "measure": name, **values}

    return [
        row("event months: all records in the pack", events, lambda result: result["complete"]),
        row("event months: all records dated to the month", events, lambda result: result["dated"]),
        row("event months: answered as recorded", events, lambda result: result["outcome"] == "recorded"),
        row(
            "event months: recorded, or dated more vaguely",
            events,
            lambda result: result["outcome"] == "recorded" or result["vague"],
        ),
        row("empty months: none recorded", empty, lambda result: result["outcome"] == "none_recorded"),
        row(
            "months outside the annals: not covered",
            [(text, {"outcome": outcome}) for text, outcome in zip(outside, outcomes, strict=True)],
            lambda result: result["outcome"] == "not_covered",
        ),
    ]


# ---------------------------------------------------------------- coverage


def make_comparisons(name: str, documents: Sequence[Document], count: int, seed: int = SEED) -> BenchSet:
    """So many questions with two periods, and with three; no topic comes twice before every topic has come once."""
    corpus = Corpus(iterate_facts(documents))
    topics = find_topics(corpus.facts)
    queries, qrels, periods = [], {}, {}
    for number in NUMBERS:
        waiting = [
            draft_comparisons(corpus, topic, axis, GRAINS[name], number, seed)
            for topic in sorted(topics, key=lambda topic: hash_choice(seed, str(number), topic.text))
            if len(topic.full) > FIRST
            for axis in corpus.axes
        ]
        result = 0
        while waiting and result < count:
            left = []
            for drafts in waiting:
                draft = next(drafts, None)
                if draft is None or result == count:
                    continue
                left.append(drafts)
                topic, axis, spans, gold, maybe = draft
                text = WORDINGS[number, axis][result % 3]
                words = {letter: during(span, span, result) for letter, span in zip("abc", spans, strict=False)}
                id = f"{number}-{result}"
                text = text.format(x=topic.text, **words)
                queries.append(BenchQuery(id, text, corpus.now, spans, str(number), "test", maybe))
                qrels[id] = {document: 1 for period in gold for document in period}
                periods[id] = gold
                result += 1
            waiting = left
    return BenchSet(name, (), tuple(queries), qrels, periods)


Draft = tuple[CorpusTopic, Axis, tuple[Span, ...], tuple[frozenset[str], ...], tuple[str, ...]]


def draft_comparisons(
    corpus: Corpus, topic: CorpusTopic, axis: Axis, grains: Sequence[Grain], number: int, seed: int
) -> Iterator[Draft]:
    """Disjoint periods of a topic, each with relevant documents, together more than FIRST."""
    times = [span for at in topic.full for span in corpus.times(topic, at, axis)]
    units = {grain: Counter(Span.unit(span.start, grain) for span in times) for grain in grains}
    seen = set()
    for turn in range(MAX_TRIES):
        key = (topic.text, axis.value, str(number), str(turn))
        grain = grains[hash_choice(seed, *key) % len(grains)]
        sample = sorted(units[grain], key=lambda unit: hash_choice(seed, *key, unit.edtf()))[:number]
        spans = tuple(sorted(sample, key=lambda unit: unit.start))
        apart = all(one.end < two.start for one, two in pairwise(spans))
        if len(spans) < number or not apart or spans in seen or sum(units[grain][span] for span in spans) <= FIRST:
            continue
        seen.add(spans)
        judged = [corpus.judge(topic, span, axis) for span in spans]
        gold = tuple(frozenset(corpus.ids[at] for at in one.gold) for one in judged)
        every = frozenset().union(*gold)
        if all(gold) and FIRST < len(every) <= MAX_GOLD and sum(map(len, gold)) == len(every):
            maybe = {corpus.ids[at] for one in judged for at in one.maybe} - every
            yield topic, axis, spans, gold, tuple(sorted(maybe))


def select_by_score(scores: Any, periods: Any, k: int) -> tuple[list[int], list[int]]:
    """The selection without coverage."""
    selected = np.argsort(-scores, kind="stable")[:k].tolist()
    return selected, [-1] * len(selected)


def measure_selection(index: Index, bench_set: BenchSet) -> tuple[Any, int]:
    """The measures of the first ten hits by question, and how many questions were read as comparing those periods."""
    run, understood = {}, 0
    for query in bench_set.queries:
        response = index.search(query.text, k=FIRST + len(query.excluded), now=query.now, collapse_versions=False)
        hits = [hit.id for hit in response if hit.id not in query.excluded][:FIRST]
        run[query.id] = {id: -float(rank) for rank, id in enumerate(hits)}
        reading = response.understanding
        understood += reading.cross_period and set(reading.periods) == set(query.periods)
    judgements = bench_set.judgements(times=lambda document: ())
    outcomes = evaluate(run, judgements, parse_measures("TC@10 nDCG@10")).outcomes
    return {str(outcome.measure): outcome.values for outcome in outcomes}, understood


def measure_coverage(name: str, documents: Sequence[Document], count: int, encoder: str = "static") -> list[Row]:
    result = make_comparisons(name, documents, count)
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=encoder) as index:
        index.add(documents)
        covered, understood = measure_selection(index, result)
        with override_constants(search_hits, select_covering=select_by_score):
            scored, _ = measure_selection(index, result)
    rows = []
    for periods in (*map(str, NUMBERS), "all"):
        ids = [query.id for query in result.queries if periods in (query.kind, "all")]
        row: Row = {"part": "coverage", "set": name, "periods": periods, "questions": len(ids)}
        for measure in ("TC@10", "nDCG@10"):
            ours, theirs = ({id: values[measure][id] for id in ids} for values in (covered, scored))
            comparison = compare(ours, theirs)
            gain = comparison.difference
            row |= {
                measure: round(float(np.mean(list(ours.values()))), 4),
                f"{measure} by score": round(float(np.mean(list(theirs.values()))), 4),
                f"{measure} gain": [round(value, 4) for value in (gain.mean, gain.low, gain.high)],
                f"{measure} p": round(comparison.p, 5),
            }
        rows.append(row)
    rows[-1] |= {"documents": len(documents), "read as comparing these periods": understood}
    return rows


# ---------------------------------------------------------------- running


def make_quick_annals() -> tuple[list[Document], list[Month]]:
    """A year of annals, some of whose records state nothing."""
    lines = ("元年春王正月。", "三月，公及邾儀父盟于蔑。", "公子益師卒。", "夏五月，鄭伯克段。", "冬十有二月，祭伯來。")
    meta = {"type": "event", "work": "經"}
    documents = [Document(f"line {number}", text, meta=meta) for number, text in enumerate(lines, 1)]
    gold = {"正月": {"line 1"}, "三月": {"line 2", "line 3"}, "五月": {"line 4"}, "八月": set(), "十二月": {"line 5"}}
    months = [Month(f"魯隱公元年{name}發生了什麼事？", frozenset(ids), name) for name, ids in gold.items()]
    return documents, months


def make_quick_rows() -> list[Row]:
    documents, months = make_quick_annals()
    outside = make_outside_questions()[:4]
    return [
        *measure_annals("a year of annals", documents, months, outside),
        *measure_coverage("demo news", sample_news(800, quick=True), 3),
    ]


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--parts", nargs="+", choices=("annals", "coverage"), help="only these, and nothing is written")
    arguments = parser.parse_args(given)
    if arguments.quick:
        print(json.dumps(make_quick_rows(), indent=2, ensure_ascii=False))
        return
    parts = arguments.parts or ("annals", "coverage")
    rows: list[Row] = []
    if "annals" in parts:
        try:
            bench_set = load(SET)
        except MissingSetError as error:
            skip(str(error))
        months, outside = read_months(bench_set), make_outside_questions()
        for what, headings in (("with the book's headings of years", True), ("without them", False)):
            rows += measure_annals(what, select_records(bench_set, headings=headings), months, outside)
    if "coverage" in parts:
        with override_constants(_material, EVERY=EVERY, VERSIONS=VERSIONS, DAYS=DAYS):
            for name in ("current_events", "forecasts"):
                rows += measure_coverage(name, COLLECTIONS[name](), PER_KIND)
    if arguments.parts:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    save(
        "answers",
        "do answers cite all records of a month, say so where there are none, and cover every period that is compared?",
        f"{SET}, test split, without placeholders; current_events (every eighth item), forecasts (twelve versions of "
        f"45 days), static encoder",
        SEED,
        rows,
        per_kind=PER_KIND,
        wordings=[text for match in WORDINGS.values() for text in match],
    )


if __name__ == "__main__":
    main()
