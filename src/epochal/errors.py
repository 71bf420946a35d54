"""Every error that Epochal raises for a user to read.

    EpochalError
    ├── TimeParseError        a text is not a time in any form that was asked for
    ├── TimeRangeError        a time lies outside what the axis or a calendar can hold
    ├── TableError            a calendar table (TOML) is malformed; names file and line
    ├── UnknownNameError      no calendar, relation or policy goes by that name
    ├── InputError            a row or a file of somebody's data cannot be read; names file and line
    ├── StorageError          an index cannot be opened, read or written; what was stored stays as it was
    │   ├── IndexLockedError  another writer has the index
    │   └── PartLostError     a part of an index stopped answering while it was read
    └── MissingExtraError     a part needs packages that were not installed; names the extra

All of them are `ValueError`s too, so that callers who know nothing of Epochal can still catch bad input.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "EpochalError",
    "IndexLockedError",
    "InputError",
    "MissingExtraError",
    "PartLostError",
    "StorageError",
    "TableError",
    "TimeParseError",
    "TimeRangeError",
    "UnknownNameError",
]


class EpochalError(ValueError):
    """The root of the tree: catch this to catch every mistake that Epochal reports.

    >>> from epochal.times import Span
    >>> try:
    ...     Span.parse("soonish")
    ... except EpochalError as error:
    ...     print(type(error).__name__)
    TimeParseError
    """


class TimeParseError(EpochalError):
    """A text could not be read as a time. Carries the `text` and the `accepted` forms.

    >>> print(TimeParseError("soonish", "an EDTF date such as 1998-03"))
    'soonish' is not a time; accepted: an EDTF date such as 1998-03
    """

    def __init__(self, text: str, accepted: str, why: str = "is not a time") -> None:
        self.text = text
        self.accepted = accepted
        shown = text if len(text) <= 80 else f"{text[:77]}..."
        super().__init__(f"{shown!r} {why}; accepted: {accepted}")


class TimeRangeError(EpochalError):
    """A time lies outside what the axis, or the named calendar, can hold.

    >>> raise TimeRangeError("year 10**12 is outside the axis")
    Traceback (most recent call last):
    ...
    epochal.errors.TimeRangeError: year 10**12 is outside the axis
    """


class TableError(EpochalError):
    """A calendar table is malformed. Names the file and the line.

    >>> print(TableError("mine.toml", 12, "reign 'Otto' has no 'first' year"))
    mine.toml, line 12: reign 'Otto' has no 'first' year
    """

    def __init__(self, file: str, line: int, problem: str) -> None:
        self.file = file
        self.line = line
        self.problem = problem
        super().__init__(f"{file}, line {line}: {problem}")


class UnknownNameError(EpochalError):
    """A name that is not registered. Lists the names that are.

    >>> print(UnknownNameError("calendar", "klingon", ["gregorian", "julian"]))
    no calendar is called 'klingon'; known: gregorian, julian
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        shown = ", ".join(self.known)
        if len(self.known) > 30:
            near = difflib.get_close_matches(name, self.known, 3, 0.5)
            shown = f"{len(self.known)} of them" + (f", such as {', '.join(near)}" if near else "")
        super().__init__(f"no {kind} is called {name!r}; known: {shown}")


class InputError(EpochalError):
    """Somebody's data cannot be read. Names the `file`, the `line` (0 for the file as a whole) and the `problem`.

    >>> print(InputError("news.jsonl", 7, "the row has no id; accepted: a text under 'id' or '_id'"))
    news.jsonl, line 7: the row has no id; accepted: a text under 'id' or '_id'
    """

    def __init__(self, file: str, line: int, problem: str) -> None:
        self.file = file
        self.line = line
        self.problem = problem
        super().__init__(f"{file}, line {line}: {problem}" if line else f"{file}: {problem}")


class StorageError(EpochalError):
    """An index cannot be opened, read or written. What was stored before stays as it was.

    >>> print(StorageError("'news' is not an index; make one with `epochal index news --from FILE`"))
    'news' is not an index; make one with `epochal index news --from FILE`
    """


class IndexLockedError(StorageError):
    """Another writer, in this process or another, has the index.

    >>> issubclass(IndexLockedError, StorageError)
    True
    """


class PartLostError(StorageError):
    """A part of an index stopped answering while it was read, and the index may be read without it: take a new view.

    >>> issubclass(PartLostError, StorageError)
    True
    """


class MissingExtraError(EpochalError):
    """A part of Epochal needs packages that were not installed. Names the `extra` that brings them.

    >>> print(MissingExtraError("reading Parquet files", "pyarrow", "parquet"))
    reading Parquet files needs the package pyarrow; install it with: pip install 'epochal[parquet]'
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs the package {package}; install it with: pip install 'epochal[{extra}]'")
