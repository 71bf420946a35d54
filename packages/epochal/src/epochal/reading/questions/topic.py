"""The topic of a question, its time words, and TEMPO's three rewritings of it.

Strip deletes the time words, Temporal-Only keeps only them, and Normalized appends the intent and the anchors to the
question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from epochal.lazy import lazy_regex
from epochal.reading.expression import TimeExpr
from epochal.reading.questions.constraints import Bound

__all__ = ["extract_topic", "find_signals", "keep_times", "normalise", "strip_times"]


_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_ERA = r"(?:\s?(?:b\.?c\.?e?\.?|a\.?d\.?|c\.?e\.?)(?!\w))"
_DATE = (
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTHS}\.?,?\s+\d{{3,4}}|{_MONTHS}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{3,4}}"
    rf"|{_MONTHS}\.?,?\s+\d{{4}}|\d{{4}}-\d{{2}}(?:-\d{{2}})?"
)
_VARIANT_LEAD = (
    r"(?:(?:in|on|at|by|since|until|till|before|after|during|from|around|circa|as of)\s+)?"
    r"(?:the\s+)?(?:(?:early|mid|late)[\s-])?"
)
#: Dates, years, decades and centuries that no signal named.
_RESIDUE = lazy_regex(
    rf"(?<![\w$€£.,-]){_VARIANT_LEAD}(?:{_DATE}|\d{{1,2}}(?:st|nd|rd|th)(?:\s|-)centur(?:y|ies){_ERA}?|\d{{1,4}}0s|"
    rf"\d[\d,]*{_ERA}"
    rf"|(?:1\d{{3}}|20\d{{2}})(?:\s?[-–]\s?(?:\d{{4}}|\d{{2}}))?)(?![\w%-]|[.,]\d)"
    r"|(?:公元前?|西元前?)?\d{1,4}年(?:代)?(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}世纪",
    re.IGNORECASE,
)


_DIGIT = lazy_regex(r"\d")

#: Placeholders of removed words: with the preposition that bound them, and without one.
_WHOLE, _BARE = "\x00", "\x01"
_MARKS = str.maketrans({_WHOLE: " ", _BARE: " "})
#: Words that join two times, and say nothing once one of them is gone.
_JOINING = frozenset("and or & with to than versus vs vs. compared 和 与".split())
_BINDING = frozenset(
    "in on at by of as since until till before after during between from for over through throughout within".split()
)
_BINDING_BARE = _BINDING | frozenset("about around circa the".split())
_CLOSING = frozenset("?!.,;:)]？！。，；：）")
_HAN_BINDING = frozenset("在于自从到至")
_BETWEEN_HAN = lazy_regex(r"(?<=[㐀-鿿]) (?=[㐀-鿿])")


def strip_times(text: str, signals: Iterable[str]) -> str:
    """The text without the signals, and without dates that no signal named.

    Words that joined or bound what is gone go with it:
    """
    text = text.translate(_MARKS)
    text = _replace_signals(" ".join(text.split()), {_lower(" ".join(signal.split())) for signal in signals})
    if _DIGIT.search(text):
        text = _RESIDUE.sub(lambda match: _mark(match[0]), text)
    return _tidy(_remove_stubs(text))


def keep_times(anchors: Iterable[str], events: Iterable[str] = (), signals: Iterable[str] = ()) -> str:
    """Anchors, events and signals, each once, joined by semicolons."""
    phrases: dict[str, str] = {}
    for item in (*anchors, *events, *signals):
        plain = " ".join(item.split())
        if plain:
            phrases.setdefault(plain.casefold(), plain)
    return "; ".join(phrases.values())


def normalise(text: str, intent: str, anchors: Iterable[str]) -> str:
    """The text with the tag of its intent and anchors after it."""
    return f"{text}\n\nTEMPORAL_INTENT={intent}; ANCHORS=[{', '.join(anchors)}]"


def _lower(text: str) -> str:
    """In lower case and of the same length: the lower case of a few letters is two."""
    small = text.lower()
    return (
        small if len(small) == len(text) else "".join(low if len(low := char.lower()) == 1 else char for char in text)
    )


def _is_edge(text: str, place: int) -> bool:
    """Whether a word can start or end at an offset: Latin letters and digits are one word."""
    both = text[place - 1 : place + 1] if place else ""
    return len(both) < 2 or not (both.isascii() and both.isalnum())


def _replace_signals(text: str, signals: set[str]) -> str:
    """The text with a mark in place of each signal, the longest at each offset; time grows with the text alone."""
    if not signals:
        return text
    lengths: dict[str, set[int]] = {}
    for signal in signals - {""}:
        lengths.setdefault(signal[0], set()).add(len(signal))
    small, pieces, done = _lower(text), list[str](), 0
    for at, char in enumerate(small):
        if char not in lengths or at < done or not _is_edge(text, at):
            continue
        for length in sorted(lengths[char], reverse=True):
            if small[at : at + length] in signals and _is_edge(text, at + length):
                pieces += (text[done:at], _mark(text[at : at + length]))
                done = at + length
                break
    return "".join((*pieces, text[done:]))


def _mark(words: str) -> str:
    first, *more = words.split()
    return f" {_WHOLE if more and first.lower() in _BINDING else _BARE} "


def _remove_stubs(text: str) -> str:
    """The text without its marks, and without the words before a mark that have nothing left to join or to bind."""
    words = text.split()
    kept: list[str] = []
    cut = -1
    for place, word in enumerate(words):
        if word not in (_WHOLE, _BARE):
            kept.append(word)
            continue
        if cut >= 0 and all(other.lower() in _JOINING for other in kept[cut:]):
            del kept[cut:]  # "in 1930 and in 1935"
        after = words[place + 1] if place + 1 < len(words) else ""
        if not after or after[0] in _CLOSING or after in (_WHOLE, _BARE) or after.lower() in _JOINING | _BINDING:
            _drop_stubs(kept, bare=word == _BARE)
        elif word == _BARE and kept and kept[-1][-1] in _HAN_BINDING:
            kept[-1] = kept[-1][:-1]
        cut = len(kept)
    return _BETWEEN_HAN.sub("", " ".join(kept))


def _drop_stubs(kept: list[str], *, bare: bool) -> None:
    while kept:
        last = kept[-1].lower()
        if last in _JOINING:
            bare = bare or last in ("and", "or")  # "before and after 1940"
        elif not (bare and last in _BINDING_BARE):
            return
        kept.pop()


_EMPTY_BRACKETS = lazy_regex(r"\(\s*\)|\[\s*\]")
_BEFORE_MARK = lazy_regex(r" (?=[?!.,;:)])")
_REPEATED_MARKS = lazy_regex(r"(?<=[,;:])(?: ?[,;:])+")


def _tidy(text: str) -> str:
    text = " ".join(_EMPTY_BRACKETS.sub(" ", text).split())
    return _REPEATED_MARKS.sub("", _BEFORE_MARK.sub("", text)).strip(" ,;:，、")


_PHRASES = lazy_regex(
    r"\b(?:since (?:then|its [a-z]+)|ever since|over (?:time|the (?:years|decades|"
    r"centuries|ages))|"
    r"(?:over|in|during|across|for|within) the (?:last|past) (?:\w+ ){0,2}(?:days?|weeks?|months?|years?|"
    r"decades?|centur(?:y|ies))|"
    r"right now|at (?:present|the moment)|these days|up[- ]to[- ]date|then and now|nowadays|currently|"
    r"recently|lately|"
    r"today|tonight|tomorrow|yesterday|so far|to date|throughout history|through(?:out)? the (?:ages|"
    r"years|centuries)|"
    r"once upon a time|formerly|previously|still|yet|any ?more|"
    r"(?:most )?recent|latest|current|upcoming|forthcoming|now)\b"
    r"|最近|目前|现在|如今|至今|当前|近年来",
    re.IGNORECASE,
)
_LEAD = lazy_regex(
    r"^(?:so |and |please |tell me )?(?:(?:since )?when(?:'s)?|how long(?: ago)?|how many (?:days|weeks|"
    r"months|years|hours)|(?:in |on |at |"
    r"during )?(?:what|which) (?:exact )?"
    r"(?:year|date|day|month|decade|century|time period|period|era|time))"
    r"(?: (?:did|do|does|was|were|is|are|has|have|had|will|would|can))?\s+",
    re.IGNORECASE,
)
_BINDS = lazy_regex(
    r"\b(?:for|over|in|within|during|after|every|each|lasted|lasting|than)\s+(?:the\s+)?$", re.IGNORECASE
)
_BOUND = lazy_regex(
    r"(?:for|over|in|within|during|the (?:last|past|next)|last|past|next|every|each|once|twice|\d+ )\b", re.IGNORECASE
)
#: "The future of nuclear power" is what the question is about.
_OF = lazy_regex(r"\s+of\b", re.IGNORECASE)


def find_signals(text: str, expressions: Sequence[TimeExpr], bounds: Sequence[Bound]) -> tuple[str, ...]:
    """The time phrases of a text, each with the words that bind it, in the order of the text."""
    ranges = {(bound.start_char, bound.end_char) for bound in bounds}
    # "The Hundred Years' War" holds a duration that is a name: one counts only where a word binds it.
    ranges |= {
        (item.start_char, item.end_char)
        for item in expressions
        if (item.kind in ("DATE", "TIME") and not (item.value.endswith("_REF") and _OF.match(text, item.end_char)))
        or _BINDS.search(text[max(0, item.start_char - 30) : item.start_char])
        or _BOUND.match(item.text)
    }
    for match in _PHRASES.finditer(text):
        ranges.add(match.span())
    selected: list[tuple[int, int]] = []
    for start, end in sorted(ranges, key=lambda place: (place[0], -place[1])):
        if not selected or start >= selected[-1][1]:
            selected.append((start, end))
    return tuple(dict.fromkeys(text[start:end] for start, end in selected))


def extract_topic(text: str, signals: Sequence[str], stripped: str | None = None) -> str:
    """The text without its signals, without the words that ask for a time, and without its closing mark.

    `stripped` is what `strip_times` leaves of the text, where that is known.
    """
    plain = " ".join(text.split())
    lead = _LEAD.match(plain)
    rest = stripped if lead is None and stripped is not None else strip_times(_LEAD.sub("", plain), signals)
    return rest.strip(" ?？。!,;，；") or plain.strip(" ?？")
