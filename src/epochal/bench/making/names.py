"""Names in text that writes them with capitals: runs of capitalised words, told from sentence openings and adjectives.

No list of names and no model: what a word is, the documents themselves tell. A word that stands in small letters as
often as with a capital is no name; a name stands before commas, full stops and verbs, while an adjective ("Russian")
nearly always stands before a noun; a name that mostly stands in brackets is a source ("(Reuters)").
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from epochal.index.splitting import units

__all__ = ["NameFinder", "Run", "runs"]

_WORD: Final = re.compile(r"[^\W_](?:[\w'’\-–]*[^\W_])?")
_POSSESSIVE: Final = re.compile(r"['’]s$")
_OWNING: Final = re.compile(r"['’] ")
_NUMBERED: Final = re.compile(r"[ -]\d")
_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_INSIDE: Final = frozenset("of the de da del della di do dos du la le van von der den bin ibn al el y".split())
#: What a noun stands before and an adjective does not: small words that open something new.
_AFTER_NOUN: Final = frozenset(
    "in on of to for from with by at as after before is was are were has have had will would that who which but than "
    "while when where since until during over into against amid following near because says said".split()
)
_LONGEST: Final = 5
#: The least share of a name's occurrences that stand where only a noun can.
_NOUN: Final = 0.3
#: The most of them that may stand in brackets, and the most that may be part of a longer name.
_BRACKETED: Final = 0.3
_FRAGMENT: Final = 0.4


@dataclass(frozen=True, slots=True)
class Run:
    """Capitalised words that follow one another, without the `'s` of the last.

    >>> [run.words for run in runs("The Bank of England sued Ann's firm.")]
    [('The', 'Bank', 'of', 'England'), ('Ann',)]
    """

    words: tuple[str, ...]
    start_char: int
    end_char: int
    opens: bool
    bracketed: bool
    before_noun_mark: bool
    #: What stands before it: "the", or a name that it is part of ("Brazil's Supreme Court", "Freedom and Democracy").
    after_article: bool
    after_name: bool
    #: Whether it is the beginning of a longer name ("People" in "People's Liberation Front", "Euro" in "Euro 2008").
    begins_name: bool
    #: Where each of its words starts.
    starts: tuple[int, ...]
    #: The end of a name before it, with a comma or a small word: they may be one ("Washington, D.C.").
    tie: str


def runs(text: str, hidden: Sequence[tuple[int, int]] = ()) -> list[Run]:
    """The runs of a text; `hidden` are places that are no part of any, such as dates.

    >>> [(run.words, run.opens) for run in runs("Rain fell on George W. Bush.")]
    [(('Rain',), True), (('George', 'W', 'Bush'), False)]
    """
    starts = [start for start, _ in units(text)]
    brackets = [found.span() for found in _BRACKETS.finditer(text)]
    words = [
        found
        for found in _WORD.finditer(text)
        if not any(low < found.end() and found.start() < up for low, up in hidden)
    ]
    found: list[Run] = []
    at = 0
    while at < len(words):
        if not _is_capital(words[at][0]):
            at += 1
            continue
        last = at
        while last + 1 < len(words) and _goes_on(text, words, last) and last - at < 8:
            step = last + 1
            while step < len(words) and words[step][0] in _INSIDE and step - last <= 2 and _goes_on(text, words, step):
                step += 1
            if not _is_capital(words[step][0]) or not _joined(text, words, last, step):
                break
            last = step
        found.append(_run(text, words, at, last, starts, brackets))
        at = last + 1
    return found


def _run(
    text: str,
    words: Sequence[re.Match[str]],
    first: int,
    last: int,
    starts: Sequence[int],
    brackets: Sequence[tuple[int, int]],
) -> Run:
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
    return Run(
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
    """The end of another name right before one, with what stands between: a comma, or a small word in a sentence."""
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


def _goes_on(text: str, words: Sequence[re.Match[str]], at: int) -> bool:
    """Whether nothing but a space stands between a word and the next; initials may have a full stop."""
    if at + 1 >= len(words) or _POSSESSIVE.search(words[at][0]):
        return False
    between = text[words[at].end() : words[at + 1].start()]
    return between == " " or (len(words[at][0]) == 1 and words[at][0].isupper() and between in (". ", "."))


def _joined(text: str, words: Sequence[re.Match[str]], first: int, last: int) -> bool:
    return all(_goes_on(text, words, at) for at in range(first, last))


@dataclass(slots=True)
class NameFinder:
    """Finds the names of a collection: shown all its texts once, it tells names from other capitalised words.

    >>> finder = NameFinder()
    >>> for text in ("They met Ann Hay, and she sat.", "He saw Ann Hay in May.", "Ann Hay left. Saw Bob."):
    ...     finder.show(text)
    >>> finder.names(least=2)
    {('Ann', 'Hay')}
    """

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
        """Count what a text has.

        >>> NameFinder().show("They met Ann Hay.")
        """
        for found in _WORD.finditer(text):
            word = found[0]
            if word[0].islower():
                self._small[word] += 1
        for run in runs(text, hidden):
            if not run.opens:
                for word in run.words:
                    self._capital[word] += 1
            words = _bare(run.words)
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
        """Whether a word is one that only stands with a capital where a sentence or a title opens.

        >>> finder = NameFinder()
        >>> finder.show("Rain fell, and rain again.")
        >>> finder.is_common("Rain"), finder.is_common("Ann")
        (True, False)
        """
        return 5 * self._small[word.lower()] > self._capital[word]

    def names(self, least: int) -> set[tuple[str, ...]]:
        """The names that occur at least so often.

        >>> NameFinder().names(1)
        set()
        """
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
        """A name as it stands in a sentence, with its article where it mostly has one.

        >>> finder = NameFinder()
        >>> finder.show("They met at the Vatican.")
        >>> finder.shown(("Vatican",))
        'the Vatican'
        """
        name = self._surface.get(words) or " ".join(words)
        return f"the {name}" if 2 * self._articled[words] > self._all[words] else name

    def found_in(self, text: str, hidden: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
        """The runs of a text outside brackets, as words and place; without a common word that opens a sentence.

        >>> finder = NameFinder()
        >>> finder.show("Then he sat. They saw Ann, then left.")
        >>> [words for words, _ in finder.found_in("Then Ann sat.")]
        [('Ann',)]
        """
        for run in runs(text, hidden):
            if run.bracketed or run.after_name or run.begins_name:
                continue
            words = run.words
            if run.opens and len(words) > 1 and self.is_common(words[0]):
                words = words[1:]
            for part in self._parts(words) if self.parting else (words,):
                if bare := _bare(part):
                    yield bare, run.start_char

    def _parts(self, words: Sequence[str]) -> Iterable[tuple[str, ...]]:
        """A run of a title parted at its common words."""
        parts: dict[int, list[str]] = defaultdict(list)
        number = 0
        for word in words:
            if self.is_common(word) or word in _INSIDE:
                number += 1
            else:
                parts[number].append(word)
        return [tuple(part) for part in parts.values()]


def _bare(words: Sequence[str]) -> tuple[str, ...]:
    """A run without an article before it."""
    return tuple(words[1:] if words and words[0] in ("The", "A", "An") else words)
