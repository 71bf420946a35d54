"""Dry runs: what would be sent is shown, and nothing is sent.

A dry run stands in the place of a model. `Recorded(DryRun(chat), path)` answers from a recording what was asked before,
and shows only what would be asked anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from json import dumps
from typing import Protocol, runtime_checkable

from epochal.llm.chat import Chat, LlmError, Message

__all__ = ["DryRun", "NotSentError", "Previewing", "preview"]


class NotSentError(LlmError):
    """A call was shown and not made, so there is no reply.

    >>> issubclass(NotSentError, LlmError)
    True
    """


@runtime_checkable
class Previewing(Protocol):
    """A chat that can say what a call would send, without a key.

    >>> from epochal.llm.endpoint import Endpoint
    >>> isinstance(Endpoint("http://localhost:8080/v1", "small-model"), Previewing)
    True
    """

    def preview(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """What `complete` would send for these messages."""
        ...


def preview(chat: Chat, messages: Sequence[Message], *, json: bool = False) -> str:
    """What a call would send: as the chat itself says, or its name and the messages.

    >>> class Parrot:
    ...     name = "parrot"
    ...     def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
    ...         return messages[-1].content
    >>> preview(Parrot(), [Message("user", "Rain?")])
    '{"model": "parrot", "messages": [{"role": "user", "content": "Rain?"}]}'
    """
    if isinstance(chat, Previewing):
        return chat.preview(messages, json=json)
    said = [{"role": message.role, "content": message.content} for message in messages]
    return dumps({"model": chat.name, "messages": said}, ensure_ascii=False)


class DryRun:
    """A chat that shows what another would send, by `show`, and replies to nothing: every call is a `NotSentError`.

    >>> from epochal.llm.endpoint import Endpoint
    >>> shown = []
    >>> dry = DryRun(Endpoint("http://localhost:8080/v1", "small-model"), shown.append)
    >>> dry.complete([Message("user", "Rain?")])
    Traceback (most recent call last):
    ...
    epochal.llm.dry.NotSentError: nothing was sent to small-model: this is a dry run
    >>> shown[0].splitlines()[0]
    'POST http://localhost:8080/v1/chat/completions'
    """

    def __init__(self, chat: Chat, show: Callable[[str], object]) -> None:
        self._chat = chat
        self._show = show

    @property
    def name(self) -> str:
        """The name of the model that nothing is sent to.

        >>> DryRun.name.fget.__name__
        'name'
        """
        return self._chat.name

    def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """Show the call, and raise.

        >>> DryRun.complete.__name__
        'complete'
        """
        self._show(preview(self._chat, messages, json=json))
        raise NotSentError(f"nothing was sent to {self.name}: this is a dry run")
