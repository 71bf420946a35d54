"""Fitting the gate to questions with known answers, through the engine that will use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from epochal.engine.candidates import gather
from epochal.engine.index import Index
from epochal.index.inputs import QueryRow
from epochal.ranking.gate import Gate, GateWeights
from epochal.ranking.training import Example, fit
from epochal.ranking.windows import windows_of
from epochal.reading.questions import understand

__all__ = ["collect", "train_gate"]

_DEPTH = 100
_PLAIN = ("lexical", "semantic")
_TIMED = ("lexical", "semantic", "alignment")


def collect(
    index: Index,
    queries: Iterable[QueryRow],
    answers: Mapping[str, Mapping[str, int]],
    *,
    progress: Callable[[int], None] | None = None,
) -> dict[str, list[Example]]:
    """Examples from the questions of a collection, those with a time apart from those without.

    >>> import tempfile
    >>> from epochal.index.records import Document
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
    ...     _ = index.add([Document("a", "Tariffs rose in 1998."), Document("b", "Tariffs fell in 2003.")])
    ...     found = collect(index, [QueryRow("q", "tariffs in 2003", None)], {"q": {"b": 1}})
    >>> len(found["timed"]), len(found["plain"])
    (1, 0)
    """
    found: dict[str, list[Example]] = {"plain": [], "timed": []}
    gate, view = Gate(), index.view()
    for query in queries:
        right = view.document_rows([id for id, grade in answers.get(query.id, {}).items() if grade > 0])
        asked = understand(query.text, query.now)
        windows = windows_of(asked)
        pool = gather(view, index.encoder, query.text, asked, query.now, windows, None, _DEPTH)
        parts, _ = gate.parts(pool)
        names = _TIMED if windows else _PLAIN
        columns = np.stack([parts[name] for name in names], axis=1)
        found["timed" if windows else "plain"].append(Example(columns, np.isin(pool.document_rows, right)))
        if progress is not None:
            progress(1)
    return found


def train_gate(examples: Mapping[str, list[Example]], start: GateWeights) -> GateWeights:
    """Weights fitted to examples; where there are none for a kind of question, those to start from stay.

    >>> from epochal.ranking.gate import default_weights
    >>> train_gate({}, default_weights()) == default_weights()
    True
    """
    groups = {"plain": dict(start.plain), "timed": dict(start.timed)}
    for name, parts in (("plain", _PLAIN), ("timed", _TIMED)):
        if examples.get(name):
            fitted = fit(examples[name], [groups[name].get(part, 0.0) for part in parts])
            groups[name].update(zip(parts, (round(float(value), 3) for value in fitted), strict=True))
    return GateWeights(groups["plain"], groups["timed"], dict(start.fresh))
