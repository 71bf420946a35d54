"""Windows in English: "in the three months before X", "within a year of X", "X, give or take two months"."""

from __future__ import annotations

import re

from epochal.reading.binding import FILLER, Relation
from epochal.reading.english.lexicon import CARDINALS
from epochal.reading.questions.reach import (
    Reach,
    after,
    around,
    away,
    before,
    beside,
    first_part,
    from_start,
    last_part,
    to_end,
)
from epochal.reading.questions.window import Window
from epochal.times import Certainty, Grain, Span

__all__ = ["english_window"]

#: As far back as the words of a window are looked for.
_LOOK = 100
_UNITS: dict[str, tuple[int, Grain]] = {
    "hour": (1, Grain.HOUR),
    "day": (1, Grain.DAY),
    "week": (1, Grain.WEEK),
    "fortnight": (2, Grain.WEEK),
    "month": (1, Grain.MONTH),
    "quarter": (1, Grain.QUARTER),
    "season": (1, Grain.SEASON),
    "half-year": (6, Grain.MONTH),
    "half year": (6, Grain.MONTH),
    "year": (1, Grain.YEAR),
    "decade": (1, Grain.DECADE),
    "centur": (1, Grain.CENTURY),
}
_VAGUE = {"a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 5}
_ONES = "|".join(sorted((word for word, value in CARDINALS.items() if value <= 100), key=len, reverse=True))
_TENS = "|".join(word for word, value in CARDINALS.items() if value in range(20, 100, 10))
_COUNT = rf"\d{{1,4}}(?:\.\d)?|{'|'.join(_VAGUE)}|(?:an?\s+)?(?:hundred|dozen)|an?|(?:(?:{_TENS})[ -])?(?:{_ONES})"
_HALF = r"\s+and\s+a\s+half"
_AMOUNT = (
    rf"(?:(?P<half>half(?:\s+an?|\s+the)?)\s+(?:of\s+)?|(?P<count>{_COUNT})(?P<and_half>{_HALF})?[\s-]+(?:(?:full|whole|entire)\s+)?)?"
    rf"(?P<unit>half[ -]year|hour|day|week|fortnight|month|quarter|season|year|decade|centur(?=y|ies))"
    rf"(?P<many>s|ies)?y?(?P<and_more>{_HALF})?"
)
_WHICH = (
    r"(?:(?P<first>first|initial|opening)|(?P<last>last|final|closing)|(?P<previous>previous|preceding|prior)|"
    r"(?P<next>next|following|subsequent|succeeding)|entire|whole|full|past)"
)
_BEHIND_AMOUNT = (
    r"(?:(?P<both>(?:before|prior\s+to)\s+(?:and|or)\s+after|(?:on\s+)?(?:either|each)\s+side\s+of|"
    r"(?:on\s+)?both\s+sides\s+of|around|surrounding|either\s+way\s+of)"
    r"|(?P<before>before|prior\s+to|previous\s+to|preceding|leading\s+up\s+to|leading\s+to|running\s+up\s+to|ahead\s+of)"
    r"|(?P<after>after|following|since|subsequent\s+to|succeeding)"
    r"|(?P<start>from|starting\s+(?:in|on|from|with)|beginning\s+(?:in|on|from|with))"
    r"|(?P<end>to|up\s+to(?:\s+and\s+including)?|until|till|through|ending(?:\s+(?:in|on|with))?|ended(?:\s+(?:in|on))?)"
    r"|(?P<inside>of|in))"
)
_LED = re.compile(
    r"(?<![\w-])(?P<within>(?:(?:only|just)\s+)?(?:within|inside|during|in|for|(?:over|across|throughout)(?=\s+the))\s+)?"
    r"(?P<limit>(?:up\s+to|at\s+most|no\s+more\s+than|not\s+more\s+than|less\s+than|under)\s+)?"
    rf"(?P<the>(?:the|those|that)\s+)?(?:{_WHICH}\s+)?{_AMOUNT}\s+(?:(?:immediately|just|right|directly|shortly)\s+)?"
    rf"{_BEHIND_AMOUNT}{FILLER}",
    re.IGNORECASE,
)
_UNIT_WORD = re.compile(r"(?:hour|day|week|fortnight|month|quarter|season|year|decade|centur)", re.IGNORECASE)
_GIVE_OR_TAKE = re.compile(
    rf"\s*,?\s*(?:give\s+or\s+take|plus\s+or\s+minus|plus/minus|±|\+/-)\s*{_AMOUNT}(?!\w)", re.IGNORECASE
)
_AND_MORE = re.compile(
    rf"\s+and\s+(?:in\s+)?the\s+(?:{_WHICH}\s+)?{_AMOUNT}"
    r"(?:\s+(?:(?P<before>before(?:hand)?|that\s+preceded|leading\s+up\s+to\s+it)|(?P<after>after(?:wards?)?|that\s+followed|"
    r"thereafter|following)))?(?=\s*(?:[?.,;:!)]|\Z))",
    re.IGNORECASE,
)
_ROUGHLY = re.compile(r"(?<![\w-])(?:around|about|circa|approximately|in|on|from)\s+(?:the\s+)?\Z", re.IGNORECASE)


def english_window(
    text: str, start: int, end: int, span: Span, *, names: bool = False, rough: bool = False
) -> Window | None:
    """The window that words around a date make of it; None where they make none.

    `names` says that the date only says which thing is meant: what came after the 1906 earthquake may lie in 1906.
    `rough` says that words such as "around" made the date approximate; a stated length says how far.

    >>> text = "Who died in the three months before May 1998?"
    >>> window = english_window(text, 36, 44, Span.month(1998, 5))
    >>> window.relation, window.span.edtf(), text[window.start : window.end]
    ('before', '1998-02/1998-04', 'in the three months before May 1998')
    """
    if match := _GIVE_OR_TAKE.match(text, end):
        reach = _reach(match)
        if rough:
            span = span.with_certainty(
                *(Certainty(doubt & Certainty.UNCERTAIN) for doubt in (span.certainty, span.end_certainty))
            )
        return None if reach is None else Window("around", around(span, reach), _begin(text, start), match.end())
    if match := _AND_MORE.match(text, end):
        return _and_more(match, _begin(text, start), span)
    low = max(0, start - _LOOK)
    lead = text[low:start]
    if not _UNIT_WORD.search(lead):
        return None
    found = _LED.search(lead)
    if found is None:
        return None
    window = _led(found, span, names)
    return None if window is None else Window(*window, start if names else low + found.start(), end)


def _led(match: re.Match[str], span: Span, names: bool) -> tuple[Relation, Span] | None:
    reach = _reach(match, alone=bool(match["the"] or match["previous"] or match["next"]))
    if reach is None:
        return None
    within = (match["within"] or "").strip().lower()
    # "Two years after 1998" is 2000; "a few days after" is any of them.
    is_window = bool(match["the"] or within or match["limit"] or match["first"] or match["last"] or reach.is_rough)
    if match["both"] or (match["inside"] and within.endswith("within") and not match["the"]):
        return "around", around(span, reach)
    if match["inside"]:
        return _of(match, span, reach)
    if match["before"] or match["after"] or (match["start"] and not is_window):
        if not is_window:
            return "during", away(span, reach, -1 if match["before"] else 1)
        found = before(span, reach) if match["before"] else after(span, reach)
        if names:
            found = Span.between(found, span) if match["before"] else Span.between(span, found)
        return "before" if match["before"] else "after", found
    if not is_window or (match["end"] and not match["the"]):
        return None
    return "during", from_start(span, reach) if match["start"] else to_end(span, reach)


def _of(match: re.Match[str], span: Span, reach: Reach) -> tuple[Relation, Span] | None:
    """The first months of a year; the previous year of another."""
    if match["first"] or match["last"]:
        part = (first_part if match["first"] else last_part)(span, reach)
        return None if part is None else ("during", part)
    if match["count"] or match["half"] or not (match["previous"] or match["next"]):
        return None
    return "during", beside(span, _UNITS[match["unit"].lower()][1], 1 if match["next"] else -1)


def _and_more(match: re.Match[str], begin: int, span: Span) -> Window | None:
    reach = _reach(match, alone=True)
    is_before = bool(match["before"] or match["previous"])
    if reach is None or not (is_before or match["after"] or match["next"]):
        return None
    if is_before:
        return Window("before", Span.between(before(span, reach), span), begin, match.end())
    return Window("after", Span.between(span, after(span, reach)), begin, match.end())


def _begin(text: str, start: int) -> int:
    low = max(0, start - 24)
    found = _ROUGHLY.search(text[low:start])
    return start if found is None else low + found.start()


def _reach(match: re.Match[str], *, alone: bool = False) -> Reach | None:
    """The length that an amount states; a unit alone is one, where it may stand alone, and several are no length."""
    size, grain = _UNITS[match["unit"].lower()]
    half = 0.5 if match["and_half"] or match["and_more"] else 0.0
    if match["half"]:
        return Reach.of(size / 2, grain)
    if match["count"] is None:
        return None if match["many"] or not alone else Reach.of(size * (1 + half), grain)
    words = " ".join(match["count"].lower().replace("-", " ").split())
    if words in _VAGUE:
        return Reach.of(size * _VAGUE[words], grain, is_rough=True)
    count = 1.0 if words in ("a", "an") else float(words) if words[0].isdigit() else float(_spelled(words))
    return Reach.of(size * (count + half), grain) if count else None


def _spelled(words: str) -> int:
    return sum(CARDINALS[word] for word in words.split() if word not in ("a", "an"))
