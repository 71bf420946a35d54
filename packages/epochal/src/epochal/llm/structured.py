"""Replies as checked values: parsed, validated, asked for once more, and otherwise reported. Never guessed.

What a reply must be is a frozen dataclass, its contract. pydantic validates replies against it, strictly: "1" is no
number, and true is no integer. A field without a default must be there, and keys that the contract does not name are
passed over. Fields are str, int, float, bool, other contracts, tuples or lists of these, and `Literal`s of text. What
types cannot say is said by `__post_init__`, which raises a ValueError such as "confidence is 1.2; accepted: 0 to 1".
A number that is one of a few is such a case, for a `Literal[0, 1]` would also accept true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from json import JSONDecodeError, dumps, loads
from typing import Any, Final, TypeVar

from epochal.errors import EpochalError, MissingExtraError
from epochal.llm.chat import Chat, Message, StructureError

Reply = TypeVar("Reply")

_FENCE = re.compile(r"\A\s*```(?:json)?[ \t]*\n(?P<body>.*)\n```\s*\Z", re.DOTALL | re.IGNORECASE)
#: What pydantic calls a value of another type, and what is accepted there.
_KINDS: Final = {
    "bool_type": "boolean",
    "dataclass_type": "object",
    "float_type": "number",
    "int_type": "integer",
    "list_type": "array",
    "string_type": "string",
    "tuple_type": "array",
}
#: The validators that were built, by contract.
_ADAPTERS: Final[dict[type[Any], Any]] = {}


class _UnclearError(ValueError):
    """JSON that Python would read, although it does not say one thing."""


def ask(
    chat: Chat,
    messages: Sequence[Message],
    contract: type[Reply],
    check: Callable[[Reply], str | None] | None = None,
) -> Reply:
    """The reply of a model as its contract has it; one that does not fit is asked for once more.

    `check` says what else is wrong with a reply that fits, in words, or None.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Verdict:
    ...     helps: bool
    >>> class Late:
    ...     name = "late"
    ...     def complete(self, messages: Sequence[Message], *, json: bool = False) -> str:
    ...         return '{"helps": true}' if len(messages) > 1 else "Yes, it does."
    >>> ask(Late(), [Message("user", "Does it help?")], Verdict)
    Verdict(helps=True)
    """
    _get_adapter(contract)  # complains of what is no contract, and of a missing package, before anything is sent
    first = chat.complete(messages, json=True)
    try:
        return _read(first, contract, check)
    except EpochalError as error:
        problem = str(error)
    complaint = f"That cannot be used: {problem}. Reply again with one JSON object that fits this schema: "
    again = [*messages, Message("assistant", first), Message("user", complaint + _make_schema(contract))]
    second = chat.complete(again, json=True)
    try:
        return _read(second, contract, check)
    except EpochalError as error:
        raise StructureError(chat.name, str(error), (first, second)) from None


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object that a text holds and nothing else, be it in a fence of three backticks."""
    fenced = _FENCE.match(text)
    try:
        value = loads(
            fenced["body"] if fenced else text, parse_constant=_refuse, object_pairs_hook=_reject_duplicate_keys
        )
    except JSONDecodeError as error:
        location = f"{error.msg} at character {error.pos + 1}"
        raise EpochalError(f"the reply is not JSON: {location}; accepted: one JSON object") from None
    except RecursionError:
        raise EpochalError("the reply is nested too deeply; accepted: one JSON object") from None
    except ValueError as error:  # of our own, and of numbers with thousands of digits
        raise EpochalError(f"the reply cannot be read: {error}; accepted: one JSON object") from None
    if not isinstance(value, dict):
        raise EpochalError(f"the reply is {_format_value(value)}; accepted: one JSON object")
    return value


def validate(value: Mapping[str, Any], contract: type[Reply]) -> Reply:
    """An object as its contract has it; an EpochalError says where it does not fit."""
    from pydantic import ValidationError

    try:
        # As JSON: pydantic then makes tuples of lists and contracts of objects, strict as it is otherwise.
        reply: Reply = _get_adapter(contract).validate_json(dumps(dict(value)), strict=True)
    except ValidationError as error:
        raise EpochalError(_describe(error.errors(include_url=False)[0])) from None
    return reply


def find_problem(value: Mapping[str, Any], contract: type[Any]) -> str | None:
    """What keeps an object from fitting a contract, in words; None if it fits."""
    try:
        validate(value, contract)
    except EpochalError as error:
        return str(error)
    return None


def _get_adapter(contract: type[Any]) -> Any:
    if not isinstance(contract, type):
        raise EpochalError(f"a reply is to fit {contract!r}; accepted: a dataclass that says what it holds")
    if contract not in _ADAPTERS:
        try:
            from pydantic import TypeAdapter
        except ImportError:
            raise MissingExtraError("checking replies of a language model", "pydantic", "llm") from None
        _ADAPTERS[contract] = TypeAdapter(contract)
    return _ADAPTERS[contract]


def _make_schema(contract: type[Any]) -> str:
    """The contract as JSON Schema, without the titles that pydantic makes out of names."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            fields = {name: inner for name, inner in value.items() if not (name == "title" and isinstance(inner, str))}
            return {name: plain(inner) for name, inner in fields.items()}
        return [plain(inner) for inner in value] if isinstance(value, list) else value

    return dumps(plain(_get_adapter(contract).json_schema()), ensure_ascii=False, sort_keys=True)


def _describe(error: Mapping[str, Any]) -> str:
    """One of pydantic's complaints as a sentence of ours: where, what is there, what is accepted."""
    kind, path = error["type"], list(error["loc"])
    missing = path.pop() if kind == "missing" else None
    location = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    where = location or "the reply"
    if missing is not None:
        return f"{where} has no {missing!r}"
    if kind == "value_error":
        return f"{location}.{error['ctx']['error']}" if location else str(error["ctx"]["error"])
    accepted = error["ctx"]["expected"] if kind == "literal_error" else _KINDS.get(kind, error["msg"])
    return f"{where} is {_format_value(error['input'])}; accepted: {accepted}"


def _read(text: str, contract: type[Reply], check: Callable[[Reply], str | None] | None) -> Reply:
    reply = validate(parse_object(text), contract)
    problem = None if check is None else check(reply)
    if problem is not None:
        raise EpochalError(problem)
    return reply


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are each said once: of two verdicts, neither is one."""
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise _UnclearError(f"{name!r} is said twice")
        values[name] = value
    return values


def _refuse(name: str) -> Any:
    raise _UnclearError(f"{name} is no JSON")


def _format_value(value: object) -> str:
    text = dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
