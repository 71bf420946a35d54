"""Why a hit was found: the parts of its score as bars, and the times that speak for it, quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.cli.rendering.columns import bar, clean, cropped, padded
from epochal.cli.rendering.phrases import evidence_sentence, part_words
from epochal.cli.rendering.snippet import marked_pieces, snippet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epochal.cli.rendering.page import Page
    from epochal.engine.response import Evidence, Hit

__all__ = ["explain"]

_BAR = 24
_MOST_EVIDENCE = 3


def explain(hits: Sequence[Hit], page: Page) -> None:
    """Print why the first hits have their places. Bars of different hits can be compared.

    >>> from epochal.cli.rendering.page import Page
    >>> from epochal.engine.response import Hit
    >>> from epochal.index.records import Document
    >>> parts = {"lexical": 1.0, "freshness": -0.25}
    >>> explain([Hit(Document("p1", "It rained."), 0.75, parts, "It rained.")], Page())
     1  p1: It rained.
        score       0.750
        lexical    +1.000  ████████████████████████  shares words with the question
        freshness  −0.250  ▒▒▒▒▒▒                    is recent, as the question needs
    """
    most = max((abs(value) for hit in hits for value in hit.parts.values()), default=0.0)
    for rank, hit in enumerate(hits, 1):
        name = clean(hit.document.title).strip() or clean(hit.passage)
        head = cropped(f"{clean(hit.id)}: {name}", page.width - 4)
        page.line((padded(str(rank), 2, right=True), "bold"), ("  ", ""), (head, "bold"))
        _parts(hit, most, page)
        for item in hit.evidence[:_MOST_EVIDENCE]:
            _quote(item, page)
        if len(hit.evidence) > _MOST_EVIDENCE:
            page.line((f"    and {len(hit.evidence) - _MOST_EVIDENCE} more times", "dim"))


def _parts(hit: Hit, most: float, page: Page) -> None:
    width = max([len(part) for part in hit.parts] + [5])
    page.line((f"    {'score':{width}}  {hit.score:6.3f}", ""))
    for part, value in hit.parts.items():
        drawn = bar(abs(value) / most, _BAR) if most else ""
        page.line(
            (f"    {part:{width}}  ", "cyan"),
            (f"{'−' if value < 0 else '+'}{abs(value):.3f}  ", ""),
            (f"{'▒' * len(drawn) if value < 0 else drawn:{_BAR}}", "red" if value < 0 else "blue"),
            (f"  {part_words(part)}" if value else "", "dim"),
        )


def _quote(item: Evidence, page: Page) -> None:
    for row in page.wrapped([(evidence_sentence(item), "")], page.width - 6):
        page.line(("    ", ""), *row)
    if item.axis == "content" and item.context.strip() != item.text.strip():
        place = item.context.find(item.text)
        marks = [(place, place + len(item.text))] if place >= 0 else []
        pieces = marked_pieces(snippet(item.context, marks, page.width - 12), brackets=not page.is_terminal)
        page.line(("      “", "dim"), *pieces, ("”", "dim"))
