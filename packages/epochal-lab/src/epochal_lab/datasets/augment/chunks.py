"""The times that a text states, and passages split into chunks of one time expression.

A range ("from 1990 to 1998") is one stated time, and so is a bound ("before 1998"), with the words that bind it.
Durations, sets and times without a position on the axis are not.

Chunks follow the first author's working copy of TMRL: sentences are joined until the next time expression would make
two. A chunk has more than five words. Sentences with several expressions give no chunk; with `several`, paragraphs stay
whole with all of theirs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from epochal.reading.expression import TimeExpr, stated_ranges
from epochal.reading.tagger import tag
from epochal.storage.text import split, units
from epochal.times.axis import Certainty
from epochal.times.span import Span
from epochal_lab.datasets.augment.rows import relation_name

#: A moment of a passage is trusted from here on.
SURE: Final = 0.8
#: No name of an event is trusted more than this.
_NAMED: Final = 0.6
_ERA: Final = re.compile(r"centur|millenni", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StatedTime:
    """A span of time at `text[start_char:end_char]`.

    `absolute` says that the words name it without help: "May 1998" does, "two years later" does not. `named` says that
    an event names it ("World War II").
    """

    text: str
    start_char: int
    end_char: int
    span: Span
    confidence: float
    absolute: bool
    named: bool = False

    @property
    def is_range(self) -> bool:
        """Whether it says how long something lasted: a range, or a bound with an open end; "late 1998" does not."""
        span = self.span
        is_part = bool(span.worst_certainty & Certainty.APPROXIMATE)
        return span.is_open or (not is_part and 2 * span.seconds > 3 * span.coarsest_grain.seconds)


@dataclass(frozen=True, slots=True)
class StatedTimes:
    """The moments of a text in order, and the time expressions that are part of none."""

    stated_times: tuple[StatedTime, ...]
    others: tuple[TimeExpr, ...]

    @property
    def only(self) -> StatedTime | None:
        """The moment of a text that has one, and no other time expression; else None."""
        return self.stated_times[0] if len(self.stated_times) == 1 and not self.others else None


def read_stated_times(text: str, *, implicit: bool = False) -> StatedTimes:
    """What a text says of time, read without any date of its own; with `implicit`, named events count too."""
    items = tag(text, lang="en", implicit=implicit)
    plain = _get_ranges(tag(text, lang="en")) if any(item.confidence <= _NAMED for item in items) and implicit else None
    ranges = stated_ranges(text, items)
    used = _get_ranges([part for interval in ranges for part in interval.parts])
    stated_times = tuple(
        StatedTime(
            text[interval.start_char : interval.end_char],
            interval.start_char,
            interval.end_char,
            interval.span,
            interval.confidence,
            _is_absolute(interval.parts),
            plain is not None and not all((part.start_char, part.end_char) in plain for part in interval.parts),
        )
        for interval in ranges
    )
    return StatedTimes(stated_times, tuple(item for item in items if (item.start_char, item.end_char) not in used))


def _get_ranges(items: Sequence[TimeExpr]) -> set[tuple[int, int]]:
    return {(item.start_char, item.end_char) for item in items}


def _is_absolute(parts: Sequence[TimeExpr]) -> bool:
    """Whether the words name a year themselves; one end of a range may lean on the other ("1990-95")."""
    return any("year" in part.stated or _ERA.search(part.text) is not None for part in parts)


def relate_spans(question: Span, passage: Span) -> str:
    """How the time of a question lies to that of a passage, as rows write it."""
    return relation_name(question.relation(passage))


def shares_time(question: Span, passage: Span) -> bool:
    """Whether the two have a second in common."""
    return question.overlaps(passage)


#: A chunk has at least so many words, and at most so many: what encoders read of a passage.
SHORTEST: Final = 6
LONGEST: Final = 250
#: How many expressions a paragraph that is kept whole may have; lists of results have dozens.
MOST_MOMENTS: Final = 12
_PARAGRAPH: Final = 1200

_SPACE: Final = re.compile(r"\s+")
_BEFORE_MARK: Final = re.compile(r" (?=[.,;:!?)\]%](?:\s|$))")
_AFTER_BRACKET: Final = re.compile(r"(?<=[(\[]) ")
_TWO_STOPS: Final = re.compile(r"(?<=[^.]\.)\.(?=\s|$)")
_EMPTY_BRACKETS: Final = re.compile(r"\(\s*[,;]?\s*\)\s?")
_MARK_IN_BRACKET: Final = re.compile(r"(?<=\()[,;]\s*")


def normalise(text: str) -> str:
    """A text with single spaces, and none before marks or within brackets, as tokenised text has them."""
    plain = _BEFORE_MARK.sub("", _SPACE.sub(" ", text).strip())
    plain = _AFTER_BRACKET.sub("", plain)
    plain = _EMPTY_BRACKETS.sub("", _MARK_IN_BRACKET.sub("", plain))
    return _TWO_STOPS.sub("", plain)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a passage and its moments; `source` tells the passage that it is from, `title` what that is about."""

    id: str
    text: str
    stated_times: tuple[StatedTime, ...]
    source: str
    title: str = ""

    @property
    def stated_time(self) -> StatedTime:
        """The first of its moments; a chunk of the strict rule has no other."""
        return self.stated_times[0]


