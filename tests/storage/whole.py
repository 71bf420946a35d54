"""Entries that carry their own checksum, so that whoever reads one back can tell whether it is whole."""

from __future__ import annotations

import random
import zlib
from itertools import pairwise

import numpy as np

from epochal.storage.protocol import View
from epochal.storage.records import Dating, Document, Entry, Passage
from epochal.times import Span

DIM = 8
WORDS = "tariff ship king harvest flood treaty march comet plague bridge council harbour election winter tax".split()


def entry(id: str, version: int, dim: int = DIM) -> Entry:
    """An entry that is settled by its id and version: everything about it can be computed again from its text."""
    rng = random.Random(f"{id}/{version}")
    sentences = [" ".join(rng.choices(WORDS, k=rng.randint(3, 9))) for _ in range(rng.randint(1, 4))]
    body = f"{id} {version} " + ". ".join(sentences)
    text = f"{body} #{zlib.crc32(body.encode()):08x}"
    cuts = [0, *sorted(rng.sample(range(1, len(text)), len(sentences) - 1)), len(text)]
    passages = tuple(
        Passage(low, high, tuple(dating(rng.randint(-900, 2100)) for _ in range(rng.randint(0, 3))))
        for low, high in pairwise(cuts)
    )
    document = Document(
        id, text, f"{id} title", Span.year(1000 + version), None, f"series {id[-1]}", {"version": version}
    )
    vectors = np.array([vector_of(text[p.start_char : p.end_char], dim) for p in passages], np.float32) if dim else None
    return Entry(document, passages, vectors)


def dating(year: int) -> Dating:
    return Dating(Span.year(year), 0, 1, 0.5)


def vector_of(text: str, dim: int = DIM) -> np.ndarray:
    """A vector that is settled by a text."""
    return np.random.default_rng(zlib.crc32(text.encode(errors="replace"))).standard_normal(dim).astype(np.float32)


def check_whole(view: View) -> dict[str, int]:
    """Every document of a view and its version, after checking that all parts of each agree with one another."""
    seen: dict[str, int] = {}
    rows = view.alive_documents
    documents = view.get_documents(rows)
    assert len(documents) == view.document_count
    for document, stored in zip(documents, view.get_entries(rows), strict=True):
        body, _, checksum = document.text.rpartition(" #")
        assert f"{zlib.crc32(body.encode()):08x}" == checksum
        made = entry(document.id, document.meta["version"])
        assert stored.document == made.document == document
        assert stored.passages == made.passages
        assert np.array_equal(stored.vectors, made.vectors)
        assert document.id not in seen
        seen[document.id] = document.meta["version"]
    passages = view.get_passages(view.get_passage_rows(rows))
    assert len(passages) == view.passage_count == len(view.alive)
    probe = np.ones(DIM, np.float32)
    similar = view.score_vectors(probe, view.get_passage_rows(rows))
    for passage, score in zip(passages, similar.tolist(), strict=True):
        assert score == float((vector_of(passage.text).astype(np.float64) * probe).sum())
    spans = [(p.row, dating.span) for p in sorted(passages, key=lambda p: p.row) for dating in p.datings]
    assert spans == list(zip(view.content.rows.tolist(), view.content.spans, strict=True))
    assert [d.published for d in documents] == list(view.published.spans)
    if len(passages):
        assert len(view.search_words(" ".join([*WORDS, "title"]), len(passages))) == len(passages)
    return seen
