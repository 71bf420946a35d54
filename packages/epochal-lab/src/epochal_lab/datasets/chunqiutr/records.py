"""Month keys, source files and records: what the annals and commentaries state, a placeholder for an empty month.

An annal is one sentence. A commentary stays whole, but is split where a sentence opens with a later month or season of
the same year. The month of an entry is that of the table of entries, or, without one, the month that the sequence of
its work has reached; of later segments, the month that they open with.
"""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from epochal.errors import EpochalError, InputError
from epochal.reading.chinese.annals import find_cues
from epochal.reading.sequences import make_carrier
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.date_text import format_han_month, format_han_year
from epochal.times.calendars.registry import calendar
from epochal.times.span import Span

#: The dukes by the number that a key has for them, counted from 1.
DUKES: Final = "隱桓莊閔僖文宣成襄昭定哀"
_MONTHS: Final = 12


@dataclass(frozen=True, slots=True, order=True)
class MonthKey:
    """A month by the number of its duke, its year and its place in the year, all counted from 1."""

    duke: int
    year: int
    month: int

    def __str__(self) -> str:
        return f"{self.duke}-{self.year}-{self.month}"

    @classmethod
    def parse(cls, text: str) -> MonthKey:
        """The key of a text such as 5-28-3."""
        parts = text.split("-")
        if len(parts) != 3 or not all(part.isdigit() for part in parts) or not 1 <= int(parts[0]) <= len(DUKES):
            raise EpochalError(f"{text!r} is no month key; accepted: duke 1 to 12, year and month, such as 5-28-3")
        return cls(*(int(part) for part in parts))

    @property
    def duke_name(self) -> str:
        """The duke with his state."""
        return f"魯{DUKES[self.duke - 1]}公"

    @property
    def text(self) -> str:
        """The month in full, as questions and placeholders write it."""
        return f"{year_name(self)}{format_han_month(self.month)}"

    @property
    def date(self) -> CalendarDate:
        """The month in the calendar of Lu."""
        return CalendarDate("lu", self.year, self.month, era=self.duke_name)

    @property
    def span(self) -> Span:
        """The month on the axis of days."""
        return calendar("lu").span(self.date)


def year_name(key: MonthKey) -> str:
    """The year of a key in full."""
    return f"{key.duke_name}{format_han_year(key.year)}"


class MonthLine:
    """All months in their order, each with the split that it belongs to."""

    def __init__(self, splits: Mapping[MonthKey, str]) -> None:
        self.splits = dict(sorted(splits.items()))
        self.keys = tuple(self.splits)

    @cached_property
    def places(self) -> dict[MonthKey, int]:
        """The place of each month, counted from 0: what the benchmark calls its time id."""
        return {key: position for position, key in enumerate(self.keys)}

    def between(self, first: int, last: int) -> tuple[MonthKey, ...]:
        """The months from one place to another, both included; none where the line does not reach so far."""
        return self.keys[first : last + 1] if 0 <= first <= last < len(self.keys) else ()

    def year(self, key: MonthKey, offset: int = 0) -> tuple[MonthKey, ...]:
        """The months of the year of a key, or of one so many years later; a reign is followed by the next."""
        first = self.places[key] - (key.month - 1) + _MONTHS * offset
        return self.between(first, first + _MONTHS - 1)

    def split(self, keys: Iterable[MonthKey]) -> str:
        """The split that all of the months are in, or "mixed"."""
        splits = {self.splits[key] for key in keys}
        return splits.pop() if len(splits) == 1 else "mixed"


ENTRIES: Final = "entries.jsonl"
SPLITS: Final = "time_splits_by_month_v1.json"
LAYERS: Final = "kanripo_layers.tar.xz"
_NEEDED: Final = ("src", "id", "gong", "year", "kind", "text")


@dataclass(frozen=True, slots=True)
class AnnalsEntry:
    """An entry of the annals or of a commentary: its work, its year, and its month where a table has it."""

    work: str
    id: str
    duke: int
    year: int
    text: str
    month: int | None = None


