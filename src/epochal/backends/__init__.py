"""The same index over a server or a cluster, where one machine is not enough."""

__all__: list[str] = []
