"""How soon can the page be read, and how much comes over the wire?

    python studies/page_paint.py

Serves the demo corpus by `epochal serve` and opens it in Chromium with an empty cache, again and again: until something
is painted, and until hits and the histogram of a question in the address can be read. It needs Chromium, and the
packages that `make test-browser` installs.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlencode

from _record import save, skip

from epochal import Index
from epochal.cli.demo import NOW, open_corpus
from epochal.storage.importers import read

ROUNDS = 15
MOST_MS, MOST_BYTES = 1_000, 300_000
STATES = {"empty": {}, "question": {"q": "Who won the Nobel Prize in Literature in 2016?", "now": NOW}}
#: Waits until there is something to read, and one frame more; gives the milliseconds since the address was opened.
READ = """async (wanted) => {
  while (!document.querySelector(wanted) || !document.querySelector(".bars")?.getAttribute("d"))
    await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return [paint.startTime, performance.now()];
}"""


def opened(browser: Any, address: str, wanted: str) -> tuple[float, float, int]:
    """Milliseconds to the first paint and to the first text worth reading, and the bytes of all that was fetched."""
    context = browser.new_context()
    page = context.new_page()
    replies: list[Any] = []
    page.on("response", lambda reply: replies.append(reply))  # noqa: PLW0108 - Playwright marks its handlers
    page.goto(address, wait_until="commit")
    painted, readable = page.evaluate(READ, wanted)
    size = sum(len(reply.body()) for reply in replies if reply.ok)
    context.close()
    return painted, readable, size


def rows_of(base: str, chromium: str) -> list[dict[str, Any]]:
    from playwright.sync_api import sync_playwright

    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        for name, state in STATES.items():
            address = f"{base}/?{urlencode(state)}" if state else f"{base}/"
            wanted = ".card" if state else ".examples"
            opened(browser, address, wanted)  # the browser's own first steps
            told = [opened(browser, address, wanted) for _ in range(ROUNDS)]
            painted, readable, sizes = zip(*told, strict=True)
            rows.append(
                {
                    "page": name,
                    "loads": ROUNDS,
                    "first paint ms": round(statistics.median(painted)),
                    "readable ms": round(statistics.median(readable)),
                    "slowest readable ms": round(max(readable)),
                    "kB": round(max(sizes) / 1000, 1),
                }
            )
        browser.close()
    return rows


def main() -> None:
    chromium = os.environ.get("EPOCHAL_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or find_spec("playwright") is None:
        skip("it needs Chromium and Playwright; `make test-browser` sets them up")
    with tempfile.TemporaryDirectory() as folder:
        with Index.create(folder, "static") as index, open_corpus() as path:
            documents = index.add(read(path))
        command = [sys.executable, "-m", "epochal", "serve", folder, "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                found = re.search(r"http://[^\s/]+", server.stdout.readline() if server.stdout else "")
                if found is None:
                    raise SystemExit("`epochal serve` did not say where it listens")
                rows = rows_of(found[0], chromium)
            finally:
                server.terminate()
    save(
        "page_paint",
        "how soon can the page be read, and how much comes over the wire?",
        f"the {documents:,} news items of the demo, static encoder; Chromium without a window",
        0,
        rows,
        **{"aimed at ms": MOST_MS, "aimed at kB": MOST_BYTES / 1000},
    )


if __name__ == "__main__":
    main()
