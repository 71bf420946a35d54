"""Words without which a text has no period, no feast or era, and no year of a reign: few texts have any of them.

Each reader of such times looks at a whole text. The tokeniser sees every chunk of it (`epochal.reading.chunks`), and
remembers which of them have a mark.
"""

from __future__ import annotations

from itertools import product

from epochal.lazy import lazy_regex

__all__ = ["ALL_MARKS", "MARKED_WORDS", "NOTATION", "PERIOD", "REIGN", "SHORTENED_REIGNS", "find_marks"]

#: The marks: of the name of a period, of a feast or an era, and of the year of a reign. No code of a token is one.
PERIOD, NOTATION, REIGN = "\x02", "\x03", "\x04"
ALL_MARKS = PERIOD + NOTATION + REIGN

#: Words that are marks by themselves.
MARKED_WORDS = dict.fromkeys("period era dynasty reign age ages".split(), PERIOD)
MARKED_WORDS |= dict.fromkeys(
    "feast eve vigil morrow octave passover pesach rosh yom hanukkah chanukah sukkot shavuot eid ashura nowruz corpus "
    "ascension trinity shrove juche auc samvat sambat saka lunar".split(),
    NOTATION,
)
#: The year of a reign, and its numeral.
MARKED_WORDS |= dict.fromkeys(
    ["year", *("".join(signs) for size in range(1, 5) for signs in product("ivx", repeat=size))], REIGN
)
#: Names of reigns as statutes shorten them.
SHORTENED_REIGNS = frozenset("eliz vict vic ann w wm will".split())
#: Signs around a word.
_AROUND = ",.;:!?()[]\"'“”‘’"
#: The same, and numbers, in chunks of several words.
_PATTERNS = (
    (PERIOD, lazy_regex(r"(?<!\w)(?:period|era|dynasty|reign|ages?)(?!\w)")),
    (
        NOTATION,
        lazy_regex(
            r"(?<!\w)(?:(?:feast|eve|vigil|morrow|octave)(?:\s|\Z)|passover|pesach|rosh|yom|hanukkah|chanukah|sukkot"
            r"|shavuot|eid|ashura|nowruz|corpus|ascension|trinity|shrove|juche|auc(?!\w)|sam[vb]at|saka|lunar|mid-autumn|2[3-6]\d\d(?!\d)|5\d{3}(?!\w))"
        ),
    ),
    (
        REIGN,
        lazy_regex(r"(?<!\w)year(?:\s|\Z)|(?:\A|\s)(?:(?:[ivx]{1,4}|[1-8])(?![\w-])|(?:eliz|vict?|ann|w|wm|will)\.)"),
    ),
)


def find_marks(chunk: str) -> str:
    """The marks of a chunk of a text in small letters.

    >>> [find_marks(chunk) for chunk in ("era,", "2563", "viii")] == [PERIOD, NOTATION, REIGN]
    True
    """
    word = chunk.strip(_AROUND)
    if word.isalpha():
        return REIGN if word in SHORTENED_REIGNS and "." in chunk else MARKED_WORDS.get(word, "")
    return "".join(mark for mark, pattern in _PATTERNS if pattern.search(chunk) is not None)
