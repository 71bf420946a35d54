"""ChunQiuTR from its sources: the entries of the annals, the official splits, and the commentaries of later ages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.reading.scripts import get_script_converter as script_of
from epochal.storage.records import Document
from epochal_lab.datasets.chunqiutr.negatives import AUTHORS, negative_records
from epochal_lab.datasets.chunqiutr.queries import AMOUNTS, TEMPLATES, build_queries
from epochal_lab.datasets.chunqiutr.records import (
    ENTRIES,
    LAYERS,
    SPLITS,
    MonthLine,
    Record,
    event_records,
    no_event_records,
    read_entries,
    read_layers,
    read_timeline,
)
from epochal_lab.datasets.folder import Manifest, file_digest
from epochal_lab.datasets.records import BenchQuery, BenchSet, ProgressCallback, SetCard

#: The counts of the published set, by split: months, records by type, questions, and those whose months are all empty.
OFFICIAL: Final[dict[str, dict[str, int]]] = {
    "train": {"months": 2424, "event": 5360, "no_event": 1209, "neg_comment": 9458, "queries": 13053},
    "val": {
        "months": 295, "event": 626, "no_event": 152, "neg_comment": 1271, "queries": 1520,
        "point": 875, "window": 645, "point gap": 448, "window gap": 64,
    },
    "test": {
        "months": 317, "event": 782, "no_event": 149, "neg_comment": 1165, "queries": 1653,
        "point": 961, "window": 692, "point gap": 454, "window gap": 53,
    },
    "all": {"months": 3036, "event": 6768, "no_event": 1510, "neg_comment": 11894, "queries": 16226},
}  # fmt: skip
_POINTS: Final = sum(template.family == "point" for template in TEMPLATES)
_WINDOWS: Final = sum(template.group in AMOUNTS for template in TEMPLATES)
_CARD: Final = SetCard(
    "ChunQiuTR, built anew",
    "Months of the Spring and Autumn Annals under the dukes of Lu: the records of a month or a window of months, among "
    "records of other months, placeholders of empty months, and commentaries that are never right.",
    "annals and three commentaries; layers of the Kanseki Repository; splits of github.com/xbdxwyh/ChunQiuTR",
    "public-domain works; the licences of their transcriptions differ",
    "lzh",
    (
        "records and questions of the published set are not public in full: these are made from the same sources",
        "the headline mode neg1_ne1_dq0 is won by placeholders, which state their date: report neg1_ne0_dq1 beside it",
    ),
)


def build(
    source: Path,
    *,
    points: int = 3,
    windows: float = 2.4,
    negatives: bool = True,
    months: str = "table",
    headings: bool = False,
    script: str = "source",
    report_progress: ProgressCallback | None = None,
) -> tuple[BenchSet, Manifest]:
    """The set made from the files of a folder, and what is to be known of it."""
    say = report_progress or _ignore_progress
    if not 0 <= points <= _POINTS or not 0 <= windows <= _WINDOWS:
        accepted = f"points from 0 to {_POINTS}, windows from 0 to {_WINDOWS}, as there are so many templates"
        raise EpochalError(f"points are {points} and windows {windows} a month; accepted: {accepted}")
    convert = script_of(script)
    entries, line = read_entries(source), read_timeline(source)
    say(5, "reading the annals")
    event_rows, placed = event_records(entries, months=months)
    events = [record for record in event_rows if record.key in line.splits]
    records = [*events, *no_event_records(line, (record.key for record in events))]
    files: list[str] = [ENTRIES, SPLITS]
    aligned: dict[str, Any] = {}
    if negatives:
        say(15, "reading the layers")
        layers = read_layers(source, AUTHORS)
        say(25, "aligning the layers")
        later, aligned = negative_records(layers, event_rows)
        records += [record for record in later if record.key in line.splits]
        files.append(LAYERS)
    say(85, "asking")
    queries, qrels, periods, mixed = build_queries(records, line, points=points, windows=windows)
    queries = tuple(replace(query, text=convert(query.text)) for query in queries)
    bench_set = BenchSet("chunqiutr", _make_documents(records, line, convert, headings), queries, qrels, periods, _CARD)
    say(95, "counting")
    facts = {
        "ours and the published set's": _compare_with_official(_count_split_sizes(records, queries, line)),
        "gold a query": round(sum(map(len, qrels.values())) / max(len(qrels), 1), 2),
        "entries": {**asdict(placed), "outside the official months": len(event_rows) - len(events)},
        "layers": aligned,
        "windows of more than one split, dropped": mixed,
    }
    details = {
        "points": points,
        "windows": windows,
        "negatives": negatives,
        "months": months,
        "headings": headings,
        "script": script,
    }
    sources = {name: file_digest(source / name) for name in files}
    return bench_set, Manifest("chunqiutr", _CARD, "chunqiutr", details, sources, facts=facts)


def _make_documents(records: Iterable[Record], line: MonthLine, convert: Any, headings: bool) -> tuple[Document, ...]:
    times = {key: [key.span.edtf()] for key in line.keys}
    return tuple(
        Document(
            record.id,
            convert(record.text),
            convert(record.heading) if headings else "",
            meta={
                "type": record.kind,
                "work": record.work or record.kind,
                "key": str(record.key),
                "time_id": line.places[record.key],
                "split": line.splits[record.key],
                "times": times[record.key],
                **({"author": record.author} if record.author else {}),
                **({"heading": record.heading} if record.heading else {}),
            },
        )
        for record in records
    )


def _count_split_sizes(
    records: Sequence[Record], queries: Sequence[BenchQuery], line: MonthLine
) -> dict[str, Counter[str]]:
    sizes: dict[str, Counter[str]] = {split: Counter() for split in (*dict.fromkeys(line.splits.values()), "all")}
    for name, split in [
        *(("months", split) for split in line.splits.values()),
        *((record.kind, line.splits[record.key]) for record in records),
        *(("queries", query.split) for query in queries),
        *((str(query.annotations["family"]), query.split) for query in queries),
        *((f"{query.annotations['family']} gap", query.split) for query in queries if query.annotations["gap"]),
    ]:
        sizes[split][name] += 1
        sizes["all"][name] += 1
    return sizes


def _compare_with_official(ours: dict[str, Counter[str]]) -> dict[str, dict[str, list[int | None]]]:
    names = OFFICIAL["test"]
    return {
        split: {name: [counts[name], OFFICIAL.get(split, {}).get(name)] for name in names}
        for split, counts in ours.items()
    }


def _ignore_progress(_: int, __: str) -> None:
    """Report no progress."""
