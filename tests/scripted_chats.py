"""Chats that tests talk to: one that says what it was told to say, and one that fails now and then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from epochal.llm.chat import Chat, LlmError, Message


class Scripted:
    """Replies in turn, or by a function of the messages; what it was asked is kept."""

    def __init__(self, replies: Iterable[str] | Callable[[Sequence[Message]], str], name: str = "scripted") -> None:
        self.name = name
        self.asked: list[tuple[Sequence[Message], bool]] = []
        self._reply = replies if callable(replies) else self._next
        self._replies = iter(()) if callable(replies) else iter(replies)
        self._lock = threading.Lock()

    def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
        with self._lock:
            self.asked.append((tuple(messages), json))
            return self._reply(messages)

    def _next(self, _: Sequence[Message]) -> str:
        return next(self._replies)


class FailingChat:
    """Another chat whose every so many-th call fails."""

    def __init__(self, chat: Chat, every: int) -> None:
        self._chat = chat
        self._every = every
        self._calls = 0
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._chat.name

    def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
        with self._lock:
            self._calls += 1
            if self._calls % self._every == 0:
                raise LlmError(f"call {self._calls} failed")
        return self._chat.complete(messages, json=json)
