"""Re2Bench-Rec: the current wording of a clause, among its earlier wordings.

From versions of documents (Open Terms Archive), or from rows in the layout of HoH. The answer is the newest wording,
the confusers are two to four older ones. Questions carry no date; they are asked a month after the newest document.
Their words about the clause are shared by all its wordings, so that only the dates of publication tell the answer from
the rest.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times.axis import Grain
from epochal.times.span import Span
from epochal_lab.datasets.folder import Manifest, file_digest
from epochal_lab.datasets.re2bench.cases import (
    STOP_WORDS,
    BenchCase,
    assemble,
    assign_splits,
    choose_by_hash,
    digest,
    drop_ambiguous,
    read_rows,
    sample_cases,
    words,
)
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard

#: How many words a clause has: fewer say little, more are several clauses.
SHORTEST: Final = 20
LONGEST: Final = 180
#: How much of their words two versions of a clause share at least.
ALIKE: Final = 0.6
#: How many runs of five letters must differ before a clause counts as reworded: about two words.
CHANGED: Final = 24

_BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[*+#-]|\d+[.)])\s)")
_MARKUP = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), " "),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"https?://\S+|www\.\S+"), " "),
    (re.compile(r"^[\s>*+#=|-]+|[=|]{2,}|\*\*|\b_|_\b|__|\\(?=[.\-_*()\[\]])", re.MULTILINE), " "),
    (re.compile(r"\s+"), " "),
)
#: A clause that states dates has times in its content, and is no matter of publication alone.
_DATED = re.compile(
    r"\b(?:1[89]|20)\d\d\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\blast (?:updated|modified|revised)\b", re.IGNORECASE
)
#: What verbs follow, and how words end that are hardly ever nouns, or hardly ever anything else.
_BEFORE_VERBS: Final = frozenset(
    "can cannot could did do does he i it may must not shall she should that they to we which who will "
    "would you".split()
)
_VERB_LIKE = re.compile(r"(?:ed|ing|ly|ify|ise|ize|ate)$")
_NOUN_LIKE = re.compile(r"(?:tion|sion|ment|ity|ness|[ae]nce|ship|[^sui]s|er|or|ism|ure|age|ist|acy|phone|mail)$")
#: Addresses, which some collectors of pages keep and others mask.
_ADDRESS = re.compile(r"\[?\s*\[?\s*email[\s\u00a0]*protected\s*\]*\(?|\S+@\S+", re.IGNORECASE)
_PHRASE_WORD = re.compile(r"[a-z][a-z'’-]{2,}")
#: Words of every policy, by which no clause can be distinguished from another.
_COMMON: Final = frozenset(
    "able accordance account additional agreement applicable available better case certain collect collected "
    "company data depends described event example following further information items limitation longer made make "
    "manner means need never number others otherwise part parties party personal please policy privacy provide "
    "provided purpose purposes rather reasonable related relevant respect respects right rights section see service "
    "services set site terms things third time user users way ways website websites well whatever whenever wherever "
    "whichever without".split()
)


@dataclass(frozen=True, slots=True)
class ClauseChain:
    """A clause through the versions of its document, oldest first: the dates at which it got each wording."""

    texts: tuple[str, ...]
    dates: tuple[str, ...]


def clauses(text: str) -> list[str]:
    """The paragraphs and items of a text, without markup; those that are too short, too long or dated are left out."""
    texts = []
    for part in _BREAK.split(text):
        clause = part
        for pattern, plain in _MARKUP:
            clause = pattern.sub(plain, clause)
        if SHORTEST <= len(clause.split()) <= LONGEST and not _DATED.search(clause):
            texts.append(clause.strip())
    return list(dict.fromkeys(texts))


def find_reworded_clauses(versions: Sequence[tuple[str, str]], least: int = 3) -> list[ClauseChain]:
    """The clauses of the newest version with at least so many wordings, from versions `(date, text)`, oldest first.

    A clause that came back to a wording that it had before is left out: what is newest about it cannot be said.
    """
    split = [[(clause, Counter(words(clause))) for clause in clauses(text)] for _, text in versions]
    before = [{clause for clause, _ in version} for version in split]
    # What two versions have alike word for word cannot have come from anything else.
    gone = [[one for one in old if one[0] not in new] for old, new in zip(split, before[1:], strict=False)]
    come = [[one for one in new if one[0] not in old] for old, new in zip(before, split[1:], strict=False)]
    chains = []
    for clause, counted in split[-1] if split else []:
        texts, dates = [clause], [versions[-1][0]]
        present = (clause, counted)
        for position in range(len(split) - 2, -1, -1):
            if present[0] in before[position]:
                dates[-1] = versions[position][0]  # worded so since then
                continue
            nearest = _find_predecessor(present, gone[position], come[position])
            if nearest is None:
                break
            present = nearest
            texts.append(nearest[0])
            dates.append(versions[position][0])
        if len(texts) >= least and _differ(texts):
            chains.append(ClauseChain(tuple(reversed(texts)), tuple(reversed(dates))))
    return chains


Counted = tuple[str, "Counter[str]"]


def _find_predecessor(present: Counted, older: Sequence[Counted], newer: Sequence[Counted]) -> Counted | None:
    """The clause of the older version that this one was made from: each is what the other is most similar to."""
    best = max(older, key=lambda one: _measure_similarity(present[1], one[1]), default=None)
    if best is None or (share := _measure_similarity(present[1], best[1])) < ALIKE:
        return None
    if any(_measure_similarity(other[1], best[1]) > share for other in newer if other[0] != present[0]):
        return None
    return best


def _measure_similarity(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    if 2 * min(one.total(), other.total()) < ALIKE * total:
        return 0.0
    small, large = (one, other) if len(one) < len(other) else (other, one)
    shared = sum(min(count, large[word]) for word, count in small.items() if word in large)
    return 2 * shared / max(1, total)


def _differ(texts: Sequence[str]) -> bool:
    """Whether any two texts differ in more than spaces, marks, addresses and a word or so."""
    counted = [_count_ngrams(text) for text in texts]
    return all(
        ((one - other) + (other - one)).total() >= CHANGED
        for position, one in enumerate(counted)
        for other in counted[position + 1 :]
    )


def _count_ngrams(text: str) -> Counter[str]:
    """The runs of five letters, across words: what was set with other spaces is the same."""
    letters = "".join(words(_ADDRESS.sub(" ", text)))
    return Counter(letters[position : position + 5] for position in range(len(letters) - 4))


class Rarity:
    """How rare a word is among texts: the fewer have it, the more it tells."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        self._total = 0
        for text in texts:
            self._counts.update(set(words(text)))
            self._total += 1

    def __call__(self, word: str) -> float:
        """The logarithm of how many texts there are for one with the word."""
        return math.log((self._total + 1) / (self._counts[word] + 1))


