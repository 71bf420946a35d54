"""The audit of a test set for shortcuts: what rankings that read no time reach on it.

A set whose answers a shortcut finds says nothing about reading time; its figures are to be read beside those of the
audit. `chance` is what drawing one of the candidates of a shortcut would reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from epochal.errors import EpochalError
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.systems.base import select_top_hits, trim_answer
from epochal_lab.systems.shortcuts import SHORTCUTS, ShortcutRanker, TopicIndex

#: From this hit@1 on, beyond chance, a shortcut is worth a warning.
WARNING: Final = 0.5
_BM25: Final = "bm25-plain"


@dataclass(frozen=True, slots=True)
class ShortcutAudit:
    """The hit@1 of each shortcut, of chance among its candidates, and of BM25 on the whole question."""

    set: str
    questions: int
    hits: Mapping[str, float]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The shortcuts that find more answers than the threshold, in words."""
        return tuple(
            f"{name} finds {value:.0%} of the answers"
            for name, value in self.hits.items()
            if name.startswith("shortcut") and value >= WARNING and value > self.hits["chance"] + 0.1
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"set": self.set, "questions": self.questions, "hit@1": dict(self.hits)}


def audit_shortcuts(bench_set: BenchSet, most: int | None = None) -> ShortcutAudit:
    """Measure the shortcuts on a set, or on so many of its questions that have an answer, spread over all of them."""
    if most is not None and most < 1:
        raise EpochalError(f"most is {most}; accepted: 1 or more")
    queries = [query for query in bench_set.queries if _get_gold(bench_set, query)]
    if not queries:
        raise EpochalError(f"no question of {bench_set.id!r} has an answer to find")
    step = 1 if most is None else max(1, len(queries) // most)
    queries = queries[::step][:most]
    index = TopicIndex.of(bench_set.documents)
    hits = {name: _measure_ranker(ShortcutRanker(name, index), bench_set, queries) for name in SHORTCUTS}
    hits["chance"] = _measure_chance(index, bench_set, queries)
    hits[_BM25] = _measure_words(index, bench_set, queries)
    return ShortcutAudit(bench_set.id, len(queries), {name: round(value, 3) for name, value in hits.items()})


def drop_solved(bench_set: BenchSet) -> BenchSet:
    """The set without the questions whose answer any shortcut puts first."""
    queries = [query for query in bench_set.queries if _get_gold(bench_set, query)]
    if not queries:
        return bench_set
    index, solved = TopicIndex.of(bench_set.documents), set[str]()
    for name in SHORTCUTS:
        solved |= _find_solved(ShortcutRanker(name, index), bench_set, queries)
    return bench_set.with_queries([query for query in bench_set.queries if query.id not in solved])


def format_audit_table(audits: Sequence[ShortcutAudit]) -> str:
    """A Markdown table with a row per set."""
    names = [*SHORTCUTS, "chance", _BM25]
    heads = ["set", "questions", *(name.removeprefix("shortcut-") for name in names)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for audit in audits:
        cells = [audit.set, f"{audit.questions:,}", *(f"{audit.hits[name]:.3f}" for name in names)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _get_gold(bench_set: BenchSet, query: BenchQuery) -> set[str]:
    return {id for id, grade in bench_set.qrels.get(query.id, {}).items() if grade > 0}


def _measure_ranker(ranker: ShortcutRanker, bench_set: BenchSet, queries: Sequence[BenchQuery]) -> float:
    return len(_find_solved(ranker, bench_set, queries)) / len(queries)


def _find_solved(ranker: ShortcutRanker, bench_set: BenchSet, queries: Sequence[BenchQuery]) -> set[str]:
    """The questions whose answer a shortcut puts first."""
    found = set()
    for query, answer in zip(queries, ranker.answer(queries, 1 + _count_excluded(queries)), strict=True):
        hits = trim_answer(answer, query.excluded, 1).hits
        if hits and hits[0][0] in _get_gold(bench_set, query):
            found.add(query.id)
    return found


def _measure_chance(index: TopicIndex, bench_set: BenchSet, queries: Sequence[BenchQuery]) -> float:
    total = 0.0
    for query in queries:
        ids = [index.documents[row].id for row in index.find_candidates(query)]
        gold = _get_gold(bench_set, query)
        total += sum(id in gold for id in ids) / len(ids) if ids else 0.0
    return total / len(queries)


def _measure_words(index: TopicIndex, bench_set: BenchSet, queries: Sequence[BenchQuery]) -> float:
    ids = [document.id for document in index.documents]
    found = 0
    for query in queries:
        top = select_top_hits(ids, index.score(query.text), 1 + len(query.excluded), above=0.0)
        best = next((id for id, _ in top if id not in query.excluded), None)
        found += best in _get_gold(bench_set, query)
    return found / len(queries)


def _count_excluded(queries: Sequence[BenchQuery]) -> int:
    return max(len(query.excluded) for query in queries)
