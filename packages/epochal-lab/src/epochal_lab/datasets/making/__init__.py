"""Test sets made from documents without labels: questions whose answers are known by construction, from times alone."""

from __future__ import annotations

__all__: list[str] = []
