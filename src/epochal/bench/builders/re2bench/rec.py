"""Re2Bench-Rec: what a clause says now, among what it said before.

From documents that are kept in versions (Open Terms Archive), or from rows in the layout of HoH. The answer is the
newest wording, the confusers are two to four older ones. Questions carry no date; they are asked a month after the
newest document. Their words about the clause are ones that all its wordings share, so that only the dates of
publication tell the answer from the rest.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from epochal.bench.builders.re2bench.clauses import Chain, Rarity, clauses, folded, key_phrases, reworded
from epochal.bench.builders.re2bench.common import (
    Case,
    assemble,
    chosen,
    digest,
    kept,
    splits_of,
    unrivalled,
    words,
)
from epochal.bench.folder import Manifest, file_digest
from epochal.bench.records import BenchQuery, BenchSet, Card
from epochal.errors import EpochalError, InputError
from epochal.index.records import Document
from epochal.times import Grain, Span

__all__ = ["CARDS", "build"]

_TEXT: Final = "What holds now: the answer is the newest wording, the confusers are older ones of the same thing."
CARDS: Final[Mapping[str, Card]] = {
    "terms": Card(
        "Re2Bench-Rec, rebuilt from terms of service",
        _TEXT,
        "Open Terms Archive, https://opentermsarchive.org",
        "ODC-By",
        notes=("Clauses that state a year, and clauses that came back to an older wording, are left out.",),
    ),
    "hoh": Card("Re2Bench-Rec, rebuilt from HoH", _TEXT, "HoH-QAs, https://github.com/0russwest0/HoH"),
}

_ASKED: Final = (
    "What does {owner} say about {first} and {second}?",
    "How does {owner} deal with {first} when it comes to {second}?",
    "Under {owner}, what are the rules on {first} and {second}?",
    "What should I know about {first} and {second} in {owner}?",
    "Where {owner} speaks of {first} and {second}, what exactly is laid down?",
    "As a user, what must I expect on {first} and {second}, going by {owner}?",
    "According to {owner}, what applies to {first} and {second}?",
    "What is stated on {first}, and on {second}, by {owner}?",
)
_FEWEST: Final = 2
_MOST: Final = 4


def build(
    source: Path,
    *,
    layout: str = "auto",
    size: int = 0,
    seed: int = 0,
    today: str = "",
    series: bool = False,
    questions: int = 1,
) -> tuple[BenchSet, Manifest]:
    """The set from a folder with versions.jsonl[.gz] (terms) or with JSON or JSON Lines files in the layout of HoH.

    `today` is when the questions are asked, in place of a month after the newest document. With `series`, documents
    name the chain of versions that they belong to; Re2Bench gives systems no more than the dates. `questions` is how
    many are asked about a clause at most, each by other words of it.

    >>> build(Path("nowhere"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the folder 'nowhere' has neither versions.jsonl[.gz] nor rows in the layout of HoH
    """
    files = _files(source, layout)
    if files[0].name.startswith("versions.jsonl"):
        kind, (cases, facts) = "terms", _from_terms(files[0], seed, questions)
    else:
        kind, (cases, facts) = "hoh", _from_hoh(files, seed)
    sizes = Counter(case.group for case in cases)
    splits = splits_of(sizes, seed)
    few = kept(cases, size, seed)
    newest = max(
        (case.gold.published for case in few if case.gold.published), key=lambda span: span.start, default=None
    )
    if newest is None:
        raise EpochalError(f"{', '.join(path.name for path in files)} give no clause with {_FEWEST} older wordings")
    now = Span.parse(today) if today else newest.shift(1, Grain.MONTH)
    done = [_finished(case, splits[case.group], now, series) for case in few]
    return assemble(
        "re2bench/rec",
        done,
        CARDS[kind],
        sources={path.name: file_digest(path) for path in files},
        parameters={
            "layout": kind,
            "size": size,
            "seed": seed,
            "today": today,
            "series": series,
            "questions": questions,
        },
        facts={**facts, "t_ref": now.edtf(), "timestamps": "t_d is a day; no t_q, no t_c"},
    )


def _files(source: Path, layout: str) -> list[Path]:
    terms = [path for name in ("versions.jsonl.gz", "versions.jsonl") if (path := source / name).is_file()]
    rows = sorted([*source.glob("*.json"), *source.glob("*.jsonl"), *source.glob("*.jsonl.gz")])
    if layout in ("auto", "terms") and terms:
        return terms[:1]
    hoh = [path for path in rows if not path.name.startswith("versions.")]
    if layout in ("auto", "hoh") and hoh:
        return hoh
    wanted = {"terms": "no versions.jsonl[.gz]", "hoh": "no rows in the layout of HoH"}.get(
        layout, "neither versions.jsonl[.gz] nor rows in the layout of HoH"
    )
    raise EpochalError(f"the folder {str(source)!r} has {wanted}")


def _rows(path: Path, needed: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON Lines, or of one JSON list; a row without one of the needed keys is an error."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        if path.suffix == ".json":
            try:
                rows = json.load(file)
            except ValueError:
                raise InputError(path.name, 0, "the file is no JSON") from None
            numbered: Iterator[tuple[int, Any]] = enumerate(rows if isinstance(rows, list) else [rows], 1)
        else:
            numbered = _lines(path, file)
        for number, row in numbered:
            missing = [key for key in needed if not isinstance(row, dict) or key not in row]
            if missing:
                raise InputError(path.name, number, f"the row has no {missing[0]!r}; accepted: {', '.join(needed)}")
            yield row


def _lines(path: Path, file: Any) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                raise InputError(path.name, number, "the line is no JSON") from None


# ---------------------------------------------------------------- from versions of documents


def _from_terms(path: Path, seed: int, questions: int) -> tuple[list[Case], dict[str, Any]]:
    documents: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(path, ("doc", "service", "type", "date", "text")):
        documents[row["doc"]].append(row)
    repeating = 0
    chains: dict[str, list[Chain]] = {}
    present: dict[str, list[str]] = {}
    for name, rows in sorted(documents.items()):
        rows.sort(key=lambda row: row["date"])
        if len({row["text"] for row in rows}) < len(rows):
            repeating += 1
            continue
        # Of two versions of a day the later is the day's; dates are no finer than days.
        versions = list({row["date"][:10]: row["text"] for row in rows}.items())
        chains[name] = reworded(versions, _FEWEST + 1)
        present[name] = clauses(versions[-1][1])
    rarity = Rarity(text for texts in present.values() for text in texts)
    cases, unasked = [], 0
    for name, found in chains.items():
        row = documents[name][-1]
        plain = {text: folded(text) for text in (*present[name], *(text for chain in found for text in chain.texts))}
        for chain in found:
            others = [told for text, told in plain.items() if text not in chain.texts]
            asked = key_phrases(chain, others, rarity, words(f"{row['service']} {row['type']}"), questions)
            cases += [_clause_case(name, row, chain, phrases, seed) for phrases in asked]
            unasked += not asked
    return _apart(cases), {
        "documents_in_versions": len(documents),
        "documents_left_out_that_repeat_an_older_text": repeating,
        "clauses_without_words_of_their_own": unasked,
    }


def _clause_case(name: str, row: Mapping[str, Any], chain: Chain, phrases: Sequence[str], seed: int) -> Case:
    title = f"{row['service']}: {row['type']}"
    key = (name, chain.texts[-1])
    dated = list(zip(chain.texts, chain.dates, strict=True))[-_MOST - 1 :]
    documents = [
        Document(
            digest("rec", seed, name, text, date),
            text,
            title=title,
            published=Span.parse(date),
            meta={"subject": digest(*key), "document": name},
        )
        for text, date in dated
    ]
    form = chosen(_ASKED, seed, "question", *key, *phrases)
    service = row["service"]
    owner = (
        f"the {row['type']} of {service}"
        if chosen((True, False), seed, "owner", *key)
        else (f"{service}'s {row['type']}")
    )
    second = " and ".join(phrases[1:])
    text = form.format(owner=owner, first=phrases[0], second=second)
    query = BenchQuery(
        digest("rec question", seed, *key, *phrases),
        text[0].upper() + text[1:],
        kind="latest",
        annotations={"document": name, "phrases": list(phrases), "wordings": len(chain.texts)},
    )
    return Case(query, documents[-1], tuple(documents[:-1]), str(service))


def _apart(cases: Sequence[Case]) -> list[Case]:
    """The cases that stand for themselves.

    Left out are those whose answer confuses in another case, whose question is asked twice in the same words, and those
    that a document of another case may answer as well.
    """
    confusing = {item.id for case in cases for item in case.confusers}
    asked = Counter(case.query.text for case in cases)
    apart = [case for case in cases if asked[case.query.text] == 1 and case.gold.id not in confusing]
    return unrivalled(apart)


# ---------------------------------------------------------------- from rows in the layout of HoH


def _from_hoh(files: Sequence[Path], seed: int) -> tuple[list[Case], dict[str, Any]]:
    cases, few = [], 0
    for path in files:
        for row in _rows(path, ("question", "answer", "last_modified_time", "evidence", "outdated_infos")):
            case = _hoh_case(row, seed)
            if case is None:
                few += 1
            else:
                cases.append(case)
    return _apart(cases), {"rows_with_too_few_older_versions": few}


def _hoh_case(row: Mapping[str, Any], seed: int) -> Case | None:
    now = (row["last_modified_time"], row["evidence"])
    told = row.get("document") or {}
    title, key = str(told.get("title", "")), str(told.get("id", row["question"]))
    older = {
        info["evidence"]: info["last_modified_time"]
        for info in sorted(row["outdated_infos"], key=lambda info: str(info["last_modified_time"]))
        if info["last_modified_time"] < now[0] and words(info["evidence"]) != words(now[1])
    }
    dated = sorted(older.items(), key=lambda item: item[1])[-_MOST:]
    if len(dated) < _FEWEST:
        return None
    documents = [
        Document(
            digest("rec", seed, key, row["question"], text, date),
            text,
            title=title,
            published=Span.parse(date),
            meta={"subject": digest(key, row["question"]), "document": key},
        )
        for text, date in (*dated, (now[1], now[0]))
    ]
    query = BenchQuery(
        digest("rec question", seed, key, row["question"]),
        row["question"],
        kind="latest",
        annotations={"document": key, "answer": row["answer"], "wordings": len(documents)},
    )
    return Case(query, documents[-1], tuple(documents[:-1]), key)


def _finished(case: Case, split: str, now: Span, series: bool) -> Case:
    """The case with its split and its present, and with the chain of versions on its documents where asked for."""
    query = replace(case.query, split=split, now=now)
    if not series:
        return replace(case, query=query)
    chain = str(case.gold.meta["subject"])
    return replace(
        case,
        query=query,
        gold=replace(case.gold, series=chain),
        confusers=tuple(replace(item, series=chain) for item in case.confusers),
    )
