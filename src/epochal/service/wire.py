"""JSON in and out of requests: strict where it comes from outside, and always something that JSON can hold."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from epochal.service.limits import MOST_DEPTH
from epochal.service.problems import ProblemError

__all__ = ["json_bytes", "read_json"]


class _NotANumberError(ValueError):
    """JSON has no NaN and no Infinity, though Python would read them."""


def _refuse(name: str) -> Any:
    raise _NotANumberError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read_json(body: bytes, place: str = "the body") -> Any:
    """The value that a body holds; what is no strict JSON in UTF-8, or is nested too deeply, is a problem.

    >>> read_json(b'{"k": 5}')
    {'k': 5}
    >>> read_json(b"[" * 100 + b"]" * 100)
    Traceback (most recent call last):
    ...
    epochal.service.problems.ProblemError: the body is nested more than 64 deep; make it flatter
    """
    try:
        value = _DECODER.decode(body.decode("utf-8"))
        if b"\\ud" in body or b"\\uD" in body:
            _ENCODER.encode(value).encode("utf-8")
    except UnicodeDecodeError as error:
        raise ProblemError(
            "malformed", f"{place} is not UTF-8 (byte {error.start + 1}); accepted: JSON in UTF-8"
        ) from None
    except UnicodeEncodeError:
        raise ProblemError("malformed", f"{place} holds half a character; accepted: whole characters") from None
    except _NotANumberError as error:
        raise ProblemError(
            "malformed", f"{place} holds {error}, which JSON does not have; accepted: a number"
        ) from None
    except json.JSONDecodeError as error:
        raise ProblemError("malformed", f"{place} is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise _too_deep(place) from None
    except ValueError:
        raise ProblemError("malformed", f"{place} holds a number with more digits than are read") from None
    _check_parts(value, place)
    return value


def _check_parts(value: Any, place: str) -> None:
    """What is nested deeper than the stack of a later step allows would fail there, where nobody expects it."""
    level = [value]
    for _ in range(MOST_DEPTH + 1):
        if any(isinstance(item, float) and not math.isfinite(item) for item in level):
            raise ProblemError("malformed", f"{place} holds a number that is too large; accepted: up to 1.8e308")
        inside = [item for item in level if isinstance(item, dict | list)]
        level = [part for item in inside for part in (item.values() if isinstance(item, dict) else item)]
        if not level:
            return
    raise _too_deep(place)


def _too_deep(place: str) -> ProblemError:
    return ProblemError("malformed", f"{place} is nested more than {MOST_DEPTH} deep; make it flatter")


def json_bytes(record: Mapping[str, Any]) -> bytes:
    """A record as JSON in UTF-8; numbers that JSON does not have, which documents may carry, become null.

    >>> json_bytes({"text": "鋼", "score": float("nan")}).decode()
    '{"text":"鋼","score":null}'
    """
    try:
        text = _ENCODER.encode(record)
    except ValueError:
        text = _ENCODER.encode(_finite(record))
    return text.encode("utf-8", "replace")


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
