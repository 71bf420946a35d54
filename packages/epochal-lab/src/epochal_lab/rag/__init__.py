"""Answers from retrieved documents, measured: the protocols of TEMPO and of TMRL, and what abstaining is worth."""

from __future__ import annotations

__all__: list[str] = []
