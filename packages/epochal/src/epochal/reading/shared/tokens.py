"""A text as coded tokens: words looked up in the lexicon of a language, numbers by their shape.

Every token has the code of its class, and a text is the string of its codes, over which the rules run. A language of
words is split at its words; one without spaces by the longest word of its lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from epochal.reading.shared.language import OTHER, Language

__all__ = ["APOSTROPHES", "Tokeniser", "Tokens"]

#: Digits of other scripts, each with its own.
_DIGITS = {
    ord(digit): str(value)
    for row in ("０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹")
    for value, digit in enumerate(row)
}
_DIGITS |= {ord("："): ":", ord("．"): ".", ord("／"): "/"}
#: The apostrophes in use, as one.
APOSTROPHES = {ord(sign): "'" for sign in "’ʼ՚‵`´＇"}
_FOREIGN = re.compile("[０-９٠-٩۰-۹：．／]")
_NUMBER = (
    r"\d{1,2}h\d\d(?!\w)|\d{4}-\d\d-\d\dt\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?(?:z|[+-]\d\d:?\d\d)?"
    r"|\d{4}-w\d\d(?:-[1-7])?|\d{1,4}-\d{1,2}-\d{1,4}(?![\d-])"
    # "2007-08" is two years rather than a month.
    r"|(?!\d\d(?:00-01|01-02|02-03|03-04|04-05|05-06|06-07|07-08|08-09|09-10|10-11|11-12))"
    r"\d{4}-(?:0[1-9]|1[0-2])(?![\d-])|(?<![-/.])(?:1[5-9]|20)\d\d[-–]\d\d(?![\da-z/–-])"
)
#: Codes that only say that a word needs a closer look: it counts with a capital only, or is made of several.
_CAPITAL, _SPLIT, _PHRASE = "\x01", "\x02", "\x03"
#: No word of time is longer.
_LONGEST = 60
#: Words whose codes are kept, and words that the lexicon does not have whose meaning is.
_MOST_CODES, _KEPT_ODD = 50_000, 4_096
#: Classes of words that name days.
_NAMES = frozenset(("WEEKDAY", "MONTH_NAME", "TODAY"))
_CLOSER = re.compile(f"[{_CAPITAL}{_SPLIT}{_PHRASE}]")
_GROUP = re.compile(r"\(\?P<\w+>")
_BACK = re.compile(r"\(\?P=\w+\)")


@dataclass(slots=True)
class Tokens:
    """The tokens of a text: their lower-case words, their codes as one string, and where they start and end."""

    text: str
    words: list[str]
    codes: str
    starts: list[int]
    ends: list[int]


class _OddWord(NamedTuple):
    """A word that the lexicon does not have: its code, what it means, and the words that are written as one in it."""

    code: str = OTHER
    value: Any = None
    pieces: tuple[str, ...] = ()


class _Codes(dict[str, str]):
    """Codes by word; those of numbers and of words in several pieces are worked out once and kept."""

    def __init__(self, tokeniser: Tokeniser, codes: Mapping[str, str]) -> None:
        super().__init__(codes)
        self._tokeniser = tokeniser

    def __missing__(self, word: str) -> str:
        code = self._tokeniser.read_odd(word).code
        if len(word) <= _LONGEST:
            self[word] = code
        return code


class Tokeniser:
    """Splits the texts of a language into coded tokens, and knows what each word means."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._classes = language.classes
        self._by_longest = language.settings.tokens == "longest"
        self._capitals = frozenset(language.settings.capital_only.split())
        self._values: dict[str, Any] = {
            word.replace(" ", "") if self._by_longest else word: value for word, value in language.values.items()
        }
        #: Values and pieces are asked for soon after the code.
        self.read_odd = lru_cache(_KEPT_ODD)(self._read_odd)

    # ------------------------------------------------------------------------------------------------- the lexicon

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        stop = r"(?!\d)" if self._by_longest else r"(?!\w)"
        own = "|".join(
            _BACK.sub(r"[-/.]", _GROUP.sub("(?:", shape.pattern.pattern)) + stop
            for shape in self.language.shapes[: self._count_own()]
        )
        numbers = "|".join(filter(None, (own, _NUMBER, r"\d+(?:[:.,/]\d+)*")))
        if self._by_longest:
            words = sorted(self.language.class_of, key=len, reverse=True)
            return re.compile(f"({numbers}|{_write_trie(words)}|[^\\W\\d_a-z]?[a-z]+)")
        words_of = self._elided + r"[^\W\d_]{1,6}'(?=[^\W\d_])|[^\W\d_]+" if self._elided else r"[^\W\d_]+"
        if marks := self.language.settings.marks:
            words_of = rf"[^\W\d_](?:[^\W\d_]|[{marks}])*"
        glued = ""
        if prefixes := "".join(one for one in self.language.settings.prefixes.split() if len(one) == 1):
            glued = rf"(?<=\b[{prefixes}])(?:{numbers})|"
        return re.compile(rf"({glued}(?<![\w#@])(?:[qst][1-4](?!\w)|{words_of}|(?:{numbers})[^\W\d_]*)|[^\w\s])")

    @cached_property
    def _elided(self) -> str:
        """The words of the lexicon that end in an apostrophe: a space may follow them in old and in tokenised texts."""
        if not self.language.settings.elision:
            return ""
        words = sorted((word for word in self.language.class_of if re.fullmatch(r"[^\W\d_]+'", word)), key=len)
        return "".join(f"{word}|" for word in reversed(words))

    def _count_own(self) -> int:
        from epochal.reading.shared.shapes import SHAPES

        return len(self.language.shapes) - len(SHAPES[self.language.settings.date_order])

    @cached_property
    def _phrases(self) -> dict[str, list[tuple[str, ...]]]:
        """The entries of several tokens by the first of them, the longest first."""
        phrases: dict[str, list[tuple[str, ...]]] = {}
        if not self._by_longest:
            for word in self.language.class_of:
                pieces = tuple(piece for piece in self._pattern.split(word)[1::2])
                if len(pieces) > 1:
                    phrases.setdefault(pieces[0], []).append(pieces)
        return {first: sorted(rows, key=len, reverse=True) for first, rows in phrases.items()}

    @cached_property
    def _seconds(self) -> dict[str, frozenset[str]]:
        """The words that come second in the entries of several tokens, by the first."""
        return {first: frozenset(row[1] for row in rows) for first, rows in self._phrases.items()}

    @cached_property
    def _joined(self) -> dict[tuple[str, ...], str]:
        """The entry that several tokens are."""
        return {
            tuple(self._pattern.split(word)[1::2]): word
            for word in self.language.class_of
            if self._pattern.split(word)[1::2] != [word]
        }

    @cached_property
    def _lexicon_codes(self) -> dict[str, str]:
        codes = {
            word.replace(" ", "") if self._by_longest else word: self._classes[name]
            for word, name in self.language.class_of.items()
        }
        codes |= dict.fromkeys(self.language.settings.capital_only.split(), _CAPITAL)
        codes |= dict.fromkeys(self._phrases, _PHRASE)
        return codes

    @cached_property
    def _codes(self) -> _Codes:
        return _Codes(self, self._lexicon_codes)

    def _get_codes(self) -> _Codes:
        """The codes of words; new ones once they are many, for a long run over many texts must not eat the memory."""
        if len(self._codes) > _MOST_CODES:
            self._codes = _Codes(self, self._lexicon_codes)
        return self._codes

    def _read_odd(self, word: str) -> _OddWord:
        """A word that the lexicon does not have: a number, or several words written as one."""
        if len(word) > _LONGEST:
            return _OddWord()
        if any(char.isdigit() for char in word[:3]):
            for shape in self.language.shapes:
                if (match := shape.pattern.fullmatch(word)) is not None:
                    return _OddWord(self._classes[shape.name], match.groupdict())
            number = re.match(r"[\d:.,/]*\d", word)
            if number is not None and (rest := word[number.end() :]) in self.language.class_of:
                return _OddWord(_SPLIT, pieces=(number[0], rest))
            return _OddWord()
        value = self.language.number_of(word)
        if value is not None:
            return _OddWord(self._classes["NUMBER_WORD"], value)
        pieces = self._split(word)
        return _OddWord() if pieces is None else _OddWord(_SPLIT, pieces=pieces)

    @property
    def entries(self) -> frozenset[str]:
        """The words that are known as they are: those of the lexicon, and the first ones of its phrases."""
        return frozenset(word for word, code in self._lexicon_codes.items() if code != OTHER)

    def is_known(self, word: str) -> bool:
        """Whether a word, or the words that it is made of, are in the lexicon."""
        return self._get_codes()[word] != OTHER

    def _split(self, word: str) -> tuple[str, ...] | None:
        """The words of the lexicon that are written as one: "freitag" "abend"."""
        class_of = self.language.class_of
        for first, second in self.language.settings.compounds:
            for cut in range(2, len(word) - 1):
                head, tail = word[:cut], word[cut:]
                if class_of.get(head) == first and class_of.get(tail) == second:
                    return head, tail
        for prefix in self.language.settings.prefixes.split():
            rest = word[len(prefix) :]
            if word.startswith(prefix) and rest and (rest in class_of or self._split_again(rest)):
                more = self._split_again(rest) or (rest,)
                return (prefix, *more)
        return None

    def _split_again(self, rest: str) -> tuple[str, ...] | None:
        return None if rest in self.language.class_of or len(rest) < 3 else self._split(rest)

    def value(self, word: str) -> Any:
        """What a word means: the key of its table, the parts of a numeric date, the number of number words."""
        if word in self._values or word in self.language.class_of:
            return self._values.get(word)
        # The first word of a phrase may be a number.
        return self.read_odd(word).value if self._lexicon_codes.get(word, _PHRASE) == _PHRASE else None

    # -------------------------------------------------------------------------------------------------- the tokens

    def tokenise(self, text: str) -> Tokens:
        """Split a text into coded tokens."""
        lowered = text.lower()
        if len(lowered) != len(text):  # a few letters, such as a dotted capital I, grow when they are made small
            lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
        if _FOREIGN.search(lowered) is not None:
            lowered = lowered.translate(_DIGITS)
        if self.language.settings.elision:
            lowered = lowered.translate(APOSTROPHES)
        lowered = self.language.unify(lowered)
        if self._by_longest:
            return self._tokenise_by_longest(text, lowered)
        # Gaps and tokens in turn: plain strings, which cost less than match objects do.
        parts = self._pattern.split(lowered)
        words = parts[1::2]
        edges = list(accumulate(map(len, parts)))
        if self.language.settings.marks:
            words = [self.language.drop_marks(word) or word for word in words]
        codes = "".join(map(self._get_codes().__getitem__, words))
        tokens = Tokens(text, words, codes, edges[0::2], edges[1::2])
        return self._look_closer(tokens) if _CLOSER.search(codes) else tokens

    def _tokenise_by_longest(self, text: str, lowered: str) -> Tokens:
        words: list[str] = []
        codes: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        word_starts, known = self.language.settings.word_starts, self._get_codes()
        end = 0
        for match in self._pattern.finditer(lowered):
            if (
                word_starts
                and match.start()
                and lowered[match.start() - 1].isalpha()
                and match[0][0].isalpha()
                and (end < match.start() or (codes and codes[-1] == OTHER))
            ):
                continue  # within a word that the lexicon does not have
            if lowered[end : match.start()].strip():
                words.append(lowered[end : match.start()])
                codes.append(OTHER)
                starts.append(end)
                ends.append(match.start())
            end = match.end()
            word = "".join(match[0].split())
            words.append(word)
            codes.append(known[word])
            starts.append(match.start())
            ends.append(end)
        if lowered[end:].strip():
            words.append(lowered[end:])
            codes.append(OTHER)
            starts.append(end)
            ends.append(len(text))
        return Tokens(
            text, words, "".join(code if code not in "\x01\x02\x03" else OTHER for code in codes), starts, ends
        )

    def _look_closer(self, tokens: Tokens) -> Tokens:
        """The tokens with phrases as one, joined words split, and capitals checked."""
        words: list[str] = []
        codes: list[str] = []
        starts: list[int] = []
        ends: list[int] = []

        def add(word: str, code: str, start: int, end: int) -> None:
            words.append(word)
            codes.append(code)
            starts.append(start)
            ends.append(end)

        done = 0
        for match in _CLOSER.finditer(tokens.codes):
            place = match.start()
            if place < done:
                continue  # a later word of a phrase
            words += tokens.words[done:place]
            codes.append(tokens.codes[done:place])
            starts += tokens.starts[done:place]
            ends += tokens.ends[done:place]
            done = place + 1
            word, code = tokens.words[place], match[0]
            start, end = tokens.starts[place], tokens.ends[place]
            if code == _PHRASE:
                phrase = self._find_phrase(tokens, place)
                if phrase is not None:
                    done = place + phrase[0]
                    joined = phrase[1]
                    add(joined, self._classes[self.language.class_of[joined]], start, tokens.ends[done - 1])
                    continue
                code = _CAPITAL if word in self._capitals else self._plain_code(word)
            if code == _CAPITAL:
                is_name = tokens.text[start].isupper() or self._is_beside_time(tokens, place)
                code = self._classes[self.language.class_of[word]] if is_name else OTHER
            if code == _SPLIT:
                for piece in self.read_odd(word).pieces:
                    add(piece, self._plain_code(piece), start, start + len(piece))
                    start += len(piece)
                ends[-1] = end  # signs inside the word have been dropped
                continue
            add(word, code, start, end)
        words += tokens.words[done:]
        codes.append(tokens.codes[done:])
        starts += tokens.starts[done:]
        ends += tokens.ends[done:]
        return Tokens(tokens.text, words, "".join(codes), starts, ends)

    def _is_beside_time(self, tokens: Tokens, place: int) -> bool:
        """Whether a short name of a weekday or month is all of a text, or has a number or another name beside it."""
        words = [word for word in tokens.words[max(0, place - 2) : place + 3] if word not in ".,"]
        if len(words) == 1:
            return len(tokens.words) < 3
        at = words.index(tokens.words[place])
        beside = (*words[max(0, at - 1) : at], *words[at + 1 : at + 2])
        return any(
            word[0].isdigit() or word in self._capitals or self.language.class_of.get(word) in _NAMES for word in beside
        )

    def _plain_code(self, word: str) -> str:
        """The code of a word by itself."""
        if word in self.language.class_of:
            return self._classes[self.language.class_of[word]]
        code = self.read_odd(word).code
        return OTHER if code in (_SPLIT, _PHRASE, _CAPITAL) else code

    def _find_phrase(self, tokens: Tokens, place: int) -> tuple[int, str] | None:
        words = tokens.words
        if place + 1 == len(words) or words[place + 1] not in self._seconds[words[place]]:
            return None  # most words that start a phrase stand alone
        for pieces in self._phrases[words[place]]:
            if tuple(words[place : place + len(pieces)]) == pieces:
                return len(pieces), self._joined[pieces]
        return None


def _write_trie(words: Iterable[str]) -> str:
    """A pattern of the longest of some words; a space in a word may be missing in the text."""
    trie: dict[str, Any] = {}
    for word in words:
        node = trie
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _write_node(trie)


def _write_node(node: Mapping[str, Any]) -> str:
    options = [
        ((r"\s?" if char == " " else re.escape(char)) + (_write_node(rest) if rest.keys() != {""} else ""))
        for char, rest in node.items()
        if char
    ]
    if not options:
        return ""
    inside = options[0] if len(options) == 1 else f"(?:{'|'.join(options)})"
    if "" not in node:
        return inside
    return f"(?:{inside})?"
