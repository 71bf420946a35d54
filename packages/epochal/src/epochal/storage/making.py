"""Encoders whose vectors are derived data: they are made from the texts of an index, and not kept with its documents.

An encoder that is offered here is at hand wherever the index is read, quick, and gives equal texts equal vectors. Its
vectors lie in the derived files alone, and are made again with these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from epochal.errors import StorageError

__all__ = ["Encode", "find_maker", "is_made", "join_title", "offer_maker"]

#: Vectors of texts, one row a text.
Encode: TypeAlias = Callable[[Sequence[str]], npt.NDArray[np.float32]]

_MAKERS: dict[str, Callable[[], tuple[str, Encode]]] = {}


def offer_maker(prefix: str, load: Callable[[], tuple[str, Encode]]) -> None:
    """Offer an encoder for indexes whose `encoder_name` begins so; `load` gives the whole name, and what encodes."""
    _MAKERS[prefix] = load


def is_made(encoder_name: str) -> bool:
    """Whether the vectors of an encoder can be made from texts; those that were truncated are not."""
    return "[" not in encoder_name and any(encoder_name.startswith(prefix) for prefix in _MAKERS)


def find_maker(encoder_name: str) -> Encode:
    """What makes the vectors of an index; an error where it is not at hand, or of another version."""
    for prefix, load in _MAKERS.items():
        if encoder_name.startswith(prefix):
            name, encode = load()
            if name == encoder_name:
                return encode
            raise StorageError(
                f"the vectors of this index were made by {encoder_name!r}, and cannot be made again by {name!r}; index "
                f"its documents anew"
            )
    raise StorageError(
        f"the vectors of this index must be made by {encoder_name!r}, which is not at hand; open it by `epochal.open`"
    )


def join_title(title: str, text: str) -> str:
    """What is encoded for a passage: the title, which says what it is about, and its own text."""
    return f"{title}\n{text}" if title else text
