"""Own dates: when a document is from by its title, its heading or its first words, where nothing else says so.

A text file of release notes, minutes or a diary has no metadata, and opens with its date: "## 2.3.1 (2021-04-05)",
"Minutes of the meeting of 12 March 2019.", "Berlin, 4 May: ...". A time further in may be of anything that the text
tells.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from epochal.storage.protocol import Rows, View, find_first_line
from epochal.storage.records import TITLE
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.spanset import SpanSet

__all__ = ["find_own_dates"]

#: A time among so many characters opens a text: "On 5 May".
_OPENING: Final = 12
#: How far in a heading may end.
_HEADING: Final = 120
#: The least share of documents that must open with a date: of prose, some paragraphs do so by chance.
_LEAST: Final = 0.5
#: Of so many documents at most the first lines are read.
_MAX_READ: Final = 20_000
#: What ends a heading behind its date.
_END: Final = re.compile(r"[)\]*_ ]*(?:[.:;。：；|]|\s[-–—]|\n|$)")


def find_own_dates(view: View, documents: Rows) -> tuple[Rows, SpanSet]:
    """Which of the documents, each given once, open with a date, as indices, and these dates: years or shorter ones.

    Nothing where most of them do not.
    """
    content = view.content
    rows = view.get_passage_rows(documents)
    owners = view.get_document_rows(rows)
    firsts = rows[np.append(True, owners[1:] != owners[:-1])] if len(rows) else rows
    places = np.searchsorted(content.rows, firsts)
    (has,) = np.nonzero(places < len(content))
    has = has[content.rows[places[has]] == firsts[has]]
    # Times of the title come first, and then those of the text in its order.
    at = places[has]
    spans = content.spans[at]
    starts, ends = content.start_chars[at], content.end_chars[at]
    fits = (spans.grains <= Grain.YEAR) & (spans.starts != OPEN_START) & (spans.ends != OPEN_END) & (ends <= _HEADING)
    own = fits & ((starts == TITLE) | (starts <= _OPENING))
    unsure = np.flatnonzero(fits & ~own)[:_MAX_READ]
    texts = view.get_texts(firsts[has[unsure]])
    own[unsure] = [
        end <= len(find_first_line(text.text)) or _END.match(text.text, end) is not None
        for text, end in zip(texts, ends[unsure].tolist(), strict=True)
    ]
    if np.count_nonzero(own) < _LEAST * len(documents):
        own[:] = False
    return has[own], spans[own]
