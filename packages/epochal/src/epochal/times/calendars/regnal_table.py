"""Regnal tables: reigns and eras as data, read from TOML and checked so that a mistake names its line.

    [calendar]
    name = "mine"                 the name it goes by
    title = "My kings"            what it is, in a few words
    years = "civil"               what a year is:
                                    civil        a Gregorian year
                                    lunisolar    a year of the month tables (tables/lunisolar.txt)
                                    anniversary  from one anniversary of `begins` to the next
                                    nominal      a Gregorian year whose months are only nominal: ends are approximate
    text = "latin"                how dates are written: latin (12 Otto I) or han (永明三年正月)

    [[reign]]
    name = "Otto I"               the era or ruler that years are counted by
    first = 936                   the astronomical year of its year 1 (0 is 1 BCE)
    last = 973                    that of its last year; left out, the reign still runs

Everything else may be left out: see `CALENDAR_KEYS` and `REIGN_KEYS`. A long table has a line for each reign:
`calendar = { name = "mine", ... }`, and `reign = [` with rows such as `{ name = "Otto I", first = 936, last = 973 },`.

The names of the reigns of a table: every way to call one, and the shortest that means no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from epochal.errors import TableError, TimeRangeError
from epochal.lazy import lazy_regex
from epochal.tables import derive, read_sources, read_text, read_toml
from epochal.times.axis import civil_date, day_number
from epochal.times.calendars.date_text import HanDate, normalise_han, normalise_latin, read_han
from epochal.times.calendars.gregorian import numeric_date
from epochal.times.calendars.julian import from_julian_date, to_julian_date
from epochal.times.calendars.lunisolar import stream

#: A year, month and day as written.
Written = tuple[int, int, int]

YEAR_KINDS = ("civil", "lunisolar", "anniversary", "nominal")
TEXT_KINDS = ("latin", "han")

#: Keys of [calendar]: their type, and what they say.
CALENDAR_KEYS: dict[str, tuple[type, str]] = {
    "name": (str, "the name it goes by"),
    "title": (str, "what it is, in a few words"),
    "years": (str, "civil, lunisolar, anniversary or nominal"),
    "text": (str, "latin or han"),
    "stream": (int, "the month table of lunisolar years"),
    "months": (int, "months a year, where years are nominal; 12 unless stated"),
    "ordinal": (bool, "whether keys (reign, year, month) are counted on an axis of their own"),
    "unnumbered_leap": (int, "the month that an intercalary month without a number follows"),
    "civil_from": (str, "the day from which lunisolar years give way to civil ones"),
    "dates": (str, "'julian until DAY' when days up to that one are written in the Julian calendar"),
}

#: Keys of [[reign]]: their type, and what they say.
REIGN_KEYS: dict[str, tuple[type, str]] = {
    "realm": (str, "the state or dynasty"),
    "ruler": (str, "the ruler, where the era has a name of its own"),
    "name": (str, "the era or ruler that years are counted by"),
    "latin": (str, "the name in Latin letters"),
    "aliases": (list, "other names"),
    "latin_aliases": (list, "other names in Latin letters"),
    "realm_aliases": (list, "other names of the realm"),
    "ruler_aliases": (list, "other names of the ruler"),
    "first": (int, "the astronomical year of its first year"),
    "last": (int, "the astronomical year of its last year"),
    "first_year": (int, "the number of its first year; 1 unless stated"),
    "years": (int, "its years on the ordinal axis"),
    "stream": (int, "its month table, where it is not the calendar's"),
    "civil": (bool, "whether its years are Gregorian ones, whatever the calendar's are"),
    "begins": (str, "its first day"),
    "ends": (str, "its last day, inclusive"),
    "year_starts": (list, "the first day of every year, where they follow no rule"),
    "continues": (str, "the reign whose numbering it takes up"),
}

_HEADER = lazy_regex(r"\s*(?:\[\[reign\]\]|\{)")
_KEY = lazy_regex(r"\s*([A-Za-z_]+)\s*=")


@dataclass(frozen=True, slots=True)
class Reign:
    """One row of a table. Days are numbers from 1970-01-01; `last` and `ends` are None while it runs."""

    realm: str
    ruler: str
    name: str
    first: int
    last: int | None
    latin: str = ""
    aliases: tuple[str, ...] = ()
    latin_aliases: tuple[str, ...] = ()
    realm_aliases: tuple[str, ...] = ()
    ruler_aliases: tuple[str, ...] = ()
    first_year: int = 1
    years: int | None = None
    stream: int | None = None
    civil: bool = False
    begins: int | None = None
    ends: int | None = None
    year_starts: tuple[int, ...] = ()
    continues: str = ""

    @property
    def id(self) -> str:
        """Realm, ruler and name together: what tells it from every other reign of its table."""
        if self.realm.isascii():
            return self.name
        return f"{self.realm}{self.ruler}{self.name}"


@dataclass(frozen=True, slots=True)
class RegnalTable:
    """A checked table."""

    name: str
    title: str
    years: str
    text: str
    reigns: tuple[Reign, ...]
    stream: int = 1
    months: int = 12
    ordinal: bool = False
    unnumbered_leap: int | None = None
    civil_from: int | None = None
    julian_until: Written | None = None
    by_id: Mapping[str, Reign] = field(default_factory=dict, compare=False, repr=False)
    #: What a bundled table and all that follows from it is made from; empty for others.
    sources: tuple[bytes, ...] = field(default=(), compare=False, repr=False)

    def derive(self, name: str, build: Callable[[], Any]) -> Any:
        """What `build` makes of the table, which is kept for the next process if the table is a bundled one."""
        return derive(f"{name}-{self.name}", self.sources, build) if self.sources else build()


def read_table(name_or_path: str | Path) -> RegnalTable:
    """Read and check a table: a bundled one by file name, or a file by its path."""
    folder = Path(__file__).parent
    if not isinstance(name_or_path, str) or not (folder / "tables" / Path(name_or_path).name).is_file():
        return _check_table(name_or_path)
    if Path(name_or_path).name != name_or_path:
        return _check_table(name_or_path)
    tables = [folder / "tables" / name for name in (name_or_path, "han_fold.toml", "lunisolar.txt")]
    sources = tuple(read_sources([*tables, *sorted(folder.glob("*.py"))]))
    name = f"regnal-{Path(name_or_path).stem}"
    return _restore_table(derive(name, sources, lambda: _write_table(_check_table(name_or_path))), sources)


def _check_table(name_or_path: str | Path) -> RegnalTable:
    data = read_toml(name_or_path, __package__)
    return _Checker(str(name_or_path), read_text(name_or_path, __package__)).table(data)


_FIELDS = tuple(item.name for item in fields(Reign))
_TUPLES = tuple(place for place, item in enumerate(fields(Reign)) if isinstance(item.default, tuple))
_HEAD = ("name", "title", "years", "text", "stream", "months", "ordinal", "unnumbered_leap", "civil_from")


def _write_table(table: RegnalTable) -> list[Any]:
    """A checked table as a value of JSON."""
    head = {name: getattr(table, name) for name in (*_HEAD, "julian_until")}
    return [head, [[getattr(reign, name) for name in _FIELDS] for reign in table.reigns]]


def _restore_reign(row: list[Any]) -> Reign:
    for place in _TUPLES:
        row[place] = tuple(row[place])
    return Reign(*row)


def _restore_table(written: list[Any], sources: tuple[bytes, ...]) -> RegnalTable:
    head, rows = written
    julian_until = head.pop("julian_until")
    reigns = [_restore_reign(row) for row in rows]
    return RegnalTable(
        **head,
        reigns=tuple(reigns),
        julian_until=None if julian_until is None else tuple(julian_until),
        by_id={reign.id: reign for reign in reigns},
        sources=sources,
    )


class _Checker:
    """Turns TOML into a table, and mistakes into errors that name the line."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.splitlines()
        self.headers = [number for number, line in enumerate(self.lines, 1) if _HEADER.match(line)]

    def fail(self, problem: str, line: int = 1) -> TableError:
        return TableError(self.file, line, problem)

    def line_of(self, start: int, key: str) -> int:
        """The line of a key in the section that starts at a line; that line itself when it has no such key."""
        for number in range(start, len(self.lines)):
            line = self.lines[number]
            if line.lstrip().startswith("["):
                break
            if (match := _KEY.match(line)) and match[1] == key:
                return number + 1
        return start

    def table(self, data: dict[str, Any]) -> RegnalTable:
        for key in data:
            if key not in ("calendar", "reign"):
                line = next((n for n, text in enumerate(self.lines, 1) if text.strip().strip("[]") == key), 1)
                raise self.fail(f"unknown section [{key}]; a table has [calendar] and [[reign]]", line)
        head = data.get("calendar")
        if not isinstance(head, dict):
            raise self.fail("the section [calendar] is missing")
        start = next(
            (n for n, line in enumerate(self.lines, 1) if line.strip().startswith(("[calendar]", "calendar ="))), 1
        )
        self.check_keys(head, CALENDAR_KEYS, start, "[calendar]")
        for key in ("name", "title", "years"):
            if not head.get(key):
                raise self.fail(f"[calendar] needs {key!r}: {CALENDAR_KEYS[key][1]}", start)
        for key, kinds in (("years", YEAR_KINDS), ("text", TEXT_KINDS)):
            if head.get(key, kinds[0]) not in kinds:
                raise self.fail(f"{key} = {head[key]!r} is not one of {', '.join(kinds)}", self.line_of(start, key))
        if not 1 <= head.get("months", 12) <= 12:
            raise self.fail(f"months = {head['months']} must be 1 to 12", self.line_of(start, "months"))
        julian_until = self.julian_until(head, start)
        civil_from = self.day(head, "civil_from", start, None)
        rows = data.get("reign", [])
        if not isinstance(rows, list) or not rows:
            raise self.fail("a table needs at least one [[reign]]")
        reigns: dict[str, Reign] = {}
        for position, row in enumerate(rows):
            line = self.headers[position] if position < len(self.headers) else 1
            reign = self.reign(row, line, head["years"], julian_until, bool(head.get("ordinal")))
            if reign.id in reigns:
                raise self.fail(f"reign {reign.id!r} is in the table twice", line)
            if head["years"] == "lunisolar" and not reign.civil:
                self.check_months(reign, line, head.get("stream", 1), start, civil_from)
            reigns[reign.id] = reign
        for position, reign in enumerate(reigns.values()):
            if reign.continues and reign.continues not in reigns:
                line = self.line_of(self.headers[position], "continues")
                raise self.fail(f"{reign.id!r} continues {reign.continues!r}, which is no reign of the table", line)
        return RegnalTable(
            name=head["name"],
            title=head["title"],
            years=head["years"],
            text=head.get("text", "latin"),
            reigns=tuple(reigns.values()),
            stream=head.get("stream", 1),
            months=head.get("months", 12),
            ordinal=head.get("ordinal", False),
            unnumbered_leap=head.get("unnumbered_leap"),
            civil_from=civil_from,
            julian_until=julian_until,
            by_id=reigns,
        )

    def reign(self, row: Any, line: int, years: str, julian_until: Written | None, ordinal: bool) -> Reign:
        if not isinstance(row, dict):
            raise self.fail("a reign is written as a section [[reign]]", line)
        self.check_keys(row, REIGN_KEYS, line, "[[reign]]")
        label = row.get("name") or row.get("ruler")
        if not label:
            raise self.fail("a reign needs a 'name' or a 'ruler'", line)
        for key in ("aliases", "latin_aliases", "realm_aliases", "ruler_aliases", "year_starts"):
            if not all(isinstance(item, str) for item in row.get(key, [])):
                raise self.fail(f"{key} of {label!r} must be a list of texts", self.line_of(line, key))
        begins = self.day(row, "begins", line, julian_until)
        ends = self.day(row, "ends", line, julian_until)
        starts_line = self.line_of(line, "year_starts")
        starts = tuple(self.one_day(text, starts_line, julian_until) for text in row.get("year_starts", []))
        if begins is not None and ends is not None and ends < begins:
            raise self.fail(f"reign {label!r} ends before it begins", self.line_of(line, "ends"))
        if list(starts) != sorted(set(starts)):
            raise self.fail(f"year_starts of {label!r} must rise", starts_line)
        if "first" in row:
            first, last = row["first"], row.get("last")
        elif years == "anniversary" and begins is not None:
            first = civil_date(begins)[0]
            last = None if ends is None else civil_date(ends)[0]
        else:
            key = "begins" if years == "anniversary" else "first"
            raise self.fail(f"reign {label!r} needs {key!r}: {REIGN_KEYS[key][1]}", line)
        if years == "anniversary" and begins is None:
            raise self.fail(f"reign {label!r} needs 'begins': {REIGN_KEYS['begins'][1]}", line)
        if last is not None and last < first:
            raise self.fail(f"reign {label!r} has last = {last} before first = {first}", self.line_of(line, "last"))
        if ordinal and not row.get("years", 0) > 0:
            raise self.fail(f"reign {label!r} needs 'years', its years on the ordinal axis", line)
        return Reign(
            realm=row.get("realm", ""),
            ruler=row.get("ruler", ""),
            name=row.get("name", ""),
            first=first,
            last=last,
            latin=row.get("latin", ""),
            aliases=tuple(row.get("aliases", ())),
            latin_aliases=tuple(row.get("latin_aliases", ())),
            realm_aliases=tuple(row.get("realm_aliases", ())),
            ruler_aliases=tuple(row.get("ruler_aliases", ())),
            first_year=row.get("first_year", 1),
            years=row.get("years"),
            stream=row.get("stream"),
            civil=row.get("civil", False),
            begins=begins,
            ends=ends,
            year_starts=starts,
            continues=row.get("continues", ""),
        )

    def check_months(self, reign: Reign, line: int, usual: int, start: int, civil_from: int | None) -> None:
        """A mistake when the month tables do not have the years of a lunisolar reign."""
        number = usual if reign.stream is None else reign.stream
        try:
            months_of_stream = stream(number)
        except TimeRangeError as error:
            raise self.fail(str(error), self.line_of(start if reign.stream is None else line, "stream")) from error
        until = reign.first if reign.last is None else reign.last
        if civil_from is not None:
            until = min(until, civil_date(civil_from)[0] - 1)
        for year in range(reign.first, until + 1):
            if year not in months_of_stream:
                key = "first" if year == reign.first else "last"
                problem = f"the months of the lunisolar year {year} of {reign.id!r} are not known in stream {number}"
                raise self.fail(problem, self.line_of(line, key))

    def check_keys(self, section: dict[str, Any], allowed: dict[str, tuple[type, str]], line: int, title: str) -> None:
        for key, value in section.items():
            if key not in allowed:
                accepted = ", ".join(allowed)
                raise self.fail(f"{title} has an unknown key {key!r}; accepted: {accepted}", self.line_of(line, key))
            kind = allowed[key][0]
            if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
                raise self.fail(
                    f"{key} = {value!r} must be of type {kind.__name__} ({allowed[key][1]})", self.line_of(line, key)
                )

    def julian_until(self, head: dict[str, Any], start: int) -> Written | None:
        text = head.get("dates")
        if text is None:
            return None
        line = self.line_of(start, "dates")
        written = numeric_date(text.removeprefix("julian until "))
        if not text.startswith("julian until ") or written is None or None in written:
            raise self.fail(f"dates = {text!r} must read 'julian until YEAR-MONTH-DAY'", line)
        return written  # type: ignore[return-value]

    def day(self, section: dict[str, Any], key: str, line: int, julian_until: Written | None) -> int | None:
        return self.one_day(section[key], self.line_of(line, key), julian_until) if key in section else None

    def one_day(self, text: str, line: int, julian_until: Written | None) -> int:
        """The day number of a date as the table writes it."""
        year, month, day = numeric_date(text) or (0, None, None)
        if month is not None and day is not None:
            number = written_day((year, month, day), julian_until)
            if number is not None:
                return number
        raise self.fail(f"{text!r} is not a day such as 1509-04-22", line)


