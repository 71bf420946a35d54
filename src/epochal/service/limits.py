"""The limits of the service, each said once: requests beyond them are refused, and the description states them."""

from __future__ import annotations

from typing import Final

__all__ = [
    "MOST_BINS",
    "MOST_BODY",
    "MOST_DEPTH",
    "MOST_DOCUMENTS_BODY",
    "MOST_EDITS",
    "MOST_HITS",
    "MOST_ID",
    "MOST_NAME",
    "MOST_QUESTION",
    "MOST_SHOWN",
    "MOST_TEXT",
    "MOST_TIME",
    "QUEUE",
]

#: Bytes of a request's body, and of one that brings documents.
MOST_BODY: Final = 1 << 20
MOST_DOCUMENTS_BODY: Final = 16 << 20
#: How deeply the lists and objects of a body may be nested.
MOST_DEPTH: Final = 64
#: Characters of a question, of a time, of a name, of a document's id, and of a text whose times are asked for.
MOST_QUESTION: Final = 2_000
MOST_TIME: Final = 200
MOST_NAME: Final = 100
MOST_ID: Final = 512
MOST_TEXT: Final = 200_000
#: Hits of a search, and bars of a histogram.
MOST_HITS: Final = 200
MOST_BINS: Final = 1_000
#: Periods that may replace those of a question, and constraints that may be dropped.
MOST_EDITS: Final = 20
#: Problems of one request that are named; the others are counted.
MOST_SHOWN: Final = 20
#: For each search that may run at once, so many may wait.
QUEUE: Final = 4
