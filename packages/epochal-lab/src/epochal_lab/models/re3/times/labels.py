"""The date that a text states: as classes of the heads, as a span, decoded from scores, measured, and in labelled
files.
"""

from __future__ import annotations

import calendar
import datetime as dt
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from epochal.errors import EpochalError, InputError
from epochal.times.axis import DAY, Grain, civil_date
from epochal.times.span import Span

#: The heads and their numbers of classes. Class 0 of month and day means none.
HEADS: Final[dict[str, int]] = {"century": 21, "decade": 10, "year": 10, "month": 13, "day": 32, "exists": 2}
#: The class that `torch.nn.functional.cross_entropy` ignores.
IGNORED: Final = -100
#: The last year that the heads can represent.
LAST_YEAR: Final = 2099

_TEXT = re.compile(r"(?P<year>\d{4}|XXXX)(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?")
_FORMS: Final = "'1998', '1998-03', '1998-03-04', 'XXXX-03', 'XXXX-03-04' and '' for none"
#: The next 29 February is at most eight years away.
_MAX_YEARS: Final = 8

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Label:
    """The year, month and day that a text states, each None where it does not.

    A text may leave out the year ("Monday, June 9"); the year then depends on a reference date.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        if self.year is not None and not 1 <= self.year <= LAST_YEAR:
            raise EpochalError(f"the year of a label is {self.year}; accepted: 1 to {LAST_YEAR}, or None")
        if self.month is not None and not 1 <= self.month <= 12:
            raise EpochalError(f"the month of a label is {self.month}; accepted: 1 to 12, or None")
        if self.day is not None:
            if self.month is None:
                raise EpochalError(f"a label has the day {self.day} and no month; accepted: a day of a month")
            if not 1 <= self.day <= days_in_month(self.year, self.month):
                raise EpochalError(f"the day of a label is {self.day}; accepted: a day that month {self.month} has")

    @classmethod
    def parse(cls, text: str) -> Label:
        """Parse what `str` returns."""
        if text == "":
            return NONE
        match = _TEXT.fullmatch(text)
        if match is None or text == "XXXX":
            raise EpochalError(f"the label {text!r} is no date; accepted: {_FORMS}")
        year, month, day = match["year"], match["month"], match["day"]
        return cls(
            None if year == "XXXX" else int(year),
            None if month is None else int(month),
            None if day is None else int(day),
        )

    def __str__(self) -> str:
        if self == NONE:
            return ""
        parts = ["XXXX" if self.year is None else f"{self.year:04}"]
        parts += [f"{part:02}" for part in (self.month, self.day) if part is not None]
        return "-".join(parts)

    @property
    def classes(self) -> tuple[int, ...]:
        """The class of each of the `HEADS`; century, decade and year are `IGNORED` where no year is stated."""
        year = (IGNORED,) * 3 if self.year is None else (self.year // 100, self.year // 10 % 10, self.year % 10)
        return (*year, self.month or 0, self.day or 0, int(self.year is not None))

    @classmethod
    def from_classes(cls, classes: Sequence[int]) -> Label:
        """Build a label from one class per head; a day without a month is ignored."""
        century, decade, year, month, day, exists = classes
        # The heads can represent the year 0, which no text states.
        stated = (100 * century + 10 * decade + year or None) if exists else None
        return cls(stated, month or None, (day or None) if month else None)

    @classmethod
    def from_span(cls, span: Span) -> Label | None:
        """Return the label of a span that is one year, month or day; None for all other spans."""
        if span.is_open or span.grain != span.end_grain:
            return None
        year, month, day = civil_date(span.start // DAY)
        if not 1 <= year <= LAST_YEAR:
            return None
        by_grain = {Grain.YEAR: cls(year), Grain.MONTH: cls(year, month), Grain.DAY: cls(year, month, day)}
        label = by_grain.get(span.grain)
        whole = None if label is None else label.span()
        return label if whole is not None and (whole.start, whole.end) == (span.start, span.end) else None

    def span(self, reference: Span | None = None) -> Span | None:
        """Return the year, month or day as a span; None if nothing is stated, or no year and there is no reference.

        A year that is not stated is the one that puts the date nearest to the start of the reference.
        """
        if self.year is not None:
            return _build_span(self.year, self.month, self.day)
        if self.month is None or reference is None or reference.is_open:
            return None
        here = reference.start // DAY
        present = civil_date(here)[0]
        near = [
            span
            for year in range(present - _MAX_YEARS, present + _MAX_YEARS + 1)
            if self.day is None or self.day <= days_in_month(year, self.month)
            if (span := _build_span(year, self.month, self.day)) is not None
        ]
        # A month that contains the reference is nearest to it, however long ago it began.
        return min(
            near, key=lambda span: (max(span.start - reference.start, reference.start - span.end, 0), span.start)
        )


def days_in_month(year: int | None, month: int) -> int:
    """Return the days of a month; February without a year has 29."""
    return calendar.monthrange(2024 if year is None or not dt.MINYEAR <= year <= dt.MAXYEAR else year, month)[1]


def _build_span(year: int, month: int | None, day: int | None) -> Span:
    if month is None:
        return Span.year(year)
    return Span.month(year, month) if day is None else Span.day(year, month, day)


#: The label of a text without a date.
NONE: Final = Label()


def decode_scores(scores: Mapping[str, NDArray[Any]], *, absent: str = "class") -> list[Label]:
    """Decode scores to labels: the best class of each head, and the best day that the month has.

    With `absent` "masked" the heads of month and day cannot predict "none": a text without a year then states nothing.
    """
    best = np.stack([np.asarray(scores[head]).argmax(axis=1) for head in HEADS], axis=1)
    labels = []
    for row, classes in enumerate(best.tolist()):
        century, decade, year, month, day, exists = classes
        if not exists and absent == "masked":
            labels.append(NONE)
            continue
        if month:
            stated = (100 * century + 10 * decade + year) if exists else None
            day = int(np.asarray(scores["day"][row])[: 1 + days_in_month(stated or None, month)].argmax())
        labels.append(Label.from_classes((century, decade, year, month, day, exists)))
    return labels


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The shares of texts with the right year, month and day (Table 5 of Re3), all of them right (EM), and no date
    found.

    Month and day are None where no text has any. `exact` compares to the grain: a day is not the year that contains it.
    """

    texts: int
    year: float
    month: float | None
    day: float | None
    exact: float
    missing: float

    def to_dict(self, digits: int = 4) -> dict[str, float | int | None]:
        shares = ((name, getattr(self, name)) for name in ("year", "month", "day", "exact", "missing"))
        return {"texts": self.texts, **{name: None if part is None else round(part, digits) for name, part in shares}}


