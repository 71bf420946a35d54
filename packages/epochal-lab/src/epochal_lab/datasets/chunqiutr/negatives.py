"""Near misses: what later commentators say of a month, with its names and dates, and never as its record.

The Kanseki Repository transcribes their works: small print is in brackets, its two columns separated by a slash, and
continues over lines and pages. Where a work prints the annals with its notes between, its large print is aligned with
our text, and a note belongs to what precedes it. Where a work goes by topics, a section belongs to the record whose
words, or whose notes, it shares most rare n-grams with; a heading that names the year bounds the search.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from epochal.reading.scripts import simplify_characters
from epochal.times.numerals import from_han
from epochal_lab.datasets.chunqiutr.records import DUKES, Record

#: The lengths of the runs that are looked for, one after the other, in the gaps that the longer ones leave.
_SIZES: Final = (8, 5, 3)
_OTHER: Final = re.compile("[^\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")


def plain(text: str) -> str:
    """The characters of a text without marks, traditional and simplified alike."""
    return _OTHER.sub("", simplify_characters(text))


class Sides:
    """A text and a copy of it that has other things in between.

    Runs that occur once on either side are matched, as many as can be put in one order; in the gaps between them
    shorter ones are looked for.
    """

    def __init__(self, text: str, copy: str) -> None:
        self.text, self.copy = text, copy
        pairs: list[tuple[int, int]] = []
        for size in _SIZES:
            matches = [pair for gap in self._list_gaps(pairs) for pair in _match_unique(text, copy, gap, size)]
            pairs += [(at + step, its + step) for at, its in matches for step in range(size)]
            pairs = _drop_crossing(sorted(set(pairs)))
        self._texts = [pair[0] for pair in pairs]
        self._copies = [pair[1] for pair in pairs]

    @property
    def share(self) -> float:
        """How much of the text was found in the copy."""
        return len(set(self._texts)) / len(self.text) if self.text else 0.0

    def place(self, at: int, reach: int = 40) -> int | None:
        """The place in the text up to which the copy has got before one of its places.

        None where what was matched last lies further back than `reach`.
        """
        last = bisect_left(self._copies, at) - 1
        if last < 0 or at - self._copies[last] > reach:
            return None
        return self._texts[last] + 1

    def _list_gaps(self, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
        before = (-1, -1)
        for pair in (*pairs, (len(self.text), len(self.copy))):
            if pair[0] - before[0] > 1 and pair[1] - before[1] > 1:
                yield before[0] + 1, pair[0], before[1] + 1, pair[1]
            before = pair


def _drop_crossing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted pairs without those that fall back on either side, as runs that overlap may."""
    ordered: list[tuple[int, int]] = []
    last = (-1, -1)
    for pair in pairs:
        if pair[0] > last[0] and pair[1] > last[1]:
            ordered.append(pair)
            last = pair
    return ordered


def _match_unique(text: str, copy: str, gap: tuple[int, int, int, int], size: int) -> list[tuple[int, int]]:
    """The runs that occur once on either side of a gap, as many as are in one order."""
    ours, theirs = _find_unique(text, gap[0], gap[1], size), _find_unique(copy, gap[2], gap[3], size)
    return _find_longest_rise([(at, theirs[gram]) for gram, at in ours.items() if gram in theirs])


def _find_unique(text: str, start: int, end: int, size: int) -> dict[str, int]:
    paths: dict[str, int] = {}
    again = set()
    for at in range(start, end - size + 1):
        gram = text[at : at + size]
        if gram in paths:
            again.add(gram)
        paths[gram] = at
    return {gram: at for gram, at in paths.items() if gram not in again}


