"""A retriever and a node post-processor for LlamaIndex. Needs llama-index-core: `pip install 'epochal[llamaindex]'`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from epochal.api import Index
from epochal.errors import MissingExtraError
from epochal.integrations.common import (
    Candidate,
    check_search_kwargs,
    get_content,
    make_hit_record,
    open_index,
    rerank,
    search_index,
)
from epochal.search.response import Hit, Response

try:
    from llama_index.core.bridge.pydantic import Field
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import MetadataMode, NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo
    from llama_index.core.schema import TextNode as Node
except ImportError:
    raise MissingExtraError("the retriever for LlamaIndex", "llama-index-core", "llamaindex") from None

#: The metadata of a node that a language model sees; the rest is for programs.
_VISIBLE = frozenset(("title", "published", "valid", "time"))


class EpochalRetriever(BaseRetriever):
    """Searches an index; a hit becomes a scored node whose metadata has its dates, its score and its evidence.

    `search_kwargs` are the arguments of `Index.search`. `now="clock"` is the machine's clock at each question. With
    `full_text`, a node holds the whole text and not the best passage. Language models and embeddings see
    only the title and the dates of the metadata.
    """

    def __init__(
        self,
        index: Index | str | os.PathLike[str],
        search_kwargs: Mapping[str, Any] | None = None,
        *,
        full_text: bool = False,
        callback_manager: CallbackManager | None = None,
        **base: Any,
    ) -> None:
        self._index = open_index(index)
        self._search_kwargs = check_search_kwargs(search_kwargs)
        self._full_text = full_text
        super().__init__(callback_manager=callback_manager, **base)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        response = search_index(self._index, query_bundle.query_str, self._search_kwargs)
        return [NodeWithScore(node=self._make_node(hit, response), score=hit.score) for hit in response]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

    def _make_node(self, hit: Hit, response: Response) -> Node:
        text = get_content(hit, full_text=self._full_text)
        record = make_hit_record(hit, response)
        hidden = [key for key, value in record.items() if key not in _VISIBLE or not value]
        start = 0 if self._full_text else hit.passage_start
        return Node(
            id_=hit.id,
            text=text,
            start_char_idx=start,
            end_char_idx=start + len(text),
            metadata=record,
            excluded_llm_metadata_keys=hidden,
            excluded_embed_metadata_keys=hidden,
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.id)},
        )


class EpochalPostprocessor(BaseNodePostprocessor):
    """Reorders the nodes of any retriever by what a question asks about time, and filters them by `search_kwargs`.

    The nodes' own scores are their topical scores. A question that does not ask about time, without a filter, leaves
    them unchanged. Dates are read from the texts and from the metadata: `date_key`, or else `published`, `date`,
    `timestamp` or `created`.
    """

    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    top_n: int | None = None
    date_key: str | None = None

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex stores it under."""
        return "EpochalPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None or not nodes:
            return nodes[: self.top_n]
        candidates = [
            Candidate(item.node.get_content(MetadataMode.NONE), item.score, item.node.metadata) for item in nodes
        ]
        ranked = rerank(query_bundle.query_str, candidates, self.search_kwargs, date_key=self.date_key)
        return [NodeWithScore(node=nodes[position].node, score=score) for position, score in ranked][: self.top_n]
