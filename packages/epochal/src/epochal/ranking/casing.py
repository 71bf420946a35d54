"""Capitals of a question that is written without any, as the documents that have its words write them.

Who types "what did the clean air act say in 1990" names the Clean Air Act. Without its capitals a name that is made of
ordinary words looks like ordinary words, which a text may say in another way or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from epochal.lazy import lazy_regex
from epochal.ranking.pool import Pool, scale_to_best
from epochal.reading.shared.detect import detect_language
from epochal.storage.protocol import get_headings

__all__ = ["find_initials", "restore_capitals"]

#: So many of the best candidates are read, and so much of each.
_CANDIDATES: Final = 40
_MAX_CHARACTERS: Final = 2_000
#: The share of the places at which a name has its capitals.
_NAMED: Final = 0.8
#: The places at which a word alone must be seen; two words side by side say enough at one.
_SINGLE_PLACES: Final = 2
#: Letters of a word that may be a name, and of one that a title in which not all begins with a capital writes small.
_MIN_LETTERS: Final = 3
_MIN_SMALL: Final = 4
#: The longest short form: NATO, UNESCO.
_MAX_SHORT: Final = 6
#: Words between those of a name: "Estatuto de los Trabajadores".
_MAX_BETWEEN: Final = 2
#: The language whose words and names are told apart by a dictionary: "news" is no name, for all of "BBC News".
_WITH_DICTIONARY: Final = "en"
#: Languages that write every noun with a capital.
_NOUN_CAPITALS: Final = ("de",)
_WORD: Final = lazy_regex(r"[^\W\d_]+")
#: What may be between the beginning of a sentence and its first word, and what ends the one before.
_OPENING: Final = " \t\"'“‘«([*_"
_ENDING: Final = '.!?:;•*#>\n"”»—–|/-'
_SEEN_BEFORE: Final = 8
#: Letters that stand for ASCII ones where case does not matter, and that are none of those in small letters.
_UNUSUAL: Final = lazy_regex("[ıſ]")


class _Texts:
    """Texts, and the same in small letters: those that have a word are found once for each word."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.all = list(texts)
        self._small = [text.lower() for text in self.all]
        self._having: dict[str, frozenset[int]] = {}
        #: Texts in which letters that are no ASCII ones may stand for these, or for two small letters.
        self._unusual = frozenset(at for at, text in enumerate(self.all) if _UNUSUAL.search(text))
        self._shifted = frozenset(
            at for at, (text, small) in enumerate(zip(self.all, self._small, strict=True)) if len(text) != len(small)
        )

    def _find_having(self, word: str) -> frozenset[int]:
        if word not in self._having:
            self._having[word] = frozenset(at for at, small in enumerate(self._small) if word in small)
        return self._having[word]

    def find_written(self, words: Sequence[str]) -> Iterator[str]:
        """Words side by side as the texts write them. A pattern is made only where letters are unusual."""
        plain = [word for word in words if word.isascii()]
        having = [self._find_having(word) for word in plain]
        pattern: re.Pattern[str] | None = None
        for at in sorted(having[0].intersection(*having[1:]) | self._unusual if having else range(len(self.all))):
            if len(plain) == len(words) and at not in self._unusual and at not in self._shifted:
                yield from self._find(words, self.all[at], self._small[at])
                continue
            if pattern is None:
                spaced = r"\s+".join(map(re.escape, words))
                pattern = re.compile(rf"(?<!\w){spaced}(?!\w)", re.IGNORECASE)
            yield from (match[0] for match in pattern.finditer(self.all[at]))

    @staticmethod
    def _find(words: Sequence[str], text: str, small: str) -> Iterator[str]:
        """Words of small ASCII letters side by side as a text writes them."""
        start = small.find(words[0])
        while start >= 0:
            end = _match(words, small, start)
            if end:
                yield text[start:end]
            start = small.find(words[0], end or start + 1)


def _match(words: Sequence[str], text: str, start: int) -> int:
    """Where words end that stand side by side from a place of a text on; 0 where they do not."""
    if start and _is_part(text[start - 1]):
        return 0
    end = start + len(words[0])
    for word in words[1:]:
        behind = end
        while behind < len(text) and text[behind].isspace():
            behind += 1
        if behind == end or not text.startswith(word, behind):
            return 0
        end = behind + len(word)
    return 0 if end < len(text) and _is_part(text[end]) else end


def _is_part(sign: str) -> bool:
    """Whether a character is a part of a word."""
    return sign.isalnum() or sign == "_"