def key_phrases(
    chain: ClauseChain, others: Iterable[str], rarity: Rarity, avoid: Iterable[str] = (), most: int = 1
) -> list[tuple[str, ...]]:
    """Sets of two or three phrases that every wording of a clause has and none of the other texts has together.

    There are up to `most` sets, the most telling phrases first, and no word is in two of them. The other texts are as
    `normalise` gives them.
    """
    avoided = set(avoid) | _COMMON
    wordings = [normalise(text) for text in chain.texts]
    elsewhere = tuple(others)
    ranked = sorted(
        {
            phrase
            for phrase in _list_phrases(chain.texts[-1], avoided)
            if all(f" {phrase} " in text for text in wordings)
        },
        key=lambda phrase: (-sum(map(rarity, phrase.split())) / math.sqrt(len(phrase.split())), phrase),
    )
    phrases: list[tuple[str, ...]] = []
    taken: list[str] = []
    used: set[str] = set()
    for phrase in ranked:
        if len(phrases) == most:
            break
        if used & set(phrase.split()):
            continue
        taken.append(phrase)
        used.update(phrase.split())
        if len(taken) >= 2 and not any(all(f" {one} " in text for one in taken) for text in elsewhere):
            phrases.append(tuple(sorted(taken, key=lambda one: wordings[-1].find(f" {one} "))))
            taken = []
        elif len(taken) == 3:
            taken = []
    return phrases


def normalise(text: str) -> str:
    """The words and marks of a text in small letters, each between spaces, so that phrases can be looked for."""
    return f" {' '.join(_tokenise(text))} "


