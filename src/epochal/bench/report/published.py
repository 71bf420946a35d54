"""The figures that papers print, to stand beside our own. Facts taken from their tables; see `published/*.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Published", "published"]


@dataclass(frozen=True, slots=True)
class Published:
    """One row of a paper's table; measures go by our names, as shares of 1. `kind` is a class of questions.

    >>> Published("TMRL", "A paper", "Table 1", "tnp", "BM25", {"nDCG@10": 0.3458}).variant
    'baseline'
    """

    name: str
    paper: str
    table: str
    set: str
    system: str
    measures: Mapping[str, float]
    variant: str = "baseline"
    protocol: str = ""
    kind: str = ""
    note: str = ""


def published(set_id: str, variant: str = "baseline", protocol: str = "", kind: str = "") -> tuple[Published, ...]:
    """What papers print of a set, asked in one way, in the order of their tables.

    >>> [row.system for row in published("re2bench/rec")]
    ['BGE-M3', 'tempRALM', 'TempRetriever', 'TSM', 'Re3']
    >>> published("scifact")
    ()
    """
    wanted = (set_id, variant, protocol, kind)
    return tuple(row for row in _rows() if (row.set, row.variant, row.protocol, row.kind) == wanted)


@cache
def _rows() -> tuple[Published, ...]:
    found = []
    for file in sorted(files("epochal.bench.report").joinpath("published").iterdir(), key=lambda item: item.name):
        if file.name.endswith(".json"):
            told = json.loads(file.read_text(encoding="utf-8"))
            found += [Published(told["name"], told["paper"], **row) for row in told["rows"]]
    return tuple(found)
