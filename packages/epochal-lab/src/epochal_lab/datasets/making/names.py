"""Topics in text: names by their capitals, common nouns for text with few names, groups of characters for Chinese.

No list of names and no model: the documents themselves tell. A word that occurs in small letters as often as with a
capital is no name; a name precedes commas, full stops and verbs, while an adjective ("Russian") nearly always precedes
a noun; a name that occurs mostly in brackets is a source ("(Reuters)").
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from epochal.reading.scripts import simplify_characters
from epochal.storage.text import units

_WORD: Final = re.compile(r"[^\W_](?:[\w'’\-–]*[^\W_])?")
_POSSESSIVE: Final = re.compile(r"['’]s$")
_OWNING: Final = re.compile(r"['’] ")
_NUMBERED: Final = re.compile(r"[ -]\d")
_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_INSIDE: Final = frozenset("of the de da del della di do dos du la le van von der den bin ibn al el y".split())
#: What a noun comes before and an adjective does not: small words that open something new.
_AFTER_NOUN: Final = frozenset(
    "in on of to for from with by at as after before is was are were has have had will would that who which but than "
    "while when where since until during over into against amid following near because says said".split()
)
_LONGEST: Final = 5
#: The least share of a name's occurrences in places where only a noun can be.
_NOUN: Final = 0.3
#: The most of them that may stand in brackets, and the most that may be part of a longer name.
_BRACKETED: Final = 0.3
_FRAGMENT: Final = 0.4


@dataclass(frozen=True, slots=True)
class NameRun:
    """Capitalised words that follow one another, without the `'s` of the last."""

    words: tuple[str, ...]
    start_char: int
    end_char: int
    opens: bool
    bracketed: bool
    before_noun_mark: bool
    #: What is before it: "the", or a name that it is part of ("Brazil's Supreme Court", "Freedom and Democracy").
    after_article: bool
    after_name: bool
    #: Whether it is the beginning of a longer name ("People" in "People's Liberation Front", "Euro" in "Euro 2008").
    begins_name: bool
    #: Where each of its words starts.
    starts: tuple[int, ...]
    #: The end of a name before it, with a comma or a small word: they may be one ("Washington, D.C.").
    tie: str


def runs(text: str, hidden: Sequence[tuple[int, int]] = ()) -> list[NameRun]:
    """The runs of a text; `hidden` are places that are no part of any, such as dates."""
    starts = [start for start, _ in units(text)]
    brackets = [match.span() for match in _BRACKETS.finditer(text)]
    words = [
        match
        for match in _WORD.finditer(text)
        if not any(low < match.end() and match.start() < up for low, up in hidden)
    ]
    match: list[NameRun] = []
    at = 0
    while at < len(words):
        if not _is_capital(words[at][0]):
            at += 1
            continue
        last = at
        while last + 1 < len(words) and _is_adjacent(text, words, last) and last - at < 8:
            step = last + 1
            while (
                step < len(words) and words[step][0] in _INSIDE and step - last <= 2 and _is_adjacent(text, words, step)
            ):
                step += 1
            if not _is_capital(words[step][0]) or not _are_adjacent(text, words, last, step):
                break
            last = step
        match.append(_run(text, words, at, last, starts, brackets))
        at = last + 1
    return match


def _run(
    text: str,
    words: Sequence[re.Match[str]],
    first: int,
    last: int,
    starts: Sequence[int],
    brackets: Sequence[tuple[int, int]],
) -> NameRun:
    start, end = words[first].start(), words[last].end()
    names = [word[0] for word in words[first : last + 1]]
    possessed = _POSSESSIVE.search(names[-1])
    names[-1] = _POSSESSIVE.sub("", names[-1])
    follower = words[last + 1] if last + 1 < len(words) else None
    between = text[end : follower.start()] if follower else "."
    after = possessed or between.strip() or (follower is not None and follower[0] in _AFTER_NOUN)
    unit = starts[bisect_right(starts, start) - 1] if starts and starts[0] <= start else 0
    opens = not any(character.isalnum() for character in text[unit:start]) or text[unit:start].rstrip().endswith(
        (":", "“", '"')
    )
    before = words[first - 1][0] if first and text[words[first - 1].end() : start] == " " else ""
    joined = before in ("and", "&") and first > 1 and _is_capital(words[first - 2][0])
    return NameRun(
        tuple(names),
        start,
        end - (len(possessed[0]) if possessed else 0),
        opens,
        any(low <= start and end <= up for low, up in brackets),
        bool(after),
        before == "the" or names[0] == "The",
        bool(before and _POSSESSIVE.search(before) and _is_capital(before)) or joined,
        bool((possessed or _OWNING.match(text, end)) and follower is not None and _is_capital(follower[0]))
        or _NUMBERED.match(text, end) is not None,
        tuple(word.start() for word in words[first : last + 1]),
        _tie(text, words, first, unit),
    )


def _tie(text: str, words: Sequence[re.Match[str]], first: int, unit: int) -> str:
    """The end of another name right before one, with what is between: a comma, or a small word in a sentence."""
    for back in (1, 2):
        at = first - back
        if at < 0 or not _is_capital(words[at][0]):
            continue
        between = text[words[at].end() : words[first].start()]
        if (back == 1 and between == ", ") or (back == 2 and between.count(" ") == 2 and words[at].start() > unit):
            return f"{words[at][0]}{between}"
    return ""


def _is_capital(word: str) -> bool:
    return word[0].isupper() and (len(word) > 1 or word.isascii())


def _is_adjacent(text: str, words: Sequence[re.Match[str]], at: int) -> bool:
    """Whether nothing but a space is between a word and the next; initials may have a full stop."""
    if at + 1 >= len(words) or _POSSESSIVE.search(words[at][0]):
        return False
    between = text[words[at].end() : words[at + 1].start()]
    return between == " " or (len(words[at][0]) == 1 and words[at][0].isupper() and between in (". ", "."))


def _are_adjacent(text: str, words: Sequence[re.Match[str]], first: int, last: int) -> bool:
    return all(_is_adjacent(text, words, at) for at in range(first, last))


@dataclass(slots=True)
class NameFinder:
    """Finds the names of a collection: shown all its texts once, it tells names from other capitalised words."""

    #: In titles that are written with capitals throughout, common words part the runs.
    parting: bool = False
    _small: Counter[str] = field(default_factory=Counter)
    _capital: Counter[str] = field(default_factory=Counter)
    _inside: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _noun: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _bracketed: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _articled: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _fragment: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _surface: dict[tuple[str, ...], str] = field(default_factory=dict)
    _ties: dict[tuple[str, ...], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _all: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def show(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> None:
        """Count what a text has."""
        for match in _WORD.finditer(text):
            word = match[0]
            if word[0].islower():
                self._small[word] += 1
        for run in runs(text, hidden):
            if not run.opens:
                for word in run.words:
                    self._capital[word] += 1
            words = _strip_article(run.words)
            if not words:
                continue
            self._all[words] += 1
            self._inside[words] += not run.opens
            self._noun[words] += run.before_noun_mark
            self._bracketed[words] += run.bracketed
            self._articled[words] += run.after_article
            self._fragment[words] += run.after_name or run.begins_name
            if run.tie:
                self._ties[words][run.tie] += 1
            self._surface.setdefault(words, text[run.starts[-len(words)] : run.end_char])

    def is_common(self, word: str) -> bool:
        """Whether a word is one that only has a capital where a sentence or a title opens."""
        return 5 * self._small[word.lower()] > self._capital[word]

    def names(self, least: int) -> set[tuple[str, ...]]:
        """The names that occur at least so often."""
        return {words for words, count in self._all.items() if count >= least and self._is_name(words, count)}

    def _is_name(self, words: tuple[str, ...], count: int) -> bool:
        if len(words) > _LONGEST or not self._inside[words] or any(character.isdigit() for character in "".join(words)):
            return False
        if len(words) == 1 and (len(words[0]) < 3 or self.is_common(words[0])):
            return False
        if all(self.is_common(word) or word in _INSIDE for word in words) and self.parting:
            return False
        return (
            self._noun[words] >= _NOUN * count
            and self._bracketed[words] <= _BRACKETED * count
            and self._fragment[words] <= _FRAGMENT * count
            and max(self._ties[words].values(), default=0) <= _FRAGMENT * count
        )

    def shown(self, words: tuple[str, ...]) -> str:
        """A name as it is in a sentence, with its article where it mostly has one."""
        name = self._surface.get(words) or " ".join(words)
        return f"the {name}" if 2 * self._articled[words] > self._all[words] else name

    def found_in(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
        """The runs of a text outside brackets, as words and place; without a common word that opens a sentence."""
        for run in runs(text, hidden):
            if run.bracketed or run.after_name or run.begins_name:
                continue
            words = run.words
            if run.opens and len(words) > 1 and self.is_common(words[0]):
                words = words[1:]
            for part in self._split_at_common(words) if self.parting else (words,):
                if bare := _strip_article(part):
                    yield bare, run.start_char

    def _split_at_common(self, words: Sequence[str]) -> Iterable[tuple[str, ...]]:
        """A run of a title parted at its common words."""
        parts: dict[int, list[str]] = defaultdict(list)
        number = 0
        for word in words:
            if self.is_common(word) or word in _INSIDE:
                number += 1
            else:
                parts[number].append(word)
        return [tuple(part) for part in parts.values()]


def _strip_article(words: Sequence[str]) -> tuple[str, ...]:
    """A run without an article before it."""
    return tuple(words[1:] if words and words[0] in ("The", "A", "An") else words)


_PHRASE_WORD: Final = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*")
#: What opens a group around a noun.
_OPENERS: Final = frozenset(
    "a an the of in on to for from with by at its his her their our your this that these those no some any all "
    "and".split()
)
_SMALL_WORDS: Final = _OPENERS | frozenset(
    "is was are were be been being has have had do does did will would shall should can could may might must not or "
    "but if as it he she they we you i them him us me who whom which what when where why how than then there here so "
    "such also only just very more most less least much many few other another each every both either neither own same "
    "about after again against before between during into over under until up down out off through while because "
    "since upon within without per via one two three first last new old said says say".split()
)
_OPENING: Final = re.compile(r"(?:^|[.!?:;]\W*|\n)$")
_SHORTEST: Final = 4
_OPENED: Final = 0.4
_TOGETHER: Final = 0.25
_VERBAL: Final = ("ed", "ly")

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
#: Characters that hold a sentence together, in modern and in classical Chinese: no topic has them.
_PARTICLES: Final = frozenset(
    "的了在是和与與及或但而因为為于於对對从從到被把将將向就都也还還又再这這那其之以所者则則乃且若夫矣焉哉乎兮曰"
    "年月日時时分秒今昨明春夏秋冬上下一二三四五六七八九十百千万萬亿億个個有无無不未"
)
_COHESION: Final = 4.0
_EDGE: Final = " "


@dataclass(slots=True)
class NounFinder:
    """Finds the common nouns of a collection, and pairs of words that belong together ("steel tariffs")."""

    _all: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _opened: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def show(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> None:
        """Count what a text has."""
        for words, _, opened in _list_groups(text, hidden):
            self._all[words] += 1
            self._opened[words] += opened

    def names(self, least: int) -> set[tuple[str, ...]]:
        """The nouns and pairs that occur at least so often."""
        return {words for words, count in self._all.items() if count >= least and self._is_noun(words, count)}

    def _is_noun(self, words: tuple[str, ...], count: int) -> bool:
        if words[-1].endswith(_VERBAL) or self._opened[words] < _OPENED * count:
            return False
        # "The tariffs rose" has a pair of neighbours too, but nobody writes "the rose" of what rises.
        alone = len(words) == 1 or self._opened[words[1:]] > 0
        return alone and (len(words) == 1 or count >= _TOGETHER * min(self._all[words[:1]], self._all[words[1:]]))

    def found_in(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
        """The words and pairs of a text, with their places."""
        for words, position, _ in _list_groups(text, hidden):
            yield words, position


def _list_groups(text: str, hidden: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[str, ...], int, bool]]:
    """Words, and pairs of neighbours; with their place, and whether a word that opens a group comes right before."""
    before: re.Match[str] | None = None
    opened = is_opener = False
    for match in _PHRASE_WORD.finditer(text):
        is_hidden = any(low < match.end() and match.start() < up for low, up in hidden)
        # A capital inside a sentence makes a name, or part of one, which is not what is looked for here.
        if is_hidden or (match[0][0].isupper() and not _OPENING.search(text, max(0, match.start() - 3), match.start())):
            before, is_opener = None, False
            continue
        word = match[0].lower()
        if word in _SMALL_WORDS or len(word) < _SHORTEST:
            before, is_opener = None, word in _OPENERS
            continue
        yield (word,), match.start(), is_opener
        if before is not None and text[before.end() : match.start()] == " ":
            yield (before[0].lower(), word), before.start(), opened
        before, opened, is_opener = match, is_opener, False


@dataclass(slots=True)
class HanFinder:
    """Finds groups of two to four characters that belong together and stand among different neighbours."""

    _all: Counter[str] = field(default_factory=Counter)
    _left: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _right: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _characters: int = 0

    def show(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> None:
        """Count what a text has."""
        for run, _ in _list_han_runs(text, hidden):
            self._characters += len(run)
            padded = f"{_EDGE}{run}{_EDGE}"
            for size in (1, 2, 3, 4):
                for at in range(1, len(run) - size + 2):
                    group = padded[at : at + size]
                    self._all[group] += 1
                    if size > 1:
                        self._left[group].add(padded[at - 1])
                        self._right[group].add(padded[at + size])

    def names(self, least: int) -> set[tuple[str, ...]]:
        """The groups that occur at least so often."""
        return {(group,) for group, count in self._all.items() if count >= least and self._is_cohesive(group, count)}

    def _is_cohesive(self, group: str, count: int) -> bool:
        if len(group) < 2 or not _PARTICLES.isdisjoint(group):
            return False
        # The edge of a sentence parts words more surely than two different neighbours do.
        if any(len(beside) < 2 and _EDGE not in beside for beside in (self._left[group], self._right[group])):
            return False
        chance = max(self._all[group[:cut]] * self._all[group[cut:]] for cut in range(1, len(group)))
        return count * self._characters >= _COHESION * chance

    def found_in(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
        """The groups of a text, with their places."""
        for run, start in _list_han_runs(text, hidden):
            for size in (2, 3, 4):
                for at in range(len(run) - size + 1):
                    yield (run[at : at + size],), start + at


def _list_han_runs(text: str, hidden: Sequence[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    """Runs of characters without the places that are hidden, traditional ones made simplified."""
    for match in _HAN.finditer(text):
        start = match.start()
        for low, up in sorted(hidden):
            if low < match.end() and start < up:
                if low > start:
                    yield simplify_characters(text[start:low]), start
                start = max(start, up)
        if start < match.end():
            yield simplify_characters(text[start : match.end()]), start
