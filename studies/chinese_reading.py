"""How well are Chinese dates read: annals alone and in sequence, eras, and the questions of ChronoQA? And how fast?

    python studies/chinese_reading.py

Makes the table of Chinese dates in docs/results/reading.md. Reads chunqiu and chronoqa from EPOCHAL_DATA.
"""

from __future__ import annotations

import ast
import json
import re
import time
from collections import Counter
from typing import Any

from _data import find_data
from _material import read_rows
from _record import ROOT, Row, save

from epochal.reading.chinese import ChineseTagger
from epochal.reading.chinese.annals import AnnalsTagger
from epochal.reading.sequences import CarriedDate, read_sequence
from epochal.times import CalendarDate, Span
from epochal.times.axis import DAY
from epochal.times.calendars.date_text import format_han_year
from epochal.times.numerals import get_sexagenary_day, to_ganzhi
from epochal_lab.metrics.texts import TagCount

CORPUS = ROOT / "tests" / "reading" / "data" / "false_positives_zh.txt"
CHRONOQA = "chronoqa/questions.jsonl.gz"
YEAR_MARK = re.compile(r"^[元一二三四五六七八九十有]+年")
TAGGER = ChineseTagger()


def read_lines(name: str) -> list[Row]:
    return [json.loads(line) for line in find_data(name).read_text(encoding="utf-8").splitlines()]


def get_duke(row: Row) -> str:
    return f"魯{row['gong']}公"


# ---------------------------------------------------------------- annals


def read_alone(entries: list[Row]) -> Row:
    """Each annal with a stated month by itself; given: its text, its duke and its year."""
    lu = AnnalsTagger("lu")
    rows = [row for row in entries if row["kind"] == "經" and row["month_basis"] == "month"]
    differences = []
    for row in rows:
        start = CalendarDate("lu", row["year"], era=get_duke(row))
        months = [item.date.month for item in lu.read(row["text"], start) if item.cue.month and item.date]
        if months[:1] != [row["month"]]:
            differences.append({"id": row["id"], "table": row["month"], "read": months[:1], "text": row["text"][:40]})
    return {
        "what": "經 entries with month_basis month, each read alone",
        "given": "text, duke and year of the entry",
        "entries": len(rows),
        "agree": round(1 - len(differences) / len(rows), 4),
        "differences": differences,
    }


def sort_entries(rows: list[Row]) -> list[Row]:
    """By duke, year and number: the file has the years of 公羊傳 shuffled. A comment (c) follows its entry."""

    def get_key(row: Row) -> tuple[list[int], bool]:
        return [int(part) for part in re.findall(r"\d+", row["id"])][:3], row["id"].endswith("c")

    return sorted(rows, key=get_key)


def add_headings(rows: list[Row]) -> tuple[list[str], list[Row | None]]:
    """The texts, with a heading such as 隱公二年 where the entry that would state the year is missing from the file."""
    texts: list[str] = []
    sources: list[Row | None] = []
    before = None
    for row in rows:
        year = (row["gong"], row["year"])
        if year != before and not YEAR_MARK.match(row["text"]):
            texts.append(f"{row['gong']}公{format_han_year(row['year'])}")
            sources.append(None)
        before = year
        texts.append(row["text"])
        sources.append(row)
    return texts, sources


def classify_difference(row: Row, result: CarriedDate) -> str:
    if result.date is None or (result.date.era, result.date.year) != (get_duke(row), row["year"]):
        return "other year"
    if row["month_basis"] == "month":
        return "table takes the month of a later clause"
    if "season" in result.stated:
        return "season stated after the first clause; the table looks for seasons at the first character only"
    return "inherits one of the above"


def read_in_sequence(name: str, rows: list[Row]) -> Row:
    texts, sources = add_headings(sort_entries(rows))
    result = read_sequence(texts, "lu", CalendarDate("lu", 1, era="魯隱公"))
    compared, differences = 0, []
    for row, item in zip(sources, result, strict=True):
        if row is None or row["month"] is None:
            continue
        compared += 1
        read = item.date and (item.date.era, item.date.year, item.date.month)
        if read != (get_duke(row), row["year"], row["month"]):
            differences.append(
                {
                    "id": row["id"],
                    "table": f"{row['month']} ({row['month_basis']})",
                    "read": read and read[2],
                    "judged": classify_difference(row, item),
                    "text": row["text"][:40],
                }
            )
    headings = sum(row is None for row in sources)
    return {
        "what": f"{name}: in sequence with carry-over",
        "given": f"the texts in order, the start (first year of 隱公), and {headings} year headings",
        "entries": compared,
        "without a month in the table": len(rows) - compared,
        "agree": round(1 - len(differences) / compared, 4),
        "judged": dict(Counter(item["judged"] for item in differences)),
        "differences": differences,
    }


def measure_annals() -> list[Row]:
    entries = read_lines("chunqiu/entries.jsonl")
    streams: dict[str, list[Row]] = {}
    for row in entries:
        name = f"左傳 {row['kind']}" if row["src"] == "左傳" else row["src"]
        streams.setdefault(name, []).append(row)
    results = [read_in_sequence(name, rows) for name, rows in streams.items()]
    total = sum(row["entries"] for row in results)
    agree = sum(row["entries"] - len(row["differences"]) for row in results)
    summary = {"what": "all four streams in sequence", "entries": total, "agree": round(agree / total, 4)}
    return [read_alone(entries), *results, summary]


