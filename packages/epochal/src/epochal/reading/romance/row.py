"""A row of the grammar that several Romance languages share, with an example in each language that has the row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Row", "row"]


class Row(NamedTuple):
    """A rule function, its pattern, the value of the examples, and an example by the code of each language."""

    function: str
    pattern: str
    value: str | None
    examples: Mapping[str, str]


def row(function: str, pattern: str, value: str | None, **examples: str) -> Row:
    """A row; `examples` has the codes of languages as names."""
    return Row(function, pattern, value, examples)
