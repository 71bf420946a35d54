"""Version chains, and stale versions that still rank.

A chain is the documents of one series, or of one title whose texts are much alike, in the order of their dates. For a
sample of chains the check searches by name, and counts where an older version comes first.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from epochal.api import Index
from epochal.audit.facts import Facts, hash_choice, is_index
from epochal.audit.report import PLAIN, SHOWN, WITH_TIME, AuditFinding, Example, Severity
from epochal.storage.records import Document
from epochal.storage.text import analyse
from epochal.times.axis import OPEN_END, Certainty, Grain
from epochal.times.span import Span

#: Chains that are tried, and other documents compared with theirs where the source is no index.
_CHAINS: Final = 50
_BESIDE: Final = 1000
_DEPTH: Final = 50
#: The usual constant of reciprocal rank fusion, for ranks from 0.
_FUSED: Final = 61
_LONGEST: Final = 6000
#: Texts of one title that share this much of their words are versions of each other.
_ALIKE: Final = 0.5
_WORDS: Final = 400
_LONGEST_NAME: Final = 120
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}|[\u3400-\u9fff]{2,}")


@dataclass(frozen=True, slots=True)
class Chain:
    """The versions of one document, oldest first, by their numbers; `found` when no series named them."""

    name: str
    versions: tuple[int, ...]
    found: bool


def find_chains(facts: Sequence[Facts]) -> list[Chain]:
    """The chains of a collection that have a name of their own and a clear order.

    A chain whose versions have several titles, or which shares its name with other documents, cannot be asked for by
    name, and one of whose dates are the same or overlap has no order: both are left out.
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
    chains = []
    for (is_found, series), numbers in groups.items():
        name = _get_chain_name(facts, numbers, series)
        if name is None or len(numbers) < 2 or len(owners[tuple(analyse(name))]) > 1:
            continue
        if is_found and not _are_alike([facts[number].document.text for number in numbers]):
            continue
        ordered = _order_versions(facts, numbers)
        if ordered is not None:
            chains.append(Chain(name, ordered, is_found))
    return sorted(chains, key=lambda chain: chain.name)


def _get_chain_name(facts: Sequence[Facts], numbers: Sequence[int], series: str) -> str | None:
    titles = {facts[number].document.title for number in numbers}
    name = next(iter(titles)) or series if len(titles) == 1 else None
    return name if name is not None and len(name) <= _LONGEST_NAME and _LETTERS.search(name) else None


def _are_alike(texts: Sequence[str]) -> bool:
    """Whether each text shares enough words with the one before it."""
    words = [frozenset(analyse(text)[:_WORDS]) for text in texts]
    return all(len(one & two) >= _ALIKE * len(one | two) for one, two in pairwise(words))


def _order_versions(facts: Sequence[Facts], numbers: Sequence[int]) -> tuple[int, ...] | None:
    """The versions by when they begin to hold; None where that is not clear."""
    held = [(find_start(facts[number]), number) for number in numbers]
    dated = [(span, number) for span, number in held if span is not None]
    if len(dated) < len(numbers):
        return None
    dated.sort(key=lambda pair: (pair[0].start, pair[1]))
    clear = all(one.end <= two.start for (one, _), (two, _) in pairwise(dated))
    return tuple(number for _, number in dated) if clear else None


def find_start(item: Facts) -> Span | None:
    """When a version becomes valid, as finely as that is known; None where it is not."""
    document = item.document
    if document.valid is not None:
        start = document.valid.start
        return None if document.valid.is_open and document.valid.end != OPEN_END else Span.unit(start, Grain.DAY)
    span = document.published
    return None if span is None or span.is_open or span.worst_certainty != Certainty.CERTAIN else span


