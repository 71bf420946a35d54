"""What all shapes share: what is asked is taken strictly, what is told may hold more than is described."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from epochal.service.limits import MOST_NAME, MOST_QUESTION, MOST_TIME
from epochal.service.problems import ProblemError

__all__ = ["Asked", "Name", "Question", "Time", "Told", "checked", "from_query"]

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_BOOLEANS: Final = {"true": True, "false": False}

Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MOST_QUESTION,
        pattern=r"\S",
        description="What is asked, in plain words.",
        examples=["What happened to steel tariffs in 2003?"],
    ),
]
#: A time in a request; the description of each field says what for.
Time = Annotated[str | None, Field(max_length=MOST_TIME, examples=["2003-07"])]
Name = Annotated[str | None, Field(max_length=MOST_NAME)]


class Asked(BaseModel):
    """What a request asks. Nothing is turned into another type, and unknown names are refused.

    >>> class Asks(Asked):
    ...     k: int = 10
    >>> checked(Asks, {"k": "10"})
    Traceback (most recent call last):
    ...
    epochal.service.problems.ProblemError: k: Input should be a valid integer, but is '10'
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class Told(BaseModel):
    """What a request is told; there may be more keys than those described.

    >>> class Tells(Told):
    ...     added: int
    >>> Tells.model_validate({"added": 1, "generation": 3}).added
    1
    """

    model_config = ConfigDict(extra="allow", frozen=True)


AskedT = TypeVar("AskedT", bound=Asked)


def checked(shape: type[AskedT], given: Any) -> AskedT:
    """What is asked, or a problem that names every value which cannot be accepted.

    >>> class Asks(Asked):
    ...     q: Question
    >>> checked(Asks, {})
    Traceback (most recent call last):
    ...
    epochal.service.problems.ProblemError: q: Field required
    """
    try:
        found: AskedT = shape.model_validate(given)
    except ValidationError as error:
        wrong = [_told(item) for item in error.errors(include_url=False, include_context=False)]
        first = f"{wrong[0]['where']}: {wrong[0]['problem']}"
        more = f"; {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise ProblemError("not-accepted", first + more, errors=wrong) from None
    return found


def _told(item: Mapping[str, Any]) -> dict[str, str]:
    where = ".".join(str(part) for part in item["loc"]) or "the body"
    problem = str(item["msg"])
    if item["type"] == "extra_forbidden":
        return {"where": where[:MOST_NAME], "problem": "no such name is known here"}
    if item["type"] != "missing":
        problem += f", but is {_shown(item['input'])}"
    return {"where": where[:MOST_NAME], "problem": problem}


def _shown(value: object) -> str:
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def from_query(shape: type[Asked], pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The values of a query, as the types that the shape has; empty texts count as not given.

    >>> class Asks(Asked):
    ...     k: int = 10
    ...     strict: bool = False
    ...     now: Time = None
    >>> from_query(Asks, [("k", "5"), ("strict", "true"), ("now", "")])
    {'k': 5, 'strict': True}
    """
    known: Any = shape
    kinds = _kinds(known)
    found: dict[str, Any] = {}
    for name, text in pairs:
        if text == "" and kinds.get(name) == "text":
            continue
        if name in found:
            where = [{"where": name[:MOST_NAME], "problem": "given more than once"}]
            raise ProblemError("not-accepted", f"{name[:MOST_NAME]}: given more than once", errors=where)
        if kinds.get(name) == "integer" and _WHOLE.fullmatch(text):
            found[name] = int(text)
        elif kinds.get(name) == "boolean" and text in _BOOLEANS:
            found[name] = _BOOLEANS[text]
        else:
            found[name] = text
    return found


@cache
def _kinds(shape: Any) -> Mapping[str, str]:
    return {name: _kind(told) for name, told in shape.model_json_schema().get("properties", {}).items()}


def _kind(told: Mapping[str, Any]) -> str:
    """The type of a property, which may also be null; "text" for a string that may be empty."""
    (value,) = [part for part in told.get("anyOf", [told]) if part.get("type") != "null"]
    bounded = "enum" in value or "minLength" in {**value, **told}
    return "text" if value.get("type") == "string" and not bounded else str(value.get("type"))
