"""Rows of JSON Lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from epochal.index.inputs.rows import LONGEST, Meter, Row, lines

__all__ = ["json_rows", "not_utf8", "rows_of_lines"]


class _NotANumberError(ValueError):
    """JSON has no NaN and no Infinity, though Python would read them."""


def _refuse(name: str) -> Any:
    raise _NotANumberError(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def json_rows(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """The rows of a file of JSON Lines, plain or gzipped; blank lines are passed over.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> _ = path.write_text('{"id": "a"}\\n[1]\\n')
    >>> [row.problem for row in json_rows(path, "a.jsonl", Meter(0))]
    [None, "the row is a list; accepted: an object such as {'id': 'a', 'text': 'Rain.'}"]
    """
    return rows_of_lines(lines(path, name, meter, longest), name, longest)


def rows_of_lines(numbered: Iterable[tuple[int, bytes | None]], name: str, longest: int = LONGEST) -> Iterator[Row]:
    """The rows of lines with their numbers; None stands for a line that is too long.

    >>> [row.values for row in rows_of_lines([(1, b'{"id": "a"}'), (2, b" ")], "a.jsonl")]
    [{'id': 'a'}]
    """
    for number, line in numbered:
        if line is None:
            yield Row(name, number, problem=f"the line is longer than the {longest:,} bytes that are read")
        elif not line.isspace():
            values = _object(line)
            if isinstance(values, str):
                yield Row(name, number, problem=values)
            else:
                yield Row(name, number, values)


def _object(line: bytes) -> dict[str, Any] | str:
    """The object of a line, or what is wrong with it."""
    try:
        values = _DECODER.decode(line.decode("utf-8"))
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(values, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        return not_utf8(error)
    except UnicodeEncodeError as error:
        return f"the row holds half a character, \\u{ord(error.object[error.start]):04x} without its partner"
    except _NotANumberError as error:
        return f"the row holds {error}, which JSON does not have; accepted: a number, or null"
    except json.JSONDecodeError as error:
        return f"the row is not JSON: {error.msg} at character {error.pos + 1}; accepted: one object a line"
    except RecursionError:
        return "the row is nested too deeply"
    except ValueError as error:  # a number of thousands of digits
        return f"the row holds a number that cannot be read: {error}"
    if not isinstance(values, dict):
        kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
        kind = kinds.get(type(values), "a number")
        return f"the row is {kind}; accepted: an object such as {{'id': 'a', 'text': 'Rain.'}}"
    return values


def not_utf8(error: UnicodeDecodeError) -> str:
    """What to say of bytes that are not UTF-8.

    >>> try:
    ...     b"caf\\xe9".decode("utf-8")
    ... except UnicodeDecodeError as error:
    ...     print(not_utf8(error))
    byte 4 (0xe9) is not UTF-8; accepted: text in UTF-8
    """
    return f"byte {error.start + 1} (0x{error.object[error.start]:02x}) is not UTF-8; accepted: text in UTF-8"
