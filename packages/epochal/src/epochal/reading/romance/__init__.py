"""What French, Spanish, Italian and Portuguese share: the rows of their grammars and a few rule functions."""

from __future__ import annotations

__all__: list[str] = []
