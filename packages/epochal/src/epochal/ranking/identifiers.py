"""Identifiers in a question, which texts have whole or not at all: versions, codes, and the numbers of articles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from epochal.ranking.pool import Floats, Pool
from epochal.ranking.words import QueryWords, is_dotted, is_identifier

__all__ = [
    "IN_VERSION",
    "VERSION",
    "is_exact",
    "is_part_of_version",
    "match_identifiers",
    "match_numbered",
    "takes_versions",
]

VERSION: Final = re.compile(r"v?\d+(?:\.\d+)+(?:-[\w.]+)?")
#: A version, or what several versions begin with.
IN_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)*(?:\.x)?")
#: Compounds that are words and no codes: adjectives ("0-dimensional", "TIF2-induced"), and several with letters side
#: by side ("TCR/CD8").
_WORDED_COMPOUND: Final = re.compile(
    r"(?:\w+-)+[^\W\d_]*(?:ed|ing|al|ive|ic|ous|[ai]ble|ary|less|like|free|prone|specific|dependent|resistant|rich|type)"
    r"|\d*[^\W\d_]\w*(?:/\d*[^\W\d_]\w*)+",
    re.IGNORECASE,
)


def takes_versions(pool: Pool) -> bool:
    """Whether a version stands for all that begin with it: the latest 3.1 is 3.1.14, which is also a 3.1 since June."""
    return pool.understanding.order is not None or bool(pool.windows)


def is_part_of_version(start: str, version: str) -> bool:
    """Whether a version is another, or begins with it: 3.1.14 with 3.1, and 3.14 not with 3.1."""
    return version.startswith(start) and not version[len(start) : len(start) + 1].isdigit()


def is_exact(word: str) -> bool:
    """Whether a word is a code, which texts have whole or not at all."""
    if _WORDED_COMPOUND.fullmatch(word):
        return False
    return not word.isalpha() and (any(sign.isdigit() for sign in word) or is_dotted(word))


def match_identifiers(pool: Pool, words: QueryWords, columns: Sequence[int], anywhere: Floats, exact: Floats) -> None:
    """An identifier is matched whole: 2488 is not in 2488-5, gcc-12 not in gcc-1 and 12, Next.js not in next and .js.

    One of several tokens is as rare as the whole, of which the candidates are a sample: its tokens may be everywhere.
    """
    (rows,) = np.nonzero(anywhere[:, columns].max(axis=1) > 0)
    texts = pool.view.get_texts(pool.rows[rows])
    for column in columns:
        code = re.escape(words.words[column])
        if VERSION.fullmatch(words.words[column].lower()):
            code = f"v?{code.removeprefix('v').removeprefix('V')}"
        pattern = re.compile(rf"(?<!{_SIGN}){code}(?!{_SIGN})(?![.:/+]\w)", re.IGNORECASE)
        for row, text in zip(rows.tolist(), texts, strict=True):
            if anywhere[row, column] > 0:
                found = pattern.search(text.text) or pattern.search(text.title)
                anywhere[row, column] = float(found is not None or exact[row, column] > 0)
    for column in columns:
        if is_identifier(words.words[column]) or is_dotted(words.words[column]):
            words.frequencies[column] = min(words.frequencies[column], float((anywhere[:, column] > 0).sum()))
    words.fill_in_rarity(pool.view.passage_count)


#: What makes another code of one that it stands beside. Chinese characters do not: 中国U23国奥队.
_SIGN: Final = r"[^\W\u3400-\u9fff]|-"
#: What follows the number of something that was inserted into a numbered text.
_INSERTED: Final = r"(?:bis|ter|qu[aá]ter|quinquies|sexies|septies|octies|nonies|decies)\b"


def match_numbered(
    pool: Pool,
    words: QueryWords,
    columns: Sequence[int],
    anywhere: Floats,
    head: Floats,
    exact: Floats,
    whole: Floats,
) -> None:
    """A number is matched with the word before it, where some candidate has them so: "Article 11" is no "11 July".

    An article that was inserted behind another is not that one: "artículo 38 bis".
    """
    for column in columns:
        number = words.words[column]
        before = re.search(
            rf"([^\W\d_]{{2,}})\.?[^\S\n]+{re.escape(number)}(?!\w)(?:[\s\-]({_INSERTED}))?",
            pool.question,
            re.IGNORECASE,
        )
        if before is None or not number.isdigit():
            continue
        behind = rf"[\s\-]{before[2]}(?!\w)" if before[2] else rf"(?!\w)(?![\s\-](?:{_INSERTED}))"
        pattern = re.compile(rf"(?<!\w){re.escape(before[1])}[\W_]{{1,3}}{number}{behind}", re.IGNORECASE)
        (rows,) = np.nonzero(anywhere[:, column] + head[:, column] > 0)
        texts = pool.view.get_texts(pool.rows[rows])
        in_title = np.array([pattern.search(item.title) is not None for item in texts], dtype=np.float64)
        in_title = np.maximum(in_title, whole[rows, column])
        found = np.array([pattern.search(item.text) is not None for item in texts], dtype=np.float64)
        if not (in_title.any() or found.any()):
            continue
        for target, values in ((anywhere, np.maximum(in_title, found)), (head, in_title), (exact, in_title)):
            target[rows, column] = values
