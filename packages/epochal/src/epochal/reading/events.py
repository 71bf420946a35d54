"""Named events in a text ("during World War II", "the 2008 Beijing Olympics", "安史之乱"), and the dates of holidays.

The names and dates are in `tables/events.toml`. A finder keeps the names that start with a word in one trie over the
tokens of a text, so its time grows with the text and hardly with the number of names. The tries of the bundled names
are made on first use, from an index of names that is derived once.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError, TableError
from epochal.lazy import lazy_regex
from epochal.reading.expression import TimeExpr
from epochal.reading.timex3 import timex3_value
from epochal.tables import derive, read_sources, read_text, read_toml
from epochal.times.axis import day_number, weekday
from epochal.times.calendars.feasts import find_easter
from epochal.times.calendars.julian import to_julian_date
from epochal.times.span import Span

__all__ = [
    "EVENT_KINDS",
    "Event",
    "EventFinder",
    "Mention",
    "easter",
    "find_holiday",
    "load_events",
    "nth_weekday",
    "read_events",
    "resolve_anchor",
    "take_nominal_day",
]


#: What an event may be; the table's head says what each kind takes in.
EVENT_KINDS = frozenset(
    "war battle treaty revolution disaster pandemic crisis dynasty era reign presidency election olympics worldcup "
    "law technology other".split()
)
#: The confidence of a name of one event, and of one that is weak or names several.
_SURE, _UNSURE = 0.6, 0.4

_FIELDS = {"name", "aliases", "zh", "weak_aliases", "span", "kind", "weak"}


@dataclass(frozen=True, slots=True)
class Event:
    """An event or a period of the table: its names, its span and its kind."""

    name: str
    span: Span
    kind: str
    aliases: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()
    weak_aliases: tuple[str, ...] = ()
    weak: bool = False

    def names(self) -> Iterator[tuple[str, bool]]:
        """Each of its names, and whether that name is weak."""
        for name in (self.name, *self.aliases, *self.zh):
            yield name, self.weak
        for name in self.weak_aliases:
            yield name, True

    def has_year(self, year: int) -> bool:
        """Whether a year lies in its span, or is part of its name: the Olympics of 2020 were held in 2021."""
        return self.span.overlaps(Span.year(year)) or str(year) in re.findall(r"\d+", self.name)


def read_events(path: str | Path) -> tuple[Event, ...]:
    """The events of a table in a file."""
    events = []
    rows: list[dict[str, Any]] = read_toml(path).get("event", [])
    for number, row in enumerate(rows, 1):
        try:
            if unknown := row.keys() - _FIELDS:
                raise EpochalError(f"unknown field {min(unknown)!r}")
            if row["kind"] not in EVENT_KINDS:
                raise EpochalError(f"{row['kind']!r} is no kind of event")
            events.append(_make_event(row))
        except (EpochalError, KeyError) as error:
            problem = f"no field {error}" if isinstance(error, KeyError) else str(error)
            lines = read_text(path).splitlines()
            line = [place for place, text in enumerate(lines, 1) if text.startswith("[[event]]")][number - 1]
            raise TableError(str(path), line, f"event {row.get('name', number)!r}: {problem}") from error
    return tuple(events)


def _make_event(row: dict[str, Any]) -> Event:
    aliases, zh, weak_aliases = (tuple(row.get(names, ())) for names in ("aliases", "zh", "weak_aliases"))
    span = Span.parse(row["span"])
    return Event(row["name"], span, row["kind"], aliases, zh, weak_aliases, row.get("weak", False))


_TABLE = Path(__file__).parent / "tables" / "events.toml"


@cache
def _load_bundled() -> tuple[list[str], dict[str, str]]:
    """The rows of the bundled table, checked, and the index of their names, each row to be read when it is needed."""

    def build() -> list[Any]:
        rows, names = read_toml(_TABLE)["event"], _index_names(read_events(_TABLE))
        return ["\n".join(map(_write_row, rows)), "\n".join(names), "\n".join(map(_write_row, names.values()))]

    rows, firsts, names = derive("events", read_sources((_TABLE, Path(__file__))), build)
    return rows.split("\n"), dict(zip(firsts.split("\n"), names.split("\n"), strict=True))


#: What stands for quotation marks in a row: within a text of JSON they would have to be escaped, which takes long.
_QUOTE = "\x7f"


def _write_row(row: Any) -> str:
    """A value of JSON as a line of text that a text of JSON can hold as it is."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).replace('"', _QUOTE)


