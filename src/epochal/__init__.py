"""Epochal: the right document from the right time.

Names are loaded on first use, so that `import epochal` costs next to nothing.

>>> import epochal
>>> epochal.Span.parse("1984~/2004-06").describe()
'from about 1984 to June 2004'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epochal.errors import EpochalError as EpochalError
    from epochal.times import Allen as Allen
    from epochal.times import Certainty as Certainty
    from epochal.times import Grain as Grain
    from epochal.times import Span as Span
    from epochal.times import SpanSet as SpanSet
    from epochal.times import align as align
    from epochal.times import resolve as resolve

__version__ = "0.1.0"

_HOMES = {
    "Allen": "epochal.times",
    "Certainty": "epochal.times",
    "EpochalError": "epochal.errors",
    "Grain": "epochal.times",
    "Span": "epochal.times",
    "SpanSet": "epochal.times",
    "align": "epochal.times",
    "resolve": "epochal.times",
}

__all__ = [  # the names are loaded by __getattr__
    "Allen",
    "Certainty",
    "EpochalError",
    "Grain",
    "Span",
    "SpanSet",
    "__version__",
    "align",
    "resolve",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'epochal' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
