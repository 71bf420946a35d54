"""Regular expressions whose compiled form is kept for the next process: compiling takes a seventh of a cold search.

Python compiles an expression to a list of numbers, which depends on its own version alone. `keep_compiled` writes the
lists of this process into the folder of the user (`epochal.kept`), and `compile_regex` makes the expression of such a
list. Where the folder, the file or an entry is missing, or Python has no such lists, expressions are compiled as usual.
"""

from __future__ import annotations

import re
import sys
from array import array
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from epochal.kept import find_cache, read_kept, write_kept

try:
    _engine: Any = import_module("_sre")
    _parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
    _compiler: Any = import_module("re._compiler" if sys.version_info >= (3, 11) else "sre_compile")
    _IS_KNOWN = sys.implementation.name == "cpython" and array("I").itemsize == _engine.CODESIZE
except (ImportError, AttributeError):  # another Python
    _IS_KNOWN = False

__all__ = ["compile_regex", "keep_compiled"]

#: So many expressions are kept; with more, those that the last process did not use are dropped.
_MAX: Final = 4000

#: The compiled form of an expression: its flags, its groups, the numbers of those that have names, and its list.
_Row = tuple[int, int, dict[str, int], bytes]


class _Kept:
    """The lists of this and earlier processes, by flags and pattern."""

    def __init__(self) -> None:
        self.path = _find_file()
        found = read_kept(self.path) if self.path is not None else None
        heads, self._data = found if found is not None and isinstance(found[0], dict) else ({}, b"")
        #: The flags, groups and names of each, and where its list starts and ends among all.
        self.heads: dict[str, list[Any]] = heads
        self.used: dict[str, _Row] = {}
        self.is_new = False

    def find(self, key: str) -> _Row | None:
        """The row of an expression, if there is one and it has the form of one."""
        try:
            flags, groups, names, start, end = self.heads[key]
            return flags, groups, names, self._data[start:end]
        except (KeyError, TypeError, ValueError):
            return None

    def write(self, path: Path) -> None:
        """Write all rows, or those that this process used where they are too many."""
        rows = dict(self.used)
        if len(self.heads.keys() | rows) <= _MAX:
            rows |= {key: row for key in self.heads if key not in rows and (row := self.find(key)) is not None}
        heads, place = {}, 0
        for key, (*head, numbers) in rows.items():
            heads[key] = [*head, place, place := place + len(numbers)]
        write_kept(path, heads, b"".join(row[3] for row in rows.values()))


_state: list[_Kept] = []


def compile_regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` makes, from its kept form where there is one."""
    if not _IS_KNOWN:
        return re.compile(pattern, flags)
    if not _state:
        _state.append(_Kept())
    kept, key = _state[0], f"{int(flags)} {pattern}"
    if (row := kept.find(key)) is not None and (made := _restore(pattern, row)) is not None:
        kept.used[key] = row
        return made
    try:
        made, row = _compile(pattern, int(flags))
    except (AttributeError, TypeError):  # a Python that compiles in another way
        return re.compile(pattern, flags)
    kept.used[key] = row
    kept.is_new = True
    return made


def keep_compiled() -> None:
    """Write the lists of this process for the next one, if any is new; a folder that cannot be written is left."""
    if not _state or not _state[0].is_new or (path := _state[0].path) is None:
        return
    kept = _state[0]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        kept.write(path)
    except OSError:
        return
    kept.is_new = False


def _find_file() -> Path | None:
    folder = find_cache()
    return (
        folder / f"expressions-{_engine.MAGIC}-{sys.hexversion:x}-{sys.byteorder}.json" if folder is not None else None
    )


def _compile(pattern: str, flags: int) -> tuple[re.Pattern[str], _Row]:
    """Compile as `re.compile` does, and keep its list."""
    parsed = _parser.parse(pattern, flags)
    numbers, state = _compiler._code(parsed, flags), parsed.state
    row = (flags | state.flags, state.groups - 1, dict(state.groupdict), array("I", numbers).tobytes())
    return _make(pattern, numbers, row), row


def _restore(pattern: str, row: _Row) -> re.Pattern[str] | None:
    """The expression of a list; none where it is not one, which Python checks."""
    try:
        return _make(pattern, array("I", row[3]).tolist(), row)
    except (AttributeError, ValueError, TypeError, IndexError, RuntimeError, OverflowError):
        return None


def _make(pattern: str, numbers: list[int], row: _Row) -> re.Pattern[str]:
    flags, groups, names, _ = row
    by_number: list[str | None] = [None] * (groups + 1)
    for name, number in names.items():
        by_number[number] = name
    made: re.Pattern[str] = _engine.compile(pattern, flags, numbers, groups, names, tuple(by_number))
    return made