def span_accuracy(spans: Sequence[Span | None], gold: Sequence[Span]) -> Accuracy:
    """Measure spans. A span that is not a single year, month or day has no part right."""
    return label_accuracy(
        [None if span is None else Label.from_span(span) or NONE for span in spans], _make_labels(gold)
    )


def label_accuracy(labels: Sequence[Label | None], gold: Sequence[Label]) -> Accuracy:
    """Measure labels; None is one that was not found."""
    if len(labels) != len(gold) or not gold:
        raise EpochalError(f"{len(labels)} dates were found for {len(gold)} texts; accepted: as many, and one or more")
    pairs = [(one or NONE, other) for one, other in zip(labels, gold, strict=True)]
    count = len(gold)
    has_month = any(label.month for label in gold)
    has_day = any(label.day for label in gold)
    return Accuracy(
        count,
        sum(one.year == other.year for one, other in pairs) / count,
        sum(one.month == other.month for one, other in pairs) / count if has_month else None,
        sum(one.day == other.day for one, other in pairs) / count if has_day else None,
        sum(one == other for one, other in pairs) / count,
        sum(one is None for one in labels) / count,
    )


def select_most_similar(candidates: Iterable[Span], gold: Span) -> Span | None:
    """Return the span with most parts right: for readers that return several dates of a text."""
    (target,) = _make_labels([gold])

    def right(span: Span) -> tuple[bool, int]:
        here = Label.from_span(span) or NONE
        parts = ((here.year, target.year), (here.month, target.month), (here.day, target.day))
        return here == target, sum(one == other for one, other in parts if other is not None)

    return max(candidates, key=right, default=None)


def _make_labels(gold: Sequence[Span]) -> list[Label]:
    labels = []
    for span in gold:
        label = Label.from_span(span)
        if label is None:
            raise EpochalError(f"the gold date {span.edtf()} cannot be measured; accepted: a year, a month or a day")
        labels.append(label)
    return labels


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence and the date that it states. Sentences of one `group` are similar and go into the same split."""

    text: str
    label: Label
    group: str = ""

    def to_json(self) -> str:
        """Return one line, without its end."""
        return json.dumps({"text": self.text, "time": str(self.label), "group": self.group}, ensure_ascii=False)


def read_rows(path: Path) -> Iterator[LabelledSentence]:
    """Read labelled sentences from a file, plain or gzipped."""
    try:
        with path.open("rb") as start:
            packed = start.read(2) == _GZIP
        with gzip.open(path) if packed else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.isspace():
                    yield _parse_row(str(path), number, line)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EpochalError(f"cannot read the labelled sentences of {path}: {reason}") from error


def _parse_row(name: str, number: int, line: bytes) -> LabelledSentence:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise InputError(name, number, f"the row is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise InputError(name, number, f"the row is a {type(values).__name__}; accepted: an object with text and time")
    text, time, group = values.get("text"), values.get("time"), values.get("group", "")
    if not (isinstance(text, str) and isinstance(time, str) and isinstance(group, str)):
        raise InputError(name, number, 'the row needs texts; accepted: {"text": "It is June.", "time": "XXXX-06"}')
    try:
        return LabelledSentence(text, Label.parse(time), group)
    except EpochalError as error:
        raise InputError(name, number, str(error)) from error


def write_rows(rows: Iterable[LabelledSentence], file: BinaryIO, *, packed: bool = False) -> int:
    """Write labelled sentences to an open file and return their number; the same rows give the same bytes."""
    # No timestamp and no name, so that equal rows give equal files.
    target: BinaryIO = gzip.GzipFile("", "wb", 9, file, mtime=0) if packed else file  # type: ignore[assignment]
    count = 0
    for row in rows:
        target.write(f"{row.to_json()}\n".encode())
        count += 1
    if packed:
        target.close()
    return count


def split_rows(
    rows: Iterable[LabelledSentence], share: float = 0.05, most: int = 4000
) -> tuple[list[LabelledSentence], list[LabelledSentence]]:
    """Split rows into training and evaluation rows: whole groups, by the checksum of their names.

    `share` is the share of groups to evaluate on; more than `most` rows are thinned out evenly.
    """
    if not 0 < share < 1:
        raise EpochalError(f"the share to measure on is {share:g}; accepted: above 0 and below 1")
    train: list[LabelledSentence] = []
    held_out: list[LabelledSentence] = []
    for row in rows:
        (held_out if zlib.crc32(row.group.encode()) / 2**32 < share else train).append(row)
    if not train or not held_out:
        raise EpochalError(
            f"of {len(train) + len(held_out):,} rows, {len(held_out):,} are left to measure on; "
            "accepted: some to train on and some to measure on, in several groups"
        )
    every = -(-len(held_out) // most)
    return train, held_out[::every]
