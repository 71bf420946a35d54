"""What the words around an expression tell: whether it is a name, and whether it lies ahead or back.

"Will" looks ahead, "was" back. The nearest verb of the sentence decides, those before the expression first. A language
lists its words under `[cues]`: `ahead` and `back`, and in `past_forms` and `future_forms` patterns of verbs, with nouns
that look like one in `neutral`. A word of `auxiliaries` looks back where a form of `participles` follows: "he has
said", not "he has a date". After one of `reflexives` a word of `reflexive_auxiliaries` is one, too. A word of
`ahead_beside` or `back_beside` counts right before a time only: "for Monday", "your letter of 6 May". A word of
`begins` there ("ab Montag") looks ahead where no word of `back` follows. What has a form of `bare_participles` ("signed
on Tuesday") looks back only where no verb of the sentence says more, and no word of `passives` precedes it ("are
accepted until Tuesday").

Words of time may be names: "Julio Iglesias", "le Printemps de Bourges". In languages that write their months and
weekdays small (`small_names` of `[language]`), one with a capital inside a sentence is a name where a name is beside
it; at the start of a sentence it is one where it is a given name (`given_names` of `[guards]`), and in any language
behind a title (`titles`: "Mrs") or a first name (`first_names`). A date behind a word for a street (`streets`, with
`street_links` between them) is the name of the street.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from epochal.reading.shared.language import OTHER, Language
from epochal.reading.shared.match import Item
from epochal.reading.shared.parts import Parts
from epochal.reading.shared.tokens import Tokens

__all__ = ["detect_direction", "is_name", "look_at"]


#: How many tokens before and behind an expression are looked at.
_BEFORE, _BEHIND = 14, 12
#: How many tokens before an expression a word counts that looks ahead beside a time only: "for Monday".
_BESIDE = 2
#: How many words behind an auxiliary its participle may be.
_PARTICIPLE = 3
_ENDS = frozenset(".!?;。！？؟")


def detect_direction(language: Language, tokens: Tokens, first: int, last: int) -> int:
    """1 where the words around the tokens `[first, last)` look ahead, -1 where they look back, 0 where neither."""
    words = tokens.words
    beside = language.cue_words("ahead_beside")
    if beside and any(word in beside for word in words[max(0, first - _BESIDE) : first]):
        return 1
    written = language.cue_words("back_beside")
    if written and any(word in written for word in words[max(0, first - _BESIDE) : first]):
        return -1
    if first and words[first - 1] in language.cue_words("begins"):
        return _look_from_beginning(language, tokens, last)
    has_bare = False
    for places in (range(first - 1, max(-1, first - 1 - _BEFORE), -1), range(last, min(len(words), last + _BEHIND))):
        for place in places:
            if _ends_sentence(tokens, place):
                break
            if direction := _look(language, words, place):
                return direction
            if not has_bare and _is_bare_participle(language, words[place]):
                has_bare = not place or words[place - 1] not in language.cue_words("passives")
    return -1 if has_bare else 0


def _look_from_beginning(language: Language, tokens: Tokens, last: int) -> int:
    """Which way a time from which on something holds looks: back behind it is a finite verb alone, no participle."""
    for place in range(last, min(len(tokens.words), last + _BEHIND)):
        if _ends_sentence(tokens, place):
            break
        if tokens.words[place] in language.cue_words("back"):
            return -1
    return 1


@lru_cache(maxsize=20_000)
def _is_bare_participle(language: Language, word: str) -> bool:
    forms = language.bare_participles
    return forms is not None and forms.fullmatch(word) is not None and word not in language.cue_words("neutral")


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


def _look(language: Language, words: Sequence[str], place: int) -> int:
    direction = look_at(language, words[place])
    if direction is not None:
        return direction
    if words[place] in language.cue_words("reflexive_auxiliaries"):
        reflexives = language.cue_words("reflexives")
        if not place or words[place - 1] not in reflexives:
            return 0
    participles, following = language.participles, words[place + 1 : place + 1 + _PARTICIPLE]
    return -1 if participles and any(participles.fullmatch(one) for one in following) else 0


@lru_cache(maxsize=20_000)
def look_at(language: Language, word: str) -> int | None:
    """The direction of a word; None of an auxiliary, which has that of what follows."""
    if word in language.cue_words("ahead"):
        return 1
    if word in language.cue_words("back"):
        return -1
    if word in language.cue_words("neutral"):
        return 0
    if word in language.cue_words("auxiliaries") or word in language.cue_words("reflexive_auxiliaries"):
        return None
    for direction, forms in ((-1, language.past_forms), (1, language.future_forms)):
        if forms is not None and forms.fullmatch(word):
            return direction
    return 0


#: How many words before a date the word for a street may be: "via XX Settembre", "rue du 4 Septembre".
_REACH = 2
_STOPS = frozenset('.!?:;"«“”»()[]-–—*•|>')


def is_name(parsed: Parts, items: list[Item], tokens: Tokens, language: Language) -> bool:
    """Whether the words of a time are part of a name."""
    first = items[0].first
    if parsed.month is not None and _is_street(first, tokens, language):
        return True
    is_word = sum(item.word != "." for item in items) == 1
    is_single = is_word and (parsed.weekday or parsed.month or parsed.season or parsed.holiday)
    if not is_word or parsed.year is not None or not (is_single or parsed.daypart):
        return False
    if first and _is_capital(tokens, first) and _is_of_person(first, tokens, language):
        return True
    if not is_single:  # "Le Matin" is a newspaper: parts of the day have no capital inside a sentence
        is_inside = language.settings.small_names and not _starts_sentence(tokens, first)
        return is_inside and _is_capital(tokens, first)
    if _has_epithet(first, items[0].last, tokens, language):
        return True
    return language.settings.small_names and _is_beside_name(first, items[0].last, tokens, language)


def _is_of_person(first: int, tokens: Tokens, language: Language) -> bool:
    """Whether a title or a first name is in front: "Herr Sonntag", "Maria Winter"."""
    word = tokens.words[first - 1].rstrip(".")
    if word in language.cue_words("titles"):
        return True
    return word in language.cue_words("first_names") and _is_capital(tokens, first - 1)


def _has_epithet(first: int, last: int, tokens: Tokens, language: Language) -> bool:
    """Whether a first name is followed by what its bearer was called: "August der Starke", unlike "im August der"."""
    words = tokens.words
    if words[first] not in language.cue_words("ruler_names") or words[last : last + 1] != ["der"]:
        return False
    is_free = _starts_sentence(tokens, first) or tokens.codes[first - 1] == OTHER
    return is_free and last + 1 < len(words) and _is_capital(tokens, last + 1) and words[last + 1].endswith("e")


def _is_beside_name(first: int, last: int, tokens: Tokens, language: Language) -> bool:
    if not _is_capital(tokens, first):
        return False
    follows = last < len(tokens.words) and tokens.starts[last] == tokens.ends[last - 1] + 1
    has_name = follows and tokens.codes[last] == OTHER and _is_capital(tokens, last)
    if _starts_sentence(tokens, first):
        return has_name and tokens.words[first] in language.cue_words("given_names")
    precedes = tokens.codes[first - 1] == OTHER and _is_capital(tokens, first - 1)
    is_given = tokens.words[first] in language.cue_words("given_names")  # "Plácido Domingo"
    if has_name or (precedes and (is_given or not _starts_sentence(tokens, first - 1))):
        return True
    # "le Printemps de Bourges"
    of = {language.classes.get(name) for name in ("DE", "DEL", "van")}
    return (
        follows
        and tokens.codes[last] in of
        and last + 1 < len(tokens.words)
        and tokens.codes[last + 1] == OTHER
        and _is_capital(tokens, last + 1)
    )


def _is_street(first: int, tokens: Tokens, language: Language) -> bool:
    streets = language.cue_words("streets")
    skipped = {language.classes.get(name) for name in ("DE", "DEL", "ROMAN")}
    links = language.cue_words("street_links")  # "Straße des 17. Juni"
    for place in range(first - 1, max(-1, first - 1 - _REACH), -1):
        if tokens.words[place] in streets:  # "nel corso del mese" is "in the course of"
            return not place or tokens.codes[place - 1] != language.classes.get("NEL")
        if tokens.codes[place] not in skipped and tokens.words[place] not in links:
            return False
    return False


def _is_capital(tokens: Tokens, place: int) -> bool:
    """Whether a word has a capital and small letters behind it."""
    start, end = tokens.starts[place], tokens.ends[place]
    return end - start > 1 and tokens.text[start].isupper() and tokens.text[start + 1].islower()


def _starts_sentence(tokens: Tokens, place: int) -> bool:
    return (
        not place
        or tokens.words[place - 1] in _STOPS
        or "\n" in tokens.text[tokens.ends[place - 1] : tokens.starts[place]]
    )
