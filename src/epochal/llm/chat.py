"""Chat: all that the rest of the house asks of a language model. Messages go in, the text of a reply comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args, runtime_checkable

from epochal.errors import EpochalError, UnknownNameError

__all__ = ["ROLES", "Chat", "LlmError", "Message", "NotRecordedError", "Role", "StructureError"]

Role = Literal["system", "user", "assistant"]
#: Who can have said a message.
ROLES: Final[tuple[Role, ...]] = get_args(Role)


class LlmError(EpochalError):
    """A language model gave no usable reply. Whoever asked counts a gap; nothing is put in its place.

    >>> print(LlmError("the endpoint http://localhost:1 cannot be reached: Connection refused"))
    the endpoint http://localhost:1 cannot be reached: Connection refused
    """


class NotRecordedError(LlmError):
    """A recording is replayed, and it does not hold the call that was made.

    >>> issubclass(NotRecordedError, LlmError)
    True
    """


class StructureError(LlmError):
    """A reply has not the form that was asked for, and the repaired one has not either. Carries both `replies`.

    >>> error = StructureError("small-model", "verdict is 2; accepted: 0, 1", ('{"verdict": 2}', '{"verdict": 2}'))
    >>> print(error)
    small-model did not give the JSON asked for, nor when asked again: verdict is 2; accepted: 0, 1
    """

    def __init__(self, name: str, problem: str, replies: tuple[str, ...], what: str = "JSON") -> None:
        self.problem = problem
        self.replies = replies
        super().__init__(f"{name} did not give the {what} asked for, nor when asked again: {problem}")


@dataclass(frozen=True, slots=True)
class Message:
    """What was said, and by whom: the system, the user or the assistant.

    >>> Message("user", "When was it built?").role
    'user'
    """

    role: Role
    content: str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise UnknownNameError("role", str(self.role), ROLES)


@runtime_checkable
class Chat(Protocol):
    """A language model. Its `name` says all that a reply depends on besides the messages, so that replies can be kept.

    `complete` may be called from several threads at once.

    >>> class Parrot:
    ...     name = "parrot"
    ...     def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
    ...         return messages[-1].content
    >>> isinstance(Parrot(), Chat), Parrot().complete([Message("user", "Rain?")])
    (True, 'Rain?')
    """

    @property
    def name(self) -> str:
        """The model, and whatever settings change its replies."""
        ...

    def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
        """The reply to a conversation; with `json`, the model is told to give one JSON object. Raises `LlmError`."""
        ...
