"""The search of the documentation finds the page of each task among its first three results.

The site is built and driven in a real browser, since its search is a program of the theme.
"""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from urllib.parse import urljoin, urlsplit

import pytest

from paths import ROOT

#: Whether the search has answered.
_IS_DONE = """document.querySelector(".md-search-result__item")
    || document.querySelector(".md-search-result__meta").innerText.startsWith("No matching")"""
#: What people type, and the page they want.
TASKS = {
    "iframe": "how-to/embed",
    "csv": "how-to/csv",
    "excel": "how-to/csv",
    "markdown folder": "how-to/folder",
    "pdf": "how-to/folder",
    "git history": "how-to/git-history",
    "update index": "how-to/update",
    "delete documents": "how-to/update",
    "sort by date": "how-to/sort",
    "newest first": "how-to/sort",
    "filter": "how-to/filter",
    "facets": "how-to/filter",
    "date range": "how-to/filter-dates",
    "as of": "how-to/as-of",
    "latest version": "how-to/latest",
    "compare periods": "how-to/compare",
    "when did it happen": "how-to/when",
    "pandas": "how-to/pandas",
    "jupyter": "how-to/notebook",
    "token": "how-to/token",
    "api key": "how-to/token",
    "authentication": "how-to/token",
    "password": "how-to/proxy",
    "nginx": "how-to/proxy",
    "docker": "how-to/container",
    "backup": "how-to/backup",
    "restore": "how-to/backup",
    "elasticsearch": "how-to/elasticsearch",
    "lancedb": "how-to/lancedb",
    "langchain": "how-to/langchain",
    "llamaindex": "how-to/llamaindex",
    "mcp": "how-to/mcp",
    "regnal years": "how-to/historical-dates",
    "bce": "how-to/historical-dates",
    "german": "how-to/languages",
    "embeddings": "how-to/own-embeddings",
    "postgres": "how-to/postgres",
    "shards": "how-to/shards",
    "explain score": "how-to/explain",
    "evaluate": "evaluate/own-test-set",
    "add my retriever": "how-to/own-retriever",
    "rag": "how-to/llm-answers",
    "language model": "how-to/llm-answers",
    "citations": "how-to/answers",
    "first search": "get-started/first-search",
}


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Build the site, and serve it while the tests last."""
    if find_spec("mkdocs") is None or find_spec("material") is None:
        sentence = "the search of the documentation needs mkdocs-material; `make test-browser` installs it"
        (pytest.fail if os.environ.get("EPOCHAL_BROWSER") == "required" else pytest.skip)(sentence)
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def home(address, chromium):
    """The home page, with its search ready."""
    page = chromium().new_page()
    page.set_default_timeout(60_000)
    page.goto(address)
    page.locator("[data-md-component=search-query]").click()
    yield page
    page.close()


def type_query(field, text: str) -> None:
    """Put a text into the field; the search waits for a key."""
    field.fill(text)
    field.press("End")


def search(page, query: str) -> list[str]:
    """The paths of the first three pages that the search shows."""
    items = page.locator(".md-search-result__item")  # one for each page, with its sections
    field = page.locator("[data-md-component=search-query]")
    type_query(field, "")
    items.first.wait_for(state="detached")
    type_query(field, query)
    page.wait_for_function(_IS_DONE)
    found = [item.locator("a").first.get_attribute("href") or "" for item in items.all()[:3]]
    return [urlsplit(urljoin(page.url, path)).path.strip("/") for path in found]


def test_a_task_is_among_the_first_three_results(home):
    results = {query: search(home, query) for query in TASKS}
    lost = {query: found for query, found in results.items() if TASKS[query] not in found}
    assert not lost
