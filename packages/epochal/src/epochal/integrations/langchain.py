"""A retriever for LangChain. Needs langchain-core: `pip install 'epochal[langchain]'`."""

from __future__ import annotations

import os
from typing import Any

from epochal.api import Index
from epochal.errors import MissingExtraError
from epochal.integrations.common import check_search_kwargs, get_content, make_hit_record, open_index, search_index

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import run_in_executor
    from pydantic import Field
except ImportError:
    raise MissingExtraError("the retriever for LangChain", "langchain-core", "langchain") from None


class EpochalRetriever(BaseRetriever):
    """Searches an index; a hit becomes a `Document` whose metadata has its dates, its score and its evidence.

    `search_kwargs` are the arguments of `Index.search`; those given to `invoke` override them. `now="clock"` is the
    machine's clock at each question. With `full_text`, the content is the whole text and not the best passage.
    """

    index: Index
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    full_text: bool = False

    def __init__(self, index: Index | str | os.PathLike[str], **fields: Any) -> None:
        # Opened here and not in a validator: pydantic would wrap errors of the folder in its own.
        super().__init__(index=open_index(index), **fields)
        self.search_kwargs = check_search_kwargs(self.search_kwargs)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        response = search_index(self.index, query, self.search_kwargs, kwargs)
        return [
            Document(
                id=hit.id,
                page_content=get_content(hit, full_text=self.full_text),
                metadata=make_hit_record(hit, response),
            )
            for hit in response
        ]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        documents: list[Document] = await run_in_executor(
            None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **kwargs
        )
        return documents
