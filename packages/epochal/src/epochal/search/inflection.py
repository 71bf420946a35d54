"""Words of a question that no document has, in another inflected form that documents have: дороге for дорога.

The index reduces words to English stems. Of other languages a noun in the plural or in another case is another word, so
the question is rewritten where its own form is not found, and the response says so. Names in languages that do not
inflect them, times and frequent words stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import product
from typing import Final

import numpy as np

from epochal.lazy import lazy_regex
from epochal.ranking.word_lists import load_ranks
from epochal.ranking.words import FUNCTION_WORD, is_ordinary
from epochal.reading.shared.detect import detect_language
from epochal.storage.protocol import View
from epochal.storage.text import analyse_word

__all__ = ["adapt_forms"]

_WORD: Final = lazy_regex(r"[^\W\d_]+")
#: Shorter words stay as they are.
_LEAST: Final = 4
#: What is left of a word without its ending has so many letters.
_STEM: Final = 3
#: Passages by which the language of the documents is known, and how much of each.
_SAMPLE: Final = 8
_SAMPLED: Final = 200
#: Endings of nouns and adjectives, by language.
_ENDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    language: ("", *endings.split())
    for language, endings in {
        "ar": "ة ات ين ون ان ه ها ي ية ا",
        "de": "e en er es em n s ern nen in innen",
        "es": "s es a o as os e",
        "fr": "s es x e",
        "it": "a e i o che chi ghe ghi he hi",
        "nl": "en e s n",
        "pt": "s es a o as os e ão ões ãos ães l is m ns",
        "ru": "а я ы и е у ю о ё й ь ой ей ом ем ём ам ям ами ями ах ях ов ев ий ый ого его ому ему ым им ых их ая яя "
        "ую юю ое ее ые ие ою ею ью ия ии ию ией ием ий иям иями иях ье ья",
    }.items()
}
#: The article, and words of one letter that are written with the next.
_PREFIXES: Final[Mapping[str, tuple[str, ...]]] = {"ar": ("", *"ال و وال ب بال ل لل ك كال ف فال".split())}
#: Languages that inflect names, or write all nouns with capitals.
_INFLECTS_NAMES: Final = frozenset(("ar", "de", "ru"))


def adapt_forms(view: View, question: str, list_taken: Callable[[], Sequence[tuple[int, int]]]) -> dict[str, str]:
    """The words of a question that documents have in another form, with that form.

    `list_taken` says where the question has times and words of order, which stay; it is asked only if there is need.
    """
    code = detect_language(question).code
    if code not in _ENDINGS and code != "en":
        return {}
    words = {match[0]: match.span() for match in _WORD.finditer(question) if len(match[0]) >= _LEAST}
    tokens = {word: analyse_word(word) for word in words}
    known = view.get_document_frequencies({token for read in tokens.values() for token in read})
    unknown = [word for word, read in tokens.items() if not any(known.get(token) for token in read)]
    # A few words may be of any language: most likely that of the documents.
    unknown = [word for word in unknown if not is_ordinary(tokens[word])] if code == "en" else unknown
    if not unknown:
        return {}
    codes = [one for one in dict.fromkeys((code, _detect_documents(view))) if one in _ENDINGS]
    taken = list_taken() if codes else ()
    forms: dict[str, str] = {}
    for word in unknown:
        start, end = words[word]
        if any(low < end and start < high for low, high in taken):
            continue
        found = (_find_form(view, word, one) for one in codes if _may_be_inflected(word, tokens[word], one))
        if form := next(filter(None, found), None):
            forms[word] = form
    return forms


def _may_be_inflected(word: str, tokens: Sequence[str], code: str) -> bool:
    ranks = load_ranks(code)
    is_frequent = max((ranks.get(token, 0.0) for token in tokens), default=1.0) >= FUNCTION_WORD
    return not is_frequent and (word.islower() or code in _INFLECTS_NAMES)


def _detect_documents(view: View) -> str:
    """The language of the documents, by a few passages."""
    rows = view.alive[np.linspace(0, len(view.alive) - 1, _SAMPLE).astype(np.int64)] if len(view.alive) else view.alive
    texts = view.get_texts(np.unique(rows))
    return detect_language("\n".join(item.text[:_SAMPLED] for item in texts)).code


def _find_form(view: View, word: str, code: str) -> str | None:
    """The form of a word that most documents have, of those that share most of it, as one writes it; None for none."""
    forms = {form: read[0] for form in _list_forms(word.lower(), code) if len(read := analyse_word(form)) == 1}
    known = view.get_document_frequencies(forms.values())
    shared = {form: _count_shared(word.lower(), form) for form, token in forms.items() if known.get(token)}
    if not shared:
        return None
    form = max(shared, key=lambda form: (shared[form], known[forms[form]], -len(form), form))
    best = view.get_texts(view.search_words(form, 1).rows)
    written = (match[0] for item in best for match in _WORD.finditer(f"{item.title}\n{item.text}"))
    return next((one for one in written if analyse_word(one) == (forms[form],)), form)


def _count_shared(one: str, other: str) -> int:
    """The letters that two words have in a row."""
    return SequenceMatcher(None, one, other, autojunk=False).find_longest_match().size


def _list_forms(word: str, code: str) -> Iterator[str]:
    prefixes = _PREFIXES.get(code, ("",))
    for prefix, ending in product(prefixes, _ENDINGS[code]):
        if not word.startswith(prefix) or not word.endswith(ending):
            continue
        stem = word[len(prefix) : len(word) - len(ending)]
        if len(stem) >= _STEM:
            for other in _vary(stem, code):
                yield from (before + other + behind for before, behind in product(prefixes, _ENDINGS[code]))


_VOWEL: Final = "aeiou"


def _vary(stem: str, code: str) -> Iterator[str]:
    """A stem as it is written with other endings: Dutch bossen and bos, scholen and school, Spanish luces and luz."""
    yield stem
    last = stem[-1]
    if code == "nl":
        if len(stem) > _STEM and last == stem[-2] and last not in _VOWEL:
            yield stem[:-1]
        hard = stem[:-1] + {"v": "f", "z": "s"}.get(last, last)
        if hard != stem:
            yield hard
        if len(stem) > _STEM and last not in _VOWEL and stem[-2] in _VOWEL and stem[-3] not in _VOWEL:
            yield hard[:-1] + stem[-2] + hard[-1]
        if len(stem) > _STEM and stem[-2] == stem[-3] and stem[-2] in _VOWEL:
            yield stem[:-2] + {"f": "v", "s": "z"}.get(last, last)
        if last not in _VOWEL:
            yield stem + last
    elif code == "es" and last in "cz":
        yield stem[:-1] + ("z" if last == "c" else "c")
    elif code == "pt" and last == "n":
        yield stem[:-1] + "m"
    elif code == "fr":
        if stem.endswith("au"):
            yield stem[:-1] + "l"
        elif stem.endswith("al"):
            yield stem[:-1] + "u"
