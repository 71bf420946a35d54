"""Responses in the terminal: hits, a timeline, explanations; plain text where stdout is not a terminal."""

from __future__ import annotations

__all__: list[str] = []
