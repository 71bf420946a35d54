"""A search whose question was read by somebody else: the steps of the engine with an understanding that is given."""

from __future__ import annotations

from collections.abc import Callable

from epochal.encoders.base import Encoder
from epochal.engine.nested import nested
from epochal.engine.outcome import outcome_of
from epochal.engine.parts import missing_parts, told_missing
from epochal.engine.request import Request
from epochal.engine.response import Response
from epochal.engine.search import _applied, _by_document, _gathered, _Hits, _Laps, _penalised
from epochal.engine.selection import select
from epochal.index.backend import View
from epochal.ranking.pool import Scorer
from epochal.ranking.windows import windows_of
from epochal.reading.questions.question import Understanding

__all__ = ["search_as"]


def search_as(
    view: View,
    encoder: Encoder | None,
    request: Request,
    scorer: Scorer,
    asked: Understanding,
    stopwatch: Callable[[], float] | None = None,
) -> Response:
    """The response to a request whose question asks of time what `asked` says, whatever its words are.

    >>> from epochal.index.store import Store
    >>> from epochal.ranking.gate import Gate
    >>> from epochal.reading.questions import understand
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     found = search_as(store.view(), None, Request("rain in 1998"), Gate(), understand("rain in 2003"))
    >>> found.applied[0].sentence
    'prefers what speaks of or was published in 2003'
    """
    laps = _Laps(stopwatch)
    missing = missing_parts(view)
    view, encoder, compared = nested(view, encoder, request)
    windows = windows_of(asked, request.sought)
    laps.lap("understand")
    selection = select(view, request, timed=bool(windows))
    laps.lap("select")
    pool = _gathered(view, encoder, request, asked, windows, selection.rows, scorer)
    laps.lap("gather")
    scored = _penalised(pool, scorer.score(pool), request)
    laps.lap("score")
    hits = _Hits(pool, scored, request, _by_document(pool, scored))
    found = hits.chosen()
    laps.lap("choose")
    return Response(
        question=request.question,
        now=request.now,
        hits=found,
        understanding=asked,
        applied=(*_applied(request, asked, windows, selection, hits, scored), *compared, *told_missing(missing)),
        hidden={**selection.hidden, **hits.hidden},
        outcome=outcome_of(view, request, asked, windows, found),
        timings=laps.timings,
        missing=missing,
    )
