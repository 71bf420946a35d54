"""What the three subsets share: choice by content, groups to splits, and cases to a set.

Nothing is drawn at random: whatever must be chosen is ordered by a hash of its content and the seed, so that the same
files give the same set on any machine, and one page more changes nothing about the others.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from epochal.errors import EpochalError, InputError
from epochal.storage.records import Document
from epochal_lab.datasets.folder import Manifest
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard

Item = TypeVar("Item")

#: The splits and the share of the questions that each is to have.
SPLITS: Final = (("train", 0.8), ("dev", 0.1), ("test", 0.1))


@dataclass(frozen=True, slots=True)
class BenchCase:
    """A question with the one document that answers it and those that nearly do."""

    query: BenchQuery
    gold: Document
    confusers: tuple[Document, ...]
    group: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def digest(*parts: object) -> str:
    """Sixteen hexadecimal digits of the parts: a name that says nothing about what it names."""
    joined = "\x1f".join(map(str, parts))
    return hashlib.blake2b(joined.encode(), digest_size=8).hexdigest()


def sort_by_hash(items: Iterable[Item], key: Callable[[Item], object], seed: int) -> list[Item]:
    """The items in an order that their content and the seed decide."""
    return sorted(items, key=lambda item: (digest(seed, key(item)), str(key(item))))


def choose_by_hash(options: Sequence[Item], *parts: object) -> Item:
    """One of the options, by the hash of the parts."""
    return options[int(digest(*parts), 16) % len(options)]


def assign_splits(sizes: Mapping[str, int], seed: int) -> dict[str, str]:
    """The split of each group: whole groups, filled in the order of their hashes, by the number of their questions."""
    total = sum(sizes.values())
    splits: dict[str, str] = {}
    filled: Counter[str] = Counter()
    for group in sort_by_hash(sizes, str, seed):
        # The split that is emptiest against its share takes the group, so that small sets have all three.
        name = min(SPLITS, key=lambda split: (filled[split[0]] + sizes[group] / 2) / (split[1] * total))[0]
        splits[group] = name
        filled[name] += sizes[group]
    return splits


def sample_cases(cases: Sequence[BenchCase], size: int, seed: int) -> list[BenchCase]:
    """So many of the cases (all where `size` is 0), whichever their hashes choose, in the order of their ids."""
    if size < 0:
        raise EpochalError(f"size is {size}; accepted: a number of questions, or 0 for all")
    few = sort_by_hash(cases, lambda case: case.query.id, seed)[: size or None]
    return sorted(few, key=lambda case: case.query.id)


def drop_ambiguous(cases: Sequence[BenchCase]) -> list[BenchCase]:
    """The cases that no document of another case may answer as well."""
    doubtful = find_ambiguous(cases)
    return [case for case in cases if case.query.id not in doubtful]


def assemble(
    id: str,
    cases: Sequence[BenchCase],
    card: SetCard,
    *,
    sources: Mapping[str, str],
    parameters: Mapping[str, Any],
    facts: Mapping[str, Any],
) -> tuple[BenchSet, Manifest]:
    """The set of the cases, its documents in the order of their ids, and a manifest with the audit in its facts."""
    if not cases:
        raise EpochalError(f"the files give no question for the set {id!r}; look at {', '.join(sources) or 'them'}")
    documents: dict[str, Document] = {}
    for case in cases:
        for document in (case.gold, *case.confusers):
            documents[document.id] = document
    queries = tuple(case.query for case in cases)
    bench_set = BenchSet(
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
    all_facts = {**facts, "audit": audit(cases)}
    # The recorded name stays that of the first version, so that sets built again are the same bytes.
    return bench_set, Manifest(
        id, card, f"epochal.bench.builders.{id.replace('/', '.')}", parameters, sources, {}, all_facts
    )


#: English words that say nothing of a topic.
STOP_WORDS: Final = frozenset(
    "a about above after again against all also am an and any are as at be because been before being below between "
    "both but by can could did do does doing down during each either else etc ever every few for from further had "
    "has have having he her here hers him his how however i if in including into is it its itself just may me might "
    "more most must my no nor not of off on once one only or other others our ours out over own per please said "
    "same shall she should so some such than that the their theirs them then there therefore these they this those "
    "through to too under until up upon us use used using very via was we were what when where whether which while "
    "who whom whose why will with within without would you your yours".split()
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ACCENT: Final = re.compile("[\u0300-\u036f]")
_CAPITALS: Final = re.compile(r"\b[A-Z]{2,}\b")
_NUMBER: Final = re.compile(r"\d")


def words(text: str) -> list[str]:
    """The words of a text in small letters without accents."""
    plain = text if text.isascii() else _ACCENT.sub("", unicodedata.normalize("NFKD", text))
    return _WORD.findall(plain.lower())


def content_words(text: str) -> set[str]:
    """The words of a text that say what it is about: no function words, no figures, no "'s" of an owner."""
    # In capitals, "ME" and "OR" are names of states.
    names = {name.lower() for name in _CAPITALS.findall(text)}
    bare_words = {word.removesuffix("'s").removesuffix("’s") for word in words(text)}
    return {word for word in bare_words if (word not in STOP_WORDS or word in names) and not _NUMBER.search(word)}


def audit(cases: Sequence[BenchCase]) -> dict[str, Any]:
    """The figures of the audit, as JSON values."""
    documents = {item.id: item for case in cases for item in (case.gold, *case.confusers)}
    confusers = [len(case.confusers) for case in cases]
    return {
        "questions": len(cases),
        "documents": len(documents),
        "documents_a_question": round(len(documents) / len(cases), 3),
        "confusers_a_question": round(sum(confusers) / len(cases), 3),
        "confusers_least_and_most": [min(confusers), max(confusers)],
        "splits": dict(sorted(Counter(case.query.split for case in cases).items())),
        "groups": len({case.group for case in cases}),
        "groups_in_two_splits": _count_in_two_splits((case.query.split, [case.group]) for case in cases),
        "documents_in_two_splits": _count_in_two_splits(
            (case.query.split, [item.id for item in (case.gold, *case.confusers)]) for case in cases
        ),
        "words_shared_with_the_question": _measure_shared_words(cases),
        "answer_first_by_id": _measure_first(cases, lambda item: item.id, newest=False),
        "answer_newest_of_its_case": _measure_first(
            cases, lambda item: item.published.start if item.published else None, newest=True
        ),
        "characters": {
            "answers": round(sum(len(case.gold.text) for case in cases) / len(cases), 1),
            "confusers": round(
                sum(len(item.text) for case in cases for item in case.confusers) / max(1, sum(confusers)), 1
            ),
        },
        "answer_longest_of_its_case": _measure_first(cases, lambda item: len(item.text), newest=True),
        "confusers_with_the_text_of_the_answer": sum(
            _get_words(item) == _get_words(case.gold) for case in cases for item in case.confusers
        ),
        "documents_that_are_copies": _count_copies(documents.values()),
        "questions_with_a_rival_outside_their_case": len(find_ambiguous(cases)),
        "questions_with_the_same_words_and_another_answer": _count_same_questions(cases),
    }


def _count_in_two_splits(pairs: Iterable[tuple[str, Iterable[str]]]) -> int:
    splits_by_name: dict[str, set[str]] = defaultdict(set)
    for split, names in pairs:
        for name in names:
            splits_by_name[name].add(split)
    return sum(len(splits) > 1 for splits in splits_by_name.values())


def _measure_shared_words(cases: Sequence[BenchCase]) -> dict[str, float]:
    """How many of the question's words the answer has, and the confusers have; how often the answer alone has most."""
    answers, others, alone, chance = 0.0, 0.0, 0, 0.0
    count = 0
    for case in cases:
        query_words = content_words(case.query.text)
        shares = [_measure_share(query_words, item) for item in (case.gold, *case.confusers)]
        answers += shares[0]
        others += sum(shares[1:])
        count += len(shares) - 1
        alone += all(share < shares[0] for share in shares[1:])
        chance += 1 / len(shares)
    return {
        "answer": round(answers / len(cases), 3),
        "confusers": round(others / max(1, count), 3),
        "answer_alone_shares_most": round(alone / len(cases), 3),
        "by_chance": round(chance / len(cases), 3),
    }


