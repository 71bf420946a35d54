"""What a result rests on, as one short text: when documents or questions change, so does it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from epochal.bench.records import BenchSet
from epochal.index.inputs.dates import span_value
from epochal.index.records import Document

__all__ = ["documents_print", "questions_print"]


def documents_print(documents: Iterable[Document]) -> tuple[str, int]:
    """The fingerprint of documents in their order, and how many there are.

    >>> documents_print([Document("a", "Rain.")])
    ('cf8387cfc10272b5', 1)
    """
    digest, count = hashlib.blake2b(digest_size=8), 0
    for document in documents:
        digest.update(document.id.encode() + b"\0" + document.content_hash())
        count += 1
    return digest.hexdigest(), count


def questions_print(asked: BenchSet) -> str:
    """The fingerprint of the questions of a set, of what is relevant to them, and of what they exclude.

    >>> from epochal.bench.records import BenchQuery
    >>> one = BenchSet("own", (), (BenchQuery("q1", "Who?"),), {"q1": {"d": 1}})
    >>> questions_print(one) == questions_print(one.having(one.queries))
    True
    """
    digest = hashlib.blake2b(digest_size=8)
    for query in asked.queries:
        spans = [span_value(span) for span in (*query.periods, *([query.now] if query.now is not None else []))]
        judged = sorted(asked.qrels.get(query.id, {}).items())
        covered = [sorted(documents) for documents in asked.period_qrels.get(query.id, ())]
        told = [query.id, query.text, query.kind, spans, list(query.excluded), judged, covered]
        digest.update(json.dumps(told, ensure_ascii=False, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()
