"""Tables in TOML, and what is derived from them, which is kept so that a process need not derive it again.

A derived table is a value of JSON (`derive`). Its file is named by a digest of all that it was made from, so a table
that has changed has another file. It is looked for in the package, where `tools/derive_tables.py` puts it before a
wheel is built, and then in the folder of the user (`epochal.kept`). One that is missing or damaged is made again, and
kept where the folder can be written.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from importlib.util import source_hash  # much quicker to import than hashlib
from pathlib import Path
from typing import Any, Final

from epochal.errors import TableError
from epochal.kept import find_cache, read_kept, write_kept

__all__ = ["DERIVED", "derive", "read_sources", "read_text", "read_toml"]

_PACKAGE: Final = Path(__file__).parent
#: The derived tables that a wheel brings along.
DERIVED: Final = _PACKAGE / "derived"
_LINE: Final = re.compile(r"\(at line (\d+)")
#: How many tables of one name are kept in the folder of the user: several versions may be installed.
_KEPT: Final = 4


def read_toml(name_or_path: str | Path, package: str | None = None, *, keep_as: str = "") -> dict[str, Any]:
    """The content of a TOML file; a bare file name is looked up in the folder `tables` of `package` first.

    A file that is not valid TOML is a `TableError` that names the line. With `keep_as`, the content is kept as a
    derived table of that name; it must be a value of JSON, without dates.
    """
    text = read_text(name_or_path, package)
    if not keep_as:
        return _parse_toml(text, str(name_or_path))
    content: dict[str, Any] = derive(keep_as, [text.encode()], lambda: _parse_toml(text, str(name_or_path)))
    return content


def _parse_toml(text: str, name: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
    try:
        content: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        where = int(line[1]) if line else text.rstrip("\n").count("\n") + 1
        raise TableError(name, where, f"not valid TOML: {error}") from error
    return content


def read_text(name_or_path: str | Path, package: str | None = None) -> str:
    """The text of a table, found in the same way."""
    if package is not None and isinstance(name_or_path, str) and Path(name_or_path).name == name_or_path:
        bundled = _PACKAGE.joinpath(*package.split(".")[1:], "tables", name_or_path)
        if bundled.is_file():
            return bundled.read_text(encoding="utf-8")
    try:
        return Path(name_or_path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(str(name_or_path), 1, f"cannot be read as UTF-8 text ({error})") from error


# ---------------------------------------------------------------- derived tables


def derive(name: str, sources: Iterable[bytes], build: Callable[[], Any]) -> Any:
    """The value that `build` makes of `sources`: all that it depends on, its own program included.

    It must be a value of JSON whose keys are texts; a tuple comes back as a list.
    """
    parts = [part for source in sources for part in (len(source).to_bytes(8, "little"), source)]
    file = f"{name}-{source_hash(b''.join(parts)).hex()}.json"
    for folder in (DERIVED, find_cache()):
        if folder is not None and (kept := read_kept(folder / file)) is not None:
            return kept[0]
    value = build()
    if (folder := find_cache()) is not None:
        _keep_derived(folder / file, name, value)
    return value


def read_sources(paths: Iterable[Path]) -> list[bytes]:
    """The bytes of the files that a table is derived from; a program that is installed without its source has none."""
    return [path.read_bytes() if path.is_file() else b"" for path in paths]


def _keep_derived(path: Path, name: str, value: Any) -> None:
    """Write a value and remove the oldest of that name; a folder that cannot be written is left alone."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_kept(path, value)
        kept = [other for other in path.parent.glob(f"{name}-*.json") if len(other.name) == len(path.name)]
        for old in sorted(kept, key=lambda other: other.stat().st_mtime)[:-_KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return
