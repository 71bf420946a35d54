"""Running systems over sets: what is to be done, doing it so that it can be taken up again, and what came of it."""

from __future__ import annotations

__all__: list[str] = []