def measure_zizhi_tongjian() -> list[Row]:
    rows = [row for row in read_lines("chunqiu/zztj_qiji.jsonl") if "meta" not in row["id"]]
    tagger = AnnalsTagger("chinese")
    right, days, in_month, texts = 0, 0, 0, []
    before: tuple[Any, ...] = ()
    for row in rows:
        meta = row["time_meta"]
        era, label, day = (
            meta["reign"] + format_han_year(meta["era_year"]),
            meta["lunar_month_label"],
            meta["day_ganzhi"],
        )
        (matches,) = tagger.read(f"齐{era}{meta['season'] or ''}{label or ''}{day or ''}，")
        right += matches.date is not None and (matches.date.year, meta["lunar_month"] or matches.date.month) == (
            meta["era_year"],
            matches.date.month,
        )
        if day:
            days += 1
            named = matches.span and matches.span.days == 1 and to_ganzhi(get_sexagenary_day(matches.span.start // DAY))
            in_month += named == day[:2]
        # As the book writes it: only what has changed.
        opening = (era if before[:1] != (era,) else "") + (label or "" if before != (era, label) else "") + (day or "")
        texts.append(f"{opening}，{row['description']}" if opening else row["description"])
        before = (era, label)
    read = read_sequence(texts, "chinese", CalendarDate("chinese", 1, era="南齊高帝建元"))
    agree = sum(
        item.date is not None
        and item.date.era.endswith(row["time_meta"]["reign"])
        and item.date.year == row["time_meta"]["era_year"]
        and row["time_meta"]["lunar_month"] in (None, item.date.month)
        for row, item in zip(rows, read, strict=True)
    )
    return [
        {"what": "Zizhi Tongjian, era + year + month read alone", "entries": len(rows), "agree": right / len(rows)},
        {"what": "the same, day names that fall in the labelled month", "entries": days, "agree": in_month / days},
        {"what": "the same in sequence, only changed parts written", "entries": len(rows), "agree": agree / len(rows)},
    ]


# ---------------------------------------------------------------- questions


def measure_chronoqa() -> list[Row]:
    questions = list(read_rows(CHRONOQA))
    table: Counter[tuple[str, bool]] = Counter()
    marked: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    overlaps: dict[str, list[bool]] = {}
    for row in questions:
        now = Span.day(*(int(part) for part in row["question_date"].split("-")))
        matches = [expr for expr in TAGGER.tag(row["question"], now) if expr.kind in ("DATE", "TIME")]
        is_explicit = row["temporal_expression_type"] == "explicit"
        table[row["temporal_expression_type"], bool(matches)] += 1
        if matches and not is_explicit:
            year = re.search(r"\d{4}年", row["question"])
            marked["relative date" if row["temporal_type"] == "relative" else "names a year" if year else "other"] += 1
        if is_explicit and not matches:
            missed["同一 (asks for the same month, names none)" if "同一" in row["question"] else "other"] += 1
        spans = [expr.span for expr in matches if expr.span is not None and not expr.value.endswith("_REF")]
        gold = [
            expr.span for chunk in ast.literal_eval(row["golden_chunks"]) for expr in TAGGER.tag(chunk) if expr.span
        ]
        if spans and gold:
            overlaps.setdefault(row["temporal_type"], []).append(any(s.overlaps(g) for s in spans for g in gold))
    explicit = TagCount(
        table["explicit", True],
        gold=table["explicit", True] + table["explicit", False],
        system=table["explicit", True] + table["implicit", True],
    )
    return [
        {
            "what": "ChronoQA: has a DATE or TIME, against temporal_expression_type explicit",
            "questions": len(questions),
            "recall": round(explicit.recall, 4),
            "missed": dict(missed),
            "precision": round(explicit.precision, 4),
            "called implicit but with a date": dict(marked),
        },
        {
            "what": "ChronoQA: a date of the question overlaps a date of its gold chunks",
            **{name: f"{sum(values)} of {len(values)}" for name, values in overlaps.items()},
        },
    ]


def count_false_positives() -> Row:
    sentences = [line for line in CORPUS.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    wrong = [line for line in sentences if TAGGER.tag(line, Span.parse("2024-02-29"))]
    return {"what": "sentences without a date", "sentences": len(sentences), "with an expression": len(wrong)}


def measure_speed() -> Row:
    chunks = [chunk for row in read_rows(CHRONOQA) for chunk in ast.literal_eval(row["golden_chunks"])]
    text = "\n".join(chunks)
    size = len(text.encode())
    million = text[: len(text) * 1_000_000 // size]

    def time_tagging(sample: str) -> float:
        best = float("inf")
        for _ in range(3):
            began = time.perf_counter()
            TAGGER.tag(sample, Span.parse("2024-08-30"))
            best = min(best, time.perf_counter() - began)
        return best

    short, long = time_tagging(million), time_tagging(million * 10)
    return {
        "what": "speed on ChronoQA's gold chunks, which hold a date every 60 characters",
        "MB a second": round(1 / short, 2),
        "10 MB / 1 MB": round(long / short, 2),
    }


def main() -> None:
    rows = [
        *measure_annals(),
        *measure_zizhi_tongjian(),
        *measure_chronoqa(),
        count_false_positives(),
        measure_speed(),
    ]
    save(
        "chinese_reading",
        "how far reading Chinese dates agrees with the tables and labels of two data sets",
        "chunqiu/entries.jsonl, chunqiu/zztj_qiji.jsonl, chronoqa/questions.jsonl.gz; no part of them was changed",
        0,
        rows,
    )


if __name__ == "__main__":
    main()
