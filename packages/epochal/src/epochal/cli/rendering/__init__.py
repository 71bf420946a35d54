"""What a search found, in the terminal: hits, a timeline, and why; plain text where the output is no terminal."""

from __future__ import annotations

__all__: list[str] = []
