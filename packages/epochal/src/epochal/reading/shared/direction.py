"""Which way the words around an expression look: ahead, as "will" does, or back, as "was" does.

The nearest verb of the sentence decides, those before the expression first. A language lists its words under
`[cues]`: `ahead` and `back`, and in `past_forms` and `future_forms` patterns of verbs.
"""

from __future__ import annotations

from functools import cache

from epochal.reading.shared.language import Language
from epochal.reading.shared.tokens import Tokens

__all__ = ["detect_direction"]

#: How many tokens before and behind an expression are looked at.
_BEFORE, _BEHIND = 14, 12
_ENDS = frozenset(".!?;。！？؟")


@cache
def _cues(language: Language) -> tuple[frozenset[str], frozenset[str]]:
    return language.cue_words("ahead"), language.cue_words("back")


def detect_direction(language: Language, tokens: Tokens, first: int, last: int) -> int:
    """1 where the words around the tokens `[first, last)` look ahead, -1 where they look back, 0 where neither."""
    words = tokens.words
    for place in range(first - 1, max(-1, first - 1 - _BEFORE), -1):
        if _ends_sentence(tokens, place):
            break
        if direction := _look(language, words[place]):
            return direction
    for place in range(last, min(len(words), last + _BEHIND)):
        if _ends_sentence(tokens, place):
            break
        if direction := _look(language, words[place]):
            return direction
    return 0


def _ends_sentence(tokens: Tokens, place: int) -> bool:
    if place + 1 < len(tokens.words) and _is_heading(tokens, place):
        return True
    if tokens.words[place] not in _ENDS:
        return False
    before = tokens.words[place - 1] if place else ""
    return not (tokens.words[place] == "." and (before.isdigit() or len(before) < 3))


def _is_heading(tokens: Tokens, place: int) -> bool:
    """Whether a line ends behind a token and the next starts with a capital letter, as behind a heading."""
    end, start = tokens.ends[place], tokens.starts[place + 1]
    return "\n" in tokens.text[end:start] and tokens.text[start : start + 1].isupper()


def _look(language: Language, word: str) -> int:
    ahead, back = _cues(language)
    if word in ahead:
        return 1
    if word in back:
        return -1
    for direction, forms in ((-1, language.past_forms), (1, language.future_forms)):
        if forms is not None and forms.fullmatch(word):
            return direction
    return 0
