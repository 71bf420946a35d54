"""Public phrases of time parsers in many languages, each source scored after its own convention.

A row of a source (`read_phrases`) has a text, its reference time, and gold expressions with every value that the source
accepts. Sources differ in what they take for granted: `CONVENTIONS` says what each does, and so what a system is to be
given. Values are compared by what they mean, not by how they are written:

- a unit equals a unit of the same start and end, a clock time one of the same second, a length one of the same length;
- a range may end with its last unit or before it, and counts as well where its two ends are two expressions, or where
  those of gold are two and the system's is one;
- what is open at one end ("from 3 pm on") may be given as the bound alone, whose words a tagger leaves outside;
- what a source lets begin at the reference ("until 2 pm", from now on) may be open at its start;
- the beginning, middle or end of a unit, which a system gives as approximate, may be its first, middle or last day or
  moment in a source;
- for parts of a day, weekends, seasons and the beginning, middle or end of a unit sources have hours and days of
  their own: half of both in common is enough;
- a clock time without a day equals that clock time on any day; one that a system gives without a day equals that of
  gold within a day of the reference;
- what is counted in units from the reference ("three months ago") is the unit, or the moment in it that is so many
  units away;
- a window from the reference on or up to it ("the next two months") may be given by its length;
- a year, where gold or a text without a reference leaves it open, may be any;
- an instant, where a system gives no more (`Answer.is_instant`), is right anywhere in the unit.

A gold expression is found where an expression of the system shares a character with it, and right where one of those
has its value. Precision counts the system's expressions that lie in right ones, recall the right gold expressions;
gold without a value counts for places only.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from epochal.reading.expression import TimeExpr
from epochal.reading.shared.values import Prefer
from epochal.times.axis import DAY, add_months
from epochal.times.span import Span
from epochal_lab.metrics.phrase_values import (
    PART,
    Unit,
    agree_where_known,
    is_counted,
    read_length,
    read_unit,
    same_length,
    split_ends,
    write_plain,
)
from epochal_lab.metrics.texts import TagCount


@dataclass(frozen=True, slots=True)
class Convention:
    """What a source takes for granted, and where it says so; `prefer` where the words leave the direction open."""

    statement: str
    evidence: str
    prefer: Prefer | None = None
    #: A length by itself ("2 hours") is that long ago.
    length_is_past: bool = False
    #: A range that counts units ("the next five days") ends where they do, with the first second behind it.
    ends_behind: bool = False
    #: The hours by which the clock of the source is ahead of UTC, to which it converts a time with a zone.
    zone: int = 0
    #: A window from now on or up to now ("the last 24 hours") is the moment at its other end.
    window_is_end: bool = False
    #: Noon is written as its day.
    noon_is_day: bool = False
    #: How many "some" are, where a source counts them: "some days" are three.
    some: str = ""
    #: What rows without a reference count from.
    made_on: str = ""
    #: "Within two hours" is the time two hours from now.
    within_is_end: bool = False
    #: A day of the present month is this month's, though it has passed and the future is preferred.
    keeps_month: bool = False


CONVENTIONS: Final[dict[str, Convention]] = {
    "duckling": Convention(
        "prefers the future, to which the present month belongs with all its days; counts from 2013-02-12T04:30 of a "
        "clock two hours behind UTC; what is within a stretch is at its end in Korean",
        'its tests\' context (Duckling/Testing/Types.hs); its Korean rule "in <duration>" takes the words for within; '
        "it intersects days with months",
        "future",
        zone=-2,
        within_is_end=True,
        keeps_month=True,
    ),
    "ctparse": Convention("prefers the future", "its README", "future"),
    "jionlp": Convention(
        "prefers the future; ends of ranges included", "its tests call parse_time with ret_future=True", "future"
    ),
    "chrono": Convention(
        "takes the nearest; a part of a day is an hour, noon the day, a window the moment at its other end; counts "
        "from 2026-11-16, when the rows were made, where a test has no reference",
        "its casual parsers imply the hour and leave the day certain; its tests of relative time units",
        "nearest",
        window_is_end=True,
        noon_is_day=True,
        made_on="2026-11-16",
    ),
    "dateparser": Convention(
        "prefers the past; a length by itself is that long ago",
        "its tests of the freshness parser",
        "past",
        length_is_past=True,
    ),
    "recognizers": Convention(
        'accepts both readings; "from A to B" ends at B; some are three',
        "its values (start,end,length) have the end behind the range; its patterns give some, few and several as 3",
        ends_behind=True,
        some="3",
    ),
    "ja-timex": Convention(
        'no reference; "n units ago" is a length, compared as counted from 2010-06-15',
        "its values are TIMEX3 with mod BEFORE and AFTER",
    ),
    "krauts": Convention("TimeML, news", "its guidelines"),
    "xtn-meantime": Convention("TimeML, news", "its guidelines"),
    "cir-timebank": Convention("TimeML, news", "its guidelines"),
}


@dataclass(frozen=True, slots=True)
class GoldTime:
    """A gold expression at `text[start_char:end_char]` and the values that are right for it; none where unknown."""

    start_char: int
    end_char: int
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A text with its gold; `reference` is ISO 8601, to the second where the source says so, or empty."""

    text: str
    reference: str
    gold: tuple[GoldTime, ...]