def _find_longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, given by their first numbers, in which the second numbers rise too."""
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        position = bisect_right(ends, second)
        before.append(tops[position - 1] if position else -1)
        if position == len(ends):
            ends.append(second)
            tops.append(number)
        else:
            ends[position], tops[position] = second, number
    rise, number = [], tops[-1] if tops else -1
    while number >= 0:
        rise.append(pairs[number])
        number = before[number]
    return rise[::-1]


_FURNITURE: Final = re.compile(r"^#.*$|<[^>]*>|¶", re.MULTILINE)
_ENTITY: Final = re.compile(r"&[^;\s]{1,12};")
#: Brackets that follow each other with nothing but white between them are one note that was broken.
_BROKEN: Final = re.compile(r"\)\s*\(")
_BRACKETS: Final = re.compile(r"\(([^()]*)\)")
_WHITE: Final = re.compile(r"[\s/]+")
#: Where a note goes over to how its characters are pronounced, which is Lu Deming's and says nothing of events.
_SOUNDS: Final = re.compile("釋文|本[又或亦]作|.音.|...[切反](?:[下注又]|$|[^切反]{1,3}[切反])")
_SAYS: Final = re.compile("正義曰|正义曰")


@dataclass(frozen=True, slots=True)
class Note:
    """Small print: what it says, how many characters of large print come before it, and the last of those."""

    text: str
    at: int
    after: str


@dataclass(frozen=True, slots=True)
class NoteItem:
    """A section of a work that goes by topics: its heading, the small print in it, and what follows."""

    title: str
    note: str
    text: str


def notes(text: str, large: re.Pattern[str] | None = None) -> Iterator[Note]:
    """The notes of a work; with `large`, only lines that match it count as large print."""
    at, after = 0, ""
    for number, piece in enumerate(_split_by_size(text)):
        if number % 2:
            yield Note(_WHITE.sub("", piece), at, after)
        else:
            output = _strip_small_print(piece, large)
            at, after = at + len(output), output[-8:] or after


def printed(text: str, large: re.Pattern[str] | None = None) -> str:
    """What a work prints large, without marks: the places of its notes are places in it."""
    return "".join(_strip_small_print(piece, large) for piece in _split_by_size(text)[::2])


def parts(note: str) -> list[str]:
    """A note of Kong Yingda's as what each 正義曰 opens, without those words."""
    first, *rest = _SAYS.split(note)
    return [piece for piece in (rest or [first]) if piece]


def drop_pronunciation(note: str) -> str:
    """A note without its tail on pronunciation."""
    match = _SOUNDS.search(note)
    return note[: match.start()] if match else note


def items(text: str, indent: str) -> Iterator[NoteItem]:
    """The sections of a work whose headings stand in by at least `indent`, and its text by less."""
    heading, body = "", ""
    for line in _clean(text).splitlines():
        if not line.strip():
            continue
        if line.startswith(indent):
            if body:
                yield _parse_item(heading, body)
                heading, body = "", ""
            heading += line + "\n"
        else:
            body += line
    if body:
        yield _parse_item(heading, body)


def _parse_item(heading: str, body: str) -> NoteItem:
    whole = _BROKEN.sub("", heading)
    small = "".join(_BRACKETS.findall(whole))
    return NoteItem(
        _WHITE.sub("", _BRACKETS.sub("", whole)), _WHITE.sub("", small), _WHITE.sub("", _BRACKETS.sub("", body))
    )


def _clean(text: str) -> str:
    return _ENTITY.sub("□", _FURNITURE.sub("", text))


def _split_by_size(text: str) -> list[str]:
    """Large and small print by turns."""
    return _BRACKETS.split(_BROKEN.sub("", _clean(text)))


def _strip_small_print(piece: str, large: re.Pattern[str] | None) -> str:
    if large is not None:
        piece = "".join(line for line in piece.splitlines() if large.match(line))
    return plain(piece)


