"""English text to tokens with codes: one pass, no look at the rest of the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

from epochal.reading.english.lexicon import CLASSES, CODES, codes_of

__all__ = ["Tokens", "tokenise"]

_TOKEN = re.compile(
    # Nothing inside a word, a hashtag or a handle: "olympics2014", "#Friday", "@may".
    r"((?<![\w#@])(?:fy\d{4}(?!\w)|[^\W\d_]{2,}|[ap]\.\s?m\.?(?![^\W_])|b\.\s?c\.(?:\s?e\.)?|a\.\s?d\.?(?![^\W_])"
    r"|q[1-4](?![^\W_])|[^\W\d_]"
    r"|\d{4}-\d\d-\d\dt\d\d(?::?\d\d)*(?:z|[+-]\d\d:?\d\d)?"
    # "2007-08" is two years rather than a month.
    r"|\d{4}-\d{1,2}-\d{1,2}(?!\d)"
    r"|(?!\d\d(?:00-01|01-02|02-03|03-04|04-05|05-06|06-07|07-08|08-09|09-10|10-11|11-12))"
    r"\d{4}-(?:0[1-9]|1[0-2])(?![\d-])|\d{4}-w\d\d(?:-[1-7])?"
    r"|\d{1,2}-\d{1,2}-(?:\d{4}|\d\d)(?!\d)|\d+(?:[:.,/]\d+)*[^\W\d_]*)"
    r"|[^\w\s])"
)
_NUMERIC = tuple(
    (re.compile(pattern), name)
    for name, pattern in (
        ("SMALL_NUMBER", r"\d{1,2}"),
        ("YEAR", r"1\d{3}|20\d{2}|21\d{2}"),
        ("ORDINAL", r"\d{1,2}(?:st|nd|rd|th)"),
        ("DECADE", r"(?:\d{3}0|[1-9]\d0|\d0)s"),
        ("THREE_DIGITS", r"[1-9]\d{2}"),
        ("HALF", r"1/2"),
        ("NUMERIC_DATE", r"\d{4}-\d{1,2}-\d{1,2}(?:t.*)?|\d{1,2}([/-])\d{1,2}\1\d{2,4}|\d{1,2}\.\d{1,2}\.\d{4}"),
        ("NUMERIC_DATE", r"\d{4}([/.])\d{1,2}\1\d{1,2}|\d{4}-\d\d|\d{4}-w\d\d(?:-\d)?|\d{3}x|\d\dxx"),
        ("CLOCK", r"\d{1,2}(?::\d\d){1,2}(?:[ap]m)?|\d{1,2}(?:[:.]\d\d)?[ap]m|\d{3,4}[ap]m|\d{4}h(?:rs)?"),
        ("QUARTER", r"[1-4]q|\d{1,2}q\d{2,4}"),
        ("WHOLE_DURATION", r"\d{1,2}(?:hrs?|mins?|yrs?|h|days?|wks?|months?|years?|hours?|minutes?|weeks?)"),
        ("LARGE_NUMBER", r"\d{1,6}(?:\.\d+)?|\d{1,3}(?:,\d{3}){1,3}(?:\.\d+)?"),
    )
)
_QUARTER = re.compile(r"[Qq][1-4]")
#: What is spelt like a weekday and is not one.
_TESTS = {"SAT"}
#: Words that are other words too, so that only their capital form counts.
_CAPITAL_ONLY = {"may", "march", "sat", "wed", "fri", "sun", "mon", "mar", "jan", "dec", "jun", "jul", "ad", "ce", "bc"}


class _Codes(dict[str, str]):
    """Codes by word, with those of numbers and odd tokens worked out once and kept."""

    _MOST = 500_000  # a long run over many texts must not eat the memory

    def __missing__(self, word: str) -> str:
        code = CLASSES[_odd_class(word)]
        if len(self) < self._MOST:
            self[word] = code
        return code


@dataclass(slots=True)
class Tokens:
    """The tokens of a text: their lower-case texts, their codes as one string, and where they start and end.

    A token that means nothing to the grammar has the code `.`.

    >>> tokens = tokenise("In early May 1998, sales rose.")
    >>> tokens.codes, tokens.start(2), tokens.end(3)
    ('ieMY,..;', 9, 17)
    """

    text: str
    words: list[str]
    codes: str
    edges: list[int]

    def start(self, place: int) -> int:
        """Where a token starts in the text.

        >>> tokenise("in May").start(1)
        3
        """
        return self.edges[2 * place]

    def end(self, place: int) -> int:
        """Where a token ends in the text.

        >>> tokenise("in May").end(1)
        6
        """
        return self.edges[2 * place + 1]

    def is_class(self, place: int, *names: str) -> bool:
        """Whether there is a token at a place and it belongs to one of the classes.

        >>> tokenise("in May").is_class(1, "MONTH_NAME"), tokenise("in May").is_class(2, "YEAR")
        (True, False)
        """
        return 0 <= place < len(self.codes) and self.codes[place] in codes_of(*names)


def tokenise(text: str) -> Tokens:
    """Split a text into coded tokens.

    >>> tokenise("version 2.0.1 of 1998-03-05").codes, tokenise("He may march on Sat").codes
    ('..fA', '...iW')
    """
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters, such as a dotted capital I, grow when they are made small
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    # Gaps and tokens in turn: plain strings, which neither cost what match objects do nor burden the collector.
    parts = _TOKEN.split(lowered)
    words = parts[1::2]
    edges = list(accumulate(map(len, parts)))
    codes = "".join(map(_CODES.__getitem__, words))
    if "?" in codes:
        letters = list(codes)
        for place, code in enumerate(letters):
            if code == "?":
                written = text[edges[2 * place] : edges[2 * place + 1]]
                letters[place] = (
                    CODES[words[place]] if written[0].isupper() and written not in _TESTS else CLASSES["OTHER"]
                )
        codes = "".join(letters)
    return Tokens(text, words, codes, edges)


def _odd_class(word: str) -> str:
    """The class of a token that is not in the lexicon: numbers, and words with full stops inside."""
    if word[0].isdigit():
        if word[0].isascii():
            for pattern, name in _NUMERIC:
                if pattern.fullmatch(word):
                    return name
        return "OTHER"
    if "." in word:
        return "AM_PM" if word[0] in "ap" and "m" in word else "ERA"
    if word.startswith("fy") and word[2:].isdigit():
        return "NUMERIC_DATE"
    return "QUARTER" if _QUARTER.fullmatch(word) else "OTHER"


_CODES = _Codes({word: "?" if word in _CAPITAL_ONLY else code for word, code in CODES.items()})
