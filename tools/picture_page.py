"""Draws docs/images/page.png: the page of `epochal serve` on the demo corpus, as a browser shows it.

    python tools/picture_page.py [-o FILE] [--encoder NAME] [--dark]

It needs Chromium, and the packages that `make test-browser` installs. The picture shows the fonts of the machine that
it is made on; with the package fonts-inter it looks as the one in the repository does.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from epochal import Index
from epochal.cli.demo import NOW, open_corpus
from epochal.storage.importers import read

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "page.png"
STATE = {"q": "A new pope is elected", "now": NOW, "compare": "2005|2013|2025"}
WIDTH, HEIGHT, SCALE = 1240, 980, 1.5


def main() -> int:
    """Build the index, serve it, and take the picture."""
    parser = argparse.ArgumentParser(description="Draw the picture of the page.")
    parser.add_argument("-o", "--out", type=Path, default=PICTURE, help="the PNG to write")
    parser.add_argument("--encoder", default="minilm", help="what turns texts into vectors")
    parser.add_argument("--dark", action="store_true", help="the dark look")
    arguments = parser.parse_args()
    chromium = os.environ.get("EPOCHAL_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("the picture needs Chromium; install it, or name one in EPOCHAL_CHROMIUM", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as place:
        # The page shows the name of the index.
        folder = str(Path(place) / "news")
        with Index.create(folder, arguments.encoder) as index, open_corpus() as path:
            index.add(read(path))
        command = [sys.executable, "-m", "epochal", "serve", folder, "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                line = server.stdout.readline() if server.stdout else ""
                match = re.search(r"http://[^\s/]+", line)
                if match is None:
                    print(f"`epochal serve` did not say where it listens, but {line!r}", file=sys.stderr)
                    return 1
                take(f"{match[0]}/?{urlencode(STATE)}", chromium, arguments.out, dark=arguments.dark)
            finally:
                server.terminate()
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes")
    return 0


def take(address: str, chromium: str, out: Path, *, dark: bool) -> None:
    """Open an address, wait until its hits are shown, and write what is seen."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        context = browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT},
            device_scale_factor=SCALE,
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector(".card")
        page.wait_for_load_state("networkidle")
        # A ring around the question would be the first thing that one sees.
        page.evaluate("document.activeElement.blur()")
        page.screenshot(path=out)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
