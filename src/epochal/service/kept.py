"""Kept: a few answers that are dear to find and often asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

__all__ = ["Kept"]


class Kept:
    """The values of the keys that were asked for last, for any number of threads.

    >>> kept = Kept(2)
    >>> kept.get("a", lambda: 1), kept.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key, made where it is not kept. Two threads that ask at once may both make it.

        >>> kept = Kept(1)
        >>> [kept.get(key, lambda: key) for key in "aba"]
        ['a', 'b', 'a']
        """
        with self._guard:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._guard:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value
