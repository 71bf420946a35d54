"""Which language model answers, if any: named by text, so that several processes can open it each for itself."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.errors import EpochalError
from epochal.llm import Chat, open_chat

__all__ = ["Model"]

_ACCEPTED = "the address of an endpoint such as http://localhost:8080/v1, gguf:FILE or replay:FILE"


@dataclass(frozen=True, slots=True)
class Model:
    """A language model: an endpoint's address, `gguf:FILE` or `replay:FILE`; the `name` that an endpoint knows it by.

    `key` names the environment variable with the key of the endpoint.

    >>> Model("http://localhost:8080/v1", "small-model").open().name
    'small-model'
    >>> Model("small-model")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: 'small-model' is no language model; accepted: the address of an endpoint such as
    http://localhost:8080/v1, gguf:FILE or replay:FILE
    """

    which: str
    name: str | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        kind, mark, _ = self.which.partition(":")
        if not mark or kind not in ("http", "https", "gguf", "replay"):
            raise EpochalError(f"{self.which!r} is no language model; accepted: {_ACCEPTED}")
        if kind == "gguf" and self.name is not None:
            raise EpochalError(f"the name {self.name!r} is for an endpoint or a recording; a file holds one model")

    def open(self) -> Chat:
        """The model, ready to be asked.

        >>> Model("http://localhost:8080/v1", "small-model").open().name
        'small-model'
        """
        kind, _, place = self.which.partition(":")
        if kind == "gguf":
            return open_chat(gguf=place)
        if kind == "replay":
            return open_chat(replay=place, model=self.name)
        return open_chat(url=self.which, model=self.name, key=self.key)
