"""The description of the service as OpenAPI 3.1, made from its operations and their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final

from pydantic.json_schema import models_json_schema

from epochal.service.operations import JSON, Operation
from epochal.service.problems import MEDIA_TYPE, PROBLEMS, ProblemError
from epochal.service.shapes.base import Asked, Told
from epochal.service.shapes.info import ProblemDetails
from epochal.version import __version__

__all__ = ["describe"]

_REF: Final = "#/components/schemas/{model}"
#: One event of a stream; its data is an object as JSON.
_EVENT: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "properties": {"event": {"enum": ["timeline", "answer", "problem"]}, "data": {"type": "string"}},
        "required": ["event", "data"],
    }
)
#: Problems that any operation may have.
_ANY: Final = ("wrong-host", "not-accepted", "fault")
_WORK: Final = ("too-busy", "too-slow", "unavailable")
_BODY: Final = ("malformed", "too-large", "wrong-type")
_WRITE: Final = ("no-token", "read-only")


def describe(operations: Iterable[Operation]) -> dict[str, Any]:
    """The description of some operations.

    >>> from epochal.service.routes.table import OPERATIONS
    >>> described = describe(OPERATIONS)
    >>> described["openapi"], sorted(described["paths"]["/api/v1/search"])
    ('3.1.0', ['get', 'post'])
    """
    chosen = list(operations)
    shapes: list[type[Asked] | type[Told]] = [ProblemDetails]
    shapes += [item.asks for item in chosen if item.body is not None]
    shapes += [item.tells for item in chosen if not isinstance(item.tells, str)]
    _, schemas = models_json_schema(
        [(shape, "validation") for shape in dict.fromkeys(shapes)], ref_template=_REF, by_alias=True
    )
    paths: dict[str, dict[str, Any]] = {}
    for item in chosen:
        paths.setdefault(item.path, {})[item.method.lower()] = _operation(item)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Epochal",
            "version": __version__,
            "description": "Temporal retrieval: the right document from the right time, with the reason why.",
        },
        "paths": paths,
        "components": {
            "schemas": {name: _without_examples(told) for name, told in sorted(schemas["$defs"].items())},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _without_examples(told: dict[str, Any]) -> dict[str, Any]:
    """A schema whose description is without the examples in Python that docstrings have."""
    return told | {"description": told.get("description", "").partition(">>>")[0].strip()}


def _operation(item: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": item.name,
        "summary": item.summary,
        "tags": [item.path.split("/")[3] if item.path.startswith("/api/") else "service"],
        "responses": _responses(item),
    }
    if item.lane == "write":
        told["security"] = [{"token": []}]
    if item.body is None:
        told["parameters"] = list(_parameters(item))
        return told
    content = {
        kind: {
            "schema": _ref(item.asks) if kind == JSON else {"type": "string"},
            "example": item.body.examples.get(kind, dict(item.example)),
        }
        for kind in item.body.types
    }
    told["requestBody"] = {"required": True, "content": content}
    return told


def _parameters(item: Operation) -> Iterable[dict[str, Any]]:
    schema = item.asks.model_json_schema(by_alias=True)
    required = set(schema.get("required", ()))
    for name, told in schema.get("properties", {}).items():
        in_path = f"{{{name}}}" in item.path
        parameter: dict[str, Any] = {
            "name": name,
            "in": "path" if in_path else "query",
            "required": in_path or name in required,
            "description": told.get("description", ""),
            "schema": _plain(told),
        }
        if name in item.example:
            parameter["example"] = item.example[name]
        yield parameter


def _plain(told: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a value in an address, which cannot be null: it is left out instead."""
    kept = {key: value for key, value in told.items() if key not in ("title", "description", "anyOf")}
    (value,) = [part for part in told.get("anyOf", [{}]) if part.get("type") != "null"]
    if kept.get("default", 0) is None:
        del kept["default"]
    return {**value, **kept}


def _ref(shape: type[Asked] | type[Told]) -> dict[str, str]:
    return {"$ref": _REF.format(model=shape.__name__)}


def _responses(item: Operation) -> dict[str, Any]:
    if isinstance(item.tells, str):
        content: dict[str, Any] = {item.tells: {"schema": {"type": "string"}, "example": item.told}}
    else:
        content = {JSON: {"schema": _ref(item.tells), "example": item.told}}
    if item.streams:
        content["text/event-stream"] = {"schema": dict(_EVENT)}
    found: dict[str, Any] = {"200": {"description": "As asked.", "content": content}}
    kinds = [*item.kinds, *_ANY]
    kinds += _WORK if item.lane != "direct" or item.seconds != "seconds" else ()
    kinds += _BODY if item.body is not None else ()
    kinds += _WRITE if item.lane == "write" else ()
    for kind in sorted(set(kinds), key=list(PROBLEMS).index):
        status, title = PROBLEMS[kind]
        if str(status) in found:
            found[str(status)]["description"] += f"; or: {title[0].lower()}{title[1:]}"
            continue
        example = ProblemError(kind, f"one sentence that says what is wrong ({HTTPStatus(status).phrase})")
        found[str(status)] = {
            "description": title,
            "content": {MEDIA_TYPE: {"schema": _ref(ProblemDetails), "example": example.record(item.path)}},
        }
        if status in (429, 503):
            about = {"description": "Seconds after which to try again.", "schema": {"type": "string"}}
            found[str(status)]["headers"] = {"Retry-After": about}
    return found
