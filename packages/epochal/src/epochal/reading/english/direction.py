"""Which way an English expression that names no year or week lies: back from the date of the text, or ahead of it.

There is no parser; the words around the expression are evidence, the strongest first:

1. a verb form near it, those before it first: "will", "plans to", "due" look ahead, "said", "was", words in -ed back;
   and a heading, as "Friday: rain" is one, which looks ahead;
2. what can only be ahead: "see you", "RSVP by", "let's", a question ("does Wed work?"), the present tense of "is";
3. the kind of the document: one that reports (most of its verbs are past) looks back, a notice, a mail or a forecast
   looks ahead.

A text that lists days goes on in one direction: see `EnglishContext.weekday_day`.
"""

from __future__ import annotations

from typing import NamedTuple

from epochal.reading.english.lexicon import CLASSES
from epochal.reading.english.tokens import EnglishTokens

__all__ = [
    "AHEAD_WORDS",
    "PAST_VERBS",
    "PLANNING_WORDS",
    "WRITTEN_THINGS",
    "Direction",
    "detect_direction",
    "detect_lean",
    "ends_sentence",
]
__all__ += ["is_heading"]


class Direction(NamedTuple):
    """1 for ahead, -1 for back, 0 where nothing tells; and whether a verb near the expression says so."""

    sign: int
    is_sure: bool
    is_heading: bool = False


_STOP = CLASSES["."]
#: How many tokens before and after an expression are looked at.
_FAR = 12
_NEAR = 8
AHEAD_WORDS = {"coming", "deadline", "due", "effective", "going", "gonna", "hopefully", "ll", "payable", "shall"}
AHEAD_WORDS |= {"tomorrow", "until", "upcoming", "will"}
#: The past form of these, too, refers to the future.
_PLANS = {"agree", "aim", "arrange", "await", "expect", "hope", "intend", "invite", "plan", "promise", "propose"}
_PLANS |= {"schedule", "slate", "threaten", "vow", "want"}
PLANNING_WORDS = {
    form for word in _PLANS for form in (word, word + "s", word.rstrip("e") + "ed", word.rstrip("e") + "ing")
}
PLANNING_WORDS |= {"bound", "likely", "planned", "planning", "poised", "ready", "supposed"}
#: The present tense of timetables: "the talks resume Monday".
_TIMETABLE = {"arrive", "arrives", "begin", "begins", "convenes", "departs", "ends", "expires", "meet", "meets"}
_TIMETABLE |= {"opens", "reconvenes", "resume", "resumes", "returns", "starts", "visits"}
_OVERTAKEN = {"had", "originally", "previously"}
_MODAL = {"can", "could", "couldn", "may", "might", "must", "should", "shouldn", "would", "wouldn"}
_BACK = {
    "after",
    "ago",
    "became",
    "been",
    "began",
    "bought",
    "brought",
    "built",
    "came",
    "caught",
    "chose",
    "cut",
    "died",
}
_BACK |= {"did", "didn", "drew", "fell", "felt", "flew", "fought", "found", "gave", "got", "grew", "had", "hadn"}
_BACK |= {"has", "hasn", "have", "haven", "heard", "held", "hit", "hurt", "kept", "knew", "led", "left", "lost"}
_BACK |= {"made", "met", "paid", "ran", "read", "rose", "said", "sat", "saw", "sent", "shot", "shown", "since"}
_BACK |= {"slid", "sold", "sought", "spent", "spoke", "stood", "struck", "taken", "taught", "threw", "told", "took"}
_BACK |= {"ate", "beat", "broke", "drove", "forgot", "froze", "hid", "rang", "rode", "sang", "sank", "shook", "slept"}
_BACK |= {"stole", "swam", "swept", "tore", "wept", "woke", "wore"}
_BACK |= {"was", "wasn", "went", "were", "weren", "withdrew", "won", "wrote"}
_NOT_PAST = {"bleed", "breed", "embed", "exceed", "greed", "hundred", "indeed", "naked", "proceed", "sacred", "speed"}
_NOT_PAST |= {"succeed", "united", "wicked"}
_DETERMINED = {"the", "a", "an", "its", "his", "her", "their", "our", "my", "this", "that", "these", "those"}
#: Words of the present tense, of requests and of invitations: what is meant lies ahead, if it is not today.
_PRESENT = {"am", "are", "aren", "available", "book", "bring", "call", "check", "come", "do", "does", "doesn", "don"}
_PRESENT |= {
    "free",
    "get",
    "is",
    "isn",
    "join",
    "keep",
    "let",
    "lets",
    "need",
    "open",
    "please",
    "register",
    "remember",
}
_PRESENT |= {"reminder", "rsvp", "see", "send", "sign", "submit", "take", "try", "visit", "works"}
_TO_BE = {"am", "are", "aren", "being", "is", "isn", "re"}
#: What a past participle is followed by where it is a verb: "walked to the station", not "scattered showers".
_FUNCTION_WORDS = {"a", "about", "all", "an", "at", "by", "for", "from", "her", "him", "his", "in", "into", "it", "my"}
_FUNCTION_WORDS |= {"off", "on", "our", "out", "over", "that", "the", "them", "this", "to", "up", "us", "with"}
#: Past forms that are nothing else, unlike "cut", "left", "since" and "after".
PAST_VERBS = _BACK - {
    "after",
    "ago",
    "been",
    "cut",
    "has",
    "hasn",
    "have",
    "haven",
    "held",
    "hit",
    "hurt",
    "left",
    "read",
}
PAST_VERBS -= {"sat", "shown", "since", "taken"}