def _tokenise(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*|[.,;:()/\"“”]", text.lower())


def _list_phrases(text: str, avoided: set[str]) -> Iterator[str]:
    """Whole runs of one to three words between words that say nothing, as far as they look like names of things."""
    tokens = _tokenise(text)
    is_content = [bool(_PHRASE_WORD.fullmatch(word)) and word not in STOP_WORDS for word in tokens]
    position = 0
    while position < len(tokens):
        end = position
        while end < len(tokens) and is_content[end]:
            end += 1
        run = tokens[position:end]
        if tokens[position - 1] not in _BEFORE_VERBS and _is_noun_phrase(run, avoided):
            yield " ".join(run)
        position = max(end, position + 1)


def _is_noun_phrase(run: Sequence[str], avoided: set[str]) -> bool:
    if not 1 <= len(run) <= 3 or _VERB_LIKE.search(run[-1]) or all(word in avoided for word in run):
        return False
    if any(word.endswith("ly") for word in run):
        return False
    return len(run) > 1 or (len(run[0]) > 4 and _NOUN_LIKE.search(run[0]) is not None)


_TEXT: Final = "What holds now: the answer is the newest wording, the confusers are older ones of the same thing."
CARDS: Final[Mapping[str, SetCard]] = {
    "terms": SetCard(
        "Re2Bench-Rec, rebuilt from terms of service",
        _TEXT,
        "Open Terms Archive, https://opentermsarchive.org",
        "ODC-By",
        notes=("Clauses that state a year, and clauses that came back to an older wording, are left out.",),
    ),
    "hoh": SetCard("Re2Bench-Rec, rebuilt from HoH", _TEXT, "HoH-QAs, https://github.com/0russwest0/HoH"),
}

_QUESTIONS: Final = (
    "What does {owner} say about {first} and {second}?",
    "How does {owner} deal with {first} when it comes to {second}?",
    "Under {owner}, what are the rules on {first} and {second}?",
    "What should I know about {first} and {second} in {owner}?",
    "Where {owner} speaks of {first} and {second}, what exactly is laid down?",
    "As a user, what must I expect on {first} and {second}, going by {owner}?",
    "According to {owner}, what applies to {first} and {second}?",
    "What is stated on {first}, and on {second}, by {owner}?",
)
_MIN_CONFUSERS: Final = 2
_MAX_CONFUSERS: Final = 4


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
    """
    files = _list_source_files(source, layout)
    if files[0].name.startswith("versions.jsonl"):
        kind, (cases, facts) = "terms", _build_terms_cases(files[0], seed, questions)
    else:
        kind, (cases, facts) = "hoh", _build_hoh_cases(files, seed)
    sizes = Counter(case.group for case in cases)
    splits = assign_splits(sizes, seed)
    few = sample_cases(cases, size, seed)
    newest = max(
        (case.gold.published for case in few if case.gold.published), key=lambda span: span.start, default=None
    )
    if newest is None:
        raise EpochalError(
            f"{', '.join(path.name for path in files)} give no clause with {_MIN_CONFUSERS} older wordings"
        )
    now = Span.parse(today) if today else newest.shift(1, Grain.MONTH)
    done = [_finish(case, splits[case.group], now, series) for case in few]
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


def _list_source_files(source: Path, layout: str) -> list[Path]:
    terms = [path for name in ("versions.jsonl.gz", "versions.jsonl") if (path := source / name).is_file()]
    rows = sorted([*source.glob("*.json"), *source.glob("*.jsonl"), *source.glob("*.jsonl.gz")])
    if layout in ("auto", "terms") and terms:
        return terms[:1]
    hoh = [path for path in rows if not path.name.startswith("versions.")]
    if layout in ("auto", "hoh") and hoh:
        return hoh
    missing = {"terms": "no versions.jsonl[.gz]", "hoh": "no rows in the layout of HoH"}.get(
        layout, "neither versions.jsonl[.gz] nor rows in the layout of HoH"
    )
    raise EpochalError(f"the folder {str(source)!r} has {missing}")


# ---------------------------------------------------------------- from versions of documents


def _build_terms_cases(path: Path, seed: int, questions: int) -> tuple[list[BenchCase], dict[str, Any]]:
    documents: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_rows(path, ("doc", "service", "type", "date", "text")):
        documents[row["doc"]].append(row)
    repeating = 0
    chains: dict[str, list[ClauseChain]] = {}
    present: dict[str, list[str]] = {}
    for name, rows in sorted(documents.items()):
        rows.sort(key=lambda row: row["date"])
        if len({row["text"] for row in rows}) < len(rows):
            repeating += 1
            continue
        # Of two versions of a day the later is the day's; dates are no finer than days.
        versions = list({row["date"][:10]: row["text"] for row in rows}.items())
        chains[name] = find_reworded_clauses(versions, _MIN_CONFUSERS + 1)
        present[name] = clauses(versions[-1][1])
    rarity = Rarity(text for texts in present.values() for text in texts)
    cases, unasked = [], 0
    for name, found_chains in chains.items():
        row = documents[name][-1]
        plain = {
            text: normalise(text)
            for text in (*present[name], *(text for chain in found_chains for text in chain.texts))
        }
        for chain in found_chains:
            others = [entry for text, entry in plain.items() if text not in chain.texts]
            key_words = key_phrases(chain, others, rarity, words(f"{row['service']} {row['type']}"), questions)
            cases += [_make_clause_case(name, row, chain, phrases, seed) for phrases in key_words]
            unasked += not key_words
    return _drop_similar(cases), {
        "documents_in_versions": len(documents),
        "documents_left_out_that_repeat_an_older_text": repeating,
        "clauses_without_words_of_their_own": unasked,
    }


def _make_clause_case(
    name: str, row: Mapping[str, Any], chain: ClauseChain, phrases: Sequence[str], seed: int
) -> BenchCase:
    title = f"{row['service']}: {row['type']}"
    key = (name, chain.texts[-1])
    dated = list(zip(chain.texts, chain.dates, strict=True))[-_MAX_CONFUSERS - 1 :]
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
    form = choose_by_hash(_QUESTIONS, seed, "question", *key, *phrases)
    service = row["service"]
    owner = (
        f"the {row['type']} of {service}"
        if choose_by_hash((True, False), seed, "owner", *key)
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
    return BenchCase(query, documents[-1], tuple(documents[:-1]), str(service))


def _drop_similar(cases: Sequence[BenchCase]) -> list[BenchCase]:
    """The cases that are unambiguous.

    Left out are those whose answer confuses in another case, whose question is asked twice in the same words, and those
    that a document of another case may answer as well.
    """
    confusing = {item.id for case in cases for item in case.confusers}
    counts = Counter(case.query.text for case in cases)
    apart = [case for case in cases if counts[case.query.text] == 1 and case.gold.id not in confusing]
    return drop_ambiguous(apart)


# ---------------------------------------------------------------- from rows in the layout of HoH


def _build_hoh_cases(files: Sequence[Path], seed: int) -> tuple[list[BenchCase], dict[str, Any]]:
    cases, few = [], 0
    for path in files:
        for row in read_rows(path, ("question", "answer", "last_modified_time", "evidence", "outdated_infos")):
            case = _make_hoh_case(row, seed)
            if case is None:
                few += 1
            else:
                cases.append(case)
    return _drop_similar(cases), {"rows_with_too_few_older_versions": few}


def _make_hoh_case(row: Mapping[str, Any], seed: int) -> BenchCase | None:
    now = (row["last_modified_time"], row["evidence"])
    document = row.get("document") or {}
    title, key = str(document.get("title", "")), str(document.get("id", row["question"]))
    older = {
        info["evidence"]: info["last_modified_time"]
        for info in sorted(row["outdated_infos"], key=lambda info: str(info["last_modified_time"]))
        if info["last_modified_time"] < now[0] and words(info["evidence"]) != words(now[1])
    }
    dated = sorted(older.items(), key=lambda item: item[1])[-_MAX_CONFUSERS:]
    if len(dated) < _MIN_CONFUSERS:
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
    return BenchCase(query, documents[-1], tuple(documents[:-1]), key)


def _finish(case: BenchCase, split: str, now: Span, series: bool) -> BenchCase:
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
