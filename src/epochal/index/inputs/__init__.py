"""Somebody's data: JSON Lines, CSV, TSV, Parquet, BEIR folders, Markdown and text files; and TREC's files."""

from __future__ import annotations

from epochal.index.inputs.beir import QueryRow as QueryRow
from epochal.index.inputs.beir import read_qrels as read_qrels
from epochal.index.inputs.beir import read_queries as read_queries
from epochal.index.inputs.reading import FORMATS as FORMATS
from epochal.index.inputs.reading import Reading as Reading
from epochal.index.inputs.reading import read as read
from epochal.index.inputs.trec import RunRow as RunRow
from epochal.index.inputs.trec import read_run as read_run
from epochal.index.inputs.trec import write_run as write_run

__all__ = [
    "FORMATS",
    "QueryRow",
    "Reading",
    "RunRow",
    "read",
    "read_qrels",
    "read_queries",
    "read_run",
    "write_run",
]
