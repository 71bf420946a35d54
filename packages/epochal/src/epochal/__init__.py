"""Epochal: find the right document from the right time.

>>> import epochal, tempfile
>>> with tempfile.TemporaryDirectory() as folder, epochal.open(folder, encoder="static") as index:
...     index.add([epochal.Document("a", "Rates rose in 1998."), epochal.Document("b", "Rates fell in 2003.")])
...     index.search("What happened to rates in 2003?")[0].id
AddReport(2 added, 2 undated)
'b'
>>> epochal.Span.parse("1984~/2004-06").describe()
'from about 1984 to June 2004'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import install as _install_old_names
from epochal.lazy import lazy_names
from epochal.version import __version__ as __version__

if TYPE_CHECKING:
    from epochal.api import Index as Index
    from epochal.api import open as open
    from epochal.api import tag as tag
    from epochal.api import understand as understand
    from epochal.errors import EpochalError as EpochalError
    from epochal.memory.memory import Memory as Memory
    from epochal.reading.resolve import resolve as resolve
    from epochal.search.response import Hit as Hit
    from epochal.search.response import Response as Response
    from epochal.storage.records import Document as Document
    from epochal.times.axis import Certainty as Certainty
    from epochal.times.axis import Grain as Grain
    from epochal.times.interval import Allen as Allen
    from epochal.times.kernels import align as align
    from epochal.times.span import Span as Span
    from epochal.times.spanset import SpanSet as SpanSet

__all__ = [
    "Allen",
    "Certainty",
    "Document",
    "EpochalError",
    "Grain",
    "Hit",
    "Index",
    "Memory",
    "Response",
    "Span",
    "SpanSet",
    "__version__",
    "align",
    "open",
    "resolve",
    "tag",
    "understand",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.api": "Index open tag understand",
        "epochal.errors": "EpochalError",
        "epochal.memory.memory": "Memory",
        "epochal.search.response": "Hit Response",
        "epochal.storage.records": "Document",
        "epochal.times.axis": "Certainty Grain",
        "epochal.times.interval": "Allen",
        "epochal.times.kernels": "align",
        "epochal.times.span": "Span",
        "epochal.times.spanset": "SpanSet",
        "epochal.reading.resolve": "resolve",
    },
)

_install_old_names()
