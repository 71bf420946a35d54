"""Make the lists of frequent and ordinary words by which the engine judges words that an index does not have.

    python tools/make_word_lists.py --dictionary american-english --frequencies wordfreq/data --chinese jieba/dict.txt

`--dictionary` is a word list of SCOWL, one word a line, names with a capital letter (on Debian the file of the package
wamerican). `--frequencies` is the folder data of the package wordfreq (CC BY-SA 4.0). Frequent English words stay as
they are. `--chinese` is the dictionary of the package jieba (MIT), which says which words are names. Lists hold tokens
as the index counts them, the most frequent first; those of Chinese, Japanese and Korean hold words, and no names: which
Japanese and Korean words are names, the packages janome and kiwipiepy say, which must be installed.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgpack

from epochal.storage.text import analyse

FOLDER = Path(__file__).parent.parent / "packages/epochal/src/epochal/ranking/weights/words"
LANGUAGES = ("ar", "de", "es", "fr", "it", "nl", "pt", "ru")
FREQUENT = 6_000
#: English words of which those that are in no other list are fairly frequent.
FAIRLY_FREQUENT = 10_000
#: Words of languages whose names are left out.
UNPARTED = 25_000
#: The marks of names of people, places, organisations and others in the dictionary of Chinese.
NAMES = ("nr", "nrfg", "nrt", "ns", "nt", "nz")
HAN = re.compile("[\u4e00-\u9fff]+")
JAPANESE = re.compile("[\u30a1-\u30fa\u30fc-\u30ff]{2,}|[\u3400-\u9fff]+")
KOREAN = re.compile("[\uac00-\ud7af]{2,}")


def read_frequencies(path: Path) -> Iterator[str]:
    """The words of a language, the most frequent first."""
    with gzip.open(path, "rb") as file:
        _, *bins = msgpack.load(file)
    for words in bins:
        yield from words


def take_tokens(words: Iterable[str], count: int | None = None) -> list[str]:
    """The first so many tokens of words; what is no single word, and numbers, are left out."""
    tokens: dict[str, None] = {}
    for word in words:
        read = analyse(word)
        if len(read) == 1 and word.isalpha() and len(read[0]) > 1:
            tokens.setdefault(read[0])
        if count is not None and len(tokens) == count:
            break
    return list(tokens)


def take_chinese(words: Iterable[str], dictionary: Path) -> list[str]:
    """The first words in Chinese characters that the dictionary has, without names."""
    lines = dictionary.read_text(encoding="utf-8").splitlines()
    known = {word for word, _, mark in (line.split() for line in lines) if mark not in NAMES}
    return list(dict.fromkeys(word for word in words if HAN.fullmatch(word) and word in known))[:UNPARTED]


def take_japanese(words: Iterable[str]) -> list[str]:
    """The first words in katakana or Chinese characters, without those that have a name in them."""
    from janome.tokenizer import Tokenizer

    analyser = Tokenizer()

    def is_plain(word: str) -> bool:
        return all("固有名詞" not in token.part_of_speech for token in analyser.tokenize(word))

    return list(islice((word for word in words if JAPANESE.fullmatch(word) and is_plain(word)), UNPARTED))


def take_korean(words: Iterable[str]) -> list[str]:
    """The first words in hangul, without those that have a name in them."""
    from kiwipiepy import Kiwi

    analyser = Kiwi()

    def is_plain(word: str) -> bool:
        return all(token.tag != "NNP" for token in analyser.tokenize(word))

    return list(islice((word for word in words if KOREAN.fullmatch(word) and is_plain(word)), UNPARTED))


def write(name: str, header: str, tokens: Sequence[str]) -> None:
    (FOLDER / name).write_text(f"# {header}\n{' '.join(tokens)}\n", encoding="utf-8")


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dictionary", type=Path, required=True)
    parser.add_argument("--frequencies", type=Path, required=True)
    parser.add_argument("--chinese", type=Path, required=True)
    arguments = parser.parse_args(given)
    FOLDER.mkdir(exist_ok=True)
    words = arguments.dictionary.read_text(encoding="utf-8").split()
    ordinary = sorted(take_tokens(word for word in words if word.islower()))
    write("ordinary-en.txt", "English words that are no names: tokens of SCOWL (Kevin Atkinson; free use).", ordinary)
    frequent = set((FOLDER / "en.txt").read_text(encoding="utf-8").split("\n", 1)[1].split())
    known = take_tokens(read_frequencies(arguments.frequencies / "small_en.msgpack.gz"), FAIRLY_FREQUENT)
    more = [token for token in known if token not in frequent and token in ordinary]
    header = "Fairly frequent words of en that en.txt lacks: tokens of wordfreq (Robyn Speer; CC BY-SA 4.0)."
    write("more-en.txt", header, more)
    for language in LANGUAGES:
        result = take_tokens(read_frequencies(arguments.frequencies / f"small_{language}.msgpack.gz"), FREQUENT)
        header = f"The most frequent words of {language}: tokens of wordfreq (Robyn Speer; CC BY-SA 4.0)."
        write(f"{language}.txt", header, result)
    result = take_chinese(read_frequencies(arguments.frequencies / "small_zh.msgpack.gz"), arguments.chinese)
    header = "The most frequent words of zh that are no names: of wordfreq (Robyn Speer; CC BY-SA 4.0) and jieba (MIT)."
    write("zh.txt", header, result)
    for language, take in (("ja", take_japanese), ("ko", take_korean)):
        result = take(read_frequencies(arguments.frequencies / f"small_{language}.msgpack.gz"))
        header = f"The most frequent words of {language} that are no names: of wordfreq (Robyn Speer; CC BY-SA 4.0)."
        write(f"{language}.txt", header, result)


if __name__ == "__main__":
    main()
