"""What a GGUF file says of itself: its metadata, read without loading the model.

Layout: the word GGUF, a version, how many tensors and how many entries there are, then the entries, each a name, a type
and a value. All numbers are little-endian.
"""

from __future__ import annotations

import os
import struct
from typing import Any, BinaryIO, Final

from epochal.errors import InputError

__all__ = ["read_metadata"]

_TEXT: Final = 8
_ARRAY: Final = 9
#: The numbers of the format by their type codes, as `struct` writes them.
_NUMBERS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
#: No list and no text of a model is longer than this.
_MOST: Final = 1 << 26


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The entries of a GGUF file by name; of lists only how long they are, for a vocabulary is long.

    >>> import tempfile
    >>> head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
    >>> entry = struct.pack("<Q", 4) + b"name" + struct.pack("<IQ", 8, 5) + b"small"
    >>> file = tempfile.NamedTemporaryFile()
    >>> _ = file.write(head + entry), file.flush()
    >>> read_metadata(file.name)
    {'name': 'small'}
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            if file.read(4) != b"GGUF":
                raise InputError(str(name), 0, "the file is no model; accepted: a GGUF file")
            version, _, count = _number(file, "I"), _number(file, "Q"), _number(file, "Q")
            if version not in (2, 3) or count > _MOST:
                raise InputError(str(name), 0, f"the file is of GGUF version {version}; accepted: 2, 3")
            return {_text(file): _value(file, _number(file, "I")) for _ in range(count)}
    except OSError as error:
        raise InputError(str(name), 0, f"the model cannot be read: {error.strerror or error}") from error
    except (struct.error, KeyError, UnicodeDecodeError, OverflowError):
        raise InputError(str(name), 0, "the file is cut off or damaged; accepted: a whole GGUF file") from None


def _number(file: BinaryIO, kind: str) -> Any:
    size = struct.calcsize(f"<{kind}")
    return struct.unpack(f"<{kind}", file.read(size))[0]


def _text(file: BinaryIO) -> str:
    size = _number(file, "Q")
    data = file.read(size) if size <= _MOST else b""
    if len(data) < size:
        raise struct.error("a text is cut off")
    return data.decode("utf-8", "surrogateescape")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind == _ARRAY:
        inner, count = _number(file, "I"), _number(file, "Q")
        if count > _MOST:
            raise struct.error("a list is too long")
        if inner in _NUMBERS:
            file.seek(struct.calcsize(f"<{_NUMBERS[inner]}") * count, os.SEEK_CUR)
        else:
            for _ in range(count):
                _value(file, inner)
        return count
    return _number(file, _NUMBERS[kind])