def detect_direction(tokens: EnglishTokens, first: int, last: int) -> Direction:
    """Which way the words around the tokens `[first, last)` look."""
    near = tokens.words[first - 1] if first else ""
    if is_heading(tokens, first, last):
        return Direction(-1 if _reports(tokens, last) else 1, is_sure=True, is_heading=True)
    if tokens.words[last : last + 1] in (["was"], ["were"]):
        return Direction(-1, is_sure=True)  # what was planned for Saturday was cancelled
    if near in ("until", "till") and _behind(tokens, last) < 0:
        return Direction(-1, is_sure=True)
    if near in ("of", "dated") and (near == "dated" or tokens.words[first - 2] in WRITTEN_THINGS):
        return Direction(-1, is_sure=True)  # your letter of 6 May
    if near in _STARTS and _opens(tokens, first - 1) and _holds_from(tokens, last):
        return Direction(1, is_sure=True)
    sign = _before(tokens, first) or _behind(tokens, last)
    if sign:
        return Direction(sign, is_sure=True)
    return Direction(int(_is_present(tokens, first, last)), is_sure=False)


#: What is dated by the day on which it was written.
WRITTEN_THINGS = {"article", "complaint", "dispatch", "email", "filing", "invoice", "letter", "letters", "mail", "memo"}
WRITTEN_THINGS |= {"memorandum", "message", "note", "post", "report", "telegram"}


#: "From Monday buses are free": what holds from a time is stated before it.
_STARTS = {"beginning", "commencing", "effective", "from", "starting"}
_HOLDING = {"am", "apply", "applies", "are", "aren", "can", "cannot", "is", "isn", "ll", "may", "must", "shall", "will"}


def _opens(tokens: EnglishTokens, place: int) -> bool:
    """Whether nothing of the sentence is before a token but a mark: "the letter from 6 May" has its noun there."""
    return not place or not tokens.words[place - 1][-1].isalnum()


def _holds_from(tokens: EnglishTokens, last: int) -> bool:
    """Whether the first verb behind a time is in the present tense, or looks ahead."""
    for place in range(last, min(len(tokens.words), last + _FAR)):
        word = tokens.words[place]
        if word in _HOLDING:
            return True
        if _is_past(word) or (word == "." and ends_sentence(tokens, place)):
            return False
    return False


