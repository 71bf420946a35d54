"""The health of a collection in time: what is undated, in the future, missing, doubled, out of order, or stale."""

from __future__ import annotations

__all__: list[str] = []
