"""What the integrations share: an index from a folder, a question with its options, a hit as plain values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from epochal.engine.index import Index
from epochal.engine.request import SearchOptions, rename_aliases
from epochal.engine.response import Hit, Response
from epochal.errors import EpochalError
from epochal.times import Clock, Span, SystemClock

__all__ = ["CLOCK", "ask", "check_search_kwargs", "content_of", "hit_record", "index_of"]

#: The value of `now` that stands for the machine's clock at the moment of each question.
CLOCK: Final = "clock"
#: Words such as "last year" can be checked with any present.
_ANY_PRESENT: Final = Span.year(2000)


def index_of(index: Index | str | os.PathLike[str]) -> Index:
    """An index that is open, or the one of a folder, opened to be read.

    >>> index_of(7)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: index must be an Index or the folder of one, but is 7
    """
    if isinstance(index, Index):
        return index
    if isinstance(index, str | os.PathLike):
        return Index.open(index)
    raise EpochalError(f"index must be an Index or the folder of one, but is {index!r}")


def check_search_kwargs(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options of a search that a retriever was made with, refused where they are given and not at the first query.

    >>> check_search_kwargs({"k": 0})
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: k must be from 1 to 10,000, but is 0
    """
    options = rename_aliases(given or {})
    present = {"now": None} if options.get("now") == CLOCK else {}
    SearchOptions.parse({**options, **present}, _ANY_PRESENT)
    return options


def ask(index: Index, question: str, *given: Mapping[str, Any] | None, clock: Clock | None = None) -> Response:
    """The response of a search; of several sets of options a later one goes before an earlier.

    They are those of `Index.search`. `now="clock"` is the machine's clock; without `now`, no clock is read.

    >>> import tempfile
    >>> from epochal.times import FixedClock
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
    ...     found = ask(index, "rain last year", {"k": 3, "now": "1990"}, {"now": "clock"},
    ...                 clock=FixedClock(Span.year(1998)))
    >>> [span.edtf() for span in found.understanding.periods]
    ['1997']
    """
    merged: dict[str, Any] = {}
    for group in given:
        merged.update(rename_aliases(group or {}))
    if merged.get("now") == CLOCK:
        merged["now"] = (clock or SystemClock()).now()
    return index.search(question, **merged)


def hit_record(hit: Hit, response: Response) -> dict[str, Any]:
    """A hit as plain values that JSON can hold, on top of the document's own metadata.

    Times are EDTF. `time` is the one that speaks loudest for the hit; `outcome` is that of the whole search.

    >>> from epochal.index.records import Document
    >>> from epochal.reading.questions.question import Understanding
    >>> hit = Hit(Document("p1", "Rain.", published=Span.year(1998), meta={"source": "wire"}), 1.0, {}, "Rain.")
    >>> record = hit_record(hit, Response("rain", None, (hit,), Understanding("none", "atemporal", "Never")))
    >>> record["published"], record["source"], record["time"]
    ('1998', 'wire', None)
    """
    document = hit.document
    return {
        **document.meta,
        "id": document.id,
        "title": document.title,
        "score": hit.score,
        "parts": dict(hit.parts),
        "published": _edtf(document.published),
        "valid": _edtf(document.valid),
        "series": document.series,
        "time": hit.evidence[0].span.edtf() if hit.evidence else None,
        "evidence": [item.to_dict() for item in hit.evidence],
        "passage_start": hit.passage_start,
        "period": _edtf(hit.period),
        "superseded_by": hit.superseded_by,
        "folded": list(hit.folded),
        "outcome": response.outcome,
    }


def content_of(hit: Hit, *, full_text: bool) -> str:
    """What a framework is given to read: the best passage, or the whole text; the title where there is no text.

    >>> from epochal.index.records import Document
    >>> content_of(Hit(Document("p1", "Rain. Snow."), 1.0, {}, "Snow.", 6), full_text=False)
    'Snow.'
    """
    return (hit.document.text if full_text else hit.passage) or hit.document.title


def _edtf(span: Span | None) -> str | None:
    return None if span is None else span.edtf()
