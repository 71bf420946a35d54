"""What came of a task, as one JSON file that a report is made from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from epochal.bench.running.tasks import Task
from epochal.errors import EpochalError
from epochal.files import write_atomically

__all__ = ["Result", "Value", "read_results", "write_result"]


@dataclass(frozen=True, slots=True)
class Value:
    """The mean of a measure over the questions for which it is defined; None where that is none.

    `gaps` counts the documents of which something that the measure needs is not known.

    >>> Value(0.5, 10).undefined
    0
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

    >>> Result(Task("tnp", "bm25"), 989, 1671, {"nDCG@10": Value(0.3, 1671)}).mean("nDCG@10")
    0.3
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
        """The mean of a measure; None where it was not measured or not defined for any question.

        >>> Result(Task("tnp", "bm25"), 989, 1671, {}).mean("nDCG@10") is None
        True
        """
        return self.measures[measure].mean if measure in self.measures else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, which `from_dict` reads back.

        >>> result = Result(Task("tnp", "bm25"), 989, 1671, {"nDCG@10": Value(0.3, 1671)})
        >>> Result.from_dict(result.to_dict()) == result
        True
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Result:
        """The result that `to_dict` wrote.

        >>> told = {"task": {"set": "tnp", "system": "bm25"}, "documents": 1, "queries": 1, "measures": {}}
        >>> Result.from_dict(told).queries
        1
        """
        breakdowns = {
            by: {part: _values(values) for part, values in parts.items()}
            for by, parts in told.get("breakdowns", {}).items()
        }
        measures = _values(told["measures"])
        return cls(**{**told, "task": Task(**told["task"]), "measures": measures, "breakdowns": breakdowns})


def _values(told: Mapping[str, Any]) -> dict[str, Value]:
    return {name: Value(**value) for name, value in told.items()}


def write_result(folder: Path, result: Result) -> Path:
    """Write a result under the name of its task; the file.

    >>> import tempfile
    >>> write_result(Path(tempfile.mkdtemp()), Result(Task("tnp", "bm25"), 989, 1671, {})).suffix
    '.json'
    """
    path = folder / f"{result.task.slug}.json"
    with write_atomically(path) as file:
        file.write(json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n")
    return path


def read_results(places: Iterable[Path]) -> list[Result]:
    """The results in files, and in folders of such files, in the order of their names.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = write_result(folder, Result(Task("tnp", "bm25"), 989, 1671, {}))
    >>> [str(result.task) for result in read_results([folder])]
    ['tnp/test bm25']
    """
    found = []
    for place in places:
        if not place.exists():
            raise EpochalError(
                f"{place} does not exist; accepted: a result of `epochal bench run`, or a folder of them"
            )
        for path in sorted(place.glob("*.json")) if place.is_dir() else [place]:
            try:
                found.append(Result.from_dict(json.loads(path.read_text(encoding="utf-8"))))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise EpochalError(f"{path} is no result of `epochal bench run`") from None
    return found
