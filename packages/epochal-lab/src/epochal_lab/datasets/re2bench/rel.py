"""Re2Bench-Rel: who or what it was in a given year, among the answers of the years around it.

From the questions of TimeQA that people wrote. A fact that held from 1811 to 1827 is asked about in up to six of its
years, in the words of the person who asked; the documents state it for one year each, in words of their own. The answer
is the document of the asked year; the confusers are those of the same subject and relation up to five years off, then
the same relation of other subjects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.folder import Manifest, file_digest
from epochal_lab.datasets.re2bench.cases import (
    BenchCase,
    assemble,
    assign_splits,
    choose_by_hash,
    digest,
    drop_ambiguous,
    sample_cases,
    sort_by_hash,
)
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard
from epochal_lab.datasets.timeqa import (
    RELATIONS,
    SLOT,
    PageFact,
    annotated_files,
    point_facts,
    read_entries,
    unambiguous_years,
)

CARD: Final = SetCard(
    "Re2Bench-Rel, rebuilt",
    "Facts at a point of time: the answer states the asked year, the confusers years around it.",
    "TimeQA (TSQA-Human), https://github.com/wenhuchen/Time-Sensitive-QA",
    "BSD-3-Clause",
    notes=(
        "The answer is the document whose year is the asked one; a document of another year may give the same answer.",
        "Documents are sentences made from annotated facts; questions are worded as people wrote them.",
    ),
)

_STATED: Final = (
    "In {year}, the {relation} of {subject} was {answer}.",
    "{subject}'s {relation} in {year} was {answer}.",
    "As of {year}, {answer} is given as the {relation} of {subject}.",
    "Records for {year} list {answer} as the {relation} of {subject}.",
    "{subject}: the {relation} during {year} was {answer}.",
    "The year {year} saw {answer} as the {relation} of {subject}.",
    "In the course of {year}, {subject} had {answer} as {relation}.",
    "{answer} was the {relation} of {subject} in {year}.",
)
_WITHIN: Final = ("in {year}", "during {year}", "in the year {year}", "back in {year}", "as of {year}")
_OPENING: Final = ("In {year}", "During {year}", "In the year {year}", "Back in {year}", "As of {year}")
_QUESTION_WORDS: Final = frozenset("Who What Which Where Whom Whose To For Under At On By How Name".split())
#: How far from the asked year a confuser of the same subject may lie.
_NEAR: Final = 5
#: How many years of one fact become documents.
_MAX_YEARS: Final = 16


@dataclass(frozen=True, slots=True)
class _Stated:
    """A document with the fact and the year that it states."""

    fact: PageFact
    year: int
    document: Document


def build(
    source: Path, *, size: int = 0, seed: int = 0, points: int = 6, confusers: int = 5, times: str = "stated"
) -> tuple[BenchSet, Manifest]:
    """The set from the folder with TimeQA's human_annotated_*.json.

    `points` is how many years of a fact are asked about at most, `confusers` how many a question has. With `times`
    "relative" a question counts its year from another one ("three years after 1812"), so that the number in it is not
    that of the answer, and often that of a confuser.
    """
    if points < 1 or confusers < 1:
        raise EpochalError(f"points and confusers are {points} and {confusers}; accepted: 1 or more of each")
    files = annotated_files(source)
    facts, left_out = point_facts([entry for path in files for entry in read_entries(path)])
    facts_to_ask, stated = _expand(facts, points, seed)
    sizes: dict[str, int] = defaultdict(int)
    for item in facts_to_ask:
        sizes[item.fact.page] += 1
    splits = assign_splits(sizes, seed)
    present = _group_by_split(stated, splits)
    cases = []
    for item in facts_to_ask:
        split = splits[item.fact.page]
        others = _select_confusers(item, present[split], confusers, seed)
        cases.append(_make_case(item, others, split, seed, relative=times == "relative"))
    apart = drop_ambiguous(cases)
    return assemble(
        "re2bench/rel",
        sample_cases(apart, size, seed),
        CARD,
        sources={path.name: file_digest(path) for path in files},
        # The switch is recorded where it was used, so that sets built again are the same bytes.
        parameters={"size": size, "seed": seed, "points": points, "confusers": confusers}
        | ({"times": times} if times != "stated" else {}),
        facts={
            "facts": len(facts),
            "annotations_left_out": left_out,
            "questions_left_out_with_a_rival": len(cases) - len(apart),
            "timestamps": "t_q and t_c are years; no t_d, no t_ref",
        },
    )


def _expand(facts: Sequence[PageFact], points: int, seed: int) -> tuple[list[_Stated], list[_Stated]]:
    """What is asked about, and everything that is stated: the asked years and those around them."""
    facts_to_ask, stated = [], []
    for fact, years in unambiguous_years(list(facts)):
        picked = sort_by_hash(years, lambda year, fact=fact: (fact.page, fact.relation, year), seed)[:points]  # type: ignore[misc]
        near = sorted(years, key=lambda year: (min((abs(year - other) for other in picked), default=0), year))
        for year in near[:_MAX_YEARS]:
            item = _Stated(fact, year, _make_document(fact, year, seed))
            stated.append(item)
            if year in picked:
                facts_to_ask.append(item)
    return facts_to_ask, stated


def _make_document(fact: PageFact, year: int, seed: int) -> Document:
    form = choose_by_hash(_STATED, seed, "document", fact.page, fact.relation, fact.answer, year)
    text = form.format(year=year, relation=RELATIONS[fact.relation], subject=fact.subject, answer=fact.answer)
    return Document(
        digest("rel", fact.page, fact.relation, fact.answer, year, seed),
        text[0].upper() + text[1:],
        title=fact.subject,
        meta={"times": [Span.year(year).edtf()], "subject": f"{fact.page}#{fact.relation}", "answer": fact.answer},
    )


def _group_by_split(stated: Sequence[_Stated], splits: Mapping[str, str]) -> Mapping[str, list[_Stated]]:
    groups: dict[str, list[_Stated]] = defaultdict(list)
    for item in stated:
        # A page without a question has no split; its facts confuse nobody.
        if item.fact.page in splits:
            groups[splits[item.fact.page]].append(item)
    return groups


def _select_confusers(item: _Stated, others: Sequence[_Stated], count: int, seed: int) -> list[Document]:
    """The nearest years of the same subject, then the same relation of others, then what lies nearest in time.

    Two places go first to years around it in which the subject had another answer, where there are such.
    """
    own: list[_Stated] = []
    related: list[_Stated] = []
    rest: list[_Stated] = []
    for other in others:
        if other.fact.page == item.fact.page and other.fact.relation == item.fact.relation:
            if other.year != item.year:
                own.append(other)
        elif other.fact.page != item.fact.page:
            (related if other.fact.relation == item.fact.relation else rest).append(other)

    def nearest(few: Sequence[_Stated], most: int) -> list[_Stated]:
        return sorted(few, key=lambda other: (abs(other.year - item.year), digest(seed, other.document.id)))[:most]

    near = [other for other in own if abs(other.year - item.year) <= _NEAR]
    confusers = nearest([other for other in near if other.fact.answer != item.fact.answer], min(2, count - 1))
    for few in (near, related, own, rest):
        if len(confusers) < count:
            confusers += nearest([other for other in few if other not in confusers], count - len(confusers))
    return [other.document for other in confusers]


def _make_case(
    item: _Stated, others: Sequence[Document], split: str, seed: int, *, relative: bool = False
) -> BenchCase:
    fact, year = item.fact, item.year
    parts: tuple[Any, ...] = (seed, fact.page, fact.relation, fact.answer, year)
    wording = choose_by_hash(fact.wordings, "wording", *parts)
    if relative:
        before, _, after = wording.partition(SLOT)
        time = _word_relative_year(year, *parts)
        opens = not before.strip()
        text = (
            f"{time[0].upper()}{time[1:]}{'' if after.startswith(',') else ','}{after}"
            if opens
            else before + time + after
        )
    else:
        text = _word_question(wording, year, *parts)
    query = BenchQuery(
        digest("rel question", *parts),
        text,
        periods=(Span.year(year),),
        kind="point",
        split=split,
        annotations={"subject": fact.subject, "relation": fact.relation, "answer": fact.answer, "wording": wording},
    )
    return BenchCase(query, item.document, tuple(others), fact.page)


#: Ways to count a year from another, with the distance to it.
_RELATIVE: Final = (
    ("the year after {other}", -1),
    ("the year before {other}", 1),
    ("two years after {other}", -2),
    ("two years before {other}", 2),
    ("three years after {other}", -3),
    ("three years before {other}", 3),
    ("five years after {other}", -5),
    ("ten years before {other}", 10),
)


def _word_relative_year(year: int, *parts: object) -> str:
    """A year, counted from another one."""
    form, distance = choose_by_hash(_RELATIVE, "relative", *parts)
    return form.format(other=year + distance)


def _word_question(wording: str, year: int, *parts: object) -> str:
    """A person's wording with a year in its slot, or with the year before it where that is the same question."""
    before, _, after = wording.partition(SLOT)
    first = wording.split(" ", 1)[0]
    opens = not before.strip()
    if not opens and after == "?" and first in _QUESTION_WORDS and choose_by_hash((True, False), "order", *parts):
        lead = choose_by_hash(_OPENING, "time", *parts).format(year=year)
        return f"{lead}, {before[0].lower()}{before[1:].rstrip(' ,')}?"
    time = choose_by_hash(_OPENING if opens else _WITHIN, "time", *parts).format(year=year)
    comma = "," if opens and not after.startswith(",") else ""
    return f"{before}{time}{comma}{after}"
