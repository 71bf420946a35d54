"""What the rules of the English grammar have in common: the match, the result, modifiers, and the registry of rules."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.english.context import EnglishContext
from epochal.reading.english.lexicon import CARDINALS, CLASSES, MONTHS, ORDINALS, UNITS, get_codes
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.english.tokens import EnglishTokens
from epochal.reading.expression import Meaning
from epochal.reading.timex3 import date_value
from epochal.times.axis import DAY, Certainty, Grain
from epochal.times.span import Span

__all__ = ["Meaning", "RuleFunction", "RuleMatch", "apply_modifier", "get_rule", "rule"]


_MODS = {"early": "START", "mid": "MID", "late": "END", "beginning": "START", "start": "START", "onset": "START"}
_MODS |= {"latter": "END", "outset": "START", "turn": "START", "end": "END", "close": "END", "middle": "MID"}


#: The day before or after the name of a month.
_BESIDE_MONTH = (
    'DAY &(("of" | "-")? MONTH_NAME)'
    ' | <(MONTH_NAME) DAY | <(MONTH_NAME ".") DAY | <(MONTH_NAME "the") DAY | <(MONTH_NAME "." "the") DAY'
    ' | NUMBER_WORD "-"? ORDINAL &("of"? MONTH_NAME) | <MONTH_NAME NUMBER_WORD "-"? ORDINAL'
    ' | <(MONTH_NAME "the") NUMBER_WORD "-"? ORDINAL'
)


_APOSTROPHE = CLASSES["'"]
_SHORT_YEAR = '"\'" SMALL_NUMBER'
_NUMBER_WORDS = get_codes("NUMBER_WORD", "NINETEEN")
_DIGITS = get_codes("SMALL_NUMBER", "LARGE_NUMBER", "THREE_DIGITS")
_NO_DIGITS = lazy_regex(r"\D")
_FEW = CLASSES["FEW"]
#: What the modifiers of `RuleMatch.mod` are made of.
_MODIFYING = frozenset(get_codes("EARLY", "BEGINNING", "than", "NEARLY"))
_NUMBER_ENDS = get_codes("UNIT", "TO")


class RuleMatch:
    """The tokens `[first, last)` that a rule matched, with what rules need to know of them."""

    __slots__ = ("codes", "first", "last", "tokens", "words")

    def __init__(self, tokens: EnglishTokens, first: int, last: int) -> None:
        self.tokens = tokens
        self.first = first
        self.last = last
        self.words = tokens.words[first:last]
        self.codes = tokens.codes[first:last]

    def has(self, *names: str) -> bool:
        """Whether a word belongs to one of the classes."""
        for name in names:  # noqa: SIM110 - any() takes twice the time, and this is called for every expression
            if CLASSES[name] in self.codes:
                return True
        return False

    def has_form(self, pattern: str) -> bool:
        """Whether all the words together are of a form, in the notation of the grammar."""
        return GRAMMAR.compile(pattern).fullmatch(self.codes) is not None

    def starts_with(self, *names: str) -> bool:
        """Whether the first word belongs to one of the classes."""
        return self.tokens.is_class(self.first, *names)

    def word(self, *names: str) -> str | None:
        """The first word that belongs to one of the classes."""
        if len(names) == 1:
            place = self.codes.find(CLASSES[names[0]])
            return self.words[place] if place >= 0 else None
        places = [place for name in names if (place := self.codes.find(CLASSES[name])) >= 0]
        return self.words[min(places)] if places else None

    def all(self, *names: str) -> list[str]:
        """All words that belong to one of the classes."""
        codes = get_codes(*names)
        return [word for word, code in zip(self.words, self.codes, strict=True) if code in codes]

    def month(self) -> int | None:
        """The month named."""
        word = self.word("MONTH_NAME")
        return None if word is None else MONTHS[word]

    def day_of_month(self) -> int | None:
        """The number from 1 to 31 beside a month."""
        beside = GRAMMAR.compile(_BESIDE_MONTH).search(self.codes)
        word = self.word("SMALL_NUMBER", "ORDINAL") if beside is None else self.words[beside.start()]
        if word is None:
            return None
        number = ORDINALS.get(word) or int(word if word.isdecimal() else _NO_DIGITS.sub("", word) or 0)
        if word in CARDINALS and beside is not None:  # the twenty-fourth
            number = CARDINALS[word] + ORDINALS.get(self.words[beside.end() - 1], 0)
        return number if 1 <= number <= 31 else None

    def year(self) -> int | None:
        """The year stated in four digits, or in two after an apostrophe."""
        word = self.word("YEAR")
        if word is not None:
            return int(word)
        if _APOSTROPHE in self.codes and (match := GRAMMAR.compile(_SHORT_YEAR).search(self.codes)) is not None:
            short = int(self.words[match.start() + 1])
            return 1900 + short if short > 30 else 2000 + short
        return None

    def number(self) -> float | None:
        """The amount stated; None when it is only "some"."""
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
        """The first ordinal."""
        word = self.word("ORDINAL")
        return None if word is None else ORDINALS.get(word) or int(_NO_DIGITS.sub("", word))

    def unit(self) -> tuple[Grain | None, str]:
        """The grain and the duration letter of the last unit named."""
        return UNITS[self.all("UNIT")[-1]]

    @property
    def is_bc(self) -> bool:
        """Whether the year is counted before our era."""
        return (self.word("ERA") or "").startswith("b")

    def mod(self) -> str:
        """The TIMEX3 modifier that "early", "the end of" or "about" mean."""
        if _MODIFYING.isdisjoint(self.codes):
            return "APPROX" if self.words[0] == "c" else ""
        word = self.word("EARLY", "BEGINNING")
        if word is not None:
            return _MODS.get(word, "")
        if self.has("than"):
            return "MORE_THAN" if "more" in self.words else "LESS_THAN"
        return {"nearly": "LESS_THAN", "almost": "LESS_THAN"}.get(
            self.word("NEARLY") or "", "APPROX" if self.has("NEARLY") or self.words[0] == "c" else ""
        )


def apply_modifier(span: Span, match: RuleMatch, confidence: float = 0.95) -> Meaning:
    """A unit of time with what "early", "the end of" or "circa" do to it."""
    mod = match.mod()
    value = date_value(span)
    if not mod:
        return Meaning("DATE", value, span, "", confidence)
    parts = {"START": "early", "MID": "mid", "END": "late"}
    if mod in _WEEK_PARTS and span.grain is Grain.WEEK and span.end - span.start == 7 * DAY:
        first, last = _WEEK_PARTS[mod]
        span = Span(span.start + first * DAY, span.start + last * DAY, Grain.DAY)
    elif mod in parts and span.grain >= Grain.MONTH:
        # A unit that is no single one of its grain keeps its whole.
        with contextlib.suppress(TimeRangeError):
            span = span.part(parts[mod])  # type: ignore[arg-type]
    elif mod == "APPROX":
        span = span.with_certainty(Certainty.APPROXIMATE)
    return Meaning("DATE", value, span, mod, confidence)


#: The days of a week that are its beginning, its middle and its end.
_WEEK_PARTS = {"START": (0, 3), "MID": (2, 4), "END": (4, 7)}


RuleFunction = Callable[[RuleMatch, EnglishContext], Meaning | None]

_RULES: dict[str, RuleFunction] = {}


def rule(function: RuleFunction) -> RuleFunction:
    """Register the function under its own name; a decorator."""
    _RULES[function.__name__] = function
    return function


def get_rule(name: str) -> RuleFunction:
    """The function that evaluates a rule of the grammar; importing the package registers all of them."""
    return _RULES[name]
