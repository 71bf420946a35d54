"""Records of months: what the annals and their commentaries tell, and a placeholder where they tell nothing.

An annal is one sentence. A commentary stays whole, but is parted where a sentence opens with a later month or season of
the same year, since what follows belongs there. The month of an entry is the one that the table of entries has, or,
without one, the month that the sequence of its work has got to; of later parts, the month that they open with.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from epochal.bench.builders.chunqiutr.keys import DUKES, MonthKey, Timeline
from epochal.bench.builders.chunqiutr.sources import Entry
from epochal.reading.sequences import carrier
from epochal.reading.sequences.annals_cues import find_cues
from epochal.times.calendars.han_text import year_text

__all__ = ["WORKS", "Placed", "Record", "RecordKind", "event_records", "no_event_records", "pick"]

RecordKind = Literal["event", "no_event", "neg_comment"]
#: The works whose records tell of their month, by their name in the entries, with the letters that open their ids.
WORKS: Final[Mapping[str, str]] = {"經": "jing", "左氏傳": "zuo", "公羊傳": "gongyang", "穀梁傳": "guliang"}
_ANNALS: Final = "經"
#: Three wordings of our own; the full date stands in each, as in the published set.
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
    """A record of the gallery. `heading` is the year as its book has it above the text, where the text leaves it out.

    >>> Record("none-1-1-2", "no_event", MonthKey(1, 1, 2), "", "魯隱公元年二月。").heading
    ''
    """

    id: str
    kind: RecordKind
    key: MonthKey
    work: str
    text: str
    heading: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """How entries were placed: how many have a month in the table, and are read otherwise in sequence.

    `undated` gave no record, since neither table nor sequence has a month; `parted` counts parts of a later month.

    >>> Placed().undated
    0
    """

    in_table: int = 0
    read_otherwise: int = 0
    undated: int = 0
    parted: int = 0


def pick(*parts: object) -> int:
    """A number that depends on nothing but the parts: the draw of everything that rotates or is sampled.

    >>> pick("1-1-1", 7) == pick("1-1-1", 7), pick("1-1-1", 7) == pick("1-1-1", 8)
    (True, False)
    """
    told = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(told.encode(), digest_size=8).digest(), "big")


def event_records(entries: Sequence[Entry], *, months: str = "table") -> tuple[list[Record], Placed]:
    """The records of all works, each work in its own order, and how they were placed.

    With `months` "read", the months of the table are left aside, and all are read in sequence.

    >>> entries = [Entry("經", "A1.1.1", 1, 1, "元年春王正月。"), Entry("經", "A1.1.2", 1, 1, "三月，盟于蔑。大水。")]
    >>> records, _ = event_records(entries)
    >>> [(record.id, str(record.key)) for record in records]
    [('jing-1.1.1', '1-1-1'), ('jing-1.1.2', '1-1-3'), ('jing-1.1.2-2', '1-1-3')]
    """
    records: list[Record] = []
    told = Placed()
    for work in dict.fromkeys([*WORKS, *(entry.work for entry in entries)]):
        rows = _whole(sorted((entry for entry in entries if entry.work == work), key=_place))
        before: tuple[int, int] | None = None
        for entry, read in zip(rows, _read(rows), strict=True):
            month = entry.month if months == "table" else None
            if month is None and read is not None:
                month = read.month
            agrees = entry.month is None or read == MonthKey(entry.duke, entry.year, entry.month)
            told = replace(
                told,
                in_table=told.in_table + (entry.month is not None),
                read_otherwise=told.read_otherwise + (not agrees),
                undated=told.undated + (month is None),
            )
            heading = _heading(entry) if (entry.duke, entry.year) != before else ""
            before = (entry.duke, entry.year)
            if month is None:
                continue
            found = _parts(entry, MonthKey(entry.duke, entry.year, month), heading)
            told = replace(told, parted=told.parted + len({record.key for record in found}) - 1)
            records += found
    return records, told


def no_event_records(line: Timeline, taken: Iterable[MonthKey]) -> list[Record]:
    """A placeholder for every month that no record tells of.

    >>> len(no_event_records(Timeline.whole_years([MonthKey(1, 1, 1)]), [MonthKey(1, 1, 1)]))
    11
    """
    full = set(taken)
    return [
        Record(f"none-{key}", "no_event", key, "", _NOTHING[pick("no_event", key) % len(_NOTHING)].format(key.text))
        for key in line.keys
        if key not in full
    ]


def _place(entry: Entry) -> tuple[list[int], bool]:
    """The numbers of the id; a comment (G5.7.3c) follows its entry."""
    return [int(part) for part in re.findall(r"\d+", entry.id)], entry.id.endswith("c")


def _whole(rows: Iterable[Entry]) -> list[Entry]:
    """The entries with comments that stand in rows of their own put behind what they comment on.

    Comments that have lost their entry share an id in the file, and are numbered.
    """
    found: list[Entry] = []
    times: Counter[str] = Counter()
    for entry in rows:
        if found and entry.id == f"{found[-1].id}c":
            found[-1] = replace(found[-1], text=found[-1].text + entry.text)
            continue
        times[entry.id] += 1
        found.append(replace(entry, id=f"{entry.id}.{times[entry.id]}") if times[entry.id] > 1 else entry)
    return found


def _heading(entry: Entry) -> str:
    return "" if _YEAR.match(entry.text) else f"{DUKES[entry.duke - 1]}公{year_text(entry.year)}"


def _read(rows: Iterable[Entry]) -> Iterator[MonthKey | None]:
    """The month of each entry of a work, read in sequence; the year headings of the book are read with it."""
    at = carrier("lu", replace(_FIRST.date, month=None))
    before: tuple[int, int] | None = None
    for entry in rows:
        year = (entry.duke, entry.year)
        if year != before and (heading := _heading(entry)):
            at.read(heading)
        before = year
        date = at.read(entry.text).date
        same = date is not None and date.era == MonthKey(*year, 1).duke_name and date.year == entry.year
        yield MonthKey(*year, date.month) if same and date is not None and date.month else None


def _parts(entry: Entry, key: MonthKey, heading: str) -> list[Record]:
    """An entry as records: its sentences where it is an annal, else the stretches of one month each."""
    is_annal = entry.work == _ANNALS
    texts: list[str] = []
    keys: list[MonthKey] = []
    for sentence in _SENTENCE.findall(entry.text):
        later = _later(sentence, keys[-1]) if keys else None
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


def _later(sentence: str, key: MonthKey) -> MonthKey | None:
    """The month that a sentence opens with, where it is a later one of the same year.

    A tale that goes back, or tells of another year, does not lead on.
    """
    cue = next(find_cues(sentence), None)
    if cue is None or cue.start or "year" in cue.stated or not {"season", "month"} & set(cue.stated):
        return None
    date = carrier("lu", key.date).read(sentence).date
    if date is None or date.month is None or (date.era, date.year) != (key.duke_name, key.year):
        return None
    return replace(key, month=date.month) if date.month > key.month else None
