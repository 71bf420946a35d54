"""Times around a time, in words: for each of Allen's relations the ways to ask for a time that lies so.

A window consists of whole days, months, years or decades, so that its words name it exactly, or of a named event
("before the Korean War"). What a question states is read back from the question; the span only tells where to look.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from epochal.errors import TimeRangeError
from epochal.reading.events import Event, load_events
from epochal.reading.expression import Relation, apply_relation
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Grain, civil_date
from epochal.times.interval import Part
from epochal.times.span import Span
from epochal.times.words import MONTHS, format_year
from epochal_lab.datasets.augment.chunks import read_stated_times, relate_spans
from epochal_lab.datasets.making.wording import names

#: The grains that a time of each grain is asked about in, and how many units away.
_GRAINS: Final = {
    Grain.DAY: (Grain.DAY, Grain.MONTH, Grain.YEAR, Grain.DECADE),
    Grain.MONTH: (Grain.MONTH, Grain.YEAR, Grain.DECADE),
    Grain.YEAR: (Grain.MONTH, Grain.YEAR, Grain.DECADE),
    Grain.DECADE: (Grain.YEAR, Grain.DECADE),
}
_REACH: Final = {Grain.DAY: 25, Grain.MONTH: 18, Grain.YEAR: 14, Grain.DECADE: 3}
#: The last year that is asked about, unless the passage itself is later.
_LAST_YEAR: Final = 2030
_PAIRS: Final = 9
_LONGEST: Final = 45
_BOUNDS: Final[tuple[tuple[str, Relation], ...]] = (
    ("before", "before"),
    ("prior to", "before"),
    ("after", "after"),
    ("since", "since"),
    ("until", "until"),
    ("up to", "until"),
)
_PARTS: Final[tuple[Part, ...]] = ("early", "mid", "late")
#: How often each way of asking is drawn.
_WEIGHTS: Final = {
    "in": 5.0,
    "during": 1.0,
    "from_to": 3.0,
    "between": 3.0,
    "before": 1.6,
    "prior to": 0.4,
    "after": 2.0,
    "since": 0.7,
    "until": 0.7,
    "up to": 0.3,
    "early": 1.2,
    "mid": 0.6,
    "late": 1.2,
}


@dataclass(frozen=True, slots=True)
class ChunkWindow:
    """A time in words, with the preposition that they need, what it should be read as, and the kind of its words."""

    words: str
    span: Span
    kind: str

    def weight(self, beside: Grain) -> float:
        """How often it is drawn for a time of some grain: people ask in the grain of what they know, or a coarser
        one.
        """
        grain = self.span.coarsest_grain
        return _WEIGHTS.get(self.kind, 1.0) * (1.0 if grain == beside else 0.6 if grain > beside else 0.3)


def build_windows(span: Span, chance: random.Random) -> list[ChunkWindow]:
    """Windows that lie in many ways to a span; which of those that are far away depends on chance."""
    windows: dict[str, ChunkWindow] = {}
    latest = max(_LAST_YEAR, span.last_year or 0)
    for grain in _list_grains(span):
        near, far = _list_units(span, grain, chance)
        sampled = (
            *_list_single_windows(near, far, chance),
            *_list_range_windows([*near, *far], span, chance),
            *_open(near, far, chance),
        )
        for window in sampled:
            years = (window.span.first_year, window.span.last_year)
            if all(year is None or 1 <= year <= latest for year in years):
                windows.setdefault(window.words, window)
    return list(windows.values())


def group_by_relation(windows: Sequence[ChunkWindow], span: Span) -> dict[str, list[ChunkWindow]]:
    """Windows by how they lie to a span."""
    groups: dict[str, list[ChunkWindow]] = defaultdict(list)
    for window in windows:
        groups[relate_spans(window.span, span)].append(window)
    return groups


def _list_grains(span: Span) -> tuple[Grain, ...]:
    grain = min(span.grain, span.end_grain)
    known = max((one for one in _GRAINS if one <= grain), default=Grain.DAY)
    if known is Grain.YEAR and span.seconds > 6 * Grain.YEAR.seconds and not span.is_open:
        return Grain.YEAR, Grain.DECADE
    return _GRAINS[known]


def _list_units(span: Span, grain: Grain, chance: random.Random) -> tuple[list[Span], list[Span]]:
    """Units at the ends of a span and right beside them, and units farther off."""
    ends = [Span.unit(at, grain) for at in (span.start, span.end - 1) if at != OPEN_START and at + 1 != OPEN_END]
    near: dict[Span, None] = {}
    far: dict[Span, None] = {}
    for end in dict.fromkeys(ends):
        steps = [chance.randint(2, _REACH[grain]) * sign for sign in (-1, 1) for _ in range(2)]
        for units, moves in ((near, (-1, 0, 1)), (far, steps)):
            for step in moves:
                try:
                    units[end.shift(step)] = None
                except TimeRangeError:  # beyond the end of the axis
                    continue
    return list(near), [unit for unit in far if unit not in near]


def _list_single_windows(near: Sequence[Span], far: Sequence[Span], chance: random.Random) -> Iterator[ChunkWindow]:
    for number, unit in enumerate((*near, *far)):
        name = _name(unit, chance.random())
        preposition = "on" if unit.grain is Grain.DAY else "in"
        yield ChunkWindow(f"{preposition} {name}", unit, "in")
        if unit.grain is not Grain.DAY:
            yield ChunkWindow(f"during {name}", unit, "during")
            for part in _PARTS if number < len(near) else (chance.choice(_PARTS),):
                yield ChunkWindow(f"in {_name_part(unit, part)}", unit.part(part), part)


def _list_range_windows(points: Sequence[Span], span: Span, chance: random.Random) -> Iterator[ChunkWindow]:
    ordered = sorted(points, key=lambda unit: unit.start)
    pairs = [
        (first, last)
        for number, first in enumerate(ordered)
        for last in ordered[number + 1 :]
        if last.end - first.start <= _LONGEST * first.grain.seconds
    ]
    chance.shuffle(pairs)
    # Those that touch an end of the span make the rarer relations, so they are always among the windows.
    touching = [pair for pair in pairs if pair[0].start == span.start or pair[1].end == span.end]
    for first, last in dict.fromkeys((*touching[:_PAIRS], *pairs[:_PAIRS])):
        style = chance.random()
        one, two = _name(first, style), _name(last, style)
        whole = Span.between(first, last)
        if chance.random() < 0.5:
            yield ChunkWindow(f"from {one} to {two}", whole, "from_to")
        else:
            yield ChunkWindow(f"between {one} and {two}", whole, "between")


def _open(near: Sequence[Span], far: Sequence[Span], chance: random.Random) -> Iterator[ChunkWindow]:
    for number, unit in enumerate((*near, *far)):
        for words, relation in _BOUNDS if number < len(near) else chance.sample(_BOUNDS, 2):
            whole = apply_relation(relation, unit)
            if whole is not None:
                yield ChunkWindow(f"{words} {_name(unit, chance.random())}", whole, words)


def _name(unit: Span, style: float) -> str:
    """One of the names of a unit, by a number from 0 to 1; months have short names too ("Dec 2013")."""
    if unit.grain is Grain.MONTH:
        year, month, _ = civil_date(unit.start // DAY)
        name = MONTHS[month - 1] if style < 0.7 else MONTHS[month - 1][:3]
        return f"{name} {format_year(year)}"
    unit_names = names(unit)
    return unit_names[0] if unit.grain is not Grain.DAY else unit_names[int(style * len(unit_names))]


def _name_part(unit: Span, part: Part) -> str:
    name = names(unit)[0]
    return f"the {part} {name.removeprefix('the ')}" if name.startswith("the ") else f"{part} {name}"


#: Events longer than this place nothing.
_LONGEST_EVENT: Final = 25 * Grain.YEAR.seconds
_SHORT: Final = 10 * Grain.DAY.seconds
#: How far from a time events are looked for, and how many of them are drawn.
_EVENT_MARGIN: Final = 20 * Grain.YEAR.seconds
_SAMPLES: Final = 14
_CUES: Final[tuple[tuple[str, Relation], ...]] = (
    ("before", "before"),
    ("after", "after"),
    ("since", "since"),
    ("until", "until"),
)
#: Kinds that are no events people place things by, or whose names are dates.
_LEFT_OUT: Final = frozenset(("election", "olympics", "worldcup", "law"))
#: Names of several words take an article, and names of one word take none; with these it is the other way round.
_NO_ARTICLE: Final = re.compile(
    r"^(?:World War|Operation|Hurricane|Typhoon|Cyclone|Black \w+day|Bloody \w+day|Apollo|Francoist|Nazi|Vichy)\b|"
    r"^[\w ]+['’]s\b|\b(?:versus|under)\b"
)
_ARTICLE: Final = frozenset(
    "Holocaust Renaissance Enlightenment Blitz Anschluss Risorgimento Holodomor Troubles Reformation".split()
)


@dataclass(frozen=True, slots=True)
class Anchor:
    """An event as a question names it, and when it was."""

    name: str
    span: Span


@cache
def load_anchors() -> tuple[Anchor, ...]:
    """The events that can represent a time, in order of their starts: sure names without a number, not too long."""
    anchors = [Anchor(_name_event(event), event.span) for event in load_events() if _is_fit(event)]
    checked = [anchor for anchor in anchors if _is_recognised(anchor)]
    return tuple(sorted(checked, key=lambda anchor: (anchor.span.start, anchor.name)))


@cache
def _list_anchor_starts() -> list[int]:
    return [anchor.span.start for anchor in load_anchors()]


def _is_fit(event: Event) -> bool:
    return not (
        event.weak
        or event.kind in _LEFT_OUT
        or event.span.is_open
        or event.span.seconds > _LONGEST_EVENT
        or not event.name.isascii()
        or any(mark.isdigit() or mark in "()" for mark in event.name)
    )


def _name_event(event: Event) -> str:
    takes_none = _NO_ARTICLE.search(event.name) or (" " not in event.name and event.name not in _ARTICLE)
    if takes_none:
        return event.name
    # "Battle of Marathon" opens with a common noun, "United States invasion of Grenada" with a name.
    opens_common = event.name.split()[1:2] == ["of"]
    return f"the {event.name[0].lower() if opens_common else event.name[0]}{event.name[1:]}"


def _is_recognised(anchor: Anchor) -> bool:
    """Whether a question with the name is read as this event and nothing else."""
    stated_time = read_stated_times(f"Who was there during {anchor.name}?", implicit=True).only
    return stated_time is not None and stated_time.named and stated_time.span == anchor.span


def build_anchor_windows(span: Span, chance: random.Random) -> list[ChunkWindow]:
    """Windows by events near a span, as chance draws them."""
    if span.is_open:
        return []
    low, high = (
        bisect_left(_list_anchor_starts(), span.start - _EVENT_MARGIN),
        bisect_right(_list_anchor_starts(), span.end + _EVENT_MARGIN),
    )
    near = list(load_anchors()[low:high])
    # Events that share time with the span are few beside those around it, and both are wanted.
    sharing = [anchor for anchor in near if anchor.span.overlaps(span)]
    others = [anchor for anchor in near if not anchor.span.overlaps(span)]
    sampled = chance.sample(sharing, min(_SAMPLES // 2, len(sharing))) + chance.sample(
        others, min(_SAMPLES, len(others))
    )
    windows = []
    for anchor in sampled:
        during = "at the time of" if anchor.span.seconds <= _SHORT else "during"
        windows.append(ChunkWindow(f"{during} {anchor.name}", anchor.span, "during"))
        for words, relation in _CUES:
            whole = apply_relation(relation, anchor.span)
            if whole is not None:
                windows.append(ChunkWindow(f"{words} {anchor.name}", whole, words))
    return windows
