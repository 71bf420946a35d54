"""What the search page shows first, sent within the page: the facts of the index, its histogram, and a first search.

A browser over a slow network would else wait four times: for the page, its script, these facts, and the search.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import QueryParams
from starlette.responses import Response, StreamingResponse

from epochal.errors import EpochalError
from epochal.server.coverage import measure_documents
from epochal.server.document_routes import describe_service
from epochal.server.document_schemas import CoverageQuery
from epochal.server.problems import json_bytes
from epochal.server.routing import find_service, note_question
from epochal.server.search_routes import search_documents
from epochal.server.search_schemas import SearchBody
from epochal.server.settings import MAX_HITS
from epochal.server.state import Service

#: What an address may say for its search to be run with the page. A page with other corrections asks by itself.
_NAMES: Final = frozenset(
    (
        "q",
        "now",
        "as_of",
        "valid_at",
        "during",
        "strict",
        "undated",
        "time",
        "k",
        "sort",
        "view",
        "answer",
        "look",
        "topics",
        "by",
    )
)
_CHOICES: Final = {"undated": ("penalise", "exclude"), "sort": ("newest", "oldest")}
_HITS: Final = 10
#: Where a page has what it shows first, and what is needed after that.
_GIVEN: Final = "<!-- given -->"
_LATER: Final = "<!-- given later -->"
#: What zlib calls a window of 15 bits with the head of gzip.
_GZIP_FORMAT: Final = 31


def read_address(query: QueryParams) -> dict[str, Any] | None:
    """The body of the search that the page at an address sends; None where it asks nothing, or has more to say.

    >>> read_address(QueryParams("q=floods&as_of=2010"))
    {'question': 'floods', 'k': 10, 'overview': True, 'as_of': '2010'}
    """
    given = {name: query[name].strip() for name in query}
    if not given.get("q") or not _NAMES.issuperset(given):
        return None
    k = given.get("k", "")
    hits = int(k) if k.isascii() and k.isdigit() and len(k) <= 3 and 1 <= int(k) <= MAX_HITS else _HITS
    body: dict[str, Any] = {"question": given["q"], "k": hits, "overview": True}
    body.update({name: given[name] for name in ("now", "as_of", "valid_at") if given.get(name)})
    if given.get("during"):
        body.update(during=given["during"], strict=given.get("strict") != "0")
    if given.get("undated") in _CHOICES["undated"]:
        body["undated"] = given["undated"]
    if given.get("time") == "0":
        body["time"] = False
    if given.get("sort") in _CHOICES["sort"]:
        body["sort"] = given["sort"]
    return body


class FirstPage:
    """A page whose beginning is sent at once, and the rest with what it shows first as soon as that is there."""

    def __init__(self, page: str, headers: Mapping[str, str]) -> None:
        self._start, _, self._end = page.partition(_GIVEN)
        self._headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding", **headers}
        # The beginning is compressed once; each response goes on from there.
        self._packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP_FORMAT)
        start = self._start.encode()
        self._packed_start = self._packer.compress(start) + self._packer.flush(zlib.Z_SYNC_FLUSH)

    def respond(self, request: Request, *, packed: bool) -> Response:
        """Send the page, compressed by gzip or as it is."""
        body = read_address(request.query_params)
        note_question(request, None if body is None else body["question"])
        headers = {**self._headers, **({"Content-Encoding": "gzip"} if packed else {})}
        parts = self._send(find_service(request), body, packed=packed)
        return StreamingResponse(parts, headers=headers, media_type="text/html; charset=utf-8")

    async def _send(self, service: Service, body: Mapping[str, Any] | None, *, packed: bool) -> AsyncIterator[bytes]:
        yield self._packed_start if packed else self._start.encode()
        first, later = await _collect_in_time(service, body)
        end = (_show(first, "given") + self._end.replace(_LATER, _show(later, "given-later"), 1)).encode()
        if packed:
            packer = self._packer.copy()
            end = packer.compress(end) + packer.flush()
        yield end


async def _collect_in_time(service: Service, body: Mapping[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the page shows first; nothing where that cannot be had, so that the page itself asks, and reports why."""
    try:
        return await asyncio.wait_for(service.work.run(lambda: _collect(service, body)), service.settings.seconds)
    except (EpochalError, asyncio.TimeoutError):
        return {}, {}


def _collect(service: Service, body: Mapping[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the first view needs, and what is needed after it."""
    facts = {"info": describe_service(service)}
    histogram = {"coverage": _measure(service)}
    if body is None:
        return {**facts, **histogram}, {}
    try:
        asked = SearchBody.model_validate(body)
        found = search_documents(service, asked.question, asked)
    except (EpochalError, ValidationError):
        return facts, histogram
    return {**facts, "search": {"body": body, "answer": found}}, histogram


def _measure(service: Service) -> dict[str, Any]:
    record = measure_documents(service, CoverageQuery(bins=400, calendar=True))
    bins = [{name: item[name] for name in ("start", "end", "count")} for item in record["bins"]]
    return {**record, "bins": bins}


def _show(record: Mapping[str, Any], name: str) -> str:
    """An element that holds JSON; no text in it can end the element."""
    text = json_bytes(record).decode().replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'
