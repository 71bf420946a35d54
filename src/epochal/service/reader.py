"""Reader: the index as requests read it, always in its newest state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from epochal.encoders.base import Encoder
from epochal.engine.index import Index
from epochal.engine.parts import over_parts
from epochal.engine.request import Request
from epochal.engine.response import Response
from epochal.engine.search import run_search, understood
from epochal.errors import UnknownNameError
from epochal.index.backend import View
from epochal.ranking.pool import Scorer
from epochal.ranking.registry import scorer as named_scorer
from epochal.ranking.registry import scorer_names
from epochal.service.edits import edited
from epochal.times import Span

__all__ = ["Edits", "Reader"]


@dataclass(frozen=True, slots=True)
class Edits:
    """What somebody has corrected in the reading of a question: constraints to drop, or periods in place of all.

    >>> bool(Edits()), bool(Edits(periods=()))
    (False, True)
    """

    drop: tuple[int, ...] = ()
    periods: tuple[Span, ...] | None = None

    def __bool__(self) -> bool:
        return bool(self.drop) or self.periods is not None


class Reader:
    """An index that is read by many threads. Each search sees what was written before it, by whichever process.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Index.create(folder, encoder=None).close()
    ...     reader = Reader(folder)
    ...     response, view = reader.search(Request("rain in 1998"))
    ...     print(response.outcome, view.generation)
    ...     reader.close()
    not_covered 0
    """

    def __init__(self, folder: str) -> None:
        self._index = Index.open(folder)
        self._guard = threading.Lock()
        self._scorers: dict[str | None, Scorer] = {}
        #: Sentences on what had to be mended when the index was opened.
        self.repairs = self._index.repairs

    @property
    def encoder(self) -> Encoder | None:
        """What makes the vectors; None without.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder=None).close()
        ...     Reader(folder).encoder is None
        True
        """
        return self._index.encoder

    @property
    def encoder_name(self) -> str:
        """The name of the encoder; empty without vectors.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder="static").close()
        ...     Reader(folder).encoder_name
        'static'
        """
        return self._index.encoder_name

    def view(self) -> View:
        """The present state.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder=None).close()
        ...     Reader(folder).view().document_count
        0
        """
        return self._index.view()

    def scorer(self, name: str | None) -> Scorer:
        """A scorer by its name. Only names of the list: those with a path in them would read the server's disk.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder=None).close()
        ...     Reader(folder).scorer("gate:/etc/passwd")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        epochal.errors.UnknownNameError: no scorer is called 'gate:/etc/passwd'; known: gate, bm25, ...
        """
        with self._guard:
            if name not in self._scorers:
                if name is not None and name not in (names := scorer_names()):
                    raise UnknownNameError("scorer", name, names)
                self._scorers[name] = named_scorer(name)
            return self._scorers[name]

    def search(
        self,
        request: Request,
        scorer: str | None = None,
        edits: Edits | None = None,
        stopwatch: Callable[[], float] | None = None,
    ) -> tuple[Response, View]:
        """The response to a request, and the state that it was found in.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder=None).close()
        ...     Reader(folder).search(Request("rain in 1998"), edits=Edits(drop=(0,)))[0].outcome
        'no_window'
        """
        chosen = self.scorer(scorer)
        asked = edited(understood(request), edits.drop, edits.periods) if edits else None
        return over_parts(
            self.view, lambda view: (run_search(view, self.encoder, request, chosen, stopwatch, asked), view)
        )

    def answer(self, question: str, **wishes: Any) -> dict[str, Any]:
        """The record of the answer to a question; the wishes are those of `Index.answer`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder=None).close()
        ...     Reader(folder).answer("rain in 1998")["outcome"]
        'not_covered'
        """
        return self._index.answer(question, **wishes).to_dict()

    def close(self) -> None:
        """Let go of the files.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder=None).close()
        ...     Reader(folder).close()
        """
        self._index.close()
