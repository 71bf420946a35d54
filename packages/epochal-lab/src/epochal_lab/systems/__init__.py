"""What is measured: Epochal and its baselines, models of the hub under the names that papers use, runs, functions."""

from __future__ import annotations

__all__: list[str] = []