def is_heading(tokens: EnglishTokens, first: int, last: int) -> bool:
    """Whether an expression opens a line or a sentence and a colon follows it: "Friday:", "Thursday and Friday:"."""
    words, codes = tokens.words, tokens.codes
    for place in range(last, min(len(words), last + _NEAR)):
        if words[place] == ":":
            break
        if codes[place] == _OTHER or codes[place] == _STOP:
            return False
    else:
        return False
    for place in range(first - 1, max(-1, first - _NEAR), -1):
        if words[place][-1] == "." or "\n" in tokens.text[tokens.end(place) : tokens.start(place + 1)]:
            return True
        if words[place] in ("forecast", "outlook"):
            return _opens_line(tokens, place)  # "Extended outlook, Monday:"
        if codes[place] == _OTHER and words[place] not in _HEADING_WORDS:
            return False
    return True


def _opens_line(tokens: EnglishTokens, place: int) -> bool:
    """Whether a line or a sentence begins at most three words before a token: "Extended outlook"."""
    for here in range(place, max(-1, place - 4), -1):
        between = tokens.text[tokens.end(here - 1) : tokens.start(here)] if here else "\n"
        if "\n" in between or tokens.words[here - 1][-1] == ".":
            return True
    return False


_OTHER = CLASSES["OTHER"]
_HEADING_WORDS = {"into", "for", "*", "•", "!", "?", "#", ")", "]"}


def _reports(tokens: EnglishTokens, last: int) -> bool:
    """Whether what follows a heading is told in the past."""
    words = tokens.words
    for place in range(last, min(len(words), last + _FAR)):
        if ends_sentence(tokens, place):
            return False
        if words[place] in PAST_VERBS:
            return True
        if _is_past(words[place]) and words[place].endswith("ed") and words[place + 1 : place + 2]:
            return words[place + 1] in _FUNCTION_WORDS
    return False


def _is_present(tokens: EnglishTokens, first: int, last: int) -> bool:
    """Whether the sentence is a question, a request, or in the present tense."""
    words = tokens.words
    for place in range(first - 1, max(-1, first - _FAR), -1):
        word = words[place]
        if word in _PRESENT or (word == "by" and place == first - 1):
            return True
        if word in "!?" or (word == "." and ends_sentence(tokens, place)):
            break
    for place in range(last, min(len(words), last + _NEAR)):
        word = words[place]
        if word in _ASKING:
            return True
        if word == "!" or (word == "." and ends_sentence(tokens, place)):
            break
    return False


#: What behind an expression shows a question or the present tense.
_ASKING = frozenset(("?", "is", "are", "works"))


#: How many tokens of a text show which way it looks.
_SAMPLE = 800


def detect_lean(tokens: EnglishTokens) -> int:
    """Which way a whole text looks: -1 where most of its verbs are past, 1 where they are not or there are none."""
    words = tokens.words[:_SAMPLE]
    leans = "".join(map(_LEANS.__getitem__, words))
    past = leans.count("-")
    place = leans.find("e")
    while place >= 0:
        past += not place or words[place - 1] not in _TO_BE
        place = leans.find("e", place + 1)
    return -1 if past and past >= leans.count("+") else 1


_LOOKING_AHEAD = frozenset((_PRESENT | AHEAD_WORDS | _MODAL) - PAST_VERBS)


class _Leans(dict[str, str]):
    """What each word says of its text: "+" for ahead, "-" for back, "e" for back unless "is" is before it."""

    _MOST, _LONGEST = 50_000, 24

    def __missing__(self, word: str) -> str:
        lean = "e" if word[-2:] == "ed" and _is_past(word) else "."
        if len(self) < self._MOST and len(word) <= self._LONGEST:
            self[word] = lean
        return lean


# "Closed" is as often a state as something done.
_LEANS = _Leans(dict.fromkeys(_LOOKING_AHEAD, "+") | dict.fromkeys(PAST_VERBS, "-") | {"closed": "."})


#: What may end the search for a direction, beside words in -ed; every full stop is written so.
_TELLING = frozenset({".", "set", "to", *AHEAD_WORDS, *PLANNING_WORDS, *_TIMETABLE, *_MODAL, *_BACK})


