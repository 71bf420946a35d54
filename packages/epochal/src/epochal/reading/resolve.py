"""One time expression in any notation or calendar to spans: the reader of `epochal when`, of options and of imports.

EDTF, ISO 8601, plain words and every calendar's own notation come first (`epochal.times.when`), then the forms of
archives and catalogues, feasts, Roman dates, geological ages, named periods and reigns, and at last whatever the tagger
reads in running text, provided that it reads all of the expression.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from epochal.errors import EpochalError, TimeParseError, TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.events import EventFinder
from epochal.reading.expression import TimeExpr, apply_relation, fill_blanks, find_cue
from epochal.reading.tagger import tag
from epochal.times.axis import DAY, OPEN_END, Certainty, Grain
from epochal.times.calendars.base import Calendar
from epochal.times.calendars.feasts import read_feast, read_roman_date
from epochal.times.calendars.hebrew_text import spell_hebrew_date
from epochal.times.calendars.registry import calendar as find_calendar
from epochal.times.catalogue import read_catalogue
from epochal.times.geology import read_age, read_geology
from epochal.times.interval import Interval
from epochal.times.span import Span
from epochal.times.stamps import read_stamp
from epochal.times.when import Interpretation, check_length
from epochal.times.when import resolve as resolve_date

__all__ = ["find_period", "parse_time", "parse_time_option", "resolve"]

_SECONDS = lazy_regex(
    r"@?(?P<seconds>\d{9,10})|(?P<millis>1\d{12})|(?:unix|epoch|posix)[ :]+(?P<named>\d{1,11})", re.IGNORECASE
)
_DAY_COUNT = lazy_regex(
    r"(?P<name>m?jd|julian day|modified julian day)[ :]*(?P<count>\d{1,8}(?:\.\d{1,6})?)", re.IGNORECASE
)
_JULIAN_DAY_OF_1970 = 2_440_587.5
_MODIFIED_DAY_OF_1970 = 40_587
_YEAR_OF_REIGN = lazy_regex(
    r"(?:(?:the )?(?P<nth>\w+(?:-\w+)?|\d{1,3}(?:st|nd|rd|th)) year of|year (?P<number>\d{1,3}) of)"
    r"(?: the)?(?: (?:reign|rule|pontificate|papacy|presidency) of)? (?P<name>.+)",
    re.IGNORECASE,
)
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_REIGN = lazy_regex(
    r"(?:(?:the )?(?:reign|time|rule|age|era|pontificate|consulship|presidency) of|temp(?:\.|ore)) (?P<name>.+)",
    re.IGNORECASE,
)
#: What may surround an expression that the tagger has read.
_AROUND = lazy_regex(
    r"[\s.,;:()\[\]\"'“”‘’]*(?:(?:the|in|on|at|during|le|la|el|las|am|im|den|der|il|of|de|du|à|a|um|om|op|alle)\s+)*[\s.,;:]*",
    re.IGNORECASE,
)


#: Years of the world that are yet to come in the Hebrew count and past in the Byzantine one.
_LATE_CREATION = lazy_regex(r"(?:AM|A\.M\.|Anno Mundi) ?(?P<leading>[67]\d{3})|(?P<year>[67]\d{3}) ?(?:AM|A\.M\.)")


def resolve(
    text: str,
    *,
    calendar: str | None = None,
    now: Span | dt.date | int | str | None = None,
    extra: Iterable[Calendar] = (),
    tz: dt.tzinfo = dt.timezone.utc,
) -> tuple[Interpretation, ...]:
    """Every interpretation of an expression; an error when there is none.

    EDTF, ISO 8601 and plain words come first, then every calendar's own notation, then the forms of archives, feasts,
    geological ages and periods, and what the tagger reads. With `calendar`, only that one is tried, and plain numbers
    are dates of it. `now`, which takes any time, allows "last year"; `extra` are calendars that are not registered.

    >>> [reading.span.edtf() for reading in resolve("44 BCE")]
    ['-0043']
    >>> [reading.span.edtf() for reading in resolve("last May", now="2026-11-18")]
    ['2026-05']
    >>> [reading.span.edtf() for reading in resolve("[ca. 1890-1910]")]
    ['1890~/1910~']
    >>> [reading.text for reading in resolve("永和元年")]
    ['東漢永和元年', '東晉永和元年', '後秦永和元年', '閩永和元年', '永和元年']
    """
    if not isinstance(text, str):
        raise EpochalError(f"resolve takes one text, but was given {text!r}")
    check_length(text)
    now = parse_time(now, "now")
    if calendar is None and (counted := _read_count(text.strip())) is not None:
        return (Interpretation(counted, "gregorian", None, counted.describe()),)
    if calendar is None and (creation := _LATE_CREATION.fullmatch(text.strip())):
        byzantine = resolve_date(f"Byzantine AM {creation['year'] or creation['leading']}", now=now, tz=tz)
        return (*byzantine, *resolve_date(text, now=now, extra=extra, tz=tz))
    try:
        return resolve_date(text, calendar=calendar, now=now, extra=extra, tz=tz)
    except TimeParseError:
        if calendar is not None:
            raise
        if found := tuple(_read_further(text, now)):
            return found
        raise


def _read_count(text: str) -> Span | None:
    """Seconds since 1970, which no year has so many digits as, and days since the epochs of astronomers."""
    if match := _SECONDS.fullmatch(text):
        seconds = match["seconds"] or match["named"]
        return Span.at(int(seconds) if seconds else int(match["millis"]) // 1000)
    if match := _DAY_COUNT.fullmatch(text):
        offset = _MODIFIED_DAY_OF_1970 if match["name"].lower().startswith("m") else _JULIAN_DAY_OF_1970
        count = float(match["count"]) - offset
        day = int(count // 1)
        return Span(day * DAY, (day + 1) * DAY, Grain.DAY)
    return None


def _read_further(text: str, now: Span | None) -> Iterator[Interpretation]:
    """The interpretations beyond EDTF, plain words and calendars, by the first reader that has any."""
    if (stamp := read_stamp(text)) is not None:
        yield _make_interpretation(stamp)
        return
    year = None if now is None or now.end == OPEN_END else now.last_year
    for interval in (read_catalogue(text), read_geology(text), read_age(text, year)):
        if interval is not None:
            yield _make_interpretation(Span.of(interval))
            return
    spans = read_feast(text)
    if not spans and (day := read_roman_date(text)) is not None:
        spans = (day,)
    if spans:
        yield from map(_make_interpretation, spans)
        return
    if (spelled := spell_hebrew_date(text)) is not None:
        hebrew = find_calendar("hebrew")
        for date in hebrew.parse(spelled, bare=True):
            yield Interpretation(hebrew.span(date), hebrew.name, date, hebrew.format(date))
        return
    if (span := _read_period(text)) is not None or (span := _read_running_text(text, now)) is not None:
        yield _make_interpretation(span)


def _make_interpretation(span: Span) -> Interpretation:
    return Interpretation(span, "gregorian", None, span.describe())


def _read_period(text: str) -> Span | None:
    """A named event, period or reign, or a year of a reign."""
    plain = " ".join(text.split())
    if match := _YEAR_OF_REIGN.fullmatch(plain):
        reign = find_period(match["name"]) or find_period(f"reign of {match['name']}")
        number = int(match["number"]) if match["number"] else _parse_ordinal(match["nth"])
        return None if reign is None or number is None else _take_year(reign, number)
    if (found := find_period(plain)) is not None:
        return found
    if match := _REIGN.fullmatch(plain):
        return find_period(match["name"]) or find_period(f"reign of {match['name']}")
    return find_period(f"{plain} period")


def _parse_ordinal(word: str) -> int | None:
    lowered = word.lower()
    if lowered in _ORDINAL_WORDS:
        return _ORDINAL_WORDS.index(lowered) + 1
    digits = re.sub(r"\D", "", word)
    return int(digits) if digits else None


def _take_year(reign: Span, number: int) -> Span | None:
    """The n-th year of a reign, from the day that it began on; none beyond its end."""
    if reign.is_open or number < 1:
        return None
    try:
        first = Interval(reign.start, reign.start + DAY, Grain.DAY)
        start, end = first.shift(number - 1, Grain.YEAR).start, first.shift(number, Grain.YEAR).start
    except TimeRangeError:
        return None
    doubt = reign.certainty if reign.grain < Grain.YEAR else reign.certainty | Certainty.APPROXIMATE
    return Span(start, end, reign.grain, reign.grain, doubt, doubt) if start < reign.end else None


def find_period(name: str) -> Span | None:
    """The span of a name in the table of events, where it names one event and nothing else."""
    for words in dict.fromkeys((name, name[:1].upper() + name[1:], name.title())):
        for mention in _load_finder().find(words):
            expression = mention.to_expression()
            rest = words[: mention.start_char] + words[mention.end_char :]
            if expression is not None and expression.span is not None and _AROUND.fullmatch(rest):
                return expression.span
    return None


@cache
def _load_finder() -> EventFinder:
    return EventFinder()


def _read_running_text(text: str, now: Span | None) -> Span | None:
    """The one time that the tagger reads, where nothing but articles, prepositions and bounds is left of the text."""
    expressions = [item for item in tag(text, now=now) if item.span is not None and item.kind in ("DATE", "TIME")]
    if len(expressions) == 2:
        return _read_clock_of_day(text, expressions)
    if len(expressions) != 1:
        return None
    item = expressions[0]
    text = fill_blanks(text)
    cue = find_cue(text, item)
    if not (_AROUND.fullmatch(text[: cue.start]) and _AROUND.fullmatch(text[cue.end :])):
        return None
    return item.span if item.span is None else apply_relation(cue.relation, item.span)


def _read_clock_of_day(text: str, expressions: Sequence[TimeExpr]) -> Span | None:
    """The clock time of a day that is beside it: "15h30 le 14 mai 2024"."""
    first, last = expressions
    gaps = (text[: first.start_char], text[first.end_char : last.start_char], text[last.end_char :])
    inner, outer = sorted((item.span for item in expressions if item.span is not None), key=lambda span: span.seconds)
    is_inside = outer.grain is Grain.DAY and outer.start <= inner.start and inner.end <= outer.end
    return inner if is_inside and all(_AROUND.fullmatch(gap) for gap in gaps) else None


def parse_time(value: Span | dt.date | int | str | None, name: str, now: Span | None = None) -> Span | None:
    """The span of a Span, a date, a datetime, a year or a text; `name` is what an error calls the argument.

    >>> parse_time(1998, "during"), parse_time(dt.date(1998, 3, 2), "during"), parse_time("2 March 1998", "during")
    (Span.parse('1998'), Span.parse('1998-03-02'), Span.parse('1998-03-02'))
    """
    if value is None or isinstance(value, Span):
        return value
    if isinstance(value, str):
        return parse_time_option(value, name, now)
    try:
        # numpy's integers are no ints, but can be one.
        if hasattr(value, "__index__") and not isinstance(value, bool):
            return Span.year(value.__index__())
        return Span.of(value)
    except EpochalError:
        shown = repr(value) if len(repr(value)) <= 80 else f"{repr(value)[:77]}..."
        raise EpochalError(
            f"{name} must be a Span, a date, a year or a text such as '1998-03', but is {shown}"
        ) from None


def parse_time_option(text: str | None, name: str, now: Span | None = None) -> Span | None:
    """The span of an option's text, None where none was given; errors call the option `name`."""
    if text is None:
        return None
    stripped = text.strip()
    try:
        return Span.parse(stripped)
    except TimeParseError:
        pass  # it may be words; the error below names everything that is accepted
    try:
        interpretations = resolve(stripped, now=now)
    except EpochalError as error:
        raise EpochalError(f"{name}: {error}") from error
    spans = list(dict.fromkeys(reading.span for reading in interpretations))
    if len(spans) > 1:
        named = ", ".join(span.edtf() for span in spans[:6])
        raise EpochalError(f"{name} {stripped!r} may be any of several times: {named}; give one")
    return spans[0]
