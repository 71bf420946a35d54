"""What is derived, as one process sees it: which files it has found sound, and what has to be done about the others."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from epochal.errors import IndexLockedError, StorageError
from epochal.index.building import catch_up
from epochal.index.columns import Extent, column_path, damage
from epochal.index.lock import WriterLock
from epochal.index.manifest import FOLDER, OUTDATED, Manifest, read_manifest, what_is_wrong
from epochal.index.schema import reporting, state
from epochal.index.snapshot import Snapshot
from epochal.index.view import EmbeddedView

__all__ = ["Derived", "files_of", "problems"]

_TRIES: Final = 100


def files_of(index: Path, manifest: Manifest) -> dict[Path, Extent]:
    """All files of a manifest.

    >>> files_of(Path("news"), Manifest(0, 0, "set-1", "words-0"))
    {}
    """
    folder = index / FOLDER / manifest.folder
    files = {column_path(folder, name): extent for name, extent in manifest.columns.items()}
    files.update({folder / manifest.words / name: extent for name, extent in manifest.word_files.items()})
    return files


def problems(index: Path, manifest: Manifest, known: dict[Path, Extent]) -> list[str]:
    """What is wrong with the derived files, in words. Files found sound are put into `known`.

    >>> problems(Path("nowhere"), Manifest(0, 0, "set-1", "words-0", columns={"dead": Extent(4, 0)}), {})
    ['dead.i4 is missing']
    """
    unsure = {path: extent for path, extent in files_of(index, manifest).items() if known.get(path) != extent}
    with ThreadPoolExecutor(max_workers=4) as pool:  # checksums are computed without holding up other threads
        found = list(pool.map(lambda item: damage(item[0], item[1], known.get(item[0])), unsure.items()))
    known.update({path: extent for (path, extent), wrong in zip(unsure.items(), found, strict=True) if wrong is None})
    return [wrong for wrong in found if wrong is not None]


class Derived:
    """The derived files of an index.

    >>> import tempfile
    >>> from epochal.index.schema import connect, create
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     create(Path(folder), "", 0)
    ...     connection = connect(Path(folder))
    ...     derived = Derived(Path(folder))
    ...     derived.mend(connection, WriterLock(Path(folder)))
    ...     print(derived.view(connection, WriterLock(Path(folder))).document_count)
    ...     connection.close()
    0
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, Extent] = {}
        self._listed = b""
        self._view: EmbeddedView | None = None
        #: What was found wrong or behind, and mended: a sentence each.
        self.repairs: list[str] = []

    def forget_view(self) -> None:
        """Let go of the present view, whose moment of the truth would make the writer's log grow.

        >>> Derived(Path("news")).forget_view()
        """
        self._view = None

    def catch_up(self, connection: sqlite3.Connection, *, anew: bool = False) -> Manifest:
        """Bring the files, which were found sound, up to the truth, or build them anew; only the writer may.

        >>> import tempfile
        >>> from epochal.index.schema import connect, create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     connection = connect(Path(folder))
        ...     print(Derived(Path(folder)).catch_up(connection).generation)
        ...     connection.close()
        0
        """
        self._view = None
        present = None if anew else Manifest.from_bytes(read_manifest(self._folder))
        manifest, _ = catch_up(self._folder, connection, present)
        # What this process wrote itself need not be read again to be trusted.
        self._known = files_of(self._folder, manifest)
        return manifest

    def mend(self, connection: sqlite3.Connection, lock: WriterLock) -> None:
        """Check all files, and build or bring up what is damaged or behind, as the writer if there is no other.

        >>> import tempfile
        >>> from epochal.index.schema import connect, create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     connection = connect(Path(folder))
        ...     derived = Derived(Path(folder))
        ...     derived.mend(connection, WriterLock(Path(folder)))
        ...     print(derived.repairs)
        ...     connection.close()
        []
        """
        manifest, wrong = self._examined()
        if manifest is not None and not wrong and not self._is_behind(manifest, connection):
            return
        was_held = lock.is_held
        try:
            lock.acquire(to_mend=True)
        except StorageError as error:
            if isinstance(error, IndexLockedError):
                manifest, wrong = self._examined()  # the other may just have mended it
            if manifest is not None and not wrong:
                return  # what was true before the last writes is still served
            raise type(error)(f"the derived files must be built anew ({wrong[0]}), but {error}") from error
        try:
            self._mend(connection)
        finally:
            if not was_held:
                lock.release()

    def _mend(self, connection: sqlite3.Connection) -> None:
        manifest, wrong = self._examined()
        fresh = manifest is None and not (self._folder / FOLDER).exists()
        behind = manifest is not None and self._is_behind(manifest, connection)
        if manifest is not None and not wrong and not behind:
            return  # another has mended it meanwhile
        try:
            with reporting(self._folder, "brought up to date"):
                self.catch_up(connection, anew=bool(wrong))
        except StorageError as error:
            if manifest is None or wrong:
                raise
            self.repairs.append(f"the last writes are not found by searches yet: {error}")
            return
        if wrong == [OUTDATED]:
            self.repairs.append("the derived files were of another version and were built anew")
        elif wrong and not fresh:
            self.repairs.append(f"the derived files were damaged ({'; '.join(wrong)}) and were built anew")
        elif behind:
            self.repairs.append("the derived files were behind the truth and were brought up to it")

    def view(self, connection: sqlite3.Connection, lock: WriterLock) -> EmbeddedView:
        """The present state; the same view while nothing has changed.

        >>> import tempfile
        >>> from epochal.index.schema import connect, create
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     create(Path(folder), "", 0)
        ...     connection = connect(Path(folder))
        ...     print(Derived(Path(folder)).view(connection, WriterLock(Path(folder))).generation)
        ...     connection.close()
        0
        """
        for _ in range(_TRIES):
            listed = read_manifest(self._folder)
            if self._view is not None and listed == self._listed:
                return self._view
            manifest = Manifest.from_bytes(listed)
            if manifest is None or problems(self._folder, manifest, self._known):
                if read_manifest(self._folder) == listed:
                    self.mend(connection, lock)
                continue
            view = self._view_of(manifest)
            if view is not None:
                self._known = files_of(self._folder, manifest)
                self._view, self._listed = view, listed
                return view
        raise StorageError(f"the index {str(self._folder)!r} changes faster than it can be read; try again")

    def _view_of(self, manifest: Manifest) -> EmbeddedView | None:
        """A view of sound files; None when they were replaced meanwhile."""
        snapshot = Snapshot(self._folder)
        # Documents that the manifest calls alive may have been purged since, and those of a newer one are not there.
        if not snapshot.state.floor <= manifest.generation <= snapshot.state.generation:
            snapshot.close()
            return None
        try:
            return EmbeddedView(self._folder, manifest, snapshot)
        except OSError:
            snapshot.close()
            if Manifest.from_bytes(read_manifest(self._folder)) == manifest:
                raise
            return None

    def _examined(self) -> tuple[Manifest | None, list[str]]:
        """The present manifest, and what is wrong with it or with its files."""
        for _ in range(_TRIES):
            listed = read_manifest(self._folder)
            manifest = Manifest.from_bytes(listed)
            wrong = [what_is_wrong(listed)] if manifest is None else problems(self._folder, manifest, self._known)
            if not wrong or read_manifest(self._folder) == listed:
                break
        return manifest, wrong

    def _is_behind(self, manifest: Manifest, connection: sqlite3.Connection) -> bool:
        with reporting(self._folder, "opened"):
            truth = state(connection)
        return manifest.generation < truth.generation or manifest.floor != truth.floor
