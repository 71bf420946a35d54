"""List the licences of Epochal and of the packages that an installation of it brings.

python tools/list_licences.py            the engine
python tools/list_licences.py serve llm  with extras
python tools/list_licences.py --sbom     as CycloneDX JSON, to go with a release
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


def find_licence(package: Distribution) -> str:
    """The licence that a package states, from the newest way of stating it to the oldest."""
    data = package.metadata
    stated = data.get("License-Expression") or ""
    classifiers = [
        line.rpartition(" :: ")[2] for line in data.get_all("Classifier") or [] if line.startswith("License")
    ]
    return stated or ", ".join(classifiers) or (data.get("License") or "unknown").splitlines()[0][:60]


def list_required(package: Distribution, extras: set[str]) -> list[str]:
    """The names of the packages that a package requires, with those of some extras."""
    names = []
    for requirement in package.requires or []:
        extra = _EXTRA.search(requirement)
        name = _NAME.match(requirement)
        if name is not None and (extra is None or extra[1] in extras):
            names.append(name[0])
    return names


def collect(name: str, extras: set[str]) -> dict[str, tuple[str, str]]:
    """The versions and licences of a package and of all that it requires and is installed, by name."""
    found: dict[str, tuple[str, str]] = {}
    waiting = [(name, extras)]
    while waiting:
        wanted, with_extras = waiting.pop()
        key = re.sub(r"[-_.]+", "-", wanted).lower()
        if key in found:
            continue
        try:
            package = distribution(wanted)
        except PackageNotFoundError:
            continue
        found[key] = package.version, find_licence(package)
        waiting += ((required, set[str]()) for required in list_required(package, with_extras))
    return found


def make_sbom(found: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """The packages as a bill of materials: CycloneDX 1.5, without a time or a number, so that it can be compared."""
    components = [
        {
            "type": "library",
            "name": name,
            "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
            "licenses": [{"license": {"name": licence}}],
        }
        for name, (version, licence) in sorted(found.items())
    ]
    own = [item for item in components if item["name"] == "epochal"]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**own[0], "type": "application"}} if own else {},
        "components": [item for item in components if item["name"] != "epochal"],
    }


def main(arguments: list[str]) -> None:
    """Print one line a package, or a bill of materials."""
    found = collect("epochal", {item for item in arguments if not item.startswith("--")})
    if "--sbom" in arguments:
        print(json.dumps(make_sbom(found), indent=2))
        return
    for name, (version, licence) in sorted(found.items()):
        print(f"{name} {version}: {licence}")


if __name__ == "__main__":
    main(sys.argv[1:])
