"""One way to say which language model is asked: an endpoint, a file with a model, or a recording.

Nothing is sent anywhere unless an endpoint is named. The command line has the same choices as options.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from epochal.errors import EpochalError
from epochal.llm.chat import Chat
from epochal.llm.dry import DryRun
from epochal.llm.endpoint import Endpoint
from epochal.llm.local import LocalModel
from epochal.llm.recorded import Recorded, Replay
from epochal.llm.usage import Ledger

__all__ = ["open_chat"]

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
    return chat if record is None else Recorded(chat, record)