def _measure_share(query_words: set[str], document: Document) -> float:
    return len(query_words & content_words(f"{document.title} {document.text}")) / max(1, len(query_words))


def _measure_first(cases: Sequence[BenchCase], key: Callable[[Document], Any], *, newest: bool) -> float | None:
    """The share of cases whose answer comes first by the key; None where documents have none."""
    count = 0
    for case in cases:
        values = [key(item) for item in (case.gold, *case.confusers)]
        if None in values:
            return None
        rest = values[1:]
        count += all(values[0] > value for value in rest) if newest else all(values[0] < value for value in rest)
    return round(count / len(cases), 3)


def _get_words(document: Document) -> tuple[str, ...]:
    return tuple(words(f"{document.title} {document.text}"))


def _count_copies(documents: Iterable[Document]) -> int:
    """Documents with the words and the date of another."""
    seen = Counter((_get_words(item), item.published) for item in documents)
    return sum(count - 1 for count in seen.values())


def find_ambiguous(cases: Sequence[BenchCase]) -> set[str]:
    """The ids of questions that a document outside of their case may answer too.

    Such a document has all the words that the question shares with its answer, the same times, and no older date.
    """
    documents = list({item.id: item for case in cases for item in (case.gold, *case.confusers)}.values())
    with_queries: dict[str, set[int]] = defaultdict(set)
    for position, item in enumerate(documents):
        for word in (*content_words(f"{item.title} {item.text}"), _format_times(item)):
            with_queries[word].add(position)
    ambiguous = set()
    for case in cases:
        shared = content_words(case.query.text) & content_words(f"{case.gold.title} {case.gold.text}")
        own = {item.id for item in (case.gold, *case.confusers)}
        holders = sorted((with_queries[word] for word in (*shared, _format_times(case.gold))), key=len)
        positions = set.intersection(*holders) if shared else set()
        if any(
            _may_answer(documents[position], case.gold) for position in positions if documents[position].id not in own
        ):
            ambiguous.add(case.query.id)
    return ambiguous


