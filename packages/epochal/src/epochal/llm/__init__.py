"""Talking to language models: one small protocol behind endpoints, local models, recordings; checked replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.llm.chat import Chat as Chat
    from epochal.llm.chat import Ledger as Ledger
    from epochal.llm.chat import LlmError as LlmError
    from epochal.llm.chat import Message as Message
    from epochal.llm.chat import Prices as Prices
    from epochal.llm.chat import Usage as Usage
    from epochal.llm.chat import data_rule as data_rule
    from epochal.llm.chat import fence as fence
    from epochal.llm.endpoint import Endpoint as Endpoint
    from epochal.llm.endpoint import Retries as Retries
    from epochal.llm.local import LocalModel as LocalModel
    from epochal.llm.recorded import RecordedChat as RecordedChat
    from epochal.llm.recorded import Replay as Replay
    from epochal.llm.registry import DryRun as DryRun
    from epochal.llm.registry import open_chat as open_chat
    from epochal.llm.structured import ask as ask

__all__ = [
    "Chat",
    "DryRun",
    "Endpoint",
    "Ledger",
    "LlmError",
    "LocalModel",
    "Message",
    "Prices",
    "RecordedChat",
    "Replay",
    "Retries",
    "Usage",
    "ask",
    "data_rule",
    "fence",
    "open_chat",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.llm.chat": "Chat Ledger LlmError Message Prices Usage data_rule fence",
        "epochal.llm.endpoint": "Endpoint Retries",
        "epochal.llm.local": "LocalModel",
        "epochal.llm.recorded": "RecordedChat Replay",
        "epochal.llm.registry": "DryRun open_chat",
        "epochal.llm.structured": "ask",
    },
    {"Recorded": "RecordedChat"},
)
