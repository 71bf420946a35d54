"""Zizhi Tongjian, Annals of Qi: which records tell of a month, with their dates written before them, or without.

    dates=tag       【齐纪 建元元年正月（甲辰）】 and a new line before each record, as the published probe has it
    dates=none      the records alone; nothing in them says when
    dates=sequence  before a record what the book writes where the date changes: the era, the year, the season, the
                    month, the day, each from the first that has changed on

Records stand in the order of the book, so that they can be read in sequence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from epochal.bench.builders.script import script as script_of
from epochal.bench.folder import Manifest, file_digest
from epochal.bench.records import BenchQuery, BenchSet, Card
from epochal.errors import EpochalError, InputError, UnknownNameError
from epochal.index.records import Document
from epochal.times import Span, calendar
from epochal.times.calendars.han_text import month_text, year_text

__all__ = ["DATES", "build"]

_FILE: Final = "zztj_qiji.jsonl"
#: How a record shows its date.
DATES: Final = ("tag", "none", "sequence")
_QUESTION: Final = "《资治通鉴·{subset}》在{time}记载了什么？"
_REALM: Final = "南齊"
_OFFICIAL: Final = {"records": 268, "queries": 92}
_CARD: Final = Card(
    "Zizhi Tongjian, Annals of Qi",
    "Records of 479 to 489 under the eras 建元 and 永明, and one question for each month that has any.",
    "github.com/xbdxwyh/ChunQiuTR, zztj-qiji-part-demo.jsonl",
    "public-domain work; none stated for the transcription",
    "lzh",
    ("with the date tag the set measures the matching of numerals: report it beside dates=none and dates=sequence",),
)
Row = Mapping[str, Any]


def build(source: Path, *, dates: str = "tag", script: str = "source") -> tuple[BenchSet, Manifest]:
    """The set made from the file of a folder, and what is to be known of it.

    >>> build(Path("nowhere"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: nowhere/zztj_qiji.jsonl is missing; the set is built from it
    """
    if dates not in DATES:
        raise UnknownNameError("way to show dates", dates, DATES)
    convert = script_of(script)
    path = source / _FILE
    if not path.is_file():
        raise EpochalError(f"{path} is missing; the set is built from it")
    documents: list[Document] = []
    months: dict[tuple[Any, ...], list[str]] = {}
    texts: dict[tuple[Any, ...], str] = {}
    before: tuple[str, ...] = ("",) * 4
    for number, row in _rows(path):
        try:
            key, time, subset, body = _key(row), _time_text(row), _subset(row), _body(row)
            parts, day = _parts(row), row["time_meta"].get("day_ganzhi") or ""
        except (KeyError, TypeError, AttributeError):
            accepted = "id, title, description, source, and time_meta with reign, era_year and month"
            raise InputError(str(path), number, f"the row is no record; accepted: {accepted}") from None
        heads = {
            "tag": f"【{subset} {time}{f'（{day}）' if day else ''}】\n",
            "none": "",
            "sequence": _opening(parts, before, day),
        }
        before = parts
        span = _span(row)
        meta = {"type": "event", "key": time, "work": row["source"], **({"times": [span.edtf()]} if span else {})}
        documents.append(Document(str(row["id"]), convert(heads[dates] + body), meta=meta))
        months.setdefault(key, []).append(str(row["id"]))
        texts.setdefault(key, convert(_QUESTION.format(subset=subset, time=time)))
    spans = {document.id: document.meta.get("times") for document in documents}
    queries, qrels = [], {}
    for number, (key, ids) in enumerate(months.items(), 1):
        name = f"month-{number:03}"
        known = spans[ids[0]]
        period = (Span.parse(known[0]),) if known else ()
        queries.append(BenchQuery(name, texts[key], periods=period, kind="point", annotations={"family": "point"}))
        qrels[name] = dict.fromkeys(ids, 1)
    covered = {query.id: (frozenset(qrels[query.id]),) for query in queries if query.periods}
    made = BenchSet(f"zztj/qi/{dates}", tuple(documents), tuple(queries), qrels, covered, _CARD)
    ours = {"records": len(documents), "queries": len(queries)}
    facts = {
        "ours and the published set's": {name: [count, _OFFICIAL[name]] for name, count in ours.items()},
        "queries whose month is known to the calendar": len(covered),
    }
    switches = {"dates": dates, "script": script}
    return made, Manifest(made.id, _CARD, "zztj", switches, {_FILE: file_digest(path)}, facts=facts)


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    """The rows of records, with their lines; a row whose id says meta heads a chapter."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            is_heading = "meta" in row["id"]
        except (ValueError, KeyError, TypeError):
            raise InputError(str(path), number, "the row cannot be read; accepted: a JSON object with an id") from None
        if not is_heading:
            yield number, row


def _month(meta: Row) -> str:
    """The month as the row names it: its label, else its number, else its season."""
    label, number = meta.get("lunar_month_label"), meta.get("lunar_month")
    return str(label or (month_text(int(number)) if number else meta.get("season") or ""))


def _key(row: Row) -> tuple[Any, ...]:
    meta = row["time_meta"]
    if meta.get("reign") and meta.get("era_year"):
        return meta.get("emperor"), meta["reign"], meta["era_year"], _month(meta)
    return meta["ad_year"], _month(meta)


def _time_text(row: Row) -> str:
    meta = row["time_meta"]
    if not (meta.get("reign") and meta.get("era_year")):
        return f"{meta['ad_year']}年{_month(meta)}"
    return f"{meta.get('emperor') or ''}{meta['reign']}{year_text(int(meta['era_year']))}{_month(meta)}"


def _subset(row: Row) -> str:
    return str(row["source"]).split("·")[-1]


def _body(row: Row) -> str:
    title, text = str(row["title"]), str(row["description"])
    # A long title is the first words of the text, cut off with …, and so is kept, as the published probe has it.
    return text if title in text else f"{title}\n{text}"


def _parts(row: Row) -> tuple[str, ...]:
    meta = row["time_meta"]
    year = year_text(int(meta["era_year"])) if meta.get("era_year") else f"{meta['ad_year']}年"
    return meta.get("reign") or "", year, meta.get("season") or "", meta.get("lunar_month_label") or ""


def _opening(parts: tuple[str, ...], before: tuple[str, ...], day: str) -> str:
    """What the book writes before a record: its date from the part on that has changed, and the day."""
    changed = next((place for place, part in enumerate(parts) if part != before[place]), len(parts))
    head = "".join(parts[changed:]) + day
    return f"{head}，" if head else ""


def _span(row: Row) -> Span | None:
    """The month on the axis; None where the calendar does not know it, such as an intercalary month without number."""
    text = _time_text(row)
    known = calendar("chinese")
    dates = known.parse(_REALM + text)
    return known.span(dates[0]) if len(dates) == 1 else None
