"""The pages of the service and their files: read, bundled, compressed, and sent with the headers of a cache."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.abc import Traversable
from typing import Final

from fastapi import Request
from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from epochal.server.bundle import add_tags, bundle_page, make_policy
from epochal.server.first_view import FirstPage
from epochal.server.problems import ProblemError
from epochal.server.routing import Extension
from epochal.server.telemetry import NOTE, POLICY

#: The page that is sent with what it shows first.
_SEARCH: Final = "index.html"
_EMBED: Final = "/embed"
#: The paths of pages, and the file of each.
_PAGES: Final = {"/": _SEARCH, "/document": "document.html", "/favicon.ico": "favicon.ico"}
_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "map": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
}
_COMPRESSED_TYPES: Final = frozenset(("png", "woff2", "ico"))
_MIN_COMPRESSED: Final = 500
_GZIP: Final = re.compile(
    r"(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?P<share>[01](?:\.[0-9]{0,3})?))?\s*(?=,|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PageFile:
    """A static file: its type, its bytes, the same compressed by gzip if that helps, and a hash of its content.

    A page has a content security policy of its own, which names the scripts and styles within it.
    """

    media_type: str
    body: bytes
    packed: bytes | None
    tag: str
    policy: str = ""

    @property
    def etag(self) -> str:
        """The hash as a header has it."""
        return f'"{self.tag}"'


def read_page_files(folder: Traversable | None = None) -> dict[str, PageFile]:
    """Read the static files of a folder, by name; those of the engine unless another folder is given.

    Requests name one of these files, so no path of a request reaches the disk.
    """
    files: dict[str, PageFile] = {}
    _collect(resources.files("epochal.server") / "page" if folder is None else folder, "", files)
    return files


def _collect(folder: Traversable, prefix: str, files: dict[str, PageFile]) -> None:
    if not folder.is_dir():
        return
    for item in folder.iterdir():
        suffix = item.name.rpartition(".")[2].lower()
        if item.is_dir():
            _collect(item, f"{prefix}{item.name}/", files)
        elif suffix in _TYPES and not item.name.startswith("."):
            files[prefix + item.name] = _make_file(item.name, item.read_bytes())


def _make_file(name: str, body: bytes, policy: str = "") -> PageFile:
    suffix = name.rpartition(".")[2].lower()
    small = suffix in _COMPRESSED_TYPES or len(body) < _MIN_COMPRESSED
    # Without the time, equal files compress to equal bytes.
    packed = None if small else gzip.compress(body, 9, mtime=0)
    return PageFile(_TYPES[suffix], body, packed, hashlib.sha256(body).hexdigest()[:20], policy)


def build_pages(files: Mapping[str, PageFile]) -> dict[str, PageFile]:
    """Build the pages of files, with one script each besides what is within; it has the hash of its content."""
    sources = {name: file.body.decode("utf-8") for name, file in files.items() if _is_text(file)}
    tags = {name: file.tag for name, file in files.items()}
    built: dict[str, PageFile] = {}
    for name in [name for name in files if name.endswith(".html")]:
        made = bundle_page(name, sources, tags)
        page = made.pop(name)
        bundles = {item: _make_file(item, text.encode()) for item, text in made.items()}
        page = add_tags(page, {**tags, **{item: file.tag for item, file in bundles.items()}})
        built.update(bundles)
        built[name] = _make_file(name, page.encode(), make_policy(page, POLICY))
    return built


def _is_text(file: PageFile) -> bool:
    return file.media_type.startswith("text/")


def make_page_routes(extensions: Sequence[Extension], frames: Sequence[str] = ()) -> list[Route]:
    """Make the routes of the pages and of their files, with those of other packages.

    The pages of `frames`, which are origins, may show results in a frame.
    """
    files, pages = read_page_files(), dict(_PAGES)
    for item in extensions:
        files.update(read_page_files(item.static))
        pages.update(item.pages)
    built = build_pages(files)
    first_pages = {"/": _make_search_page(built[_SEARCH])}
    if frames:
        first_pages[_EMBED] = _make_search_page(built[_SEARCH], frames)

    def send(request: Request, name: str, known: Mapping[str, PageFile]) -> Response:
        request.scope[NOTE]["route"] = "page"
        if name not in known:
            raise ProblemError("not-found", f"the page has no file {name[:80]!r}")
        return _send_file(known[name], request)

    async def page(request: Request) -> Response:
        path = request.url.path
        if path not in first_pages:
            return send(request, pages[path], {**files, **built})
        request.scope[NOTE]["route"] = "page"
        return first_pages[path].respond(request, packed=accepts_gzip(request.headers.get("accept-encoding", "")))

    async def static(request: Request) -> Response:
        # The sources of a page are served as they are.
        return send(request, request.path_params["name"], {**built, **files})

    return [*(Route(path, page) for path in {**pages, **first_pages}), Route("/static/{name:path}", static)]


def _make_search_page(file: PageFile, frames: Sequence[str] = ()) -> FirstPage:
    """The search page; for frames of other sites without its head and form, and with links that open a new tab."""
    page, policy = file.body.decode(), file.policy
    if frames:
        page = page.replace("<html ", '<html class="embedded" ', 1).replace(
            "<head>", '<head>\n  <base target="_blank">', 1
        )
        page = page.replace(" autofocus>", ">", 1)
        policy = policy.replace("frame-ancestors 'none'", f"frame-ancestors {' '.join(frames)}")
    return FirstPage(page, {"Content-Security-Policy": policy})


def _send_file(file: PageFile, request: Request) -> Response:
    """Send a file, or 304 if the client has it already; one that is named with its hash never changes."""
    kept = request.query_params.get("v") == file.tag
    headers = {
        "ETag": file.etag,
        "Cache-Control": "public, max-age=31536000, immutable" if kept else "no-cache",
        "Vary": "Accept-Encoding",
        **({"Content-Security-Policy": file.policy} if file.policy else {}),
    }
    cached = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if file.etag in cached or "*" in cached:
        return Response(status_code=304, headers=headers)
    body = file.body
    if file.packed is not None and accepts_gzip(request.headers.get("accept-encoding", "")):
        body = file.packed
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers=headers, media_type=file.media_type)


def accepts_gzip(header: str) -> bool:
    match = _GZIP.search(header)
    return match is not None and float(match["share"] or 1) > 0


class Compression:
    """Middleware that compresses responses for clients that accept gzip; events are sent as they come."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, minimum_size=_MIN_COMPRESSED, compresslevel=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        accepted = scope["type"] == "http" and accepts_gzip(Headers(scope=scope).get("accept-encoding", ""))
        await (self._compressing if accepted else self._app)(scope, receive, send)
