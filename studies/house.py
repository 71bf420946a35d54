"""Before and after of the restructuring: lines and files by room, import circles, weak examples, files of a search.

    python studies/house.py                                measure this checkout, into studies/results/house.json
    python studies/house.py --set test_seconds=250         add a figure that is measured by hand, with its command
    python studies/house.py --tree DIR --side before       measure another checkout (PYTHONPATH names its sources)

What is measured is read from the files of the tree; only the search runs the package. The figures of the first version
(commit 79a9dca) were made by the same program.
"""

from __future__ import annotations

import argparse
import ast
import datetime as dt
import json
import os
import platform
import re
import sys
import tempfile
from collections import Counter
from doctest import DocTestParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
#: Where packages may lie: the two distributions, or the one of the first version.
SOURCES = ("packages/epochal/src", "packages/epochal-lab/src", "src")
#: Examples that show no value: the name of the thing itself.
_WEAK = re.compile(r"\.__(?:name|class|slots|mro)__\b")


def read_modules(tree: Path) -> dict[str, Path]:
    """Map each module of a tree to its file."""
    modules = {}
    for source in (tree / name for name in SOURCES):
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def list_imports(tree: ast.AST, modules: dict[str, Path]) -> set[str]:
    """List every module of ours that a file imports, wherever the import is written."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                names.add(full if full in modules else node.module or "")
    return names & set(modules)


def count_circles(graph: dict[str, set[str]]) -> int:
    """Count groups of files that import one another: the strongly connected components of more than one file."""
    reach = {module: _reachable(module, graph) for module in graph}
    groups = {frozenset(other for other in reach[module] if module in reach[other]) for module in graph}
    return sum(len(group) > 1 for group in groups)


def _reachable(start: str, graph: dict[str, set[str]]) -> set[str]:
    seen, todo = {start}, [start]
    while todo:
        todo += (new := graph.get(todo.pop(), set()) - seen)
        seen |= new
    return seen


def count_examples(tree: ast.AST) -> tuple[int, int]:
    """Count the docstrings with examples, and those of them that check nothing but a name, or nothing at all."""
    total = weak = 0
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        examples = DocTestParser().get_examples(ast.get_docstring(node) or "")
        total += bool(examples)
        weak += bool(examples) and not any(item.want and not _WEAK.search(item.source) for item in examples)
    return total, weak


def parse_scripts(tree: Path) -> list[ast.AST]:
    """Parse the studies (benchmarks in the first version) and tools of a tree."""
    folders = ("studies", "benchmarks", "tools")
    return [ast.parse(path.read_text(encoding="utf-8")) for name in folders for path in (tree / name).rglob("*.py")]


def count_ndcg(tree: ast.AST) -> int:
    """Count a file that discounts gains by a logarithm of base two, as nDCG does; tnDCG is another measure."""
    nodes = list(ast.walk(tree))
    discounts = any(isinstance(node, ast.Attribute) and node.attr == "log2" for node in nodes)
    return int(discounts and not any(getattr(node, "name", "") == "TemporalNDCG" for node in nodes))


def count_files_of_search() -> dict[str, int]:
    """Count our files that one warm search enters, and how many functions of them, on the demo corpus."""
    import epochal
    import epochal.cli

    events = Path(epochal.cli.__file__).parent / "demo_data" / "events.jsonl"
    rows = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()[:500]]
    entered: set[tuple[str, str]] = set()
    folder = str(Path(epochal.__file__).parent)

    def profile(frame: Any, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folder):
            entered.add((code.co_filename, getattr(code, "co_qualname", f"{code.co_name}:{code.co_firstlineno}")))

    with tempfile.TemporaryDirectory() as place, epochal.Index.create(place, encoder="static") as index:
        index.add(epochal.Document(row["id"], row["text"]) for row in rows)
        for question in ("storms in August 2005", "floods in August 2004"):  # what one question asks is cached
            index.search(question)
        sys.setprofile(profile)
        index.search("floods in August 2005")
        sys.setprofile(None)
    return {
        "warm_search_files": len({file for file, _ in entered}),
        "warm_search_functions": len(entered),
    }


def measure(tree: Path) -> dict[str, Any]:
    """Measure one tree."""
    modules = read_modules(tree)
    texts = {module: path.read_text(encoding="utf-8") for module, path in modules.items()}
    trees = {module: ast.parse(text) for module, text in texts.items()}
    lines, files = Counter[str](), Counter[str]()
    for module, text in texts.items():
        room = ".".join(module.split(".")[:2])
        lines[room] += text.count("\n")
        files[room] += 1
    graph = {module: list_imports(tree, modules) - {module} for module, tree in trees.items()}
    examples = [count_examples(tree) for tree in trees.values()]
    inside = sum(
        isinstance(node, (ast.Import, ast.ImportFrom))
        for tree in trees.values()
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in function.body
    )
    return {
        "files": sum(files.values()),
        "lines": sum(lines.values()),
        "rooms": {room: {"files": files[room], "lines": lines[room]} for room in sorted(lines)},
        "files_under_100_lines": sum(text.count("\n") < 100 for text in texts.values()),
        "circles": count_circles(graph),
        "engine_imports_laboratory": sum(
            name.startswith("epochal_lab")
            for module, names in graph.items()
            if module.split(".")[0] == "epochal"
            for name in names
        ),
        "imports_in_functions": inside,
        "docstrings_with_examples": sum(total for total, _ in examples),
        "weak_examples": sum(weak for _, weak in examples),
        "test_files": sum(1 for _ in (tree / "tests").rglob("test_*.py")),
        "test_lines": sum(path.read_text(encoding="utf-8").count("\n") for path in (tree / "tests").rglob("*.py")),
        "readme_bytes": (tree / "README.md").stat().st_size,
        "ndcg_implementations": sum(map(count_ndcg, [*trees.values(), *parse_scripts(tree)])),
        **count_files_of_search(),
    }


#: The rows of the table, in order: key, what it is.
ROWS = (
    ("files", "Python files"),
    ("lines", "lines of Python"),
    ("files_under_100_lines", "files under 100 lines"),
    ("circles", "import circles, every import counted"),
    ("imports_in_functions", "imports inside functions"),
    ("docstrings_with_examples", "docstrings with examples"),
    ("weak_examples", "of them, examples that check nothing"),
    ("ndcg_implementations", "definitions of nDCG"),
    ("warm_search_files", "files entered by one warm search"),
    ("warm_search_functions", "functions entered by one warm search"),
    ("test_files", "test files"),
    ("test_lines", "lines of tests"),
    ("test_seconds", "seconds of `make test`, two cores, warm environment"),
    ("readme_bytes", "bytes of README.md"),
    ("wheel_mb", "MB of the wheel that a user installs"),
    ("install_mb", "MB of a clean install of the engine"),
)


def main() -> None:
    """Measure a tree, and keep the other side of the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--side", choices=("before", "after"), default="after")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a figure measured by hand")
    arguments = parser.parse_args()
    output = ROOT / "studies/results/house.json"
    retained: dict[str, Any] = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
    sides: dict[str, Any] = retained.get("sides", {})
    old = sides.get(arguments.side, {})
    by_hand = {key: old[key] for key in ("test_seconds", "wheel_mb", "install_mb") if key in old}
    by_hand |= {key: float(value) for key, _, value in (item.partition("=") for item in arguments.set)}
    sides[arguments.side] = measure(arguments.tree) | by_hand
    rows = [
        {"what": text, **{side: values[key] for side, values in sides.items() if key in values}} for key, text in ROWS
    ]
    rooms = [
        {"room": room, **values} for room, values in sides.get("after", {}).get("rooms", {}).items() if "." in room
    ]
    built = {"date": dt.date.today().isoformat(), "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    result = {**built, "rows": rows, "rooms": rooms, "sides": sides}
    output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
