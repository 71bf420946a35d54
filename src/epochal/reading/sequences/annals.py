"""Classical Chinese annals: the tagger that reads 元年春王正月 and 永明三年春正月甲辰 through a regnal calendar."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.errors import EpochalError
from epochal.reading.expr import TimeExpr
from epochal.reading.sequences.annals_cues import AnnalsCue, find_cues
from epochal.reading.sequences.annals_state import AnnalsState, advance, state_date, state_of, state_span
from epochal.reading.timex3 import timex3_value
from epochal.times import OPEN_START, CalendarDate, Certainty, Span, calendar
from epochal.times.axis import DAY
from epochal.times.calendars.regnal import RegnalCalendar

__all__ = ["AnnalsReading", "AnnalsTagger"]


@dataclass(frozen=True, slots=True)
class AnnalsReading:
    """A cue of a text with the date it comes to; None when the reign or the year is not known.

    >>> [reading.date.year for reading in AnnalsTagger("chinese").read("永明三年春正月甲辰，")]
    [3]
    """

    cue: AnnalsCue
    date: CalendarDate | None
    span: Span | None


class AnnalsTagger:
    """Tags a text in a regnal calendar; within the text, what a cue leaves out is carried from the cues before it.

    `start` is the date at which the text begins: without it (and without `now`), nothing can be placed before the text
    has named a reign, and its cues come back without a span.

    >>> lu = AnnalsTagger("lu", start=CalendarDate("lu", 1, era="魯隱公"))
    >>> [(e.text, e.value, e.carried) for e in lu.tag("夏五月，鄭伯克段于鄢。")]
    [('夏五月', 'BC0722-05', ('era', 'year'))]
    >>> [(e.text, e.value) for e in AnnalsTagger("chinese").tag("永明三年春正月甲戌，魏主如方山。二月乙巳，還宮。")]
    [('永明三年春正月甲戌', '0485-02-07'), ('二月乙巳', '0485-03-10')]
    """

    def __init__(self, calendar_name: str | RegnalCalendar = "lu", start: CalendarDate | None = None) -> None:
        found = calendar(calendar_name) if isinstance(calendar_name, str) else calendar_name
        if not isinstance(found, RegnalCalendar) or found.table.text != "han":
            raise EpochalError(f"the calendar {found.name!r} counts no reigns in characters, so no annal is read in it")
        self.calendar = found
        self.start = start

    def read(self, text: str, start: CalendarDate | None = None) -> list[AnnalsReading]:
        """The cues of a text, each with its date, from `start` or the tagger's own.

        >>> start = CalendarDate("lu", 28, era="魯僖公")
        >>> [reading.date.month for reading in AnnalsTagger().read("冬，公會晉侯于溫。十有二月壬申。", start)]
        [10, 12]
        """
        state = state_of(start or self.start)
        return [reading for reading, _ in self._walk(text, state)]

    def _walk(self, text: str, state: AnnalsState, place: int | None = None) -> list[tuple[AnnalsReading, AnnalsState]]:
        found = []
        for cue in find_cues(text, self.calendar):
            if place is not None and (cue.start < place or ("year" in cue.stated and not cue.eras)):
                continue
            if cue.stated == ("year",) and cue.start and text[cue.start - 1] in "，、,":
                continue  # 居鄭，三年，… counts years as often as it names one
            after = advance(state, cue, self.calendar)
            date = state_date(after, self.calendar)
            if cue.eras and date is None:
                # The name means several reigns, and nothing says which: what follows must not take up the old reign.
                after = AnnalsState(year=cue.year)
            state = after
            found.append((AnnalsReading(cue, date, state_span(state, date, self.calendar)), state))
        return found

    def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        """The expressions of a text. Where no `start` was given, it is taken from `now`, the text's own date.

        >>> AnnalsTagger("lu").tag("秋七月。")[0].span is None
        True
        >>> AnnalsTagger("lu").tag("秋七月。", now=Span.year(-721))[0].value
        'BC0722-07'
        """
        state = state_of(self.start or self._start_of(now))
        return [expr for reading, _ in self._walk(text, state) if (expr := self._expr(text, reading)) is not None]

    def tag_after(self, text: str, place: int, state: AnnalsState) -> list[TimeExpr]:
        """The expressions from a place on, in a text that stands at `state` there.

        Years count only with their reign: further in, a text tells of other years (僖之元年).

        >>> state = AnnalsState("魯隱公", 1, 3, basis="month")
        >>> [(e.text, e.value) for e in AnnalsTagger("lu").tag_after("三月，公會。五月，公還。", 2, state)]
        [('五月', 'BC0722-05')]
        """
        walked = self._walk(text, state, place)
        return [expr for reading, _ in walked if (expr := self._expr(text, reading)) is not None]

    def _start_of(self, now: Span | None) -> CalendarDate | None:
        if now is None or now.start == OPEN_START:
            return None
        dates = self.calendar.dates(now.start // DAY, now.grain)
        # Where several realms counted at once, the reference time does not say whose annal this is.
        return dates[0] if len(dates) == 1 else None

    def _expr(self, text: str, reading: AnnalsReading) -> TimeExpr | None:
        cue, date, span = reading.cue, reading.date, reading.span
        stated = cue.stated
        if span is None and stated in (("day",), ("season",)):
            return None  # nothing is known of it but a name that comes round every sixty days, or every year
        carried = tuple(
            part
            for part, is_known in (
                ("era", date is not None),
                ("year", date is not None),
                ("month", date is not None and date.month is not None),
            )
            if is_known and part not in stated and not (part == "month" and ("season" in stated or "year" in stated))
        )
        confidence = 0.4 if span is None else 0.95 if "era" in stated else 0.85 if "month" in stated else 0.7
        value = "XXXX" if span is None else timex3_value(span)
        mod = "APPROX" if span is not None and span.worst_certainty & Certainty.APPROXIMATE else ""
        return TimeExpr(
            text[cue.start : cue.end], cue.start, cue.end, "DATE", value, span, mod, confidence, stated, carried
        )
