"""The files of the page, read once: a request names one of them, and never a path."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.abc import Traversable

__all__ = ["PageFile", "page_files"]

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
}
_PACKED_ALREADY: Final = frozenset(("png", "woff2", "ico"))
_WORTH_PACKING: Final = 500


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page: what it is, its bytes, the same packed by gzip where that helps, and its ETag.

    >>> PageFile("text/css", b"body {}", None, '"1"').packed is None
    True
    """

    media_type: str
    body: bytes
    packed: bytes | None
    etag: str


def page_files() -> Mapping[str, PageFile]:
    """The files that come with the package, by their names; those of folders with a slash between.

    >>> all(file.etag.startswith('"') for file in page_files().values())
    True
    """
    found: dict[str, PageFile] = {}
    _collect(resources.files("epochal.service") / "page", "", found)
    return found


def _collect(place: Traversable, before: str, found: dict[str, PageFile]) -> None:
    if not place.is_dir():
        return
    for item in place.iterdir():
        suffix = item.name.rpartition(".")[2].lower()
        if item.is_dir():
            _collect(item, f"{before}{item.name}/", found)
        elif suffix in _TYPES and not item.name.startswith("."):
            body = item.read_bytes()
            # Neither a name nor the time goes into it: equal files are packed equally.
            small = suffix in _PACKED_ALREADY or len(body) < _WORTH_PACKING
            packed = None if small else gzip.compress(body, 9, mtime=0)
            etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
            found[before + item.name] = PageFile(_TYPES[suffix], body, packed, etag)
