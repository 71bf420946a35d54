"""The hits of a search as a list: rank, date, score, and the words with the time that speaks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.cli.rendering.columns import clean, cropped, padded
from epochal.cli.rendering.snippet import marked_pieces, snippet
from epochal.engine.response import ESTIMATED_AXIS

if TYPE_CHECKING:
    from epochal.cli.rendering.page import Page, Piece
    from epochal.engine.response import Evidence, Hit, Response
    from epochal.times import Span

__all__ = ["date_of", "hit_lines", "marks_of", "time_of"]

_DATE = 11
_MOST_LINES = 2


def hit_lines(response: Response, page: Page) -> list[list[Piece]]:
    """The lines of the list. A title has a line of its own, above the words of the passage.

    >>> from epochal.cli.rendering.page import Page
    >>> from epochal.engine.response import Hit, Response
    >>> from epochal.index.records import Document
    >>> from epochal.reading.questions import understand
    >>> from epochal.times import Span
    >>> rain = Document("p1", "It rained.", published=Span.parse("1998-03-15"))
    >>> found = Response("rain", None, (Hit(rain, 1.5, {"lexical": 1.5}, "It rained."),), understand("rain"))
    >>> for line in hit_lines(found, Page()): print("".join(text for text, _ in line))
     1  1998-03-15    1.500  It rained.
                             p1
    """
    ranks = len(str(len(response.hits)))
    lines: list[list[Piece]] = []
    for rank, hit in enumerate(response.hits, 1):
        left: list[Piece] = [
            (padded(str(rank), max(ranks, 2), right=True), "bold"),
            ("  ", ""),
            (padded(cropped(date_of(hit), _DATE), _DATE), "green"),
            (padded(f"{hit.score:.3f}", 8, right=True), "dim"),
            ("  ", ""),
        ]
        indent = max(ranks, 2) + 2 + _DATE + 8 + 2
        rows = _body(hit, page, page.width - indent)
        for number, row in enumerate(rows):
            lines.append([*(left if not number else [(" " * indent, "")]), *row])
    return lines


def _body(hit: Hit, page: Page, width: int) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    if title := clean(hit.document.title).strip():
        rows.append([(cropped(title, width), "bold")])
    room = _MOST_LINES * width - 8  # words are not broken, so that some columns stay empty
    pieces = marked_pieces(snippet(hit.passage, marks_of(hit), room), brackets=not page.is_terminal)
    rows += page.wrapped(pieces, width) if pieces else []
    rows.append([(cropped(_notes(hit), width), "dim")])
    return rows


def _notes(hit: Hit) -> str:
    notes = [clean(hit.id)]
    notes += [f"time estimated, not stated: {item.span.describe()}" for item in hit.evidence if _is_estimate(item)]
    if hit.period is not None:
        notes.append(f"for {hit.period.describe()}")
    if hit.superseded_by is not None:
        notes.append(f"a newer version is {clean(hit.superseded_by)}")
    if hit.folded:
        others = ", ".join(clean(name) for name in hit.folded[:3]) + (", …" if len(hit.folded) > 3 else "")
        notes.append(f"stands for {len(hit.folded)} more: {others}")
    return " · ".join(notes)


def _is_estimate(item: Evidence) -> bool:
    return item.axis == ESTIMATED_AXIS


def marks_of(hit: Hit) -> list[tuple[int, int]]:
    """Where in the passage the times stand that speak for it.

    >>> from epochal.engine.response import Evidence, Hit
    >>> from epochal.index.records import Document
    >>> from epochal.times import Span
    >>> said = Evidence(Span.year(1933), "1933", 13, 17, "The prize of 1933", 1.0, 1.0)
    >>> marks_of(Hit(Document("a", "The prize of 1933"), 1.0, {}, "of 1933", 10, (said,)))
    [(3, 7)]
    """
    last = hit.passage_start + len(hit.passage)
    return [
        (item.start_char - hit.passage_start, item.end_char - hit.passage_start)
        for item in hit.evidence
        if item.axis == "content" and hit.passage_start <= item.start_char and item.end_char <= last
    ]


def date_of(hit: Hit) -> str:
    """The date to show beside a hit: when it appeared, else the time that speaks for it.

    >>> from epochal.engine.response import Hit
    >>> from epochal.index.records import Document
    >>> date_of(Hit(Document("a", "Rain."), 1.0, {}, "Rain."))
    'undated'
    """
    span = hit.document.published or hit.document.valid
    if span is not None:
        return span.edtf()
    said = time_of(hit)
    return "undated" if said is None else f"({said.edtf()})"


def time_of(hit: Hit) -> Span | None:
    """The time that a hit stands for: what speaks best for it, else when it appeared. An estimate is not one.

    >>> from epochal.engine.response import Hit
    >>> from epochal.index.records import Document
    >>> from epochal.times import Span
    >>> time_of(Hit(Document("a", "Rain.", published=Span.year(1998)), 1.0, {}, "Rain.")).edtf()
    '1998'
    """
    dated = hit.document.published or hit.document.valid
    stated = [item for item in hit.evidence if not _is_estimate(item)]
    said = max(stated, key=lambda item: item.match * item.local).span if stated else None
    # "Since 1983" has no place of its own in a picture, and "in 2016" a wide one; the document's own may be better.
    if said is None or (dated is not None and (said.is_open or dated in said)):
        return dated
    return said
