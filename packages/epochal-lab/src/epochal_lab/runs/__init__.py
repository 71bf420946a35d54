"""Reports: tables beside the papers' figures, plots, and examples of what went wrong, as Markdown and HTML."""

from __future__ import annotations

__all__: list[str] = []
