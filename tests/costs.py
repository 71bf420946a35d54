"""The CPU time of calls, and whether it grows with the length of what is read or faster; the speed of a machine and
its load do not matter.
"""

from __future__ import annotations

import time
from collections.abc import Callable

#: What is shorter than this many seconds is not told from nothing.
_LEAST = 0.005
_TRIES = 3


def measure_cpu(call: Callable[[], object], repeats: int = 3) -> float:
    """The CPU seconds of a call, the least of a few."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def find_growth(short: Callable[[], object], long: Callable[[], object], most: float) -> str:
    """The times of two calls if the second takes more than so many times as long in each of some tries; else empty."""
    for _ in range(_TRIES):
        once, more = max(measure_cpu(short), _LEAST), measure_cpu(long, 1)
        if more <= most * once:
            return ""
    return f"{once:.3f} s, {more:.3f} s"


def assert_linear(read: Callable[[str], object], make: Callable[[int], str], short: int, long: int) -> None:
    """Fail if reading a text of `long` parts takes far more than `long / short` times what one of `short` parts does.

    The limit lies between linear and quadratic time: for eight times the length, 22 times as long.
    """
    texts = make(short), make(long)
    assert find_growth(lambda: read(texts[0]), lambda: read(texts[1]), (long / short) ** 1.5) == ""
