"""For the site only: let its search put pages of tasks before pages of reference and results."""

from __future__ import annotations

from typing import Any

#: How much the words of a page count, by its folder; 1 unless given.
BOOSTS = {"how-to": 4.0, "tutorials": 2.0, "get-started": 3.0, "reference": 0.5, "results": 0.2, "develop": 0.2}


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Set the weight of a page, unless its front matter does."""
    boost = BOOSTS.get(page.file.src_uri.partition("/")[0], 1.0)
    page.meta.setdefault("search", {}).setdefault("boost", boost)
    return markdown
