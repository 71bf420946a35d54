"""A memory for LangChain: messages in, dated evidence out. Needs langchain-core: `pip install 'epochal[langchain]'`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from epochal.errors import EpochalError, MissingExtraError
from epochal.memory.memory import Memory
from epochal.times.span import Span

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, SystemMessage
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import run_in_executor
    from pydantic import ConfigDict, Field
except ImportError:
    raise MissingExtraError("the memory for LangChain", "langchain-core", "langchain") from None

#: Who speaks in the messages of LangChain.
_SPEAKERS = {"human": "user", "ai": "assistant"}


class EpochalMemory(BaseRetriever):
    """Remembers messages and recalls those that answer a question; as a retriever it goes into any chain.

    `recall_kwargs` are the arguments of `Memory.recall`; those given to `invoke` override them. A message is said by
    its `name`, or else by "user" or "assistant".
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    recall_kwargs: dict[str, Any] = Field(default_factory=dict)

    def add_messages(
        self,
        messages: Sequence[BaseMessage],
        *,
        session: str = "",
        at: Span | dt.date | int | str | None = None,
    ) -> list[str]:
        """Remember messages, and return the ids of their turns; messages without text, as of tools, are left out."""
        turns = []
        for message in messages:
            if not isinstance(message, BaseMessage):
                raise EpochalError(f"add_messages takes messages of LangChain, but was given {message!r}")
            text = str(message.text)
            if text.strip() and message.type in _SPEAKERS:
                speaker = message.name or _SPEAKERS[message.type]
                turns.append({"text": text, "speaker": speaker, "session": session, "at": at, "source": "langchain"})
        return self.memory.remember_many(turns)

    def load_message(self, question: str, *, budget: int = 1_000, **kwargs: Any) -> SystemMessage:
        """What the memory knows about a question as a message for a prompt, of at most so many tokens."""
        recalled = self.memory.recall(question, budget=budget, **{**self.recall_kwargs, **kwargs})
        return SystemMessage(f"From earlier conversations:\n{recalled}")

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        recalled = self.memory.recall(query, **{**self.recall_kwargs, **kwargs})
        return [
            Document(
                id=item.id,
                page_content=item.text,
                metadata={**item.to_dict(), "outcome": recalled.outcome, "probability": recalled.probability},
            )
            for item in recalled
        ]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        documents: list[Document] = await run_in_executor(
            None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **kwargs
        )
        return documents
