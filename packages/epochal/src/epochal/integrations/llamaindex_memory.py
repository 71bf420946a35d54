"""A memory for LlamaIndex's agents and chat engines. Needs llama-index-core: `pip install 'epochal[llamaindex]'`."""

from __future__ import annotations

from typing import Any

from epochal.errors import MissingExtraError
from epochal.memory.memory import Memory
from epochal.memory.turns import Turn

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.memory.types import BaseMemory
except ImportError:
    raise MissingExtraError("the memory for LlamaIndex", "llama-index-core", "llamaindex") from None

_SPEAKERS = {MessageRole.USER: "user", MessageRole.ASSISTANT: "assistant"}
_ROLES = {speaker: role for role, speaker in _SPEAKERS.items()}


class EpochalMemory(BaseMemory):
    """The newest messages of a session as they were, and what earlier ones say about the present message.

    `get` returns a system message with evidence of at most `budget` tokens, then the last `recent` messages of the
    session. Messages of users and assistants are remembered for good; `reset` deletes those of the session alone.
    """

    session: str = ""
    recent: int = 10
    budget: int = 1_000
    recall_kwargs: dict[str, Any] = Field(default_factory=dict)
    _memory: Memory = PrivateAttr()

    def __init__(self, memory: Memory, **fields: Any) -> None:
        super().__init__(**fields)
        self._memory = memory

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex stores it under."""
        return "EpochalMemory"

    @classmethod
    def from_defaults(cls, memory: Memory | None = None, **fields: Any) -> EpochalMemory:
        """The same as the constructor."""
        if memory is None:
            raise TypeError("EpochalMemory.from_defaults needs memory, an epochal.Memory")
        return cls(memory, **fields)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """The evidence for a message, if one is given, and the newest messages of the session."""
        turns = self._list_turns()
        messages = [_make_message(turn) for turn in turns[max(0, len(turns) - self.recent) :]]
        if not input:
            return messages
        recalled = self._memory.recall(input, budget=self.budget, **{**self.recall_kwargs, **kwargs})
        return [ChatMessage(role=MessageRole.SYSTEM, content=f"From earlier conversations:\n{recalled}"), *messages]

    def get_all(self) -> list[ChatMessage]:
        """All messages of the session."""
        return [_make_message(turn) for turn in self._list_turns()]

    def put(self, message: ChatMessage) -> None:
        """Remember a message; those of tools, of the system, and without text are left out."""
        if message.role in _SPEAKERS and (message.content or "").strip():
            speaker = _SPEAKERS[message.role]
            self._memory.remember(message.content or "", speaker=speaker, session=self.session, source="llamaindex")

    def set(self, messages: list[ChatMessage]) -> None:
        """Replace the messages of the session."""
        self.reset()
        for message in messages:
            self.put(message)

    def reset(self) -> None:
        """Forget the messages of the session."""
        if ids := [turn.id for turn in self._list_turns()]:
            self._memory.forget(ids)

    def _list_turns(self) -> list[Turn]:
        return [turn for turn in self._memory.list_session(self.session) if turn.source == "llamaindex"]


def _make_message(turn: Turn) -> ChatMessage:
    return ChatMessage(role=_ROLES.get(turn.speaker, MessageRole.USER), content=turn.text)
