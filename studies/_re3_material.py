"""What the studies of Re3 share: sets with their indexes and pools, cached models, and measures."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from epochal.api import Index
from epochal.encoders import CachedEncoder, encoder
from epochal.encoders.base import Encoder
from epochal.ranking.pool import Scorer
from epochal.search.request import Request
from epochal.search.search import run_search
from epochal.storage.importers import QueryRow
from epochal.storage.protocol import Rows, SpanTable, View
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics import Judgements, evaluate, parse_measures
from epochal_lab.metrics.significance import bootstrap_mean
from epochal_lab.models.re3.model import Re3Model, read_model
from epochal_lab.models.re3.settings import Re3Settings

SEED = 7
DEFAULT = "minilm"
K = 100
#: The unit of the papers' figures, by set.
MEASURES = {
    "rel": "hit@1 hit@5 MRR TimeVar@5(unit=years)",
    "rec": "hit@1 hit@5 MRR MFG@5(unit=months)",
    "hyb": "hit@1 hit@5 MRR TimeVar@5(unit=days) MFG@5",
}
#: Questions to train on and to choose by, at most, by set.
MOST = {"train": 2_500, "dev": 400, "test": None}
Row = dict[str, Any]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Bench:
    """A set with its index; everything is built once, and cached in the folder of the run."""

    name: str
    made: BenchSet
    work: Path
    encoder_name: str = DEFAULT

    @cached_property
    def encoder(self) -> Encoder:
        return CachedEncoder(encoder(self.encoder_name), self.work / "vectors.db")

    @cached_property
    def key(self) -> str:
        return f"{self.encoder.name}-{self.name}".replace("/", "_")

    @contextmanager
    def index(self) -> Iterator[Index]:
        place = self.work / "indexes" / self.key
        if place.exists():
            with Index.open(place, self.encoder) as index:
                yield index
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        with Index.create(place, self.encoder) as index:
            index.add(self.made.documents)
            yield index

    @contextmanager
    def held(self) -> Iterator[Any]:
        """The questions to choose by with the index."""
        from epochal_lab.models.re3.training import HoldoutSet

        rows = [QueryRow(query.id, query.text, query.now) for query in self.queries("dev", MOST["dev"])]
        with self.index() as index:
            yield HoldoutSet(index, rows, self.made.qrels)

    def queries(self, split: str, most: int | None = None) -> list[BenchQuery]:
        requests = [query for query in self.made.queries if query.split == split and self.made.qrels.get(query.id)]
        return draw_items(requests, most)

    def pools(self, split: str) -> Any:
        from epochal_lab.models.re3.pools import collect_pools, read_pools, write_pools

        path = self.work / "pools" / f"{self.key}-{split}.npz"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = [QueryRow(query.id, query.text, query.now) for query in self.queries(split, MOST[split])]
            with self.index() as index:
                write_pools(path, collect_pools(index, rows, self.made.qrels, words=True))
        return read_pools(path)


def draw_items(items: Sequence[Item], most: int | None) -> list[Item]:
    """Draw random items, in their order."""
    if most is None or len(items) <= most:
        return list(items)
    return [items[position] for position in sorted(np.random.default_rng(SEED).permutation(len(items))[:most])]


def train_model(
    work: Path, name: str, benches: Sequence[Bench], settings: Re3Settings, dropout: float, most: int
) -> Re3Model:
    """Train a model on these sets, or load the cached one."""
    folder = work / "models" / f"{benches[0].encoder.name}-{name}".replace(" ", "-").replace(",", "").replace("/", "_")
    if not (folder / "config.json").exists() or read_model(folder).network.settings != settings:
        import torch

        from epochal_lab.models.re3.settings import IMPROVED, PARITY
        from epochal_lab.models.re3.training import train_re3

        torch.set_num_threads(1)
        training = PARITY if name.startswith("parity") else IMPROVED
        if name.endswith("few"):
            training = replace(training, epochs=10, patience=4)
        start = time.perf_counter()
        with ExitStack() as stack:
            # Only the improved models of the main table are put beside the gate.
            beside = name.startswith("improved") and not name.endswith("few")
            held = [stack.enter_context(bench.held()) for bench in benches] if beside else []
            result = train_re3(
                settings,
                replace(training, device="cpu"),
                [thin_out(bench.pools("train"), most) for bench in benches],
                [bench.pools("dev") for bench in benches],
                folder,
                dropout=dropout,
                held=held,
            )
        message = {key: round(value, 3) for key, value in result.run.best.items()}
        print(f"{name}: {message} in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return read_model(folder)


def thin_out(pools: Any, most: int) -> Any:
    """Return the pools of the first queries, whose order is already random."""
    if len(pools) <= most:
        return pools
    end = int(pools.offsets[most])
    per_candidate = ("places", "semantic", "lexical", "rel", "overlap", "rec", "gate", "answers", "forced")
    per_candidate += ("rel_times", "rec_times")
    per_question = ("ids", "questions", "asked", "asked_times", "reference_times")
    return replace(
        pools,
        offsets=pools.offsets[: most + 1],
        **{name: getattr(pools, name)[:end] for name in per_candidate},
        **{name: getattr(pools, name)[:most] for name in per_question},
    )


def load_or_make(work: Path, head: Row, make: Callable[[], Row]) -> Row:
    """Return a row of the result: cached from an earlier run, or measured now."""
    path = work / "rows.jsonl"
    known = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    for row in known:
        if all(row.get(name) == value for name, value in head.items()):
            return dict(row)
    row = {**head, **make()}
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(row)}\n")
    print(json.dumps(row), file=sys.stderr)
    return row


def summarise_values(values: Iterable[float]) -> Row:
    """Return a mean with its bounds."""
    result = bootstrap_mean(values, resamples=2_000, seed=SEED)
    return {"mean": round(result.mean, 4), "low": round(result.low, 4), "high": round(result.high, 4)}


def measure_search(
    view: View,
    own: Encoder,
    bench: Bench,
    judged: Judgements,
    queries: Sequence[BenchQuery],
    ranking: Scorer,
    *,
    timed: bool = True,
    settles: bool = False,
) -> Row:
    """Measure complete searches for all queries with one scorer."""
    run, took = {}, []
    for query in queries:
        start = time.perf_counter()
        request = Request(
            query.text, k=K, now=query.now, time=timed, collapse_versions=False, promote_current_version=settles
        )
        result = run_search(view, own, request, ranking)
        took.append(1000 * (time.perf_counter() - start))
        run[query.id] = {hit.id: hit.score for hit in result}
    known = {query.id for query in queries}
    few = replace(
        judged,
        qrels={query: gains for query, gains in judged.qrels.items() if query in known},
        queries={query: times for query, times in judged.queries.items() if query in known},
    )
    outcomes = evaluate(run, few, parse_measures(MEASURES[bench.name])).outcomes
    row = {str(item.measure): summarise_values(list(item.values.values())) for item in outcomes}
    return {"questions": len(queries), **row, "p50 ms": round(float(np.median(took)), 1)}


def measure_ranking(model: Re3Model, bench: Bench) -> Row:
    """Measure the pools of the test queries ranked by a model alone; and how many of them contain an answer."""
    from epochal_lab.models.re3.task import build_dev_inputs, measure_candidates

    items = build_dev_inputs(model.network.settings, bench.pools("test"))
    scores, answers = [model.network.forward(inputs).scores for inputs, _ in items], [right for _, right in items]
    return {
        "questions": len(items),
        **{
            name: summarise_values(values)
            for name, values in measure_candidates(scores, answers, "hit@1 hit@5 MRR").items()
        },
        "answer among the candidates": round(float(np.mean([right.any() for right in answers])), 4),
    }


class Undated:
    """A view without the times of some documents; everything else is unchanged."""

    def __init__(self, within: View, share: float) -> None:
        self._within = within
        ranks = np.random.default_rng(SEED).permutation(len(within.alive_documents))
        self._gone = np.sort(within.alive_documents[ranks < round(share * len(ranks))])
        content = within.content
        (self._kept,) = np.nonzero(~np.isin(within.get_document_rows(content.rows), self._gone))
        self.content = _select_rows(content, self._kept)
        self.published, self.valid = (
            _select_rows(table, np.flatnonzero(~np.isin(table.rows, self._gone)))
            for table in (within.published, within.valid)
        )

    def match_contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> Any:
        # Places count among all times of the index, of which some are gone.
        known = np.where(places >= 0, self._kept[np.maximum(places, 0)], places) if len(self._kept) else places
        return self._within.match_contexts(rows, known, tokens)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._within, name)


def _select_rows(table: SpanTable, positions: Rows) -> SpanTable:
    return SpanTable(
        table.spans[positions], table.rows[positions], table.start_chars[positions], table.end_chars[positions]
    )
