"""One index over several nodes: hashed by document id, asked together, with statistics of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.backends.sharded.servers import Node as Node
    from epochal.backends.sharded.servers import Server as Server
    from epochal.backends.sharded.store import ShardedBackend as ShardedBackend
    from epochal.backends.sharded.view import Limits as Limits
    from epochal.backends.sharded.view import ShardedView as ShardedView

__all__ = ["Limits", "Node", "Server", "ShardedBackend", "ShardedView"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.backends.sharded.servers": "Node Server",
        "epochal.backends.sharded.store": "ShardedBackend",
        "epochal.backends.sharded.view": "Limits ShardedView",
    },
)
