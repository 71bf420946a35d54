"""Conditions on the metadata of documents: equality, one of several values, ranges, existence.

{"lang": "en"}, {"lang": ["en", "de"]}, {"year": {">=": 1990, "<": 2000}}, {"author": {"exists": True}}. As text:
`lang=en`, `lang=en,de`, `year>=1990`, `lang!=en`, `author`, `!author`, several with ";" or "and" between them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from epochal.errors import EpochalError

Where = Mapping[str, Mapping[str, Any]]

_ORDERS: Final = ("<", "<=", ">", ">=")
_NAMES: Final = ("=", "!=", *_ORDERS, "in", "not in", "exists")
#: Other spellings, as they are known from other stores.
_SPELLINGS: Final = {
    **{"==": "=", "eq": "=", "$eq": "=", "ne": "!=", "$ne": "!=", "<>": "!=", "not": "!="},
    **{"lt": "<", "$lt": "<", "lte": "<=", "$lte": "<=", "gt": ">", "$gt": ">", "gte": ">=", "$gte": ">="},
    **{"$in": "in", "nin": "not in", "$nin": "not in", "not_in": "not in", "$exists": "exists"},
}
#: What is between two conditions: the title "War and Peace" has no operator in it.
_AND: Final = re.compile(r";|(?<!\s)\s+(?:and|AND|&&)\s+(?=[\w.]+\s*(?:!=|[<>=]))")
_QUOTED: Final = re.compile(r"""'([^']*)'|"([^"]*)"|“([^”]*)”""")
_TEXT: Final = re.compile(
    r"(?P<not>!)?(?P<key>[^=<>!;]*[^=<>!;\s])\s*(?:(?P<operator>!=|<=|>=|==|=|<|>)\s*(?P<value>[^;]*))?"
)


def parse_where(value: object, name: str = "where") -> dict[str, dict[str, Any]] | None:
    """The conditions of a mapping or a text as operators with their values by field; errors call the option `name`.

    >>> parse_where({"lang": "en", "year": {"$gte": 1990}})
    {'lang': {'=': 'en'}, 'year': {'>=': 1990}}
    >>> parse_where("year>=1990; author")
    {'year': {'>=': 1990}, 'author': {'exists': True}}
    """
    if value is None:
        return None
    if isinstance(value, str):
        return _parse_texts([value], name) if value.strip() else None
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return _parse_texts(value, name)
    if not isinstance(value, Mapping):
        raise EpochalError(
            f"{name} must be a mapping such as {{'lang': 'en'}} or a text such as 'lang=en', but is {value!r}"
        )
    return {_check_key(key, name): _parse_condition(key, condition, name) for key, condition in value.items()}


def _check_key(key: object, name: str) -> str:
    if not isinstance(key, str) or not key:
        raise EpochalError(f"a field in {name} must be a text that is not empty, but is {key!r}")
    return key


def _parse_condition(key: str, condition: Any, name: str) -> dict[str, Any]:
    if isinstance(condition, Mapping):
        parsed = {}
        for given, value in condition.items():
            known = _SPELLINGS.get(str(given), str(given))
            if known not in _NAMES:
                raise EpochalError(
                    f"{name} has the operator {given!r} for {key!r}; accepted: {', '.join(map(repr, _NAMES))}"
                )
            parsed[known] = _check_value(key, known, value, name)
        return parsed
    if isinstance(condition, list | tuple | set | frozenset):
        return {"in": _check_value(key, "in", condition, name)}
    return {"=": _check_value(key, "=", condition, name)}


def _check_value(key: str, known: str, value: Any, name: str) -> Any:
    if known in ("in", "not in"):
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise EpochalError(f"{name} {known!r} for {key!r} takes a list of values, but was given {value!r}")
        return [_check_value(key, "=", item, name) for item in value]
    if known == "exists" and not isinstance(value, bool):
        raise EpochalError(f"{name} 'exists' for {key!r} must be True or False, but is {value!r}")
    plain = value.item() if type(value).__module__ == "numpy" else value
    if hasattr(plain, "isoformat"):
        plain = plain.isoformat()
    if not isinstance(plain, str | int | float | bool):
        raise EpochalError(
            f"{name} {known!r} for {key!r} takes a text, a number, True or False, but was given {value!r}"
        )
    return plain


def _parse_texts(texts: Iterable[str], name: str) -> dict[str, dict[str, Any]]:
    conditions: dict[str, dict[str, Any]] = {}
    for text in (part.strip() for item in texts for part in _AND.split(item)):
        if not text:
            continue
        match = _TEXT.fullmatch(text)
        if match is None or (match["not"] and match["operator"]):
            raise EpochalError(f"{name} {text!r} is no condition; accepted: lang=en, lang=en,de, year>=1990, author")
        known = _SPELLINGS.get(match["operator"] or "", match["operator"])
        if known is None:
            condition: dict[str, Any] = {"exists": not match["not"]}
        elif known in _ORDERS:
            condition = {known: _read_value(match["value"])}
        else:
            # A text may be a number, and 2003 may be stored as either.
            parts = [match["value"]] if _QUOTED.fullmatch(match["value"].strip()) else match["value"].split(",")
            values = [value for part in parts for value in _list_readings(part.strip())]
            several = {"in" if known == "=" else "not in": values}
            condition = {known: values[0]} if len(values) == 1 else several
        conditions.setdefault(match["key"].strip(), {}).update(condition)
    return conditions


def _list_readings(text: str) -> list[Any]:
    value = _read_value(text)
    return [value] if _QUOTED.fullmatch(text) else list(dict.fromkeys((value, text)))


def _read_value(text: str) -> Any:
    if quoted := _QUOTED.fullmatch(text.strip()):
        return next(part for part in quoted.groups() if part is not None)
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float | bool) else text


def describe_where(where: Where) -> str:
    """The conditions in words.

    >>> describe_where({"lang": {"=": "en"}, "year": {">=": 1990}})
    "lang = 'en' and year >= 1990"
    """
    words = []
    for key, condition in where.items():
        for name, value in condition.items():
            words.append(f"{'a' if value else 'no'} {key}" if name == "exists" else f"{key} {name} {value!r}")
    return " and ".join(words)
