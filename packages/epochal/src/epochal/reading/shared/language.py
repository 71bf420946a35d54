"""A language: the words of time with their values, the shapes of its numbers, and its rules, from its own folder.

`words.toml` is data. The tables `[language]`, `[endings]`, `[shapes]`, `[cues]`, `[guards]`, `[words]`, `[questions]`
are described in docs/develop/add-a-language.md; every other table is a class of tokens whose keys are values and whose
texts are the words that mean them:

    [WEEKDAY]
    5 = "freitag freitags fr"
    [LAST]
    -1 = "letzt{adj} vorig{adj}"

A text lists words with spaces between them; `_` is a space inside a word, and `{adj}` stands for each of the endings
that `[endings]` gives that name. `rules.py` has the rows of the grammar, in layers: see `epochal.reading.grammar`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from epochal.reading.grammar import Grammar, GrammarError, Rule, join_classes
from epochal.reading.shared.shapes import SHAPES, Shape
from epochal.tables import read_toml

__all__ = ["NODES", "OTHER", "TIME_CLASSES", "Language"]

#: The classes of what rules have read already, which the rules of later layers are written in.
NODES = ("DAY", "PERIOD", "TIME", "MOMENT", "DURATION", "SET", "RANGE", "WINDOW", "REFERENCE")
#: Classes that make a stretch of tokens worth reading.
TIME_CLASSES = (
    "YEAR",
    "NUMERIC_DATE",
    "DAY_MONTH",
    "CLOCK",
    "DECADE",
    "QUARTER",
    "MONTH_NAME",
    "WEEKDAY",
    "SEASON",
    "UNIT",
    "TODAY",
    "NOW",
    "DAYPART",
    "HOLIDAY",
    "ERA",
    "FREQUENCY",
    "WHOLE_DURATION",
    "HOUR_MARK",
    "HOUR_WORD",
    "UNIT_WORD",
    "PART_UNIT",
    "WEEKDAY_SET",
    "MORROW",
    "QUARTER_HOUR",
)
#: Further classes that every language has, with words or without.
_STANDARD = (
    "NUMBER_WORD",
    "ORDINAL",
    "A",
    "AM_PM",
    "ZONE",
    "PART",
    "ABOUT",
    "LAST",
    "THIS",
    "NEXT",
    "POINTING",
    "MORROW",
    "MORNING",
    "FEW",
    "HALF",
    "QUARTER_HOUR",
    "SHARE",
    "AND",
    "SHORT_YEAR",
    "EVERY",
    "WHOLE",
    "MORE",
)
#: The class of all words that mean nothing here, and its code.
OTHER = "."
_PLAIN = {"language", "endings", "shapes", "cues", "guards", "words", "questions"}
#: Signs that all languages share.
_SIGNS = {
    "-": "- – — − ‐ ‑ ~ ～ 〜 －",
    ",": ", ، 、 ，",
    ".": ". 。",
    "/": "/",
    "'": "' ’",
    "(": "( （",
    ")": ") ）",
    "?": "? ？ ؟",
    "!": "! ！",
    ";": "; ；",
    ":": ": ：",
}
#: No shorter word is read without its accents.
_SHORTEST = 4
_QUOTED = re.compile(r'"([^"\s]+)"')
#: The codes of classes, in the order in which they are given out.
_CODES = [chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0x100)) if chr(code) != OTHER]


@dataclass(frozen=True, slots=True)
class _Settings:
    """The table `[language]`, with what is taken where it says nothing."""

    code: str
    name: str
    #: How its numeric dates are written: dmy, mdy or ymd.
    date_order: str = "dmy"
    #: How a text is split: at its words, or by the longest word of the lexicon, for scripts without spaces.
    tokens: str = "words"
    #: With `tokens = "longest"`: whether a word of the lexicon must start where a word of the text does.
    word_starts: bool = False
    #: Whether a word ends at its apostrophe: "l'" and "année".
    elision: bool = False
    #: Whether number words are written together, and what may come between: "zwei" "und" "zwanzig".
    compound_numbers: bool = False
    number_joiners: str = ""
    #: Pairs of classes whose words are written together: "freitag" "abend".
    compounds: tuple[tuple[str, str], ...] = ()
    #: Letters in front of a word that belong to it or are a word of their own: the Arabic article.
    prefixes: str = ""
    #: Letters that are written in several ways: pairs of one and what it is read as, "أا".
    letters: str = ""
    #: Signs inside words that mean nothing here, such as vowel points; and signs that are read as a space.
    marks: str = ""
    spaces: str = ""
    #: Whether words are read without their accents too, and the words that are not.
    unaccented: bool = False
    accented_only: str = ""
    #: Whether months and weekdays are written small, so that a capital may show a name.
    small_names: bool = False
    #: Words that are other words too, so that they count with a capital only.
    capital_only: str = ""
    #: Whether "next Friday", said on a Thursday, is that of the week after.
    skips_tomorrow: bool = False
    #: The hour at which the afternoon ends.
    afternoon_ends: int = 18
    #: Further classes that make a stretch of tokens worth reading.
    triggers: tuple[str, ...] = ()


class Language:
    """A language that the shared reader reads.

    `layers` are the rules: those of the first read words, those of each further one what the layers before it made.
    `macros` name patterns for use in the rules.

    >>> from epochal.reading.german import GERMAN
    >>> GERMAN.code, GERMAN.values["freitag"]
    ('de', 5)
    """

    def __init__(self, folder: Path, layers: Sequence[Sequence[Rule]], macros: Mapping[str, str]) -> None:
        self.folder = folder
        self.layers = tuple(tuple(layer) for layer in layers)
        self.macros = dict(macros)
        self._cues: dict[str, frozenset[str]] = {}

    @cached_property
    def _table(self) -> dict[str, Any]:
        return read_toml(self.folder / "words.toml", keep_as=f"words-{self.folder.name}")

    @cached_property
    def settings(self) -> _Settings:
        """The table `[language]`."""
        table = dict(self._table["language"])
        table["compounds"] = tuple(tuple(pair.split()) for pair in table.get("compounds", ()))
        table["triggers"] = tuple(table.get("triggers", "").split())
        try:
            return _Settings(**table)
        except TypeError as error:
            raise GrammarError(f"{self.folder.name}/words.toml, [language]: {error}") from None

    @property
    def code(self) -> str:
        """The ISO 639-1 code."""
        return self.folder_code

    @cached_property
    def folder_code(self) -> str:
        """The code that `[language]` states."""
        return str(self._table["language"]["code"])

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """The words of each class."""
        listed = {name: signs.split() for name, signs in _SIGNS.items()}
        for name, table in self._table.items():
            if name not in _PLAIN:
                listed[name] = [word for text in table.values() for word in self._expand(text)]
        for name, text in self._table.get("words", {}).items():
            listed.setdefault(name, []).extend(self._expand(text))
        known = {word for words in listed.values() for word in words}
        if self.settings.unaccented:
            for words in listed.values():
                bare = dict.fromkeys(map(self._write_bare, words))
                words.extend(word for word in bare if word and word not in known)
        # A quoted word of a rule is a class of its own, unless the lexicon has that class already.
        for name in self._quoted():
            if name not in listed and name not in known:
                listed[name] = [name]
        return listed

    def _write_bare(self, word: str) -> str:
        """A word without its accents, as many type it; empty where that is the word, too short, or another word."""
        bare = "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))
        is_other = bare == word or len(bare) < _SHORTEST or word in self.settings.accented_only.split()
        return "" if is_other else bare

    def _quoted(self) -> Iterator[str]:
        for pattern in (*self.macros.values(), *(rule.pattern for layer in self.layers for rule in layer)):
            yield from _QUOTED.findall(pattern)

    def _expand(self, text: str) -> Iterator[str]:
        for word in text.split():
            for form in self._write_forms(word):
                yield self.drop_marks(self.unify(form.replace("_", " ")))

    def _write_forms(self, word: str) -> Iterator[str]:
        """The forms that a word with named endings (or beginnings) has."""
        endings: Mapping[str, str] = self._table.get("endings", {})
        stem, brace, name = word.partition("{")
        if not brace:
            yield word
            return
        name, _, rest = name.partition("}")
        if name not in endings:
            raise GrammarError(f"{word!r} names the endings {name!r}; {self.folder.name} has {sorted(endings)}")
        for ending in endings[name].split():
            yield from self._write_forms(stem + ("" if ending == "-" else ending) + rest)

    def unify(self, text: str) -> str:
        """The text with each letter as it is read, of the same length."""
        return text.translate(self._letters) if self._letters else text

    def drop_marks(self, word: str) -> str:
        """A word without the signs that mean nothing."""
        return word.translate(self._marks) if self._marks else word

    @cached_property
    def _letters(self) -> dict[int, str]:
        letters = {ord(pair[0]): pair[1] for pair in self.settings.letters.split()}
        return letters | {ord(sign): " " for sign in self.settings.spaces}

    @cached_property
    def _marks(self) -> dict[int, str]:
        return {ord(sign): "" for sign in self.settings.marks}

    @cached_property
    def values(self) -> dict[str, Any]:
        """The value of each word of a class that has values."""
        values: dict[str, Any] = {}
        for name, table in self._table.items():
            if name not in _PLAIN:
                for key, text in table.items():
                    values |= dict.fromkeys(self._expand(text), _read_key(key))
        if self.settings.unaccented:
            values |= {bare: values[word] for word in (*values,) if (bare := self._write_bare(word)) not in values}
            values.pop("", None)
        return values

    @cached_property
    def classes(self) -> dict[str, str]:
        """The code of each class."""
        shapes = [shape.name for shape in self.shapes]
        names = dict.fromkeys((*NODES, *TIME_CLASSES, *shapes, *_STANDARD, *sorted(self.words)))
        if len(names) > len(_CODES):
            raise GrammarError(f"{self.folder.name} has {len(names)} classes; {len(_CODES)} are possible")
        return {"OTHER": OTHER} | dict(zip(names, _CODES, strict=False))

    @cached_property
    def class_of(self) -> dict[str, str]:
        """The class of each word."""
        classes: dict[str, str] = {}
        for name, words in self.words.items():
            for word in words:
                if classes.setdefault(word, name) != name:
                    raise GrammarError(
                        f"{self.folder.name}: the word {word!r} is in two classes, {classes[word]} and {name}; "
                        "it can be in one"
                    )
        return classes

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of its numbers, its own first."""
        own = [
            Shape(name, re.compile(pattern))
            for name, patterns in self._table.get("shapes", {}).items()
            for pattern in ([patterns] if isinstance(patterns, str) else patterns)
        ]
        return (*own, *SHAPES[self._table["language"].get("date_order", "dmy")])

    @cached_property
    def grammars(self) -> tuple[Grammar, ...]:
        """The rules of each layer, ready to match."""
        triggers = [name for name in (*TIME_CLASSES, *self.settings.triggers) if name in self.classes]
        nodes = join_classes(NODES)
        return tuple(
            Grammar(
                self.classes,
                self.macros,
                layer,
                join_classes(triggers) if not number else nodes,
                self.words,
                keep_as=f"grammar-{self.folder.name}-{number}",
            )
            for number, layer in enumerate(self.layers)
        )

    def question_words(self, name: str) -> tuple[str, ...]:
        """The words and phrases that the table `[questions]` lists under a name, longer ones first."""
        text = self._table.get("questions", {}).get(name, "")
        return tuple(sorted(dict.fromkeys(self._expand(text)), key=len, reverse=True))

    def cue_words(self, name: str) -> frozenset[str]:
        """The words that the table `[cues]` or `[guards]` lists under a name."""
        if name not in self._cues:
            tables = self._table.get("cues", {}) | self._table.get("guards", {})
            self._cues[name] = frozenset(self._expand(str(tables.get(name, ""))))
        return self._cues[name]

    @cached_property
    def past_forms(self) -> re.Pattern[str] | None:
        """What verbs of the past look like."""
        pattern = self._table.get("cues", {}).get("past_forms")
        return None if pattern is None else re.compile(pattern)

    @cached_property
    def future_forms(self) -> re.Pattern[str] | None:
        """What verbs of the future look like."""
        pattern = self._table.get("cues", {}).get("future_forms")
        return None if pattern is None else re.compile(pattern)

    @cached_property
    def participles(self) -> re.Pattern[str] | None:
        """What participles of the past look like."""
        pattern = self._table.get("cues", {}).get("participles")
        return None if pattern is None else re.compile(pattern)

    @cached_property
    def bare_participles(self) -> re.Pattern[str] | None:
        """What participles look like that count without an auxiliary, where no verb of the sentence says more."""
        pattern = self._table.get("cues", {}).get("bare_participles")
        return None if pattern is None else re.compile(pattern)

    def number_of(self, word: str) -> float | None:
        """The number that number words written as one word mean; None where they are something else.

        >>> from epochal.reading.german import GERMAN
        >>> GERMAN.number_of("neunzehnhundertachtundneunzig")
        1998.0
        """
        if not self.settings.compound_numbers or self._number_word is None or len(word) < 5:
            return None
        if self._number_word.fullmatch(word) is None:
            return None
        values, place = [], 0
        while place < len(word):
            match = self._number_part.match(word, place)
            if match is None or match.end() == place:
                return None
            if (value := self.values.get(match[0])) is not None:
                values.append(value)
            place = match.end()
        return self.add_numbers(values)

    @cached_property
    def _number_part(self) -> re.Pattern[str]:
        known = [*self.words.get("NUMBER_WORD", ()), *self.words.get("A", ())]
        words = sorted(known, key=len, reverse=True)
        return re.compile("|".join((*words, *self.settings.number_joiners.split())))

    @cached_property
    def _number_word(self) -> re.Pattern[str] | None:
        return re.compile(f"(?:{self._number_part.pattern})+") if self.words.get("NUMBER_WORD") else None

    def add_numbers(self, values: Iterable[float]) -> float:
        """The number that several number words make: 2, 100, 20, 3 are 223."""
        total = current = 0.0
        for value in values:
            if value >= 1000:
                total, current = (total + max(current, 1)) * value if current or not total else total * value, 0.0
            elif value == 100:
                current = max(current, 1) * value
            else:
                current += value
        return total + current


def _read_key(key: str) -> Any:
    return int(key) if re.fullmatch(r"-?\d+", key) else float(key) if re.fullmatch(r"-?\d+\.\d+", key) else key
