"""Do records that state only what has changed come back for the month they belong to, when they are read in sequence?

Reads chunqiu from the data folder (EPOCHAL_DATA).

Spring and Autumn Annals: the gallery is every entry of entries.jsonl (the annals and three commentaries, four works),
in the order of its work, with nothing but its text. Queries ask for a month that has entries, in templates of our own
and two of the paper (spec/chunqiutr.md, section 3); gold are all entries of that month in the table. The table's months
were made by rule (a stated month; else the first month of a stated season, or the month reached; else the month
before), so what is measured is whether reading and search together come back to that table, not whether it is right.
There are no "no event" records and no later commentaries: the modes neg0_ne0_dq1 of the paper. Every seventh month is
also asked for in wordings that are none of these templates, a row each. What is first and is not gold is put in
classes: the text itself states that month or its season, and the table has it under another month or none; it was
dated to that month by what was carried; or it is of another time, and has a word of the question.

Zizhi Tongjian, Annals of Qi: the probe's rows hold no dates in their texts. "In sequence" gives each text the opening
that the book itself writes: the era when it changes, the year, season and month when they change, the name of the day.
Queries and gold are those of the probe (section 10): one query a month, in its own template.
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from _data import find_data
from _record import save
from chinese_reading import YEAR_MARK, sort_entries

from epochal.api import Index
from epochal.ingest import OrderedReader, Reader, SequenceReader, read_times
from epochal.ranking.pool import Pool, Scored
from epochal.storage.records import Document
from epochal.times import CalendarDate
from epochal.times.calendars.date_text import format_han_month, format_han_year
from epochal_lab.metrics import measure_rankings

TEMPLATES = (
    "{}發生了什麼事？",
    "{}，魯國有何記事？",
    "查詢《春秋》，{}這一月有什麼重要事件？",
    "《春秋》於{}記載了什麼？",
    "{}有哪些史事？",
    "請列出{}的記事。",
    "{}這個月，經傳記錄了哪些事情？",
    "{}之時，諸侯之間有何大事？",
)
#: Other ways to ask, each with how it writes the duke, the year and the month.
WORDINGS = {
    "classical, the book writes": "{month}，《春秋》書何事？",
    "modern, traditional characters": "在{month}這段時間裡，史書上記載了些什麼內容？",
    "modern, simplified characters": "{simple}都发生过哪些事情？",
    "the month as an attribute": "请告诉我鲁{short}公{year}的{moon}里有什么事。",
    "the date last": "我想知道古人怎样描述{simple}",
    "the date alone": "{month}",
    "without the country": "{duke}公{year}{moon}有什麼記錄？",
    "numerals in digits": "鲁{short}公{y}年{m}月发生了什么？",
    "with a topic": "{month}，各國諸侯做了什麼？",
    "English, month first": "What happened in the {mth} month of year {y} of Duke {name} of Lu?",
    "English, duke first": "Which events are recorded for Duke {name} of Lu, {yth} year, {mth} month?",
    "English, without the country": "Tell me what was written of the {mth} month of the {yth} year of Duke {name}.",
}
#: More of them, which take turns.
FURTHER = (
    "能否講講{month}當時的情況？",
    "麻烦帮忙找一下{simple}的史料",
    "翻開史冊，{month}一條寫道？",
    "{simple}前后天下有啥动静",
    "考{duke}公{year}{moon}之經文，其辭若何？",
    "有关{simple}，典籍中留下了哪几条文字？",
    "{month}，列國動向如何，試舉一二",
    "给我看看{simple}那会儿的原文",
    "問：{month}經所書者何？",
)
DUKES = "隱桓莊閔僖文宣成襄昭定哀"
SHORT = dict(zip(DUKES, "隐桓庄闵僖文宣成襄昭定哀", strict=True))
LATIN = dict(zip(DUKES, "Yin Huan Zhuang Min Xi Wen Xuan Cheng Xiang Zhao Ding Ai".split(), strict=True))
EVERY = 7
ALL = "all event months, one template each"
A_MONTH = 3
Row = dict[str, Any]


class ByWords:
    """BM25 alone."""

    name = "bm25"

    def score(self, pool: Pool) -> Scored:
        return Scored(pool.lexical)


@dataclass(frozen=True)
class Query:
    text: str
    gold: frozenset[str]
    split: str = ""


#: What is first in place of gold.
CLASSES = ("the text states it, the table does not", "carried to it, not in the table", "of another time")


def read_lines(name: str) -> list[Row]:
    return [json.loads(line) for line in find_data(f"chunqiu/{name}").read_text(encoding="utf-8").splitlines()]


def measure(index: Index, queries: Sequence[Query], *, words: bool = False) -> Row:
    """Return hit@k and MRR@10; with `words`, by BM25 alone."""
    ranked = []
    for query in queries:
        hits = index.search(query.text, k=10, now=None, **({"scorer": ByWords(), "time": False} if words else {}))
        ranked.append([hit.id for hit in hits])
        if SHOW and (not ranked[-1] or ranked[-1][0] not in query.gold):
            print(query.text, [(hit.passage[:12], hit.id) for hit in hits][:3], sorted(query.gold)[:3])
    values = measure_rankings(ranked, [query.gold for query in queries], "hit@1 hit@5 hit@10 MRR@10")
    return {"queries": len(queries), **{name: round(float(scores.mean()), 4) for name, scores in values.items()}}


def measure_misses(index: Index, queries: Sequence[Query]) -> Row:
    """Classify the first hits that are not gold."""
    result = dict.fromkeys(CLASSES, 0)
    for query in queries:
        response = index.search(query.text, k=1, now=None)
        windows = [item.span for item in response.understanding.constraints]
        for hit in response:
            if hit.id not in query.gold:
                then = [item for item in hit.evidence if any(item.span.overlaps(window) for window in windows)]
                result[CLASSES[2 if not then else 0 if then[0].text else 1]] += 1
    return {"queries": len(queries), **result}


def build_rows(
    what: str,
    documents: Iterable[Document],
    read: Reader | OrderedReader,
    queries: dict[str, list[Query]],
    words: bool,
    classed: str = "",
) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        size = index.add(documents, read=read)
        matches = []
        for name, query in queries.items():
            matches.append({"what": what, "queries of": name, "records": size, **measure(index, query)})
            if words:
                row = measure(index, query, words=True)
                matches.append({"what": f"{what}; BM25 alone", "queries of": name, "records": size, **row})
            if name == classed:
                row = measure_misses(index, query)
                matches.append({"what": f"{what}; first hits that are not gold", "queries of": name, **row})
        return matches


# ---------------------------------------------------------------- Spring and Autumn Annals


def get_work(row: Row) -> str:
    return f"左傳 {row['kind']}" if row["src"] == "左傳" else str(row["src"])


def get_month(row: Row) -> str:
    return f"魯{row['gong']}公{format_han_year(row['year'])}{format_han_month(row['month'])}"


def build_documents(entries: list[Row]) -> list[Document]:
    """Build documents from entries, work by work; if the entry that states a year is missing, the book's heading is the
    title.
    """
    matches = []
    works: dict[str, list[Row]] = {}
    for row in entries:
        works.setdefault(get_work(row), []).append(row)
    for work, rows in works.items():
        before = None
        for row in sort_entries(rows):
            year = (row["gong"], row["year"])
            missing = year != before and not YEAR_MARK.match(row["text"])
            title = f"{row['gong']}公{format_han_year(row['year'])}" if missing else ""
            matches.append(Document(f"{work}/{row['id']}", row["text"], title, meta={"work": work}))
            before = year
    return matches


def build_month_queries(entries: list[Row]) -> dict[str, list[Query]]:
    gold: dict[str, set[str]] = {}
    splits: dict[str, str] = {}
    for row in entries:
        if row["month"] is not None:
            month = get_month(row)
            gold.setdefault(month, set()).add(f"{get_work(row)}/{row['id']}")
            splits[month] = row.get("split") or "train"
    queries = []
    for number, (month, ids) in enumerate(gold.items()):
        for position in range(A_MONTH):
            template = TEMPLATES[(number * A_MONTH + position) % len(TEMPLATES)]
            queries.append(Query(template.format(month), frozenset(ids), splits[month]))
    test = [query for query in queries if query.split == "test"]
    return {ALL: queries[::A_MONTH], "event months of the test split": test}


def build_worded_queries(entries: list[Row]) -> dict[str, list[Query]]:
    """Build queries for every seventh month with entries, in each of the other wordings."""
    gold: dict[tuple[str, int, int], set[str]] = {}
    for row in entries:
        if row["month"] is not None:
            key = row["gong"], row["year"], row["month"]
            gold.setdefault(key, set()).add(f"{get_work(row)}/{row['id']}")
    turns = [FURTHER[number % len(FURTHER)].format(**describe_month(*key)) for number, key in enumerate(gold)]
    further = [Query(text, frozenset(ids)) for text, ids in zip(turns, gold.values(), strict=True)]
    months = list(gold.items())[::EVERY]
    return {"all event months; nine more wordings in turn": further} | {
        f"every seventh month; {name}": [
            Query(wording.format(**describe_month(*key)), frozenset(ids)) for key, ids in months
        ]
        for name, wording in WORDINGS.items()
    }


def describe_month(duke: str, year: int, month: int) -> dict[str, str | int]:
    words, moon, short = format_han_year(year), format_han_month(month), SHORT[duke]
    return {
        "month": f"魯{duke}公{words}{moon}",
        "simple": f"鲁{short}公{words}{moon}",
        "duke": duke,
        "short": short,
        "year": words,
        "moon": moon,
        "y": year,
        "m": month,
        "yth": format_ordinal(year),
        "mth": format_ordinal(month),
        "name": LATIN[duke],
    }


def format_ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def measure_chunqiu() -> list[Row]:
    entries = read_lines("entries.jsonl")
    documents, queries = build_documents(entries), build_month_queries(entries)
    reader = SequenceReader("lu", CalendarDate("lu", 1, era="魯隱公"), by="work")
    titled = sum(bool(document.title) for document in documents)
    name = "Annals, four works"
    return [
        *build_rows(
            f"{name}: in sequence ({titled} headings of years)",
            documents,
            reader,
            queries | build_worded_queries(entries),
            words=False,
            classed=ALL,
        ),
        *build_rows(f"{name}: each record alone", documents, read_times, queries, words=True),
    ]


# ---------------------------------------------------------------- Zizhi Tongjian


def get_time_text(meta: Row) -> str:
    return f"{meta['reign']}{format_han_year(meta['era_year'])}{meta['lunar_month_label'] or meta['season']}"


def find_openings(rows: list[Row]) -> list[str]:
    """Return what the book writes before each record: the changed part of its date, and the day."""
    matches: list[str] = []
    before: list[str] = ["", "", "", ""]
    for row in rows:
        meta = row["time_meta"]
        parts = [
            meta["reign"],
            format_han_year(meta["era_year"]),
            meta["season"] or "",
            meta["lunar_month_label"] or "",
        ]
        changed = next((position for position, part in enumerate(parts) if part != before[position]), len(parts))
        matches.append("".join(parts[changed:]) + (meta["day_ganzhi"] or ""))
        before = parts
    return matches


def count_in_book(texts: list[str]) -> int:
    """Count the openings that the book has in that order, each at most 1,300 characters after the previous one."""
    with tarfile.open(find_data("chunqiu/kanripo_layers.tar.xz")) as archive:
        files = [archive.extractfile(f"KR2b0007/KR2b0007_{number}.txt") for number in (135, 136)]
        book = "".join(file.read().decode("utf-8") for file in files if file is not None)
    plain = re.sub(r"\([^()]*\)|<[^>]*>|#.*|[¶\s]", "", book)  # without notes, pages and lines
    position, result = 0, 0
    for text in texts:
        at = plain.find(text.replace("闰", "閏"), position, position + 1300)
        if at >= 0:
            result, position = result + 1, at + len(text)
    return result


def measure_mirror() -> list[Row]:
    rows = [row for row in read_lines("zztj_qiji.jsonl") if "meta" not in row["id"]]
    bodies = [
        row["description"]
        if row["title"].rstrip("…") in row["description"]
        else f"{row['title']}\n{row['description']}"
        for row in rows
    ]
    days = [row["time_meta"]["day_ganzhi"] for row in rows]
    tags = [
        f"【齐纪 {get_time_text(row['time_meta'])}{f'（{day}）' if day else ''}】\n"
        for row, day in zip(rows, days, strict=True)
    ]
    opened = find_openings(rows)
    gold: dict[str, set[str]] = {}
    for row in rows:
        gold.setdefault(get_time_text(row["time_meta"]), set()).add(row["id"])
    queries = {
        "every month with a record": [
            Query(f"《资治通鉴·齐纪》在{month}记载了什么？", frozenset(ids)) for month, ids in gold.items()
        ]
    }

    def with_heads(heads: Sequence[str]) -> list[Document]:
        return [Document(row["id"], head + body) for row, head, body in zip(rows, heads, bodies, strict=True)]

    plain = [f"{text}，" if text else "" for text in opened]
    name = "Zizhi Tongjian, Qi"
    reader = SequenceReader("chinese", CalendarDate("chinese", 1, era="南齊高帝建元"))
    written = [text for text in opened if text]
    return [
        *build_rows(f"{name}: with the date tag, each alone", with_heads(tags), read_times, queries, words=True),
        *build_rows(f"{name}: in sequence, as the book writes it", with_heads(plain), reader, queries, words=False),
        *build_rows(f"{name}: the same texts, each alone", with_heads(plain), read_times, queries, words=True),
        *build_rows(
            f"{name}: without any date, each alone", with_heads([""] * len(rows)), read_times, queries, words=True
        ),
        {
            "what": f"{name}: openings that the book has in that order",
            "openings": len(written),
            "share": round(count_in_book(written) / len(written), 4),
        },
    ]


def main() -> None:
    save(
        "annals_retrieval",
        "does search find the records of a month, where the records state only what has changed?",
        "chunqiu/entries.jsonl, chunqiu/zztj_qiji.jsonl; words and spans, no encoder; default settings",
        0,
        [*measure_chunqiu(), *measure_mirror()],
        templates=list(TEMPLATES),
        wordings={**WORDINGS, "in turn": FURTHER},
    )


SHOW = "--show" in sys.argv

if __name__ == "__main__":
    main()
