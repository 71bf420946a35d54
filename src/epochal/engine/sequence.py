"""Reading documents in sequence: annals, diaries and logs state only what has changed, and inherit the rest.

Each document gets a stretch for the date that it stands under. Where its opening states one ("三月", "13."), that is
its place, and what the words leave out is carried over. Where it states nothing, the stretch has no length: no word of
the text says it. Passages further in stand under the same date, or, where texts hand on the last date that they state,
under the last one before them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Final, Literal

from epochal.engine.ingest import Reader, Readings, read_times
from epochal.errors import EpochalError
from epochal.index.records import Document
from epochal.index.splitting import split
from epochal.reading.ranges import Stretch, stretches
from epochal.reading.sequences import Carried, Carrier, carrier
from epochal.times import CalendarDate, Span, calendar
from epochal.times.calendars.regnal import RegnalCalendar

__all__ = ["SequenceReader"]

#: How sure a date is that the opening states, at least in part, and one that was carried over whole.
_STATED: Final = 0.95
_CARRIED: Final = 0.85
#: What a date further in is worth beside them: the text may tell of another time there, and come back.
_TOLD: Final = 0.75


@dataclass(frozen=True, slots=True)
class SequenceReader:
    """Reads documents in the order in which they are added; give it to `Index.add` as `read`.

    `calendar`, `start` and `carry` are those of `read_sequence`: a regnal calendar for annals, "gregorian" for diaries
    and logs. Every call of `add` begins at `start` anew. With `by`, documents whose `meta` has different values under
    that key are sequences of their own: several logs may come mixed. With `only`, a key and a value, documents whose
    `meta` has another value there are read each by itself: notes on a chronicle are not part of it. Of a sequence
    nothing is kept but the date it has got to, so it may be as long as you like.

    >>> from epochal.engine.index import Index
    >>> import tempfile
    >>> texts = ["12 May 1843. Rain.", "13. The mast broke.", "All repaired by night."]
    >>> log = [Document(f"line {number}", text) for number, text in enumerate(texts, 1)]
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
    ...     index.add(log, read=SequenceReader())
    ...     [hit.id for hit in index.search("broke, repaired", during="1843-05-13", strict=True)]
    3
    ['line 2', 'line 3']
    """

    calendar: str | RegnalCalendar = "gregorian"
    start: CalendarDate | Span | None = None
    carry: Literal["opening", "last"] = "opening"
    by: str | None = None
    only: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        self._carrier()

    @classmethod
    def named(
        cls,
        calendar_name: str,
        start: str | None = None,
        by: str | None = None,
        only: tuple[str, str] | None = None,
    ) -> SequenceReader:
        """The reader of a calendar, from the text of the date that it starts at, in that calendar.

        >>> SequenceReader.named("lu", "魯隱公元年").start.year
        1
        >>> SequenceReader.named("lu", "then")
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: the start 'then' has 0 readings in lu; accepted: a date with one
        """
        if start is None:
            return cls(calendar_name, by=by, only=only)
        if calendar_name == "gregorian":
            return cls(calendar_name, Span.parse(start), by=by, only=only)
        dates = calendar(calendar_name).parse(start)
        if len(dates) != 1:
            raise EpochalError(
                f"the start {start!r} has {len(dates)} readings in {calendar_name}; accepted: a date with one"
            )
        return cls(calendar_name, dates[0], by=by, only=only)

    def _carrier(self) -> Carrier:
        return carrier(self.calendar, self.start, self.carry)

    def begin(self) -> Reader:
        """A reader for one run of documents, which stands at `start`.

        >>> read = SequenceReader(start=Span.parse("1843-05-12")).begin()
        >>> title, text = read(Document("2", "13. Rain again."))
        >>> text[0].span.edtf(), text[0].start_char, text[0].end_char
        ('1843-05-13', 0, 2)
        >>> title, text = read(Document("3", "The mast broke."))
        >>> text[0].span.edtf(), text[0].start_char, text[0].end_char
        ('1843-05-13', 0, 0)
        """
        return _Run(self)


class _Run:
    """The reader of one run: for each sequence the date that it has got to."""

    def __init__(self, reader: SequenceReader) -> None:
        self._reader = reader
        self._carriers: dict[Hashable, Carrier] = {}

    def __call__(self, document: Document) -> Readings:
        only = self._reader.only
        if only is not None and document.meta.get(only[0]) != only[1]:
            return read_times(document)
        at = self._of(document)
        # A heading moves a sequence on; the text below it, which inherits its date, states that date more finely.
        heading = _opening(at.read(document.title)) if document.title else []
        told = _told(document.title, at, document) if document.title else []
        if not document.text:
            return heading + told, []
        own = _opening(at.read(document.text))
        inside = own + _told(document.text, at, document)
        return told, _throughout(document.text, inside, own if self._reader.carry == "opening" else inside)

    def _of(self, document: Document) -> Carrier:
        by = self._reader.by
        key = None if by is None else document.meta.get(by)
        if not isinstance(key, Hashable):
            raise EpochalError(
                f"document {document.id!r} has {key!r} under {by!r}; the name of a sequence must be a text or a number"
            )
        if key not in self._carriers:
            self._carriers[key] = self._reader._carrier()
        return self._carriers[key]


def _opening(found: Carried) -> list[Stretch]:
    if found.span is None:
        return []
    sure = _STATED if found.stated else _CARRIED
    return [Stretch(found.span, found.start_char, found.end_char, sure, ())]


def _told(text: str, at: Carrier, document: Document) -> list[Stretch]:
    """The dates further in, counted from that of the text, or from when the document was published."""
    found = stretches(text, at.later(text, document.published))
    return [replace(item, confidence=_TOLD * item.confidence) for item in found]


def _throughout(text: str, found: list[Stretch], over: list[Stretch]) -> list[Stretch]:
    """The stretches with one more for each passage but the first: the last of those `over` it."""
    starts = {item.start_char for item in found}
    lasts = [item.start_char for item in over]
    carried = []
    for start, _ in split(text)[1:]:
        last = bisect_left(lasts, start)
        if last and start not in starts:
            span, sure = over[last - 1].span, over[last - 1].confidence
            carried.append(Stretch(span, start, start, min(sure, _CARRIED), ()))
    return sorted([*found, *carried], key=lambda item: item.start_char)
