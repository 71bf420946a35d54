"""Texts to read from: plain files, folders of them, tar archives, and JSONL with a text a row."""

from __future__ import annotations

import json
import lzma
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from epochal.errors import InputError

__all__ = ["MODERN", "Source", "read_sources"]

#: Files of parallel corpora that hold the modern rendering, alone or line by line with the old text.
MODERN: Final = frozenset({"target.txt", "bitext.txt", "translation.txt"})
_TEXT: Final = (".txt", ".txt.xz")
_TAR: Final = (".tar", ".tar.xz", ".tar.gz", ".tgz", ".txz")


@dataclass(frozen=True, slots=True)
class Source:
    """One text, and where it comes from.

    >>> Source("annals/001.txt", "元年春").name
    'annals/001.txt'
    """

    name: str
    text: str


def read_sources(paths: Sequence[Path]) -> Iterator[Source]:
    """Every text of files (.txt, .txt.xz, .jsonl), of folders of these, and of tar archives of these, in order of name.

    Files with a modern rendering (`MODERN`) are passed over. Rows of JSONL have a text under `text`.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("元年春", encoding="utf-8")
    >>> _ = (folder / "target.txt").write_text("第一年春天", encoding="utf-8")
    >>> [(Path(source.name).name, source.text) for source in read_sources([folder])]
    [('a.txt', '元年春')]
    >>> list(read_sources([folder / "b.txt"]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: .../b.txt: there is no such file; accepted: files (.txt, .txt.xz, .jsonl), folders
    and tar archives of them
    """
    for path in paths:
        if path.is_dir():
            inside = sorted(found for found in path.rglob("*") if found.is_file() and _readable(found.name))
            if not inside:
                raise InputError(str(path), 0, "the folder holds no .txt, .txt.xz or .jsonl file")
            for found in inside:
                yield from _file(found)
        elif not path.is_file():
            accepted = "accepted: files (.txt, .txt.xz, .jsonl), folders and tar archives of them"
            raise InputError(str(path), 0, f"there is no such file; {accepted}")
        elif path.name.endswith(_TAR):
            yield from _archive(path)
        elif _readable(path.name):
            yield from _file(path)
        else:
            raise InputError(str(path), 0, f"{path.suffix or 'no suffix'} is not read; accepted: .txt, .txt.xz, .jsonl")


def _readable(name: str) -> bool:
    return name not in MODERN and name.endswith((*_TEXT, ".jsonl"))


def _file(path: Path) -> Iterator[Source]:
    try:
        data = path.read_bytes()
        if path.name.endswith(".xz"):
            data = lzma.decompress(data)
    except OSError as error:
        raise InputError(str(path), 0, f"the file cannot be read: {error.strerror}") from error
    except lzma.LZMAError as error:
        raise InputError(str(path), 0, f"the file is no whole .xz file ({error})") from error
    yield from _texts(str(path), data)


def _archive(path: Path) -> Iterator[Source]:
    try:
        with tarfile.open(path) as archive:
            members = [member for member in archive.getmembers() if member.isfile()]
            for member in sorted(members, key=lambda member: member.name):
                if _readable(PurePosixPath(member.name).name):
                    file = archive.extractfile(member)
                    if file is not None:
                        data = file.read()
                        name = f"{path}:{member.name}"
                        yield from _texts(name, lzma.decompress(data) if name.endswith(".xz") else data)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise InputError(str(path), 0, f"the file is no whole tar archive ({error})") from error


def _texts(name: str, data: bytes) -> Iterator[Source]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(name, 0, f"byte {error.start} is not UTF-8; accepted: text in UTF-8") from error
    if not name.endswith(".jsonl"):
        yield Source(name, text)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise InputError(name, number, f"the row is no JSON ({error.msg})") from error
            if not isinstance(row, dict) or not isinstance(row.get("text"), str):
                raise InputError(name, number, "the row has no text; accepted: an object with a text under 'text'")
            yield Source(f"{name}:{number}", row["text"])
