"""Each integration needs its own extra and no other, and says which where it is missing."""

from __future__ import annotations

import subprocess
import sys

from paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXTRAS = {
    "langchain": "langchain_core",
    "langgraph": "langgraph",
    "llamaindex": "llama_index",
    "haystack": "haystack",
    "mcp": "mcp",
}
NEEDS_NONE = ("beir", "common")
SCRIPT = f"""
import sys
from importlib import import_module
for package in {tuple(EXTRAS.values())}:
    sys.modules[package] = None  # as if it were not installed
from epochal.errors import MissingExtraError
for name in {NEEDS_NONE}:
    import_module("epochal.integrations." + name)
for name in {tuple(EXTRAS)}:
    try:
        import_module("epochal.integrations." + name)
    except MissingExtraError as error:
        print(name, error.extra)
from epochal.cli import main
sys.exit(main(["mcp", sys.argv[1]]))
"""


def test_without_any_extra_the_rest_works_and_each_names_its_own(folder):
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(folder)], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"{name} {name}" for name in EXTRAS]
    assert (done.returncode, done.stderr) == (
        2,
        "epochal: the MCP server needs the package mcp; install it with: pip install 'epochal[mcp]'\n",
    )


def test_the_tests_run_with_every_one_of_them():
    engine = tomllib.loads((ROOT / "packages" / "epochal" / "pyproject.toml").read_text(encoding="utf-8"))
    extras = engine["project"]["optional-dependencies"]
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    installed = {*groups["backends"][1:], *groups["test"]}
    for name in EXTRAS:
        assert extras[name], name
        assert set(extras[name]) <= installed, name
