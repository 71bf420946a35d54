"""Learned scorers at search time: numpy alone reads and runs what `epochal train` has made."""

from __future__ import annotations

__all__: list[str] = []