class _Word(NamedTuple):
    """A word of a question, with the place of its first letter."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def restore_capitals(pool: Pool) -> Pool:
    """The pool with the capitals of names in its question, if that has no capital letter anywhere."""
    question = pool.question
    language = detect_language(question).code
    if not len(pool) or question != question.lower() or language in _NOUN_CAPITALS:
        return pool
    read = [_Word(match[0], match.start()) for match in _WORD.finditer(question)]
    has_case = any(word.text.upper() != word.text for word in read)
    texts = _Texts(_read_texts(pool) if has_case else ())
    places = {*_find_names(question, read, texts), *_find_short_forms(read, texts)}
    if language != _WITH_DICTIONARY:
        places.update(_find_words(read, texts))
    letters = [sign.upper() if at in places else sign for at, sign in enumerate(question)]
    restored = "".join(letters)
    return replace(pool, question=restored) if places and len(restored) == len(question) else pool


def _read_texts(pool: Pool) -> Iterator[str]:
    """The titles and texts of the best candidates; a title that begins all its words with capitals says nothing."""
    prior = scale_to_best(pool.lexical) + scale_to_best(pool.semantic)
    best = np.sort(np.argsort(-prior, kind="stable")[:_CANDIDATES])
    documents = np.unique(pool.document_rows[best])
    for heading in get_headings(pool.view, documents):
        if any(len(word) >= _MIN_SMALL and word.islower() for word in _WORD.findall(heading.title)):
            yield heading.title
    for item in pool.view.get_texts(pool.rows[best]):
        yield item.text[:_MAX_CHARACTERS]


def _find_names(question: str, read: Sequence[_Word], texts: _Texts) -> Iterator[int]:
    """The first letters of words that the texts write with capitals where they are side by side as in the question."""
    for at, first in enumerate(read):
        for last in read[at + 1 : at + 2 + _MAX_BETWEEN]:
            between = question[first.end : last.start]
            if any(not (sign.isalpha() or sign in " '’") for sign in between):
                break
            if min(len(first.text), len(last.text)) < _MIN_LETTERS:
                continue
            words = question[first.start : last.end].split()
            seen = [found for found in texts.find_written(words) if not found.isupper()]
            size = len(last.text)
            named = sum(item[0].isupper() and item[-size].isupper() for item in seen)
            if seen and named >= _NAMED * len(seen):
                yield from (first.start, last.start)


def _find_short_forms(read: Sequence[_Word], texts: _Texts) -> Iterator[int]:
    """All letters of words that the texts write in capitals, or write out as a name whose initials they are."""
    together = "\n".join(texts.all)
    lines = _Texts(line for line in together.split("\n") if not line.isupper())
    for word in read:
        if not _MIN_LETTERS <= len(word.text) <= _MAX_SHORT:
            continue
        seen = list(lines.find_written([word.text]))
        if sum(item.isupper() for item in seen) < _NAMED * len(seen):
            continue
        if seen or _compile_initials(word.text.upper()).search(together):
            yield from range(word.start, word.end)


def _find_words(read: Sequence[_Word], texts: _Texts) -> Iterator[int]:
    """The first letters of words that the texts write with capitals inside of sentences."""
    long = {word.text for word in read if len(word.text) >= _MIN_LETTERS}
    if not long:
        return
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(map(re.escape, long)))})(?!\w)", re.IGNORECASE)
    seen: dict[str, list[bool]] = {}
    for text in texts.all:
        for match in pattern.finditer(text):
            if not match[0].isupper() and not _begins_sentence(text, match.start()):
                seen.setdefault(match[0].lower(), []).append(match[0][0].isupper())
    for word in read:
        places = seen.get(word.text, [])
        if len(places) >= _SINGLE_PLACES and sum(places) >= _NAMED * len(places):
            yield word.start


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - _SEEN_BEFORE) : start].rstrip(_OPENING)
    return not before or before[-1] in _ENDING


def find_initials(short: str, text: str) -> list[str]:
    """The names in a text whose initials a short form is; small words may stand between theirs.

    >>> find_initials("IVA", "El Impuesto sobre el Valor Añadido (21 %)")
    ['Impuesto sobre el Valor Añadido']
    """
    return _compile_initials(short).findall(text)


@lru_cache(maxsize=64)
def _compile_initials(short: str) -> re.Pattern[str]:
    between = r"(?:[^\S\n]+[^\W\d_]{1,5}){0,2}[^\S\n]+"
    return re.compile(between.join(rf"{sign}[^\W\d_]+" for sign in short))
