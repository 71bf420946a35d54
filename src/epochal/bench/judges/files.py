"""Judgements in a file: JSON Lines, one judgement a line, to be kept, shared and compared.

query, document   their ids
relevant          true, false, or null for a gap
covers            the same for each period of the question, in their order
judge, reason     who said so, and why
scores            optional: a number for `relevant`, then one for each period
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from epochal.bench.judges.base import Judgement
from epochal.bench.metrics.base import Verdict
from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.index.inputs.jsonl import json_rows
from epochal.index.inputs.rows import Meter

__all__ = ["read_judgements", "verdicts_of", "write_judgements"]


def write_judgements(path: str | os.PathLike[str], judgements: Iterable[Judgement]) -> int:
    """Write judgements in their order; how many they are. Equal judgements give equal bytes.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "judged.jsonl"
    >>> write_judgements(path, [Judgement("q1", "d1", Verdict(True, (None,)), "me", "so it says")])
    1
    >>> path.read_text()
    '{"query": "q1", "document": "d1", "relevant": true, "covers": [null], "judge": "me", "reason": "so it says"}\\n'
    """
    count = 0
    with write_atomically(path) as file:
        for item in judgements:
            file.write(json.dumps(_record(item), ensure_ascii=False, allow_nan=False).encode() + b"\n")
            count += 1
    return count


def read_judgements(path: str | os.PathLike[str]) -> tuple[Judgement, ...]:
    """The judgements of a file. A line that is none is an error that names it: a judgement is never guessed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "judged.jsonl"
    >>> kept = (Judgement("q1", "d1", Verdict(False), "me", scores=(0.25,)),)
    >>> _ = write_judgements(path, kept)
    >>> read_judgements(path) == kept
    True
    """
    place, name = Path(path), os.fspath(path)
    found = []
    for row in json_rows(place, name, Meter(0)):
        if row.problem is not None:
            raise InputError(name, row.line, row.problem)
        try:
            found.append(_judgement(row.values))
        except EpochalError as error:
            raise InputError(name, row.line, str(error)) from None
    return tuple(found)


def verdicts_of(judgements: Iterable[Judgement]) -> dict[str, dict[str, Verdict]]:
    """The verdicts by question and document, as measures take them.

    >>> verdicts_of([Judgement("q1", "d1", Verdict(True), "me")])
    {'q1': {'d1': Verdict(relevant=True, covers=())}}
    """
    found: dict[str, dict[str, Verdict]] = {}
    for item in judgements:
        found.setdefault(item.query, {})[item.document] = item.verdict
    return found


def _record(item: Judgement) -> dict[str, Any]:
    told: dict[str, Any] = {"query": item.query, "document": item.document, "relevant": item.verdict.relevant}
    told |= {"covers": list(item.verdict.covers), "judge": item.judge, "reason": item.reason}
    return told | {"scores": list(item.scores)} if item.scores else told


def _judgement(values: dict[str, Any]) -> Judgement:
    query, document = values.get("query"), values.get("document")
    if not isinstance(query, str) or not isinstance(document, str):
        raise EpochalError("the row names no question or no document; accepted: texts under 'query' and 'document'")
    if "relevant" not in values:
        raise EpochalError("the row has no 'relevant'; accepted: true, false or null")
    covers = values.get("covers", [])
    if not isinstance(covers, list):
        raise EpochalError(f"'covers' is {covers!r}; accepted: a list of true, false and null")
    scores = values.get("scores", [])
    if not isinstance(scores, list) or not all(_is_number(score) for score in scores):
        raise EpochalError(f"'scores' is {scores!r}; accepted: a list of numbers")
    for key in ("judge", "reason"):
        if not isinstance(values.get(key, ""), str):
            raise EpochalError(f"{key!r} is {values[key]!r}; accepted: a text")
    verdict = Verdict(_answer(values["relevant"]), tuple(_answer(value) for value in covers))
    told = values.get("judge", ""), values.get("reason", "")
    return Judgement(query, document, verdict, *told, tuple(float(score) for score in scores))


def _answer(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise EpochalError(f"an answer is {value!r}; accepted: true, false or null")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
