"""Files that appear whole or not at all: written beside their place, and moved there when everything went well."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from epochal.errors import EpochalError

__all__ = ["Staged"]


class Staged:
    """A set of files to write. On leaving, all of them are moved into place; after an error none is.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with Staged() as staged, staged.file(folder / "a.txt") as file:
    ...     _ = file.write(b"whole")
    ...     before = list(folder.glob("a.txt"))
    >>> before, (folder / "a.txt").read_bytes()
    ([], b'whole')
    """

    def __init__(self) -> None:
        self._moves: list[tuple[Path, Path]] = []

    def __enter__(self) -> Staged:
        return self

    def file(self, path: Path) -> BinaryIO:
        """Open one of the files for writing; close it before the set is left.

        >>> Staged().file(Path("/no/such/folder/a.txt"))
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: cannot write /no/such/folder/a.txt: No such file or directory
        """
        try:
            if path.exists() and not path.is_file():  # a device or a pipe has no place to move a file to
                return path.open("wb")
            part = path.with_name(f".{path.name}.{os.getpid()}.part")
            file = part.open("wb")
        except OSError as error:
            raise EpochalError(f"cannot write {path}: {error.strerror}") from error
        self._moves.append((part, path))
        return file

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        moves, self._moves = self._moves, []
        for part, path in moves:
            if kind is None:
                os.replace(part, path)
            else:
                part.unlink(missing_ok=True)
