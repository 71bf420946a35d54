"""Terms and policies of services (Open Terms Archive): the version in force today, on a day, the first, the next."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.sources import Source, rows
from epochal_lab.datasets.timed.questions import SPLITS, TimedCorpus, TimedQuestion, choose, number_questions
from epochal_lab.datasets.timed.timelines import TimelineTopic, build_absent, build_timeline, split_groups
from epochal_lab.datasets.timed.wording import TERMS

#: Texts are cut to so many characters: whole policies run to 28,000, and what is asked for is in their first lines.
LENGTH: Final = 3_000
_HELD_OUT: Final = 0.2
#: What a policy said in a month may have been published long before: such questions have no gold here.
_COUNTS: Final = {
    "latest": 1,
    "first": 1,
    "current": 2,
    "as_of_words": 1,
    "as_of_option": 1,
    "last_before": 1,
    "first_after": 1,
    "not_yet": 1,
}


def load_terms(source: Source, seed: int = 0, *, length: int = LENGTH) -> TimedCorpus:
    """Versions of policies; chains that repeat an older text are dropped, and a fifth of the services are kept out."""
    path = source.require("terms", "terms/versions.jsonl.gz", "get the versions of Open Terms Archive")
    chains: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for _, row in rows(path):
        chains[row["doc"]].append(row)
    chains = {name: chain for name, chain in chains.items() if len({row["text"] for row in chain}) == len(chain)}
    services = sorted({chain[0]["service"] for chain in chains.values()})
    held = set(random.Random(f"terms-{seed}").sample(services, round(len(services) * _HELD_OUT)))
    documents = tuple(
        Document(
            f"{row['doc']}@{row['version']}",
            row["text"][:length],
            f"{row['service']}: {row['type']}",
            Span.parse(row["date"]),
            series=row["doc"],
            meta={"service": row["service"], "type": row["type"]},
        )
        for chain in chains.values()
        for row in chain
        if row["service"] not in held
    )
    topics = [
        TimelineTopic(
            _name_policy(chain[0]),
            tuple((row["date"][:10], f"{row['doc']}@{row['version']}") for row in chain),
            group=chain[0]["service"],
        )
        for chain in chains.values()
        if chain[0]["service"] not in held
    ]
    known = "\n".join(f"{document.title}\n{document.text}" for document in documents).lower()
    absent = dict(
        sorted(
            (_name_policy(chain[0]), chain[0]["service"])
            for chain in chains.values()
            if chain[0]["service"] in held and chain[0]["service"].lower() not in known
        )
    )
    now = max(day for topic in topics for day, _ in topic.entries)
    splits = split_groups([topic.group for topic in topics], seed, 0.5)
    sides = split_groups(absent, seed, 0.5)
    questions: list[TimedQuestion] = []
    for split in SPLITS:
        rng = random.Random(f"terms-{split}-{seed}")
        own = choose([topic for topic in topics if splits[topic.group] == split], 60, rng)
        questions += build_timeline("terms", own, TERMS, split, now, rng, _COUNTS)
        names = [name for name in absent if sides[name] == split]
        drafts = build_absent("terms", names, TERMS, split, now, (2013, 2022), rng, 2)
        questions += [replace(question, absent=absent[question.absent]) for question in drafts]
    note = f"texts are cut to {length:,} characters"
    return TimedCorpus("terms", documents, number_questions(questions), notes=(note,))


def _name_policy(row: Mapping[str, Any]) -> str:
    return f"{row['service']} {row['type']}"
