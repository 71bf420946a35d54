"""A match of the grammar while it is worked out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.reading.english.lexicon import CARDINALS, MONTHS, ORDINALS, UNITS
from epochal.reading.english.tokens import Tokens
from epochal.reading.expr import Kind
from epochal.times import Grain, Span

__all__ = ["Found", "Meaning"]


_MODS = {"early": "START", "mid": "MID", "late": "END", "beginning": "START", "start": "START", "onset": "START"}
_MODS |= {"latter": "END", "outset": "START", "turn": "START", "end": "END", "close": "END", "middle": "MID"}


#: The day before or after the name of a month.
_BESIDE_MONTH = re.compile(r"([no])[f-]?M|M;?t?([no])")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an expression was worked out to: the parts of a `TimeExpr` that are not its place.

    >>> Meaning("DATE", "1998").mod
    ''
    """

    kind: Kind
    value: str
    span: Span | None = None
    mod: str = ""
    confidence: float = 0.9


class Found:
    """The tokens `[first, last)` that a rule matched, with the questions that rules ask of them.

    >>> from epochal.reading.english.tokens import tokenise
    >>> found = Found(tokenise("twenty-five years ago"), 0, 5)
    >>> found.number(), found.unit()
    (25.0, (Grain.YEAR, 'Y'))
    """

    __slots__ = ("codes", "first", "last", "tokens", "words")

    def __init__(self, tokens: Tokens, first: int, last: int) -> None:
        self.tokens = tokens
        self.first = first
        self.last = last
        self.words = tokens.words[first:last]
        self.codes = tokens.codes[first:last]

    def word(self, code: str) -> str | None:
        """The first word that has one of the codes.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("last May"), 0, 2).word("M")
        'may'
        """
        for place, letter in enumerate(self.codes):
            if letter in code:
                return self.words[place]
        return None

    def all(self, code: str) -> list[str]:
        """All words that have one of the codes.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("1939 to 1945"), 0, 3).all("Y")
        ['1939', '1945']
        """
        return [word for word, letter in zip(self.words, self.codes, strict=True) if letter in code]

    def month(self) -> int | None:
        """The month named.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("Sept. 3"), 0, 3).month()
        9
        """
        word = self.word("M")
        return None if word is None else MONTHS[word]

    def day_of_month(self) -> int | None:
        """The number from 1 to 31 beside a month.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("the 21st of May"), 0, 4).day_of_month()
        21
        """
        beside = _BESIDE_MONTH.search(self.codes)
        word = self.word("no") if beside is None else self.words[beside.start(beside.lastindex or 1)]
        if word is None:
            return None
        number = ORDINALS.get(word) or int(re.sub(r"\D", "", word) or 0)
        return number if 1 <= number <= 31 else None

    def year(self) -> int | None:
        """The year stated in four digits, or in two after an apostrophe.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("May '98"), 0, 3).year()
        1998
        """
        word = self.word("Y")
        if word is not None:
            return int(word)
        place = self.codes.find("'n")
        if place >= 0:
            short = int(self.words[place + 1])
            return 1900 + short if short > 30 else 2000 + short
        return None

    def number(self) -> float | None:
        """The amount stated; None when it is only "some".

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("two and a half years"), 0, 5).number()
        2.5
        """
        total, seen, current = 0.0, False, 0.0
        for word, code in zip(self.words, self.codes, strict=True):
            if code in "wI":
                value = CARDINALS[word]
                if value >= 100:
                    total, current = total + max(current, 1) * value, 0.0
                else:
                    current += value
                seen = True
            elif code in "nmO" and not seen:
                amount = float(word.replace(",", ""))
                scale = next((CARDINALS[other] for other in self.all("w")), 1)
                return amount * max(scale, 1) if "r" not in self.codes else amount + 0.5
            elif code == "q":
                return 2 if word == "couple" else None
            elif code in "Uz" and seen:
                break  # of "two to three weeks" the first counts
        if "r" in self.codes:
            return total + current + (1.5 if self.codes == "aU&ar" else 0.5)
        if seen:
            return total + current
        return 1 if "a" in self.codes else None

    def ordinal(self) -> int | None:
        """The first ordinal.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("the third quarter"), 0, 3).ordinal()
        3
        """
        word = self.word("o")
        return None if word is None else ORDINALS.get(word) or int(re.sub(r"\D", "", word))

    def unit(self) -> tuple[Grain | None, str]:
        """The grain and the duration letter of the last unit named.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("a year"), 0, 2).unit()
        (Grain.YEAR, 'Y')
        """
        return UNITS[self.all("U")[-1]]

    @property
    def is_bc(self) -> bool:
        """Whether the year is counted before our era.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("490 BC"), 0, 2).is_bc
        True
        """
        return (self.word("E") or "").startswith("b")

    def mod(self) -> str:
        """The TIMEX3 modifier that "early", "the end of" or "about" stand for.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("the end of May"), 0, 4).mod()
        'END'
        """
        word = self.word("eb")
        if word is not None:
            return _MODS.get(word, "")
        if "%" in self.codes:
            return "MORE_THAN" if "more" in self.words else "LESS_THAN"
        return {"nearly": "LESS_THAN", "almost": "LESS_THAN"}.get(
            self.word("c") or "", "APPROX" if "c" in self.codes else ""
        )
