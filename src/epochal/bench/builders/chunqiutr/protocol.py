"""The published protocol: which records are in the gallery, and which questions are asked of it.

    neg  commentaries of later ages, which repeat dates and names but are never right, are in the gallery
    ne   the placeholders of empty months are in the gallery
    dq   questions that only placeholders answer are dropped

The headline is neg1_ne1_dq0; what tells whether events are found is neg1_ne0_dq1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from epochal.bench.records import BenchSet
from epochal.errors import EpochalError, UnknownNameError
from epochal.index.records import Document

__all__ = ["FAMILIES", "MODES", "family", "protocol"]

#: All modes that make sense, as neg, ne and dq.
MODES = ((1, 1, 0), (1, 1, 1), (1, 0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 1))
#: What questions can be parted into: by the shape of what is asked, and those whose months are all empty.
FAMILIES = ("all", "point", "window", "gap")


@dataclass(frozen=True, slots=True)
class _Gallery:
    """Documents without those of some types, gone through as often as one likes."""

    documents: Iterable[Document]
    without: frozenset[str]

    def __iter__(self) -> Iterator[Document]:
        return (document for document in self.documents if document.meta.get("type") not in self.without)


def protocol(made: BenchSet, *, neg: int = 1, ne: int = 1, dq: int = 0) -> BenchSet:
    """The set in one mode. Questions that have nothing relevant left in the gallery are dropped.

    >>> protocol(BenchSet("chunqiutr", (), (), {}), ne=0, dq=1).id
    'chunqiutr/neg1_ne0_dq1'
    >>> protocol(BenchSet("chunqiutr", (), (), {}), ne=0)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the mode neg1_ne0_dq0 has no gold for empty months; accepted with ne=0: dq=1
    """
    mode = f"neg{int(neg)}_ne{int(ne)}_dq{int(dq)}"
    if not ne and not dq:
        raise EpochalError(f"the mode {mode} has no gold for empty months; accepted with ne=0: dq=1")
    types = {kind for kind, kept in (("neg_comment", neg), ("no_event", ne)) if not kept}
    gallery = _Gallery(made.documents, frozenset(types))
    ids = {document.id for document in gallery} if types else None
    kept = [query for query in made.queries if not (dq and query.annotations.get("gap"))]
    qrels = made.qrels
    periods = made.period_qrels
    if ids is not None:
        qrels = {
            query: {name: score for name, score in judged.items() if name in ids} for query, judged in qrels.items()
        }
        periods = {query: tuple(covered & ids for covered in sets) for query, sets in periods.items()}
    kept = [query for query in kept if any(score > 0 for score in qrels.get(query.id, {}).values())]
    given = replace(made, id=f"{made.id}/{mode}", documents=gallery, qrels=qrels, period_qrels=periods)
    return given.having(kept)


def family(made: BenchSet, name: str) -> BenchSet:
    """The set with the questions of one family: point, window, gap (all its months are empty), or all.

    >>> family(BenchSet("chunqiutr", (), (), {}), "gap").id
    'chunqiutr/gap'
    """
    if name not in FAMILIES:
        raise UnknownNameError("family", name, FAMILIES)
    if name == "all":
        return made
    kept = [
        query
        for query in made.queries
        if (query.annotations.get("gap") if name == "gap" else query.annotations.get("family") == name)
    ]
    return replace(made, id=f"{made.id}/{name}").having(kept)
