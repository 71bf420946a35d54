"""Talking to language models: one small protocol, HTTP endpoints, recordings that replay, checked JSON replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.llm.chat import Chat as Chat
    from epochal.llm.chat import LlmError as LlmError
    from epochal.llm.chat import Message as Message
    from epochal.llm.endpoint import Endpoint as Endpoint
    from epochal.llm.endpoint import Retries as Retries
    from epochal.llm.recorded import Recorded as Recorded
    from epochal.llm.recorded import Replay as Replay
    from epochal.llm.structured import ask as ask

__all__ = ["Chat", "Endpoint", "LlmError", "Message", "Recorded", "Replay", "Retries", "ask"]

_HOMES = {
    "Chat": "epochal.llm.chat",
    "Endpoint": "epochal.llm.endpoint",
    "LlmError": "epochal.llm.chat",
    "Message": "epochal.llm.chat",
    "Recorded": "epochal.llm.recorded",
    "Replay": "epochal.llm.recorded",
    "Retries": "epochal.llm.endpoint",
    "ask": "epochal.llm.structured",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
