"""Times that only describe something of an English question: "the bank *founded in 1991*", "the *1990* flood".

Of two times, one that says which thing is meant is no time of the answer: "Who owned the bank founded in 1991 from 2004
to 2006?" is for 2004 to 2006. Where every time describes something, or none does, all of them bind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from epochal.lazy import lazy_regex
from epochal.reading.expression import Relation
from epochal.reading.questions.constraints import Bound

__all__ = ["find_described", "names_occasion"]

_WORD = lazy_regex(r"[\w'’.&-]*\w|[,;:()?!]")
#: Past participles that do not end with "ed", but for those that are also something else: "left", "cut".
_IRREGULAR = frozenset(
    "born begun bought brought built caught chosen drawn driven drunk eaten fallen flown forbidden forgotten fought "
    "found given grown heard held hidden kept known laid led lent lost made meant met paid proven run sent shown sold "
    "spent stolen struck sung sunk sworn taken taught thrown torn understood won worn woven written".split()
)
_AUXILIARIES = frozenset(
    "am is are was were be been being has have had having do does did will would can could shall should may might must "
    "get gets got getting isn wasn weren didn doesn don hasn haven hadn".split()
)
#: Words behind which a form in "ed" is no description of a noun: "and opened", "he moved", "not built".
_NO_NOUNS = _AUXILIARIES | frozenset(
    "a an the and or but nor not never ever also still then who whom whose which what that where when why how if while "
    "i you he she it we they there to by of in on at for from with as into over under about than so very most newly "
    "first last recently originally formerly previously later since until before after ; : ? ! (".split()
)
_RELATIVES = frozenset(("who", "that", "which", "whose", "where"))
#: What ends the description that a word began.
_STOPS = frozenset((",", ";", ":", "?", "!")) | frozenset(("what", "how", "why", "whom"))
#: The most words between the word that begins a description and its time, and the most of a time that is surely in one.
_REACH, _NEAR, _FAR = 12, 2, 4
#: The most times of a question in which some may only describe; more of them are a list.
_MOST = 16
_COMPARES = lazy_regex(
    r"\b(?:compar\w+|differ\w*|versus|vs|than|contrast\w*|chang(?:e|es|ed|ing)|both)\b", re.IGNORECASE
)
_JOINED = lazy_regex(r"\s*(?:,\s*)?(?:and|or|as well as)\b\s*(?:in|on|of|from|between|during)?\s*")
#: Behind these the subject comes, and then what happened to it: "Is rain expected", "Where was the ship built".
_INVERTED = lazy_regex(
    r"\W*(?:(?:in|at|on|from|for|by|to|of|since|under)\s+)?(?:where|when|why|how(?:\s+\w+)?|(?:which|what)\s+\w+(?:\s+\w+)?)?"
    r"\s*\b(?:is|are|was|were|has|have|had)\b",
    re.IGNORECASE,
)
_BEFORE_NOUN = lazy_regex(r"\b(?:the|a|an|its|his|her|their|this|that|\w+['’]s)\s*\Z", re.IGNORECASE)
_NOUN_BEHIND = lazy_regex(
    r"\s+(?!(?:and|or|to|in|on|at|of|for|with|by|from|was|were|is|are|did|does|do|has|had|have|than|but|as|the|who|that|"
    r"which|when|if|so|be)\b)[^\W\d_]{3,}"
)


_ASKS_WHEN = lazy_regex(
    r"\W*(?:when|(?:on\s+)?(?:what|which)\s+(?:day|date)|at\s+what\s+time|what\s+time)\b", re.IGNORECASE
)
#: What returns each year, week or day; "this summer" is one of them.
_SEASON = lazy_regex(
    r"(?P<the>the\s+)?(?:spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|christmas|easter|morning|afternoon|"
    r"evening|night|midnight|noon|weekend|(?:new\s+year)(?:['’]s)?(?:\s+eve)?|halloween|thanksgiving|"
    r"january|february|march|april|may|june|july|august|september|october|november|december)",
    re.IGNORECASE,
)


def find_described(text: str, bounds: Sequence[Bound]) -> frozenset[int]:
    """The places of those constraints that only describe something that the question names.

    >>> from epochal.reading.questions.constraints import read_constraints
    >>> from epochal.reading.tagger import tag
    >>> question = "Who owned the bank founded in 1991 from 2004 to 2006?"
    >>> bounds = read_constraints(question, tag(question))
    >>> [bounds[place].constraint.span.edtf() for place in find_described(question, bounds)]
    ['1991']
    """
    if not 2 <= len(bounds) <= _MOST or _COMPARES.search(text):
        return frozenset()
    distances = _measure_distances(text, bounds)
    if len(distances) == len(bounds):
        far = [place for place, distance in distances.items() if distance >= _FAR]
        if len(far) != 1 or any(distances[place] > _NEAR for place in distances if place not in far):
            return frozenset()
        del distances[far[0]]
    asked = [bound for place, bound in enumerate(bounds) if place not in distances]
    if any(bound.is_as_of for bound in bounds) or not all(bound.constraint.binds for bound in asked):
        return frozenset()
    if any(_make_term(text, one, other) for one, other in pairwise(bounds)):
        return frozenset()
    # What was published then, and what began and ended at two times, is asked for by both.
    has_edge = any(bound.constraint.edge is not None for bound in asked)
    return frozenset(
        place
        for place in distances
        if bounds[place].constraint.axis == "content" and not (has_edge and bounds[place].constraint.edge is not None)
    )


def names_occasion(text: str, bound: Bound) -> bool:
    """Whether a time without a year is the name of what a question asks the time of: "When is the summer party?".

    >>> from epochal.reading.questions.constraints import read_constraints
    >>> from epochal.reading.tagger import tag
    >>> from epochal.times import Span
    >>> question, now = "When is the summer party?", Span.parse("2025-02-03")
    >>> names_occasion(question, read_constraints(question, tag(question, now), now)[0])
    True
    """
    evidence = bound.constraint.evidence
    if evidence is None or not _ASKS_WHEN.match(text) or "year" in evidence.stated:
        return False
    match = _SEASON.fullmatch(evidence.text)
    if match is None or _NOUN_BEHIND.match(text, bound.end_char) is None:
        return False
    return match["the"] is not None or bool(_BEFORE_NOUN.search(text, max(0, bound.start_char - 30), bound.start_char))


#: What joins two clauses: "and continued serving".
_AND: re.Pattern[str] = lazy_regex(r"\s*,?\s*(?:and|but|yet)\b", re.IGNORECASE)
_BACK: tuple[Relation, ...] = ("before", "until")
_AHEAD: tuple[Relation, ...] = ("after", "since")


def _make_term(text: str, one: Bound, other: Bound) -> bool:
    """Whether two times say of one thing since when and until when it was: "began before 1999 and served past 2006"."""
    relations = one.constraint.relation, other.constraint.relation
    opposite = (relations[0] in _BACK and relations[1] in _AHEAD) or (relations[0] in _AHEAD and relations[1] in _BACK)
    return opposite and _AND.match(text, one.end_char) is not None


def _measure_distances(text: str, bounds: Sequence[Bound]) -> dict[int, int]:
    """For each constraint within a description, how many words behind the beginning of the description it is."""
    words = list(_WORD.finditer(text))
    openers = _find_openers(words, bounds, is_inverted=bool(_INVERTED.match(text)))
    distances: dict[int, int] = {}
    for place, bound in enumerate(bounds):
        previous = bounds[place - 1] if place else None
        if previous is not None and _are_joined(text, previous, bound):
            if place - 1 in distances:
                distances[place] = distances[place - 1]
            continue
        if _is_attribute(text, bound):
            distances[place] = 0
            continue
        least = previous.end_char if previous is not None else 0
        before = [index for index, word in enumerate(words) if least <= word.start() < bound.start_char]
        for distance, index in enumerate(reversed(before[-_REACH:])):
            if index in openers:
                distances[place] = distance
            if index in openers or words[index][0].lower() in _STOPS:
                break
    return distances


def _are_joined(text: str, one: Bound, other: Bound) -> bool:
    """Whether two times are of one list: "in 1815, 1820 and in 1830", unlike "built in 1912, from 1940 to 1945"."""
    if _JOINED.fullmatch(text, one.end_char, other.start_char):
        return True
    evidence = other.constraint.evidence
    return evidence is not None and text[one.end_char : evidence.start_char].strip() == ","


def _is_attribute(text: str, bound: Bound) -> bool:
    """Whether a time is before the noun that it describes: "the 1990 flood", "the 2002 to 2008 head coach"."""
    evidence = bound.constraint.evidence
    if evidence is None or evidence.text.lower().startswith("the "):
        return False
    return bool(
        _BEFORE_NOUN.search(text, max(0, bound.start_char - 30), bound.start_char)
        and _NOUN_BEHIND.match(text, bound.end_char)
    )


def _find_openers(words: Sequence[re.Match[str]], bounds: Sequence[Bound], *, is_inverted: bool) -> frozenset[int]:
    """The words that begin a description of the noun before them: "founded" and "who" of "the man who"."""
    lower = [word[0].lower() for word in words]
    timed = [(bound.start_char, bound.end_char) for bound in bounds]
    participles, relatives, main, last = [], [], False, -1
    for index, word in enumerate(lower):
        before = lower[index - 1] if index else ""
        is_participle = word in _IRREGULAR or (len(word) > 4 and word.endswith("ed") and not word.endswith("eed"))
        last = index if is_participle else last
        if not before or any(start <= words[at].start() < end for start, end in timed for at in (index - 1, index)):
            continue
        main = main or (is_participle and before in ("who", "what"))
        if before in _NO_NOUNS or (before == "," and index < 2):
            continue
        if is_participle and words[index][0].islower():
            participles.append(index)
        elif word in _RELATIVES and before != ",":
            following = lower[index + 1] if index + 1 < len(lower) else ""
            # "Received which award" asks; "the award which was given" describes.
            if word in ("who", "that") or following in _AUXILIARIES or following.endswith("ed"):
                relatives.append(index)
    inside = [range(index, index + _REACH) for index in relatives]
    main = main or any(
        word in _AUXILIARIES and not any(index in one for one in inside) for index, word in enumerate(lower)
    )
    if not main and participles:
        # Without another verb, the first is what was done: "Which team played the club founded in 1990?".
        participles = participles[1:]
    if is_inverted and participles and participles[-1] == last and "," not in lower[:last]:
        del participles[-1]
    return frozenset((*participles, *relatives))
