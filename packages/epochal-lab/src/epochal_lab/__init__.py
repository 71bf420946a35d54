"""Measuring retrieval in time: data sets, builders, metrics, judges, systems, the runner and its reports."""

from __future__ import annotations

__all__: list[str] = []
