"""Reports: the results of benchmarks in a folder of `epochal bench run`, to be looked through question by question."""

from __future__ import annotations

import json
import math
import threading
from pathlib import Path
from typing import Any, Final

from epochal.bench.metrics.base import stated_times
from epochal.bench.records import BenchSet
from epochal.bench.running.results import Result, read_results
from epochal.bench.running.shelf import Shelf
from epochal.bench.sets.base import SetNotThereError
from epochal.engine.ingest import read_times
from epochal.errors import EpochalError, UnknownNameError
from epochal.index.inputs import read_run
from epochal.index.records import Document
from epochal.reading.questions import understand
from epochal.reading.questions.question import period_record, span_record
from epochal.service.problems import ProblemError

__all__ = ["Reports"]

#: Relevant documents of a question that are shown, and characters of a document's text.
_MOST_RELEVANT: Final = 20
_SNIPPET: Final = 600


class Reports:
    """A folder with results/, values/ and runs/. A result goes by the name of its file; no name leads elsewhere.

    >>> import tempfile
    >>> from epochal.bench.running.results import write_result
    >>> from epochal.bench.running.tasks import Task
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (Path(folder) / "results").mkdir()
    ...     path = write_result(Path(folder) / "results", Result(Task("tnp", "bm25"), 989, 1671, {}))
    ...     [row["name"] for row in Reports(folder).rows()] == [path.stem]
    True
    """

    def __init__(self, folder: str, data: str | None = None) -> None:
        self._folder = Path(folder)
        self._shelf = Shelf(data)
        self._guard = threading.Lock()
        if not (self._folder / "results").is_dir():
            raise EpochalError(
                f"{folder} holds no folder results; accepted: a folder that `epochal bench run` wrote to"
            )

    def rows(self) -> list[dict[str, Any]]:
        """Every result with its means, by name.

        >>> Reports("no/such/folder")
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: no/such/folder holds no folder results; accepted: a folder that `epochal bench run`
        wrote to
        """
        return [self._row(name, self._result(name)) for name in self._names()]

    def one(self, name: str) -> dict[str, Any]:
        """One result, with the value of each measure for each question where these are kept.

        >>> Reports.one.__name__
        'one'
        """
        result = self._result(name)
        path = self._folder / "values" / f"{name}.json"
        values = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        return {**result.to_dict(), "name": name, "values": values}

    def questions(self, name: str) -> dict[str, str]:
        """The texts of the questions that a result rests on.

        >>> Reports.questions.__name__
        'questions'
        """
        return {query.id: query.text for query in self._set(name).queries}

    def question(self, name: str, id: str, count: int) -> dict[str, Any]:
        """One question: what is right, and the first documents that the system found, each with its times.

        >>> Reports.question.__name__
        'question'
        """
        made = self._set(name)
        query = next((item for item in made.queries if item.id == id), None)
        if query is None:
            raise ProblemError("not-found", f"{name} has no question {id[:80]!r}")
        run = self._folder / "runs" / f"{name}.trec"
        ranked = read_run(run).get(id, ()) if run.is_file() else ()
        scores = {row.document: row.score for row in ranked}
        places = {document: place for place, document in enumerate(scores, 1)}
        right = [document for document, grade in made.qrels.get(id, {}).items() if grade > 0]
        first = list(places)[:count]
        needed = {*first, *right[:_MOST_RELEVANT]}
        texts = {item.id: item for item in made.documents if item.id in needed}
        periods = query.periods or understand(query.text, query.now).periods
        return {
            "id": id,
            "text": query.text,
            "now": None if query.now is None else query.now.edtf(),
            "periods": [period_record(span) for span in periods],
            "relevant": [
                {**_shown(texts[item]), "rank": places.get(item)} for item in right[:_MOST_RELEVANT] if item in texts
            ],
            "found": [
                {**_shown(texts[item]), "rank": places[item], "score": scores[item], "relevant": item in right}
                for item in first
                if item in texts
            ],
        }

    def _names(self) -> list[str]:
        return sorted(path.stem for path in (self._folder / "results").glob("*.json"))

    def _result(self, name: str) -> Result:
        if name not in self._names():
            raise ProblemError("not-found", f"there is no result {name[:80]!r}")
        return read_results([self._folder / "results" / f"{name}.json"])[0]

    def _row(self, name: str, result: Result) -> dict[str, Any]:
        means = {measure: value.mean for measure, value in result.measures.items()}
        return {
            "name": name,
            "task": result.task.to_dict(),
            "documents": result.documents,
            "queries": result.queries,
            "measures": {key: None if mean is None or math.isnan(mean) else mean for key, mean in means.items()},
            "latency_ms": dict(result.latency_ms),
            "made": dict(result.made),
            "values": (self._folder / "values" / f"{name}.json").is_file(),
            "runs": (self._folder / "runs" / f"{name}.trec").is_file(),
        }

    def _set(self, name: str) -> BenchSet:
        task = self._result(name).task
        try:
            with self._guard:  # the shelf keeps the set that was opened last
                return self._shelf.of(task)
        except (SetNotThereError, UnknownNameError):
            raise ProblemError("not-found", f"the files of the set {task.set!r} are not here") from None


def _shown(document: Document) -> dict[str, Any]:
    """A document, with the times that the set knows of or that are read in it, and when it appeared."""
    known = stated_times(document) or tuple(item.span for part in read_times(document) for item in part)
    published = () if document.published is None else (document.published,)
    return {
        "id": document.id,
        "title": document.title,
        "text": document.text[:_SNIPPET],
        "times": [span_record(span) for span in dict.fromkeys((*known, *published))],
    }
