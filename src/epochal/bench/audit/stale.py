"""Stale versions that still rank: for a sample of chains, whether a search by name shows an older version first."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from epochal.bench.audit.findings import PLAIN, SHOWN, WITH_TIME, Example, Finding, Severity
from epochal.bench.making.chains import Chain, chains_of
from epochal.bench.making.drafts import choice_of
from epochal.bench.making.facts import Facts, is_index
from epochal.engine.index import Index
from epochal.index.records import Document
from epochal.times import Span

__all__ = ["check_stale", "plain_hybrid"]

#: Chains that are tried, and other documents that stand beside theirs where the source is no index.
_CHAINS: Final = 50
_BESIDE: Final = 1000
_DEPTH: Final = 50
#: The usual constant of reciprocal rank fusion, for ranks from 0.
_FUSED: Final = 61
_LONGEST: Final = 6000


def check_stale(
    facts: Sequence[Facts], now: Span | None, source: str | os.PathLike[str] | None = None
) -> tuple[list[Finding], dict[str, int | str]]:
    """What a search by the name of a chain shows first, with plain hybrid search and with Epochal's own.

    Where the source is an index it is asked; else a passing one is made, of the chains and some other documents, with
    the quickest encoder.

    >>> from epochal.index.records import Document
    >>> check_stale([Facts(Document("a", "Rain."))], None)
    ([], {})
    """
    chains = sorted(chains_of(facts), key=lambda chain: choice_of(0, "stale", chain.name))[:_CHAINS]
    if not chains:
        return [], {}
    with _opened(facts, chains, source) as index:
        plain = [chain for chain in chains if _is_stale(facts, chain, plain_hybrid(index, chain.name, _DEPTH))]
        timed = [
            chain for chain in chains if _is_stale(facts, chain, _found(index, chain.name, now or _last(facts, chain)))
        ]
    told: dict[str, int | str] = {"chains": len(chains), PLAIN: len(plain), WITH_TIME: len(timed)}
    if not plain and not timed:
        return [], told
    worst = max(timed, plain, key=len)
    return [
        Finding(
            "stale",
            Severity.WARNING if timed else Severity.NOTE,
            f"of {len(chains):,} documents with versions, asked for by name, those of which an older version comes "
            f"first: {len(plain):,} with {PLAIN}, {len(timed):,} with {WITH_TIME}",
            len(worst),
            tuple(_example(facts, chain) for chain in worst[:SHOWN]),
            "Search with versions folded (the default), and give versions one 'series' and a date.",
        )
    ], told


def _example(facts: Sequence[Facts], chain: Chain) -> Example:
    newest = facts[chain.versions[-1]].document
    return Example(newest.id, f"the newest of {len(chain.versions)} versions of {chain.name!r}")


def _is_stale(facts: Sequence[Facts], chain: Chain, found: Sequence[str]) -> bool:
    """Whether, of a chain's versions that were found, one whose text differs from the newest's comes first."""
    texts = {facts[number].document.id: facts[number].document.text.split() for number in chain.versions}
    first = next((id for id in found if id in texts), None)
    return first is not None and texts[first] != texts[facts[chain.versions[-1]].document.id]


def _found(index: Index, question: str, now: Span | None) -> list[str]:
    return [hit.id for hit in index.search(question, k=_DEPTH, now=now)]


def plain_hybrid(index: Index, question: str, k: int) -> list[str]:
    """What most stores do: words and vectors, fused by reciprocal ranks, with no thought of versions or times.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
    ...     _ = index.add([Document("a", "Rates rose."), Document("b", "Rain fell.")])
    ...     plain_hybrid(index, "rain", 5)
    ['b']
    """
    view = index.view()
    lists = [view.words(question, 4 * k).rows]
    if index.encoder is not None:
        lists.append(view.vectors(index.encoder.encode_queries([question])[0], 4 * k).rows)
    scores: dict[int, float] = {}
    for rows in lists:
        documents = dict.fromkeys(view.document_of(rows).tolist())  # a document where its best passage is
        for rank, row in enumerate(documents):
            scores[row] = scores.get(row, 0.0) + 1 / (_FUSED + rank)
    best = sorted(scores, key=lambda row: (-scores[row], row))[:k]
    return [document.id for document in view.documents(np.array(best, dtype=np.int64))]


def _last(facts: Sequence[Facts], chain: Chain) -> Span | None:
    document = facts[chain.versions[-1]].document
    return document.published or document.valid


@contextmanager
def _opened(facts: Sequence[Facts], chains: Sequence[Chain], source: str | os.PathLike[str] | None) -> Iterator[Index]:
    if source is not None and is_index(source):
        with Index.open(source) as index:
            yield index
        return
    wanted: Mapping[int, None] = dict.fromkeys(
        [
            *(number for chain in chains for number in chain.versions),
            *range(0, len(facts), max(1, len(facts) // _BESIDE)),
        ]
    )
    with (
        tempfile.TemporaryDirectory(prefix="epochal-", ignore_cleanup_errors=True) as folder,
        Index.create(folder, encoder="static") as index,
    ):
        index.add(_shortened(facts[number].document) for number in wanted)
        yield index


def _shortened(document: Document) -> Document:
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
