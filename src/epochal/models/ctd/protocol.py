"""Mode: which records are searched and which questions are asked, by the three switches of ChunQiuTR's protocol."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.errors import EpochalError
from epochal.models.ctd.data import COMMENT, EMPTY, Collection, Question

__all__ = ["Mode"]

_FORM = re.compile(r"neg([01])_ne([01])_dq([01])")


@dataclass(frozen=True, slots=True)
class Mode:
    """`neg`: commentaries are searched too; `ne`: placeholders are; `dq`: only what events answer is asked.

    The headline of the paper is neg1_ne1_dq0, which is won by placeholders; neg1_ne0_dq1 says whether events are found.

    >>> str(Mode.parse("neg1_ne0_dq1"))
    'neg1_ne0_dq1'
    >>> Mode.parse("neg1_ne0_dq0")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the mode neg1_ne0_dq0 asks for placeholders that it leaves out; accepted: ne0 with dq1
    """

    neg: bool
    ne: bool
    dq: bool

    def __post_init__(self) -> None:
        if not self.ne and not self.dq:
            raise EpochalError(f"the mode {self} asks for placeholders that it leaves out; accepted: ne0 with dq1")

    @classmethod
    def parse(cls, text: str) -> Mode:
        """A mode from how it is written.

        >>> Mode.parse("neg0_ne1_dq0").neg
        False
        """
        found = _FORM.fullmatch(text)
        if found is None:
            raise EpochalError(f"{text!r} is no mode of the protocol; accepted: negA_neB_dqC with 0 or 1 each")
        neg, ne, dq = (part == "1" for part in found.groups())
        return cls(neg, ne, dq)

    def __str__(self) -> str:
        return f"neg{self.neg:d}_ne{self.ne:d}_dq{self.dq:d}"

    def keeps(self, kind: str) -> bool:
        """Whether records of a type are searched.

        >>> Mode(neg=True, ne=False, dq=True).keeps("no_event")
        False
        """
        return (self.neg or kind != COMMENT) and (self.ne or kind != EMPTY)

    def gallery(self, collection: Collection) -> list[int]:
        """The rows of the records that are searched: those of all splits.

        >>> from epochal.models.ctd.axis import MonthAxis
        >>> from epochal.models.ctd.data import Record
        >>> records = tuple(Record(kind, "x", kind, "train", None) for kind in ("event", "no_event", "neg_comment"))
        >>> Mode.parse("neg1_ne0_dq1").gallery(Collection("own", MonthAxis.lu(), records, ()))
        [0, 2]
        """
        return [number for number, record in enumerate(collection.records) if self.keeps(record.type)]

    def questions(self, collection: Collection, split: str) -> list[Question]:
        """The questions of a split that are asked: those that have an answer among what is searched.

        >>> from epochal.models.ctd.axis import MonthAxis
        >>> Mode.parse("neg1_ne1_dq0").questions(Collection("own", MonthAxis.lu(), (), ()), "test")
        []
        """
        return [
            question
            for question in collection.asked(split)
            if not (self.dq and question.gap)
            and any(self.keeps(collection.records[row].type) for row in question.answers)
        ]
