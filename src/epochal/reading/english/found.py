"""A match of the grammar while it is worked out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.reading.english.lexicon import CARDINALS, CLASSES, MONTHS, ORDINALS, UNITS, codes_of
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.english.tokens import Tokens
from epochal.reading.expr import Kind
from epochal.times import Grain, Span

__all__ = ["Found", "Meaning"]


_MODS = {"early": "START", "mid": "MID", "late": "END", "beginning": "START", "start": "START", "onset": "START"}
_MODS |= {"latter": "END", "outset": "START", "turn": "START", "end": "END", "close": "END", "middle": "MID"}


#: The day before or after the name of a month.
_BESIDE_MONTH = (
    'DAY &(("of" | "-")? MONTH_NAME)'
    ' | <(MONTH_NAME) DAY | <(MONTH_NAME ".") DAY | <(MONTH_NAME "the") DAY | <(MONTH_NAME "." "the") DAY'
)


_SHORT_YEAR = '"\'" SMALL_NUMBER'
_NUMBER_WORDS = codes_of("NUMBER_WORD", "NINETEEN")
_DIGITS = codes_of("SMALL_NUMBER", "LARGE_NUMBER", "THREE_DIGITS")
_FEW = CLASSES["FEW"]
_NUMBER_ENDS = codes_of("UNIT", "TO")


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

    def has(self, *names: str) -> bool:
        """Whether a word belongs to one of the classes.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("last May"), 0, 2).has("LAST", "NEXT")
        True
        """
        for name in names:  # noqa: SIM110 - any() takes twice the time, and this is called for every expression
            if CLASSES[name] in self.codes:
                return True
        return False

    def has_form(self, pattern: str) -> bool:
        """Whether all the words together are of a form, in the notation of the grammar.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("a year ago"), 0, 3).has_form('A UNIT "ago"')
        True
        """
        return GRAMMAR.compile(pattern).fullmatch(self.codes) is not None

    def starts_with(self, *names: str) -> bool:
        """Whether the first word belongs to one of the classes."""
        return self.tokens.is_class(self.first, *names)

    def word(self, *names: str) -> str | None:
        """The first word that belongs to one of the classes.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("last May"), 0, 2).word("MONTH_NAME")
        'may'
        """
        places = [place for name in names if (place := self.codes.find(CLASSES[name])) >= 0]
        return self.words[min(places)] if places else None

    def all(self, *names: str) -> list[str]:
        """All words that belong to one of the classes.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("1939 to 1945"), 0, 3).all("YEAR")
        ['1939', '1945']
        """
        codes = codes_of(*names)
        return [word for word, code in zip(self.words, self.codes, strict=True) if code in codes]

    def month(self) -> int | None:
        """The month named.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("Sept. 3"), 0, 3).month()
        9
        """
        word = self.word("MONTH_NAME")
        return None if word is None else MONTHS[word]

    def day_of_month(self) -> int | None:
        """The number from 1 to 31 beside a month.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("the 21st of May"), 0, 4).day_of_month()
        21
        """
        beside = GRAMMAR.compile(_BESIDE_MONTH).search(self.codes)
        word = self.word("SMALL_NUMBER", "ORDINAL") if beside is None else self.words[beside.start()]
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
        word = self.word("YEAR")
        if word is not None:
            return int(word)
        match = GRAMMAR.compile(_SHORT_YEAR).search(self.codes)
        if match is not None:
            short = int(self.words[match.start() + 1])
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
            if code in _NUMBER_WORDS:
                value = CARDINALS[word]
                if value >= 100:
                    total, current = total + max(current, 1) * value, 0.0
                else:
                    current += value
                seen = True
            elif code in _DIGITS and not seen:
                amount = float(word.replace(",", ""))
                scale = next((CARDINALS[other] for other in self.all("NUMBER_WORD")), 1)
                return amount * max(scale, 1) if not self.has("HALF") else amount + 0.5
            elif code == _FEW:
                return 2 if word == "couple" else None
            elif code in _NUMBER_ENDS and seen:
                break  # of "two to three weeks" the first counts
        if self.has("HALF"):
            return total + current + (1.5 if self.has_form("A UNIT AND A HALF") else 0.5)
        if seen:
            return total + current
        return 1 if self.has("A") else None

    def ordinal(self) -> int | None:
        """The first ordinal.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("the third quarter"), 0, 3).ordinal()
        3
        """
        word = self.word("ORDINAL")
        return None if word is None else ORDINALS.get(word) or int(re.sub(r"\D", "", word))

    def unit(self) -> tuple[Grain | None, str]:
        """The grain and the duration letter of the last unit named.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("a year"), 0, 2).unit()
        (Grain.YEAR, 'Y')
        """
        return UNITS[self.all("UNIT")[-1]]

    @property
    def is_bc(self) -> bool:
        """Whether the year is counted before our era.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("490 BC"), 0, 2).is_bc
        True
        """
        return (self.word("ERA") or "").startswith("b")

    def mod(self) -> str:
        """The TIMEX3 modifier that "early", "the end of" or "about" stand for.

        >>> from epochal.reading.english.tokens import tokenise
        >>> Found(tokenise("the end of May"), 0, 4).mod()
        'END'
        """
        word = self.word("EARLY", "BEGINNING")
        if word is not None:
            return _MODS.get(word, "")
        if self.has("than"):
            return "MORE_THAN" if "more" in self.words else "LESS_THAN"
        return {"nearly": "LESS_THAN", "almost": "LESS_THAN"}.get(
            self.word("NEARLY") or "", "APPROX" if self.has("NEARLY") else ""
        )
