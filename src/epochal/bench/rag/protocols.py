"""How answers from documents are made and measured: TEMPO's way and TMRL's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from epochal.answers.tempo.generation import Style
from epochal.errors import UnknownNameError

__all__ = ["PROTOCOLS", "RagProtocol", "protocol"]


@dataclass(frozen=True, slots=True)
class RagProtocol:
    """How many documents a question gets, how much of each, the style of the answer, and how a model is set.

    `characters` None leaves documents whole. `measures` are what a grader of the protocol gives.

    >>> protocol("tmrl").top
    5
    """

    name: str
    top: int
    characters: int | None
    style: Style
    measures: tuple[str, ...]
    temperature: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)


#: TEMPO: its paper leaves open how many documents there are and how they are cut; ten of 2,000 characters each, as its
#: judges see them. TMRL: FlashRAG's settings for Qwen3-8B.
PROTOCOLS: Final[Mapping[str, RagProtocol]] = {
    "tempo": RagProtocol("tempo", 10, 2000, "full", ("score",)),
    "tmrl": RagProtocol(
        "tmrl",
        5,
        None,
        "short",
        ("f1", "em"),
        0.7,
        {"top_p": 0.8, "top_k": 20, "max_tokens": 8192, "seed": 42},
    ),
}


def protocol(name: str) -> RagProtocol:
    """The protocol of that name.

    >>> protocol("squad")
    Traceback (most recent call last):
    ...
    epochal.errors.UnknownNameError: no protocol is called 'squad'; known: tempo, tmrl
    """
    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, PROTOCOLS)
    return PROTOCOLS[name]
