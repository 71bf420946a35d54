"""Words of time that are names: "Julio Iglesias", "le Printemps de Bourges", "rue du 4 Septembre".

In languages that write their months and weekdays small (`small_names` of `[language]`), one with a capital inside a
sentence is a name where a name is beside it; at the start of a sentence it is one where it is a given name
(`given_names` of `[guards]`), and everywhere behind a title (`titles`: "Mrs"). A date behind a word for a street
(`streets`) is the name of the street.
"""

from __future__ import annotations

from epochal.reading.shared.language import OTHER, Language
from epochal.reading.shared.match import Item
from epochal.reading.shared.parts import Parts
from epochal.reading.shared.tokens import Tokens

#: How many words before a date the word for a street may be: "via XX Settembre", "rue du 4 Septembre".
_REACH = 2
_STOPS = frozenset('.!?:;"«“”»()[]-–—*•|>')


def is_name(said: Parts, items: list[Item], tokens: Tokens, language: Language) -> bool:
    """Whether the words of a time are part of a name."""
    if not language.settings.small_names or said.year is not None:
        return False
    if said.month is not None and _is_street(items[0].first, tokens, language):
        return True
    is_word = sum(item.word != "." for item in items) == 1
    is_single = is_word and (said.weekday or said.month or said.season or said.holiday)
    return bool(is_single) and _is_beside_name(items[0].first, items[0].last, tokens, language)


def _is_beside_name(first: int, last: int, tokens: Tokens, language: Language) -> bool:
    if not _is_capital(tokens, first):
        return False
    follows = last < len(tokens.words) and tokens.starts[last] == tokens.ends[last - 1] + 1
    has_name = follows and tokens.codes[last] == OTHER and _is_capital(tokens, last)
    if first and tokens.words[first - 1].rstrip(".") in language.cue_words("titles"):
        return True
    if _starts_sentence(tokens, first):
        return has_name and tokens.words[first] in language.cue_words("given_names")
    precedes = tokens.codes[first - 1] == OTHER and _is_capital(tokens, first - 1)
    if has_name or (precedes and not _starts_sentence(tokens, first - 1)):
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
    for place in range(first - 1, max(-1, first - 1 - _REACH), -1):
        if tokens.words[place] in streets:
            return True
        if tokens.codes[place] not in skipped:
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
