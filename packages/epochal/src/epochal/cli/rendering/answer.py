"""An answer in the terminal, with its citations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.answers.answer import (
    describe_as_of,
    describe_times,
    describe_versions,
    group_citations,
    list_displayed_citations,
)
from epochal.cli.rendering.terminal import clean, crop, pad

if TYPE_CHECKING:
    from epochal.answers.answer import Answer, Citation
    from epochal.cli.rendering.terminal import Page, Piece

_DATE = 12


def show_answer(answer: Answer, page: Page) -> None:
    """Print an answer with its citations, what is missing, and its sources."""
    page.print_labelled("question", [(clean(answer.question), "bold")])
    if sentence := describe_as_of(answer):
        page.print_labelled("seen", [(clean(sentence), "dim")])
    if answer.model:
        page.print_labelled("written by", [(clean(answer.model), "dim")])
    page.line()
    if answer.times:
        _print_wrapped(page, [(describe_times(answer.times), "bold green")], 0)
    if answer.model:
        _print_claims(answer, page)
    else:
        _print_parts(answer, page)
    for item in answer.missing:
        if answer.model or item.outcome is None:
            page.print_labelled("missing", [(clean(item.sentence), "magenta")])
    for dropped in answer.dropped:
        page.print_labelled("left out", [(clean(f"{dropped.text} ({dropped.reason})"), "dim")])
    if numbers := list_displayed_citations(answer):
        page.line()
        page.line(("sources", "cyan"))
        for number in numbers:
            _print_source(answer.citation(number), page)


def _print_parts(answer: Answer, page: Page) -> None:
    for part in answer.parts:
        if part.period is not None:
            page.line((part.words, "bold green"))
        if part.sentence:
            _print_wrapped(page, [(part.sentence, "bold magenta")], 2)
        for head, group in group_citations(answer, part):
            if head:
                page.line((f"  {head}", "dim"))
            for item in group:
                _print_citation(item, page)
        if part.more:
            page.line((f"  and {part.more:,} more", "dim"))
    if not answer.citations and all(part.period is None for part in answer.parts):
        page.line(("No document was found.", ""))


def _print_citation(item: Citation, page: Page) -> None:
    date = "undated" if item.date is None else item.date.edtf()
    words: list[Piece] = [(clean(item.quote).strip(), ""), (f" [{item.number}]", "cyan")]
    for number, row in enumerate(page.wrap(words, page.width - _DATE - 2)):
        page.line(("  ", ""), (pad("" if number else crop(date, _DATE - 1), _DATE), "green"), *row)


def _print_claims(answer: Answer, page: Page) -> None:
    if not answer.claims:
        page.line(("The evidence does not answer this.", "bold magenta"))
    for claim in answer.claims:
        _print_wrapped(page, [(clean(claim.text), ""), *((f" [{number}]", "cyan") for number in claim.numbers)], 0)
        for quote in claim.quotes:
            _print_wrapped(page, [(f"“{clean(quote.quote)}” [{quote.number}]", "dim")], 4)


def _print_source(item: Citation, page: Page) -> None:
    named = "" if item.source == item.id else f" {clean(item.id)}"
    _print_wrapped(page, [(clean(item.label), ""), (clean(f"{named}{describe_versions(item)}"), "dim")], 2)


def _print_wrapped(page: Page, pieces: list[Piece], indent: int) -> None:
    for row in page.wrap(pieces, page.width - indent):
        page.line((" " * indent, ""), *row)
