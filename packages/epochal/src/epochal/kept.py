"""Files that are kept from one process to the next: a checksum, a value of JSON, and bytes, in a folder of the user.

The folder is EPOCHAL_CACHE if that is set, else `epochal` in the usual folder for such files.
"""

from __future__ import annotations

import gc
import os
from importlib.util import source_hash  # much quicker to import than hashlib
from pathlib import Path
from typing import Any

__all__ = ["find_cache", "read_kept", "write_kept"]


def find_cache() -> Path | None:
    """The folder of the user; none where there is no home, or EPOCHAL_CACHE is empty."""
    if (own := os.environ.get("EPOCHAL_CACHE")) is not None:
        return Path(own) if own else None
    for variable in ("LOCALAPPDATA",) if os.name == "nt" else ("XDG_CACHE_HOME",):
        if base := os.environ.get(variable):
            return Path(base) / "epochal"
    home = os.environ.get("HOME")
    return Path(home) / ".cache" / "epochal" if home else None


def read_kept(path: Path) -> tuple[Any, bytes] | None:
    """The value in a file, and the bytes behind it; none where the file is missing or damaged."""
    import json

    try:
        head, _, body = path.read_bytes().partition(b"\n")
        if head != _sum_up(body):
            return None
        value, _, data = body.partition(b"\n")
        was_enabled = gc.isenabled()
        gc.disable()  # which would look through all that is being made again and again
        try:
            return json.loads(value), data
        finally:
            if was_enabled:
                gc.enable()
    except (OSError, ValueError):
        return None


def write_kept(path: Path, value: Any, data: bytes = b"") -> None:
    """Write a value and bytes with their checksum; the file appears whole or not at all."""
    import json

    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    body = body + b"\n" + data if data else body
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(_sum_up(body) + b"\n" + body)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _sum_up(body: bytes) -> bytes:
    return source_hash(body).hex().encode()