def _before(tokens: EnglishTokens, first: int) -> int:
    words = tokens.words
    for place in range(first - 1, max(-1, first - _FAR), -1):
        word = words[place]
        if word not in _TELLING and word[-2:] != "ed":
            continue
        if word == ".":
            if ends_sentence(tokens, place):
                return 0
            continue
        before = words[place - 1] if place else ""
        if (word in AHEAD_WORDS or word in PLANNING_WORDS or word in _TIMETABLE) and before not in _DETERMINED:
            return 1 if _OVERTAKEN.isdisjoint(words[max(0, place - 2) : place]) else -1
        if (word == "set" and words[place + 1] in ("to", "for")) or _is_wont(words, place):
            return 1
        if word == "to" and _is_infinitive(tokens, place):
            return _infinitive(words, place)
        if word in _MODAL and place + 1 < first and words[place + 1] != "have":
            return 1
        if word == "after" and not AHEAD_WORDS.isdisjoint(words[max(0, place - _CLAUSE) : place]):
            return 1  # due after the close on Thursday
        if word == "closed" and _OTHER not in tokens.codes[place + 1 : first] and _opens_clause(tokens, place):
            return 0  # a notice
        if _is_past(word) and not (word == "sat" and tokens.codes[place] != _OTHER):
            return _passive(words, place) if word.endswith("ed") or word in _PARTICIPLES else -1
    return 0


#: How many tokens before "after" a verb of the same clause is looked for.
_CLAUSE = 5


def _opens_clause(tokens: EnglishTokens, place: int) -> bool:
    """Whether a word has nothing of its clause before it, so that it has no subject: "Open Friday; closed Saturday"."""
    return (
        not place
        or tokens.words[place - 1] in _CLAUSE_ENDS
        or "\n" in tokens.text[tokens.end(place - 1) : tokens.start(place)]
    )


_CLAUSE_ENDS = {".", ";", ":", ",", "(", "!"}


def _behind(tokens: EnglishTokens, last: int) -> int:
    words = tokens.words
    for place in range(last, min(len(words), last + _NEAR)):
        word = words[place]
        if word not in _TELLING and word[-2:] != "ed":
            continue
        if word == ".":
            if ends_sentence(tokens, place):
                return 0
            continue
        if word in ("will", "ll", "shall") or _is_wont(words, place):
            return 1
        if _is_past(word) and not (word == "sat" and tokens.codes[place] != _OTHER):
            return -1
    return 0


def _passive(words: list[str], place: int) -> int:
    """Which way a word in -ed looks: ahead in "will be closed Monday", nowhere in "is closed Monday", else back."""
    before = words[max(0, place - 3) : place]
    if not _TO_BE.isdisjoint(before[-2:]):
        return 0
    return 1 if "be" in before and not _BEFORE_BE.isdisjoint(before) else -1


_BEFORE_BE = {"will", "ll", "shall", "to"}
#: Past participles that are past tenses, too.
_PARTICIPLES = {"bought", "brought", "built", "caught", "cut", "found", "heard", "held", "kept", "led", "left", "lost"}
_PARTICIPLES |= {"made", "paid", "read", "sent", "shown", "sold", "spent", "struck", "taken", "taught", "told", "won"}


def ends_sentence(tokens: EnglishTokens, place: int) -> bool:
    """Whether a token is a full stop that ends a sentence, and not an initial or an abbreviation."""
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


def _is_infinitive(tokens: EnglishTokens, place: int) -> bool:
    """Whether a verb follows "to": no determiner, number or name."""
    if not tokens.is_class(place + 1, "OTHER"):
        return False
    word = tokens.words[place + 1]
    return word not in _DETERMINED and tokens.text[tokens.start(place + 1)].islower()


def _infinitive(words: list[str], place: int) -> int:
    """Which way "to meet" looks: as the verb before it does, where that is one of planning."""
    for word in reversed(words[max(0, place - 2) : place]):
        if word in ("is", "are") or word in PLANNING_WORDS:
            return -1 if "had" in words[max(0, place - 4) : place] else 1
    return 0
