"""The same index over a server or a cluster, where one machine is not enough."""

from __future__ import annotations

__all__: list[str] = []
