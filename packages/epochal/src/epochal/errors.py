"""Every error that Epochal raises for a user to read.

    EpochalError
    ├── TimeParseError        a text is not a time in any form that was asked for
    ├── TimeRangeError        a time lies outside what the axis or a calendar can hold
    ├── TableError            a calendar table (TOML) is malformed; names file and line
    ├── UnknownNameError      no calendar, relation or policy goes by that name
    ├── InputError            a row or a file of somebody's data cannot be read; names file and line
    ├── StorageError          an index cannot be opened, read or written; what was stored stays as it was
    │   ├── IndexLockedError  another writer has the index
    │   ├── IndexReplacedError  the folder holds another index than the one that was opened
    │   └── PartLostError     a part of an index stopped answering while it was read
    └── MissingExtraError     a part needs packages that were not installed; names the extra

All of them are `ValueError`s too, so that callers who know nothing of Epochal can still catch bad input.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class EpochalError(ValueError):
    """The root of the tree: catch this to catch every mistake that Epochal reports."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors pass from a worker process to the one that waits for it, whatever their constructors take."""
        return _restore, (type(self), self.args, dict(vars(self)))


def _restore(kind: type[EpochalError], args: tuple[Any, ...], state: dict[str, Any]) -> EpochalError:
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(state)
    return error


class TimeParseError(EpochalError):
    """A text could not be read as a time. Carries the `text` and the `accepted` forms."""

    def __init__(self, text: str, accepted: str, why: str = "is not a time") -> None:
        self.text = text
        self.accepted = accepted
        excerpt = text if len(text) <= 80 else f"{text[:77]}..."
        super().__init__(f"{excerpt!r} {why}; accepted: {accepted}")


class TimeRangeError(EpochalError):
    """A time lies outside what the axis, or the named calendar, can hold."""


class TableError(EpochalError):
    """A calendar table is malformed. Names the file and the line."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        self.file = file
        self.line = line
        self.problem = problem
        super().__init__(f"{file}, line {line}: {problem}")


class UnknownNameError(EpochalError):
    """A name that is not registered. Lists the names that are."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        excerpt = ", ".join(self.known)
        if len(self.known) > 30:
            import difflib  # seldom used

            near = difflib.get_close_matches(name, self.known, 3, 0.5)
            excerpt = f"{len(self.known)} of them" + (f", such as {', '.join(near)}" if near else "")
        super().__init__(f"no {kind} is called {name!r}; known: {excerpt}")


class InputError(EpochalError):
    """Somebody's data cannot be read. Names the `file`, the `line` (0 for the file as a whole) and the `problem`."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        self.file = file
        self.line = line
        self.problem = problem
        super().__init__(f"{file}, line {line}: {problem}" if line else f"{file}: {problem}")


class StorageError(EpochalError):
    """An index cannot be opened, read or written. What was stored before stays as it was."""


class IndexLockedError(StorageError):
    """Another writer, in this process or another, has the index."""


class IndexReplacedError(StorageError):
    """The folder holds another index than the one that was opened: open it again."""


class PartLostError(StorageError):
    """A part of an index stopped answering while it was read, and the index may be read without it: take a new view."""


class MissingExtraError(EpochalError):
    """A part of Epochal needs packages that were not installed. Names the `extra` that brings them."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs the package {package}; install it with: pip install 'epochal[{extra}]'")
