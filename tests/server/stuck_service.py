"""A service of two processes whose searches for certain words never return; run as a script with the index's folder."""

from __future__ import annotations

import re
import sys
from typing import Any

from epochal.server import watchdog
from epochal.server.app import serve
from epochal.server.settings import Settings
from epochal.server.state import IndexReader

_search = IndexReader.search


def search(self: IndexReader, request: Any, *rest: Any, **options: Any) -> Any:
    """The search, but for two words."""
    if request.question == "freeze":
        re.fullmatch("(a+)+b", "a" * 60)  # takes years, and holds the interpreter
    while request.question == "spin":
        pass
    return _search(self, request, *rest, **options)


# Workers are started anew and run this module, too.
IndexReader.search = search  # type: ignore[method-assign]
watchdog.LEAST_SECONDS = 4.0
watchdog.PATIENCE = 2.0
watchdog.CLOSING_SECONDS = 1.0

if __name__ == "__main__":
    settings = Settings(sys.argv[1], port=0, workers=2, seconds=1, stop_seconds=1)
    serve(settings, started=lambda address: print(f": {address}", flush=True))
