"""Sets as tasks ask for them: opened once, then cut to a split, a protocol and a way of asking."""

from __future__ import annotations

import os
import re
from pathlib import Path

from epochal.bench.builders.chunqiutr.protocol import protocol
from epochal.bench.records import BenchSet
from epochal.bench.running.tasks import Task
from epochal.bench.sets.registry import open_set
from epochal.bench.specs import Spec
from epochal.bench.steps import STRATEGIES, as_asked
from epochal.bench.variants import VARIANTS, varied
from epochal.errors import EpochalError, UnknownNameError

__all__ = ["Shelf"]

_MODE = re.compile(r"neg([01])_ne([01])_dq([01])")


class Shelf:
    """Opens the sets of tasks; a set that was opened last stays open, for the next task asks for it as a rule.

    A set may have switches: `tempo/law(exclusion=full)`.

    >>> Shelf().of(Task("no-such-set", "bm25"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.UnknownNameError: no set is called 'no-such-set'; known: ...
    """

    def __init__(self, data: str | os.PathLike[str] | None = None, *, hub: bool = False) -> None:
        self._data, self._hub = data, hub
        self._name = ""
        self._opened: BenchSet | None = None

    def of(self, task: Task) -> BenchSet:
        """The set of a task, with the documents and the questions that take part.

        >>> import tempfile
        >>> from epochal.bench.folder import Manifest, write_folder
        >>> from epochal.bench.records import BenchQuery
        >>> from epochal.index.records import Document
        >>> folder = tempfile.mkdtemp()
        >>> made = BenchSet("own", (Document("d", "Rain."),), (BenchQuery("q", "Rain in 1998?"),), {"q": {"d": 1}})
        >>> _ = write_folder(folder, made, Manifest("own"))
        >>> Shelf().of(Task(folder, "bm25", variant="strip")).queries[0].text
        'Rain?'
        """
        made = self._open(task.set).of_split(task.split)
        if task.protocol:
            if (mode := _MODE.fullmatch(task.protocol)) is None:
                raise EpochalError(f"{task.protocol!r} is no protocol; accepted: such as neg1_ne1_dq0")
            neg, ne, dq = map(int, mode.groups())
            made = protocol(made, neg=neg, ne=ne, dq=dq)
        if task.variant in STRATEGIES:
            return as_asked(made, task.variant)
        if task.variant in VARIANTS:
            return varied(made, task.variant)
        raise UnknownNameError("variant", task.variant, (*VARIANTS, *STRATEGIES))

    def _open(self, name: str) -> BenchSet:
        if self._opened is None or name != self._name:
            spec = Spec(name) if Path(name).is_dir() else Spec.parse(name)
            self._opened = open_set(spec.name, self._data, hub=self._hub, switches=spec.settings).made
            self._name = name
        return self._opened
