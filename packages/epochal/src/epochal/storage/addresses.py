"""The location of an index: a folder or an address. One set of calls for all of them.

Kinds of address: `postgresql://…`, a namespace of a PostgreSQL server, and the name of a cluster file that ends in
`.toml`. Each kind is an entry point in the group `epochal.backends`, whose name is the scheme before `://`, or `.toml`,
and whose object is a `Provider`; it is loaded when it is first needed. Other packages add kinds of their own.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from epochal.errors import StorageError
from epochal.lazy import entry_points
from epochal.storage.protocol import Backend

if TYPE_CHECKING:
    from epochal.storage.check import CheckReport
    from epochal.storage.damaged_rows import Portion

Address = str | os.PathLike[str]

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
#: The entry points that open indexes. A name is the scheme of an address, or with a dot before it a file's ending.
GROUP: Final = "epochal.backends"
_CLUSTER: Final = ".toml"


class OpenedBackend(Backend, Protocol):
    """A backend that was opened by its address."""

    @property
    def repairs(self) -> list[str]:
        """What was found wrong or behind when it was opened, and mended: a sentence each."""
        ...


class Provider(Protocol):
    """What serves a kind of address: a module with these functions, or an object."""

    def create(self, address: Address, encoder_name: str, dim: int) -> OpenedBackend:
        """Make a new index, and open it for writing."""
        ...

    def open(self, address: Address, *, write: bool = False) -> OpenedBackend:
        """Open an index that is there."""
        ...

    def exists(self, address: Address) -> bool:
        """Whether there is an index."""
        ...

    def remove(self, address: Address) -> None:
        """Take an index away, with all that it holds."""
        ...

    def check(self, address: Address, *, repair: bool, backup: Address | None = None) -> CheckReport:
        """Look an index through; with a `backup` in a folder, damaged documents are replaced by those that it holds."""
        ...

    def size(self, address: Address) -> int:
        """How many bytes it takes."""
        ...

    def shown(self, address: Address) -> str:
        """The address as it may be shown to anybody: without a password."""
        ...

    # A provider may also have `list_portion(address, first, count) -> Portion`, by which a service looks through the
    # documents for damage, or `list_parts(address) -> list[str]`, the addresses of the indexes that it consists of.


class _Folders:
    """Indexes in folders: `Store`."""

    def create(self, address: Address, encoder_name: str, dim: int) -> OpenedBackend:
        from epochal.storage.store import Store

        return Store.create(address, encoder_name, dim)

    def open(self, address: Address, *, write: bool = False) -> OpenedBackend:
        from epochal.storage.store import Store

        return Store.open(address, write=write)

    def exists(self, address: Address) -> bool:
        from epochal.storage.schema import FILE

        return (Path(address) / FILE).exists()

    def remove(self, address: Address) -> None:
        shutil.rmtree(address)

    def check(self, address: Address, *, repair: bool, backup: Address | None = None) -> CheckReport:
        from epochal.storage.check import check

        return check(address, repair=repair, backup=backup)

    def list_portion(self, address: Address, first: int, count: int) -> Portion:
        from epochal.storage.damaged_rows import list_portion

        return list_portion(Path(address), first, count)

    def size(self, address: Address) -> int:
        return sum(file.stat().st_size for file in Path(address).rglob("*") if file.is_file())

    def shown(self, address: Address) -> str:
        return os.fspath(address)


def is_address(path: Address) -> bool:
    """Whether a text names an index elsewhere than in a folder."""
    name = os.fspath(path)
    return _SCHEME.match(name) is not None or (name.endswith(_CLUSTER) and not os.path.isdir(name))


def get_provider(path: Address) -> Provider:
    """What opens the index of a folder or an address."""
    if not is_address(path):
        return cast("Provider", _Folders())
    named = _SCHEME.match(os.fspath(path))
    return _load_provider(_CLUSTER if named is None else named[1].lower())


@cache
def _load_provider(kind: str) -> Provider:
    """The provider of a scheme or of a file's ending; kept, since a cluster asks for that of each of its nodes."""
    points = list(entry_points(group=GROUP))
    point = next((point for point in points if point.name == kind), None)
    if point is None:
        accepted = ", ".join(["a folder", *sorted({_describe(point.name) for point in points})])
        raise StorageError(f"'{_describe(kind)}' is no address of an index; accepted: {accepted}")
    return cast("Provider", point.load())


def _describe(kind: str) -> str:
    return f"…{kind}" if kind.startswith(".") else f"{kind}://…"


def provides(path: Address) -> bool:
    """Whether there may be an index at a path: not at an address of another kind, as of files elsewhere."""
    named = _SCHEME.match(os.fspath(path))
    return named is None or named[1].lower() in {point.name for point in entry_points(group=GROUP)}


def shown(path: Address) -> str:
    """A folder or an address as it may be shown to anybody."""
    return get_provider(path).shown(path)
