"""The page and its files, with an ETag, and packed for whoever takes it packed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from epochal.service.page_files import PageFile
from epochal.service.problems import ProblemError

__all__ = ["PAGES", "file_response", "named_file"]

#: Addresses that are pages, and the file that each is.
PAGES: Final = {"/": "index.html", "/bench": "bench.html", "/favicon.ico": "favicon.ico"}
_GZIP: Final = re.compile(
    r"(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?P<share>[01](?:\.[0-9]{0,3})?))?\s*(?=,|$)", re.IGNORECASE
)


def named_file(files: Mapping[str, PageFile], name: str) -> PageFile:
    """A file by its name in the list of those that there are: no name leads to any other.

    >>> named_file({}, "../settings.py")
    Traceback (most recent call last):
    ...
    epochal.service.problems.ProblemError: the page has no file '../settings.py'
    """
    if name not in files:
        raise ProblemError("not-found", f"the page has no file {name[:80]!r}")
    return files[name]


def file_response(file: PageFile, request: Request) -> Response:
    """A file, or only that it has not changed since it was asked for.

    >>> file = PageFile("text/css", b"body {}", None, '"1"')
    >>> file_response(file, Request({"type": "http", "headers": [(b"if-none-match", b'W/"1"')]})).status_code
    304
    """
    headers = {"ETag": file.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    known = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if file.etag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    body = file.body
    if file.packed is not None and _takes_gzip(request.headers.get("accept-encoding", "")):
        body = file.packed
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers=headers, media_type=file.media_type)


def _takes_gzip(header: str) -> bool:
    found = _GZIP.search(header)
    return found is not None and float(found["share"] or 1) > 0
