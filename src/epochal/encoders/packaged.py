"""The files that ship with the encoders: models, tables, the tokenizer, and the cards that say what they are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from epochal.encoders.base import EncoderError

__all__ = ["Card", "card", "data_file", "tokenizer"]

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Card:
    """What a bundled encoder is: its version, which changes whenever its files do, and the length of its vectors.

    >>> card("minilm").dim
    384
    """

    version: str
    dim: int


def data_file(*parts: str) -> Path:
    """The path of a bundled file; one that is missing is an error.

    >>> data_file("minilm", "tokenizer.json").name
    'tokenizer.json'
    """
    path = _DATA.joinpath(*parts)
    if not path.is_file():
        raise EncoderError(f"{path} is missing from this installation; reinstall epochal")
    return path


@lru_cache(maxsize=8)
def card(folder: str) -> Card:
    """The card of a bundled encoder.

    >>> len(card("static").version)
    8
    """
    fields = json.loads(data_file(folder, "card.json").read_text(encoding="utf-8"))
    return Card(fields["version"], fields["dim"])


def tokenizer() -> Any:
    """A new WordPiece tokenizer, without padding and truncation.

    >>> tokenizer().encode("Past times").tokens
    ['[CLS]', 'past', 'times', '[SEP]']
    """
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(data_file("minilm", "tokenizer.json")))
