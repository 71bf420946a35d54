"""Answers from evidence of the right time, and the parts of TEMPO that language models and rules both do."""

from __future__ import annotations

__all__: list[str] = []
