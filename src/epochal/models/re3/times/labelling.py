"""Sentences of real texts, labelled by the rules of `epochal.reading` where they find just one date, and re-dated."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from epochal.errors import EpochalError
from epochal.index.splitting import units
from epochal.models.re3.times.forms import kind_of, random_label, written
from epochal.models.re3.times.label import NONE, Label
from epochal.models.re3.times.rows import Row
from epochal.reading.expr import TimeExpr
from epochal.reading.tagger import tag

__all__ = ["label_of", "labelled", "redated"]

#: How long a sentence may be, in characters.
SHORTEST: Final = 25
LONGEST: Final = 240
_STATES: Final = frozenset({"year", "month", "day", "weekday"})


def label_of(text: str) -> tuple[Label, TimeExpr | None] | None:
    """The one date that a sentence states, and where; None where it cannot be told.

    It cannot where there are several, or one that is no year, month or day ("the 1990s", "last week", "at noon"). A
    sentence without any time has the label that states nothing. Lengths ("for two years") are no dates.

    >>> label_of("It opened on Monday, June 9, and cost $1200.")[0]
    Label(year=None, month=6, day=9)
    >>> label_of("It was open from 1998 to 2003.") is label_of("It opened last week.") is None
    True
    >>> label_of("It stayed open for two years.")[0] == NONE
    True
    """
    found = [item for item in tag(text) if item.kind in ("DATE", "TIME")]
    if not found:
        return (NONE, None)
    one = found[0]
    if len(found) > 1 or one.kind != "DATE" or not one.stated or not _STATES.issuperset(one.stated):
        return None
    try:
        return (Label.parse(one.value), one)
    except EpochalError:  # a week, a decade, a year before our era: no label says it
        return None


def labelled(texts: Iterable[str], source: str, *, undated: float = 0.2) -> Iterator[Row]:
    """The sentences of texts with one date, and of those without any so many that they make up the share `undated`.

    Each sentence comes once. Its group tells it from all others.

    >>> texts = ["The bridge was built in 1998. It fell in May or in June. It spans the wide river Cam."]
    >>> [(row.text, str(row.label)) for row in labelled(texts, "a", undated=0.5)]
    [('The bridge was built in 1998.', '1998'), ('It spans the wide river Cam.', '')]
    """
    if not 0 <= undated < 1:
        raise EpochalError(f"the share of sentences without a date is {undated:g}; accepted: from 0, below 1")
    seen: set[int] = set()
    dated, plain = 0, 0
    for text in texts:
        for sentence in _sentences(text):
            key = zlib.crc32(sentence.encode())
            if key in seen:
                continue
            seen.add(key)
            found = label_of(sentence)
            if found is None:
                continue
            if found[1] is None:
                # Their share is kept all along, so that they come from all of the texts.
                if plain >= dated * undated / (1 - undated):
                    continue
                plain += 1
            else:
                dated += 1
            yield Row(sentence, found[0], f"{source} {key:08x}")


def redated(rows: Iterable[Row], copies: int = 1, seed: int = 0) -> Iterator[Row]:
    """Rows, each followed by so many copies with another date of the same kind in its place.

    >>> [row.text for row in redated([Row("Built in 1998.", Label(1998), "a 1")], copies=2)]
    ['Built in 1998.', 'Built in 1430.', 'Built in 2030.']
    """
    rng = random.Random(seed)
    for row in rows:
        yield row
        if row.label == NONE:
            continue
        found = label_of(row.text)
        if found is None or found[1] is None:
            raise EpochalError(f"the sentence {row.text!r} is labelled {row.label}, but no such date is found in it")
        at = found[1]
        for _ in range(copies):
            # The years of real texts are recent; years of three digits would need an era beside them.
            label = random_label(kind_of(row.label), rng, 1000)
            yield Row(f"{row.text[: at.start_char]}{written(label, rng)}{row.text[at.end_char :]}", label, row.group)


def _sentences(text: str) -> Iterator[str]:
    for start, end in units(text):
        sentence = " ".join(text[start:end].split())
        if SHORTEST <= len(sentence) <= LONGEST:
            yield sentence
