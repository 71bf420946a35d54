"""One state of a node: the views of those of its servers that have the same state, asked in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import count
from typing import TypeVar

from epochal.backends.sharded.asking import Way
from epochal.backends.sharded.servers import Node, Server
from epochal.index.backend import View

__all__ = ["NodeView", "chosen"]

T = TypeVar("T")


class NodeView:
    """The state of a node for one `ShardedView`. Questions go to its servers in turn; where one fails, to the next.

    Columns are taken from the `lead` where that answers, so that they are in memory once.

    >>> view = NodeView(Node("north", [Server("a", lambda: None)]), [(Server("a", lambda: None), None)])
    >>> view.name
    'north'
    """

    def __init__(self, node: Node, members: Sequence[tuple[Server, View]]) -> None:
        self.name = node.name
        self.members = tuple(members)
        self._turns = count()

    @property
    def lead(self) -> View:
        """The view of the first server.

        >>> NodeView(Node("north", [Server("a", lambda: None)]), [(Server("a", lambda: None), None)]).lead
        """
        return self.members[0][1]

    def ways(self, call: Callable[[View], T], *, in_turn: bool = True) -> list[Way[T]]:
        """The ways to ask something: another server first each time, unless `in_turn` is off; suspect ones last.

        >>> server = Server("a", lambda: None)
        >>> (asked, start), = NodeView(Node("north", [server]), [(server, None)]).ways(lambda view: 42)
        >>> asked.name, start().result(timeout=10)
        ('a', 42)
        """
        turn = next(self._turns) % len(self.members) if in_turn else 0
        order = self.members[turn:] + self.members[:turn]
        order = tuple(sorted(order, key=lambda member: member[0].health != "sound"))
        return [(server, partial(_run, server, call, view)) for server, view in order]


def _run(server: Server, call: Callable[[View], T], view: View) -> Future[T]:
    return server.run(lambda: call(view))


def chosen(node: Node, views: Sequence[tuple[Server, View]]) -> NodeView:
    """The state of a node from those of its servers: that of the primary, or without it the newest.

    A copy that is behind is left out, so that no search sees half of one state and half of another.

    >>> from types import SimpleNamespace
    >>> node = Node("north", [Server("a", lambda: None), Server("b", lambda: None)])
    >>> old, new = SimpleNamespace(generation=6), SimpleNamespace(generation=7)
    >>> [server.name for server, _ in chosen(node, [(node.servers[0], new), (node.servers[1], old)]).members]
    ['a']
    """
    first, newest = views[0]
    if first is not node.primary:
        newest = max((view for _, view in views), key=lambda view: view.generation)
    return NodeView(node, [(server, view) for server, view in views if view.generation == newest.generation])
