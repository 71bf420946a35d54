"""Dates as archives, libraries and museums write them: "ca. 1890-1910", "[1923?]", "n.d.", "18th c.", "1914-18".

`read_catalogue` reads one statement of a date and nothing else. It builds on `words.read`, which knows single times in
words, and adds hedges, bounds, parts, ranges whose ends share their words, and the abbreviations of catalogues.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Certainty, Grain, to_seconds
from epochal.times.calendars.julian import from_julian_date
from epochal.times.interval import Interval
from epochal.times.numerals import from_roman, is_roman
from epochal.times.words import MONTHS, format_ordinal, read

#: Hedges, bounds and ranges hold one another no deeper than this.
_DEEPEST = 6
_MAX_CHARS = 120
_UNDATED = lazy_regex(
    r"(?:undated|n\.? ?d\.?|s\.? ?d\.?|s\.? ?a\.?|no date(?: given)?|not dated|date unknown|unknown(?: date)?"
    r"|sine (?:dato|anno)|"
    r"sans date|sin fecha|ohne (?:jahr|datum)|o\. ?j\.?|without date)"
)
_UNDATED_LEAD = lazy_regex(rf"{_UNDATED.pattern}(?:,|;|:)? (?P<rest>.+)")
#: Words that say what was dated, and nothing of when.
_LABEL = lazy_regex(
    r"(?:b\.|d\.|born|died|fl\.|flor\.|floruit|flourished|active|act\.|r\.|reg\.|reigned|ruled|written|printed"
    r"|published|"
    r"dated|composed|built|painted|made|copyright|copr\.|©|℗|cop\.|dat\.|anno(?: domini)?|a\.? ?d\.?(?= [mdclxvi]+$)|"
    r"in the years?|the years?|years?|in the|in|on|during|date:?|†|\*) ?(?P<rest>.+)"
)
_WEEKDAY = lazy_regex(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? (?P<rest>.*\d.*)")
_BOUNDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (relation, lazy_regex(form))
    for relation, form in (
        (
            "since",
            r"(?:not before|not earlier than|no earlier than|never before|(?:in|on|during) or after|since"
            r"|from)(?: the)? "
            r"(?P<a>.+?)(?: onwards?| on)?|(?P<b>.+?),? (?:or|and) (?:later|after|onwards?)|(?P<c>.+?)"
            r" (?:onwards?|ff\.?)|"
            r"(?P<d>\d{4}) ?[-–—>](?: ?(?:present|now|today|date)?)?|(?P<e>.+?) (?:to|until|till|-) (?:the"
            r" )?(?:present|now|today|date)",
        ),
        (
            "until",
            r"(?:not after|not later than|no later than|(?:in|on) or before|by|until|till|up to|at latest)(?:"
            r" the)? (?P<a>.+)|"
            r"(?P<b>.+?),? (?:or|and) (?:earlier|before)|(?P<c>.+?) at (?:the )?latest",
        ),
        (
            "after",
            r"(?:after|later than|post|post-|terminus post(?: quem)?|t\.? ?p\.? ?q\.?|p\.? ?q\.?)[ -]?(?:the"
            r" )?(?P<a>.+)",
        ),
        (
            "before",
            r"(?:before|prior to|earlier than|pre|pre-|ante|terminus ante(?: quem)?|t\.? ?a\.? ?q\.?|a\.?"
            r" ?q\.?)[ -]?(?:the )?(?P<a>.+)",
        ),
    )
)
_DOUBT = lazy_regex(r"(?:perhaps|possibly|poss\.|maybe|probably|prob\.|presumably|likely|\?) ?(?P<rest>.+)")
_ROUGH = lazy_regex(
    r"(?:about|abt\.?|around|circa|cca\.?|ca\.?|c\. ?|c(?=\d)|approximately|approx\.?|roughly|near|nearly|~|±"
    r"|v\.|um|vers|"
    r"sometime (?:in|around)) ?(?P<rest>.+)"
)
_NUMBERS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
        " fourteenth fifteenth "
        "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first".split(),
        1,
    )
}
_PART = lazy_regex(
    r"(?:the )?(?P<nth>first|second|third|fourth|last|final|1st|2nd|3rd|4th) (?P<unit>half|quarter|third"
    r"|decade)(?: of)?(?: the)? "
    r"(?P<rest>.+)"
)
_EDGE = lazy_regex(
    r"(?:the )?(?P<edge>beginning|start|opening|middle|end|close|turn|early|mid|late|beg\.)(?:[ -]+(?:years"
    r" )?(?:of|part of)?)?(?: the)? "
    r"(?P<rest>.+)"
)
_EDGES = {"middle": "mid", "mid": "mid", "end": "late", "close": "late", "late": "late"}
_SAECULUM = lazy_regex(
    r"(?:s|saec|sec|saeculum)\.? ?(?P<one>[ivx]+)(?:(?P<join>[-/])(?P<two>[ivx]+))?"
    r"(?: ?(?P<part>in|inc|med|m|ex|1|2|[1-4]/4|[12]/2)\.?)?"
)
_SAECULUM_PARTS = {"in": "early", "inc": "early", "med": "mid", "m": "mid", "ex": "late"}
_DUAL = lazy_regex(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<month>[a-z]+)\.?,? (?P<year>\d{3,4})/(?P<next>\d{1,4})"
)
_SHORT = lazy_regex(r"(?P<first>\d{3,4}) ?[-–—/] ?(?P<last>\d{1,2})")
#: Days or months in Roman numerals: 8.xii.1921, xij die Junii 1542, the xxiiij of August 1572.
_ROMAN_DAY = lazy_regex(
    r"(?P<d>\d{1,2})[-./ ]+(?P<numeral>[ivx]+)[-./ ]+(?P<y>\d{4})"
    r"|(?:the )?(?P<day>[ivx]+j?)(?:th|o)?(?: (?:day of|of|die))? (?P<month>[a-z]{3,10})\.?,? (?P<year>\d{3,4})"
)
#: A month in Roman numerals: VI.1911.
_ROMAN_MONTH = lazy_regex(r"(?P<numeral>[ivx]{1,4})[./](?P<year>\d{4})")
_FINANCIAL = lazy_regex(
    r"(?:(?P<n1>[1-4]) ?(?P<u1>[qh])|(?P<u2>[qh]) ?(?P<n2>[1-4])) ?/?(?:of )?(?P<fy>fy ?)?['’]?(?P<year>\d{4}|\d\d)"
)
_MONTH_NAMES = {name[:size].lower(): name for name in MONTHS for size in (3, 4, len(name))}
#: The first letters of months as Latin may write them.
_LATIN_MONTHS = {"ian": "jan", "mai": "may", "iun": "jun", "iul": "jul"}
_ERAS = (
    (lazy_regex(r"\b(?:a\. ?chr\. ?n?\.?|ante christum(?: natum)?|av\. ?j\.?-?c\.?|v\. ?chr\.?|a\. ?c\. ?n\.)"), "bc"),
    (lazy_regex(r"\b(?:p\. ?chr\. ?n?\.?|post christum(?: natum)?|ap\. ?j\.?-?c\.?|n\. ?chr\.?)"), "ad"),
)
_REWRITES = (
    (
        lazy_regex(r"\bcentur(?:ies)\b|\b(?<=\dth )(?:cents?\.?|c\.?)(?=$|[ ,?)-])|(?<=st )c(?:ent)?\.?(?=$|[ ,?)-])"),
        "century",
    ),
    (lazy_regex(r"\b(\d{1,2}(?:st|nd|rd|th))[ -]?(?:centuries|century|cent|c)\b\.?"), r"\1 century"),
    (lazy_regex(r"\bc(\d{1,2})(?:th)?\b(?=$| (?:bc|ad))"), r"\1th century"),
    (lazy_regex(r"\b(mid|early|late)-(?=\d)"), r"\1 "),
    (lazy_regex(r" \(?(?:n\. ?s\.|ns|new style)\)?$"), ""),
)
#: ISO 8601 without marks.
_BASIC = lazy_regex(r"(\d{4})(\d\d)(\d\d)(?:t(\d\d)(\d\d)(\d\d)?z?)?")
#: Smaller numbers are years only beside an era: "12-13" may be anything.
_FIRST_PLAIN = to_seconds(100)
_HAS_ERA = lazy_regex(r"\b(?:b\.?c(?:\.?e)?|a\.?d|c\.?e|century|millennium)\b")
_JOIN = lazy_regex(r" ?[-–—‐] ?| (?:to|until|till|through|thru|and|or|x) |/| ?& ?")


def read_catalogue(text: str) -> Interval | None:
    """The interval that a catalogue's statement of a date means; None for anything else.

    "n.d." is a time that may be any; brackets say that the cataloguer supplied the date, and change nothing of it.
    """
    if len(text) > _MAX_CHARS:
        return None
    lowered = re.sub(r"\s+", " ", text.strip().lower()).replace("−", "-")
    for pattern, era in _ERAS:
        lowered = pattern.sub(era, lowered).strip()
    lowered = _spell_roman_centuries(lowered)
    for pattern, form in _REWRITES:
        lowered = pattern.sub(form, lowered)
    lowered = _spell_ordinals(lowered)
    upper = re.sub(r"[\s.\[\]()]|^A\.? ?D\.?", "", text.strip())
    try:
        if len(upper) >= 2 and upper[0] in "MDC" and is_roman(upper) and 500 <= (year := from_roman(upper)) <= 2999:
            return Interval.year(year)
        if match := _BASIC.fullmatch(lowered):
            return _read_basic(match)
        return _read(lowered, _DEEPEST)
    except TimeRangeError:
        return None


_ROMAN_CENTURY = lazy_regex(
    r"\b([ivx]{1,6})(?:st|nd|rd|th)?(?=(?: ?[-–/&] ?| (?:and|or|to) )?(?:[ivx]{1,6})?(?:st|nd|rd|th)?[ -]"
    r"(?:century|centuries|cent\b|c\.))"
)


def _spell_roman_centuries(text: str) -> str:
    """Roman numbers before "century" as ordinals: "xviii century", "xvi-xvii centuries"."""

    def spell(match: re.Match[str]) -> str:
        number = match[1].upper()
        return format_ordinal(from_roman(number)) if is_roman(number) else match[0]

    return _ROMAN_CENTURY.sub(spell, text)


def _spell_ordinals(text: str) -> str:
    """Ordinals before "century" in figures."""
    pattern = (
        rf"\b({'|'.join(sorted(_NUMBERS, key=len, reverse=True))})(?=(?:[ -]\w+ |[ ,-]+| (?:or|and|to) \w+ )century)"
    )
    return re.sub(pattern, lambda match: format_ordinal(_NUMBERS[match[1]]), text).replace("-century", " century")


def _read(text: str, depth: int) -> Interval | None:
    if not depth or not text:
        return None
    plain = text.strip(" .,;") if not text.endswith(("c.", "cent.")) else text.strip(" ,;")
    if interval := read(plain):
        return interval
    if _UNDATED.fullmatch(text.strip(" []()")):
        doubt = Certainty.UNCERTAIN
        return Interval(OPEN_START, OPEN_END, Grain.ERA, Grain.ERA, doubt, doubt)
    for step in (_read_wrapped, _read_figures, _read_bound, _read_part, _read_range):
        try:
            interval = step(plain, depth - 1)
        except TimeRangeError:  # a form that does not fit: there may be another
            continue
        if interval:
            return interval
    return None


def _read_wrapped(text: str, depth: int) -> Interval | None:
    """Without brackets, marks of doubt, and words that only say what was dated."""
    bare = re.sub(r"[\[\](){}<>]", "", text).strip()
    if bare != text:
        return _read(bare, depth)
    if text.endswith("?"):
        return _hedge(_read(text.rstrip("? "), depth), Certainty.UNCERTAIN)
    for pattern, doubt in ((_DOUBT, Certainty.UNCERTAIN), (_ROUGH, Certainty.APPROXIMATE)):
        if match := pattern.fullmatch(text):
            return _hedge(_read(match["rest"], depth), doubt)
    for pattern in (_UNDATED_LEAD, _WEEKDAY, _LABEL):
        if (match := pattern.fullmatch(text)) and (interval := _read(match["rest"], depth)):
            return interval
    return None


def _hedge(interval: Interval | None, doubt: Certainty) -> Interval | None:
    return interval and interval.with_certainty(interval.certainty | doubt, interval.end_certainty | doubt)


def _read_figures(text: str, depth: int) -> Interval | None:
    """Short second years, dual years, quarters and halves of companies, the year before the month."""
    if text in ("0", "year 0"):
        return Interval.year(0)
    if match := _DUAL.fullmatch(text):
        return _read_dual(match)
    if match := re.fullmatch(r"(?P<digits>\d\d-|\d{3})-", text):  # 18--, 193-
        digits = match["digits"].rstrip("-")
        grain = Grain.DECADE if len(digits) == 3 else Grain.CENTURY
        return Interval.unit(to_seconds(int(digits) * grain.months // 12), grain)
    if match := re.fullmatch(r"winter(?: of)? (?P<first>\d{4})[-–/](?:\d{4}|\d\d)", text):
        return read(f"winter {match['first']}")
    if match := _ROMAN_DAY.fullmatch(text):
        return _read_roman_day(match)
    if match := _ROMAN_MONTH.fullmatch(text):
        number = _count_strokes(match["numeral"].upper())
        return None if number is None or not 1 <= number <= 12 else Interval.month(int(match["year"]), number)
    if match := _SHORT.fullmatch(text):
        first, last = match["first"], match["last"]
        whole = int(first[: len(first) - len(last)] + last)
        return Interval(to_seconds(int(first)), to_seconds(whole + 1), Grain.YEAR) if int(first) < whole else None
    if match := _FINANCIAL.fullmatch(text):
        return _read_financial(match)
    if match := _SAECULUM.fullmatch(text):
        return _read_saeculum(match)
    if match := re.fullmatch(r"(?P<y>\d{3,4}),? (?P<m>[a-z]{3,9})\.?(?: (?P<d>\d{1,2}))?", text):
        return _read_named_month(match["y"], match["m"], match["d"])
    if match := re.fullmatch(r"(?P<d>\d{1,2})[-./ ](?P<m>[a-z]{3,9})\.?[-./ ,]+(?P<y>\d{3,4})", text):
        return _read_named_month(match["y"], match["m"], match["d"])
    if match := re.fullmatch(r"(?P<d>\d{1,2})\. ?(?P<m>\d{1,2})\. ?(?P<y>\d{4})", text):
        return Interval.day(int(match["y"]), int(match["m"]), int(match["d"]))
    return None


def _read_roman_day(match: re.Match[str]) -> Interval | None:
    numeral = (match["numeral"] or match["day"]).replace("j", "i").upper()
    if (number := _count_strokes(numeral)) is None:
        return None
    if match["numeral"]:
        return Interval.day(int(match["y"]), number, int(match["d"]))
    return _read_named_month(match["year"], match["month"], str(number))


def _count_strokes(numeral: str) -> int | None:
    """A Roman numeral as scribes wrote it, with up to four strokes: xxiiii is 24."""
    stem = numeral.rstrip("I")
    strokes = len(numeral) - len(stem)
    if strokes > 4 or (stem and not is_roman(stem)):
        return None
    return (from_roman(stem) if stem else 0) + strokes


def _read_named_month(year: str, month: str, day: str | None) -> Interval | None:
    name = _MONTH_NAMES.get(month) or _MONTH_NAMES.get(
        _LATIN_MONTHS.get(month[:3], month[:3]) if month[-1] == "i" else ""
    )
    return None if name is None else read(f"{day} {name} {year}" if day else f"{name} {year}")


def _read_basic(match: re.Match[str]) -> Interval | None:
    """ISO 8601 without marks."""
    day = Interval.day(int(match[1]), int(match[2]), int(match[3]))
    if match[4] is None:
        return day
    hour, minute, second = int(match[4]), int(match[5]), int(match[6] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    start = day.start + hour * 3600 + minute * 60 + second
    return Interval.unit(start, Grain.SECOND if match[6] else Grain.MINUTE)


def _read_dual(match: re.Match[str]) -> Interval | None:
    """A day of January to March with two years: the second is the year from 1 January, of the Julian calendar."""
    name, first, later = _MONTH_NAMES.get(match["month"]), match["year"], match["next"]
    year = int(first[: max(0, len(first) - len(later))] + later)
    if name is None or year != int(first) + 1 or MONTHS.index(name) > 2:
        return None
    day = from_julian_date(year, MONTHS.index(name) + 1, int(match["day"]))
    return Interval(day * DAY, (day + 1) * DAY, Grain.DAY)


def _read_financial(match: re.Match[str]) -> Interval | None:
    """Quarters and halves; a fiscal year is taken to be the calendar year, and is approximate."""
    number, unit = int(match["n1"] or match["n2"]), match["u1"] or match["u2"]
    year = int(match["year"])
    year += 0 if year > 99 else 2000 if year < 70 else 1900
    if unit == "h" and number > 2:
        return None
    months = 3 if unit == "q" else 6
    interval = Interval.unit(to_seconds(year, (number - 1) * months + 1), Grain.QUARTER if unit == "q" else Grain.HALF)
    return _hedge(interval, Certainty.APPROXIMATE) if match["fy"] else interval


def _read_saeculum(match: re.Match[str]) -> Interval | None:
    """Centuries as manuscripts are dated: s. xv ex., s. xiii/xiv, s. xii 2/4."""
    numbers = [match["one"].upper(), *([match["two"].upper()] if match["two"] else [])]
    if not all(is_roman(number) for number in numbers):
        return None
    centuries = [read(f"{format_ordinal(from_roman(number))} century") for number in numbers]
    first, last = centuries[0], centuries[-1]
    if first is None or last is None or first.start > last.start:
        return None
    part = match["part"]
    if part is None:
        return Interval.between(first, last)
    if part in _SAECULUM_PARTS:
        return last.part(_SAECULUM_PARTS[part])  # type: ignore[arg-type]
    position, size = (int(part[0]), int(part[-1])) if "/" in part else (int(part), 2)
    return _cut(last, position - 1, size)


def _cut(whole: Interval, position: int, size: int) -> Interval | None:
    """One of so many equal parts of a century, decade, year or month."""
    if whole.is_open or not 0 <= position < size:
        return None
    if whole.grain >= Grain.DECADE:
        first, last = whole.first_year, whole.last_year
        if first is None or last is None:
            return None
        years = last - first + 1
        start, end = first + years * position // size, first + years * (position + 1) // size
        return Interval(
            to_seconds(start), to_seconds(end), Grain.YEAR, Grain.YEAR, whole.certainty, whole.end_certainty
        )
    days = whole.days
    start, end = whole.start + days * position // size * DAY, whole.start + days * (position + 1) // size * DAY
    return Interval(start, end, Grain.DAY, Grain.DAY, whole.certainty, whole.end_certainty)


def _read_part(text: str, depth: int) -> Interval | None:
    """A half, a quarter or a third of something longer; its beginning, middle and end."""
    if match := _PART.fullmatch(text):
        whole = _read(match["rest"], depth)
        if whole is None:
            return None
        size = {"half": 2, "quarter": 4, "third": 3, "decade": 10}[match["unit"]]
        nth = match["nth"]
        position = size - 1 if nth in ("last", "final") else (_NUMBERS.get(nth) or int(nth[0])) - 1
        return _cut(whole, position, size)
    if match := _EDGE.fullmatch(text):
        rest = re.sub(r"^(?:years|part) of (?:the )?", "", match["rest"])
        whole = _read(rest, depth)
        if whole is None or whole.is_open:
            return None
        if match["edge"] == "turn":
            first = whole.first_year or 0
            doubt = Certainty.APPROXIMATE
            return Interval(to_seconds(first - 5), to_seconds(first + 5), Grain.YEAR, Grain.YEAR, doubt, doubt)
        return whole.part(_EDGES.get(match["edge"], "early"))  # type: ignore[arg-type]
    return None


def _read_bound(text: str, depth: int) -> Interval | None:
    for relation, pattern in _BOUNDS:
        match = pattern.fullmatch(text)
        if match is None or (rest := next(filter(None, match.groups()), None)) is None:
            continue
        if relation == "since" and text.startswith("from ") and _JOIN.search(rest) and (interval := _read(rest, depth)):
            return interval
        point = _read(rest, depth)
        if point is None or point.is_open:
            continue
        if relation in ("since", "after"):
            edge = point.start if relation == "since" else point.end
            return Interval(edge, OPEN_END, point.grain, point.grain, point.certainty, Certainty.CERTAIN)
        edge = point.end if relation == "until" else point.start
        grain = point.end_grain if relation == "until" else point.grain
        return Interval(OPEN_START, edge, grain, grain, Certainty.CERTAIN, point.end_certainty)
    return None


def _read_range(text: str, depth: int) -> Interval | None:
    """Two ends that may share their words: "14-17 March 1862", "July 1-3, 1863", "18th or 19th century"."""
    inner = re.sub(r"^(?:between|bet\.?|from|either|both) ", "", text)
    for match in _JOIN.finditer(inner):
        left, right = inner[: match.start()].strip(" ,"), inner[match.end() :].strip(" ,")
        if not left or not right:
            continue
        loose: Interval | None = None
        for first, last in _share_words(left, right, depth):
            if (first.start, first.end) >= (last.start, last.end) or first.is_open or last.is_open:
                continue
            if first.grain == last.grain and (first.end > _FIRST_PLAIN or _HAS_ERA.search(inner)):
                return _join_intervals(first, last)
            loose = loose or _join_intervals(first, last)
        if loose is not None and loose.first_year is not None and loose.first_year > 99:
            return loose
    return _read_list(text, depth)


def _read_list(text: str, depth: int) -> Interval | None:
    """Years with gaps between them, from the first to the last: "1892-1897, 1901"."""
    parts = re.split(r"[,;] ?", text)
    if len(parts) < 2 or not all(re.fullmatch(r"[ca. ]*\d{4}(?: ?[-–] ?\d{2,4})?\??", part) for part in parts):
        return None
    intervals = [interval for part in parts if (interval := _read(part, depth)) is not None]
    if len(intervals) < len(parts) or any(a.end > b.start for a, b in pairwise(intervals)):
        return None
    return _join_intervals(intervals[0], intervals[-1])


def _join_intervals(first: Interval, last: Interval) -> Interval:
    return Interval(first.start, last.end, first.grain, last.end_grain, first.certainty, last.end_certainty)


def _share_words(left: str, right: str, depth: int) -> Iterator[tuple[Interval, Interval]]:
    """The readings of both ends, each with as few words of the other as will do."""
    heads, tail_words = left.split(), right.split()
    rights: list[tuple[str, Interval]] = []
    for count in range(min(len(heads), 4)):
        words = " ".join([*heads[:count], right])
        if (interval := _read_end(words, depth)) is not None:
            rights.append((words, interval))
    if (short := re.fullmatch(r"(\d\d)(s?)", right)) and (full := re.search(r"(\d\d)\d\ds?$", left)):
        words = f"{full[1]}{short[1]}{short[2]}"
        if (interval := _read_end(words, depth)) is not None:
            rights.insert(0, (words, interval))
    for words, last in rights:
        tail_words = words.replace(",", " ").split()
        for count in range(min(len(tail_words), 5)):
            shared = " ".join([left, *(tail_words[-count:] if count else ())])
            if (first := _read_end(shared, depth)) is not None:
                yield _carry_doubt(left, first, last)


def _carry_doubt(left: str, first: Interval, last: Interval) -> tuple[Interval, Interval]:
    """The ends of a range; "ca." before the first covers both."""
    if _ROUGH.fullmatch(left) and not last.end_certainty:
        return first, last.with_certainty(last.certainty, last.end_certainty | Certainty.APPROXIMATE)
    return first, last


def _read_end(text: str, depth: int) -> Interval | None:
    try:
        interval = (
            read(text)
            or _read_wrapped(text, min(depth, 2))
            or _read_figures(text, 1)
            or _read_part(text, min(depth, 2))
        )
    except TimeRangeError:
        return None
    return interval
