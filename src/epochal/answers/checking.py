"""Checking what a language model wrote: a claim stays if its citations exist and have the words that it quotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from epochal.answers.prompting import ClaimReply, sent_numbers, shown_text
from epochal.answers.records import Claim, Dropped, Quoted
from epochal.answers.timeline import Pack

__all__ = ["checked_claims"]

#: A quote of fewer letters is found in any text, and proves nothing.
_LEAST: Final = 2
_SHOWN: Final = 80


def checked_claims(pack: Pack, claims: Sequence[ClaimReply]) -> tuple[tuple[Claim, ...], tuple[Dropped, ...]]:
    """The claims that hold up, and what was left out of them. Quotes must stand in the text word for word.

    >>> from epochal.answers.evidence import Item
    >>> from epochal.answers.prompting import CitationReply
    >>> from epochal.answers.records import Citation
    >>> from epochal.engine.response import Hit
    >>> from epochal.index.records import Document
    >>> item = Item(Hit(Document("p1", "It rained."), 1.0, {}, "It rained."), None, "topic")
    >>> pack = Pack((), (Citation(1, "p1", "", "It rained.", 0, 10, None, "", "topic"),), (item,))
    >>> said = [ClaimReply("It poured.", (CitationReply(1, "poured"),))]
    >>> claims, dropped = checked_claims(pack, said)
    >>> claims, [item.reason for item in dropped]
    ((), ['evidence 1 does not have the words “poured”', 'no citation of it holds up'])
    """
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    known = frozenset(sent_numbers(pack))
    for said in claims:
        text = " ".join(said.text.split())
        quotes: list[Quoted] = []
        for citation in said.citations:
            found = _quoted(pack, known, citation.number, citation.quote)
            if isinstance(found, Quoted):
                quotes.append(found)
            else:
                dropped.append(Dropped("citation", text, found))
        if not text or not quotes:
            reason = (
                "it says nothing"
                if not text
                else "no citation of it holds up"
                if said.citations
                else "it cites nothing"
            )
            dropped.append(Dropped("claim", text, reason))
            continue
        kept.append(Claim(text, tuple(dict.fromkeys(quotes))))
    return tuple(kept), tuple(dropped)


def _quoted(pack: Pack, known: frozenset[int], number: int, quote: str) -> Quoted | str:
    """The place of a quote in its document, or why there is none."""
    if number not in known:
        return f"there is no evidence {number}"
    words = quote.strip()
    if sum(character.isalnum() for character in words) < _LEAST:
        return f"the quote “{words}” is too short to prove anything"
    text, start = shown_text(pack, number)
    at = text.find(words)
    if at < 0:
        shown = words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"
        return f"evidence {number} does not have the words “{shown}”"
    return Quoted(number, words, start + at, start + at + len(words))
