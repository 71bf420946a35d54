"""Words of questions in scripts that do not part them, or that join small words to others: Chinese, Japanese, Korean.

Runs of Chinese characters are parted by what the index has side by side (`epochal.ranking.han_words`). In Japanese
words begin where the script changes: hiragana is grammar, katakana a word, and a single Chinese character before
hiragana the stem of a verb or an adjective. In Korean particles at the end of a word are left out, and verbs that ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from epochal.lazy import lazy_regex
from epochal.ranking.han_words import list_pieces, part_run
from epochal.ranking.word_lists import rank_listed
from epochal.reading.scripts import simplify_characters
from epochal.storage.protocol import View

__all__ = [
    "HAN",
    "HANGUL",
    "KANA_OR_HANGUL",
    "KATAKANA",
    "UNPARTED",
    "WORD",
    "find_words",
    "is_unparted",
    "iterate_words",
]

_HAN_SIGNS: Final = "\u3400-\u9fff"
_KANA_SIGNS: Final = "\u30a1-\u30fa\u30fc-\u30ff"
_HIRAGANA_SIGNS: Final = "\u3041-\u309f"
_HANGUL_SIGNS: Final = "\uac00-\ud7af"
_ALL: Final = _HAN_SIGNS + _KANA_SIGNS + _HIRAGANA_SIGNS + _HANGUL_SIGNS
#: A word: a run of one of those scripts, or letters and digits of others, with signs inside.
WORD: Final = lazy_regex(
    rf"[{_HAN_SIGNS}]+|[{_KANA_SIGNS}]+|[{_HIRAGANA_SIGNS}]+|[{_HANGUL_SIGNS}]+"
    rf"|[^\W_{_ALL}](?:[^\W{_ALL}]|[.+/:\-](?=\w))*"
)
HAN: Final = lazy_regex(f"[{_HAN_SIGNS}]")
KATAKANA: Final = lazy_regex(f"[{_KANA_SIGNS}]")
HANGUL: Final = lazy_regex(f"[{_HANGUL_SIGNS}]")
KANA_OR_HANGUL: Final = lazy_regex(f"[{_KANA_SIGNS}{_HIRAGANA_SIGNS}{_HANGUL_SIGNS}]")
#: A sign of any of those scripts.
UNPARTED: Final = lazy_regex(f"[{_ALL}]")
_HIRAGANA: Final = lazy_regex(f"[{_HIRAGANA_SIGNS}]")
#: Hiragana behind a noun; other hiragana ends a verb or an adjective.
_PARTICLE: Final = lazy_regex("[のにはがをでともへやか]")
#: Particles at the end of a Korean word of at least two other syllables.
_JOSA: Final = lazy_regex(
    r"(?<=\S\S)(?:에서는|에서의|에서|에게서|에게|으로는|으로|까지|부터|이라는|라는|에는|에도|과의|와의|이나|이란|들은|들이|들의|들을|"
    r"은|는|이|가|을|를|의|에|도|로|과|와|만|들|란)$"
)
#: Those of a word of one other syllable, which may be a part of it: 회의 is a meeting.
_SHORT_JOSA: Final = lazy_regex("[은는이가을를의에도로과와]$")
_PARTICLES: Final = lazy_regex("에서|에게|으로|까지|부터|[은는이가을를의에도로과와만들]")
#: Korean verbs and words that ask and join, by their whole or by how they end.
_KOREAN_FRAME: Final = lazy_regex(
    r"(?:관한|관해|관하여|관련|관련된|관련한|대한|대해|대하여|대해서|따른|위한|통한|인한|의한|어떻게|어떤|어느|무엇|무슨|뭐|언제|어디|누가|"
    r"누구|얼마|몇|왜|있는|없는|일어난|발생한|나온|가장|오래된|새로운|그|이|저|것|일|및|또는|그리고|년|월|일)$"
    r"|.*(?:나요|습니까|니까|는가|은가|인가|인가요|는가요|을까요|을까|까요|었어|했어|됐어|해줘|려줘|아줘|어줘|여줘|주세요|세요|하는|되는|했던|"
    r"되었던|됐던|합니다|됩니다|입니다|있다|했다|됐다|되었다|하다|되다)$"
)


def find_words(view: View, text: str) -> Iterator[tuple[str, int]]:
    """The words of a text and their places."""
    runs = (match[0] for match in WORD.finditer(text))
    pieces = list_pieces(simplify_characters(run) for run in runs if HAN.match(run) or HANGUL.match(run))
    return iterate_words(text, view.get_document_frequencies(pieces) if pieces else {}, view.passage_count)


def iterate_words(text: str, frequencies: Mapping[str, int], passages: int) -> Iterator[tuple[str, int]]:
    """The same, with the frequencies of the pieces of its runs in Chinese or Korean, of so many passages."""
    for match in WORD.finditer(text):
        run = match[0]
        if HAN.match(run):
            if len(run) == 1 and _is_stem(text, match):
                continue
            for part in part_run(simplify_characters(run), frequencies, passages):
                yield run[part.start : part.start + len(part.text)], match.start() + part.start
        elif HANGUL.match(run):
            if _PARTICLES.fullmatch(run):
                continue  # its word was blanked
            stem = _JOSA.sub("", run)
            if len(run) == 2 and not frequencies.get(run) and not rank_listed(run, "ko")[1]:
                stem = _SHORT_JOSA.sub("", run)
            if not _KOREAN_FRAME.match(run) and not _KOREAN_FRAME.match(stem):
                yield stem, match.start()
        elif not _HIRAGANA.match(run):
            yield run, match.start()


def _is_stem(text: str, match: re.Match[str]) -> bool:
    """Whether a Chinese character is the stem of a Japanese verb or adjective: 古い, 関する."""
    return _HIRAGANA.match(text, match.end()) is not None and _PARTICLE.match(text, match.end()) is None


def is_unparted(text: str) -> bool:
    """Whether a text has signs of a script that does not part its words, or joins small ones to them."""
    return not text.isascii() and UNPARTED.search(text) is not None
