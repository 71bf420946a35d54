"""The memory of a service does not grow with the number of threads that have allocated some."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the arenas are those of GNU's allocator")

#: Allocates in twelve threads that are alive at once, and prints how many arenas there are.
SCRIPT = """
import ctypes, threading
from epochal.server.allocation import limit_arenas

{call}
meeting = threading.Barrier(12)

def allocate():
    kept = bytearray(100_000)
    meeting.wait()

threads = [threading.Thread(target=allocate) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


def count_arenas(call: str, **variables: str) -> int:
    known = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}
    words = [sys.executable, "-c", SCRIPT.format(call=call)]
    run = subprocess.run(words, env={**known, **variables}, capture_output=True, text=True, check=True, timeout=120)
    return run.stdout.count("<heap nr=")


def test_threads_share_two_arenas():
    assert count_arenas("") > 4
    assert count_arenas("limit_arenas()") <= 2


def test_a_limit_of_the_environment_is_left_as_it_is():
    assert count_arenas("limit_arenas()", MALLOC_ARENA_MAX="4") == 4
