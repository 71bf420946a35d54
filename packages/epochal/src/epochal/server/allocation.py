"""A limit on the arenas of the C library's allocator, so that the memory of a service does not grow with its threads.

GNU's allocator gives threads arenas of their own, up to eight for each core, and an arena keeps what its threads have
freed. Each write to an index starts threads that allocate and free some ten megabytes: with the default, a process of
the service grows by that for each arena, on a machine with many cores to gigabytes. Python runs one thread at a time,
so that a few arenas are as fast as many.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Final

__all__ = ["limit_arenas"]

_VARIABLE: Final = "MALLOC_ARENA_MAX"
_MOST: Final = 2
#: The number of the parameter in malloc.h.
_M_ARENA_MAX: Final = -8


def limit_arenas() -> None:
    """Limit the arenas of this process from now on, and of the processes that it starts from their beginning.

    A limit that the environment sets already is left as it is. Does nothing where the allocator is another one.
    """
    if _VARIABLE in os.environ or sys.platform != "linux":
        return
    os.environ[_VARIABLE] = str(_MOST)
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    set_option(_M_ARENA_MAX, _MOST)
