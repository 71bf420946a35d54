"""A copy of any view as an embedded index in a folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from epochal.errors import StorageError
from epochal.index.backend import View
from epochal.index.store import Store

__all__ = ["copy_to_folder"]

_BATCH: Final = 500


def copy_to_folder(view: View, path: str | os.PathLike[str]) -> None:
    """Store everything of a view in a new embedded index; the folder appears when all of it is there.

    >>> import tempfile
    >>> from epochal.index.records import Document, Entry
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "news") as store:
    ...     _ = store.add([Entry(Document("p1", "Tariffs rise."), ())])
    ...     copy_to_folder(store.view(), Path(folder) / "copy")
    ...     with Store.open(Path(folder) / "copy") as copy:
    ...         copy.view().document_count
    1
    """
    target = Path(path)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise StorageError(f"{str(target)!r} is not a new folder; choose another one for the backup")
    unfinished = target.with_name(f"{target.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        with Store.create(unfinished, view.encoder_name, view.dim) as store, store.bulk():
            rows = view.alive_documents
            for low in range(0, len(rows), _BATCH):
                store.add(view.entries(rows[low : low + _BATCH]))
        os.replace(unfinished, target)
    except OSError as error:
        raise StorageError(f"the backup {str(target)!r} cannot be made: {error.strerror or error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
