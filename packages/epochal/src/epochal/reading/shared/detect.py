"""Which language a text is written in: by its script, by frequent words, and in short texts by words of time.

No model and no network: a few dozen words a language tell the languages of a script apart after two or three of them.
Languages that no tagger covers are recognised too, so that a text can be reported instead of read wrongly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from epochal.lazy import lazy_regex
from epochal.reading.chunks import SHORT_CHARS, split_chunks
from epochal.reading.shared.function_words import FUNCTION_WORDS, LANGUAGE_NAMES
from epochal.reading.shared.registry import COVERED, SHARED_LANGUAGES
from epochal.reading.shared.tokens import APOSTROPHES
from epochal.reading.shared.vocabulary import load_vocabulary

__all__ = ["Detection", "detect_language", "split_by_language"]

#: How many characters of a long text are looked at.
_SAMPLE = 2000
#: A text with fewer words than this may have no frequent word at all: then words of time decide, too.
_FEW_WORDS = 25
#: In fewer words than this one English word may be a word of another language: "jour de l'an".
_PHRASE = 5
_WORD = lazy_regex(r"[^\W\d_]+")
_SENTENCE = lazy_regex(r"[^.!?。！？\n]+(?:[.!?。！？]+(?=\s|\Z)|[.!?。！？\n]+|\Z)?\s*")
_SCRIPTS = (
    ("ja", lazy_regex("[぀-ヿ]")),
    ("ko", lazy_regex("[가-힣]")),
    ("zh", lazy_regex("[㐀-鿿豈-﫿]")),
    ("cyrillic", lazy_regex("[А-яЁёҐґЄєІіЇїЎў]")),
    ("arabic", lazy_regex("[\u0620-\u06ff]")),
    ("el", lazy_regex("[Ͱ-Ͽἀ-῿]")),
    ("he", lazy_regex("[א-ת]")),
    ("hi", lazy_regex("[ऀ-ॿ]")),
    ("th", lazy_regex("[ก-๛]")),
    ("latin", lazy_regex("[A-Za-zÀ-ɏḀ-ỿ]")),
)
_NOT_LATIN = lazy_regex("[\u0370-\u1cff\u3040-\u9fff\uac00-\ud7ff\uf900-\ufaff]")
_UKRAINIAN = lazy_regex("[ґєії]", re.IGNORECASE)
_PERSIAN = lazy_regex("[پچژگ]")
#: Languages of the Latin script in the order in which a tie is decided.
_LATIN = ("en", "fr", "es", "it", "pt", "de", "nl")


@dataclass(frozen=True, slots=True)
class Detection:
    """A language by its code, empty where the text has no letters; and whether a tagger covers it.

    >>> Detection("pl").name, Detection("pl").is_covered
    ('Polish', False)
    """

    code: str
    second: str = ""
    #: The share of the evidence that another language has.
    doubt: float = 0.0
    #: Languages that a phrase of a few words may as well be in, the likeliest first.
    others: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the language in English."""
        return LANGUAGE_NAMES.get(self.code, self.code)

    @property
    def is_covered(self) -> bool:
        """Whether a tagger reads the language."""
        return self.code in COVERED or not self.code


_ENGLISH = Detection("en")
#: Signs and words of Japanese in a text without kana, such as a heading: no Chinese text of today writes them.
_JAPANESE = lazy_regex(
    "[曜々毎気戦発売県駅関図応広円芸沢変黒権済続読訳転鉄浜払桜晩]|[先今来昨前]週|[先今来昨]月|[先一]昨|昨年|先日"
    "|明後日|再来|午前|以降|半世紀|四半期|(?:令和|平成|昭和)[元\\d]|[朝昼夕夜]\\d{1,2}時|[（(][月火水木金土日](?:・?祝)?[）)]"
    "|[\\d一二三四五六七八九十][日年週]目|週\\d|2[5-9]時|[\\d一二三四五六七八九十]\\s?(?:時間|日間|分間|秒間|週間|年間|時半|秒後|秒前|分後|分前|週前|週後)"
)
#: A text without kana and with more signs than this is no Japanese.
_SHORT = 40


