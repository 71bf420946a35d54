"""A whole response in the terminal: a search with its hits and timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from epochal.cli.rendering.hits import (
    describe_hidden,
    describe_outcome,
    describe_understanding,
    format_hits,
    get_time,
    print_explanation,
)
from epochal.cli.rendering.terminal import clean
from epochal.cli.rendering.timeline import Timeline, choose_window
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.span import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from epochal.cli.rendering.terminal import Page
    from epochal.search.response import Response

_BANDS = {"as_of": "as of", "valid_at": "valid at"}


class CoverageCounts(Protocol):
    """The histogram of an index: spans, a count for each, and the first and the last time."""

    @property
    def edges(self) -> tuple[Span, ...]:
        """Consecutive spans."""
        ...

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of documents in each span."""
        ...

    @property
    def first(self) -> Span | None:
        """The first time of any document; None without dated documents."""
        ...

    @property
    def last(self) -> Span | None:
        """The last time of any document."""
        ...


def show_response(
    response: Response,
    coverage: Callable[[Span | None], CoverageCounts],
    page: Page,
    *,
    time: bool = True,
    explained: int = 0,
    picture: bool = True,
) -> None:
    """Print a response, explain the first `explained` hits, and draw a timeline if `picture`.

    `coverage` measures the histogram of the index, within a span or as a whole.
    """
    whole = coverage(None)
    present = "" if response.now is None else f"   (asked {response.now.edtf()})"
    page.print_labelled("question", [(clean(response.question), "bold"), (present, "dim")])
    page.print_labelled("understood", [(describe_understanding(response.understanding, time=time), "")])
    for item in response.applied:
        page.print_labelled("applied", [(clean(item.sentence), ""), ("  [strict]" if item.strict else "", "dim")])
    if response.hidden:
        page.print_labelled("hidden", [(describe_hidden(response.hidden), "")])
    page.line()
    if sentence := describe_outcome(response, whole.first, whole.last):
        for row in page.wrap([(sentence, "bold magenta")], page.width):
            page.line(*row)
        page.line()
    if not response.hits:
        page.line(("No document was found.", ""))
    for line in format_hits(response, page):
        page.line(*line)
    if picture and (timeline := make_timeline(response, whole, coverage)) is not None:
        page.line()
        for row in timeline.rows(page.width - 2):
            page.line(*row)
    if response.hits and explained:
        page.line()
        page.line(("Why these, and in this order:" if explained > 1 else "Why the first:", "bold"))
        print_explanation(response.hits[:explained], page)


def make_timeline(
    response: Response, whole: CoverageCounts, coverage: Callable[[Span | None], CoverageCounts]
) -> Timeline | None:
    """Make the timeline of a response; None if the index has no times."""
    if whole.first is None or whole.last is None:
        return None
    marks = [(rank, span) for rank, hit in enumerate(response.hits, 1) if (span := get_time(hit)) is not None]
    reach = _drop_open(Span.between(whole.first, whole.last))
    if reach is None:
        return None
    bands = tuple(dict.fromkeys(_find_bands(response)))
    window = choose_window(reach, [span for _, span in (*bands, *marks)])
    held = whole if window == reach else coverage(window)
    return Timeline(window, held.edges, held.counts, bands, tuple(marks))


def _find_bands(response: Response) -> list[tuple[str, Span]]:
    """Find the spans that the question and its options ask for, and the dates of as_of and valid_at."""
    understanding = response.understanding
    stated = [item.span for item in understanding.constraints] + list(understanding.periods)
    bands = [(_BANDS.get(item.name, "asked"), item.span) for item in response.applied if item.span is not None]
    return sorted([*bands, *(("asked", span) for span in stated)], key=lambda band: band[0])


def _drop_open(span: Span) -> Span | None:
    return None if span.start == OPEN_START or span.end == OPEN_END else span
