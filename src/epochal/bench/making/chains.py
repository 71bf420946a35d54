"""Drafts of questions about version chains: the newest version, and the one that held on a day."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epochal.bench.audit.facts import Facts, choice_of
from epochal.bench.audit.stale import Chain, find_start
from epochal.bench.making.corpus import Corpus
from epochal.bench.making.drafts import Draft, Window
from epochal.times import Grain, Span

__all__ = ["draft_as_of", "draft_latest"]


def draft_latest(corpus: Corpus, chains: Sequence[Chain]) -> Iterator[Draft]:
    """A draft a chain: the newest version, and the older ones as its confusers. Copies of it are left unjudged.

    >>> list(draft_latest(Corpus([_rain()]), []))
    []
    """
    for chain in chains:
        *older, newest = chain.versions
        begin = find_start(corpus.facts[newest])
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
    begin, then = find_start(version), find_start(following)
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