def _format_times(document: Document) -> str:
    """The times of a document as a word that no text has."""
    return f"\n{document.meta.get('times')}"


def _may_answer(other: Document, gold: Document) -> bool:
    """Whether it is no older than the answer, as far as dates are known."""
    if gold.published is None or other.published is None:
        return True
    return other.published.start >= gold.published.start


def _count_same_questions(cases: Sequence[BenchCase]) -> int:
    answers: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        answers[" ".join(words(case.query.text))].add(case.gold.id)
    return sum(len(ids) > 1 for ids in answers.values())


def read_rows(path: Path, needed: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON Lines, or of one JSON list; a row without one of the needed keys is an error."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        if path.suffix == ".json":
            try:
                rows = json.load(file)
            except ValueError:
                raise InputError(path.name, 0, "the file is no JSON") from None
            numbered: Iterator[tuple[int, Any]] = enumerate(rows if isinstance(rows, list) else [rows], 1)
        else:
            numbered = _read_lines(path, file)
        for number, row in numbered:
            missing = [key for key in needed if not isinstance(row, dict) or key not in row]
            if missing:
                raise InputError(path.name, number, f"the row has no {missing[0]!r}; accepted: {', '.join(needed)}")
            yield row


def _read_lines(path: Path, file: Any) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                raise InputError(path.name, number, "the line is no JSON") from None
