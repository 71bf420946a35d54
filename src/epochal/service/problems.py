"""Problems: what went wrong with a request, as RFC 9457 has it, without a word about the inside of the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from epochal.errors import EpochalError, IndexLockedError, MissingExtraError, StorageError
from epochal.llm import LlmError
from epochal.service.limits import MOST_SHOWN

__all__ = ["MEDIA_TYPE", "PROBLEMS", "ProblemError", "problem_of"]

MEDIA_TYPE: Final = "application/problem+json"
_TYPE: Final = "urn:epochal:problem:"
#: Every kind of problem, with its status and its title.
PROBLEMS: Final[Mapping[str, tuple[int, str]]] = MappingProxyType(
    {
        "malformed": (400, "The request cannot be read"),
        "no-token": (401, "A token is needed"),
        "read-only": (403, "Documents cannot be changed here"),
        "not-found": (404, "There is no such thing"),
        "wrong-method": (405, "That cannot be done with it"),
        "too-large": (413, "The request is too large"),
        "wrong-type": (415, "The body is of a type that is not read"),
        "wrong-host": (421, "This host is not served here"),
        "not-accepted": (422, "A value cannot be accepted"),
        "too-busy": (429, "Too many requests wait"),
        "fault": (500, "A fault of the server"),
        "not-offered": (501, "This service does not offer that"),
        "model-failed": (502, "The language model gave no answer"),
        "unavailable": (503, "The index cannot be used just now"),
        "too-slow": (503, "The request took too long"),
    }
)


class ProblemError(EpochalError):
    """A request that cannot be answered: its `kind`, one sentence of `detail`, and maybe `errors` and `headers`.

    Each of the `errors` names the place in the request and what is wrong there.

    >>> problem = ProblemError("too-busy", "40 requests wait already; try again later", headers={"Retry-After": "1"})
    >>> problem.status, problem.record("/api/v1/search")["type"]
    (429, 'urn:epochal:problem:too-busy')
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.kind = kind
        self.status, self.title = PROBLEMS[kind]
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        super().__init__(detail)

    def record(self, instance: str) -> dict[str, Any]:
        """As JSON has it; `instance` is what was asked for.

        >>> ProblemError("not-found", "no document has the id 'p9'").record("/api/v1/documents/p9")["status"]
        404
        """
        record: dict[str, Any] = {
            "type": _TYPE + self.kind,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
        }
        if self.errors:
            record["errors"] = [dict(item) for item in self.errors[:MOST_SHOWN]]
        return record


def problem_of(error: EpochalError) -> ProblemError:
    """The problem that an error of Epochal is to whoever made the request.

    What is wrong with the index is said in the log: it names places on the server's disk.

    >>> problem_of(EpochalError("k must be from 1 to 200, but is 0")).status
    422
    >>> problem_of(StorageError("the index '/var/news' has lost a row")).detail
    'the index cannot be read or written just now; the log of the server says why'
    """
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, IndexLockedError):
        wait = {"Retry-After": "1"}
        return ProblemError("unavailable", "another process is writing to the index; try again", headers=wait)
    if isinstance(error, StorageError):
        sentence = "the index cannot be read or written just now; the log of the server says why"
        return ProblemError("unavailable", sentence, headers={"Retry-After": "10"})
    if isinstance(error, LlmError):
        return ProblemError("model-failed", "the language model gave no usable answer; the log of the server says why")
    if isinstance(error, MissingExtraError):
        return ProblemError("not-offered", str(error))
    return ProblemError("not-accepted", str(error))