@dataclass(frozen=True, slots=True)
class PhraseAnswer:
    """What a system found at `start_char` to `end_char`: one meaning, in one or more ways of writing it."""

    start_char: int
    end_char: int
    values: tuple[str, ...]
    is_instant: bool = False

    @classmethod
    def from_expression(cls, item: TimeExpr) -> PhraseAnswer:
        """The answer that an expression of Epochal is: its value, and its span, which has the day of a clock time."""
        if item.span is None:
            return cls(item.start_char, item.end_char, (item.value,))
        span, value = item.span.edtf(), item.value
        value = span.split("T")[0] + value if PART.fullmatch(value) and value[0] == "T" else value
        return cls(item.start_char, item.end_char, (value, span))


# ---------------------------------------------------------------- gold


def read_phrases(path: Path) -> list[Phrase]:
    """The rows of one file: gzipped JSON lines with text, ref, spans and, by source, values, types and attrs."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [_read_row(json.loads(line)) for line in lines]


def _read_row(row: dict[str, Any]) -> Phrase:
    reference = row.get("ref") or ""
    reference = reference if isinstance(reference, str) and re.match(r"\d{4}-\d\d-\d\d(T|$)", reference) else ""
    reference = reference or CONVENTIONS[row["source"]].made_on
    if row["source"] == "ja-timex":
        reference = _NO_REFERENCE if any("mod" in one for one in row["attrs"]) else ""
    gold = []
    for position, (start, end, value) in enumerate(row["spans"]):
        values = [value] if value else []
        more = row.get("values") or []
        values += _list_values(more[position] if position < len(more) else None)
        if row["source"] == "chrono" and "part-of-day" in row["types"]:
            values = [f"{value}/{value}", value[:10]]
        if row["source"] == "ja-timex" and row["attrs"][position].get("mod") in _DIRECTIONS:
            sign = _DIRECTIONS[row["attrs"][position]["mod"]]
            values += _count_from(reference, value, sign)
        if CONVENTIONS[row["source"]].keeps_month:
            values += [_add_year(one) for one in values if _has_passed(one, reference)]
        zone = CONVENTIONS[row["source"]].zone if _ZONED.search(row["text"]) else 0
        values += [_move_clock(one, -zone) for one in values if zone]
        gold.append(GoldTime(start, end, tuple(values)))
    return Phrase(row["text"], reference, tuple(gold))


#: A zone that a text names; the names are the same in all languages.
_ZONED = re.compile(r"\b(?:GMT|UTC|BST|IST|[PCME][SD]?T|CES?T)\b", re.IGNORECASE)


def _has_passed(value: str, reference: str) -> bool:
    """Whether a value is a day of the month of the reference, and before it."""
    is_day = re.fullmatch(r"\d{4}-\d\d-\d\d", value) is not None
    return is_day and value[:7] == reference[:7] and value < reference[:10]


def _add_year(day: str) -> str:
    return f"{int(day[:4]) + 1}{day[4:]}"


def _move_clock(value: str, hours: int) -> str:
    """The moments of a value some hours later."""

    def move(match: re.Match[str]) -> str:
        start = Span.parse(match[0]).start + hours * 3600
        return Span(start, start + 60).edtf().split("/")[0].removesuffix("Z")[:16]

    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?", move, value)


_NO_REFERENCE: Final = "2010-06-15"
_DIRECTIONS: Final = {"BEFORE": -1, "AFTER": 1}


def _list_values(more: Any) -> list[str]:
    """The values that the recognizers and jionlp list beside the first."""
    if isinstance(more, list) and len(more) == 2 and all(isinstance(one, str) for one in more):
        return ["/".join(".." if "inf" in one else one for one in more)]
    values = []
    for one in more if isinstance(more, list) else []:
        if isinstance(one, dict) and one.get("type") not in (None, "duration", "set"):
            ends = [one.get("start", ".."), one.get("end", "..")] if {"start", "end"} & one.keys() else [one["value"]]
            values.append("/".join(f"T{end}" if re.match(r"\d\d:", end) else end for end in ends))
    return [value for value in values if value != "not resolved"]


def _count_from(reference: str, length: str, sign: int) -> list[str]:
    """The day, month or year that lies a length before or after the reference."""
    result = read_length(length)
    if result is None:
        return []
    months, seconds = result
    point = add_months(Span.parse(reference).start, sign * round(months)) + sign * round(seconds)
    iso = Span(point, point + 1).edtf().split("/")[0]
    return [iso[:16], iso[:10], iso[:7], iso[:4]][bool(not seconds % DAY) + bool(months) + (months >= 12) :]


# ---------------------------------------------------------------- comparison


def _is_equal(gold: Unit, given: Unit) -> bool:
    """Whether two units mean the same."""
    if "clock" in gold.form:
        start, end = given.start % DAY, given.start % DAY + given.end - given.start
        gold = Unit(gold.start % DAY, gold.start % DAY + gold.end - gold.start, gold.form)
        given = Unit(start, end, given.form)
    if _is_named(gold) or _is_named(given):
        return gold.form not in ("moment", "clock") and _share_half(gold, given)
    if {gold.form, given.form} <= {"moment", "clock"}:
        return gold.start == given.start
    return (gold.start, gold.end) == (given.start, given.end)


def _share_half(gold: Unit, given: Unit) -> bool:
    common = min(gold.end, given.end) - max(gold.start, given.start)
    whole = max(gold.end, given.end) - min(gold.start, given.start)
    # An end in seconds may be the last or the one behind it.
    return common > 0 and (2 * common >= whole - 2 or common == gold.end - gold.start <= 3600)


def _is_same(gold: str, value: str, reference: str, *, is_instant: bool, ends_behind: bool = False) -> bool:
    """Whether a value means one of gold."""
    if write_plain(gold) == write_plain(value):
        return True
    if (gold.startswith("XXXX") or len(gold) == 2 or not reference) and agree_where_known(gold, value):
        return True
    ends = split_ends(gold)
    if ends is not None and value.startswith("../") and reference and ".." not in gold:
        first = read_unit(ends[0])
        if first is not None and first.start == Span.parse(reference).start:
            ends = ("..", ends[1])
    if ends is None and _is_edge(gold, value):
        return True
    if ends is not None and (_is_window(gold, value, reference) or _share_part(gold, value)):
        return True
    if ends is not None:
        return _is_range(ends, value, is_instant=is_instant, ends_behind=ends_behind)
    if (length := read_length(gold)) is not None:
        return same_length(length, read_length(value))
    unit = read_unit(gold)
    if unit is None:
        return False
    if ends_of := _open_end(value):
        return _is_same(gold, ends_of, reference, is_instant=is_instant)
    if value == "PRESENT_REF" and reference:
        return unit.start <= Span.parse(reference).start < unit.end
    given = read_unit(value)
    if given is not None and given.form == "clock" and unit.form == "moment" and reference:
        is_near = abs(unit.start - Span.parse(reference).start) <= DAY
        return is_near and unit.start % DAY == given.start % DAY
    if given is None:
        given = _join_ends(value)
        return given is not None and unit.form != "moment" and _is_equal(unit, given)
    if is_instant:
        return unit.start <= given.start < unit.end
    return _is_equal(unit, given) or (bool(reference) and is_counted(unit, given, Span.parse(reference).start))


def _is_window(gold: str, value: str, reference: str) -> bool:
    """Whether gold is a window at the reference with its length, "(start,end,P2M)", and the value that length."""
    match = re.fullmatch(r"\((.+?),(.+?),(P.+)\)", gold)
    if match is None or not reference:
        return False
    length, here = read_length(match[3]), Span.parse(reference).start
    edges = [unit.start for unit in map(read_unit, match.groups()[:2]) if unit is not None]
    is_here = any(0 <= edge - here <= DAY or 0 <= here - edge < DAY for edge in edges)
    return is_here and length is not None and same_length(length, read_length(value))


def _share_part(gold: str, value: str) -> bool:
    """Whether a value that is approximate at its ends, as "early May" is, has half in common with gold."""
    return "~" in value and _share_ends(gold, value.replace("~", ""))


def _is_edge(gold: str, value: str) -> bool:
    """Whether gold is the first, middle or last day or moment of an approximate part: 15 March of "mid March"."""
    unit, given = read_unit(gold), _join_ends(value.replace("~", "")) if "~" in value else None
    if unit is None or given is None or unit.end - unit.start > DAY or unit.form == "clock":
        return False
    middle = (given.start + given.end) // 2
    return unit.start == given.start or unit.end == given.end or abs(unit.start + unit.end - 2 * middle) <= 2 * DAY


def _share_ends(gold: str, value: str) -> bool:
    target, given = _join_ends(gold), _join_ends(value)
    return target is not None and given is not None and _share_half(target, given)


def _open_end(value: str) -> str:
    """The bound of what is open at one end; empty for anything else."""
    ends = split_ends(value) or ()
    return next((end for end in ends if ".." not in end), "") if any(".." in end for end in ends) else ""


def _join_ends(value: str) -> Unit | None:
    """A closed range as one unit."""
    first, last = map(read_unit, split_ends(value) or ("", ""))
    # An approximate range is what "early May" means: a part of a unit.
    form = "named" if "~" in value else "range"
    return None if first is None or last is None else Unit(first.start, last.end, form)


def _is_range(ends: tuple[str, str], value: str, *, is_instant: bool, ends_behind: bool) -> bool:
    """Whether a value means a range of gold, or is the bound of what is open at the other end."""
    first, last = map(read_unit, ends)
    given_ends = split_ends(value)
    if given_ends is None:
        given = read_unit(value)
        if given is None or (first is None and last is None):
            return False
        if first is not None and last is not None:
            whole = [Unit(first.start, end, first.form) for end in (last.start, last.end)]
            return not is_instant and any(
                _share_half(one, given) if _is_named(given) else one[:2] == given[:2] for one in whole
            )
        bound = first or last
        assert bound is not None
        inside = is_instant and bound.start <= given.start < bound.end
        if bound.form == "moment" and bound.end - bound.start == 1:  # a bound to the second is the edge of a unit
            edge = given.start if last is None else given.end - 1
            return inside or edge == bound.start
        return inside or _is_equal(bound, given) or (first is None and given.end == bound.start)
    start, end = map(read_unit, given_ends)
    if (first is None) != (start is None) or (last is None) != (end is None) or (first is None and last is None):
        return False
    starts_alike = first is None or start is None or _drop_day(first, start.start) == _drop_day(first, first.start)
    if last is None or end is None:
        return starts_alike
    # A range may end at its last unit ("from 3 to 5") or with it; gold in days can mean longer units so.
    same_end = {(last.start, end.start), (last.start, end.end), (last.end, end.end), (last.end, end.start)}
    if last.form == end.form == "date" and last.end - last.start == end.end - end.start:
        same_end.remove((last.end, end.start))
        if not ends_behind:
            same_end.remove((last.start, end.end))
    return starts_alike and any(_drop_day(last, one) == _drop_day(last, other) for one, other in same_end)


def _is_named(unit: Unit) -> bool:
    return unit.form in ("named", "clock part")


def _drop_day(gold: Unit, second: int) -> int:
    """A second of the day where gold has no day, else the second."""
    return second % DAY if "clock" in gold.form else second


def is_right(gold: GoldTime, answers: Sequence[PhraseAnswer], reference: str, convention: Convention) -> bool:
    """Whether one of the answers that share a character with gold is right, or two are the ends of its range.

    >>> gold = GoldTime(0, 14, ("2013-07-13/2013-07-15",))
    >>> ends = [PhraseAnswer(0, 3, ("2013-07-13",)), PhraseAnswer(6, 14, ("2013-07-15",))]
    >>> is_right(gold, ends, "2013-02-12", CONVENTIONS["duckling"])
    True
    """
    if convention.length_is_past and reference:
        answers = [_count_back(answer, reference) for answer in answers]
    if convention.window_is_end and reference:
        answers = [_take_end(answer, reference) for answer in answers]

    def has(answer: PhraseAnswer, value: str) -> bool:
        if convention.within_is_end and any(_ends_stretch(value, given, reference) for given in answer.values):
            return True
        if convention.noon_is_day and any(re.fullmatch(rf"{value}T12(:00)*Z?", given) for given in answer.values):
            return True
        given_values = answer.values
        if PART.fullmatch(given_values[0]) and any(_share_ends(value, given) for given in given_values[1:]):
            return True  # the hours that a system gives to a part of the day
        if read_length(given_values[0]) is not None:
            given_values = tuple(given.replace("~", "") for given in given_values)  # a window has exact ends
        if convention.some and re.match(r"PT?X", given_values[0]):
            given_values = (given_values[0].replace("X", convention.some),)
        return any(
            _is_same(value, given, reference, is_instant=answer.is_instant, ends_behind=convention.ends_behind)
            for given in given_values
        )

    def bounds(answer: PhraseAnswer, end: str) -> bool:
        units = [read_unit(given) for given in answer.values]
        target = read_unit(end)
        return has(answer, end) or (
            target is not None and any(one and (one.start == target.start or one.end == target.end) for one in units)
        )

    for value in gold.values:
        if any(has(answer, value) for answer in answers):
            return True
        ends = split_ends(value)
        if ends is not None and len(answers) > 1:
            firsts, lasts = ([at for at, answer in enumerate(answers) if bounds(answer, end)] for end in ends)
            if firsts and lasts and firsts[0] < lasts[-1]:
                return True
    return False


def _ends_stretch(gold: str, given: str, reference: str) -> bool:
    """Whether a period from the reference on ends where gold is."""
    ends, unit = split_ends(given), read_unit(gold)
    if ends is None or unit is None or not reference:
        return False
    first, last = map(read_unit, ends)
    if first is None or last is None or first.start != Span.parse(reference).start:
        return False
    return unit.start <= last.end < unit.end


def _count_back(answer: PhraseAnswer, reference: str) -> PhraseAnswer:
    result = read_length(answer.values[0])
    if result is None:
        return answer
    second = add_months(Span.parse(reference).start, -round(result[0])) - round(result[1])
    value = Span(second, second + 1).edtf().split("/")[0]
    return PhraseAnswer(answer.start_char, answer.end_char, (value,), is_instant=True)


def _take_end(answer: PhraseAnswer, reference: str) -> PhraseAnswer:
    """The moment at the other end of a window that has a length and, as its second value, its place."""
    result = read_length(answer.values[0])
    position = _join_ends(answer.values[1]) or read_unit(answer.values[1]) if len(answer.values) > 1 else None
    if result is None or position is None:
        return answer
    here = Span.parse(reference).start
    sign = 1 if position.end > here else -1
    second = add_months(here, sign * round(result[0])) + sign * round(result[1])
    value = Span(second, second + 1).edtf().split("/")[0]
    return PhraseAnswer(answer.start_char, answer.end_char, (value,), is_instant=True)


# ---------------------------------------------------------------- scores


@dataclass(slots=True)
class PhraseScores:
    """Counts of places and of values; precision and recall count different things, so each has its own."""

    places: TagCount = field(default_factory=TagCount)
    found: TagCount = field(default_factory=TagCount)
    values: TagCount = field(default_factory=TagCount)
    right: TagCount = field(default_factory=TagCount)

    def add(self, phrase: Phrase, answers: Iterable[PhraseAnswer], convention: Convention) -> list[GoldTime]:
        """Count the answers to one phrase; the gold expressions with a wrong value are returned."""
        answers = sorted((_split_range(answer, phrase) for answer in answers), key=lambda one: one.start_char)
        wrong = []
        touched = set()
        correct: set[int] = set()
        unknown: set[int] = set()
        for gold in phrase.gold:
            hits = [
                at
                for at, one in enumerate(answers)
                if one.start_char < gold.end_char and one.end_char > gold.start_char
            ]
            touched.update(hits)
            self.found.gold += 1
            self.found.correct += bool(hits)
            if not gold.values:
                unknown.update(hits)
                continue
            self.right.gold += 1
            if is_right(gold, [answers[at] for at in hits], phrase.reference, convention):
                self.right.correct += 1
                correct.update(hits)
            else:
                wrong.append(gold)
        self.places.system += len(answers)
        self.places.correct += len(touched)
        self.values.system += len(answers) - len(unknown - correct)
        self.values.correct += len(correct)
        return wrong

    def merge(self, other: PhraseScores) -> None:
        """Add the counts of another."""
        for name in ("places", "found", "values", "right"):
            mine, theirs = getattr(self, name), getattr(other, name)
            mine.correct += theirs.correct
            mine.gold += theirs.gold
            mine.system += theirs.system

    def record(self) -> dict[str, float | int]:
        """As JSON has it, in percent."""
        precision, recall = self.values.precision, self.right.recall
        return {
            "expressions": self.found.gold,
            "with value": self.right.gold,
            "relaxed F1": _round_percent(_mean(self.places.precision, self.found.recall)),
            "value precision": _round_percent(precision),
            "value recall": _round_percent(recall),
            "value F1": _round_percent(_mean(precision, recall)),
        }


def _split_range(answer: PhraseAnswer, phrase: Phrase) -> PhraseAnswer:
    """A range over two gold expressions, with its ends as further values: each may be one of them."""
    covered = [one for one in phrase.gold if answer.start_char < one.end_char and answer.end_char > one.start_char]
    if len(covered) < 2:
        return answer
    ends = [end for value in answer.values for end in split_ends(value) or ()]
    return PhraseAnswer(answer.start_char, answer.end_char, (*answer.values, *ends), answer.is_instant)


def _mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _round_percent(share: float) -> float:
    return round(100 * share, 1)
