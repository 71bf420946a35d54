"""A store for LangGraph's agents. Needs langgraph-checkpoint: `pip install 'epochal[langgraph]'`.

A namespace is a user of the memory. The text of an item is its "text", "content", "memory" or "data", or else its
values; a search with a query recalls, and so knows times: "what did she plan for June?".
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from epochal.errors import MissingExtraError
from epochal.memory.memory import Memory
from epochal.memory.turns import Turn
from epochal.times.span import SystemClock

try:
    from langchain_core.runnables import run_in_executor
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
    )
except ImportError:
    raise MissingExtraError("the store for LangGraph", "langgraph-checkpoint", "langgraph") from None

_TEXT_FIELDS = ("text", "content", "memory", "data")
_MOST = 1_000
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, other: value == other,
    "$ne": lambda value, other: value != other,
    "$gt": lambda value, other: value is not None and value > other,
    "$gte": lambda value, other: value is not None and value >= other,
    "$lt": lambda value, other: value is not None and value < other,
    "$lte": lambda value, other: value is not None and value <= other,
}


class EpochalStore(BaseStore):
    """Items in namespaces, kept in a memory; `search` with a query ranks as `Memory.recall` does.

    An item is dated by its "at", if it has one, and otherwise by when it was put.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in their order."""
        return [self._run(operation) for operation in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch` in a thread."""
        results: list[Result] = await run_in_executor(None, self.batch, list(ops))
        return results

    def _run(self, operation: Op) -> Result:
        if isinstance(operation, PutOp):
            return self._put(operation)
        if isinstance(operation, GetOp):
            memory = self._open(operation.namespace)
            return _make_item(memory[operation.key]) if operation.key in memory else None
        if isinstance(operation, SearchOp):
            return self._search(operation)
        if isinstance(operation, ListNamespacesOp):
            return self._list_namespaces(operation)
        raise TypeError(f"unknown operation of a store: {operation!r}")

    def _open(self, namespace: tuple[str, ...]) -> Memory:
        return self._memory.for_user(_join(namespace))

    def _put(self, operation: PutOp) -> None:
        memory = self._open(operation.namespace)
        id = operation.key
        if operation.value is None:
            memory.forget(id)
            return
        now = SystemClock().now().edtf().replace("Z", "+00:00")
        created = memory[id].extra["created"] if id in memory else now
        value = dict(operation.value)
        memory.remember(
            _get_text(value) or operation.key,
            at=value.get("at") if isinstance(value.get("at"), str) else None,
            source="langgraph",
            extra={
                "namespace": list(operation.namespace),
                "key": operation.key,
                "value": value,
                "created": created,
                "updated": now,
            },
            id=id,
        )
        memory.flush()

    def _search(self, operation: SearchOp) -> list[SearchItem]:
        found: list[tuple[float | None, Turn]] = []
        for namespace in self._list_all():
            if namespace[: len(operation.namespace_prefix)] != tuple(operation.namespace_prefix):
                continue
            memory = self._open(namespace)
            if operation.query:
                most = _MOST if operation.filter else operation.limit + operation.offset
                found += [(item.score, item.turn) for item in memory.recall(operation.query, k=max(1, most))]
            else:
                found += [(None, turn) for turn in memory]
        selected = [(score, turn) for score, turn in found if _meets(turn.extra["value"], operation.filter or {})]
        if operation.query:
            selected.sort(key=lambda pair: -(pair[0] or 0.0))
        else:
            selected.sort(key=lambda pair: str(pair[1].extra["updated"]), reverse=True)
        chosen = selected[operation.offset : operation.offset + operation.limit]
        return [SearchItem(**_make_fields(turn), score=score) for score, turn in chosen]

    def _list_all(self) -> list[tuple[str, ...]]:
        return [_split(user) for user in self._memory.users() if user.startswith("[")]

    def _list_namespaces(self, operation: ListNamespacesOp) -> list[tuple[str, ...]]:
        names = {
            namespace[: operation.max_depth]
            for namespace in self._list_all()
            if all(_matches(namespace, condition) for condition in operation.match_conditions or ())
            and len(self._open(namespace))
        }
        return sorted(names)[operation.offset : operation.offset + operation.limit]


def _join(namespace: tuple[str, ...]) -> str:
    """A namespace as the name of a user, from which it can be read back."""
    return json.dumps(list(namespace), ensure_ascii=False)


def _split(user: str) -> tuple[str, ...]:
    return tuple(json.loads(user))


def _get_text(value: Mapping[str, Any]) -> str:
    """What is searched of an item."""
    for name in _TEXT_FIELDS:
        if isinstance(value.get(name), str) and value[name].strip():
            return str(value[name])
    return "\n".join(f"{name}: {item}" for name, item in value.items() if isinstance(item, str | int | float))


def _make_fields(turn: Turn) -> dict[str, Any]:
    return {
        "namespace": tuple(turn.extra["namespace"]),
        "key": turn.extra["key"],
        "value": turn.extra["value"],
        "created_at": dt.datetime.fromisoformat(turn.extra["created"]),
        "updated_at": dt.datetime.fromisoformat(turn.extra["updated"]),
    }


def _make_item(turn: Turn) -> Item:
    return Item(**_make_fields(turn))


def _meets(value: Mapping[str, Any], conditions: Mapping[str, Any]) -> bool:
    """Whether an item has the values of a filter, or compares to them as its operators say."""
    for name, condition in conditions.items():
        own = value.get(name)
        if isinstance(condition, Mapping) and condition and all(str(key).startswith("$") for key in condition):
            for operator, other in condition.items():
                if operator not in _COMPARISONS:
                    raise ValueError(f"unknown operator {operator!r} in a filter; accepted: {', '.join(_COMPARISONS)}")
                if not _COMPARISONS[operator](own, other):
                    return False
        elif own != condition:
            return False
    return True


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Whether a namespace begins, or ends, with a path, in which * is any name."""
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(name in ("*", own) for name, own in zip(path, part, strict=True))
