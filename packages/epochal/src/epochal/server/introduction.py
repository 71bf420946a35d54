"""How an index introduces itself: its name, the language of its documents, and texts to search for."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

import numpy as np

from epochal.reading.shared.detect import Detection, detect_language
from epochal.storage.protocol import View
from epochal.storage.records import Document
from epochal.storage.text import units

#: Documents that are read for the language, and texts that are offered.
_SAMPLE: Final = 30
_OFFERED: Final = 3
#: Characters of a text that is offered.
_LENGTHS: Final = range(4, 71)
#: A clause, without sources in parentheses behind it and marks of headings before it.
_CLAUSE: Final = re.compile(r"[#=*\-\s]*(?P<clause>[^,;:(，；：（\n]+)")


def find_index_name(folder: str) -> str:
    """The last part of a folder or address, without credentials and options.

    >>> find_index_name("archive/news/"), find_index_name("postgresql://me:secret@host/letters?ssl=1")
    ('news', 'letters')
    """
    return re.split(r"[\\/]", folder.partition("?")[0].rstrip("\\/"))[-1]


def introduce(view: View) -> dict[str, Any]:
    """The language of most documents, empty if unknown, and some of their titles or openings, spread over the index."""
    rows = view.alive_documents
    chosen = (
        rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _SAMPLE), dtype=np.int64))] if len(rows) else rows
    )
    documents = view.get_documents(chosen)
    languages = Counter(detect_language(document.text).code for document in documents)
    languages.pop("", None)
    headings = dict.fromkeys(heading for document in documents if (heading := _find_heading(document)))
    return {
        "language": Detection(languages.most_common(1)[0][0]).name if languages else "",
        "examples": list(headings)[len(headings) // (2 * _OFFERED) :: max(1, len(headings) // _OFFERED)][:_OFFERED],
    }


def _find_heading(document: Document) -> str:
    """The title of a document, or the clause that opens its text; empty where neither is short."""
    title = " ".join(document.title.split())
    if len(title) in _LENGTHS:
        return title
    opening = [document.text[start:end] for start, end in units(document.text[:500])[:2]]
    for text in opening:
        clause = _CLAUSE.match(text)
        found = "" if clause is None else " ".join(clause["clause"].split()).rstrip(".。")
        if len(found) in _LENGTHS:
            return found
    return ""
