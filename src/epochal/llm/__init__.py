"""Talking to language models: one small protocol behind endpoints, local models, recordings; checked replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.llm.chat import Chat as Chat
    from epochal.llm.chat import LlmError as LlmError
    from epochal.llm.chat import Message as Message
    from epochal.llm.choosing import open_chat as open_chat
    from epochal.llm.dry import DryRun as DryRun
    from epochal.llm.endpoint import Endpoint as Endpoint
    from epochal.llm.endpoint import Retries as Retries
    from epochal.llm.fencing import data_rule as data_rule
    from epochal.llm.fencing import fence as fence
    from epochal.llm.local import LocalModel as LocalModel
    from epochal.llm.recorded import Recorded as Recorded
    from epochal.llm.recorded import Replay as Replay
    from epochal.llm.structured import ask as ask
    from epochal.llm.usage import Ledger as Ledger
    from epochal.llm.usage import Prices as Prices
    from epochal.llm.usage import Usage as Usage

_HOMES = {
    "Chat": "epochal.llm.chat",
    "DryRun": "epochal.llm.dry",
    "Endpoint": "epochal.llm.endpoint",
    "Ledger": "epochal.llm.usage",
    "LlmError": "epochal.llm.chat",
    "LocalModel": "epochal.llm.local",
    "Message": "epochal.llm.chat",
    "Prices": "epochal.llm.usage",
    "Recorded": "epochal.llm.recorded",
    "Replay": "epochal.llm.recorded",
    "Retries": "epochal.llm.endpoint",
    "Usage": "epochal.llm.usage",
    "ask": "epochal.llm.structured",
    "data_rule": "epochal.llm.fencing",
    "fence": "epochal.llm.fencing",
    "open_chat": "epochal.llm.choosing",
}

__all__ = [
    "Chat",
    "DryRun",
    "Endpoint",
    "Ledger",
    "LlmError",
    "LocalModel",
    "Message",
    "Prices",
    "Recorded",
    "Replay",
    "Retries",
    "Usage",
    "ask",
    "data_rule",
    "fence",
    "open_chat",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
