"""Re3: a scorer of candidates by text and time, trained on pools of questions with known answers."""

from __future__ import annotations

__all__: list[str] = []
