"""TimeQA's human questions: as passage retrieval over the paragraphs of its pages, and as dated facts."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from epochal.errors import EpochalError, InputError
from epochal.reading.questions.understand import understand
from epochal.storage.records import Document
from epochal_lab.datasets.folder import Manifest, file_digest
from epochal_lab.datasets.re2bench.cases import STOP_WORDS, words
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard

#: Where the time is in a question's wording.
SLOT: Final = "{time}"

#: What a relation of Wikidata is called in a sentence "the ... of SUBJECT was ANSWER".
RELATIONS: Final[Mapping[str, str]] = {
    "P6": "head of government",
    "P17": "country",
    "P26": "spouse",
    "P27": "country of citizenship",
    "P35": "head of state",
    "P36": "capital",
    "P39": "office",
    "P40": "child born then",
    "P47": "bordering state",
    "P54": "sports club",
    "P69": "place of study",
    "P97": "noble title",
    "P98": "chief editor",
    "P102": "political party",
    "P106": "occupation",
    "P108": "employer",
    "P115": "home ground",
    "P118": "league",
    "P121": "equipment in operation",
    "P123": "publishing house",
    "P127": "owner",
    "P137": "operator",
    "P138": "namesake",
    "P150": "administrative part",
    "P159": "headquarters",
    "P166": "honour received",
    "P169": "chief executive",
    "P175": "performer",
    "P176": "maker",
    "P195": "holding collection",
    "P241": "branch of service",
    "P264": "record label",
    "P276": "location",
    "P286": "head coach",
    "P355": "subsidiary",
    "P366": "use",
    "P371": "presenter",
    "P410": "military rank",
    "P449": "broadcaster",
    "P463": "membership",
    "P466": "occupant",
    "P488": "chair",
    "P551": "residence",
    "P559": "terminus",
    "P608": "place of exhibition",
    "P618": "source of energy",
    "P641": "sport",
    "P710": "participant",
    "P734": "family name",
    "P749": "parent organisation",
    "P793": "key event",
    "P800": "notable work",
    "P937": "place of work",
    "P1037": "director",
    "P1075": "rector",
    "P1308": "officeholder",
    "P1344": "participation",
    "P1366": "successor",
    "P1376": "territory governed from there",
    "P1416": "affiliation",
    "P1435": "heritage status",
    "P1448": "official name",
    "P1830": "possession",
    "P2561": "name",
    "P2632": "place of detention",
    "P2962": "chess title",
    "P4791": "commander",
    "P5096": "ship",
    "P6087": "coached team",
    "P8047": "country of registry",
}

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DAY = rf"(?:(?:\d{{1,2}}\s+)?{_MONTH},?\s+(?:\d{{1,2}},?\s+)?)?"
_LEAD = r"(?:(?:in|during|over|for|within) the (?:stretch of time|period of time|time period|period|time|years?) )?"
_RANGE = re.compile(
    rf"\b{_LEAD}from\s+{_DAY}(?P<first>\d{{3,4}})\s+(?:to|until|till|through)\s+{_DAY}(?P<last>\d{{3,4}})\b",
    re.IGNORECASE,
)
_POINT = re.compile(rf"\bin\s+(?:the year\s+)?{_DAY}(?P<first>\d{{3,4}})\b", re.IGNORECASE)
# Words that mention a second time, or that make no sense with a single year.
_OTHER_TIME = re.compile(
    r"\b(?:first|second|third|last(?:ed|ing)?|final|before|after|until|since|when|while|then|later|earlier|former|"
    r"formerly|previous(?:ly)?|original(?:ly)?|early|mid|late|century|decade|born|died|spanning|began|begin|started|"
    r"ended|became|become|remained|throughout|entire|whole|now|current(?:ly)?|today|modern|present|ages?|aged|"
    r"world war|ww|cold war)\b|\d{3,}|\d0s\b",
    re.IGNORECASE,
)
_QUESTION_WORDS: Final = frozenset("who what which where whom whose how in at for to on name".split())


@dataclass(frozen=True, slots=True)
class PageFact:
    """That the `relation` of the `subject` was `answer` in each of the years from `first` to `last`.

    `wordings` are the questions that people asked about it, with `SLOT` where the time stood.
    """

    page: str
    subject: str
    relation: str
    answer: str
    first: int
    last: int
    wordings: tuple[str, ...]

    @property
    def years(self) -> range:
        """All years of the fact."""
        return range(self.first, self.last + 1)


def annotated_files(source: Path) -> list[Path]:
    """The files of TimeQA with the questions that people wrote."""
    files = sorted(source.glob("human_annotated_*.json"))
    if not files:
        raise EpochalError(f"the folder {str(source)!r} has no human_annotated_*.json of TimeQA")
    return files


def read_entries(path: Path) -> list[dict[str, Any]]:
    """The entries of such a file: a page, a relation, its questions with their answers, and its paragraphs."""
    keys = ("index", "type", "link", "questions", "paras")
    problem = f"{path.name} is no file of TimeQA; accepted: a list of entries with {', '.join(keys)}"
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise EpochalError(problem) from None
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and all(key in entry for key in keys) for entry in entries
    ):
        raise EpochalError(problem)
    return entries


def point_facts(entries: list[dict[str, Any]]) -> tuple[list[PageFact], dict[str, int]]:
    """The facts that a single year can be asked of, and how many questions were left out, by the reason."""
    facts: dict[tuple[str, str, int, int, str], PageFact] = {}
    left_out: Counter[str] = Counter()
    for entry in entries:
        for question, answers in entry["questions"]:
            read = _read_fact(entry, question, answers)
            if isinstance(read, str):
                left_out[read] += 1
                continue
            key = (read.page, read.relation, read.first, read.last, read.answer)
            before = facts.get(key)
            wordings = read.wordings if before is None else tuple(dict.fromkeys((*before.wordings, *read.wordings)))
            facts[key] = replace(read, wordings=wordings)
    return list(facts.values()), dict(sorted(left_out.items()))


def _read_fact(entry: Mapping[str, Any], question: str, answers: list[Mapping[str, Any]]) -> PageFact | str:
    """The fact behind a question, or why there is none to ask about."""
    texts = tuple(dict.fromkeys(_detokenise(item.get("answer", "")) for item in answers))
    if not any(texts):
        return "no answer"
    if entry["type"] not in RELATIONS:
        return "relation without a wording"
    matches = [*_RANGE.finditer(question)] or [*_POINT.finditer(question)]
    if len(matches) != 1:
        return "no time, or two"
    match = matches[0]
    first, last = int(match["first"]), int(match.groupdict().get("last") or match["first"])
    if not first <= last <= first + 150:
        return "time not in order"
    rest = question[: match.start()] + " " + question[match.end() :]
    if _OTHER_TIME.search(rest):
        return "mentions another time"
    subject = re.sub(r"\s*\([^)]*\)", "", unquote(entry["link"].removeprefix("/wiki/")).replace("_", " "))
    subject = subject.replace("&amp;", "&").strip()
    named = [word for word in words(subject) if word not in STOP_WORDS]
    question_words = set(words(rest.replace("'s", "").replace("’s", "")))
    if not named or sum(word in question_words for word in named) * 3 < len(named) * 2 or re.search(r"\d{3,}", subject):
        return "subject not named"
    answer = _join(texts)
    answer_words = [word for word in words(answer) if word not in STOP_WORDS]
    if not answer_words or len(answer_words) > 12 or re.search(r"\d{4}", answer):
        return "answer too long, or with a date"
    if re.match(r"[a-z]+ed\b", answer):
        return "answer is no name"
    if all(word in question_words for word in words(texts[0])) or set(answer_words) <= set(named):
        return "answer in the question"
    wording = _make_template(question, match.start(), match.end())
    if wording[0].islower() and wording.split(" ")[0] not in _QUESTION_WORDS:
        return "wording cut short"
    return PageFact(entry["link"], subject, entry["type"], answer, first, last, (wording,))


def _make_template(question: str, start: int, end: int) -> str:
    """The question with the slot in place of its time, spaces in order and a question mark at the end."""
    text = f"{question[:start]}{SLOT}{question[end:]}".strip().rstrip("?. ")
    return re.sub(r"\s+([,;:])", r"\1", re.sub(r"\s+", " ", text)) + "?"


def _detokenise(text: str) -> str:
    """An answer without the spaces that the tokens of its paragraph were parted with."""
    text = re.sub(r"\s+([.,;:!?)\]'’])", r"\1", " ".join(text.split()))
    return re.sub(r"([(\[])\s+", r"\1", text).strip(" ,;:")


def _join(texts: tuple[str, ...]) -> str:
    """Several answers in one phrase; one that another holds is not said twice."""
    apart = [one for one in texts if one and not any(one != other and one in other for other in texts)]
    return apart[0] if len(apart) == 1 else f"{', '.join(apart[:-1])} and {apart[-1]}"


def unambiguous_years(facts: list[PageFact]) -> Iterator[tuple[PageFact, tuple[int, ...]]]:
    """Each fact with those of its years in which no other fact of its subject and relation holds."""
    held: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for fact in facts:
        held[fact.page, fact.relation].update(fact.years)
    for fact in facts:
        yield fact, tuple(year for year in fact.years if held[fact.page, fact.relation][year] == 1)


CARD: Final = SetCard(
    "TimeQA, questions that people wrote",
    "Facts of a page in a range of years; the relevant paragraphs are those in which the answer was marked.",
    "TSQA-Human, https://github.com/wenhuchen/Time-Sensitive-QA",
    "BSD-3-Clause",
    notes=("Questions without an answer in their page are left out.",),
)


def build(source: Path, *, split: str = "train", periods: bool = True) -> tuple[BenchSet, Manifest]:
    """The set from the folder with human_annotated_SPLIT.json; `periods` reads the times that each question asks
    about.
    """
    files = {path.stem.removeprefix("human_annotated_"): path for path in annotated_files(source)}
    if split not in files:
        raise EpochalError(f"split is {split!r}; accepted: {', '.join(files)}")
    path = files[split]
    documents: dict[str, Document] = {}
    queries: list[BenchQuery] = []
    judged: dict[str, dict[str, int]] = {}
    unanswered = 0
    for number, entry in enumerate(read_entries(path), 1):
        title = entry["link"].removeprefix("/wiki/").replace("_", " ")
        for position, text in enumerate(entry["paras"]):
            documents.setdefault(
                f"{entry['link']}#{position}", Document(f"{entry['link']}#{position}", text, title=title)
            )
        for position, (text, answers) in enumerate(entry["questions"]):
            relevant = _find_relevant(entry, answers, documents, path.name, number)
            if not relevant:
                unanswered += 1
                continue
            query = BenchQuery(
                f"{entry['index']}@{position}",
                text,
                periods=understand(text).periods if periods else (),
                kind=entry["type"],
                annotations={"answers": [item["answer"] for item in answers if item.get("answer")]},
            )
            queries.append(query)
            judged[query.id] = relevant
    bench_set = BenchSet(f"timeqa/human_{split}", tuple(documents.values()), tuple(queries), judged, card=CARD)
    return bench_set, Manifest(
        bench_set.id,
        CARD,
        "epochal.bench.builders.timeqa",  # the recorded name stays, so that sets built again are the same bytes
        {"split": split, "periods": periods},
        {path.name: file_digest(path)},
        facts={
            "questions_without_an_answer": unanswered,
            "questions_with_a_time_read": sum(bool(query.periods) for query in queries),
        },
    )


def _find_relevant(
    entry: dict[str, Any], answers: list[dict[str, Any]], documents: dict[str, Document], name: str, number: int
) -> dict[str, int]:
    """The paragraphs in which an answer was marked."""
    relevant = {f"{entry['link']}#{item['para']}": 1 for item in answers if item.get("answer")}
    for one in relevant:
        if one not in documents:
            raise InputError(name, 0, f"entry {number} marks an answer in {one!r}, which is no paragraph of its page")
    return relevant
