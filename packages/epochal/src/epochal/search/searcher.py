"""Searcher: one search over the current view of a store, with its encoder and a scorer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from epochal.encoders.base import Encoder
from epochal.errors import EpochalError
from epochal.ranking.pool import Proposer, Scorer
from epochal.ranking.registry import load_scorer
from epochal.search.request import Request, SearchArguments
from epochal.search.response import Response, read_with_retry
from epochal.search.search import run_search
from epochal.storage.protocol import View

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Searcher:
    """Everything that a search needs: the views of a store, the encoder of its vectors, and scorers by name.

    `take_view` is called once for each search, so that a search reads one state of the store from start to end.
    """

    def __init__(self, take_view: Callable[[], View], encoder: Encoder | None) -> None:
        self._take_view = take_view
        self._encoder = encoder
        self._proposers: dict[str, Scorer] = {}

    def view(self) -> View:
        """The present state of the store; see `epochal.storage.protocol`."""
        return self._take_view()

    @property
    def encoder(self) -> Encoder | None:
        """The encoder of the vectors; None without."""
        return self._encoder

    def search(
        self,
        question: str,
        *,
        stopwatch: Callable[[], float] | None = None,
        **options: Unpack[SearchArguments],
    ) -> Response:
        """The documents that answer a question, from the time that it asks about.

        The options are those of `epochal.search.request.SearchOptions`. `now` is the present that "last year" counts
        from; every time may be a Span, a date, a datetime, a year or a text.
        """
        request = Request.parse({"question": question, **options})
        scorer = request.scorer
        selected = self._load_scorer(scorer) if isinstance(scorer, str) or scorer is None else scorer
        if not isinstance(selected, Scorer):
            raise EpochalError(f"scorer must be a name or have a name and a method score, but is {selected!r}")
        return read_with_retry(
            self._take_view, lambda view: run_search(view, self._encoder, request, selected, stopwatch)
        )

    def _load_scorer(self, name: str | None) -> Scorer:
        """The scorer of a name; one that proposes candidates is cached for the next search."""
        if name is not None and name in self._proposers:
            return self._proposers[name]
        scorer = load_scorer(name)
        return self._proposers.setdefault(name, scorer) if name is not None and isinstance(scorer, Proposer) else scorer