#: The works of the later layers, by their numbers in the Kanseki Repository.
AUTHORS: Final[Mapping[str, str]] = {
    "KR1e0002": "杜預",
    "KR1e0004": "孔穎達",
    "KR1e0044": "魏了翁",
    "KR1e0039": "呂祖謙",
    "KR1e0041": "呂祖謙",
    "KR1e0114": "顧棟高",
}
_TITLES: Final = {
    "KR1e0002": "春秋經傳集解",
    "KR1e0004": "春秋左傳注疏",
    "KR1e0044": "春秋左傳要義",
    "KR1e0039": "左氏傳說",
    "KR1e0041": "左氏博議",
    "KR1e0114": "春秋大事表",
}
_SHORTEST: Final = 6  # characters; what is shorter glosses a word
_GLOSSES: Final = 40  # glosses on one record are put together up to this length
_ANNALS_AND_ZUO: Final = ("經", "左氏傳")
#: The table of Gu Donggao's that goes along the annals, and in it the lines of the annals, which do not stand in.
_GU: Final = re.compile(
    r"^#\+PROPERTY: JUAN 卷四十二(?!.*目録).*?(?=^#\+PROPERTY: JUAN 卷四十三|\Z)", re.MULTILINE | re.DOTALL
)
_GU_LARGE: Final = re.compile(r"[^\s　(#]")
_SPEAKERS: Final = re.compile(
    "(?=(?<=.{12})(?:彚纂曰|朱子曰|程子曰|案[左公穀榖經春此]|[^氏也]{1,2}氏[^氏曰也]{1,2}曰))"
)
_ITEM_YEAR: Final = re.compile("(?P<duke>[隐桓庄闵僖文宣成襄昭定哀])?公?(?P<year>[元一二三四五六七八九十]{1,3})年")
_ITEM_DUKE: Final = re.compile("([隐桓庄闵僖文宣成襄昭定哀])公")
_FOLDED_DUKES: Final = simplify_characters(DUKES)
_VARIANTS: Final = str.maketrans("隠𨼆荘㐮", "隐隐庄襄")
_QUOTED: Final = 6  # characters that a section of Wei Liaoweng's must share with the note that it is taken from
_HEADED: Final = 2  # characters that a heading shares with the record that it names


@dataclass(frozen=True, slots=True)
class _Unit:
    """A run of commentary, and the number of the record that it is about; None where none was found."""

    text: str
    record: int | None


def negative_records(layers: Mapping[str, str], events: Sequence[Record]) -> tuple[list[Record], dict[str, Any]]:
    """The commentaries as records of the months that they are about, and by author how many could be placed."""
    base = sorted(
        (record for record in events if record.work in _ANNALS_AND_ZUO),
        key=lambda record: (record.key.duke, record.key.year, record.work != _ANNALS_AND_ZUO[0]),
    )
    by_author: dict[str, Any] = {}
    records: list[Record] = []
    beside: list[_Unit] = []
    for work, author in AUTHORS.items():
        if work not in layers:
            continue
        text = layers[work]
        if work == "KR1e0002":
            units, how = _align_notes(base, text, 40)
            units = list(_merge_glosses(units))
        elif work == "KR1e0004":
            units, how = _align_notes(base, text, 600, "疏")
            beside = units
            units = [_Unit(part, unit.record) for unit in units for part in parts(unit.text)]
        elif work == "KR1e0114":
            units, how = _align_gu_notes(base, text)
        elif work == "KR1e0044":
            units, how = _align_quoting_sections(base, beside, text)
        else:
            units, how = _align_by_heading(base, text)
        long_units = [unit for unit in units if len(plain(unit.text)) >= _SHORTEST]
        placed = [unit for unit in long_units if unit.record is not None]
        row = by_author.setdefault(author, {"how": how, "units": 0, "placed": 0})
        row["units"] += len(long_units)
        row["placed"] += len(placed)
        records += _make_records(work, placed, base)
    return records, by_author


def _make_records(work: str, units: Iterable[_Unit], base: Sequence[Record]) -> Iterator[Record]:
    for number, unit in enumerate(units, 1):
        if unit.record is not None:
            name = f"{work.lower()}-{number}"
            yield Record(name, "neg_comment", base[unit.record].key, _TITLES[work], unit.text, author=AUTHORS[work])


# ---------------------------------------------------------------- notes between the annals


def _align_notes(
    base: Sequence[Record], text: str, reach: int, after: str = "", large: re.Pattern[str] | None = None
) -> tuple[list[_Unit], str]:
    """The notes with the records that they follow; with `after`, those that this character announces."""
    starts, whole = [], ""
    sizes = [plain(record.text) for record in base]
    for size in sizes:
        starts.append(len(whole))
        whole += size
    sides = Sides(whole, printed(text, large))
    units = []
    for note in notes(text, large):
        if note.after.endswith(after):
            position = sides.place(note.at, reach)
            record = None if position is None else bisect_right(starts, position - 1) - 1
            units.append(_Unit(note.text if after else drop_pronunciation(note.text), record))
    return units, f"notes between the annals; {sides.share:.1%} of the annals and of 左傳 found in its large print"


