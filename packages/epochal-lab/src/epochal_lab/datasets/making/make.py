"""A test set made from documents without labels: topics and chains found, drafts chosen, questions worded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from epochal.audit.facts import Facts, iterate_facts
from epochal.audit.stale import Chain, find_chains
from epochal.errors import EpochalError, UnknownNameError
from epochal.storage.addresses import is_address
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.folder import Manifest
from epochal_lab.datasets.making.corpus import Corpus, CorpusTopic, find_topics, has_titles
from epochal_lab.datasets.making.drafts import (
    Draft,
    choose,
    choose_versions,
    draft_as_of,
    draft_latest,
    find_entry_chains,
)
from epochal_lab.datasets.making.wording import word_question
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard

#: The kinds of questions, in the order in which a set has them.
KINDS: Final = (
    "point",
    "window",
    "before",
    "after",
    "latest",
    "as_of",
    "comparison",
    "none_recorded",
    "not_covered",
)
PER_KIND: Final = 50


def make(
    source: str | os.PathLike[str] | Iterable[Document] | Iterable[Facts],
    *,
    now: Span | None = None,
    per_kind: int = PER_KIND,
    seed: int = 0,
    kinds: Sequence[str] = KINDS,
    format: str | None = None,
) -> tuple[BenchSet, Manifest]:
    """The set of a source: an index, a file or folder of documents, or documents; and what to say of it in its folder.

    `now` is the present of the questions, the last day of publication unless given. Equal documents, in whatever order,
    give equal sets.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise UnknownNameError("kind of question", unknown[0], KINDS)
    if per_kind < 1:
        raise EpochalError(f"per_kind must be at least 1, but is {per_kind!r}")
    corpus = Corpus(_read_facts(source, format), now)
    topics = find_topics(corpus.facts)
    chains = find_chains(corpus.facts)
    newest, held = find_entry_chains(corpus)
    by_kind = {
        kind: _draft_kind(kind, corpus, topics, [*chains, *(newest if kind == "latest" else held)], per_kind, seed)
        for kind in KINDS
        if kind in kinds
    }
    drafts = [draft for group in by_kind.values() for draft in group]
    missing = {
        kind: _explain_missing(kind, corpus, topics, [*chains, *newest]) for kind, group in by_kind.items() if not group
    }
    if not drafts:
        reasons = "; ".join(dict.fromkeys(missing.values()))
        raise EpochalError(f"no question can be made of these {len(corpus.facts):,} documents: {reasons}")
    bench_set = _set(_name(source), corpus, drafts, seed)
    counts: dict[str, int] = {}
    for query in bench_set.queries:
        counts[query.kind] = counts.get(query.kind, 0) + 1
    facts = {
        "documents": len(corpus.facts),
        "topics": len(topics),
        "version chains": len(chains) + len(newest),
        "axes": [axis.value for axis in corpus.axes],
        "questions": counts,
        "missing": missing,
    }
    parameters = {"per_kind": per_kind, "seed": seed, "kinds": [kind for kind in KINDS if kind in kinds]}
    parameters["now"] = None if corpus.now is None else corpus.now.edtf()
    return bench_set, Manifest(bench_set.id, bench_set.card, "epochal bench make", parameters, facts=facts)


def _read_facts(source: Any, format: str | None) -> Iterable[Facts]:
    if isinstance(source, (str, os.PathLike)):
        return iterate_facts(source, format=format)
    items = list(source)
    if all(isinstance(item, Facts) for item in items):
        return items
    return iterate_facts(items)


def _name(source: Any) -> str:
    if not isinstance(source, (str, os.PathLike)) or is_address(source):
        return "made/own"
    return f"made/{Path(source).resolve().name.split('.')[0]}"


def _draft_kind(
    kind: str, corpus: Corpus, topics: Sequence[CorpusTopic], chains: Sequence[Chain], count: int, seed: int
) -> list[Draft]:
    if kind == "latest":
        return choose_versions(draft_latest(corpus, chains), count, seed)
    if kind == "as_of":
        return choose_versions(draft_as_of(corpus, chains, seed), count, seed)
    return choose(corpus, topics, kind, count, seed)


def _explain_missing(kind: str, corpus: Corpus, topics: Sequence[CorpusTopic], chains: Sequence[Chain]) -> str:
    """What the documents lack for questions of a kind."""
    if not corpus.axes:
        return "too few documents have a date, of publication or in their text"
    if kind in ("latest", "as_of"):
        if not chains:
            return "no documents share a series, or a title and most of their text, and have dates in a clear order"
        return (
            "the newest document of each series has the same text as an older one, or lies after the present"
            if kind == "latest"
            else "no document of a series was the newest for a whole day"
        )
    if not topics:
        return (
            "no name is shared by three documents or more, and at most a twentieth of all; a 'series' that the "
            "documents name would do"
        )
    about = {
        "window": "two to ten documents of a topic in neighbouring days, months or years",
        "comparison": "two times of a topic with ten documents or fewer, and others beside them",
        "none_recorded": "a day, month or year without a topic, beside others with it, in which others are recorded",
        "not_covered": "a topic with two documents or more with a sure date",
    }
    needed = about.get(kind, "one to ten documents of a topic in a time, and two more near it")
    return f"none of {len(topics):,} topics has {needed}"


def _set(name: str, corpus: Corpus, drafts: Sequence[Draft], seed: int) -> BenchSet:
    titled = has_titles(corpus.facts)
    queries, judged, periods = [], {}, {}
    numbers: dict[str, int] = {}
    for draft in drafts:
        numbers[draft.kind] = numbers.get(draft.kind, 0) + 1
        id = f"{draft.kind}-{numbers[draft.kind]}"
        text, template = word_question(draft, corpus.language, seed, titled=titled)
        annotations: dict[str, Any] = {
            "topic": draft.named,
            "axis": draft.axis.value,
            "outcome": draft.outcome,
            "template": template,
            "confusers": [corpus.ids[number] for number in draft.confusers],
        }
        spans = tuple(window.span for window in draft.windows)
        excluded = tuple(corpus.ids[number] for number in draft.maybe)
        queries.append(BenchQuery(id, text, corpus.now, spans, draft.kind, "test", excluded, annotations))
        gold = {corpus.ids[number]: 1 for gold_ids in draft.gold for number in gold_ids}
        if gold:
            judged[id] = gold
        if draft.kind == "comparison":
            periods[id] = tuple(frozenset(corpus.ids[number] for number in gold_ids) for gold_ids in draft.gold)
    card = SetCard(
        name.removeprefix("made/"),
        "Questions about time made from documents without labels; what is relevant follows from dates and versions.",
        source="own documents",
        language=corpus.language,
        notes=(
            "Questions of the kinds none_recorded and not_covered have no relevant document: the right answer is none.",
            "Documents that may belong to a question or not are excluded from its ranking.",
        ),
    )
    documents = tuple(item.document for item in corpus.facts)
    return BenchSet(name, documents, tuple(queries), judged, periods, card)
