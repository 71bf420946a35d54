"""Words that candidates have in another form: Buddhist and Buddhism, VAT and Value Added Tax, ROS in brackets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from epochal.ranking.casing import find_initials
from epochal.ranking.pool import Floats, Pool
from epochal.ranking.words import QueryWords, is_ordinary, list_other_forms
from epochal.reading.shared.detect import detect_language
from epochal.storage.text import analyse

__all__ = ["join_abbreviations", "match_related_forms"]

#: Related forms share all but the last two letters, and are looked for in so many of the best candidates.
_MIN_RELATED: Final = 6
_MAX_RELATED: Final = 60
#: Letters of a word that may be made of initials, and related forms of a word that are looked for.
_MAX_ACRONYM: Final = 6
_MAX_FORMS: Final = 8
#: Letters behind those that related forms share.
_MAX_ENDING: Final = 6
#: Passages that have a word up to which others may have it in another form.
_FEW: Final = 3
#: A short form in brackets, and how far before it its words begin: "reactive oxygen species (ROS)".
_SHORT_FORM: Final = re.compile(r"\((\w{2,10})\)")
_BEFORE_SHORT: Final = 100
_MAX_LONG: Final = 7


def join_abbreviations(question: str, words: QueryWords, anywhere: Floats) -> None:
    """A text has a short form that is explained in the question if it has the words that it is short for."""
    columns = {word: column for column, word in enumerate(words.words)}
    for match in _SHORT_FORM.finditer(question):
        short = columns.get(match[1])
        if short is None or sum(sign.isupper() for sign in match[1]) < 2:  # (Ohio) is no short form
            continue
        before = question[max(0, match.start() - _BEFORE_SHORT) : match.start()].split()[-_MAX_LONG:]
        first = next((place for place, word in enumerate(before) if word[0].lower() == match[1][0].lower()), None)
        meant = [] if first is None else [columns[word] for word in before[first:] if word in columns]
        if meant:
            anywhere[:, short] = np.maximum(anywhere[:, short], anywhere[:, meant].min(axis=1))
            words.frequencies[short] = max(words.frequencies[short], words.frequencies[meant].min())


def match_related_forms(pool: Pool, words: QueryWords, anywhere: Floats, prior: Floats, heads: Sequence[str]) -> None:
    """A word that hardly a passage has may have a related form: Buddhist and Buddhism, VAT and Value Added Tax.

    An adjective of a country has its name, and a verb its past tense, however many have either: Italian and Italy,
    "buy" and "bought". Those found are no longer unknown.
    """
    # Without a dictionary nobody knows which words are names: Extranjería and extranjeros.
    is_english = detect_language(pool.question).code == "en"
    forms: dict[int, list[tuple[str, ...]]] = {}
    for column, word in enumerate(words.words):
        if is_english and (others := list_other_forms(word)):
            forms[column] = [tuple(dict.fromkeys(analyse(other))) for other in others]
    columns = [
        column
        for column, (word, frequency) in enumerate(zip(words.words, words.frequencies.tolist(), strict=True))
        if frequency <= _FEW and word.isalpha() and (len(word) >= _MIN_RELATED or _is_acronym(word))
    ]
    if columns:
        rows = np.sort(np.argsort(-prior, kind="stable")[:_MAX_RELATED])
        texts = [*heads, *(f"{item.title}\n{item.text}" for item in pool.view.get_texts(pool.rows[rows]))]
        for column in columns:
            is_name = is_english and not words.get("ordinary")[column]
            forms.setdefault(column, []).extend(_find_related_forms(words.words[column], texts, is_name=is_name))
    _add_forms(pool, words, anywhere, {column: found for column, found in forms.items() if found})


def _add_forms(pool: Pool, words: QueryWords, anywhere: Floats, forms: Mapping[int, Sequence[tuple[str, ...]]]) -> None:
    """A candidate has each word, too, that has all tokens of one of its other forms."""
    if not forms:
        return
    for column, others in forms.items():
        flat = tuple(dict.fromkeys(token for form in others for token in form))
        at = {token: place for place, token in enumerate(flat)}
        present = pool.view.match_contexts(pool.rows, np.full(len(pool), -1, dtype=np.int64), flat)
        has = np.any([present[:, [at[token] for token in form]].all(axis=1) for form in others], axis=0)
        anywhere[has, column] = 1.0
        frequency = pool.view.get_document_frequencies(set(flat))
        words.frequencies[column] += max(min(frequency.get(token, 0) for token in form) for form in others)
    words.fill_in_rarity(pool.view.passage_count)


def _is_acronym(word: str) -> bool:
    return 2 <= len(word) <= _MAX_ACRONYM and word.isalpha() and word.isupper()


#: Endings by which forms of names differ in English: Nigeria and Nigerian, Vietnam and Vietnamese.
_ENDINGS: Final = frozenset(
    " a e i o u y s es n an ian ans ians en er ern ers ese uese ish ey ic al ally ist ists ite ites ia ias io ium us "
    "um in ine ino ina os as ng ing ed".split(" ")
)


def _find_related_forms(word: str, texts: Sequence[str], *, is_name: bool) -> list[tuple[str, ...]]:
    """The tokens of words that share all but the last two letters of a word, or whose initials it has.

    A name has forms that are names, too, and differ by endings that names have: no "builds" and "buildout" for Buildah.
    """
    if _is_acronym(word):
        forms = {match for text in texts for match in find_initials(word, text)}
    else:
        # Swedish and Sweden share four letters.
        stem = word[:4] if is_name else word[: max(5, len(word) - 2)]
        pattern = re.compile(rf"(?<!\w){re.escape(stem)}[^\W\d_]{{0,{_MAX_ENDING}}}(?!\w)", re.IGNORECASE)
        forms = {match for text in texts for match in pattern.findall(text)}
        if is_name:
            forms = {form for form in forms if _has_form_of_name(word.lower(), form.lower())}
    read_forms = {form: tuple(dict.fromkeys(analyse(form))) for form in sorted(forms)[:_MAX_FORMS]}
    return [
        read for form, read in read_forms.items() if read and not (is_name and form.islower() and is_ordinary(read))
    ]


def _has_form_of_name(name: str, form: str) -> bool:
    shorter = min(len(name), len(form))
    shared = next((at for at in range(shorter) if name[at] != form[at]), shorter)
    return name[shared:] in _ENDINGS and form[shared:] in _ENDINGS
