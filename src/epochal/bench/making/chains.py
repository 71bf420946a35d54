"""Version chains: documents of one series, or of one title whose texts are much alike, in the order of their dates."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from epochal.bench.making.corpus import Corpus
from epochal.bench.making.drafts import Draft, Window, choice_of
from epochal.bench.making.facts import Facts
from epochal.index.analysis import analyse
from epochal.times import OPEN_END, Certainty, Grain, Span

__all__ = ["Chain", "chains_of", "draft_as_of", "draft_latest"]

#: Texts of one title that share this much of their words are versions of each other.
_ALIKE: Final = 0.5
_WORDS: Final = 400
_LONGEST_NAME: Final = 120
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}|[\u3400-\u9fff]{2,}")


@dataclass(frozen=True, slots=True)
class Chain:
    """The versions of one document, oldest first, by their numbers; `found` when no series named them.

    >>> Chain("Fees", (3, 1), found=False).name
    'Fees'
    """

    name: str
    versions: tuple[int, ...]
    found: bool


def chains_of(facts: Sequence[Facts]) -> list[Chain]:
    """The chains of a collection that have a name of their own and a clear order.

    A chain whose versions have several titles, or which shares its name with other documents, cannot be asked for by
    name, and one of whose dates are the same or overlap has no order: both are left out.

    >>> from epochal.index.records import Document
    >>> years = (Span.year(2001), Span.year(2009))
    >>> chains_of([Facts(Document(str(year), "It costs.", "Fees", year, series="fees")) for year in years])
    [Chain(name='Fees', versions=(0, 1), found=False)]
    """
    groups: dict[tuple[bool, str], list[int]] = defaultdict(list)
    for number, item in enumerate(facts):
        document = item.document
        if document.series is not None:
            groups[False, document.series].append(number)
        elif document.title:
            groups[True, document.title].append(number)
    owners: dict[tuple[str, ...], set[tuple[bool, str]]] = defaultdict(set)
    for key, numbers in groups.items():
        for title in {facts[number].document.title for number in numbers}:
            owners[tuple(analyse(title or key[1]))].add(key)
    made = []
    for (found, series), numbers in groups.items():
        name = _name(facts, numbers, series)
        if name is None or len(numbers) < 2 or len(owners[tuple(analyse(name))]) > 1:
            continue
        if found and not _are_alike([facts[number].document.text for number in numbers]):
            continue
        ordered = _in_order(facts, numbers)
        if ordered is not None:
            made.append(Chain(name, ordered, found))
    return sorted(made, key=lambda chain: chain.name)


def _name(facts: Sequence[Facts], numbers: Sequence[int], series: str) -> str | None:
    titles = {facts[number].document.title for number in numbers}
    name = next(iter(titles)) or series if len(titles) == 1 else None
    return name if name is not None and len(name) <= _LONGEST_NAME and _LETTERS.search(name) else None


def _are_alike(texts: Sequence[str]) -> bool:
    """Whether each text shares enough words with the one before it."""
    words = [frozenset(analyse(text)[:_WORDS]) for text in texts]
    return all(len(one & two) >= _ALIKE * len(one | two) for one, two in pairwise(words))


def _in_order(facts: Sequence[Facts], numbers: Sequence[int]) -> tuple[int, ...] | None:
    """The versions by when they begin to hold; None where that is not clear."""
    held = [(_begin(facts[number]), number) for number in numbers]
    dated = [(span, number) for span, number in held if span is not None]
    if len(dated) < len(numbers):
        return None
    dated.sort(key=lambda pair: (pair[0].start, pair[1]))
    clear = all(one.end <= two.start for (one, _), (two, _) in pairwise(dated))
    return tuple(number for _, number in dated) if clear else None


def _begin(item: Facts) -> Span | None:
    """When a version begins to hold, as finely as that is known."""
    document = item.document
    if document.valid is not None:
        start = document.valid.start
        return None if document.valid.is_open and document.valid.end != OPEN_END else Span.unit(start, Grain.DAY)
    span = document.published
    return None if span is None or span.is_open or span.worst_certainty != Certainty.CERTAIN else span


def draft_latest(corpus: Corpus, chains: Sequence[Chain]) -> Iterator[Draft]:
    """A draft a chain: the newest version, and the older ones as its confusers. Copies of it are left unjudged.

    >>> list(draft_latest(Corpus([_rain()]), []))
    []
    """
    for chain in chains:
        *older, newest = chain.versions
        begin = _begin(corpus.facts[newest])
        if begin is None or (corpus.now is not None and begin.start >= corpus.now.end):
            continue  # whoever asks cannot know of it yet
        same = _copies(corpus, newest, older)
        wrong = tuple(number for number in reversed(older) if number not in same)
        if wrong:
            yield Draft("latest", chain.name, (), ((newest,),), same, wrong)


def draft_as_of(corpus: Corpus, chains: Sequence[Chain], seed: int) -> Iterator[Draft]:
    """A draft for each version but the last: a day, or a month, on which it held and no other did.

    >>> list(draft_as_of(Corpus([_rain()]), [], 0))
    []
    """
    for chain in chains:
        for place, number in enumerate(chain.versions[:-1]):
            held = _held(corpus.facts[number], corpus.facts[chain.versions[place + 1]])
            window = None if held is None else _unit_within(*held, choice_of(seed, chain.name, str(place)))
            if window is None:
                continue
            others = [other for other in chain.versions if other != number]
            same = _copies(corpus, number, others)
            wrong = sorted(
                (other for other in others if other not in same), key=lambda other: _far(chain, other, number)
            )
            if wrong:
                yield Draft("as_of", chain.name, (Window(window, window),), ((number,),), same, tuple(wrong))


def _far(chain: Chain, one: int, two: int) -> tuple[int, int]:
    return abs(chain.versions.index(one) - chain.versions.index(two)), one


def _held(version: Facts, following: Facts) -> tuple[int, int] | None:
    """From when to when a version surely held, in seconds."""
    begin, then = _begin(version), _begin(following)
    if begin is None or then is None:
        return None
    valid = version.document.valid
    start = begin.start if valid is not None else begin.end
    end = then.start if valid is None else min(valid.end, then.start)
    return (start, end) if start < end else None


def _unit_within(start: int, end: int, choice: int) -> Span | None:
    """A month or a day that lies wholly between two seconds; months only where there is room for one."""
    for grain in (Grain.MONTH, Grain.DAY) if choice % 2 else (Grain.DAY,):
        first = Span.unit(start - 1, grain).shift(1)
        room = (end - first.start) // grain.seconds
        if room < 1:
            continue
        unit = first.shift(choice // 2 % min(room, 60))
        if unit.start >= start and unit.end <= end:
            return unit
    return None


def _copies(corpus: Corpus, number: int, others: Sequence[int]) -> tuple[int, ...]:
    """Those of the other versions whose text is the same, word for word."""
    return tuple(other for other in others if corpus.wording(other) == corpus.wording(number))


def _rain() -> Facts:
    from epochal.index.records import Document

    return Facts(Document("a", "Rain."))
