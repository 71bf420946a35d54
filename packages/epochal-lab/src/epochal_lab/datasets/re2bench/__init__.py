"""Re2Bench rebuilt: facts at a point of time (Rel), clauses that change (Rec), forecasts that are revised (Hyb)."""

from __future__ import annotations

__all__: list[str] = []
