"""Importers: JSON Lines, CSV, TSV, Parquet, BEIR folders, Markdown and text files, and TREC's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names
from epochal.storage.importers.read import read as read

if TYPE_CHECKING:
    from epochal.storage.importers.beir import QueryRow as QueryRow
    from epochal.storage.importers.beir import RunRow as RunRow
    from epochal.storage.importers.beir import read_qrels as read_qrels
    from epochal.storage.importers.beir import read_queries as read_queries
    from epochal.storage.importers.beir import read_run as read_run
    from epochal.storage.importers.beir import write_run as write_run
    from epochal.storage.importers.read import FORMATS as FORMATS
    from epochal.storage.importers.read import Reading as Reading

__all__ = ["FORMATS", "QueryRow", "Reading", "RunRow", "read", "read_qrels", "read_queries", "read_run", "write_run"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.storage.importers.beir": "QueryRow RunRow read_qrels read_queries read_run write_run",
        "epochal.storage.importers.read": "FORMATS Reading",
    },
)
