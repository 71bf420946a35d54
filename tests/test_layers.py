"""The house rule of docs/architecture.md: a floor imports only floors below it. Read from the real imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "epochal"

#: From the ground up; a floor may import those before it. Floors that do not exist yet are listed all the same.
FLOORS = (
    "version",
    "lazy",
    "errors",
    "files",
    "llm",
    "times",
    "reading",
    "index",
    "encoders",
    "ranking",
    "engine",
    "answers",
    "api",
    "testing",
    "metrics",
    "models",
    "bench",
    "integrations",
    "backends",
    "service",
    "cli",
)
#: What a floor may take from outside the standard library.
OUTSIDE = {
    "version": set(),
    "lazy": set(),
    "errors": set(),
    "files": {"numpy"},
    "times": {"numpy"},
    "reading": {"numpy"},
    "index": {"numpy"},
    "encoders": {"numpy"},
    "ranking": {"numpy"},
    "engine": {"numpy"},
    "api": {"numpy"},
    "testing": {"numpy"},
    "metrics": {"numpy"},
    "models": {"numpy", "torch"},
    "llm": set(),
    "answers": {"numpy"},
    "bench": {"numpy"},
    "integrations": {"numpy"},
    "backends": {"numpy"},
    "service": {"numpy", "pydantic", "fastapi", "starlette"},
    "cli": {"rich"},
}
#: The few modules that stand for an outside package, and no other may.
ADAPTERS = {
    "files.py": {"tomli"},
    "times/calendars/arithmetic.py": {"convertdate"},
    "times/calendars/arithmetic_rows.py": {"convertdate"},
    "times/calendars/mayan.py": {"convertdate"},
    "index/analysis.py": {"tantivy"},
    "index/words.py": {"tantivy"},
    "index/cells.py": {"faiss"},
    "index/inputs/parquet.py": {"pyarrow"},
    "bench/builders/script.py": {"opencc"},
    "bench/sets/hub.py": {"huggingface_hub"},
    "bench/report/plots.py": {"matplotlib"},
    "index/inputs/frontmatter.py": {"yaml"},
    "llm/endpoint.py": {"httpx"},
    "llm/local.py": {"ik_llama_cpp"},
    "engine/index.py": {"typing_extensions"},  # for type checkers alone
    "engine/request.py": {"typing_extensions"},
    "encoders/minilm.py": {"onnxruntime", "tokenizers"},
    "encoders/annals.py": {"onnxruntime", "tokenizers"},
    "encoders/packaged.py": {"tokenizers"},
    "models/backbone.py": {"tokenizers", "transformers"},
    "models/training/checkpoint.py": {"safetensors"},
    "models/training/curves.py": {"matplotlib"},
    "models/tmrl/bundled.py": {"transformers"},
    "models/annals/folder.py": {"transformers"},
    "models/annals/script.py": {"opencc"},
    "models/annals/task.py": {"transformers"},
    "models/annals/vocabulary.py": {"tokenizers"},
    "backends/postgres/driver.py": {"psycopg", "psycopg_pool"},
    "backends/postgres/reporting.py": {"psycopg", "psycopg_pool"},
    "service/app.py": {"uvicorn"},
    "integrations/beir.py": {"mteb"},
    "integrations/haystack.py": {"haystack"},
    "integrations/langchain.py": {"langchain_core", "pydantic"},
    "integrations/llamaindex.py": {"llama_index"},
    "integrations/mcp.py": {"mcp", "pydantic"},
}

#: Modules that belong to another floor than the folder that they lie in.
ELSEWHERE = {"engine.index": "api", "engine.train": "api"}
#: Names of higher floors that stand in a file as texts: groups of entry points, and no modules.
LENT = {("index/addresses.py", "epochal.backends")}

#: What belongs to the laboratory, which the engine neither imports nor names, and what in these folders does not.
LABORATORY = (
    *(
        "answers/tempo/",
        "backends/ray/asking",
        "bench/",
        "cli/bench/",
        "cli/eval",
        "cli/rendering/scores",
        "cli/train/",
    ),
    *("engine/train", "llm/scored", "models/", "ranking/baselines/", "ranking/learned/", "ranking/training"),
    *("reading/evaluate", "service/reports", "service/routes/bench", "service/shapes/bench"),
)
NOT_LABORATORY = ("bench/audit/", "bench/builders/script", "models/annals/script")
#: The result pages of the service, until they come in by entry point.
NOT_CUT_YET = {"service/routes/table.py", "service/state.py"}

MODULES = sorted(SOURCE.rglob("*.py"))


#: The ground floor of what is measured lies below the models, whatever package it is in.
METRICS = ("metrics", "records", "specs")


def floor_named(parts: Sequence[str]) -> str:
    """The floor of a module, by the parts of its name after `epochal`."""
    return "metrics" if parts[0] == "bench" and parts[1:2] and parts[1] in METRICS else parts[0]


def floor_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return "root" if parts in (("__init__",), ("__main__",)) else floor_named(parts)


def imports(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions, as dotted names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the floor they come from"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names if node.module == "epochal"}
    return found


def violations(path: Path, floor: str, names: set[str], adapters: set[str]) -> list[str]:
    import sys

    wrong = []
    for name in names:
        package, _, rest = name.partition(".")
        if package == "epochal":
            target = floor_named(rest.split("."))
            if target in FLOORS and FLOORS.index(target) > FLOORS.index(floor):
                wrong.append(f"{path.name} ({floor}) imports {name}, a higher floor")
        elif package not in sys.stdlib_module_names and package not in OUTSIDE.get(floor, set()) | adapters:
            wrong.append(f"{path.name} ({floor}) imports {package}, which that floor may not")
    return wrong


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down(path: Path) -> None:
    floor = floor_of(path)
    if floor == "root":
        return
    assert floor in FLOORS, f"{floor} is no floor of the house; add it to FLOORS and docs/architecture.md"
    adapters = ADAPTERS.get(str(path.relative_to(SOURCE)), set())
    assert violations(path, floor, imports(path), adapters) == []


def named_above(path: Path) -> set[str]:
    """The packages of higher floors that stand in a file as texts, by which they could be loaded."""
    floor, found = floor_of(path), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = re.fullmatch(r"(epochal\.\w+)(?:\.\w+)*", node.value)
            target = floor_named(node.value.split(".")[1:]) if named else ""
            if named and target in FLOORS and FLOORS.index(target) > FLOORS.index(floor):
                found.add(named[1])
    return found


def is_laboratory(place: str) -> bool:
    return place.startswith(LABORATORY) and not place.startswith(NOT_LABORATORY)


def find_module(dotted: str) -> str | None:
    """The file or folder that a dotted name of ours lies in, as far as it names one."""
    parts = dotted.split(".")[1:]
    while parts:
        place = "/".join(parts)
        if (SOURCE / place).is_dir():
            return f"{place}/"
        if (SOURCE / f"{place}.py").is_file():
            return f"{place}.py"
        parts.pop()
    return None


def test_the_engine_knows_nothing_of_the_laboratory() -> None:
    wrong = set()
    for path in MODULES:
        place = str(path.relative_to(SOURCE))
        if is_laboratory(place) or place in NOT_CUT_YET:
            continue
        names = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names |= set(re.findall(r"epochal(?:\.\w+)+", node.value))
        ours = {name: find_module(name) for name in names if name.startswith("epochal.")}
        wrong |= {(place, name) for name, target in ours.items() if target is not None and is_laboratory(target)}
    assert wrong == set()


def test_what_is_loaded_by_name_from_a_higher_floor_is_known() -> None:
    below = [path for path in MODULES if floor_of(path) != "root"]
    assert {(str(path.relative_to(SOURCE)), name) for path in below for name in named_above(path)} == LENT


def test_a_violation_is_seen() -> None:
    assert violations(Path("x.py"), "times", {"epochal.engine"}, set())
    assert violations(Path("x.py"), "times", {"pandas"}, set())
    assert not violations(Path("x.py"), "cli", {"epochal.times", "json"}, set())


def test_no_import_cycles_at_load() -> None:
    """Modules import one another without a ring, counting imports at the top of files only."""
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        name = ".".join(("epochal", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
        found = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("epochal."):
                found.add(node.module or "")
        graph[name] = found
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, f"import ring: {' -> '.join((*above, name))}"
        if name in done:
            return
        for target in sorted(graph.get(name, ())):
            visit(target, (*above, name))
        done.add(name)

    for name in graph:
        visit(name, ())
    assert done >= set(graph)
