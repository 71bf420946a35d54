"""Rows of the files that sets publish: JSON Lines, plain or gzipped, and Parquet; and lists written as texts."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from epochal.errors import InputError
from epochal.index.inputs.jsonl import json_rows
from epochal.index.inputs.parquet import parquet_rows
from epochal.index.inputs.rows import Meter

__all__ = ["listed", "literal", "rows", "text_of", "texts_of"]

#: Longer texts are not read as lists: a parser may not be given anything of any size.
_LONGEST: Final = 1_000_000


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a file with their numbers; a bad one is an error.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> _ = path.write_text('{"id": "a"}')
    >>> list(rows(path))
    [(1, {'id': 'a'})]
    """
    read = parquet_rows if path.suffix in (".parquet", ".pq") else json_rows
    for row in read(path, str(path), Meter(0)):
        if row.problem is not None:
            raise InputError(str(path), row.line, row.problem)
        yield row.line, row.values


def literal(text: str) -> Any:
    """The value that a text writes as JSON or as Python does; None where it writes none. Nothing is ever run.

    >>> literal("['a', 'b']"), literal('{"a": 1}'), literal("__import__('os')")
    (['a', 'b'], {'a': 1}, None)
    """
    if len(text) > _LONGEST:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # the files in question write Python's own notation more often
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def listed(value: Any) -> list[str] | None:
    """A list of ids, whether it is one or a text that writes one; None where the text writes none.

    >>> listed(["a"]), listed("['a', 'b']"), listed("[]"), listed(""), listed(None), listed("see above")
    (['a'], ['a', 'b'], [], [], [], None)
    """
    if isinstance(value, str):
        if not value.strip():
            return []
        value = literal(value)
        if not isinstance(value, (list, tuple)):
            return None
    return texts_of(value)


def texts_of(value: Any) -> list[str]:
    """The texts of a list that are not empty; a text alone is a list of one, and anything else has none.

    >>> texts_of(["1917", "", None, 1918]), texts_of("1917"), texts_of({"a": 1})
    (['1917', '1918'], ['1917'], [])
    """
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, (list, tuple)):
        return []
    texts = (str(item) if isinstance(item, int) and not isinstance(item, bool) else item for item in value)
    return [item for item in texts if isinstance(item, str) and item.strip()]


def text_of(row: Mapping[str, Any], *keys: str) -> str:
    """The first of these fields that holds a text or a whole number; "" where none does.

    >>> text_of({"q_id": 7, "query": "When?"}, "id", "q_id")
    '7'
    """
    for key in keys:
        value = row.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""
