"""Answers kept as they come, so that a run that was interrupted goes on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType

from epochal.bench.systems.base import Answer
from epochal.errors import EpochalError

__all__ = ["ProgressFile"]


class ProgressFile:
    """A file of answers, one a line. The first line says of what; of another run's file nothing is used.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.part"
    >>> with ProgressFile(path, "run 1") as file:
    ...     file.put(Answer("q1", (("d1", 0.5),)), 2.0)
    >>> with ProgressFile(path, "run 1") as file:
    ...     file.known["q1"]
    (Answer(query='q1', hits=(('d1', 0.5),), facts={}), 2.0)
    """

    def __init__(self, path: Path, identity: str) -> None:
        self._path = path
        self.known: dict[str, tuple[Answer, float | None]] = {}
        whole = self._read(identity) if path.exists() else 0
        try:
            # A line that was cut short by a crash is written over.
            self._file = path.open("r+b" if whole else "wb")
        except OSError as error:
            raise EpochalError(f"cannot write {path}: {error.strerror or error}") from error
        self._file.truncate(whole)
        self._file.seek(whole)
        if not whole:
            self._file.write(json.dumps(identity).encode() + b"\n")

    def _read(self, identity: str) -> int:
        whole = 0
        with self._path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                told = json.loads(line)
                if not whole:
                    if told != identity:
                        return 0
                else:
                    answer = Answer(told["query"], tuple((id, score) for id, score in told["hits"]), told["facts"])
                    self.known[answer.query] = (answer, told["ms"])
                whole += len(line)
        return whole

    def put(self, answer: Answer, milliseconds: float | None) -> None:
        """Keep an answer, and how long it took where that was measured.

        >>> import tempfile
        >>> with ProgressFile(Path(tempfile.mkdtemp()) / "run.part", "run 1") as file:
        ...     file.put(Answer("q1", ()), None)
        ...     file.known["q1"][0].hits
        ()
        """
        row = {"query": answer.query, "hits": answer.hits, "facts": dict(answer.facts), "ms": milliseconds}
        self._file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        self.known[answer.query] = (answer, milliseconds)

    def remove(self) -> None:
        """Take the file away, when what it holds has been written elsewhere.

        >>> import tempfile
        >>> with ProgressFile(Path(tempfile.mkdtemp()) / "run.part", "run 1") as file:
        ...     file.remove()
        """
        self._file.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> ProgressFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
