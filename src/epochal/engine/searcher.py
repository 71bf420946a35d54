"""Searcher: one search over the current view of a store, with its encoder and a scorer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from epochal.encoders.base import Encoder
from epochal.engine.parts import over_parts
from epochal.engine.request import Request, SearchArguments
from epochal.engine.response import Response
from epochal.engine.search import run_search
from epochal.errors import EpochalError
from epochal.index.backend import View
from epochal.ranking.pool import Proposer, Scorer
from epochal.ranking.registry import scorer as named_scorer

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Searcher"]


class Searcher:
    """Everything that a search needs: the views of a store, the encoder of its vectors, and scorers by name.

    `take_view` is called once for each search, so that a search reads one state of the store from start to end.
    """

    def __init__(self, take_view: Callable[[], View], encoder: Encoder | None) -> None:
        self._take_view = take_view
        self._encoder = encoder
        self._proposers: dict[str, Scorer] = {}

    def view(self) -> View:
        """The present state, for those who want to look at it themselves; see `epochal.index.backend`."""
        return self._take_view()

    @property
    def encoder(self) -> Encoder | None:
        """What makes the vectors; None without."""
        return self._encoder

    def search(
        self,
        question: str,
        *,
        stopwatch: Callable[[], float] | None = None,
        **options: Unpack[SearchArguments],
    ) -> Response:
        """The documents that answer a question, from the time that it asks about.

        The options are those of `epochal.engine.request.SearchOptions`. `now` is the present that "last year" counts
        from; every time may be a Span, a date, a datetime, a year or a text.

        >>> from epochal import Document, Index, Span
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.add([Document("a", "Tariffs rose.", published=Span.parse("1998-05-02"))])
        ...     index.search("tariffs", during="2001", strict=True).hidden
        1
        {'at another time': 1}
        """
        request = Request.parse({"question": question, **options})
        scorer = request.scorer
        chosen = self._scorer(scorer) if isinstance(scorer, str) or scorer is None else scorer
        if not isinstance(chosen, Scorer):
            raise EpochalError(f"scorer must be a name or have a name and a method score, but is {chosen!r}")
        return over_parts(self._take_view, lambda view: run_search(view, self._encoder, request, chosen, stopwatch))

    def _scorer(self, name: str | None) -> Scorer:
        """The scorer of a name; one that proposes candidates reads the index once, and is kept for the next search."""
        if name is not None and name in self._proposers:
            return self._proposers[name]
        made = named_scorer(name)
        return self._proposers.setdefault(name, made) if name is not None and isinstance(made, Proposer) else made
