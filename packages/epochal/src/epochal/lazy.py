"""Names that are imported when they are first used, and old names that go on working for one version."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module


def warn_renamed(owner: str, old: str, new: str) -> None:
    """Warn the caller's caller that a name has changed."""
    warnings.warn(f"{owner}.{old} is now {owner}.{new}", DeprecationWarning, stacklevel=3)


def lazy_names(
    package: str, modules: Mapping[str, str], renamed: Mapping[str, str] | None = None
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Build the `__getattr__` and `__dir__` of a package from `{module: "the names that it defines"}`.

    `renamed` maps old names to new ones; an old name goes on working, with a DeprecationWarning, for one version.

    >>> get, names = lazy_names("epochal", {"epochal.times.span": "Span"})
    >>> names()
    ['Span']
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> object:
        if renamed and name in renamed:
            new = renamed[name]
            warn_renamed(package, name, new)
            return getattr(sys.modules[package], new)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(homes)
