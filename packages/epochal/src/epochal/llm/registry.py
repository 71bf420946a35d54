"""Open the language model that is named by an endpoint, a model file or a recording; and dry runs.

Nothing is sent anywhere unless an endpoint is named. A dry run displays what would be sent:
`RecordedChat(DryRun(chat), path)` replies to recorded calls, and displays only the new ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from json import dumps
from typing import Any, Protocol, runtime_checkable

from epochal.errors import EpochalError
from epochal.llm.chat import Chat, Ledger, LlmError, Message
from epochal.llm.endpoint import Endpoint
from epochal.llm.local import LocalModel
from epochal.llm.recorded import RecordedChat, Replay


class NotSentError(LlmError):
    """A call was shown and not made, so there is no reply."""


@runtime_checkable
class SupportsPreview(Protocol):
    """A chat that can say what a call would send, without a key."""

    def preview(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """What `complete` would send for these messages."""
        ...


def preview(chat: Chat, messages: Sequence[Message], *, json: bool = False) -> str:
    """What a call would send: as the chat itself says, or its name and the messages."""
    if isinstance(chat, SupportsPreview):
        return chat.preview(messages, json=json)
    dialogue = [{"role": message.role, "content": message.content} for message in messages]
    return dumps({"model": chat.name, "messages": dialogue}, ensure_ascii=False)


class DryRun:
    """A chat that shows what another would send, by `show`, and replies to nothing: every call is a `NotSentError`.

    >>> from epochal.llm.endpoint import Endpoint
    >>> shown = []
    >>> dry = DryRun(Endpoint("http://localhost:8080/v1", "small-model"), shown.append)
    >>> dry.complete([Message("user", "Rain?")])
    Traceback (most recent call last):
    ...
    epochal.llm.registry.NotSentError: nothing was sent to small-model: this is a dry run
    >>> shown[0].splitlines()[0]
    'POST http://localhost:8080/v1/chat/completions'
    """

    def __init__(self, chat: Chat, show: Callable[[str], object]) -> None:
        self._chat = chat
        self._show = show

    @property
    def name(self) -> str:
        """The name of the model that nothing is sent to."""
        return self._chat.name

    def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """Show the call, and raise."""
        self._show(preview(self._chat, messages, json=json))
        raise NotSentError(f"nothing was sent to {self.name}: this is a dry run")


_ACCEPTED = "an endpoint (url and model), a file with a model (gguf), or a recording (replay)"


def open_chat(
    *,
    url: str | None = None,
    model: str | None = None,
    key: str | None = None,
    gguf: str | os.PathLike[str] | None = None,
    replay: str | os.PathLike[str] | None = None,
    record: str | os.PathLike[str] | None = None,
    dry_run: Callable[[str], object] | None = None,
    temperature: float | None = 0.0,
    extra: Mapping[str, Any] | None = None,
    timeout: float = 60.0,
    concurrency: int = 8,
    ledger: Ledger | None = None,
) -> Chat:
    """The chat that is asked for. `key` names the environment variable with the key of the endpoint.

    `record` keeps the replies in a file and asks for none that is kept there. With `dry_run` what would be sent is
    shown by it, and nothing is sent. Of a recording of several models `model` names one.

    >>> open_chat(url="http://localhost:8080/v1", model="small-model").name
    'small-model'
    >>> open_chat()
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: no language model is named; accepted: an endpoint (url and model), a file with a model
    (gguf), or a recording (replay)
    """
    named = [name for name, value in (("url", url), ("gguf", gguf), ("replay", replay)) if value is not None]
    if len(named) > 1:
        raise EpochalError(f"{' and '.join(named)} each name a language model; accepted: one of them")
    if not named:
        raise EpochalError(f"no language model is named; accepted: {_ACCEPTED}")
    if replay is not None:
        if record is not None:
            raise EpochalError("a replayed recording is not recorded again; accepted: replay or record")
        return Replay(replay, model)
    chat: Chat
    if url is not None:
        if not model:
            raise EpochalError(f"the endpoint {url} lacks the name of a model; accepted: url and model")
        chat = Endpoint(
            url,
            model,
            key,
            timeout=timeout,
            temperature=temperature,
            extra=extra or {},
            concurrency=concurrency,
            ledger=ledger,
        )
    else:
        chat = LocalModel(os.fspath(gguf or ""), temperature=temperature or 0.0, ledger=ledger)
    if dry_run is not None:
        chat = DryRun(chat, dry_run)
    return chat if record is None else RecordedChat(chat, record)
