"""Clocks, and the rule that no other module reads one."""

import ast
import re
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

import epochal
from epochal.times.span import Clock, FixedClock, Span, SystemClock
from paths import READS_SOURCES

pytestmark = READS_SOURCES

SOURCES = Path(epochal.__file__).parent
#: Calls that read the wall clock or wait for it, by their last names.
FORBIDDEN = {
    "ctime",
    "gmtime",
    "localtime",
    "monotonic",
    "monotonic_ns",
    "now",
    "perf_counter",
    "sleep",
    "time_ns",
    "today",
    "utcnow",
}
#: Without one of these words a module neither reads nor imports a clock.
CLOCK_WORD = re.compile(rf"\b(?:time|strftime|SystemClock|{'|'.join(sorted(FORBIDDEN))})\b")


def tells_time(node: ast.Call) -> str | None:
    """The dotted name of a call that reads the clock of the machine; None for any other call."""
    name = ast.unparse(node.func)
    owner, _, last = name.rpartition(".")
    if name in ("time", "time.time") or (last == "time" and owner.endswith("time")):
        return name
    if last in FORBIDDEN and owner not in ("SystemClock()", "(clock or SystemClock())") and not owner.endswith("clock"):
        return name
    # strftime and strptime without a time of their own read the clock too.
    return name if last == "strftime" and owner == "time" and len(node.args) < 2 else None


def calls_of(nodes: Iterable[ast.AST]) -> list[str]:
    return [name for node in nodes if isinstance(node, ast.Call) and (name := tells_time(node))]


@pytest.fixture(scope="module")
def nodes_by_file() -> dict[str, list[ast.AST]]:
    """The imports of every module, and its calls that could read a clock."""
    files = {path.relative_to(SOURCES).as_posix(): path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py")}
    return {
        name: [node for node in ast.walk(ast.parse(files[name])) if could_matter(node)]
        for name in sorted(files)
        if CLOCK_WORD.search(files[name])
    }


def could_matter(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return CLOCK_WORD.fullmatch(name) is not None
    return isinstance(node, ast.Import | ast.ImportFrom)


def test_the_check_finds_what_it_looks_for():
    source = """
import time, datetime as dt
from time import time as now, localtime
a = time.time(); b = dt.datetime.now(); c = dt.date.today(); d = dt.datetime.utcnow(); e = localtime()
f = SystemClock().now(); g = self.clock.now(); h = time.strftime("%Y"); i = now()
"""
    assert calls_of(ast.walk(ast.parse(source))) == [
        "time.time", "dt.datetime.now", "dt.date.today", "dt.datetime.utcnow", "localtime", "time.strftime", "now",
    ]  # fmt: skip


def test_only_the_clock_reads_the_clock(nodes_by_file):
    assert len(nodes_by_file) > 30
    result = {name: calls_of(nodes) for name, nodes in nodes_by_file.items()}
    # To wait before asking a server again is not to know what time it is.
    assert {name: calls for name, calls in result.items() if calls} == {
        "backends/postgres/deadlines.py": ["monotonic", "monotonic"],  # how long a server has not replied
        "files.py": ["time.time"],  # how old a file is
        "llm/endpoint.py": ["self.sleep"],
        "memory/memory.py": ["time.time_ns"],  # in which order turns were stored
        "server/scrub.py": ["asyncio.sleep"],
        "server/watchdog.py": ["asyncio.sleep"],
        "times/span.py": ["time.perf_counter", "time.time"],
    }


def imports_time(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "time"
    return isinstance(node, ast.Import) and "time" in [alias.name for alias in node.names]


def test_only_the_clock_and_the_stopwatch_import_the_module_time(nodes_by_file):
    """`testing` measures processor time; the service and the maker of vectors wait: none knows what time it is."""
    importers = [name for name, nodes in nodes_by_file.items() if any(map(imports_time, nodes))]
    others = [name for name in importers if not name.startswith("testing")]
    assert others == [
        "backends/postgres/deadlines.py", "files.py", "ingest.py", "llm/endpoint.py", "memory/memory.py",
        "server/state.py", "times/span.py",
    ]  # fmt: skip


def test_only_entrances_ask_the_system_clock(nodes_by_file):
    """Whoever asks from outside may mean the present; nothing further in knows one."""
    users = [
        name
        for name, nodes in nodes_by_file.items()
        if any(isinstance(node, ast.Call) and ast.unparse(node.func).endswith("SystemClock") for node in nodes)
    ]
    assert "cli/time.py" in users
    assert all(name.startswith(("api.py", "cli/", "integrations/", "server/")) for name in users)


def test_the_system_clock_gives_the_second_that_time_tells(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1_794_700_800.9)
    assert SystemClock().now() == Span.parse("2026-11-15T00:00:00Z")


def test_seconds_before_1970_are_whole_too(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: -86_400.0)
    assert SystemClock().now() == Span.parse("1969-12-31T00:00:00Z")


def test_a_fixed_clock_stands_still():
    clock: Clock = FixedClock(Span.year(1999))
    assert clock.now() is clock.now()
    assert clock.now() == Span.year(1999)
    assert FixedClock(Span.year(1999)) == FixedClock(Span.year(1999))
