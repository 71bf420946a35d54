"""Re2Bench rebuilt: facts at a point of time (Rel), clauses that change (Rec), forecasts that are revised (Hyb)."""

__all__: list[str] = []