def check_stale(
    facts: Sequence[Facts], now: Span | None, source: str | os.PathLike[str] | None = None
) -> tuple[list[AuditFinding], dict[str, int | str]]:
    """What a search by the name of a chain shows first, with plain hybrid search and with Epochal's own.

    Where the source is an index it is asked; else a passing one is made, of the chains and some other documents, with
    the quickest encoder.
    """
    chains = sorted(find_chains(facts), key=lambda chain: hash_choice(0, "stale", chain.name))[:_CHAINS]
    if not chains:
        return [], {}
    with _open_index(facts, chains, source) as index:
        plain = [chain for chain in chains if _is_stale(facts, chain, search_plain_hybrid(index, chain.name, _DEPTH))]
        timed = [
            chain
            for chain in chains
            if _is_stale(facts, chain, _search_ids(index, chain.name, now or _get_last_date(facts, chain)))
        ]
    counts: dict[str, int | str] = {"chains": len(chains), PLAIN: len(plain), WITH_TIME: len(timed)}
    if not plain and not timed:
        return [], counts
    worst = max(timed, plain, key=len)
    return [
        AuditFinding(
            "stale",
            Severity.WARNING if timed else Severity.NOTE,
            f"of {len(chains):,} documents with versions, asked for by name, those of which an older version comes "
            f"first: {len(plain):,} with {PLAIN}, {len(timed):,} with {WITH_TIME}",
            len(worst),
            tuple(_make_example(facts, chain) for chain in worst[:SHOWN]),
            "Search with versions folded (the default), and give versions one 'series' and a date.",
        )
    ], counts


def _make_example(facts: Sequence[Facts], chain: Chain) -> Example:
    newest = facts[chain.versions[-1]].document
    return Example(newest.id, f"the newest of {len(chain.versions)} versions of {chain.name!r}")


def _is_stale(facts: Sequence[Facts], chain: Chain, ids: Sequence[str]) -> bool:
    """Whether, of a chain's versions that were found, one whose text differs from the newest's comes first."""
    texts = {facts[number].document.id: facts[number].document.text.split() for number in chain.versions}
    first = next((id for id in ids if id in texts), None)
    return first is not None and texts[first] != texts[facts[chain.versions[-1]].document.id]


def _search_ids(index: Index, question: str, now: Span | None) -> list[str]:
    return [hit.id for hit in index.search(question, k=_DEPTH, now=now)]


def search_plain_hybrid(index: Index, question: str, k: int) -> list[str]:
    """What most stores do: words and vectors, fused by reciprocal ranks, with no thought of versions or times."""
    view = index.view()
    lists = [view.search_words(question, 4 * k).rows]
    if index.encoder is not None:
        lists.append(view.search_vectors(index.encoder.encode_queries([question])[0], 4 * k).rows)
    scores: dict[int, float] = {}
    for rows in lists:
        documents = dict.fromkeys(view.get_document_rows(rows).tolist())  # a document where its best passage is
        for rank, row in enumerate(documents):
            scores[row] = scores.get(row, 0.0) + 1 / (_FUSED + rank)
    best = sorted(scores, key=lambda row: (-scores[row], row))[:k]
    return [document.id for document in view.get_documents(np.array(best, dtype=np.int64))]


def _get_last_date(facts: Sequence[Facts], chain: Chain) -> Span | None:
    document = facts[chain.versions[-1]].document
    return document.published or document.valid


@contextmanager
def _open_index(
    facts: Sequence[Facts], chains: Sequence[Chain], source: str | os.PathLike[str] | None
) -> Iterator[Index]:
    if source is not None and is_index(source):
        with Index.open(source) as index:
            yield index
        return
    numbers: Mapping[int, None] = dict.fromkeys(
        [
            *(number for chain in chains for number in chain.versions),
            *range(0, len(facts), max(1, len(facts) // _BESIDE)),
        ]
    )
    with (
        tempfile.TemporaryDirectory(prefix="epochal-", ignore_cleanup_errors=True) as folder,
        Index.create(folder, encoder="static") as index,
    ):
        index.add(_shorten(facts[number].document) for number in numbers)
        yield index


def _shorten(document: Document) -> Document:
    """A document with the beginning of its text, which is enough to be found by name."""
    if len(document.text) <= _LONGEST:
        return document
    return Document(
        document.id,
        document.text[:_LONGEST],
        document.title,
        document.published,
        document.valid,
        document.series,
        document.meta,
    )
