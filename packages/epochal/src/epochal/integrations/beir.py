"""Epochal as a model of BEIR and MTEB: takes a corpus and queries, returns scores by query and document."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Final

from epochal.api import Index
from epochal.encoders.base import Encoder
from epochal.encoders.registry import DEFAULT
from epochal.errors import EpochalError
from epochal.integrations.common import check_search_kwargs, search_index
from epochal.storage.importers.fields import DateReader, Fields, build_document
from epochal.storage.importers.rows import Row
from epochal.storage.records import Document
from epochal.version import __version__

#: The maximum number of hits of a search.
_MAX_HITS: Final = 10_000


class EpochalSearch:
    """A retriever with BEIR's `search(corpus, queries, top_k)`, which is also a search model of MTEB.

    Rows of the corpus may carry `published` (or `date`), `valid` and `series`; queries may carry `now`. `options` are
    those of `Index.search`, such as `now` for queries that carry none. No document is hidden behind a copy or another
    version of it, and no clock is read. Rows without text are ignored.
    """

    def __init__(self, encoder: str | Encoder | None = DEFAULT, **options: Any) -> None:
        self._encoder = encoder
        self._options = {"collapse_versions": False, **check_search_kwargs(options)}
        self._index: Index | None = None
        self._clean: weakref.finalize[..., EpochalSearch] | None = None

    def __enter__(self) -> EpochalSearch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the corpus that was indexed last."""
        if self._clean is not None:
            self._clean()
        self._index = self._clean = None

    def index(self, corpus: Mapping[str, Mapping[str, Any]] | Iterable[Mapping[str, Any]], **_: Any) -> None:
        """Index a corpus in a temporary folder: rows by id, as in BEIR, or rows with `id`, as in MTEB."""
        self.close()
        folder = tempfile.mkdtemp(prefix="epochal-")
        index = Index.create(folder, self._encoder)
        self._index, self._clean = index, weakref.finalize(self, _remove_index, index, folder)
        index.add(_make_documents(corpus))

    def search(
        self,
        corpus: Any = None,
        queries: Any = None,
        top_k: int = 10,
        score_function: str | None = None,
        *,
        top_ranked: Mapping[str, list[str]] | None = None,
        **_: Any,
    ) -> dict[str, dict[str, float]]:
        """Search, and return the scores of the best `top_k` documents of each query, by its id.

        A `corpus` is indexed first. Without one, as MTEB calls it, the corpus of `index` is searched, and if
        `top_ranked` lists documents of a query, only those are returned. `score_function` is ignored.
        """
        if queries is None:  # MTEB's only positional argument is the queries
            corpus, queries = None, corpus
        if corpus is not None:
            self.index(corpus)
        if self._index is None:
            raise EpochalError("there is no corpus to search; give one, or call index first")
        run: dict[str, dict[str, float]] = {}
        for key, text, now in _read_queries(queries):
            listed = None if top_ranked is None or key not in top_ranked else set(top_ranked[key])
            k = min(_MAX_HITS, max(1, len(self._index)) if listed is not None else top_k)
            response = search_index(
                self._index, text, {"now": None}, self._options, {"k": k}, {} if now is None else {"now": now}
            )
            scores = {hit.id: float(hit.score) for hit in response if listed is None or hit.id in listed}
            run[key] = dict(list(scores.items())[:top_k])
        return run

    @property
    def mteb_model_meta(self) -> Any:
        """The model card of MTEB; needs the package mteb."""
        try:
            from mteb.models.model_meta import ModelMeta
        except ImportError:
            raise EpochalError("a card for MTEB needs the package mteb; install it with: pip install mteb") from None
        name = self._encoder if isinstance(self._encoder, str) else getattr(self._encoder, "name", "none")
        return ModelMeta.create_empty(
            overwrites={
                "name": f"epochal/{name}",
                "revision": __version__,
                "modalities": ["text"],
                "use_instructions": False,
                "open_weights": True,
                "framework": [],
                "similarity_fn_name": None,
            }
        )


def _remove_index(index: Index, folder: str) -> None:
    index.close()
    shutil.rmtree(folder, ignore_errors=True)


def _make_documents(corpus: Mapping[str, Mapping[str, Any]] | Iterable[Mapping[str, Any]]) -> Iterator[Document]:
    fields, dates = Fields(), DateReader()
    rows = ({**row, "id": key} for key, row in corpus.items()) if isinstance(corpus, Mapping) else map(dict, corpus)
    for line, row in enumerate(rows, 1):
        if any(str(row.get(name) or "").strip() for name in (*fields.text, *fields.title)):
            yield build_document(Row("the corpus", line, row), fields, dates)


def _read_queries(queries: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield ids, texts and reference times of queries: BEIR's texts by id, or rows with `id` and `text`."""
    if isinstance(queries, Mapping):
        for key, text in queries.items():
            yield str(key), text, None
        return
    dates = DateReader()
    for row in queries:
        now = row.get("now")
        yield str(row["id"]), row["text"], None if now is None else dates.read(now, "now")
