"""What travels between the workers and the process that stores: parts of a source, and what came of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from epochal.errors import EpochalError
from epochal.index.inputs.rows import LONGEST
from epochal.index.records import Entry

__all__ = ["Failure", "Item", "Package", "Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a source that one worker reads: bytes `start` to `end` of a file of lines, or row groups of a table.

    `url` is what opens the file and `name` what messages call it; `end` is 0 for a file that is read whole. `first` is
    the number of the last row before a part of a table.

    >>> Part(0, "/data/a.jsonl", "a.jsonl", "jsonl", size=10).groups
    ()
    """

    number: int
    url: str
    name: str
    format: str
    size: int
    start: int = 0
    end: int = 0
    groups: tuple[int, ...] = ()
    first: int = 0
    longest: int = LONGEST


@dataclass(frozen=True, slots=True)
class Item:
    """What came of a row: an entry that is ready to be stored, a problem, or, with neither, what is stored already.

    `line` counts from where the part begins in a file of lines, and from the first row in a table.

    >>> Item(7, problem="the row has no id").entry is None
    True
    """

    line: int
    id: str = ""
    entry: Entry | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error on its way from one process to another: errors with arguments of their own do not travel by themselves.

    >>> from epochal.errors import InputError
    >>> error = Failure.of(InputError("a.jsonl", 7, "breaks off")).error()
    >>> type(error).__name__, error.line, str(error)
    ('InputError', 7, 'a.jsonl, line 7: breaks off')
    """

    kind: type[EpochalError]
    message: str
    told: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, error: EpochalError) -> Failure:
        """The failure that an error is.

        >>> Failure.of(EpochalError("no")).message
        'no'
        """
        return cls(type(error), str(error), tuple(vars(error).items()))

    def error(self) -> EpochalError:
        """The error again.

        >>> raise Failure.of(EpochalError("the meta of document 'p1' must be a mapping")).error()
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: the meta of document 'p1' must be a mapping
        """
        made = self.kind.__new__(self.kind, self.message)
        vars(made).update(self.told)
        return made


@dataclass(frozen=True, slots=True)
class Package:
    """What a worker hands over: the rows of a part in their order, some hundred at a time.

    The `last` one of a part says how many `lines` it had. After a failure nothing more comes of the part.

    >>> Package(0, (Item(1, "a"),), last=True, lines=1).failure is None
    True
    """

    part: int
    items: tuple[Item, ...]
    last: bool = False
    lines: int = 0
    failure: Failure | None = None
