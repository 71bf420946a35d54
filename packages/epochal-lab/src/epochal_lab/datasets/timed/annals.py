"""Spring and Autumn Annals with three commentaries, read in sequence: what a month records, and empty months."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from epochal.ingest import SequenceReader
from epochal.storage.records import Document
from epochal.times import CalendarDate
from epochal.times.calendars.date_text import format_han_month, format_han_year
from epochal.times.span import Span
from epochal_lab.datasets.sources import Source, rows
from epochal_lab.datasets.timed.questions import Split, TimedCorpus, TimedQuestion, number_questions

_NOW: Final = "2026-11-16"
_FRAMES: Final[Mapping[Split, tuple[str, ...]]] = {
    "train": (
        "{m}發生了什麼事？",
        "{m}，魯國有何記事？",
        "《春秋》於{m}記載了什麼？",
        "請列出{m}的記事。",
        "{m}之時，諸侯之間有何大事？",
    ),
    "report": ("{m}有哪些史事？", "{m}這個月，經傳記錄了哪些事情？", "{m}，《春秋》書何事？", "{m}"),
}
_YEAR: Final = re.compile(r"[元一二三四五六七八九十]+年")


def load_annals(source: Source, seed: int = 0) -> TimedCorpus:
    """Entries in the order of their works; months of the published training split train, those of its test report."""
    folder = source.require("chunqiu", "chunqiu", "get the entries of the annals")
    entries = [row for _, row in rows(folder / "entries.jsonl")]
    gold: dict[tuple[str, int, int], set[str]] = {}
    splits: dict[tuple[str, int, int], Split] = {}
    years: dict[tuple[str, int], Split] = {}
    for row in entries:
        if row["month"] is None:
            continue
        key = row["gong"], row["year"], row["month"]
        gold.setdefault(key, set()).add(_get_id(row))
        splits[key] = years[key[:2]] = "train" if (row.get("split") or "train") == "train" else "report"
    questions = [
        _ask(key, splits[key], frozenset(ids), random.Random(f"annals-{seed}-{key}")) for key, ids in gold.items()
    ]
    for (duke, year), split in years.items():
        for key in ((duke, year, month) for month in range(1, 13)):
            if key not in gold:
                questions.append(_ask(key, split, frozenset(), random.Random(f"annals-{seed}-{key}")))
    reader = SequenceReader("lu", CalendarDate("lu", 1, era="魯隱公"), by="work")
    return TimedCorpus("annals", tuple(_build_documents(entries)), number_questions(questions), "lzh", read=reader)


def _ask(key: tuple[str, int, int], split: Split, gold: frozenset[str], rng: random.Random) -> TimedQuestion:
    duke, year, month = key
    name = f"魯{duke}公{format_han_year(year)}{format_han_month(month)}"
    return TimedQuestion(
        "",
        rng.choice(_FRAMES[split]).format(m=name),
        "in_month" if gold else "empty_month",
        "annals",
        Span.parse(_NOW),
        gold,
        outcome="recorded" if gold else "none_recorded",
        group=f"{duke}{year}",
        split=split,
    )


def _build_documents(entries: Sequence[Mapping[str, Any]]) -> list[Document]:
    """Work by work; where the entry that states a year is missing, the heading of the book is the title."""
    works: dict[str, list[Mapping[str, Any]]] = {}
    for row in entries:
        works.setdefault(_get_work(row), []).append(row)
    matches = []
    for work, selected in works.items():
        before = None
        for row in sorted(selected, key=_get_place):
            year = row["gong"], row["year"]
            is_missing = year != before and not _YEAR.match(row["text"])
            title = f"{row['gong']}公{format_han_year(row['year'])}" if is_missing else ""
            matches.append(Document(_get_id(row), row["text"], title, meta={"work": work}))
            before = year
    return matches


def _get_work(row: Mapping[str, Any]) -> str:
    return f"左傳 {row['kind']}" if row["src"] == "左傳" else str(row["src"])


def _get_id(row: Mapping[str, Any]) -> str:
    return f"{_get_work(row)}/{row['id']}"


def _get_place(row: Mapping[str, Any]) -> tuple[list[int], bool]:
    return [int(part) for part in re.findall(r"\d+", row["id"])][:3], row["id"].endswith("c")
