"""Systems under test: Epochal, published baselines and scorers, models of the hub, TREC runs, your own functions."""

from __future__ import annotations

__all__: list[str] = []
