"""Packages whose names are loaded when they are first used, so that importing one costs next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(package: str, modules: dict[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Build the `__getattr__` and `__dir__` of a package from `{module: "the names that it defines"}`.

    >>> get, names = lazy_names("epochal", {"epochal.times.span": "Span"})
    >>> names()
    ['Span']
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(homes)
