"""A moment: one state of an index on the server, and the way to ask about it.

Rows stay where they are, and what dies stays to be read, until the index is compacted. So a state is no more than a few
counts, and readers hold nothing open. Each answer is followed, in the same round, by the question whether the rows are
still those of then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from epochal.backends.postgres.driver import Connections
from epochal.backends.postgres.namespaces import Namespace
from epochal.errors import StorageError

if TYPE_CHECKING:
    from epochal.backends.postgres.driver import Connection

__all__ = ["Moment"]

_SPACE: Final = "SELECT space FROM epochal.namespaces WHERE name = %s"

Result = TypeVar("Result")


class Moment:
    """One state, for any number of threads to ask about.

    >>> Moment.__name__
    'Moment'
    """

    def __init__(self, connections: Connections, state: Namespace) -> None:
        self._connections = connections
        self.state = state

    @property
    def shown(self) -> str:
        """The address, as it may be shown.

        >>> Moment.shown.__class__.__name__
        'property'
        """
        return self._connections.address.shown

    @property
    def is_exact(self) -> bool:
        """Whether the address asks for every vector to be compared.

        >>> type(Moment.is_exact).__name__
        'property'
        """
        return self._connections.address.search == "exact"

    def fetch(
        self, statement: str, values: Sequence[Any] | dict[str, Any], done: str = "read"
    ) -> list[tuple[Any, ...]]:
        """All rows of an answer, in the binary form of their types.

        >>> Moment.fetch.__name__
        'fetch'
        """

        def ask(connection: Connection[Any]) -> tuple[list[tuple[Any, ...]], tuple[int] | None]:
            with connection.pipeline():
                answer = connection.execute(statement, values, binary=True)
                space = connection.execute(_SPACE, (self._connections.address.namespace,))
                return answer.fetchall(), space.fetchone()

        found, space = self._connections.run(done, ask)
        self._check(space)
        return found

    def run(self, ask: Callable[[Connection[Any]], Result], done: str = "read") -> Result:
        """Ask something that takes more than one statement, and changes nothing.

        >>> Moment.run.__name__
        'run'
        """

        def whole(connection: Connection[Any]) -> tuple[Result, tuple[int] | None]:
            found = ask(connection)
            return found, connection.execute(_SPACE, (self._connections.address.namespace,)).fetchone()

        found, space = self._connections.run(done, whole)
        self._check(space)
        return found

    def _check(self, space: tuple[int] | None) -> None:
        if space is None or space[0] != self.state.space:
            raise StorageError(
                f"the index {self.shown} has been compacted or made anew since this view of it was taken; take "
                f"a new one"
            )

    def lost(self, what: str) -> StorageError:
        """What to raise where rows are missing that must be there.

        >>> Moment.lost.__name__
        'lost'
        """
        return StorageError(f"the index {self.shown} has lost {what}; run `epochal check`")
