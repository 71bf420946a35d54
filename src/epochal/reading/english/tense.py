"""Which way a clause looks: whether the verbs around an expression speak of the past or of what is to come.

No parser: the nearest telling word decides, those before the expression first. "Will", "plans to" and "due" look ahead;
"said", "was" and words in -ed look back; a past verb right before the expression governs it, whatever else is said.
"""

from __future__ import annotations

from epochal.reading.english.lexicon import CLASSES, codes_of
from epochal.reading.english.tokens import Tokens

__all__ = ["ends_sentence", "is_aside", "looks"]

_STOP = CLASSES["."]
_STOP_OR_COMMA = codes_of(".", ",")
#: How many tokens before and after an expression are looked at.
_FAR = 12
_NEAR = 8
_AHEAD = {"coming", "deadline", "due", "effective", "going", "gonna", "hopefully", "ll", "payable", "shall"}
_AHEAD |= {"tomorrow", "until", "upcoming", "will"}
#: Of these, the past form too speaks of what comes after.
_PLANS = {"agree", "aim", "arrange", "await", "expect", "hope", "intend", "invite", "plan", "promise", "propose"}
_PLANS |= {"schedule", "slate", "threaten", "vow", "want"}
_PLANNED = {form for word in _PLANS for form in (word, word + "s", word.rstrip("e") + "ed", word.rstrip("e") + "ing")}
_PLANNED |= {"bound", "likely", "planned", "planning", "poised", "ready", "supposed"}
#: The present tense of timetables: "the talks resume Monday".
_TIMETABLE = {"arrive", "arrives", "begin", "begins", "convenes", "departs", "ends", "expires", "meet", "meets"}
_TIMETABLE |= {"opens", "reconvenes", "resume", "resumes", "returns", "starts", "visits"}
_OVERTAKEN = {"had", "originally", "previously"}
_MODAL = {"can", "could", "couldn", "may", "might", "must", "should", "shouldn", "would", "wouldn"}
_BACK = {"after", "ago", "became", "been", "began", "bought", "brought", "built", "came", "caught", "chose", "cut"}
_BACK |= {"did", "didn", "drew", "fell", "felt", "flew", "fought", "found", "gave", "got", "grew", "had", "hadn"}
_BACK |= {"has", "hasn", "have", "haven", "heard", "held", "hit", "hurt", "kept", "knew", "led", "left", "lost"}
_BACK |= {"made", "met", "paid", "ran", "read", "rose", "said", "sat", "saw", "sent", "shot", "shown", "since"}
_BACK |= {"slid", "sold", "sought", "spent", "spoke", "stood", "struck", "taken", "taught", "threw", "told", "took"}
_BACK |= {"was", "wasn", "went", "were", "weren", "withdrew", "won", "wrote"}
_NOT_PAST = {"bleed", "breed", "embed", "exceed", "greed", "hundred", "indeed", "naked", "proceed", "sacred", "speed"}
_NOT_PAST |= {"succeed", "united", "wicked"}
_DETERMINED = {"the", "a", "an", "its", "his", "her", "their", "our", "my", "this", "that", "these", "those"}


def looks(tokens: Tokens, first: int, last: int) -> int:
    """1 where the words around the tokens `[first, last)` look ahead, -1 where they look back, 0 where nothing tells.

    >>> from epochal.reading.english.tokens import tokenise
    >>> for text in ("They will meet Friday", "They met Friday", "They are to meet Friday", "Friday is a day"):
    ...     tokens = tokenise(text)
    ...     place = tokens.words.index("friday")
    ...     print(looks(tokens, place, place + 1))
    1
    -1
    1
    0
    """
    near = tokens.words[first - 1] if first else ""
    if tokens.words[last : last + 1] in (["was"], ["were"]):
        return -1  # what was planned for Saturday was cancelled
    if near in ("until", "till") and _behind(tokens, last) < 0:
        return -1
    return _before(tokens, first) or _behind(tokens, last)


def _before(tokens: Tokens, first: int) -> int:
    words = tokens.words
    for place in range(first - 1, max(-1, first - _FAR), -1):
        if ends_sentence(tokens, place):
            return 0
        word = words[place]
        before = words[place - 1] if place else ""
        if (word in _AHEAD or word in _PLANNED or word in _TIMETABLE) and before not in _DETERMINED:
            return 1 if _OVERTAKEN.isdisjoint(words[max(0, place - 2) : place]) else -1
        if (word == "set" and words[place + 1] in ("to", "for")) or _is_wont(words, place):
            return 1
        if word == "to" and _is_infinitive(tokens, place):
            return _infinitive(words, place)
        if word in _MODAL and place + 1 < first and words[place + 1] != "have":
            return 1
        if _is_past(word):
            return -1
    return 0


def _behind(tokens: Tokens, last: int) -> int:
    words = tokens.words
    for place in range(last, min(len(words), last + _NEAR)):
        if ends_sentence(tokens, place):
            return 0
        word = words[place]
        if word in ("will", "ll", "shall") or _is_wont(words, place):
            return 1
        if _is_past(word):
            return -1
    return 0


def ends_sentence(tokens: Tokens, place: int) -> bool:
    """Whether a token is a full stop that ends a sentence, and not an initial or an abbreviation.

    >>> from epochal.reading.english.tokens import tokenise
    >>> tokens = tokenise("Mr. Ives left.")
    >>> [ends_sentence(tokens, place) for place in range(5)]
    [False, False, False, False, True]
    """
    if tokens.codes[place] != _STOP:
        return False
    word = tokens.words[place - 1] if place else ""
    if len(word) == 1 or word in _TITLES:
        return False
    following = tokens.text[tokens.end(place) : tokens.end(place) + 3].lstrip(" ")[:1]
    return not (following.islower() or following in {",", ";"})


_TITLES = {"col", "corp", "dr", "gen", "gov", "inc", "jr", "ltd", "maj", "messrs", "mr", "mrs", "ms", "prof", "rep"}
_TITLES |= {"sen", "sgt", "sr", "st", "vs"}


def _is_past(word: str) -> bool:
    return word in _BACK or (word.endswith("ed") and len(word) > 4 and word not in _NOT_PAST)


def _is_wont(words: list[str], place: int) -> bool:
    """Whether "won" is the first part of "won't"."""
    return words[place] == "won" and words[place + 2 : place + 3] == ["t"]


def _is_infinitive(tokens: Tokens, place: int) -> bool:
    """Whether a verb follows "to": no determiner, number or name."""
    if not tokens.is_class(place + 1, "OTHER"):
        return False
    word = tokens.words[place + 1]
    return word not in _DETERMINED and tokens.text[tokens.start(place + 1)].islower()


def _infinitive(words: list[str], place: int) -> int:
    """Which way "to meet" looks: as the verb before it does, where that is one of planning."""
    for word in reversed(words[max(0, place - 2) : place]):
        if word in ("is", "are") or word in _PLANNED:
            return -1 if "had" in words[max(0, place - 4) : place] else 1
    return 0


def is_aside(tokens: Tokens, first: int) -> bool:
    """Whether the clause before an expression is a plan or a look back, so that a story does not move there.

    >>> from epochal.reading.english.tokens import tokenise
    >>> is_aside(tokenise("They were exposed for a planned campaign in 1976"), 8)
    True
    """
    words, codes = tokens.words, tokens.codes
    for place in range(first - 1, max(-1, first - _NEAR), -1):
        if codes[place] in _STOP_OR_COMMA:
            return False
        if words[place] in _AHEAD or words[place] in _PLANNED or words[place] in ("had", "would"):
            return True
    return False
