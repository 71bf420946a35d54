"""Replies as checked JSON: parsed, compared with a schema, asked for once more, and otherwise reported. Never guessed.

A schema is the small part of JSON Schema that a contract needs:

    type        object, array, string, integer, number or boolean; true and false are no integers
    properties  of an object, by name; `required` names those that must be there, others may be left out
    items       of an array, each; `minItems` and `maxItems` bound their number
    enum        the values that are accepted
    minimum, maximum  of a number, both included
    pattern     that a text must match as a whole
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from json import JSONDecodeError, dumps, loads
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.llm.chat import Chat, Message, StructureError

__all__ = ["Schema", "ask", "find_problem", "parse_object"]

Schema = Mapping[str, Any]

_FENCE = re.compile(r"\A\s*```(?:json)?[ \t]*\n(?P<body>.*)\n```\s*\Z", re.DOTALL | re.IGNORECASE)
_TYPES: Final[dict[str, Callable[[object], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
}
_KNOWN: Final = frozenset(
    ("type", "properties", "required", "items", "minItems", "maxItems", "enum", "minimum", "maximum", "pattern")
)


class _UnclearError(ValueError):
    """JSON that Python would read, although it does not say one thing."""


def ask(
    chat: Chat,
    messages: Sequence[Message],
    schema: Schema,
    check: Callable[[dict[str, Any]], str | None] | None = None,
) -> dict[str, Any]:
    """The object that a model replies with; one that does not fit the schema is asked for once more.

    `check` says what else is wrong with an object that fits, in words, or None.

    >>> class Late:
    ...     name = "late"
    ...     def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
    ...         return '{"verdict": 1}' if len(messages) > 1 else "Yes, it does."
    >>> kind = {"type": "object", "properties": {"verdict": {"enum": [0, 1]}}, "required": ["verdict"]}
    >>> ask(Late(), [Message("user", "Does it help?")], kind)
    {'verdict': 1}
    """
    said = list(messages)
    first = chat.complete(said, json=True)
    value, problem = _read(first, schema, check)
    if value is not None:
        return value
    wanted = dumps(dict(schema), ensure_ascii=False, sort_keys=True, default=dict)
    complaint = f"That cannot be used: {problem}. Reply again with one JSON object that fits this schema: {wanted}"
    second = chat.complete([*said, Message("assistant", first), Message("user", complaint)], json=True)
    value, problem = _read(second, schema, check)
    if value is None:
        raise StructureError(chat.name, problem, (first, second))
    return value


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object that a text holds and nothing else, be it in a fence of three backticks.

    >>> parse_object('```json\\n{"verdict": 1}\\n```')
    {'verdict': 1}
    >>> parse_object('Sure! {"verdict": 1}')
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the reply is not JSON: Expecting value at character 1; accepted: one JSON object
    """
    fenced = _FENCE.match(text)
    try:
        value = loads(fenced["body"] if fenced else text, parse_constant=_refuse, object_pairs_hook=_once)
    except JSONDecodeError as error:
        place = f"{error.msg} at character {error.pos + 1}"
        raise EpochalError(f"the reply is not JSON: {place}; accepted: one JSON object") from None
    except RecursionError:
        raise EpochalError("the reply is nested too deeply; accepted: one JSON object") from None
    except ValueError as error:  # of our own, and of numbers with thousands of digits
        raise EpochalError(f"the reply cannot be read: {error}; accepted: one JSON object") from None
    if not isinstance(value, dict):
        raise EpochalError(f"the reply is {_shown(value)}; accepted: one JSON object")
    return value


def find_problem(value: object, schema: Schema, place: str = "") -> str | None:
    """What keeps a value from fitting a schema, in words; None if it fits.

    >>> kind = {"type": "object", "properties": {"covers": {"type": "array", "items": {"type": "boolean"}}}}
    >>> find_problem({"covers": [True, 1]}, kind)
    'covers[1] is 1; accepted: boolean'
    >>> find_problem({"covers": []}, kind) is None
    True
    """
    if unknown := sorted(set(schema) - _KNOWN):
        raise EpochalError(f"a schema has {unknown[0]!r}; accepted: {', '.join(sorted(_KNOWN))}")
    where = place or "the reply"
    kind = schema.get("type")
    if kind is not None and not _TYPES[kind](value):
        return f"{where} is {_shown(value)}; accepted: {kind}"
    if "enum" in schema and not any(type(value) is type(one) and value == one for one in schema["enum"]):
        return f"{where} is {_shown(value)}; accepted: {', '.join(map(_shown, schema['enum']))}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _problem_of_number(value, schema, where)
    if isinstance(value, str) and "pattern" in schema and re.fullmatch(schema["pattern"], value) is None:
        return f"{where} is {_shown(value)}; accepted: texts such as match {schema['pattern']}"
    if isinstance(value, dict):
        return _problem_of_object(value, schema, place)
    if isinstance(value, list):
        return _problem_of_array(value, schema, place)
    return None


def _problem_of_number(value: float, schema: Schema, where: str) -> str | None:
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is None or value >= least) and (most is None or value <= most):
        return None
    bounds = [f"{word} {bound}" for word, bound in (("from", least), ("to", most)) if bound is not None]
    return f"{where} is {_shown(value)}; accepted: numbers {' '.join(bounds)}"


def _problem_of_object(value: dict[str, Any], schema: Schema, place: str) -> str | None:
    for name in schema.get("required", ()):
        if name not in value:
            return f"{place or 'the reply'} has no {name!r}"
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            problem = find_problem(value[name], inner, f"{place}.{name}" if place else name)
            if problem is not None:
                return problem
    return None


def _problem_of_array(value: list[Any], schema: Schema, place: str) -> str | None:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    if not least <= len(value) <= most:
        wanted = str(least) if least == most else f"{least} to {most}" if "maxItems" in schema else f"{least} or more"
        return f"{place or 'the reply'} has {len(value)} items; accepted: {wanted}"
    for number, item in enumerate(value):
        problem = find_problem(item, schema.get("items", {}), f"{place}[{number}]")
        if problem is not None:
            return problem
    return None


def _read(
    text: str, schema: Schema, check: Callable[[dict[str, Any]], str | None] | None
) -> tuple[dict[str, Any] | None, str]:
    try:
        value = parse_object(text)
    except EpochalError as error:
        return None, str(error)
    problem = find_problem(value, schema)
    if problem is None and check is not None:
        problem = check(value)
    return (value, "") if problem is None else (None, problem)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are each said once: of two verdicts, neither is one."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _UnclearError(f"{name!r} is said twice")
        found[name] = value
    return found


def _refuse(name: str) -> Any:
    raise _UnclearError(f"{name} is no JSON")


def _shown(value: object) -> str:
    text = dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
