"""Variants: TEMPO's three rewritings of a question. Strip, Temporal-Only and Normalized.

Strip deletes what speaks of time and keeps the topic, Temporal-Only keeps nothing else, and Normalized appends the
intent and the anchors to the question as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["normalized", "strip", "temporal_only"]

_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_ERA = r"(?:\s?(?:b\.?c\.?e?\.?|a\.?d\.?|c\.?e\.?)(?!\w))"
_DATE = (
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTHS}\.?,?\s+\d{{3,4}}|{_MONTHS}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{3,4}}"
    rf"|{_MONTHS}\.?,?\s+\d{{4}}|\d{{4}}-\d{{2}}(?:-\d{{2}})?"
)
_LEAD = (
    r"(?:(?:in|on|at|by|since|until|till|before|after|during|from|around|circa|as of)\s+)?"
    r"(?:the\s+)?(?:(?:early|mid|late)[\s-])?"
)
#: Dates, years, decades and centuries that no signal named.
_RESIDUE = re.compile(
    rf"(?<![\w$€£.,-]){_LEAD}(?:{_DATE}|\d{{1,2}}(?:st|nd|rd|th)(?:\s|-)centur(?:y|ies){_ERA}?|\d{{1,4}}0s|"
    rf"\d[\d,]*{_ERA}"
    rf"|(?:1\d{{3}}|20\d{{2}})(?:\s?[-–]\s?(?:\d{{4}}|\d{{2}}))?)(?![\w%-]|[.,]\d)"
    r"|(?:公元前?|西元前?)?\d{1,4}年(?:代)?(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}世纪",
    re.IGNORECASE,
)


def strip(text: str, signals: Iterable[str]) -> str:
    """The text without the signals, and without dates that no signal named.

    >>> strip("How have transaction fees changed since 2017?", ["since 2017"])
    'How have transaction fees changed?'
    >>> strip("I know what happened in the 1990s", ["now"])
    'I know what happened'
    """
    found = sorted({signal.strip() for signal in signals if signal.strip()}, key=lambda signal: (-len(signal), signal))
    if found:
        text = re.sub("|".join(map(_edged, found)), " ", text, flags=re.IGNORECASE)
    return _tidy(_RESIDUE.sub(" ", text))


def temporal_only(anchors: Iterable[str], events: Iterable[str] = (), signals: Iterable[str] = ()) -> str:
    """Anchors, events and signals, each once, joined by semicolons.

    >>> temporal_only(["2017", "today"], ["the merge"], ["since 2017", "Today"])
    '2017; today; the merge; since 2017'
    """
    kept: dict[str, str] = {}
    for item in (*anchors, *events, *signals):
        plain = " ".join(item.split())
        if plain:
            kept.setdefault(plain.casefold(), plain)
    return "; ".join(kept.values())


def normalized(text: str, intent: str, anchors: Iterable[str]) -> str:
    """The text with the tag of its intent and anchors after it.

    >>> normalized("Who was president in 1920?", "when", ["1920"])
    'Who was president in 1920?\\n\\nTEMPORAL_INTENT=when; ANCHORS=[1920]'
    """
    return f"{text}\n\nTEMPORAL_INTENT={intent}; ANCHORS=[{', '.join(anchors)}]"


def _edged(signal: str) -> str:
    """A pattern of the signal that no letter touches; Chinese has no spaces between words."""
    body = r"\s+".join(re.escape(word) for word in signal.split())
    before = r"(?<![A-Za-z0-9])" if signal[0].isascii() and signal[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if signal[-1].isascii() and signal[-1].isalnum() else ""
    return before + body + after


def _tidy(text: str) -> str:
    text = re.sub(r"\(\s*\)|\[\s*\]", " ", text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\s+([?!.,;:)])", r"\1", text)
    text = re.sub(r"([,;:])(?:\s*[,;:])+", r"\1", text)
    return re.sub(r"^[\s,;:，、]+|[\s,;:，、]+$", "", text)
