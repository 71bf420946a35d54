"""Published baselines as scorers, one file each: what the default gate is compared with."""

from __future__ import annotations

__all__: list[str] = []
