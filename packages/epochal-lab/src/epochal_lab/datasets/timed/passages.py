"""Sets with judgements of their own: TimeQA, TNP, ChronoQA and SciFact, and facts with validity (tdbench).

Questions of one topic stay in one split. Some of the first three are also asked of a time before anything that the
documents about them mention, which has no answer. Questions about facts: who held what when, what holds now, and what
no fact answers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.catalogue import load
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.datasets.sources import Source, rows
from epochal_lab.datasets.timed.questions import Split, TimedCorpus, TimedQuestion, number_questions
from epochal_lab.datasets.timed.timelines import split_groups

_NOW: Final = "2026-11-16"
_YEAR: Final = re.compile(r"(?<!\d)(?:1[0-9]{3}|20[0-2][0-9])(?!\d)")
#: One question in so many is also asked of a time before its page, so many years before at least and at most.
_EARLIER: Final = 3
_YEARS_BEFORE: Final = (8, 40)
_FIRST_YEAR: Final = 1000


def load_timeqa(source: Source, seed: int = 0) -> TimedCorpus:
    """Paragraphs of pages and questions with a time; other paragraphs of the page may be about the topic or not."""
    bench_set = load("timeqa/human_train", source.data)
    documents = tuple(bench_set.documents)
    titles = {document.id: document.title for document in documents}
    pages: dict[str, set[str]] = {}
    for document in documents:
        pages.setdefault(document.title, set()).add(document.id)

    def get_page(query: BenchQuery) -> str:
        return titles[next(iter(bench_set.qrels[query.id]))]

    corpus = _convert("timeqa", bench_set, documents, "stated", get_page, pages, seed)
    return ask_earlier(corpus, lambda question: pages[question.group], seed)


def ask_earlier(corpus: TimedCorpus, get_about: Callable[[TimedQuestion], Collection[str]], seed: int) -> TimedCorpus:
    """The corpus with questions for a time before anything that the documents about their topic mention."""
    texts = {document.id: f"{document.title}\n{document.text}" for document in corpus.documents}

    @cache
    def find_years(ids: frozenset[str]) -> list[int]:
        return [int(year) for id in ids for year in _YEAR.findall(texts[id])]

    earlier = _ask_earlier(corpus, lambda question: find_years(frozenset(get_about(question))), seed)
    return replace(corpus, questions=number_questions([*corpus.questions, *earlier]))


def _ask_earlier(
    corpus: TimedCorpus, find_years: Callable[[TimedQuestion], Sequence[int]], seed: int
) -> Iterator[TimedQuestion]:
    """Questions whose years are all moved before the first one that is mentioned."""
    rng = random.Random(f"earlier-{seed}")
    for question in corpus.questions:
        asked, mentioned = [int(year) for year in _YEAR.findall(question.text)], find_years(question)
        if not asked or not mentioned or rng.randrange(_EARLIER):
            continue
        shift = max(asked) - min(mentioned) + rng.randint(*_YEARS_BEFORE)
        if shift > 0 and min(asked) - shift >= _FIRST_YEAR:
            yield replace(
                question,
                text=_move_years(question.text, shift),
                kind="unanswerable",
                outcome="none_recorded",
                relevant=frozenset(),
                unjudged=frozenset(),
            )


def _move_years(text: str, shift: int) -> str:
    return _YEAR.sub(lambda match: str(int(match[0]) - shift), text)


def load_tnp(source: Source, seed: int = 0) -> TimedCorpus:
    """Laureates of the Nobel prize by years."""
    bench_set = load("tnp", source.data)
    corpus = _convert("tnp", bench_set, tuple(bench_set.documents), "stated", lambda query: query.id, {}, seed)
    everything = frozenset(document.id for document in corpus.documents)
    return ask_earlier(corpus, lambda _: everything, seed)


def load_chronoqa_questions(source: Source, seed: int = 0) -> TimedCorpus:
    """Chinese questions about news, against all passages that answer any of them."""
    bench_set = load("chronoqa", source.data)
    documents = tuple(bench_set.documents)
    corpus = _convert("chronoqa", bench_set, documents, "stated", lambda query: query.id, {}, seed, "zh")
    return ask_earlier(corpus, lambda question: question.relevant, seed)


def load_scifact(source: Source, seed: int = 0) -> TimedCorpus:
    """Claims of science without any time: they must not lose by what is done for times."""
    bench_set = load("scifact", source.data)
    return _convert("scifact", bench_set, tuple(bench_set.documents), "plain", lambda query: query.id, {}, seed)


def _convert(
    name: str,
    bench_set: BenchSet,
    documents: tuple[Document, ...],
    kind: str,
    get_group: Callable[[BenchQuery], str],
    unjudged: Mapping[str, set[str]],
    seed: int,
    language: str = "en",
) -> TimedCorpus:
    queries = [
        query for query in bench_set.queries if any(gain > 0 for gain in bench_set.qrels.get(query.id, {}).values())
    ]
    splits = split_groups([get_group(query) for query in queries], seed, 0.5)
    questions = []
    for query in queries:
        group = get_group(query)
        gold = frozenset(id for id, gain in bench_set.qrels[query.id].items() if gain > 0)
        questions.append(
            TimedQuestion(
                "",
                query.text,
                kind,
                name,
                query.now or Span.parse(_NOW),
                gold,
                unjudged=frozenset(unjudged.get(group, ())) - gold,
                group=group,
                split=splits[group],
            )
        )
    return TimedCorpus(name, documents, number_questions(questions), language)


_KINDS: Final = {"now": "current", "basic_unique": "stated", "basic_multiple": "stated", "basic_none": "unanswerable"}
_REPORT_SHARE: Final = 0.4


def load_facts(source: Source, seed: int = 0) -> TimedCorpus:
    """Facts, and questions by Allen's relations. Training has their paraphrases, reporting their first wording."""
    folder = source.require("tdbench", "tdbench", "get the facts and questions of TDBench")
    documents = tuple(
        Document(row["id"], row["text"], valid=Span.parse(row["valid"]), meta={"table": row["table"]})
        for _, row in rows(folder / "facts.jsonl.gz")
    )
    tables: dict[str, set[str]] = {}
    for document in documents:
        tables.setdefault(document.meta["table"], set()).add(document.id)
    questions = []
    for _, row in rows(folder / "queries.jsonl.gz"):
        rng = random.Random(f"facts-{seed}-{row['id']}")
        split: Split = "report" if rng.random() < _REPORT_SHARE else "train"
        gold = frozenset(row["gold"] or ())
        table = row["id"].partition("-")[0]
        for text in (row["text"],) if split == "report" else row["paraphrases"]:
            questions.append(
                TimedQuestion(
                    "",
                    text,
                    _KINDS[row["kind"]],
                    "tdbench",
                    Span.parse(row["now"]),
                    gold,
                    outcome="recorded" if row["answerable"] else "none_recorded",
                    # Which other facts of a table are about the same holder or office is not known.
                    unjudged=frozenset(tables.get(table, ())) - gold,
                    group=row["id"],
                    split=split,
                )
            )
    return TimedCorpus("tdbench", documents, number_questions(questions), notes=("some labels are noisy",))
