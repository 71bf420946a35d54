"""Choosing: of all that could be asked, so many questions of a kind, spread over topics, and always the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from epochal.bench.audit.facts import choice_of
from epochal.bench.making.corpus import Axis, Corpus
from epochal.bench.making.drafts import TOPIC_KINDS, Draft, Kind
from epochal.bench.making.topics import Topic

__all__ = ["choose", "choose_versions"]

#: Windows of one topic that are tried before it is given up for a kind.
_TRIED: Final = 60
_CONFUSERS_TOLD: Final = 5


def choose(corpus: Corpus, topics: Sequence[Topic], kind: str, count: int, seed: int) -> list[Draft]:
    """So many drafts of a kind, or as many as there are. No topic has two before every topic was asked for one.

    Which ones depends on the seed, the topic and the window alone: a document that is added elsewhere changes nothing.

    >>> from epochal.bench.audit.facts import facts_of
    >>> from epochal.index.records import Document
    >>> from epochal.times import Span
    >>> dates = [Span.parse(f"2001-0{month}-04") for month in range(1, 8)]
    >>> corpus = Corpus(facts_of(Document(str(day), "They met Ann.", published=day)) for day in dates)
    >>> ann = Topic("Ann", frozenset(range(7)), frozenset(), {})
    >>> (draft,) = choose(corpus, [ann], "point", 1, seed=0)
    >>> [corpus.ids[number] for number in draft.gold[0]] == [str(corpus.facts[draft.gold[0][0]].document.published)]
    True
    """
    order = sorted(topics, key=lambda topic: choice_of(seed, kind, topic.text))
    waiting = [_by_turns(corpus, topic, TOPIC_KINDS[kind], seed) for topic in order]
    made: list[Draft] = []
    while waiting and len(made) < count:
        left = []
        for drafts in waiting:
            draft = next(drafts, None)
            if draft is None:
                continue
            left.append(drafts)
            made.append(replace(draft, confusers=draft.confusers[:_CONFUSERS_TOLD]))
            if len(made) == count:
                break
        waiting = left
    return made


def _by_turns(corpus: Corpus, topic: Topic, kind: Kind, seed: int) -> Iterator[Draft]:
    """The drafts of a topic, from each axis one by turns."""
    axes = sorted(corpus.axes, key=lambda axis: choice_of(seed, kind.name, topic.text, axis.value))
    waiting = [_drafts(corpus, topic, axis, kind, seed) for axis in axes]
    while waiting:
        for drafts in tuple(waiting):
            draft = next(drafts, None)
            if draft is None:
                waiting.remove(drafts)
            else:
                yield draft


def _drafts(corpus: Corpus, topic: Topic, axis: Axis, kind: Kind, seed: int) -> Iterator[Draft]:
    """The drafts of a topic in an order that is its own; windows are looked at when they are asked for."""
    windows = list(kind.windows(corpus, topic, axis))
    grains = sorted({group[0].first.grain for group in windows})
    # By turns one of each grain: days are many and years are few, and both should be asked about.
    rank = {grain: choice_of(seed, kind.name, topic.text, grain.label) for grain in grains}
    by_grain = {
        grain: sorted(
            (group for group in windows if group[0].first.grain is grain),
            key=lambda group: choice_of(seed, kind.name, topic.text, *(window.span.edtf() for window in group)),
        )
        for grain in grains
    }
    tried = 0
    for place in range(max((len(group) for group in by_grain.values()), default=0)):
        for grain in sorted(grains, key=lambda grain: rank[grain]):
            if place < len(by_grain[grain]):
                tried += 1
                if tried > _TRIED:
                    return
                if draft := kind.draft(corpus, topic, axis, by_grain[grain][place]):
                    yield draft


def choose_versions(drafts: Iterator[Draft], count: int, seed: int) -> list[Draft]:
    """So many of the drafts about versions: one a document before any has two.

    >>> choose_versions(iter(()), 5, 0)
    []
    """
    by_name: dict[str, list[Draft]] = {}
    for draft in drafts:
        by_name.setdefault(draft.named, []).append(draft)
    names = sorted(by_name, key=lambda name: choice_of(seed, name))
    for name in names:
        by_name[name].sort(key=lambda draft: choice_of(seed, draft.key()))
    made: list[Draft] = []
    turn = 0
    while len(made) < count and any(turn < len(found) for found in by_name.values()):
        made += [by_name[name][turn] for name in names if turn < len(by_name[name])]
        turn += 1
    return [replace(draft, confusers=draft.confusers[:_CONFUSERS_TOLD]) for draft in made[:count]]
