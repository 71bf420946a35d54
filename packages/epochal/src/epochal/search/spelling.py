"""Words of a question that no document has, as documents spell them: with a hyphen or without, British or American.

A word that is in no dictionary and differs from one that is by a letter inside is taken for a slip: "florescent". Names
are left as they are, since another name may differ by one letter (openssh is not openssl): a name has a capital, or is
in no dictionary either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from epochal.lazy import lazy_regex
from epochal.ranking.words import is_ordinary
from epochal.reading.shared.detect import detect_language
from epochal.storage.protocol import View
from epochal.storage.text import analyse_word

__all__ = ["adapt_spelling"]

_WORD: Final = lazy_regex(r"[^\W_]+(?:[-\u2010\u2011][^\W_]+)*")
_HYPHEN: Final = lazy_regex("[-\u2010\u2011]")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
#: Letters of a word that may be spelled otherwise, and of one that may have a slip.
_LEAST: Final = 4
_LEAST_SLIPPED: Final = 7
#: Letters of each part of a word that is written with a hyphen elsewhere, and texts in which that is looked for.
_LEAST_PART: Final = 3
_READ: Final = 3
#: Spellings of one sound in British and American English, by what stands before and behind.
_PAIRS: Final[tuple[tuple[str, str], ...]] = (
    (r"ae(?=[a-z])", "e"),
    (r"oe(?=[a-z])", "e"),
    (r"our(?=s\b|ed\b|ing\b|able\b|ful\b|hood\b|ite\b|\b)", "or"),
    (r"(?<=[a-z]{2})is(?=e[sd]?\b|ing\b|ations?\b|ers?\b)", "iz"),
    (r"ys(?=e[sd]?\b|ing\b|ers?\b)", "yz"),
    (r"(?<=[bcdfghkpt])re(?=s?\b)", "er"),
    (r"logue(?=s?\b)", "log"),
    (r"ll(?=ed\b|ing\b|ers?\b|ation\b)", "l"),
    (r"ence(?=s?\b)", "ense"),
    (r"mme(?=s?\b)", "m"),
)
_BACK: Final[tuple[tuple[str, str], ...]] = (
    (r"(?<=[a-z])e(?=[a-z]{2})", "ae"),
    (r"(?<=[a-z])e(?=[a-z]{2})", "oe"),
    (r"or(?=s\b|ed\b|ing\b|able\b|ful\b|hood\b|ite\b|\b)", "our"),
    (r"(?<=[a-z]{2})iz(?=e[sd]?\b|ing\b|ations?\b|ers?\b)", "is"),
    (r"yz(?=e[sd]?\b|ing\b|ers?\b)", "ys"),
    (r"(?<=[bcdfghkpt])er(?=s?\b)", "re"),
    (r"log(?=s?\b)", "logue"),
    (r"(?<=[aeiou])l(?=ed\b|ing\b|ers?\b|ation\b)", "ll"),
    (r"ense(?=s?\b)", "ence"),
    (r"(?<=gra)m(?=s?\b)", "mme"),
)


def adapt_spelling(view: View, question: str, list_taken: Callable[[], Sequence[tuple[int, int]]]) -> dict[str, str]:
    """The words of a question that documents spell otherwise, with that spelling.

    `list_taken` says where the question has times and words of order, which stay; it is asked only if there is need.
    """
    words = {match[0]: match.span() for match in _WORD.finditer(question) if len(match[0]) >= _LEAST}
    tokens = {word: analyse_word(word) for word in words if not word.isdigit()}
    known = view.get_document_frequencies({token for read in tokens.values() for token in read})
    unknown = [word for word, read in tokens.items() if not all(map(known.get, read))]
    if not unknown or detect_language(question).code != "en":
        return {}
    taken = list_taken()
    spellings = {}
    for word in unknown:
        start, end = words[word]
        if any(low < end and start < high for low, high in taken):
            continue
        if spelling := _find_hyphens(view, word) or _find_known(view, _list_spellings(word)) or _find_slip(view, word):
            spellings[word] = spelling
    return spellings


def _find_hyphens(view: View, word: str) -> str | None:
    """The word without its hyphen, or with one: "panicprone" where documents have "panic-prone"."""
    if (joined := _HYPHEN.sub("", word)) != word:
        return _find_known(view, [joined])
    splits = [(word[:at], word[at:]) for at in range(1, len(word)) if _may_part(word, at)]
    read = {split: (*analyse_word(split[0]), *analyse_word(split[1])) for split in splits}
    known = view.get_document_frequencies({token for tokens in read.values() for token in tokens})
    for (first, second), tokens in read.items():
        if not all(map(known.get, tokens)):
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(first)}{_HYPHEN.pattern}{re.escape(second)}", re.IGNORECASE)
        for item in view.get_texts(view.search_words(f"{first} {second}", _READ).rows):
            if found := pattern.search(f"{item.title}\n{item.text}"):
                return found[0]
    return None


def _may_part(word: str, at: int) -> bool:
    """Whether a hyphen may be there: between letters and digits, or between two parts that may be words."""
    if word[at - 1].isdigit() != word[at].isdigit():
        return True
    return word.isalpha() and word[1:].islower() and _LEAST_PART <= at <= len(word) - _LEAST_PART


def _list_spellings(word: str) -> Iterator[str]:
    """A word in the other spellings of English."""
    for pattern, other in (*_PAIRS, *_BACK):
        if (spelled := re.sub(pattern, other, word, count=1)) != word:
            yield spelled


def _find_slip(view: View, word: str) -> str | None:
    """The word of a dictionary that most documents have, of those that differ by a letter inside the word."""
    is_plain = word.isascii() and word.isalpha() and word.islower() and len(word) >= _LEAST_SLIPPED
    if not is_plain or is_ordinary(analyse_word(word)):
        return None
    # At its end a letter makes another form or another name: celery and celeryd.
    inner = range(1, len(word) - 2)
    others = {word[:at] + word[at + 1 :] for at in inner}
    others |= {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in inner}
    others |= {word[:at] + sign + word[at + 1 :] for at in inner for sign in _LETTERS}
    others |= {word[:at] + sign + word[at:] for at in inner for sign in _LETTERS}
    return _find_known(view, (other for other in others if is_ordinary(analyse_word(other))))


def _find_known(view: View, spellings: Iterator[str] | Sequence[str]) -> str | None:
    """The spelling that most documents have; None where none has any."""
    read: Mapping[str, tuple[str, ...]] = {spelling: analyse_word(spelling) for spelling in spellings}
    tokens = {spelling: found[0] for spelling, found in read.items() if len(found) == 1}
    known = view.get_document_frequencies(tokens.values())
    best = max(tokens, key=lambda spelling: (known.get(tokens[spelling], 0), spelling), default=None)
    return best if best is not None and known.get(tokens[best]) else None
