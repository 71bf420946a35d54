"""Times that belong to another turn, or to other words, than those that state them.

"I saw an owl." – "In daylight?" – "Yes, last Friday!": the time of a reply is that of what it replies to. And "I
adopted a dog. The shelter opened ten years ago." says nothing of when the dog was adopted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from epochal.memory.turns import Happening, Turn
from epochal.times.axis import OPEN_END

#: So many turns after one may still reply to what was asked about it.
REPLIES: Final = 3

_SENTENCE_END: Final = re.compile(r"[.!?\n]")
#: "When was it?", "what day was that?": a reply states the time of what was told before.
_ASKS_WHEN: Final = re.compile(
    r"\b(?:when|how long ago|(?:what|which) (?:day|date|week|weekend|month|year))\b[^.!?]{0,200}\?", re.IGNORECASE
)
_OPENERS: Final = (
    r"\W*(?:(?:yes|yeah|yep|yup|no|nope|sure|right|exactly|oh|well|so|and|just|only|actually|i think|maybe|about|around"
    r"|it was|that was|it['’]s|back)\b\W*)*"
)
#: Words that open a reply, before its time: "Yes, just last Friday".
_OPENING: Final = re.compile(rf"{_OPENERS}(?:(?:on|in|at|during|since)\s+)?", re.IGNORECASE)
#: A sentence about what was just spoken of: "It happened in February", "That was on Sunday".
_BACK: Final = re.compile(rf"{_OPENERS}(?:it|that|this)\b(?! (?:weekend|week|month|year|time)\b)", re.IGNORECASE)
#: Somebody who does something else at that time: "Last week I went to a concert".
_ACTOR: Final = re.compile(r"\b(?:I|we|he|she|they|you|my|our|his|her|their|it)\b", re.IGNORECASE)
#: A sentence that begins with a thing or a person of its own.
_NEW_SUBJECT: Final = re.compile(
    r"\W*(?:(?:and|but|so|also|plus|by the way)\b\W*)?(?:the|an?|my|our|his|her|their|your|its) [a-z]", re.IGNORECASE
)
#: "The party was on Sunday" is when what was spoken of took place; "the street was built in 1890" is not.
_TAKES_PLACE: Final = re.compile(
    r"\b(?:was|were|is|are|took place|takes place|happened|fell|will be|started|began)\W+"
    r"(?:(?:just|only|actually|back|held|about|around|on|in|at|during|from)\s+)*$",
    re.IGNORECASE,
)


def find_carried_times(turn: Turn, following: Sequence[Turn]) -> Iterator[Happening]:
    """The times of a turn that the turns after it state, which reply to what was asked about it."""
    for place, reply in enumerate(following[:REPLIES]):
        asked = turn if place == 0 else following[place - 1]
        if "?" not in asked.text or reply.speaker == asked.speaker:
            continue
        asks_when = _ASKS_WHEN.search(asked.text) is not None
        if asked is turn and not asks_when:
            continue
        if asked is not turn and reply.speaker != turn.speaker:
            continue
        for happening in reply.happenings:
            if asks_when or _refers_back(reply.text, happening):
                yield happening
        return


def belongs_to_other_words(text: str, happening: Happening) -> bool:
    """Whether a time in a sentence without words of the question is that of something else than what is asked about.

    It is, where the sentence begins with a subject of its own, or where it says how long something has lasted.
    """
    if happening.start_char == happening.end_char:  # it was given with the turn
        return False
    if happening.span.end == OPEN_END:
        return True
    before = text[_find_start(text, happening) : happening.start_char]
    return _NEW_SUBJECT.match(before) is not None and _TAKES_PLACE.search(before) is None


def _refers_back(text: str, happening: Happening) -> bool:
    """Whether the sentence of a time is about what was spoken of: "Yes, last Friday!", "It happened in February"."""
    start = _find_start(text, happening)
    before = text[start : happening.start_char]
    if _BACK.match(text, start) and not _NEW_SUBJECT.match(before):
        return True
    end = _SENTENCE_END.search(text, happening.end_char)
    after = text[happening.end_char : len(text) if end is None else end.start()]
    return _OPENING.fullmatch(before) is not None and _ACTOR.search(after) is None


def _find_start(text: str, happening: Happening) -> int:
    """Where the sentence of a time begins."""
    return max((mark.end() for mark in _SENTENCE_END.finditer(text, 0, happening.start_char)), default=0)
