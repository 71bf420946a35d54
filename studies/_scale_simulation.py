"""The model behind scale_model.py: curves through measured points, and questions that many shards answer together.

A question costs a fixed part, once, where it is asked (reading it, encoding it, scoring what was found), and a part
that grows with the documents of each shard. All shards work at a time, so an answer waits for the slowest of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Row = dict[str, Any]
#: How many times the standard deviation the 95th percentile of a normal distribution lies above its middle.
P95 = 1.6448536


@dataclass(frozen=True, slots=True)
class Point:
    """What was measured with so many documents in one store; `samples` are milliseconds of single searches."""

    documents: int
    p50: float
    p95: float
    memory_mb: float
    disk_mb: float
    documents_per_s: float
    samples: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """fixed + slope * documents, through points of which each weighs alike whatever its size."""

    fixed: float
    slope: float
    #: The largest deviation of a point from the line, as a share of the point.
    worst: float

    def at(self, documents: float) -> float:
        return self.fixed + self.slope * documents


def fitted(sizes: Sequence[float], values: Sequence[float]) -> Line:
    """The line with the least relative deviations; neither of its parts is below zero."""
    x, y = np.asarray(sizes, float), np.asarray(values, float)
    design = np.stack([1 / y, x / y], axis=1)
    tried = []
    for kept in ([0, 1], [0], [1]):
        solved = np.zeros(2)
        solved[kept] = np.linalg.lstsq(design[:, kept], np.ones(len(y)), rcond=None)[0]
        if (solved >= 0).all():
            tried.append((float(np.sum((design @ solved - 1) ** 2)), float(solved[0]), float(solved[1])))
    _, fixed, slope = min(tried)
    return Line(fixed, slope, float(np.max(np.abs(fixed + slope * x - y) / y)))


@dataclass(frozen=True, slots=True)
class Curves:
    """What one store costs as it grows, and how far single searches stray from the middle."""

    latency: Line
    memory_mb: Line
    disk_mb: Line
    documents_per_s: float
    #: Sorted ratios of a search to the median search of its size.
    strays: tuple[float, ...]


def curves(points: Sequence[Point]) -> Curves:
    sizes = [point.documents for point in points]
    largest = max(points, key=lambda point: point.documents)
    return Curves(
        fitted(sizes, [point.p50 for point in points]),
        fitted(sizes, [point.memory_mb for point in points]),
        fitted(sizes, [point.disk_mb for point in points]),
        float(np.median([point.documents_per_s for point in points])),
        strays(largest),
    )


def strays(point: Point) -> tuple[float, ...]:
    """The measured ratios; where only quantiles were kept, those of the log-normal distribution through them."""
    if point.samples:
        return tuple(sorted(sample / point.p50 for sample in point.samples))
    spread = math.log(max(point.p95 / point.p50, 1.0)) / P95
    # Two hundred steps of even probability; numpy has no inverse of the normal distribution, a sorted draw stands in.
    normal = np.sort(np.random.default_rng(0).standard_normal(20_001))[50::100]
    return tuple(float(value) for value in np.exp(spread * normal))


@dataclass(frozen=True, slots=True)
class World:
    """What is assumed and was not measured here; every one of these can be changed."""

    round_trip_ms: float = 0.5  # within a data centre; global word statistics take a second one
    merge_ms_a_shard: float = 0.02
    straggling: float = 0.01  # of a shard's answers: a pause, a cold disk, a noisy neighbour
    straggler_factor: float = 5.0
    questions: int = 4_000  # simulated for each cell
    questions_per_s: float = 30.0  # asked of the whole
    busy: float = 0.6  # of the time of a core at most; beyond, replicas
    cores_a_node: int = 16  # each with a shard
    filtered: float = 0.5  # of the questions: bound to a stretch of time that leaves whole shards out
    recent: float = 0.8  # of those: to the youngest tenth of the shards
    stretch: float = 0.02  # of the shards: how many such a question needs, one at least
    prices: Mapping[str, float] = field(
        default_factory=lambda: {"core month": 25.0, "GB memory month": 3.0, "GB disk month": 0.1}
    )
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Layout:
    """Documents in shards; hedged after `hedge` times the median, a question goes to a second replica of a shard."""

    documents: int
    shards: int
    replicas: int = 1
    hedge: float | None = None
    by_time: bool = False

    @property
    def a_shard(self) -> float:
        return self.documents / self.shards


def shard_times(layout: Layout, known: Curves, world: World, rng: np.random.Generator, count: int, asked: int) -> Array:
    """Milliseconds in which `asked` shards answer `count` questions, without what is done once for all."""
    work = known.latency.slope * layout.a_shard

    def drawn() -> Array:
        times = work * rng.choice(np.asarray(known.strays), (count, asked))
        slow = rng.random((count, asked)) < world.straggling
        return np.where(slow, times * world.straggler_factor, times)

    times = drawn()
    if layout.hedge is not None and layout.replicas > 1:
        times = np.minimum(times, layout.hedge * work + drawn())
    return times


def simulated(layout: Layout, known: Curves, world: World) -> Array:
    """Milliseconds of whole questions, sorted."""
    # Not by the length of the layout's fields, but by the layout: another order of cells must not change a cell.
    rng = np.random.default_rng([world.seed, layout.documents, layout.shards, layout.replicas, int(layout.by_time)])
    once = known.latency.fixed * rng.choice(np.asarray(known.strays), world.questions)
    trips = 0.0 if layout.shards == 1 else 2 * world.round_trip_ms
    answers = np.empty(world.questions)
    few = max(1, math.ceil(world.stretch * layout.shards))
    narrow = rng.random(world.questions) < (world.filtered if layout.by_time else 0.0)
    for asked, chosen in ((layout.shards, ~narrow), (few, narrow)):
        places = np.flatnonzero(chosen)
        for part in np.array_split(places, max(1, len(places) * asked // 1_000_000)):
            times = shard_times(layout, known, world, rng, len(part), asked)
            answers[part] = times.max(axis=1, initial=0.0) + world.merge_ms_a_shard * asked
    return np.sort(once + trips + answers)


def loads(layout: Layout, world: World) -> Row:
    """The share of all questions that reach a young shard, and an old one, where shards are stretches of time."""
    few = max(1, math.ceil(world.stretch * layout.shards))
    young = max(1, layout.shards // 10)
    old = max(1, layout.shards - young)
    narrow = world.filtered if layout.by_time else 0.0
    return {
        "young": (1 - narrow) + narrow * world.recent * min(1.0, few / young),
        "old": (1 - narrow) + narrow * (1 - world.recent) * min(1.0, few / old),
        "young shards": young,
    }


def replicas(share: float, layout: Layout, known: Curves, world: World) -> int:
    """Copies that a shard needs so that none is busier than it may be; a search takes one core, and so has a copy."""
    cores = world.questions_per_s * share * known.latency.slope * layout.a_shard / 1000 / world.busy
    return max(layout.replicas, math.ceil(cores))


def laid_out(documents: int, shards: int, by_time: bool = False) -> Layout:
    """One store stands alone; shards have a second replica, which is asked when the first is late."""
    return Layout(documents, shards, 1 if shards == 1 else 2, None if shards == 1 else 2.0, by_time)


def planned(documents: int, known: Curves, world: World, target_ms: float, most: int) -> Layout:
    """As few shards as answer 95 of 100 questions within the target, of at most so many documents each."""
    shards = max(1, math.ceil(documents / most))
    while True:
        layout = laid_out(documents, shards)
        reached = float(np.quantile(simulated(layout, known, replace(world, questions=1_000)), 0.95)) <= target_ms
        # Beyond, more shards only bring more to wait for: what is done once for all is left.
        if reached or known.latency.slope * layout.a_shard < known.latency.fixed:
            return layout
        shards = math.ceil(shards * 1.25)


def plan(documents: int, known: Curves, world: World, target_ms: float = 500.0, most: int = 2_000_000) -> Row:
    """A row of the tables: what so many documents need, and what questions take."""
    layout = planned(documents, known, world, target_ms, most)
    alone, by_time = replace(layout, replicas=1, hedge=None), replace(layout, by_time=True)
    all_ms, alone_ms, time_ms = (simulated(item, known, world) for item in (layout, alone, by_time))
    reach = loads(by_time, world)
    young, old = (replicas(reach[name], by_time, known, world) for name in ("young", "old"))
    old = young if layout.shards == 1 else old
    copies = reach["young shards"] * young + (layout.shards - reach["young shards"]) * old
    memory = known.memory_mb.at(layout.a_shard) / 1024
    disk = known.disk_mb.at(layout.a_shard) / 1024
    price = world.prices
    a_copy = price["core month"] + memory * price["GB memory month"] + disk * price["GB disk month"]
    return {
        "documents": documents,
        "shards": layout.shards,
        "documents a shard": round(layout.a_shard),
        "memory a shard GB": round(memory, 2),
        "memory GB": round(memory * copies, 1),
        "disk GB": round(disk * copies, 1),
        "p50 ms": _ms(all_ms, 0.5),
        "p95 ms": _ms(all_ms, 0.95),
        "p99 ms": _ms(all_ms, 0.99),
        "one replica p99 ms": _ms(alone_ms, 0.99),
        "by time p50 ms": _ms(time_ms, 0.5),
        "core s a question": round((known.latency.fixed + known.latency.slope * documents) / 1000, 3),
        "by time core s a question": round(_core_s(by_time, known, world), 3),
        "copies of a young shard": young,
        "copies of an old shard": old,
        "cores": copies,
        "nodes": math.ceil(copies / world.cores_a_node),
        "cost a month": round(copies * a_copy),
        "core days to index": round(documents / known.documents_per_s / 86_400, 2),
    }


def _core_s(layout: Layout, known: Curves, world: World) -> float:
    few = max(1, math.ceil(world.stretch * layout.shards))
    share = (1 - world.filtered) + world.filtered * few / layout.shards
    return (known.latency.fixed + known.latency.slope * layout.documents * share) / 1000


def _ms(times: Array, part: float) -> float:
    return round(float(np.quantile(times, part)), 1)
