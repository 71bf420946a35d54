"""A retriever component for Haystack. Needs haystack-ai: `pip install 'epochal[haystack]'`."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from epochal.api import Index
from epochal.errors import EpochalError, MissingExtraError
from epochal.integrations.common import check_search_kwargs, get_content, make_hit_record, open_index, search_index

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError:
    raise MissingExtraError("the component for Haystack", "haystack-ai", "haystack") from None


@component
class EpochalRetriever:
    """Searches an index; a hit becomes a `Document` whose meta has its dates, its score and its evidence.

    `search_kwargs` are the arguments of `Index.search`; those given to `run` override them, and `top_k` is their `k`.
    `now="clock"` is the machine's clock at each question. With `full_text`, the content is the whole text and not the
    best passage. The output `outcome` is that of the search; a router can use it to tell an answer from a gap.
    """

    def __init__(
        self,
        index: Index | str | os.PathLike[str],
        top_k: int = 10,
        search_kwargs: dict[str, Any] | None = None,
        full_text: bool = False,
    ) -> None:
        # A folder is opened when the pipeline warms up: creating a component must be cheap.
        self.folder = os.fspath(index) if isinstance(index, str | os.PathLike) else None
        self._index = None if self.folder is not None else open_index(index)
        self.top_k = top_k
        self.search_kwargs = check_search_kwargs(search_kwargs)
        self.full_text = full_text

    def warm_up(self) -> None:
        """Open the index of a folder; a pipeline calls this before it runs."""
        self._open()

    def to_dict(self) -> dict[str, Any]:
        """Serialise the retriever; only one of a folder can be."""
        if self.folder is None:
            raise EpochalError("a retriever of an open index cannot be written; make it with the folder of the index")
        written: dict[str, Any] = default_to_dict(
            self, index=self.folder, top_k=self.top_k, search_kwargs=self.search_kwargs, full_text=self.full_text
        )
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EpochalRetriever:
        """Make a retriever from the result of `to_dict`."""
        retriever: EpochalRetriever = default_from_dict(cls, data)
        return retriever

    @component.output_types(documents=list[Document], outcome=str)
    def run(self, query: str, top_k: int | None = None, search_kwargs: dict[str, Any] | None = None) -> dict[str, Any]:
        """The `documents` that answer a question, best first, and the `outcome` of the search."""
        own = {} if top_k is None else {"k": top_k}
        response = search_index(self._open(), query, {"k": self.top_k}, self.search_kwargs, own, search_kwargs)
        documents = [
            Document(
                id=hit.id,
                content=get_content(hit, full_text=self.full_text),
                meta=make_hit_record(hit, response),
                score=hit.score,
            )
            for hit in response
        ]
        return {"documents": documents, "outcome": response.outcome}

    @component.output_types(documents=list[Document], outcome=str)
    async def run_async(
        self, query: str, top_k: int | None = None, search_kwargs: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The same, in a thread of its own."""
        return await asyncio.to_thread(self.run, query, top_k, search_kwargs)

    def _open(self) -> Index:
        if self._index is None:
            self._index = open_index(self.folder or "")
        return self._index
