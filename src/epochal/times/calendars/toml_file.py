"""Calendar tables in TOML: those bundled with Epochal, and those a user keeps in a file."""

from __future__ import annotations

import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from epochal.errors import TableError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

__all__ = ["read_text", "read_toml"]

_LINE = re.compile(r"\(at line (\d+)")


def read_toml(name_or_path: str | Path, package: str = "") -> dict[str, Any]:
    """The content of a table: one bundled with a package by its file name, or any file by its path.

    A bare file name is looked up among the `tables` of the package first. A file that is not valid TOML is a
    `TableError` that names the line.

    >>> read_toml("julian_switch.toml", "epochal.times.calendars")["switch"][0]["last_julian"]
    '1582-10-04'
    """
    text = read_text(name_or_path, package)
    try:
        content: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        where = int(line[1]) if line else text.rstrip("\n").count("\n") + 1
        raise TableError(str(name_or_path), where, f"not valid TOML: {error}") from error
    return content


def read_text(name_or_path: str | Path, package: str = "") -> str:
    """The text of a table, found in the same way.

    >>> read_text("lunisolar.txt", "epochal.times.calendars").startswith("#")
    True
    """
    if package and isinstance(name_or_path, str) and Path(name_or_path).name == name_or_path:
        bundled = files(package).joinpath("tables").joinpath(name_or_path)
        if bundled.is_file():
            return bundled.read_text(encoding="utf-8")
    try:
        return Path(name_or_path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(str(name_or_path), 1, f"cannot be read as UTF-8 text ({error})") from error