def written_day(date: Written, julian_until: Written | None) -> int | None:
    """The day number of a date that is Julian up to a day and Gregorian after it; None when there is no such day."""
    if julian_until is not None and date <= julian_until:
        number = from_julian_date(*date)
        return number if to_julian_date(number) == date else None
    number = day_number(*date)
    return number if civil_date(number) == date else None


class ReignNames:
    """Reigns by name, in characters and in Latin letters."""

    def __init__(self, table: RegnalTable) -> None:
        self.table = table

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Rows of reigns by their folded names in characters, with and without realm and ruler."""
        places: dict[str, list[int]] = self.table.derive("reign-names", self._list_places)
        return places

    @cached_property
    def han(self) -> dict[str, list[Reign]]:
        """All names in characters, folded, with their reigns."""
        return {name: self.get_han(name) for name in self._places}

    def get_han(self, folded_name: str) -> list[Reign]:
        """The reigns of a name in characters that `normalise_han` has folded."""
        return [self.table.reigns[place] for place in self._places.get(folded_name, ())]

    def _list_places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for place, reign in enumerate(self.table.reigns):
            for name in dict.fromkeys(normalise_han(name) for name in _list_han_names(reign)):
                places.setdefault(name, []).append(place)
        return places

    @cached_property
    def latin(self) -> dict[str, list[Reign]]:
        """Reigns by their folded names in Latin letters."""
        reigns: dict[str, list[Reign]] = {}
        for reign in self.table.reigns:
            names = [reign.latin, *reign.latin_aliases]
            if self.table.text == "latin":
                names += [reign.name, *reign.aliases]
                continued = self.table.by_id.get(reign.continues)
                if continued:
                    names += [continued.name, continued.latin, *continued.aliases, *continued.latin_aliases]
            for name in dict.fromkeys(normalise_latin(name) for name in names if name):
                reigns.setdefault(name, []).append(reign)
        return reigns

    def find_han(self, text: str) -> Iterator[tuple[Reign, HanDate]]:
        """The reigns that the text may name, each with the date stated after it; the longest name counts."""
        if text.isascii():
            return  # no name in characters
        plain = normalise_han(text)
        for length in range(min(len(plain) - 1, self._longest_han), 0, -1):
            reigns = self.get_han(plain[:length])
            date = read_han(plain[length:]) if reigns else None
            if reigns and date:
                yield from ((reign, date) for reign in reigns)
                return

    @cached_property
    def _longest_han(self) -> int:
        return max(map(len, self._places), default=0)

    def find_latin(self, folded_name: str) -> list[Reign]:
        """The reigns of a name that `normalise_latin` has folded."""
        return self.latin.get(folded_name, [])

    def shortest(self, reign: Reign) -> str:
        """The shortest usual name that no other reign of the table shares."""
        if self.table.text == "latin":
            return reign.name
        choices = [reign.name, f"{reign.realm}{reign.name}", f"{reign.ruler}{reign.name}", reign.id]
        # A duke or a ruler without an era needs his realm to be known at all.
        if not reign.name or self.table.ordinal:
            choices = [f"{reign.realm}{reign.name or reign.ruler}", reign.id]
        for choice in choices:
            if choice and self.get_han(normalise_han(choice)) == [reign]:
                return choice
        return reign.id


def _list_han_names(reign: Reign) -> Iterator[str]:
    """Every way to put realm, ruler and name together: 永明, 南齊永明, 武帝永明, 齊武帝永明, 南齊朝永明, ..."""
    if reign.realm.isascii() and reign.name.isascii():
        return
    realms = [""]
    for name in filter(None, (reign.realm, *reign.realm_aliases)):
        realms += [name, f"{name}朝", f"大{name}"]
    rulers = [name for name in (reign.ruler, *reign.ruler_aliases) if name]
    names = [name for name in (reign.name, *reign.aliases) if name]
    middles = ["", *rulers] if names else rulers
    for realm in realms:
        for ruler in middles:
            for name in names or [""]:
                yield f"{realm}{ruler}{name}"
