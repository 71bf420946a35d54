"""What the browser tests share: indexes that are really served, and a browser that lets no error pass unseen.

They run with `make test-browser`. Where Playwright or Chromium is missing they are skipped with a sentence, unless
EPOCHAL_BROWSER says that they are required.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from epochal import Document, Index, Span
from epochal.cli.demo import open_corpus
from epochal.storage.importers import read

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request

#: The present of all questions, a few days after the last item of the demo corpus.
NOW = "2026-03-28"
EVIL = "<script>window.evil = 1</script><img src=x onerror='window.evil = 2'>"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ANNALS = (
    (-721, "Duke Yin of Lu and Yifu of Zhu made a covenant at Mie."),
    (-719, "The sun was eclipsed on the first day of the month."),
    (-683, "The army of Qi was defeated at Changshao."),
    (-631, "Jin defeated the army of Chu at Chengpu."),
    (-596, "Chu defeated the army of Jin at Bi."),
    (-545, "A covenant of peace was made at Song."),
    (-505, "Wu entered the capital of Chu."),
    (-480, "A unicorn was caught in the west."),
    (-43, "Julius Caesar was murdered in the senate."),
    (79, "Vesuvius buried Pompeii."),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def missing(sentence: str) -> None:
    """Skip, or fail where these tests are required."""
    if os.environ.get("EPOCHAL_BROWSER") == "required":
        pytest.fail(sentence)
    pytest.skip(sentence)


@dataclass
class Site:
    """A served index."""

    base: str

    def __call__(self, path: str = "/", **state: str) -> str:
        """The address of a page with a state; the present is fixed unless given."""
        given = {"now": NOW, **state} if state else {}
        return f"{self.base}{path}{'?' if given else ''}{urlencode(given)}"


@dataclass
class Troubles:
    """What went wrong in the browser; a test says which of it is meant to."""

    seen: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        self.allowed.append(pattern)

    def left(self) -> list[str]:
        return [line for line in self.seen if not any(re.search(pattern, line) for pattern in self.allowed)]


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Site]]:
    """Serves a folder by `epochal serve` in a process of its own, until the end of the session."""
    started: list[subprocess.Popen[str]] = []

    def go(folder: Path, *options: str) -> Site:
        command = [sys.executable, "-m", "epochal", "serve", str(folder), "--port", "0", "--workers", "1", *options]
        log = tmp_path_factory.mktemp("log") / "errors"
        with log.open("w") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        started.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.search(r"http://\S+?(?=/?[\s(]|/?$)", line)
        assert match, f"`epochal serve` printed {line!r}: {log.read_text()}"
        return Site(match[0].rstrip("/"))

    yield go
    for process in started:
        process.terminate()
    for process in started:
        process.wait(30)
        assert process.stdout is not None
        process.stdout.close()


def filled(folder: Path, documents: Any, encoder: str | None = None) -> Path:
    with Index.create(folder, encoder=encoder) as index:
        index.add(documents)
    return folder


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., Site]) -> Site:
    """The demo corpus: 2,373 items of news, 2002 to 2026."""
    with open_corpus() as path:
        return serve(filled(tmp_path_factory.mktemp("demo") / "index", read(path), "static"))


@pytest.fixture(scope="session")
def annals(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., Site]) -> Site:
    """Annals from 722 BCE to 79 CE."""
    documents = [
        Document(f"a{position}", text, f"Annals of {Span.year(year).describe()}", Span.year(year))
        for position, (year, text) in enumerate(_ANNALS, 1)
    ]
    return serve(filled(tmp_path_factory.mktemp("annals") / "index", documents))


@pytest.fixture(scope="session")
def papers(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., Site]) -> Site:
    """A few papers: versions, relative times, undated ones, long ones, and one that is up to no good."""
    day = Span.parse
    long = "The ledger lists cargo. " * 40 + "The mill burned down in May 1951. " + "The ledger lists more cargo. " * 40
    documents = [
        Document("rate-1998", "The bank raised its rate to 5 percent in May 1998.", published=day("1998-05-20")),
        Document("rate-2003", "The bank cut its rate to 2 percent last month.", published=day("2003-07-02")),
        Document("rate-note", "The rate of the bank is what lenders pay for a loan overnight."),
        Document("fees-1", "A transfer abroad costs 20 euros.", "Fees", day("2001-01-01"), series="fees"),
        Document("fees-2", "A transfer abroad costs 12 euros by phone.", "Fees", day("2009-01-01"), series="fees"),
        Document("fees-3", "A transfer abroad costs 4 euros now.", "Fees", day("2020-03-01"), series="fees"),
        Document("mill", long, "The mill", day("1952-01-01")),
        Document("signs", "𝔐𝔞𝔫𝔲𝔰𝔠𝔯𝔦𝔭𝔱 𝔬𝔫 𝔱𝔥𝔢 𝔠𝔬𝔪𝔢𝔱: it stood over Basel in March 1984.", published=day("1990-01-01")),
        Document(
            "evil/ä?", f"The newsletter of 2011 said {EVIL} to everybody.", f"Newsletter {EVIL}", day("2011-02-03")
        ),
        Document("sums", "=1+1 was the whole telegram of June 1977.", "=cmd|' /C calc'!A0", day("1977-06-09")),
    ]
    return serve(filled(tmp_path_factory.mktemp("papers") / "index", documents))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Callable[[], Browser]]:
    """Gives the browser, and another one where it has died: the test that it died in fails, and no other."""
    if find_spec("playwright") is None:
        missing("the browser tests need Playwright; `make test-browser` sets it up")
    path = os.environ.get("EPOCHAL_CHROMIUM") or next(filter(None, map(shutil.which, _BROWSERS)), None)
    if path is None:
        missing("the browser tests need Chromium; install the package chromium, or name it in EPOCHAL_CHROMIUM")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened: list[Browser] = []

        def go() -> Browser:
            if not opened or not opened[-1].is_connected():
                opened.append(playwright.chromium.launch(executable_path=path))
            return opened[-1]

        yield go
        for browser in opened:
            browser.close()


@pytest.fixture
def browser(chromium: Callable[[], Browser]) -> Browser:
    return chromium()


@pytest.fixture
def troubles() -> Troubles:
    return Troubles()


@pytest.fixture
def new_page(browser: Browser, troubles: Troubles) -> Iterator[Callable[..., Page]]:
    """Opens pages; errors on them, and requests to anywhere but the service, fail the test."""
    contexts = []

    def go(width: int = 1280, height: int = 900, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", on_console)
        page.on("pageerror", lambda error: troubles.seen.append(f"page error: {error}"))
        page.on("request", on_request)
        return page

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            troubles.seen.append(f"console {message.type}: {message.text}")

    def on_request(request: Request) -> None:
        if not re.match(r"(http://127\.0\.0\.1:\d+/|blob:http://127\.0\.0\.1:)", request.url):
            troubles.seen.append(f"request to {request.url}")

    yield go
    for context in contexts:
        context.close()
    assert troubles.left() == []


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture
def expect(browser: Browser) -> Any:
    """Playwright's `expect`, which waits; imported only where there is a browser."""
    from playwright.sync_api import expect

    expect.set_options(timeout=20_000)
    return expect