def detect_language(text: str) -> Detection:
    """The language of a text.

    >>> detect_language("Gestern hat es geregnet.").code, detect_language("Wczoraj padał deszcz i było zimno.").code
    ('de', 'pl')
    """
    if len(text) <= _QUESTION:
        return _detect_in_question(text)
    half = _SAMPLE // 2
    return _detect_in(text if len(text) <= _SAMPLE else text[:half] + " " + text[len(text) // 2 :][:half])


#: Texts of so many signs may be questions, of which several parts of a search ask for the language.
_QUESTION = 300


@lru_cache(maxsize=256)
def _detect_in_question(text: str) -> Detection:
    return _detect_in(text)


def _detect_in(sample: str) -> Detection:
    if sample.isascii() and _is_plainly_english(sample):
        return _ENGLISH
    script = _detect_script(sample)
    if script == "latin":
        return _detect_latin(sample)
    if script == "cyrillic":
        return _detect_cyrillic(sample)
    if script == "arabic":
        return Detection("fa" if _PERSIAN.search(sample) else "ar")
    return Detection(script)


def _detect_script(sample: str) -> str:
    if sample.isascii():
        return "latin" if any(map(str.isalpha, sample)) else ""
    if _NOT_LATIN.search(sample) is None:
        return "latin" if _WORD.search(sample) else ""
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS}
    han = counts["zh"]
    if han and not counts["ja"] and han < _SHORT and _JAPANESE.search(sample):
        counts["ja"] = 1
    if counts["ja"] and counts["ja"] * 12 >= han:
        counts["ja"] += han
        counts["zh"] = 0
    elif counts["ja"]:
        counts["ja"] = 0
    # A sign of Han or Hangul is a whole syllable or word.
    for name in ("ja", "ko", "zh"):
        counts[name] *= 3
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


def _detect_cyrillic(sample: str) -> Detection:
    if _UKRAINIAN.search(sample):
        return Detection("uk")
    words = Counter(_WORD.findall(sample.lower()))
    votes = _count_votes(words)[0]
    return Detection(max(("ru", "bg", "sr"), key=lambda code: votes.get(code, 0)))


@cache
def _english_and_other() -> tuple[frozenset[str], frozenset[str]]:
    english = frozenset(FUNCTION_WORDS["en"].split())
    others = (word for code, words in FUNCTION_WORDS.items() if code != "en" for word in words.split())
    return english, frozenset(others) - english


def _is_plainly_english(sample: str) -> bool:
    """Whether the frequent words are English, without counting: most texts are, and are done with."""
    # Where blanks are the only white space, the chunks that the tokeniser asks for next are the words.
    words = split_chunks(sample) if len(sample) <= SHORT_CHARS and _has_plain_blanks(sample) else sample.lower().split()
    english, others = _english_and_other()
    found = len(english.intersection(words))
    return found > 2 and found > 4 * len(others.intersection(words))


def _has_plain_blanks(sample: str) -> bool:
    """Whether blanks and ends of lines are the only white space."""
    if not sample.isascii():
        return sample.replace("\n", " ").isprintable()
    # Four quick looks: to ask of each letter whether it can be printed takes five times as long.
    return "\t" not in sample and "\r" not in sample and "\f" not in sample and "\v" not in sample


#: Latin words of scholars in any language.
_SCHOLARLY = lazy_regex(r"\bet\s+al\b|\bper\s+se\b|\bde\s+(?:facto|novo)\b", re.IGNORECASE)
_SCHOLARS = ({"et", "al"}, {"per", "se"}, {"de", "facto"}, {"de", "novo"})


def _count_words(sample: str) -> Counter[str]:
    lowered = sample.lower()
    return Counter(_WORD.findall(_MERIDIEM.sub(r"\1", lowered) if _DIGIT.search(sample) is not None else lowered))


def _detect_latin(sample: str) -> Detection:
    if not sample.isascii() and _is_plainly_english(sample):
        return _ENGLISH
    if not sample.isascii() or "`" in sample:
        sample = sample.translate(APOSTROPHES)
    words = _count_words(sample)
    if not sample.isascii() or any(words.keys() >= pair for pair in _SCHOLARS):
        sample = _SCHOLARLY.sub(" ", sample)
        words = _count_words(sample)
    has_digit = _DIGIT.search(sample) is not None
    votes, own = _count_votes(words)
    english = votes.pop("en", 0.0)
    other = max(votes.values(), default=0.0)
    votes["en"] = english
    total = sum(words.values())
    if english >= 1 and total >= _PHRASE and (english >= 3 * other or (english >= 2 * other and english >= 3)):
        return _ENGLISH
    if total < _FEW_WORDS:
        dated = words if has_digit else Counter(word for word in words.elements() if word not in _MONTHS_ELSEWHERE)
        for code, score in _count_time_words(dated).items():
            votes[code] = votes.get(code, 0) + score
        if has_digit or "/" in sample:
            german = 1 if _GERMAN_LEAD.search(sample) else 0.5 if _DOTTED.search(sample) else 0
            votes["de"] += german
            votes["nl"] += 1 if _DAYS["nl"].search(sample) else 0
            votes["en"] += 1.5 if _ENGLISH_DATE.search(sample) else 0
        for forms, weight in _choose_forms(sample, has_digit=has_digit):
            for code, form in forms.items():
                votes[code] += weight if form.search(sample) else 0
    # A language that is only reported needs more than a word or two.
    ranked = [code for code in votes if votes[code] and (code in _LATIN or votes[code] >= _REPORTED)]
    ranked.sort(key=lambda code: (-votes[code], _rank(code)))
    if not ranked:
        return _ENGLISH
    best = ranked[0]
    weak = votes[best] < max(_MARGIN * votes.get("en", 0), 0.12 * total)
    if best != "en" and (weak or not _has_own_word(best, words, sample)):
        best = "en"
    if best != "de" and votes.get("de", 0) >= votes[best] and (_GERMAN if best != "en" else _GERMAN_DAY).search(sample):
        best = "de"
    # Only words that no other language has show that a second language is there.
    second = max((code for code in own if code != best), key=lambda code: own[code], default="")
    if not second or own[second] < _MIXED:
        others = [code for code in ranked if code not in (best, "en") and votes[code] >= _CLOSE * votes[ranked[0]]]
        return Detection(best, others=tuple(others[:2]) if total <= _PHRASE else ())
    return Detection(best, second, own[second] / (own.get(best, 0) + own[second]))


#: English words that are short for months in other languages, where a number is beside them: "sold out", "chess set".
_MONTHS_ELSEWHERE = frozenset(("out", "set"))
#: The share of the votes of the best language that another may have which is nearly as likely.
_CLOSE = 0.5
#: How many votes a language needs that is only reported, and a second language of a text.
_REPORTED, _MIXED = 2.4, 2.5
#: How much more than for English must speak for another language.
_MARGIN = 1.25
#: Letters that one language has and few others.
_LETTERS = {
    "de": lazy_regex("[ßäöüÄÖÜ]"),
    "es": lazy_regex("[ñÑ¿¡]"),
    "pt": lazy_regex("[ãõÃÕ]"),
    "fr": lazy_regex("[çêœûîÇÊÛÎ]"),
    "it": lazy_regex("[ìòÌÒ]"),
    "nl": lazy_regex("[ëï]"),
}
#: Of the languages of the Latin script that are covered, German writes 24.11. for a day.
_DOTTED = lazy_regex(r"(?<![\d.$€£])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:(?:19|20)\d\d)?(?![\d.])")
_GERMAN_LEAD = lazy_regex(
    r"\b(?:[Aa]m|[Vv]om|[Vv]on|[Zz]um|den|[Bb]is|[Aa]b)\s(?:\w\w\.?\s)?\d{1,2}\.|\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\.?,?\s\d{1,2}\."
    # um 15, 16 Uhr, 16:30h, am 15ten
    r"|\b\d{1,2}\. ?(?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)"
    r"|\b[Uu]m \d{1,2}(?![\d%])|\d\s?Uhr\b|\d[:.]\d\d\s?h\b|\b\d{1,2}(?:te[rnsm]|ste[rnsm])\b"
)
#: The month before the day with a comma before the year, and units that are English alone behind a number.
_ENGLISH_DATE = lazy_regex(
    r"\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.? \d{1,2}(?:st|nd|rd|th)?, \d{4}\b"
    r"|\b\d+ (?:hours|days|weeks|months|years)\b",
    re.IGNORECASE,
)
#: "6pm" is written in all languages, and its letters are no word of any.
_MERIDIEM = lazy_regex(r"(\d)\s?[ap]\.?\s?m\b")
_GERMAN_DAY = lazy_regex(r"\d\.\s*[A-ZÄÖÜ][a-zä]")
#: A day or an hour behind its article.
_DAYS = {
    "fr": lazy_regex(r"\ble \d", re.IGNORECASE),
    "es": lazy_regex(r"\bel \d|\blas \d", re.IGNORECASE),
    "it": lazy_regex(r"\bil \d", re.IGNORECASE),
    "pt": lazy_regex(r"\b(?:às|das) \d", re.IGNORECASE),
    "nl": lazy_regex(r"\b(?:op|om) (?:de )?\d|\d\s?uur\b|\bt/m\b|\b\d{1,2}(?:de|ste)\b", re.IGNORECASE),
}
#: An hour with its mark, which English writes with a colon.
_HOURS = {
    # 1pm a 3
    "es": lazy_regex(r"\d\s?(?:[ap]\.?m\.?)? a (?:las )?\d", re.IGNORECASE),
    # 15h30, but not 2H24, which is half a year
    "fr": lazy_regex(r"(?<![\d.:])(?!(?-i:[12]H\d))(?:[01]?\d|2[0-4])\s?h(?:\s?[0-5]\d)?\b", re.IGNORECASE),
}
#: Words that lose their last letter before a vowel.
_ELIDED = {
    "fr": lazy_regex(r"\b(?:l|d|j|n|s|c|qu|jusqu)['’](?=[^\W\d_])", re.IGNORECASE),
    "it": lazy_regex(r"\b(?:l|dell|nell|all|dall|quest|un)['’] ?(?=[^\W\d_])", re.IGNORECASE),
}
#: How words end, or are spelled, in one language and in few others.
_SPELLINGS = {
    "es": lazy_regex(r"[^\W\d_]{2}(?:ción|ciones|ísim[oa]|ículo|ágina|ión)\b", re.IGNORECASE),
    "it": lazy_regex(r"[^\W\d_]{2}(?:zione|zioni|ità|ggio|cchio|tto|llo|ssimo)\b", re.IGNORECASE),
    "nl": lazy_regex(r"[^\W\d_](?:ij|aa|uu|ieuw|oei)[^\W\d_]|\bij[^\W\d_]|[^\W\d_]{3}tje\b", re.IGNORECASE),
    "fr": lazy_regex(r"[^\W\d_]{2}(?:eau|eux|euse|ière|ée|ées|èle|que)\b", re.IGNORECASE),
    "pt": lazy_regex(r"[^\W\d_]{2}(?:ção|ções|ões|nh[oa]|lh[oa])\b", re.IGNORECASE),
}
#: What words of such a spelling contain, where they have no other letters than English.
_SPELLED = {
    "es": lazy_regex("iones"),
    "it": lazy_regex("zion|ggio|cchio|tto|llo|ssimo"),
    "nl": lazy_regex("ij|aa|uu|ieuw|oei|tje"),
    "fr": lazy_regex("eau|eux|euse|que"),
    "pt": lazy_regex("nh[oa]|lh[oa]"),
}


def _choose_forms(sample: str, *, has_digit: bool) -> Iterator[tuple[Mapping[str, re.Pattern[str]], float]]:
    """The forms that a text may have, by code, and how much each counts; most short texts can have few of them."""
    is_ascii = sample.isascii()
    if not is_ascii:
        yield _LETTERS, 0.8
    if has_digit or "/" in sample:
        yield _DAYS, 0.8
    if has_digit:
        yield _HOURS, 0.5
    if "'" in sample or "’" in sample:
        yield _ELIDED, 0.6
    lowered = sample.lower()
    yield {code: form for code, form in _SPELLINGS.items() if not is_ascii or _SPELLED[code].search(lowered)}, 0.4


_DIGIT = lazy_regex(r"\d")
#: German writes its nouns with a capital, and a full stop behind the number of a day.
_GERMAN = lazy_regex(r"\d\.\s*[A-ZÄÖÜ]|[a-zß] [A-ZÄÖÜ]")


def _has_own_word(code: str, words: Counter[str], sample: str) -> bool:
    """Whether a word is of that language and neither English nor a particle of names."""
    english = _english_and_other()[0] | _PARTICLES
    frequent, times = frozenset(FUNCTION_WORDS.get(code, "").split()), _time_words(code) - _time_words("en")
    zones = _time_words("en") if len(words) < _PHRASE or not sample.isupper() else frozenset()
    for word in words:
        # "ET" and "CET" are time zones, and words of French in small letters.
        is_frequent = word in frequent and not (word in zones and word.upper() in sample)
        if (is_frequent or word in times) and word not in english:
            return True
    # Particles of names are words of a language where nothing is English.
    if len(words.keys() & frequent & _PARTICLES) > 1 and not words.keys() & _english_and_other()[0]:
        return True
    # One before a word of time is its article: "de winter".
    articles, lowered = [one for one in words.keys() & frequent & _PARTICLES if len(one) > 1], f" {sample.lower()}"
    if any(f" {one} {word}" in lowered for one in articles for word in words if word in _time_words(code)):
        return True
    if any(code in forms and forms[code].search(sample) for forms in (_LETTERS, _DAYS, _HOURS)):
        return True
    return (
        code == "de"
        and (_DOTTED.search(sample) or _GERMAN_DAY.search(sample) or _GERMAN_LEAD.search(sample)) is not None
    ) or any(code in COVERED and _is_compound(code, word) and word not in _time_words("en") for word in words)


#: Words that are parts of names in texts of any language.
_PARTICLES = frozenset(
    (
        "al ben bin com come da das de del den der des di dos du e el ho la las le les los mi min op"
        " san te van von y zu"
    ).split()
)


def _rank(code: str) -> int:
    return _LATIN.index(code) if code in _LATIN else len(_LATIN)


@cache
def _voters() -> dict[str, tuple[tuple[str, float], ...]]:
    """The languages that a frequent word is evidence for; a word of many languages counts less for each."""
    holders: dict[str, list[str]] = {}
    for code, words in FUNCTION_WORDS.items():
        for word in dict.fromkeys(words.split()):
            holders.setdefault(word, []).append(code)
    return {word: tuple((code, 1 / len(codes)) for code in codes) for word, codes in holders.items()}


def _count_votes(words: Counter[str]) -> tuple[dict[str, float], dict[str, float]]:
    """How much the frequent words speak for each language; and how much those do that no other language has."""
    votes: dict[str, float] = {}
    own: dict[str, float] = {}
    voters = _voters()
    for word, times in words.items():
        codes = voters.get(word, ())
        for code, weight in codes:
            votes[code] = votes.get(code, 0) + weight * min(times, 3)
        if len(codes) == 1:
            own[code] = own.get(code, 0) + min(times, 3)
    return votes, own


@cache
def _time_words(code: str) -> frozenset[str]:
    if code == "en":
        from epochal.reading.english.lexicon import CODES

        return frozenset(word for word in CODES if len(word) > 1 and word.isalpha())
    return load_vocabulary(code).pieces if code in SHARED_LANGUAGES else frozenset()


def _count_time_words(words: Counter[str]) -> dict[str, float]:
    """How much the words of time in a short text speak for each language of the Latin script."""
    scores = dict.fromkeys(_LATIN, 0.0)
    for word in words:
        for code, part in _rate_time_word(word):
            scores[code] += part
    return scores


@lru_cache(maxsize=20_000)
def _rate_time_word(word: str) -> tuple[tuple[str, float], ...]:
    """How much a word speaks for which languages: as one of time, and as the name of one."""
    size = 0.9 if len(word) > 3 else 0.6 if len(word) > 1 else 0.2
    parts: list[tuple[str, float]] = []
    for code in _LATIN:
        if word in _time_words(code) or (len(word) > 1 and code != "en" and _is_compound(code, word)):
            parts += [(code, size), (code, 0.1)] if word in _names_of_times(code) else [(code, size)]
    return tuple(parts)


@cache
def _names_of_times(code: str) -> frozenset[str]:
    """The words that are a time by themselves: "quarta" is Wednesday in one language and "fourth" in another."""
    return load_vocabulary(code).times if code in SHARED_LANGUAGES else frozenset()


def _is_compound(code: str, word: str) -> bool:
    return len(word) > 5 and load_vocabulary(code).is_known(word)


def split_by_language(text: str, detection: Detection) -> Iterator[tuple[int, int, str]]:
    """The ranges of a text in one language each: where they start and end, and the code.

    A text in one language is one range. In others every sentence has its own language; one that says too little
    takes that of the sentence before.
    """
    if detection.doubt < 0.2 or not detection.code or len(text) < 40:
        yield 0, len(text), detection.code
        return
    start, current = 0, ""
    for match in _SENTENCE.finditer(text):
        own = detect_language(match[0])
        letters = len(_WORD.findall(match[0]))
        code = own.code if own.code and letters >= 3 and own.doubt < 0.4 else current or detection.code
        if code != current:
            if current:
                yield start, match.start(), current
            start, current = match.start() if current else 0, code
    yield start, len(text), current or detection.code
