"""Problems of requests in the form of RFC 9457, without internals of the server; and strict JSON."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from epochal.encoders.base import EncoderError
from epochal.errors import EpochalError, IndexLockedError, MissingExtraError, StorageError
from epochal.llm.chat import LlmError
from epochal.server.settings import MAX_DEPTH, MAX_ERRORS

MEDIA_TYPE: Final = "application/problem+json"
_TYPE: Final = "urn:epochal:problem:"
#: Every kind of problem, with its status and its title.
PROBLEMS: Final[Mapping[str, tuple[int, str]]] = MappingProxyType(
    {
        "malformed": (400, "The request cannot be read"),
        "no-token": (401, "A token is needed"),
        "read-only": (403, "Documents cannot be changed here"),
        "not-found": (404, "Not found"),
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

    Each of the `errors` names a value of the request and what is wrong with it.
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
        """The problem as JSON; `instance` is the path of the request."""
        record: dict[str, Any] = {
            "type": _TYPE + self.kind,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
        }
        if self.errors:
            record["errors"] = [dict(item) for item in self.errors[:MAX_ERRORS]]
        return record


def make_problem(error: EpochalError) -> ProblemError:
    """Make the problem that reports an error to the client.

    Errors of the index are only logged in full: they name paths on the server's disk.
    """
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, IndexLockedError):
        wait = {"Retry-After": "1"}
        return ProblemError("unavailable", "another process is writing to the index; try again", headers=wait)
    if isinstance(error, StorageError):
        sentence = "the index cannot be read or written just now; the log of the server says why"
        return ProblemError("unavailable", sentence, headers={"Retry-After": "10"})
    if isinstance(error, EncoderError):
        sentence = "the encoder of the index does not work just now; the log of the server says why"
        return ProblemError("unavailable", sentence, headers={"Retry-After": "10"})
    if isinstance(error, LlmError):
        return ProblemError("model-failed", "the language model gave no usable answer; the log of the server says why")
    if isinstance(error, MissingExtraError):
        return ProblemError("not-offered", str(error))
    return ProblemError("not-accepted", str(error))


# ---------------------------------------------------------------- JSON in and out


class _NotANumberError(ValueError):
    """JSON has no NaN and no Infinity, though Python would read them."""


def _refuse(name: str) -> Any:
    raise _NotANumberError(name)


class _TwiceError(ValueError):
    """JSON leaves open what a name that is given twice means, and two readers may take different values."""


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise _TwiceError(next(name for name, count in counts.items() if count > 1))
    return record


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_make_object)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read_json(body: bytes, location: str = "the body") -> Any:
    """Parse a body; anything but strict JSON in UTF-8, or nested too deeply, is a problem."""
    try:
        value = _DECODER.decode(body.decode("utf-8"))
        if b"\\ud" in body or b"\\uD" in body:
            _ENCODER.encode(value).encode("utf-8")
    except UnicodeDecodeError as error:
        raise ProblemError(
            "malformed", f"{location} is not UTF-8 (byte {error.start + 1}); accepted: JSON in UTF-8"
        ) from None
    except UnicodeEncodeError:
        raise ProblemError("malformed", f"{location} holds half a character; accepted: whole characters") from None
    except _NotANumberError as error:
        raise ProblemError(
            "malformed", f"{location} holds {error}, which JSON does not have; accepted: a number"
        ) from None
    except _TwiceError as error:
        name = str(error)[:80]
        raise ProblemError("malformed", f"{location} gives {name!r} twice; accepted: each name once") from None
    except json.JSONDecodeError as error:
        raise ProblemError("malformed", f"{location} is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise _make_depth_problem(location) from None
    except ValueError:
        raise ProblemError("malformed", f"{location} holds a number with more digits than are read") from None
    _check_parts(value, location)
    return value


def _check_parts(value: Any, location: str) -> None:
    """Refuse infinite numbers, and nesting that would exceed the stack of a later step."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        if any(isinstance(item, float) and not math.isfinite(item) for item in level):
            raise ProblemError("malformed", f"{location} holds a number that is too large; accepted: up to 1.8e308")
        inside = [item for item in level if isinstance(item, dict | list)]
        level = [part for item in inside for part in (item.values() if isinstance(item, dict) else item)]
        if not level:
            return
    raise _make_depth_problem(location)


def _make_depth_problem(location: str) -> ProblemError:
    return ProblemError("malformed", f"{location} is nested more than {MAX_DEPTH} deep; make it flatter")


def json_bytes(record: Mapping[str, Any]) -> bytes:
    """Encode a record as JSON in UTF-8; NaN and infinities, which documents may contain, become null."""
    try:
        text = _ENCODER.encode(record)
    except ValueError:
        text = _ENCODER.encode(_replace_infinite(record))
    return text.encode("utf-8", "replace")


def _replace_infinite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _replace_infinite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_infinite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
