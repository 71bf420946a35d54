"""Packages whose names are loaded when they are first used, so that importing one costs next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["late", "lazy_names"]


def lazy_names(package: str, homes: dict[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package whose names live in other modules.

    >>> get, names = lazy_names("epochal", {"Span": "epochal.times.span"})
    >>> names()
    ['Span']
    """

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(homes)


def late(home: str, name: str) -> Callable[..., Any]:
    """A function that a higher floor of the house lends to a lower one, which may not import it: loaded when called.

    Who lends what is listed in tests/test_layers.py.

    >>> late("epochal.times", "resolve")("May 1998")[0].span.edtf()
    '1998-05'
    """

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(import_module(home), name)(*arguments, **named)

    return call
