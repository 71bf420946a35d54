"""Times without a date: named events that lie near a time, in the words of a question ("before the Korean War")."""

from __future__ import annotations

import random
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cache
from typing import Final

from epochal.bench.augment.moments import read_moments
from epochal.bench.augment.windows import Window
from epochal.reading.binding import Relation, bounded
from epochal.reading.events import Event, events
from epochal.times import Grain, Span

__all__ = ["Anchor", "anchors", "anchors_around"]

#: Events longer than this place nothing.
_LONGEST: Final = 25 * Grain.YEAR.seconds
_SHORT: Final = 10 * Grain.DAY.seconds
#: How far from a time events are looked for, and how many of them are drawn.
_REACH: Final = 20 * Grain.YEAR.seconds
_DRAWN: Final = 14
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
    """An event as a question names it, and when it was.

    >>> next(anchor for anchor in anchors() if "Korean War" in anchor.name).name
    'the Korean War'
    """

    name: str
    span: Span


@cache
def anchors() -> tuple[Anchor, ...]:
    """The events that can stand for a time, in order of their starts: sure names without a number, not too long.

    >>> any(mark.isdigit() for anchor in anchors() for mark in anchor.name)
    False
    """
    found = [Anchor(_called(event), event.span) for event in events() if _is_fit(event)]
    checked = [anchor for anchor in found if _reads_back(anchor)]
    return tuple(sorted(checked, key=lambda anchor: (anchor.span.start, anchor.name)))


@cache
def _starts() -> list[int]:
    return [anchor.span.start for anchor in anchors()]


def _is_fit(event: Event) -> bool:
    return not (
        event.weak
        or event.kind in _LEFT_OUT
        or event.span.is_open
        or event.span.seconds > _LONGEST
        or not event.name.isascii()
        or any(mark.isdigit() or mark in "()" for mark in event.name)
    )


def _called(event: Event) -> str:
    takes_none = _NO_ARTICLE.search(event.name) or (" " not in event.name and event.name not in _ARTICLE)
    if takes_none:
        return event.name
    # "Battle of Marathon" opens with a common noun, "United States invasion of Grenada" with a name.
    opens_common = event.name.split()[1:2] == ["of"]
    return f"the {event.name[0].lower() if opens_common else event.name[0]}{event.name[1:]}"


def _reads_back(anchor: Anchor) -> bool:
    """Whether a question with the name is read as this event and nothing else."""
    moment = read_moments(f"Who was there during {anchor.name}?", implicit=True).only
    return moment is not None and moment.named and moment.span == anchor.span


def anchors_around(span: Span, chance: random.Random) -> list[Window]:
    """Windows by events near a span, as chance draws them.

    >>> found = anchors_around(Span.year(1951), random.Random(1))
    >>> all(window.span.is_open or window.words.startswith(("during", "at the time of")) for window in found)
    True
    """
    if span.is_open:
        return []
    low, high = bisect_left(_starts(), span.start - _REACH), bisect_right(_starts(), span.end + _REACH)
    near = list(anchors()[low:high])
    # Events that share time with the span are few beside those around it, and both are wanted.
    sharing = [anchor for anchor in near if anchor.span.overlaps(span)]
    others = [anchor for anchor in near if not anchor.span.overlaps(span)]
    drawn = chance.sample(sharing, min(_DRAWN // 2, len(sharing))) + chance.sample(others, min(_DRAWN, len(others)))
    found = []
    for anchor in drawn:
        during = "at the time of" if anchor.span.seconds <= _SHORT else "during"
        found.append(Window(f"{during} {anchor.name}", anchor.span, "during"))
        for words, relation in _CUES:
            whole = bounded(relation, anchor.span)
            if whole is not None:
                found.append(Window(f"{words} {anchor.name}", whole, words))
    return found
