"""A question that is searched in other words than it was asked in: where its times are in the original."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from epochal.reading.expression import TimeExpr
from epochal.reading.questions.question import Understanding

__all__ = ["Place", "Rewriting", "replace_words"]


class Place(NamedTuple):
    """Where something is in a rewritten question, and what it replaced in the original one."""

    start: int
    end: int
    original_start: int
    original_end: int


@dataclass(frozen=True, slots=True)
class Rewriting:
    """An original question, what is searched instead, and the places of what was replaced, in their order."""

    original: str
    question: str
    places: tuple[Place, ...]

    def restore(self, found: Understanding) -> Understanding:
        """What is read from the rewritten question, with its evidence as the original one has it."""
        return replace(
            found,
            constraints=tuple(
                item if item.evidence is None else replace(item, evidence=self._find_original(item.evidence))
                for item in found.constraints
            ),
            expressions=tuple(map(self._find_original, found.expressions)),
        )

    def _find_original(self, item: TimeExpr) -> TimeExpr:
        start, end = self._move(item.start_char, is_end=False), self._move(item.end_char, is_end=True)
        return replace(item, text=self.original[start:end], start_char=start, end_char=end)

    def _move(self, at: int, *, is_end: bool) -> int:
        shift = 0
        for place in self.places:
            if at < place.start + is_end:
                break
            if at < place.end + is_end:
                return place.original_end if is_end else place.original_start
            shift = place.original_end - place.end
        return at + shift


def replace_words(text: str, forms: Mapping[str, str]) -> Rewriting:
    """A text with other forms of its words.

    >>> replace_words("boschi e boschetti", {"boschi": "bosco"}).question
    'bosco e boschetti'
    """
    places: list[Place] = []
    rewritten, done = "", 0
    words = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
    for match in re.finditer(rf"(?<![^\W\d_])(?:{words})(?![^\W\d_])", text):
        form = forms[match[0]]
        rewritten += text[done : match.start()]
        places.append(Place(len(rewritten), len(rewritten) + len(form), *match.span()))
        rewritten, done = rewritten + form, match.end()
    return Rewriting(text, rewritten + text[done:], tuple(places))
