"""Epochal: the right document from the right time.

>>> import epochal, tempfile
>>> with tempfile.TemporaryDirectory() as folder, epochal.Index.create(folder, encoder="static") as index:
...     index.add([epochal.Document("a", "Rates rose in 1998."), epochal.Document("b", "Rates fell in 2003.")])
...     index.search("What became of rates in 2003?")[0].id
2
'b'
>>> epochal.Span.parse("1984~/2004-06").describe()
'from about 1984 to June 2004'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names
from epochal.version import __version__ as __version__

if TYPE_CHECKING:
    from epochal.engine import Hit as Hit
    from epochal.engine import Response as Response
    from epochal.engine.index import Index as Index
    from epochal.errors import EpochalError as EpochalError
    from epochal.index import Document as Document
    from epochal.times import Allen as Allen
    from epochal.times import Certainty as Certainty
    from epochal.times import Grain as Grain
    from epochal.times import Span as Span
    from epochal.times import SpanSet as SpanSet
    from epochal.times import align as align
    from epochal.times import resolve as resolve

__all__ = [
    "Allen",
    "Certainty",
    "Document",
    "EpochalError",
    "Grain",
    "Hit",
    "Index",
    "Response",
    "Span",
    "SpanSet",
    "__version__",
    "align",
    "resolve",
]

_HOMES = {
    "Allen": "epochal.times",
    "Certainty": "epochal.times",
    "Document": "epochal.index",
    "EpochalError": "epochal.errors",
    "Grain": "epochal.times",
    "Hit": "epochal.engine",
    "Index": "epochal.engine.index",
    "Response": "epochal.engine",
    "Span": "epochal.times",
    "SpanSet": "epochal.times",
    "align": "epochal.times",
    "resolve": "epochal.times",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
