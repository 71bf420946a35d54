"""Sets from their published files: TNP, Zizhi Tongjian (Annals of Qi), ChronoQA.

The Annals of Qi are built in three ways; records are in the order of the book.

    dates=tag       【齐纪 建元元年正月（甲辰）】 and a new line before each record, as the published probe has it
    dates=none      the records alone; nothing in them says when
    dates=sequence  before a record what the book writes where the date changes: the era, the year, the season, the
                    month, the day, each from the first that has changed on
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from epochal.errors import EpochalError, InputError, UnknownNameError
from epochal.reading.questions.understand import understand
from epochal.reading.scripts import get_script_converter as script_of
from epochal.storage.importers.fields import DateReader
from epochal.storage.records import Document
from epochal.times.calendars.date_text import format_han_month, format_han_year
from epochal.times.calendars.registry import calendar
from epochal.times.span import Span
from epochal_lab.datasets.folder import Manifest, file_digest, read_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard, Switch
from epochal_lab.datasets.sources import LoadedSet, Source, get_text, parse_list, rows

CARD: Final = SetCard(
    "Temporal Nobel Prize",
    "Who won which Nobel prize in, before, after or between years, or was born in a decade; a card a laureate.",
    "the test set of TS-Retriever and TMRL",
    notes=("The times of the questions were read from their words; the published files have none.",),
)

_FILES: Final = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


def build_tnp(source: Path, *, periods: bool = True) -> tuple[BenchSet, Manifest]:
    """The set from a folder in BEIR's form: corpus.jsonl, queries.jsonl, qrels/test.tsv."""
    for name in _FILES:
        if not (source / name).is_file():
            raise EpochalError(f"the folder {str(source)!r} has no {name}; accepted: TNP in BEIR's form")
    read = read_folder(source, "tnp", check=False)
    queries = tuple(_add_periods(query) if periods else query for query in read.queries)
    bench_set = replace(read, queries=queries, card=CARD)
    return bench_set, Manifest(
        "tnp",
        CARD,
        "epochal.bench.builders.tnp",  # the recorded name stays, so that sets built again are the same bytes
        {"periods": periods},
        {name: file_digest(source / name) for name in _FILES},
        facts={"questions_with_a_time_read": sum(bool(query.periods) for query in queries)},
    )


def _add_periods(query: BenchQuery) -> BenchQuery:
    """The question with the times that it asks about, and the relation that it states them by as its class."""
    understanding = understand(query.text)
    kind = understanding.constraints[0].relation if understanding.constraints else ""
    return replace(query, periods=understanding.periods, kind=kind)


_ZZTJ_FILE: Final = "zztj_qiji.jsonl"
#: How a record shows its date.
DATES: Final = ("tag", "none", "sequence")
_QUESTION: Final = "《资治通鉴·{subset}》在{time}记载了什么？"
_REALM: Final = "南齊"
_OFFICIAL: Final = {"records": 268, "queries": 92}
_CARD: Final = SetCard(
    "Zizhi Tongjian, Annals of Qi",
    "Records of 479 to 489 under the eras 建元 and 永明, and one question for each month that has any.",
    "github.com/xbdxwyh/ChunQiuTR, zztj-qiji-part-demo.jsonl",
    "public-domain work; none stated for the transcription",
    "lzh",
    ("with the date tag the set measures the matching of numerals: report it beside dates=none and dates=sequence",),
)
Row = Mapping[str, Any]


def build_zztj(source: Path, *, dates: str = "tag", script: str = "source") -> tuple[BenchSet, Manifest]:
    """The set made from the file of a folder, and what is to be known of it."""
    if dates not in DATES:
        raise UnknownNameError("way to show dates", dates, DATES)
    convert = script_of(script)
    path = source / _ZZTJ_FILE
    if not path.is_file():
        raise EpochalError(f"{path} is missing; the set is built from it")
    documents: list[Document] = []
    months: dict[tuple[Any, ...], list[str]] = {}
    texts: dict[tuple[Any, ...], str] = {}
    before: tuple[str, ...] = ("",) * 4
    for number, row in _read_rows(path):
        try:
            key, time, subset, body = (
                _get_month_key(row),
                _format_time(row),
                str(row["source"]).split("·")[-1],
                _get_body(row),
            )
            parts, day = _list_date_parts(row), row["time_meta"].get("day_ganzhi") or ""
        except (KeyError, TypeError, AttributeError):
            accepted = "id, title, description, source, and time_meta with reign, era_year and month"
            raise InputError(str(path), number, f"the row is no record; accepted: {accepted}") from None
        heads = {
            "tag": f"【{subset} {time}{f'（{day}）' if day else ''}】\n",
            "none": "",
            "sequence": _format_opening(parts, before, day),
        }
        before = parts
        span = _resolve_month(row)
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
    bench_set = BenchSet(f"zztj/qi/{dates}", tuple(documents), tuple(queries), qrels, covered, _CARD)
    ours = {"records": len(documents), "queries": len(queries)}
    facts = {
        "ours and the published set's": {name: [count, _OFFICIAL[name]] for name, count in ours.items()},
        "queries whose month is known to the calendar": len(covered),
    }
    switches = {"dates": dates, "script": script}
    return bench_set, Manifest(bench_set.id, _CARD, "zztj", switches, {_ZZTJ_FILE: file_digest(path)}, facts=facts)


