"""A cited answer in the terminal: time by time what is recorded, what is missing, and the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.answers.records import as_of_sentence, headings, notes_on, shown_citations
from epochal.cli.rendering.columns import clean, cropped, padded

if TYPE_CHECKING:
    from epochal.answers.records import Answer, Citation, Claim
    from epochal.cli.rendering.page import Page, Piece

__all__ = ["show_cited"]

_DATE = 12


def show_cited(answer: Answer, page: Page) -> None:
    """Print an answer.

    >>> from epochal.answers.records import Answer, Citation, Part
    >>> from epochal.cli.rendering.page import Page
    >>> from epochal.times import Span
    >>> rain = Citation(1, "p1", "", "It rained.", 0, 10, Span.year(1998), "text", "within")
    >>> show_cited(Answer("Rain in 1998?", "recorded", (Part(Span.year(1998), "recorded", "", (1,)),), (rain,)), Page())
    question    Rain in 1998?
    <BLANKLINE>
    1998
      1998        It rained. [1]
    <BLANKLINE>
    sources
      [1: p1, 1998]
    """
    page.labelled("question", [(clean(answer.question), "bold")])
    if sentence := as_of_sentence(answer):
        page.labelled("seen", [(clean(sentence), "dim")])
    if answer.model:
        page.labelled("written by", [(clean(answer.model), "dim")])
    page.line()
    if answer.model:
        _claims(answer, page)
    else:
        _parts(answer, page)
    for item in answer.missing:
        if answer.model or item.outcome is None:
            page.labelled("missing", [(clean(item.sentence), "magenta")])
    for dropped in answer.dropped:
        page.labelled("left out", [(clean(f"{dropped.text} ({dropped.reason})"), "dim")])
    if numbers := shown_citations(answer):
        page.line()
        page.line(("sources", "cyan"))
        for number in numbers:
            _source(answer.citation(number), page)


def _parts(answer: Answer, page: Page) -> None:
    for part in answer.parts:
        if part.period is not None:
            page.line((part.words, "bold green"))
        if part.sentence:
            _wrapped(page, [(part.sentence, "bold magenta")], 2)
        for head, group in headings(answer, part):
            if head:
                page.line((f"  {head}", "dim"))
            for item in group:
                _quoted(item, page)
        if part.more:
            page.line((f"  and {part.more:,} more", "dim"))
    if not answer.citations and all(part.period is None for part in answer.parts):
        page.line(("No document was found.", ""))


def _quoted(item: Citation, page: Page) -> None:
    date = "undated" if item.date is None else item.date.edtf()
    words: list[Piece] = [(clean(item.quote).strip(), ""), (f" [{item.number}]", "cyan")]
    for number, row in enumerate(page.wrapped(words, page.width - _DATE - 2)):
        page.line(("  ", ""), (padded("" if number else cropped(date, _DATE - 1), _DATE), "green"), *row)


def _claims(answer: Answer, page: Page) -> None:
    if not answer.claims:
        page.line(("The evidence does not answer this.", "bold magenta"))
    for claim in answer.claims:
        _wrapped(page, [(clean(claim.text), ""), *_numbers(claim)], 0)
        for quote in claim.quotes:
            _wrapped(page, [(f"“{clean(quote.quote)}” [{quote.number}]", "dim")], 4)


def _numbers(claim: Claim) -> list[Piece]:
    return [(f" [{number}]", "cyan") for number in claim.numbers]


def _source(item: Citation, page: Page) -> None:
    named = "" if item.source == item.id else f" {clean(item.id)}"
    _wrapped(page, [(clean(item.label), ""), (clean(f"{named}{notes_on(item)}"), "dim")], 2)


def _wrapped(page: Page, pieces: list[Piece], indent: int) -> None:
    for row in page.wrapped(pieces, page.width - indent):
        page.line((" " * indent, ""), *row)
