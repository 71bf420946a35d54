"""A TREC run as a system: what somebody else's search found, measured like everything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from epochal.bench.records import BenchQuery
from epochal.bench.specs import Spec
from epochal.bench.systems.base import Answer, Ranker
from epochal.errors import EpochalError
from epochal.index.inputs import read_run
from epochal.index.inputs.trec import RunRow
from epochal.index.records import Document

__all__ = ["RunSystem", "run_system"]


@dataclass(frozen=True, slots=True)
class RunSystem:
    """A file of a run. A question that it does not have has found nothing.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.trec"
    >>> _ = path.write_text("q1 Q0 d3 1 0.5 mine\\nq1 Q0 d1 2 0.25 mine\\n")
    >>> with RunSystem(str(path)).open([], Path("nowhere")) as ranker:
    ...     next(ranker.answer([BenchQuery("q1", "Rain?")], 1)).hits
    (('d3', 0.5),)
    """

    path: str

    @property
    def name(self) -> str:
        """The path in the form that is parsed.

        >>> RunSystem("mine.trec").name
        'run(path=mine.trec)'
        """
        return str(Spec("run", {"path": self.path}))

    @property
    def store(self) -> str:
        """Nothing is kept.

        >>> RunSystem("mine.trec").store
        'run'
        """
        return "run"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Read the run; the documents are not looked at.

        >>> RunSystem.open.__name__
        'open'
        """
        yield _RunRanker(self.path, read_run(self.path))


@dataclass(frozen=True, slots=True, eq=False)
class _RunRanker:
    path: str
    rows: Mapping[str, Sequence[RunRow]]

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        if queries and not any(query.id in self.rows for query in queries):
            first = next(iter(self.rows))
            raise EpochalError(
                f"the run {self.path} has none of the {len(queries)} questions; it has such as {first!r}, the set such "
                f"as {queries[0].id!r}"
            )
        for query in queries:
            yield Answer(query.id, tuple((row.document, row.score) for row in self.rows.get(query.id, ())[:k]))


def run_system(spec: Spec) -> RunSystem:
    """The system that a spec names.

    >>> run_system(Spec.parse("run"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: run needs a file; accepted: run(path=FILE.trec)
    """
    given = spec.only("path")
    if "path" not in given:
        raise EpochalError("run needs a file; accepted: run(path=FILE.trec)")
    return RunSystem(given["path"])