def _read_row(line: str) -> Any:
    return json.loads(line.replace(_QUOTE, '"'))


@cache
def _load_event(number: int) -> Event:
    return _make_event(_read_row(_load_bundled()[0][number]))


@cache
def load_events() -> tuple[Event, ...]:
    """The bundled events, read on first use."""
    return tuple(map(_load_event, range(len(_load_bundled()[0]))))


#: A Han character, a word, or any other sign.
_TOKEN = lazy_regex(r"[㐀-鿿]|[^\W_㐀-鿿]+|[^\w\s]|_")
_ALIKE = str.maketrans({**dict.fromkeys("’‘ʼ´`", "'"), **dict.fromkeys("–—‐‑−", "-")})
_YEAR = lazy_regex(r"\d{4}")

#: Words of a name that a text may write small, as long as the name has a word that it may not.
_COMMON_NOUNS = frozenset(
    "the war wars battle battles siege sack fall treaty peace pact agreement accords conference congress council edict "
    "convention declaration revolution revolutions rebellion revolt uprising rising mutiny coup putsch movement "
    "protests massacre genocide earthquake eruption hurricane flood fire famine disaster attack attacks bombing "
    "plague epidemic pandemic outbreak flu crisis panic crash scandal affair incident bubble dynasty empire kingdom "
    "republic sultanate caliphate shogunate house era age period times reign reigns papacy pontificate presidency "
    "premiership chancellorship leadership administration ministry government term election referendum act acts "
    "first second third fourth fifth sixth seventh eighth invasion conquest campaign offensive landings operation "
    "assassination execution sinking dissolution collapse bankruptcy impeachment handover partition unification "
    "founding overthrow atomic general civil conflict program project plan policy trial trials summit".split()
)
#: Words that open a sentence, and so have a capital without being part of a name.
_OPENERS = frozenset(
    "the a an in on at by of to for from with without after before during since until till when while under over "
    "between and but or as if both like despite throughout following amid post pre this that these those".split()
)


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or sign of a text. `key` tells whether a gap stood before it, so that "9/11" is not "9 / 11"."""

    text: str
    start: int
    end: int
    fold: str
    key: str
    capital: bool


def _tokenise(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    last = 0
    for match in _TOKEN.finditer(text):
        word = match[0]
        gap = text[last : match.start()]
        last = match.end()
        fold = word.translate(_ALIKE).casefold()
        joint = "" if not gap or not tokens else "\n" if gap.count("\n") > 1 else " "
        tokens.append(_Token(word, match.start(), last, fold, joint + fold, word[0].isupper()))
    return tokens


@dataclass(frozen=True, slots=True)
class _Name:
    """A name that ends at a node: whose it is, and which of its tokens must have a capital."""

    event: Event
    weak: bool
    capitals: tuple[int, ...]
    exact: str = ""

    def fits(self, tokens: Sequence[_Token], first: int) -> bool:
        if self.exact:
            return tokens[first].text == self.exact
        return all(tokens[first + place].capital for place in self.capitals)


@dataclass(slots=True)
class _Node:
    children: dict[str, _Node] = field(default_factory=dict)
    names: list[_Name] = field(default_factory=list)


def _capitals(tokens: Sequence[_Token]) -> tuple[int, ...]:
    """Which tokens of a name need the capital that they have."""
    written = [place for place, token in enumerate(tokens) if token.capital and token.fold != "the"]
    proper = tuple(place for place in written if tokens[place].fold not in _COMMON_NOUNS)
    return proper or tuple(written)


def _spellings(name: str) -> set[str]:
    """A name, also without its hyphens and without its accents."""
    plain = name.translate(_ALIKE)
    bare = "".join(sign for sign in unicodedata.normalize("NFD", plain) if not unicodedata.combining(sign))
    return {plain, bare, plain.replace("-", " "), bare.replace("-", " ")}


@dataclass(frozen=True, slots=True)
class Mention:
    """A name found in a text, the events that it may mean, and the one chosen; none where the name is ambiguous."""

    text: str
    start_char: int
    end_char: int
    candidates: tuple[Event, ...]
    event: Event | None
    weak: bool = False

    def to_expression(self) -> TimeExpr | None:
        """The time expression of the chosen event; None without one."""
        if self.event is None:
            return None
        confidence = _UNSURE if self.weak or len(self.candidates) > 1 else _SURE
        return _make_expression(self.text, self.start_char, self.end_char, self.event, confidence)


class EventFinder:
    """Finds named events in texts: the bundled ones, or those given.

    Longer names win over the shorter ones inside them. Proper names need their capitals.
    """

    def __init__(self, table: Iterable[Event] | None = None) -> None:
        if table is None:
            self._names = _load_names()
        else:
            events = tuple(table)
            self._names = _Names(_index_names(events), events.__getitem__)

    def find(self, text: str) -> list[Mention]:
        """Every name in the text, in order; they do not overlap."""
        tokens = _tokenise(text)
        mentions = []
        first = 0
        while first < len(tokens):
            end, names = self._find_longest(tokens, first)
            if names:
                mentions.append(_make_mention(text, tokens, first, end, names))
            first = max(end, first + 1)
        return mentions

    def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        """The time expressions of names that mean one event, and of words that take one up; `now` changes nothing."""
        mentions = self.find(text)
        named = [expr for mention in mentions if (expr := mention.to_expression()) is not None]
        taken_up = resolve_anchor(text, mentions) if mentions else []
        return sorted([*named, *taken_up], key=lambda item: item.start_char) if taken_up else named

    def candidates(self, name: str) -> tuple[Event, ...]:
        """The events that go by a name, earliest first."""
        tokens = _tokenise(name)
        end, names = self._find_longest(tokens, 0, guard=False) if tokens else (0, [])
        return _list_events(names) if end == len(tokens) else ()

    def _find_longest(self, tokens: Sequence[_Token], first: int, *, guard: bool = True) -> tuple[int, list[_Name]]:
        """Where the longest name that starts at a token ends, and whose names it is."""
        best, names = first, list[_Name]()
        node = self._names.get(tokens[first].fold)
        place = first + 1
        while node is not None:
            if node.names:
                fitting = [name for name in node.names if name.fits(tokens, first)]
                if guard:
                    fitting = _filter_names(fitting, tokens, first, place)
                if fitting:
                    best, names = place, fitting
            node = node.children.get(tokens[place].key) if place < len(tokens) else None
            place += 1
        return best, names


def _index_names(events: Iterable[Event]) -> dict[str, list[list[Any]]]:
    """The names of events by their first token: further tokens, number of the event, weak, capitals, exact text."""
    index: dict[str, list[list[Any]]] = {}
    for number, event in enumerate(events):
        for written, weak in event.names():
            for name in sorted(_spellings(written)):
                tokens = _tokenise(name)
                acronym = len(tokens) == 1 and len(name) > 1 and name.isupper()
                rest = [token.key for token in tokens[1:]]
                row = [rest, number, weak, _capitals(tokens), name if acronym else ""]
                index.setdefault(tokens[0].key, []).append(row)
    return index


class _Names:
    """The names of an index as tries, each made when a text first has its first token."""

    def __init__(
        self,
        index: Mapping[str, Any],
        get_event: Callable[[int], Event],
        read: Callable[[Any], list[list[Any]]] = list,
    ) -> None:
        self._index, self._read = index, read
        self._get_event = get_event
        self._nodes: dict[str, _Node] = {}

    def get(self, first: str) -> _Node | None:
        """The node of a first token; none where no name starts with it."""
        if first not in self._index:
            return None
        if first not in self._nodes:
            self._nodes[first] = self._build_trie(first)
        return self._nodes[first]

    def _build_trie(self, first: str) -> _Node:
        root = _Node()
        for rest, number, weak, capitals, exact in self._read(self._index[first]):
            node = root
            for key in rest:
                node = node.children.setdefault(key, _Node())
            node.names.append(_Name(self._get_event(number), weak, tuple(capitals), exact))
        return root


@cache
def _load_names() -> _Names:
    return _Names(_load_bundled()[1], _load_event, _read_row)


def _filter_names(names: list[_Name], tokens: Sequence[_Token], first: int, end: int) -> list[_Name]:
    """The names that may stand here: not in a date such as 9/11/2001, and weak ones not in a longer proper name."""
    before = tokens[first - 1] if first else None
    after = tokens[end] if end < len(tokens) else None
    if after is not None and after.key == "/" and tokens[end - 1].fold.isdigit():
        names = [] if any(token.fold.isdigit() for token in tokens[end + 1 : end + 2]) else names
    if before is not None and before.fold == "/" and tokens[first].key.isdigit():
        names = []
    longer = (after is not None and after.capital and after.key.startswith(" ")) or (
        before is not None and before.capital and before.fold not in _OPENERS and tokens[first].key.startswith(" ")
    )
    return [name for name in names if not name.weak] if longer else names


def _list_events(names: Iterable[_Name]) -> tuple[Event, ...]:
    return tuple(sorted({name.event.name: name.event for name in names}.values(), key=lambda event: event.span.start))


def _make_mention(text: str, tokens: Sequence[_Token], first: int, end: int, names: list[_Name]) -> Mention:
    candidates = _list_events(names)
    event = candidates[0] if len(candidates) == 1 else None
    if event is None:
        for year in _find_adjacent_years(tokens, first, end):
            dated = [event for event in candidates if event.has_year(year)]
            if len(dated) == 1:
                event = dated[0]
                break
    start, stop = tokens[first].start, tokens[end - 1].end
    return Mention(text[start:stop], start, stop, candidates, event, all(name.weak for name in names))


def _find_adjacent_years(tokens: Sequence[_Token], first: int, end: int) -> Iterator[int]:
    """The year just before a name ("1899 Boer War", "2008年的"), and the one just after it ("of 1899", "(1899)")."""
    for beside, skipped in ((tokens[max(first - 3, 0) : first][::-1], "年 的"), (tokens[end : end + 3], ", ( of in")):
        for token in beside:
            if _YEAR.fullmatch(token.fold):
                yield int(token.fold)
            if token.fold not in skipped.split():
                break


def _make_expression(text: str, start: int, end: int, event: Event, confidence: float) -> TimeExpr:
    return TimeExpr(text, start, end, "DATE", timex3_value(event.span), event.span, confidence=confidence)


#: Nouns that take up an event, and its kind.
_TAKEN_UP = {
    **dict.fromkeys(("war", "conflict", "hostilities", "fighting"), "war"),
    **dict.fromkeys(("battle", "siege"), "battle"),
    **dict.fromkeys(("treaty", "conference", "agreement"), "treaty"),
    **dict.fromkeys(("revolution", "uprising", "coup", "rebellion"), "revolution"),
    **dict.fromkeys(("crisis", "crash", "scandal"), "crisis"),
    **dict.fromkeys(("earthquake", "hurricane", "tsunami", "disaster", "attacks", "eruption"), "disaster"),
    **dict.fromkeys(("pandemic", "epidemic", "plague"), "pandemic"),
    **dict.fromkeys(("election", "vote"), "election"),
    **dict.fromkeys(("olympics", "games"), "olympics"),
}
_TAKEN_UP_ZH = {"战争": "war", "战": "war", "战役": "battle", "起义": "revolution", "革命": "revolution"}
_TAKEN_UP_ZH |= {"危机": "crisis", "地震": "disaster", "疫情": "pandemic", "大选": "election", "奥运": "olympics"}
#: What takes up an event: "before the war", "post-war"; 战后 and 战争期间, where no longer word ends with them.
_ANCHOR = lazy_regex(
    r"\b(?:before|after|during|since|until|till|throughout|(?:end|outbreak|start|beginning|eve|aftermath|years) of)\s+"
    rf"(?P<words>the\s+(?P<noun>{'|'.join(_TAKEN_UP)}))\b(?!\s+(?:of|in|on|between|against|with|over|for)\b)"
    r"|\b(?:pre|post)-?(?P<war>war)\b"
    rf"|(?<![㐀-鿿])(?:在|到|直到|自|从)?(?P<han>{'|'.join(_TAKEN_UP_ZH)})(?=期间|时期|之?[前后]|以[前后来]|爆发|结束)",
    re.IGNORECASE,
)


def resolve_anchor(text: str, mentions: Sequence[Mention]) -> list[TimeExpr]:
    """What "the war" in "before the war" means: the war that was named last before it in the text.

    Where that name is ambiguous, or none was named, the words stay unresolved. `mentions` are those of the same text.
    """
    starts = [mention.start_char for mention in mentions]
    last: dict[str, Mention] = {}
    seen = 0
    expressions = []
    for match in _ANCHOR.finditer(text):
        group = "words" if match["words"] else "war" if match["war"] else "han"
        start, end = match.span(group)
        while seen < len(mentions) and mentions[seen].start_char < start:
            for kind in {event.kind for event in mentions[seen].candidates}:
                last[kind] = mentions[seen]
            seen += 1
        nearest = bisect_left(starts, end)
        if nearest and mentions[nearest - 1].end_char > start:
            continue  # the words are part of a name
        kind = _TAKEN_UP_ZH[match["han"]] if match["han"] else _TAKEN_UP[(match["noun"] or "war").lower()]
        mention = last.get(kind)
        if mention is not None and mention.event is not None:
            expressions.append(_make_expression(match[group], start, end, mention.event, _UNSURE))
    return expressions


def easter(year: int) -> int:
    """The day number of Easter Sunday as texts name it: before 1583 that of the Julian calendar."""
    return take_nominal_day(find_easter(year), year)


def take_nominal_day(day: int, year: int) -> int:
    """The day as a text of its time calls it: of the Julian calendar before 1583, read as if it were ours."""
    return day_number(*to_julian_date(day)) if year < _FIRST_GREGORIAN_YEAR else day


_FIRST_GREGORIAN_YEAR = 1583


def nth_weekday(year: int, month: int, number: int, nth: int) -> int:
    """The day number of the nth weekday (Monday 1) of a month; the last one for nth -1."""
    if nth > 0:
        first = day_number(year, month)
        return first + (number - weekday(first)) % 7 + 7 * (nth - 1)
    last = day_number(year, month + 1) - 1
    return last - (weekday(last) - number) % 7


def find_holiday(rule: tuple[int, int] | str, year: int) -> int | None:
    """The day number of a holiday in a year; None when its rule is not known here."""
    if isinstance(rule, tuple):
        return day_number(year, *rule)
    if rule == "easter":
        return easter(year)
    if rule == "pentecost":
        return easter(year) + 49
    if rule == "thanksgiving":
        return nth_weekday(year, 11, 4, 4)
    return None
