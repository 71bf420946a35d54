"""The tables of the package sanmiao, and the hand-made facts that the bundled tables lay over them."""

from __future__ import annotations

import csv
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def rows(name: str) -> list[dict[str, str]]:
    """A data file of sanmiao, found without importing the package, which takes long and needs pandas."""
    found = find_spec("sanmiao")
    if found is None or not found.submodule_search_locations:
        pytest.skip("the package sanmiao is not installed")
    path = Path(found.submodule_search_locations[0]) / "data" / name
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


@cache
def facts() -> dict[str, Any]:
    """tools/era_facts.toml."""
    return tomllib.loads((ROOT / "tools" / "era_facts.toml").read_text(encoding="utf-8"))
