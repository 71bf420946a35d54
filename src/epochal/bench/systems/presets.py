"""The retrievers of the papers' tables as values: the model, what goes before texts, lengths, pooling.

Each is set up as the paper ran it, faults included, so that figures can be compared. Where its authors mean it to be
used otherwise, `corrected` says how: `bge(setup=corrected)`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from epochal.errors import EpochalError, UnknownNameError

__all__ = ["KINDS", "LOADERS", "POOLINGS", "SETUPS", "Preset", "preset", "presets"]

#: One vector a text; weights on words; one vector a token; vectors of questions that a language model asks of a text.
KINDS: Final = ("dense", "sparse", "late", "pqr")
#: With what a dense model is loaded: pooled here, by sentence-transformers, by gritlm, or with its own `encode`.
LOADERS: Final = ("transformers", "sentence-transformers", "gritlm", "own")
POOLINGS: Final = ("mean", "cls", "last")
SETUPS: Final = ("paper", "corrected")
_FILES: Final = ("tempo.json", "chunqiutr.json")


@dataclass(frozen=True, slots=True)
class Preset:
    """A retriever of a paper. `query` and `document` go before the texts; None reads as far as the model can.

    >>> preset("bge").query, preset("bge").setup("corrected").query
    ('Represent this query for retrieving relevant documents: ',
     'Represent this sentence for searching relevant passages: ')
    """

    name: str
    title: str
    paper: str
    model: str
    kind: str = "dense"
    loader: str = "transformers"
    query: str = ""
    document: str = ""
    pooling: str = "mean"
    normalise: bool = True
    query_tokens: int | None = None
    document_tokens: int | None = None
    document_characters: int | None = None
    eos: bool = False
    dtype: str = "float32"
    remote_code: bool = False
    prune: float = 0.0
    note: str = ""
    corrected: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for what, value, known in (
            ("kind", self.kind, KINDS),
            ("loader", self.loader, LOADERS),
            ("pooling", self.pooling, POOLINGS),
        ):
            if value not in known:
                raise UnknownNameError(what, value, known)
        if unknown := set(self.corrected) - {column.name for column in fields(self)}:
            raise EpochalError(f"preset {self.name!r} corrects {sorted(unknown)[0]!r}, which is no part of a preset")

    def setup(self, name: str) -> Preset:
        """The preset as the `paper` ran it, or `corrected` as its authors mean it to be used.

        >>> preset("sbert").setup("corrected")
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: sbert has no setup 'corrected'; accepted: paper
        """
        known = SETUPS if self.corrected else SETUPS[:1]
        if name not in known:
            raise EpochalError(f"{self.name} has no setup {name!r}; accepted: {', '.join(known)}")
        return replace(self, **self.corrected) if name == "corrected" else self


@cache
def presets() -> Mapping[str, Preset]:
    """All presets by name, those of TEMPO first.

    >>> list(presets())[:3]
    ['bge', 'contriever', 'sbert']
    """
    found: dict[str, Preset] = {}
    for name in _FILES:
        data = json.loads(files("epochal.bench.systems").joinpath("named").joinpath(name).read_text(encoding="utf-8"))
        for row in data["presets"]:
            made = Preset(**{"paper": data["paper"], **data["defaults"], **row})
            found[made.name] = made
    return MappingProxyType(found)


def preset(name: str) -> Preset:
    """The preset of that name.

    >>> preset("qwen3-embedding-0.6b").pooling
    'last'
    >>> preset("bert")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.UnknownNameError: no preset is called 'bert'; known: bge, contriever, ...
    """
    if name not in presets():
        raise UnknownNameError("preset", name, presets())
    return presets()[name]