def read_entries(source: Path) -> list[AnnalsEntry]:
    """The entries of a folder, in the order of the file."""
    path = _require_file(source, ENTRIES)
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            entries.append(_parse_entry(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            accepted = f"a JSON object with {', '.join(_NEEDED)} and, where known, month; gong one of {DUKES}"
            raise InputError(str(path), number, f"the row is no entry; accepted: {accepted}") from None
    return entries


def _parse_entry(row: Mapping[str, Any]) -> AnnalsEntry:
    src, kind = str(row["src"]), str(row["kind"])
    work = {"左傳": "經" if kind == "經" else "左氏傳"}.get(src, src)
    month = row.get("month")
    return AnnalsEntry(
        work, str(row["id"]), DUKES.index(row["gong"]) + 1, int(row["year"]), str(row["text"]), month and int(month)
    )


def read_timeline(source: Path) -> MonthLine:
    """The months with their splits, from the official file."""
    path = _require_file(source, SPLITS)
    try:
        splits = json.loads(path.read_text(encoding="utf-8"))["split_by_sort_key"]
        return MonthLine({MonthKey.parse(key): str(split) for key, split in splits.items()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = str(error) if isinstance(error, EpochalError) else "accepted: split_by_sort_key, a split by month key"
        raise InputError(str(path), 0, f"the splits cannot be read: {why}") from None


def read_layers(source: Path, works: Mapping[str, str]) -> dict[str, str]:
    """The texts of those works, by id, each with its parts joined in order; `works` says whose each is."""
    path = _require_file(source, LAYERS)
    parts: dict[str, dict[str, str]] = {work: {} for work in works}
    try:
        with tarfile.open(path, "r:xz") as archive:
            for member in archive:
                work = member.name.lstrip("./").split("/")[0]
                file = archive.extractfile(member) if work in parts and member.isfile() else None
                if file is not None:
                    parts[work][member.name] = file.read().decode("utf-8")
    except (tarfile.TarError, OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(str(path), 0, f"the archive cannot be read: {error}") from None
    for work, files in parts.items():
        if not files:
            raise InputError(str(path), 0, f"the work {work} ({works[work]}) is not in the archive")
    return {work: "\n".join(files[name] for name in sorted(files)) for work, files in parts.items()}


def _require_file(source: Path, name: str) -> Path:
    path = source / name
    if not path.is_file():
        raise EpochalError(f"{path} is missing; the set is built from it")
    return path


RecordKind = Literal["event", "no_event", "neg_comment"]
#: The works whose records tell of their month, by their name in the entries, with the letters that open their ids.
WORKS: Final[Mapping[str, str]] = {"經": "jing", "左氏傳": "zuo", "公羊傳": "gongyang", "穀梁傳": "guliang"}
_ANNALS: Final = "經"
#: Three wordings of our own; the full date is in each, as in the published set.
_NOTHING: Final = (
    "{}：《春秋》與三傳於此月均無記事。",
    "{}。經文與傳文皆未載此月史事。",
    "{}。是月無事見於《春秋》經傳。",
)
_SENTENCE: Final = re.compile(r"[^。！？!?]*[。！？!?]+[」』”’]*|[^。！？!?]+$")
_YEAR: Final = re.compile("^[元一二三四五六七八九十有]+年")
_FIRST: Final = MonthKey(1, 1, 1)


@dataclass(frozen=True, slots=True)
class Record:
    """Record of the gallery. `heading` is the year as its book has it above the text, where the text leaves it out."""

    id: str
    kind: RecordKind
    key: MonthKey
    work: str
    text: str
    heading: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class PlacementCounts:
    """How entries were placed: how many have a month in the table, and are read otherwise in sequence.

    `undated` gave no record, since neither table nor sequence has a month; `parted` counts parts of a later month.
    """

    in_table: int = 0
    read_otherwise: int = 0
    undated: int = 0
    parted: int = 0


def pick(*parts: object) -> int:
    """A number that depends on nothing but the parts: the draw of everything that rotates or is sampled."""
    joined = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(joined.encode(), digest_size=8).digest(), "big")


def event_records(entries: Sequence[AnnalsEntry], *, months: str = "table") -> tuple[list[Record], PlacementCounts]:
    """The records of all works, each work in its own order, and how they were placed.

    With `months` "read", the months of the table are left aside, and all are read in sequence.
    """
    records: list[Record] = []
    counts = PlacementCounts()
    for work in dict.fromkeys([*WORKS, *(entry.work for entry in entries)]):
        rows = _join_comments(sorted((entry for entry in entries if entry.work == work), key=_place))
        before: tuple[int, int] | None = None
        for entry, read in zip(rows, _read(rows), strict=True):
            month = entry.month if months == "table" else None
            if month is None and read is not None:
                month = read.month
            agrees = entry.month is None or read == MonthKey(entry.duke, entry.year, entry.month)
            counts = replace(
                counts,
                in_table=counts.in_table + (entry.month is not None),
                read_otherwise=counts.read_otherwise + (not agrees),
                undated=counts.undated + (month is None),
            )
            heading = _make_heading(entry) if (entry.duke, entry.year) != before else ""
            before = (entry.duke, entry.year)
            if month is None:
                continue
            parts = _split_entry(entry, MonthKey(entry.duke, entry.year, month), heading)
            counts = replace(counts, parted=counts.parted + len({record.key for record in parts}) - 1)
            records += parts
    return records, counts


def no_event_records(line: MonthLine, taken: Iterable[MonthKey]) -> list[Record]:
    """A placeholder for every month that no record tells of."""
    full = set(taken)
    return [
        Record(f"none-{key}", "no_event", key, "", _NOTHING[pick("no_event", key) % len(_NOTHING)].format(key.text))
        for key in line.keys
        if key not in full
    ]


def _place(entry: AnnalsEntry) -> tuple[list[int], bool]:
    """The numbers of the id; a comment (G5.7.3c) follows its entry."""
    return [int(part) for part in re.findall(r"\d+", entry.id)], entry.id.endswith("c")


def _join_comments(rows: Iterable[AnnalsEntry]) -> list[AnnalsEntry]:
    """The entries with comments that stand in rows of their own put behind what they comment on.

    Comments that have lost their entry share an id in the file, and are numbered.
    """
    entries: list[AnnalsEntry] = []
    times: Counter[str] = Counter()
    for entry in rows:
        if entries and entry.id == f"{entries[-1].id}c":
            entries[-1] = replace(entries[-1], text=entries[-1].text + entry.text)
            continue
        times[entry.id] += 1
        entries.append(replace(entry, id=f"{entry.id}.{times[entry.id]}") if times[entry.id] > 1 else entry)
    return entries


def _make_heading(entry: AnnalsEntry) -> str:
    return "" if _YEAR.match(entry.text) else f"{DUKES[entry.duke - 1]}公{format_han_year(entry.year)}"


def _read(rows: Iterable[AnnalsEntry]) -> Iterator[MonthKey | None]:
    """The month of each entry of a work, read in sequence; the year headings of the book are read with it."""
    at = make_carrier("lu", replace(_FIRST.date, month=None))
    before: tuple[int, int] | None = None
    for entry in rows:
        year = (entry.duke, entry.year)
        if year != before and (heading := _make_heading(entry)):
            at.read(heading)
        before = year
        date = at.read(entry.text).date
        same = date is not None and date.era == MonthKey(*year, 1).duke_name and date.year == entry.year
        yield MonthKey(*year, date.month) if same and date is not None and date.month else None


def _split_entry(entry: AnnalsEntry, key: MonthKey, heading: str) -> list[Record]:
    """An entry as records: its sentences where it is an annal, else the runs of one month each."""
    is_annal = entry.work == _ANNALS
    texts: list[str] = []
    keys: list[MonthKey] = []
    for sentence in _SENTENCE.findall(entry.text):
        later = _find_later_month(sentence, keys[-1]) if keys else None
        if not keys or later is not None or is_annal:
            texts.append(sentence)
            keys.append(later or (keys[-1] if keys else key))
        else:
            texts[-1] += sentence
    name = f"{WORKS.get(entry.work, entry.work)}-{re.sub('^[A-Z]+', '', entry.id)}"
    return [
        Record(
            name if number == 1 else f"{name}-{number}",
            "event",
            its,
            entry.work,
            text.strip(),
            heading if number == 1 else "",
        )
        for number, (text, its) in enumerate(zip(texts, keys, strict=True), 1)
    ]


def _find_later_month(sentence: str, key: MonthKey) -> MonthKey | None:
    """The month that a sentence opens with, where it is a later one of the same year.

    A tale that goes back, or tells of another year, does not lead on.
    """
    cue = next(find_cues(sentence), None)
    if cue is None or cue.start or "year" in cue.stated or not {"season", "month"} & set(cue.stated):
        return None
    date = make_carrier("lu", key.date).read(sentence).date
    if date is None or date.month is None or (date.era, date.year) != (key.duke_name, key.year):
        return None
    return replace(key, month=date.month) if date.month > key.month else None