def _merge_glosses(units: Iterable[_Unit]) -> Iterator[_Unit]:
    """Glosses on one record put together, so that each says something."""
    gathered: list[str] = []
    record: int | None = None
    for unit in units:
        if gathered and (unit.record != record or sum(map(len, gathered)) >= _GLOSSES):
            yield _Unit("。".join(gathered), record)
            gathered = []
        record = unit.record
        if unit.text:
            gathered.append(unit.text)
    if gathered:
        yield _Unit("。".join(gathered), record)


def _align_gu_notes(base: Sequence[Record], text: str) -> tuple[list[_Unit], str]:
    annals = [number for number, record in enumerate(base) if record.work == _ANNALS_AND_ZUO[0]]
    table = "\n".join(_GU.findall(text))
    units, how = _align_notes([base[number] for number in annals], table, 60, large=_GU_LARGE)
    return [
        _Unit(piece, None if unit.record is None else annals[unit.record])
        for unit in units
        for piece in _SPEAKERS.split(unit.text)
    ], how


# ---------------------------------------------------------------- sections by topic


def _align_quoting_sections(base: Sequence[Record], beside: Sequence[_Unit], text: str) -> tuple[list[_Unit], str]:
    """Sections that quote notes: each belongs where most of the runs do that it shares with few notes."""
    homes: defaultdict[str, set[int]] = defaultdict(set)
    for unit in beside:
        if unit.record is not None:
            for gram in _list_ngrams(unit.text, _QUOTED):
                homes[gram].add(unit.record)
    for number, record in enumerate(base):
        for gram in _list_ngrams(record.text, _QUOTED):
            homes[gram].add(number)
    sections = []
    for item in items(text, "　　"):
        votes: defaultdict[int, float] = defaultdict(float)
        for gram in sorted(_list_ngrams(item.text, _QUOTED)):
            for number in homes.get(gram, ()):
                votes[number] += 1 / len(homes[gram])
        sections.append(_Unit(item.text, _elect_record(votes, 3)))
    return sections, f"sections that share runs of {_QUOTED} characters with 左傳 or its notes"


def _align_by_heading(base: Sequence[Record], text: str) -> tuple[list[_Unit], str]:
    """Sections whose headings name a year and what happened: the record of that year that shares most with it."""
    years: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, record in enumerate(base):
        years[record.key.duke, record.key.year].append(number)
    grams = [_list_ngrams(record.text, _HEADED) for record in base]
    common = Counter(gram for its in grams for gram in its)
    sections, duke = [], 0
    for item in items(text, "　　"):
        duke, item_years = _read_years(item, duke)
        ngrams = _list_ngrams(item.title, _HEADED) | _list_ngrams(item.note, _HEADED)
        votes: defaultdict[int, float] = defaultdict(float)
        for number in (number for year in item_years for number in years.get(year, ())):
            # A run that many records have (公子, 諸侯) says little.
            votes[number] = sum(1 / common[gram] for gram in sorted(ngrams & grams[number]))
        sections.append(_Unit(item.text, _elect_record(votes, 0.5)))
    return sections, f"headings with a year, by runs of {_HEADED} characters shared with the records of that year"


def _read_years(item: NoteItem, duke: int) -> tuple[int, list[tuple[int, int]]]:
    """The years that a heading names; a duke stays until another is named."""
    title, note = (simplify_characters(text).translate(_VARIANTS) for text in (item.title, item.note))
    for named in _ITEM_DUKE.findall(title):
        duke = _FOLDED_DUKES.index(named) + 1
    years = []
    for match in _ITEM_YEAR.finditer(note):
        if match["duke"]:
            duke = _FOLDED_DUKES.index(match["duke"]) + 1
        year = 1 if match["year"] == "元" else from_han(match["year"])
        if duke and year:
            years.append((duke, year))
    return duke, years


def _list_ngrams(text: str, size: int) -> set[str]:
    line = plain(text)
    return {line[at : at + size] for at in range(len(line) - size + 1)}


def _elect_record(votes: Mapping[int, float], minimum: float) -> int | None:
    """The record with most votes, the earlier of equals; None where even that has too few."""
    if not votes:
        return None
    best = min(votes, key=lambda number: (-votes[number], number))
    return best if votes[best] >= minimum else None
