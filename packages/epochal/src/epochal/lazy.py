"""What is made or looked for when it is first used: names, regular expressions, what installed packages offer.

And old names, which go on working for one version.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

from epochal.regex import compile_regex

if TYPE_CHECKING:
    from importlib.abc import Loader
    from importlib.metadata import EntryPoint


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
            from epochal.other_names import find_hint

            raise AttributeError(f"module {package!r} has no attribute {name!r}{find_hint(package, name)}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(homes)


def lazy_regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression that is compiled when it is first used: compiling all of them takes longer than a search.

    >>> lazy_regex(r"\\d+").findall("1998 and 2003")
    ['1998', '2003']
    """
    return cast("re.Pattern[str]", LazyRegex(pattern, flags))


class LazyRegex:
    """What `lazy_regex` gives: its methods are those of the compiled expression, each kept once it was used."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self._compiled, name)
        setattr(self, name, value)
        return value

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return compile_regex(self.pattern, self._flags)

    def __repr__(self) -> str:
        return f"lazy_regex({self.pattern!r}, {self._flags})"


_HEADER: Final = re.compile(rb"^\s*\[([^\]]+)\]", re.MULTILINE)


def entry_points(group: str) -> Iterable[EntryPoint]:
    """What installed packages offer under a group.

    `importlib.metadata` is imported only where a package offers something: it takes longer than all else at the start.
    """
    offered = _list_groups(tuple(sys.path))
    if offered is not None and group not in offered:
        return ()
    from importlib import metadata

    return metadata.entry_points(group=group)


@cache
def _list_groups(folders: tuple[str, ...]) -> frozenset[str] | None:
    """The groups under which packages in some folders offer anything; None where folders are not all that there is."""
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return None
    found: set[bytes] = set()
    for folder in map(Path, folders):
        if os.path.isfile(folder):  # not an error where it cannot be looked at
            return None
        for kind in ("*.dist-info", "*.egg-info"):
            for path in folder.glob(f"{kind}/entry_points.txt"):
                found.update(_HEADER.findall(path.read_bytes()))
    return frozenset(name.decode(errors="replace").strip() for name in found)


#: Old module to new module. What is not listed was not part of the public API.
MOVED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "epochal.engine": "epochal.search",
        "epochal.engine.index": "epochal.api",
        "epochal.engine.ingest": "epochal.ingest",
        "epochal.engine.request": "epochal.search.request",
        "epochal.engine.response": "epochal.search.response",
        "epochal.engine.sequence": "epochal.ingest",
        "epochal.index": "epochal.storage",
        "epochal.index.backend": "epochal.storage.protocol",
        "epochal.index.inputs": "epochal.storage.importers",
        "epochal.index.records": "epochal.storage.records",
        "epochal.index.store": "epochal.storage.store",
        "epochal.reading.expr": "epochal.reading.expression",
        "epochal.reading.ranges": "epochal.reading.expression",
        "epochal.service": "epochal.server",
        "epochal.service.app": "epochal.server.app",
        "epochal.service.settings": "epochal.server.settings",
        "epochal.testing.backends": "epochal.testing",
        "epochal.times.allen": "epochal.times.interval",
        "epochal.times.clock": "epochal.times.span",
        "epochal.times.decay": "epochal.times.kernels",
        "epochal.times.grain": "epochal.times.axis",
        "epochal.times.iso": "epochal.times.edtf",
        "epochal.times.kernel": "epochal.times.kernels",
    }
)
#: Rooms that are a distribution of their own now.
_LABORATORY: Final = ("epochal.bench", "epochal.models", "epochal.answers.tempo", "epochal.ranking.learned")


class _Moved:
    """Puts the new module in the place of the old one."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to the import system, which takes what `exec_module` puts in its place."""

    def exec_module(self, module: ModuleType) -> None:
        """Import the new module under the old name."""
        sys.modules[module.__name__] = import_module(MOVED[module.__name__])


class _Finder:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module by its old name."""
        if fullname in MOVED:
            warnings.warn(f"{fullname} is now {MOVED[fullname]}", DeprecationWarning, stacklevel=3)
            return ModuleSpec(fullname, cast("Loader", _Moved()))
        if fullname.startswith(_LABORATORY):
            raise ModuleNotFoundError(
                f"{fullname} has moved to the laboratory: pip install epochal-lab, and see its package epochal_lab",
                name=fullname,
            )
        return None


def install() -> None:
    """Let old module names be imported."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        # First, or files of the new package would be loaded a second time as children of the old name.
        sys.meta_path.insert(0, _Finder())