class Splitter:
    """Splits passages, and counts in `dropped` what made no chunk, by the reason."""

    def __init__(self, *, several: bool = False, shortest: int = SHORTEST, longest: int = LONGEST) -> None:
        self.several = several
        self._shortest = shortest
        self._longest = longest
        self.dropped: Counter[str] = Counter()

    def chunks(self, text: str, source: str, title: str = "") -> list[Chunk]:
        """The chunks of a passage, in order."""
        pieces = self._split_paragraphs(text) if self.several else self._merge_paragraphs(normalise(text))
        result: list[Chunk] = []
        for piece in pieces:
            chunk = self._make_chunk(piece, f"{source}#{len(result)}", source, title)
            if isinstance(chunk, str):
                self.dropped[chunk] += 1
            else:
                result.append(chunk)
        return result

    def _split_paragraphs(self, text: str) -> Iterator[str]:
        plain = [normalise(part) for part in re.split(r"\n\s*\n", text)]
        for part in plain:
            yield from (part[start:end] for start, end in split(part, _PARAGRAPH))

    def _merge_paragraphs(self, text: str) -> Iterator[str]:
        stated_times = read_stated_times(text).stated_times
        start: int | None = None
        last = count = words = 0
        for low, high in units(text):
            here = sum(low <= stated_time.start_char < high for stated_time in stated_times)
            size = len(text[low:high].split())
            if start is not None and ((here and count + here > 1) or words + size > self._longest):
                yield text[start:last]
                start, count, words = None, 0, 0
            start = low if start is None else start
            last, count, words = high, count + here, words + size
        if start is not None:
            yield text[start:last]

    def _make_chunk(self, text: str, id: str, source: str, title: str) -> Chunk | str:
        """A chunk, or the reason why the piece makes none. It is read by itself: what stood before it is gone."""
        if len(text.split()) < self._shortest:
            return "too short"
        stated_times = read_stated_times(text).stated_times
        if not stated_times:
            return "no time"
        if not self.several and len(stated_times) > 1:
            return "several times"
        if len(stated_times) > MOST_MOMENTS:
            return "a list of times"
        problem = _find_problem(stated_times)
        return problem or Chunk(id, text, stated_times, source, title)


def _find_problem(stated_times: Sequence[StatedTime]) -> str:
    """Why moments cannot be asked about; one that leans on another counts as read where the passage has that too."""
    if not stated_times[0].absolute:
        return "relative time"
    if any(stated_time.confidence < SURE for stated_time in stated_times):
        return "unsure time"
    years = [
        year
        for stated_time in stated_times
        for year in (stated_time.span.first_year, stated_time.span.last_year)
        if year is not None
    ]
    return "" if years and min(years) >= 1 and max(years) <= 2100 else "far time"
