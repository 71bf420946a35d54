"""How soon can the page be read, how much comes over the wire, and how much moves while it opens?

    python studies/page_paint.py

Makes the table of the page in docs/results/service.md. Serves the demo corpus by `epochal serve` and opens it in
Chromium with an empty cache, again and again: until something is painted, until the hits of a question in the address
can be read, and until the page is complete, with the histogram; on this machine, on a phone, and over a slow 3G
network. It needs Chromium, and the packages that `make test-browser` installs.
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

from _record import Row, save, skip

from epochal import Index
from epochal.cli.demo import NOW, open_corpus
from epochal.storage.importers import read

ROUNDS = 7
#: Bytes a second and milliseconds of delay, as the tools of Chromium have them for "Slow 3G".
SLOW = {"downloadThroughput": 50_000, "uploadThroughput": 50_000, "latency": 400, "offline": False}
DESK, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
MAX_MS, MAX_BYTES = 1_000, 300_000
STATES = {"empty": {}, "question": {"q": "Who won the Nobel Prize in Literature in 2016?", "now": NOW}}
#: Waits for the content and for the histogram, each with one more frame; returns the milliseconds since the address
#: was opened.
READ = """async (wanted) => {
  const frame = () => new Promise(requestAnimationFrame);
  while (!document.querySelector(wanted)) await frame();
  await frame();
  const readable = performance.now();
  const top = document.querySelector(wanted).getBoundingClientRect().top;
  while (!document.querySelector(".bars")?.getAttribute("d")) await frame();
  await frame();
  const complete = performance.now();
  const paints = () => performance.getEntriesByName("first-contentful-paint");
  while (!paints().length || !window.largest) await frame();
  return [paints()[0].startTime, window.largest, readable, complete, window.shift, top];
}"""
#: Adds up by how much the parts of the page move while it opens, and notes when its largest part was painted.
SHIFT = """window.shift = window.largest = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.largest = entry.startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""


def open_page(browser: Any, address: str, selector: str, size: Any, slow: bool) -> list[float]:
    """Milliseconds to the first and the largest paint, the first hit and the whole; shift, place, requests, bytes."""
    context = browser.new_context(viewport=size)
    page = context.new_page()
    page.add_init_script(SHIFT)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    fetched: list[float] = []
    session.on("Network.loadingFinished", lambda event: fetched.append(event["encodedDataLength"]))
    if slow:
        session.send("Network.emulateNetworkConditions", SLOW)
    page.goto(address, wait_until="commit")
    measured = page.evaluate(READ, selector)
    context.close()
    return [*measured, len(fetched), sum(fetched)]


def measure_pages(base: str, chromium: str) -> list[Row]:
    from playwright.sync_api import sync_playwright

    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        for name, state in STATES.items():
            for place, size, slow in (("desk", DESK, False), ("phone", PHONE, False), ("desk, slow 3G", DESK, True)):
                address = f"{base}/?{urlencode(state)}" if state else f"{base}/"
                selector = ".card" if state else ".examples"
                open_page(browser, address, selector, size, slow=False)  # warm
                loads = [open_page(browser, address, selector, size, slow) for _ in range(ROUNDS)]
                painted, largest, readable, complete, shifts, tops, requests, sizes = zip(*loads, strict=True)
                rows.append(
                    {
                        "page": name,
                        "where": place,
                        "loads": ROUNDS,
                        "first paint ms": round(statistics.median(painted)),
                        "largest paint ms": round(statistics.median(largest)),
                        "readable ms": round(statistics.median(readable)),
                        "slowest readable ms": round(max(readable)),
                        "complete ms": round(statistics.median(complete)),
                        "layout shift": round(max(shifts), 3),
                        "first at px": round(max(tops)),
                        "requests": max(requests),
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
                match = re.search(r"http://[^\s/]+", server.stdout.readline() if server.stdout else "")
                if match is None:
                    raise SystemExit("`epochal serve` did not say where it listens")
                rows = measure_pages(match[0], chromium)
            finally:
                server.terminate()
    save(
        "page_paint",
        "how soon can the page be read, how much comes over the wire, and how much moves while it opens?",
        f"the {documents:,} news items of the demo, static encoder; Chromium without a window",
        0,
        rows,
        **{"aimed at ms": MAX_MS, "aimed at kB": MAX_BYTES / 1000},
    )


if __name__ == "__main__":
    main()
