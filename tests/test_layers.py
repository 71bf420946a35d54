"""The rules of the house (docs/develop/architecture.md), read from every import: also those inside functions.

A floor imports only floors below it, rooms on one floor do not know each other, files import one another without a
circle, and the engine knows nothing of the laboratory.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from paths import READS_SOURCES, ROOT

pytestmark = READS_SOURCES

SOURCES = {"epochal": ROOT / "packages/epochal/src", "epochal_lab": ROOT / "packages/epochal-lab/src"}

#: From the ground up. A room may import rooms of lower floors only; `epochal_lab` lies above `epochal`.
FLOORS: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split())
    for names in (
        "epochal.errors epochal.other_names epochal.version",
        "epochal.kept",
        "epochal.regex",
        "epochal.lazy",
        "epochal.files epochal.tables",
        "epochal.llm epochal.times",
        "epochal.reading",
        "epochal.storage",
        "epochal.encoders",
        "epochal.ranking epochal.ingest",
        "epochal.search",
        "epochal.answers",
        "epochal.api",
        "epochal.memory",
        "epochal.audit epochal.backends epochal.integrations epochal.server epochal.testing",
        "epochal.cli",
        "epochal_lab.metrics epochal_lab.tempo",
        "epochal_lab.datasets",
        "epochal_lab.systems epochal_lab.judges",
        "epochal_lab.models epochal_lab.rag epochal_lab.runs",
        "epochal_lab.cli",
    )
)
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}


def module_name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path, source): path for source in SOURCES.values() for path in sorted(source.rglob("*.py"))}
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py"}


def room(module: str) -> str:
    return ".".join(module.split(".")[:2])


@cache
def imports(module: str) -> frozenset[str]:
    """Every module that a file imports, wherever the import is written: `from a import b` is `a.b` if that is a
    module.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative imports hide the room they come from"
            base = node.module or ""
            parts = {f"{base}.{alias.name}" for alias in node.names}
            names |= {part if part in MODULES else base for part in parts}
    return frozenset(names)


def violations(module: str, names: frozenset[str]) -> list[str]:
    """Imports that go up, sideways, to the own room's `__init__`, or out of the house where they may not."""
    own, wrong = room(module), []
    for name in sorted(names):
        package = name.partition(".")[0]
        if package in SOURCES:
            target = room(name)
            if name in PACKAGES and module.startswith(f"{name}.") and "." in name:
                wrong.append(
                    f"{module} imports {name}, the front door of its own room: import the file that defines it"
                )
            elif target != own and target in LEVEL and LEVEL[target] >= LEVEL[own]:
                wrong.append(f"{module} imports {name}, which is not below it")
    return wrong


def test_imports_go_down() -> None:
    modules = sorted(name for name in MODULES if "." in name and not name.endswith("__main__"))
    unknown = {room(module) for module in modules} - set(LEVEL)
    assert not unknown, f"{unknown} are not rooms of the house; add them to FLOORS and to the page"
    assert [wrong for module in modules for wrong in violations(module, imports(module))] == []


def test_files_import_one_another_without_a_circle() -> None:
    graph = {
        module: {name for name in imports(module) if name in MODULES and name != module} - {"epochal", "epochal_lab"}
        for module in MODULES
        if "." in module
    }
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(f"import circle: {' -> '.join(circle.args[1])}")
    assert set(graph) <= set(order)


def test_the_engine_does_not_know_the_laboratory() -> None:
    """Neither by an import nor by a name in a string, by which it could be loaded."""
    named = [
        f"{module}: {node.value}"
        for module, path in MODULES.items()
        if module.partition(".")[0] == "epochal"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.search(r"\bepochal_lab\.\w", node.value)
    ]
    assert named == []
    assert not [m for m in MODULES if m.startswith("epochal.") and any(n.startswith("epochal_lab") for n in imports(m))]


def test_the_rules_see_what_breaks_them() -> None:
    assert violations("epochal.times.span", frozenset({"epochal.search.search"}))
    assert violations("epochal.times.span", frozenset({"epochal.times"}))
    assert violations("epochal.audit.audit", frozenset({"epochal.server.app"}))
    assert violations("epochal.cli", frozenset({"epochal_lab.cli"}))
    assert not violations("epochal.cli.search", frozenset({"epochal.times.span", "json"}))


#: What a room may take from outside the standard library, beside numpy.
OUTSIDE: dict[str, set[str]] = {
    "epochal.api": {"typing_extensions"},
    "epochal.backends": {"psycopg", "psycopg_pool"},
    "epochal.cli": {"rich"},
    "epochal.encoders": {"onnxruntime", "tokenizers"},
    "epochal.integrations": {"haystack", "langchain_core", "langgraph", "llama_index", "mcp", "mteb", "pydantic"},
    "epochal.llm": {"httpx", "ik_llama_cpp", "pydantic"},
    "epochal.reading": {"opencc"},
    "epochal.search": {"matplotlib", "typing_extensions"},
    "epochal.server": {"fastapi", "h11", "pydantic", "starlette", "uvicorn"},
    "epochal.storage": {"faiss", "onnxruntime", "pyarrow", "pypdf", "tantivy", "yaml"},
    "epochal.tables": {"tomli"},
    "epochal_lab.datasets": {"huggingface_hub"},
    "epochal_lab.models": {"matplotlib", "safetensors", "tokenizers", "torch", "transformers"},
    "epochal_lab.runs": {"fastapi", "matplotlib", "pydantic", "starlette"},
}


def outside(module: str) -> set[str]:
    names = {name.partition(".")[0] for name in imports(module)}
    return names - set(SOURCES) - sys.stdlib_module_names - {"numpy"}


def test_a_room_takes_no_other_packages_than_it_may() -> None:
    """A package of others is taken by as few rooms as possible; a new one is added here on purpose."""
    taken: dict[str, set[str]] = {}
    for module in MODULES:
        if outside(module):
            taken.setdefault(room(module), set()).update(outside(module))
    assert taken == OUTSIDE
