"""The model behind scale_model.py: lines fitted to measured points, and a simulation of questions over many shards.

A question has a fixed cost, once (understanding it, encoding it, scoring the candidates), and a cost that grows with
the documents of each shard. All shards work at the same time, so an answer waits for the slowest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from _record import Row

Array = npt.NDArray[np.float64]
#: The 95th percentile of the normal distribution, in standard deviations.
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
    """fixed + slope * documents, fitted to points of equal weight whatever their size."""

    fixed: float
    slope: float
    #: The largest deviation of a point from the line, as a share of the point.
    worst: float

    def at(self, documents: float) -> float:
        return self.fixed + self.slope * documents


def fit_line(sizes: Sequence[float], values: Sequence[float]) -> Line:
    """The line with the least squared relative deviations; neither coefficient is below zero."""
    x, y = np.asarray(sizes, float), np.asarray(values, float)
    design = np.stack([1 / y, x / y], axis=1)
    candidates = []
    for free in ([0, 1], [0], [1]):
        solved = np.zeros(2)
        solved[free] = np.linalg.lstsq(design[:, free], np.ones(len(y)), rcond=None)[0]
        if (solved >= 0).all():
            candidates.append((float(np.sum((design @ solved - 1) ** 2)), float(solved[0]), float(solved[1])))
    _, fixed, slope = min(candidates)
    return Line(fixed, slope, float(np.max(np.abs(fixed + slope * x - y) / y)))


@dataclass(frozen=True, slots=True)
class Curves:
    """What one store costs as it grows, and how far single searches deviate from the median."""

    latency: Line
    memory_mb: Line
    disk_mb: Line
    documents_per_s: float
    #: Sorted ratios of a search to the median search of its size.
    deviations: tuple[float, ...]


def fit_curves(points: Sequence[Point]) -> Curves:
    sizes = [point.documents for point in points]
    largest = max(points, key=lambda point: point.documents)
    return Curves(
        fit_line(sizes, [point.p50 for point in points]),
        fit_line(sizes, [point.memory_mb for point in points]),
        fit_line(sizes, [point.disk_mb for point in points]),
        float(np.median([point.documents_per_s for point in points])),
        get_deviations(largest),
    )


def get_deviations(point: Point) -> tuple[float, ...]:
    """The measured ratios; where a point has quantiles alone, those of the log-normal distribution through them."""
    if point.samples:
        return tuple(sorted(sample / point.p50 for sample in point.samples))
    spread = math.log(max(point.p95 / point.p50, 1.0)) / P95
    # Two hundred steps of equal probability; numpy has no inverse of the normal distribution, so a sample is sorted.
    normal = np.sort(np.random.default_rng(0).standard_normal(20_001))[50::100]
    return tuple(float(value) for value in np.exp(spread * normal))


@dataclass(frozen=True, slots=True)
class World:
    """Assumptions that were not measured here."""

    round_trip_ms: float = 0.5  # within a data centre; global word statistics take a second one
    merge_ms_a_shard: float = 0.02
    straggling: float = 0.01  # of a shard's answers: a pause, a cold disk, a noisy neighbour
    straggler_factor: float = 5.0
    questions: int = 4_000  # simulated for each cell
    questions_per_s: float = 30.0  # of the whole
    busy: float = 0.6  # of the time of a core at most; beyond, replicas
    cores_a_node: int = 16  # each with a shard
    filtered: float = 0.5  # of the questions: limited to an interval that leaves whole shards out
    recent: float = 0.8  # of those: limited to the youngest tenth of the shards
    stretch: float = 0.02  # of the shards: how many such a question needs, at least one
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


def simulate_shards(
    layout: Layout, curves: Curves, world: World, rng: np.random.Generator, count: int, shards: int
) -> Array:
    """Milliseconds in which `shards` shards answer `count` questions, without the fixed cost."""
    work = curves.latency.slope * layout.a_shard

    def sample() -> Array:
        times = work * rng.choice(np.asarray(curves.deviations), (count, shards))
        slow = rng.random((count, shards)) < world.straggling
        return np.where(slow, times * world.straggler_factor, times)

    times = sample()
    if layout.hedge is not None and layout.replicas > 1:
        times = np.minimum(times, layout.hedge * work + sample())
    return times


def simulate(layout: Layout, curves: Curves, world: World) -> Array:
    """Milliseconds of whole questions, sorted."""
    # Seeded by the layout, so that the order in which layouts are simulated changes nothing.
    rng = np.random.default_rng([world.seed, layout.documents, layout.shards, layout.replicas, int(layout.by_time)])
    once = curves.latency.fixed * rng.choice(np.asarray(curves.deviations), world.questions)
    trips = 0.0 if layout.shards == 1 else 2 * world.round_trip_ms
    answers = np.empty(world.questions)
    few = max(1, math.ceil(world.stretch * layout.shards))
    narrow = rng.random(world.questions) < (world.filtered if layout.by_time else 0.0)
    for shards, selected in ((layout.shards, ~narrow), (few, narrow)):
        rows = np.flatnonzero(selected)
        for chunk in np.array_split(rows, max(1, len(rows) * shards // 1_000_000)):
            times = simulate_shards(layout, curves, world, rng, len(chunk), shards)
            answers[chunk] = times.max(axis=1, initial=0.0) + world.merge_ms_a_shard * shards
    return np.sort(once + trips + answers)


def get_loads(layout: Layout, world: World) -> Row:
    """The share of all questions that reach a young shard, and an old one, where shards are intervals of time."""
    few = max(1, math.ceil(world.stretch * layout.shards))
    young = max(1, layout.shards // 10)
    old = max(1, layout.shards - young)
    narrow = world.filtered if layout.by_time else 0.0
    return {
        "young": (1 - narrow) + narrow * world.recent * min(1.0, few / young),
        "old": (1 - narrow) + narrow * (1 - world.recent) * min(1.0, few / old),
        "young shards": young,
    }


def count_replicas(share: float, layout: Layout, curves: Curves, world: World) -> int:
    """Replicas that a shard needs so that none is busier than `World.busy`; each has one core."""
    cores = world.questions_per_s * share * curves.latency.slope * layout.a_shard / 1000 / world.busy
    return max(layout.replicas, math.ceil(cores))


def make_layout(documents: int, shards: int, by_time: bool = False) -> Layout:
    """One store has one replica; shards have a second one, which gets the question when the first is late."""
    return Layout(documents, shards, 1 if shards == 1 else 2, None if shards == 1 else 2.0, by_time)


def choose_layout(documents: int, curves: Curves, world: World, target_ms: float, most: int) -> Layout:
    """The fewest shards that answer 95 of 100 questions within the target, of at most `most` documents each."""
    shards = max(1, math.ceil(documents / most))
    while True:
        layout = make_layout(documents, shards)
        reached = float(np.quantile(simulate(layout, curves, replace(world, questions=1_000)), 0.95)) <= target_ms
        # Beyond this, more shards only add waiting: the fixed cost remains.
        if reached or curves.latency.slope * layout.a_shard < curves.latency.fixed:
            return layout
        shards = math.ceil(shards * 1.25)


def make_plan(documents: int, curves: Curves, world: World, target_ms: float = 500.0, most: int = 2_000_000) -> Row:
    """A row of the tables: what so many documents need, and how long questions take."""
    layout = choose_layout(documents, curves, world, target_ms, most)
    alone, by_time = replace(layout, replicas=1, hedge=None), replace(layout, by_time=True)
    all_ms, alone_ms, time_ms = (simulate(item, curves, world) for item in (layout, alone, by_time))
    load = get_loads(by_time, world)
    young, old = (count_replicas(load[name], by_time, curves, world) for name in ("young", "old"))
    old = young if layout.shards == 1 else old
    copies = load["young shards"] * young + (layout.shards - load["young shards"]) * old
    memory = curves.memory_mb.at(layout.a_shard) / 1024
    disk = curves.disk_mb.at(layout.a_shard) / 1024
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
        "core s a question": round((curves.latency.fixed + curves.latency.slope * documents) / 1000, 3),
        "by time core s a question": round(_core_s(by_time, curves, world), 3),
        "copies of a young shard": young,
        "copies of an old shard": old,
        "cores": copies,
        "nodes": math.ceil(copies / world.cores_a_node),
        "cost a month": round(copies * a_copy),
        "core days to index": round(documents / curves.documents_per_s / 86_400, 2),
    }


def _core_s(layout: Layout, curves: Curves, world: World) -> float:
    few = max(1, math.ceil(world.stretch * layout.shards))
    share = (1 - world.filtered) + world.filtered * few / layout.shards
    return (curves.latency.fixed + curves.latency.slope * layout.documents * share) / 1000


def _ms(times: Array, share: float) -> float:
    return round(float(np.quantile(times, share)), 1)
