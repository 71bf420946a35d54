"""Tasks (a system on a set, with a variant), their results as JSON files, and the loader of their sets."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError, UnknownNameError
from epochal.files import write_atomically
from epochal.storage.importers.fields import span_value
from epochal.storage.records import Document
from epochal_lab.datasets.catalogue import open_set
from epochal_lab.datasets.chunqiutr.queries import protocol
from epochal_lab.datasets.records import STRATEGIES, VARIANTS, BenchSet, apply_strategy, apply_variant
from epochal_lab.datasets.undated import remove_times
from epochal_lab.metrics.measure import Spec
from epochal_lab.runs.shortcuts import drop_solved


def hash_documents(documents: Iterable[Document]) -> tuple[str, int]:
    """The fingerprint of documents in their order, and how many there are."""
    digest, count = hashlib.blake2b(digest_size=8), 0
    for document in documents:
        digest.update(document.id.encode() + b"\0" + document.content_hash())
        count += 1
    return digest.hexdigest(), count


def hash_queries(bench_set: BenchSet) -> str:
    """The fingerprint of the questions of a set, of what is relevant to them, and of what they exclude."""
    digest = hashlib.blake2b(digest_size=8)
    for query in bench_set.queries:
        spans = [span_value(span) for span in (*query.periods, *([query.now] if query.now is not None else []))]
        judged = sorted(bench_set.qrels.get(query.id, {}).items())
        covered = [sorted(documents) for documents in bench_set.period_qrels.get(query.id, ())]
        fields = [query.id, query.text, query.kind, spans, list(query.excluded), judged, covered]
        digest.update(json.dumps(fields, ensure_ascii=False, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()


_UNSAFE = re.compile(r"[^0-9A-Za-z._+-]+")
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Task:
    """What is measured. `variant` changes the questions, `protocol` the documents and questions that take part."""

    set: str
    system: str
    split: str = "test"
    variant: str = "baseline"
    protocol: str = ""
    k: int = 100

    def __post_init__(self) -> None:
        if self.k < 1:
            raise EpochalError(f"k must be at least 1, but is {self.k}")

    @property
    def slug(self) -> str:
        """A file name: readable, and different for every task."""
        parts = [self.set, self.split, self.system]
        parts += [part for part in (self.variant, self.protocol) if part not in ("", "baseline")]
        shown = ".".join(_UNSAFE.sub("-", part).strip("-") for part in parts)[:_LONGEST]
        fields = "\n".join(f"{key}={value}" for key, value in sorted(self.to_dict().items()))
        return f"{shown}-{hashlib.sha256(fields.encode()).hexdigest()[:8]}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    def __str__(self) -> str:
        ways = [way for way in (self.variant, self.protocol) if way not in ("", "baseline")]
        return " ".join([f"{self.set}/{self.split}", self.system, *ways])


def expand_tasks(
    sets: Iterable[str],
    systems: Iterable[str],
    splits: Iterable[str] = ("test",),
    variants: Iterable[str] = ("baseline",),
    protocols: Iterable[str] = ("",),
    k: int = 100,
) -> Iterator[Task]:
    """Every combination, set by set, so that what a set needs is made once."""
    for name, split, cut, variant, system in product(sets, splits, protocols, variants, systems):
        yield Task(name, system, split, variant, cut, k)


@dataclass(frozen=True, slots=True)
class Value:
    """The mean of a measure over the questions for which it is defined; None where that is none.

    `gaps` counts the documents of which something that the measure needs is not known.
    """

    mean: float | None
    queries: int
    undefined: int = 0
    gaps: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """What a system reached on a set.

    `breakdowns` has means by the kind of question and by the granularity of the time it asks for, `prints` say which
    documents and questions it rests on, and `made` when and where it was measured.
    """

    task: Task
    documents: int
    queries: int
    measures: Mapping[str, Value]
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Value]]] = field(default_factory=dict)
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    outcomes: Mapping[str, int] = field(default_factory=dict)
    prints: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)

    def mean(self, measure: str) -> float | None:
        """The mean of a measure; None where it was not measured or not defined for any question."""
        return self.measures[measure].mean if measure in self.measures else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, which `from_dict` reads back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Result:
        """The result that `to_dict` wrote."""
        breakdowns = {
            by: {part: _parse_values(values) for part, values in parts.items()}
            for by, parts in record.get("breakdowns", {}).items()
        }
        measures = _parse_values(record["measures"])
        return cls(**{**record, "task": Task(**record["task"]), "measures": measures, "breakdowns": breakdowns})


def _parse_values(records: Mapping[str, Any]) -> dict[str, Value]:
    return {name: Value(**value) for name, value in records.items()}


def write_result(folder: Path, result: Result) -> Path:
    """Write a result under the name of its task; the file."""
    path = folder / f"{result.task.slug}.json"
    with write_atomically(path) as file:
        file.write(json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n")
    return path


def read_results(places: Iterable[Path]) -> list[Result]:
    """The results in files, and in folders of such files, in the order of their names."""
    results = []
    for place in places:
        if not place.exists():
            raise EpochalError(
                f"{place} does not exist; accepted: a result of `epochal bench run`, or a folder of them"
            )
        for path in sorted(place.glob("*.json")) if place.is_dir() else [place]:
            try:
                results.append(Result.from_dict(json.loads(path.read_text(encoding="utf-8"))))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise EpochalError(f"{path} is no result of `epochal bench run`") from None
    return results


_MODE = re.compile(r"neg([01])_ne([01])_dq([01])")
#: The percentage of documents whose times are taken out, of their text, too.
_UNDATED = re.compile(r"undated(100|\d{1,2})")
#: Without the questions that a shortcut answers.
_UNAIDED = "unaided"


class SetLoader:
    """Loads the sets of tasks, and caches the last one, which the next task usually needs.

    A set may have switches: `tempo/law(exclusion=full)`.
    """

    def __init__(self, data: str | os.PathLike[str] | None = None, *, hub: bool = False) -> None:
        self._data, self._hub = data, hub
        self._name = ""
        self._opened: BenchSet | None = None

    def load(self, task: Task) -> BenchSet:
        """The set of a task, restricted to its split, protocol and variant."""
        bench_set = self._open(task.set).select_split(task.split)
        if undated := _UNDATED.fullmatch(task.protocol):
            bench_set = remove_times(bench_set, int(undated[1]) / 100)
        elif task.protocol == _UNAIDED:
            bench_set = drop_solved(bench_set)
        elif task.protocol:
            if (mode := _MODE.fullmatch(task.protocol)) is None:
                accepted = "such as neg1_ne1_dq0, undated50, unaided"
                raise EpochalError(f"{task.protocol!r} is no protocol; accepted: {accepted}")
            neg, ne, dq = map(int, mode.groups())
            bench_set = protocol(bench_set, neg=neg, ne=ne, dq=dq)
        if task.variant in STRATEGIES:
            return apply_strategy(bench_set, task.variant)
        if task.variant in VARIANTS:
            return apply_variant(bench_set, task.variant)
        raise UnknownNameError("variant", task.variant, (*VARIANTS, *STRATEGIES))

    def _open(self, name: str) -> BenchSet:
        if self._opened is None or name != self._name:
            spec = Spec(name) if Path(name).is_dir() else Spec.parse(name)
            self._opened = open_set(spec.name, self._data, hub=self._hub, switches=spec.settings).bench_set
            self._name = name
        return self._opened