def _read_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """The rows of records, with their lines; a row whose id says meta heads a chapter."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            is_heading = "meta" in row["id"]
        except (ValueError, KeyError, TypeError):
            raise InputError(str(path), number, "the row cannot be read; accepted: a JSON object with an id") from None
        if not is_heading:
            yield number, row


def _get_month(meta: Row) -> str:
    """The month as the row names it: its label, else its number, else its season."""
    label, number = meta.get("lunar_month_label"), meta.get("lunar_month")
    return str(label or (format_han_month(int(number)) if number else meta.get("season") or ""))


def _get_month_key(row: Row) -> tuple[Any, ...]:
    meta = row["time_meta"]
    if meta.get("reign") and meta.get("era_year"):
        return meta.get("emperor"), meta["reign"], meta["era_year"], _get_month(meta)
    return meta["ad_year"], _get_month(meta)


def _format_time(row: Row) -> str:
    meta = row["time_meta"]
    if not (meta.get("reign") and meta.get("era_year")):
        return f"{meta['ad_year']}年{_get_month(meta)}"
    return f"{meta.get('emperor') or ''}{meta['reign']}{format_han_year(int(meta['era_year']))}{_get_month(meta)}"


def _get_body(row: Row) -> str:
    title, text = str(row["title"]), str(row["description"])
    # A long title is the first words of the text, cut off with …, and so is kept, as the published probe has it.
    return text if title in text else f"{title}\n{text}"


def _list_date_parts(row: Row) -> tuple[str, ...]:
    meta = row["time_meta"]
    year = format_han_year(int(meta["era_year"])) if meta.get("era_year") else f"{meta['ad_year']}年"
    return meta.get("reign") or "", year, meta.get("season") or "", meta.get("lunar_month_label") or ""


def _format_opening(parts: tuple[str, ...], before: tuple[str, ...], day: str) -> str:
    """What the book writes before a record: its date from the part on that has changed, and the day."""
    changed = next((position for position, part in enumerate(parts) if part != before[position]), len(parts))
    head = "".join(parts[changed:]) + day
    return f"{head}，" if head else ""


def _resolve_month(row: Row) -> Span | None:
    """The month on the axis; None where the calendar does not know it, such as an intercalary month without number."""
    text = _format_time(row)
    known = calendar("chinese")
    dates = known.parse(_REALM + text)
    return known.span(dates[0]) if len(dates) == 1 else None


SWITCHES: Final = (Switch("periods", True, "read periods out of the questions, and which gold chunk is of which"),)

_FOLDER: Final = "chronoqa"
_CHRONOQA_FILE: Final = "questions.jsonl.gz"
_REMEDY: Final = "get questions.jsonl (or .gz) of ChronoQA and put it there"
_FACTS: Final = (
    *("answer", "answer_type", "temporal_expression_type", "temporal_scope", "temporal_granularity"),
    "reference_document_count",
)


def load_chronoqa(card: SetCard, source: Source, switches: Mapping[str, Any]) -> LoadedSet:
    """The questions, against all chunks that are gold for any of them."""
    path = source.find(f"{_FOLDER}/questions.jsonl") or source.require(
        "chronoqa", f"{_FOLDER}/{_CHRONOQA_FILE}", _REMEDY
    )
    dates = DateReader()
    documents: dict[str, Document] = {}
    queries: list[BenchQuery] = []
    qrels: dict[str, dict[str, int]] = {}
    covered: dict[str, tuple[frozenset[str], ...]] = {}
    damaged = without = 0
    for line, row in rows(path):
        id, text = get_text(row, "", "id", "_id") or str(line), get_text(row, "question")
        if not text:
            raise InputError(str(path), line, "the row has no question; accepted: a text under 'question'")
        if id in qrels:
            raise InputError(str(path), line, f"the id {id!r} occurs a second time; accepted: ids of one row")
        chunks = parse_list(row.get("golden_chunks"))
        damaged += chunks is None
        gold = {_hash_chunk(chunk): chunk for chunk in chunks or () if chunk != "None"}
        if not gold:
            without += 1
            continue
        now = _read_question_date(row, dates, str(path), line)
        periods = _find_periods(text, now) if switches["periods"] else ()
        documents |= {key: Document(key, chunk) for key, chunk in gold.items() if key not in documents}
        qrels[id] = dict.fromkeys(gold, 1)
        if judged := _match_periods(periods, gold):
            covered[id] = judged
        facts = {key: row[key] for key in _FACTS if row.get(key)}
        queries.append(BenchQuery(id, text, now, periods, get_text(row, "temporal_type"), annotations=facts))
    bench_set = BenchSet("chronoqa", tuple(documents.values()), tuple(queries), qrels, covered, card)
    counts = {"questions without a chunk, left out": without, "lists of chunks that could not be read": damaged}
    return LoadedSet(bench_set, (path,), counts)


def _hash_chunk(chunk: str) -> str:
    """Chunks have no ids: the same words are the same chunk, whichever question brings them."""
    return hashlib.sha256(chunk.encode()).hexdigest()[:16]


def _read_question_date(row: Mapping[str, Any], dates: DateReader, file: str, line: int) -> Span | None:
    if not row.get("question_date"):
        return None
    try:
        return dates.read(row["question_date"], "question_date")
    except EpochalError as error:
        raise InputError(file, line, str(error)) from None


def _find_periods(text: str, now: Span | None) -> tuple[Span, ...]:
    from epochal.reading.questions.understand import understand

    return understand(text, now).periods


def _match_periods(periods: tuple[Span, ...], gold: Mapping[str, str]) -> tuple[frozenset[str], ...] | None:
    """Which gold chunk is of which period; None unless each period has one: then the reading of one side is wrong."""
    from epochal.reading.expression import stated_ranges
    from epochal.reading.tagger import tag

    if not periods:
        return None
    spans = {id: [item.span for item in stated_ranges(chunk, tag(chunk))] for id, chunk in gold.items()}
    covered = tuple(
        frozenset(id for id, read in spans.items() if any(span.overlaps(period) for span in read)) for period in periods
    )
    return covered if all(covered) else None
