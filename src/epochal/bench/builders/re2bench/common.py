"""What the three subsets share: choice by content, groups to splits, and cases to a set.

Nothing is drawn at random: whatever must be chosen is ordered by a hash of its content and the seed, so that the same
files give the same set on any machine, and one page more changes nothing about the others.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from epochal.bench.builders.re2bench.audit import audit, rivalled
from epochal.bench.folder import Manifest
from epochal.bench.records import BenchQuery, BenchSet, Card
from epochal.errors import EpochalError
from epochal.index.records import Document

__all__ = ["SPLITS", "Case", "assemble", "by_hash", "chosen", "digest", "kept", "splits_of", "unrivalled"]

Item = TypeVar("Item")

#: The splits and the share of the questions that each is to have.
SPLITS: Final = (("train", 0.8), ("dev", 0.1), ("test", 0.1))


@dataclass(frozen=True, slots=True)
class Case:
    """A question with the one document that answers it and those that nearly do.

    >>> Case(BenchQuery("q", "Who?"), Document("a", "Ann."), (Document("b", "Bob."),), "winners").group
    'winners'
    """

    query: BenchQuery
    gold: Document
    confusers: tuple[Document, ...]
    group: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def digest(*parts: object) -> str:
    """Sixteen hexadecimal digits of the parts: a name that says nothing about what it names.

    >>> digest("Boston", 2021) == digest("Boston", 2021), len(digest("Boston"))
    (True, 16)
    """
    told = "\x1f".join(map(str, parts))
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


def by_hash(items: Iterable[Item], key: Callable[[Item], object], seed: int) -> list[Item]:
    """The items in an order that their content and the seed decide.

    >>> sorted(by_hash(["a", "b", "c"], str, 0)), by_hash(["a", "b", "c"], str, 0) == by_hash(["c", "b", "a"], str, 0)
    (['a', 'b', 'c'], True)
    """
    return sorted(items, key=lambda item: (digest(seed, key(item)), str(key(item))))


def chosen(options: Sequence[Item], *parts: object) -> Item:
    """One of the options, by the hash of the parts.

    >>> chosen(["in", "during"], "Boston", 2021) == chosen(["in", "during"], "Boston", 2021)
    True
    """
    return options[int(digest(*parts), 16) % len(options)]


def splits_of(sizes: Mapping[str, int], seed: int) -> dict[str, str]:
    """The split of each group: whole groups, filled in the order of their hashes, by the number of their questions.

    >>> made = splits_of({f"city {number}": 10 for number in range(20)}, seed=0)
    >>> [sum(split == name for split in made.values()) for name, _ in SPLITS]
    [16, 2, 2]
    """
    total = sum(sizes.values())
    found: dict[str, str] = {}
    filled: Counter[str] = Counter()
    for group in by_hash(sizes, str, seed):
        # The split that is emptiest against its share takes the group, so that small sets have all three.
        name = min(SPLITS, key=lambda split: (filled[split[0]] + sizes[group] / 2) / (split[1] * total))[0]
        found[group] = name
        filled[name] += sizes[group]
    return found


def kept(cases: Sequence[Case], size: int, seed: int) -> list[Case]:
    """So many of the cases (all where `size` is 0), whichever their hashes choose, in the order of their ids.

    >>> kept([Case(BenchQuery("q", "Who?"), Document("a", "Ann."), (), "g")], 5, 0)[0].query.id
    'q'
    """
    if size < 0:
        raise EpochalError(f"size is {size}; accepted: a number of questions, or 0 for all")
    few = by_hash(cases, lambda case: case.query.id, seed)[: size or None]
    return sorted(few, key=lambda case: case.query.id)


def unrivalled(cases: Sequence[Case]) -> list[Case]:
    """The cases that no document of another case may answer as well.

    >>> one = Case(BenchQuery("q1", "Who won?"), Document("a", "Ann won."), (), "winners")
    >>> two = Case(BenchQuery("q2", "Who lost?"), Document("b", "Bob lost, and Eve won."), (), "losers")
    >>> [case.query.id for case in unrivalled([one, two])]
    ['q2']
    """
    doubtful = rivalled(cases)
    return [case for case in cases if case.query.id not in doubtful]


def assemble(
    id: str,
    cases: Sequence[Case],
    card: Card,
    *,
    sources: Mapping[str, str],
    parameters: Mapping[str, Any],
    facts: Mapping[str, Any],
) -> tuple[BenchSet, Manifest]:
    """The set of the cases, its documents in the order of their ids, and a manifest with the audit in its facts.

    >>> case = Case(BenchQuery("q", "Who won?"), Document("a", "Ann won."), (Document("b", "Bob won."),), "winners")
    >>> made, manifest = assemble("own", [case], Card("own"), sources={}, parameters={}, facts={})
    >>> len(list(made.documents)), manifest.facts["audit"]["confusers_a_question"]
    (2, 1.0)
    """
    if not cases:
        raise EpochalError(f"the files give no question for the set {id!r}; look at {', '.join(sources) or 'them'}")
    documents: dict[str, Document] = {}
    for case in cases:
        for document in (case.gold, *case.confusers):
            documents[document.id] = document
    queries = tuple(case.query for case in cases)
    made = BenchSet(
        id,
        tuple(documents[name] for name in sorted(documents)),
        queries,
        {
            case.query.id: {case.gold.id: 1, **{other.id: 0 for other in sorted(case.confusers, key=lambda d: d.id)}}
            for case in cases
        },
        {case.query.id: (frozenset((case.gold.id,)),) for case in cases if case.query.periods},
        card,
    )
    told = {**facts, "audit": audit(cases)}
    return made, Manifest(id, card, f"epochal.bench.builders.{id.replace('/', '.')}", parameters, sources, {}, told)
