"""One thing to measure: a system on a set, with a way of asking."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from epochal.errors import EpochalError

__all__ = ["Task", "tasks_of"]

_UNSAFE = re.compile(r"[^0-9A-Za-z._+-]+")
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Task:
    """What is measured. `variant` changes the questions, `protocol` the documents and questions that take part.

    >>> Task("tnp", "bm25").slug
    'tnp.test.bm25-0ef77bdd'
    """

    set: str
    system: str
    split: str = "test"
    variant: str = "baseline"
    protocol: str = ""
    k: int = 100

    def __post_init__(self) -> None:
        if self.k < 1:
            raise EpochalError(f"k must be at least 1, but is {self.k}")

    @property
    def slug(self) -> str:
        """A file name: readable, and different for every task.

        >>> Task("tnp", "bm25", k=10).slug == Task("tnp", "bm25").slug
        False
        """
        parts = [self.set, self.split, self.system]
        parts += [part for part in (self.variant, self.protocol) if part not in ("", "baseline")]
        shown = ".".join(_UNSAFE.sub("-", part).strip("-") for part in parts)[:_LONGEST]
        told = "\n".join(f"{key}={value}" for key, value in sorted(self.to_dict().items()))
        return f"{shown}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON values.

        >>> Task("tnp", "bm25").to_dict()["split"]
        'test'
        """
        return asdict(self)

    def __str__(self) -> str:
        ways = [way for way in (self.variant, self.protocol) if way not in ("", "baseline")]
        return " ".join([f"{self.set}/{self.split}", self.system, *ways])


def tasks_of(
    sets: Iterable[str],
    systems: Iterable[str],
    splits: Iterable[str] = ("test",),
    variants: Iterable[str] = ("baseline",),
    protocols: Iterable[str] = ("",),
    k: int = 100,
) -> Iterator[Task]:
    """Every combination, set by set, so that what a set needs is made once.

    >>> [str(task) for task in tasks_of(["tnp"], ["bm25", "epochal"])]
    ['tnp/test bm25', 'tnp/test epochal']
    """
    for name, split, protocol, variant, system in product(sets, splits, protocols, variants, systems):
        yield Task(name, system, split, variant, protocol, k)
