"""Words of a question that no document has, as documents spell them: with a hyphen or without, British or American.

A word that is in no dictionary and differs from one by a letter inside is taken for a slip ("florescent") where a
passage with that one has all other words of the question, too. Names are left as they are, since another name may
differ by one letter: openssh is not openssl.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from epochal.lazy import lazy_regex
from epochal.ranking.word_lists import load_more, load_ranks
from epochal.ranking.words import FUNCTION_WORD, is_ordinary, is_text_kind
from epochal.reading.shared.detect import detect_language
from epochal.storage.protocol import View
from epochal.storage.text import analyse_word

__all__ = ["adapt_spelling"]

_WORD: Final = lazy_regex(r"[^\W_]+(?:[-\u2010\u2011][^\W_]+)*")
_HYPHEN: Final = lazy_regex("[-\u2010\u2011]")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
#: Letters of a word that may be spelled otherwise, and of one that may have a slip.
_LEAST: Final = 4
_LEAST_SLIPPED: Final = 7
#: Letters of each part of a word that is written with a hyphen elsewhere, and texts in which that is looked for.
_LEAST_PART: Final = 2
_READ: Final = 3
#: First parts that make another word with a hyphen: to re-sign is not to resign.
_TURNING: Final = frozenset("re un co de pre".split())
#: Passages with a word of which one must have the words beside a slip for it.
_BESIDE: Final = 50
#: Words in British and in American spelling that no rule has.
_PAIRS: Final = (
    "centre center|theatre theater|metre meter|litre liter|fibre fiber|calibre caliber|sombre somber|lustre luster|"
    "meagre meager|kilometre kilometer|millimetre millimeter|centimetre centimeter|defence defense|offence offense|"
    "licence license|pretence pretense|catalogue catalog|dialogue dialog|analogue analog|programme program|"
    "aluminium aluminum|jewellery jewelry|plough plow|grey gray|pyjamas pajamas|sceptic skeptic|mould mold|"
    "moustache mustache|cosy cozy|yoghurt yogurt|artefact artifact|ageing aging|judgement judgment|fulfil fulfill|"
    "enrol enroll|enrolment enrollment|skilful skillful|instalment installment|sulphur sulfur"
)
#: Parts of words from Greek and Latin in both spellings.
_ROOTS: Final = (
    "aemi emi|haem hem|paed ped|oestr estr|foet fet|oedem edem|oesoph esoph|gynaec gynec|anaesth anesth|"
    "diarrhoe diarrhe|manoeuv maneuv|mediaev mediev|faec fec|archaeo archeo|palaeo paleo|aetio etio"
)
#: Endings in both spellings, behind a syllable: harbour and organise, but not four, rise and filled.
_ENDINGS: Final = (
    (r"(?P<start>.*[aeiouy][^aeiouy]+)(?P<sound>our|or)(?P<end>s|ed|ing|able|ful|hood|ite)?", "our", "or"),
    (r"(?P<start>.*[aeiouy][^aeiouy]+)(?P<sound>is|iz)(?P<end>e[sd]?|ing|ations?|ers?)", "is", "iz"),
    (r"(?P<start>.*[aeiouy][^aeiouy]+)(?P<sound>ys|yz)(?P<end>e[sd]?|ing|ers?)", "ys", "yz"),
    (r"(?P<start>.*[aeiouy][^aeiouy]+[aeiou])(?P<sound>ll|l)(?P<end>ed|ing|ers?)", "ll", "l"),
)


def adapt_spelling(view: View, question: str, list_taken: Callable[[], Sequence[tuple[int, int]]]) -> dict[str, str]:
    """The words of a question that documents spell otherwise, with that spelling.

    `list_taken` says where the question has times and words of order, which stay; it is asked only if there is need.
    """
    words = {match[0]: match.span() for match in _WORD.finditer(question) if len(match[0]) >= _LEAST}
    tokens = {word: analyse_word(word) for word in words if not word.isdigit()}
    known = view.get_document_frequencies({token for read in tokens.values() for token in read})
    unknown = [word for word, read in tokens.items() if not all(map(known.get, read))]
    if not unknown or detect_language(question).code != "en":
        return {}
    taken = list_taken()
    spellings = {}
    for word in unknown:
        start, end = words[word]
        if any(low < end and start < high for low, high in taken):
            continue
        if not (spelling := _find_hyphens(view, word)) and (word.islower() or _begins(question, start, word)):
            spelling = _find_known(view, _list_spellings(word.lower())) or _find_slip(view, word, question)
        if spelling:
            spellings[word] = spelling
    return spellings


def _begins(question: str, start: int, word: str) -> bool:
    """Whether a question begins with a word of a dictionary, whose capital says nothing."""
    return not _WORD.search(question[:start]) and word[1:].islower() and is_ordinary(analyse_word(word))


def _find_hyphens(view: View, word: str) -> str | None:
    """The word without its hyphen, or with one: "panicprone" where documents have "panic-prone"."""
    parts = _HYPHEN.split(word)
    if len(parts) > 1:
        joined = "".join(parts)
        turns = parts[0].lower() in _TURNING and is_ordinary(analyse_word(joined))
        return None if turns or any(part[0].isupper() for part in parts[1:]) else _find_known(view, [joined])
    splits = [(word[:at], word[at:]) for at in range(1, len(word)) if _may_part(word, at)]
    read = {split: (*analyse_word(split[0]), *analyse_word(split[1])) for split in splits}
    known = view.get_document_frequencies({token for tokens in read.values() for token in tokens})
    for (first, second), tokens in read.items():
        if not all(map(known.get, tokens)):
            continue
        pattern = rf"(?<!\w){re.escape(first)}{_HYPHEN.pattern}{re.escape(second)}(?:s|es|ed|ing)?(?!\w)"
        for item in view.get_texts(view.search_words(f"{first} {second}", _READ).rows):
            if found := re.search(pattern, f"{item.title}\n{item.text}", re.IGNORECASE):
                return found[0]
    return None


def _may_part(word: str, at: int) -> bool:
    """Whether a hyphen may be there: between letters and digits, or between two parts that may be words."""
    if word[at - 1].isdigit() != word[at].isdigit():
        return True
    return word.isalpha() and word[1:].islower() and _LEAST_PART <= at <= len(word) - _LEAST_PART


def _list_spellings(word: str) -> Iterator[str]:
    """A word in the other spelling of English.

    >>> [list(_list_spellings(word)) for word in ("harbour", "theaters", "anemia", "organised", "four", "filling")]
    [['harbor'], ['theatres'], ['anaemia'], ['organized'], [], []]
    """
    for pair in _PAIRS.split("|"):
        for one, other in (pair.split(), pair.split()[::-1]):
            if word.startswith(one) and word[len(one) :] in ("", "s", "d", "ed", "ing"):
                yield other + word[len(one) :]
    for pair in _ROOTS.split("|"):
        british, american = pair.split()
        if british in word:
            yield word.replace(british, american)
        elif american in word:
            yield word.replace(american, british)
    for pattern, british, american in _ENDINGS:
        if match := re.fullmatch(pattern, word):
            yield match["start"] + (american if match["sound"] == british else british) + (match["end"] or "")


def _find_slip(view: View, word: str, question: str) -> str | None:
    """The word of a dictionary that most documents have, of those that differ by a letter inside the word.

    Only a passage with everything else in the question tells a slip from a name: pydantic is not pedantic.
    """
    is_plain = word.isascii() and word.isalpha() and word.islower() and len(word) >= _LEAST_SLIPPED
    beside = set(_list_beside(word, question)) if is_plain and not is_ordinary(analyse_word(word)) else ()
    if not beside:
        return None
    # At its end a letter makes another form or another name: celery and celeryd.
    inner = range(1, len(word) - 2)
    others = {word[:at] + word[at + 1 :] for at in inner}
    others |= {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in inner}
    others |= {word[:at] + sign + word[at + 1 :] for at in inner for sign in _LETTERS}
    others |= {word[:at] + sign + word[at:] for at in inner for sign in _LETTERS}
    found = _find_known(view, (other for other in others if is_ordinary(analyse_word(other))))
    if found is None:
        return None
    texts = view.get_texts(view.search_words(" ".join((found, *sorted(beside))), _BESIDE).rows)
    wanted = {*beside, *analyse_word(found)}
    return found if any(wanted.issubset(view.analyse(f"{item.title}\n{item.text}")) for item in texts) else None


def _list_beside(word: str, question: str) -> Iterator[str]:
    """The tokens of the other words of a question that say what it is about."""
    ranks = load_ranks("en")
    for match in _WORD.finditer(question):
        read = analyse_word(match[0])
        is_frame = len(match[0]) == 1 or is_text_kind(match[0]) or load_more().issuperset(read)
        is_function = max((ranks.get(token, 0.0) for token in read), default=1.0) >= FUNCTION_WORD
        if match[0] != word and not is_frame and not is_function:
            yield from read


def _find_known(view: View, spellings: Iterable[str]) -> str | None:
    """The spelling that most documents have; None where none has any."""
    read: Mapping[str, tuple[str, ...]] = {spelling: analyse_word(spelling) for spelling in spellings}
    tokens = {spelling: found[0] for spelling, found in read.items() if len(found) == 1}
    known = view.get_document_frequencies(tokens.values())
    best = max(tokens, key=lambda spelling: (known.get(tokens[spelling], 0), spelling), default=None)
    return best if best is not None and known.get(tokens[best]) else None
