"""A whole answer in the terminal: what was understood, the hits, their timeline, and what was applied and hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from epochal.cli.rendering.columns import clean
from epochal.cli.rendering.explaining import explain
from epochal.cli.rendering.hits import hit_lines, time_of
from epochal.cli.rendering.phrases import hidden_words, outcome_sentence, understood_words
from epochal.cli.rendering.timeline import Timeline, window_of
from epochal.times import OPEN_END, OPEN_START, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from epochal.cli.rendering.page import Page
    from epochal.engine.response import Response

_BANDS = {"as_of": "as of", "valid_at": "valid at"}

__all__ = ["Held", "show_answer", "timeline_of"]


class Held(Protocol):
    """How many documents an index holds when: spans, a count for each, and the first and the last time of all.

    >>> from epochal.engine import Coverage
    >>> held: Held = Coverage((), ())
    >>> held.counts
    ()
    """

    @property
    def edges(self) -> tuple[Span, ...]:
        """Spans that follow one another."""
        ...

    @property
    def counts(self) -> tuple[int, ...]:
        """How many documents each of them holds."""
        ...

    @property
    def first(self) -> Span | None:
        """The first time that a document has; None where none has any."""
        ...

    @property
    def last(self) -> Span | None:
        """The last time that a document has."""
        ...


def show_answer(
    response: Response,
    coverage: Callable[[Span | None], Held],
    page: Page,
    *,
    time: bool = True,
    explained: int = 0,
    picture: bool = True,
) -> None:
    """Print an answer; the first `explained` hits with the reasons for their places, and a `picture` of all in time.

    `coverage` tells how many documents the index holds when, within a span or on the whole.

    >>> from dataclasses import dataclass
    >>> from epochal.cli.rendering.page import Page
    >>> from epochal.engine.response import Response
    >>> from epochal.reading.questions import understand
    >>> class Nothing: edges, counts, first, last = (), (), None, None
    >>> show_answer(Response("rain", None, (), understand("rain")), lambda span: Nothing(), Page())
    question    rain
    understood  nothing about time; topic “rain”
    <BLANKLINE>
    No document was found.
    """
    whole = coverage(None)
    present = "" if response.now is None else f"   (asked {response.now.edtf()})"
    page.labelled("question", [(clean(response.question), "bold"), (present, "dim")])
    page.labelled("understood", [(understood_words(response.understanding, time=time), "")])
    for item in response.applied:
        page.labelled("applied", [(clean(item.sentence), ""), ("  [strict]" if item.strict else "", "dim")])
    if response.hidden:
        page.labelled("hidden", [(hidden_words(response.hidden), "")])
    page.line()
    if sentence := outcome_sentence(response, whole.first, whole.last):
        for row in page.wrapped([(sentence, "bold magenta")], page.width):
            page.line(*row)
        page.line()
    if not response.hits:
        page.line(("No document was found.", ""))
    for line in hit_lines(response, page):
        page.line(*line)
    if picture and (drawn := timeline_of(response, whole, coverage)) is not None:
        page.line()
        for row in drawn.rows(page.width - 2):
            page.line(*row)
    if response.hits and explained:
        page.line()
        page.line(("Why these, and in this order:" if explained > 1 else "Why the first:", "bold"))
        explain(response.hits[:explained], page)


def timeline_of(response: Response, whole: Held, coverage: Callable[[Span | None], Held]) -> Timeline | None:
    """The picture of an answer; None where neither the index nor the hits have times.

    >>> from epochal.engine.response import Response
    >>> from epochal.reading.questions import understand
    >>> class Nothing: edges, counts, first, last = (), (), None, None
    >>> timeline_of(Response("rain", None, (), understand("rain")), Nothing(), lambda span: Nothing()) is None
    True
    """
    if whole.first is None or whole.last is None:
        return None
    marks = [(rank, span) for rank, hit in enumerate(response.hits, 1) if (span := time_of(hit)) is not None]
    reach = _bounded(Span.between(whole.first, whole.last))
    if reach is None:
        return None
    bands = tuple(dict.fromkeys(_bands(response)))
    window = window_of(reach, [span for _, span in (*bands, *marks)])
    held = whole if window == reach else coverage(window)
    return Timeline(window, held.edges, held.counts, bands, tuple(marks))


def _bands(response: Response) -> list[tuple[str, Span]]:
    """The times asked about, by the question itself or by the wishes that came with it, and the times looked from."""
    understanding = response.understanding
    stated = [item.span for item in understanding.constraints] + list(understanding.periods)
    found = [(_BANDS.get(item.name, "asked"), item.span) for item in response.applied if item.span is not None]
    return sorted([*found, *(("asked", span) for span in stated)], key=lambda band: band[0])


def _bounded(span: Span) -> Span | None:
    return None if span.start == OPEN_START or span.end == OPEN_END else span
