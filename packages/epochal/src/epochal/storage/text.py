"""Texts to tokens, to units (sentences and lines), and to passages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from epochal.errors import EpochalError
from epochal.lazy import lazy_regex
from epochal.reading.scripts import simplify_characters

if TYPE_CHECKING:
    import tantivy

#: Scripts that do not part their words: Han, kana, hangul syllables, Thai, Lao, Khmer and Burmese.
_UNPARTED: Final = lazy_regex(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)


@cache
def analyser() -> tantivy.TextAnalyzer:
    """Words in small letters without accents, reduced to their English stems; none is left out but endless ones."""
    import tantivy

    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(100))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def spread(text: str) -> str:
    """The text with scripts that do not part their words spread out: each character, and each pair of neighbours."""
    if text.isascii():
        return text
    # Half characters, which a query may hold and a stored text cannot, are no part of any word.
    return _UNPARTED.sub(_spread_run, text.encode(errors="replace").decode())


def _spread_run(match: re.Match[str]) -> str:
    run = simplify_characters(match[0])
    pairs = [run[place : place + 2] for place in range(len(run) - 1)]
    return f" {' '.join([*run, *pairs])} "


def analyse(text: str) -> list[str]:
    """The tokens of a text."""
    return analyser().analyze(spread(text))


def analyse_word(word: str) -> tuple[str, ...]:
    """The tokens of a word, which are remembered: searches read words of questions and hits again and again."""
    return _analyse_short(word) if len(word) <= _SHORT else tuple(analyse(word))


#: Words of so many characters are remembered.
_SHORT: Final = 40


@lru_cache(maxsize=1 << 15)
def _analyse_short(word: str) -> tuple[str, ...]:
    return tuple(analyse(word))


#: Values of metadata that are searched by their words: longer ones are texts, shorter ones codes ("en").
_VALUE_LENGTHS: Final = range(3, 81)
#: Values that are no words: numbers, dates, addresses, digests.
_NO_WORDS: Final = lazy_regex(r"[\d\s.,:+\-/TZ]*|\S*://\S*|\S+@\S+|[0-9a-f\-]{12,}", re.IGNORECASE)
_VERSION: Final = lazy_regex(r"\d+(?:\.\d+){1,4}")
#: A character alone, in a script that does not part its words: it is in most texts, and names nothing.
_SINGLE: Final = lazy_regex(rf"(?<!{_UNPARTED.pattern[:-1]}){_UNPARTED.pattern[:-1]}(?!{_UNPARTED.pattern[:-1]})")


def join_heading(title: str, meta: Mapping[str, Any], series: str | None = None) -> str:
    """The title of a document with the short values of its series and metadata, as far as it has not got their words.

    The words of every passage are found with these: who asks for a city need not know that it is a field.

    >>> join_heading("Tonight", {"city": "Denver", "fetched": "2021-05-07", "tags": ["weather", "tonight"]})
    'Tonight\\nDenver\\nweather'
    >>> join_heading("", {"work": "左傳 經"}, "annals")
    'annals\\n左傳'
    """
    values = [
        _SINGLE.sub("", value).strip()
        for entry in (series, *meta.values())
        for value in (entry if isinstance(entry, list | tuple) else (entry,))
        if isinstance(value, str) and len(value) in _VALUE_LENGTHS and _is_named(value)
    ]
    if not values:
        return title
    known = set(analyse(title))
    parts = [title] if title else []
    for value in values:
        if not known.issuperset(words := analyse_word(value)):
            known.update(words)
            parts.append(value)
    return "\n".join(parts)


def _is_named(value: str) -> bool:
    return _NO_WORDS.fullmatch(value) is None or _VERSION.fullmatch(value) is not None


#: How long a passage may be, in characters of a script that writes words apart.
SIZE: Final = 1000
# A character of Han, kana or hangul says about as much as two and a half Latin letters. Counted in halves, so that
# lengths stay whole numbers.
_LIGHT: Final = 2
_HEAVY: Final = 5

_WIDE = "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_WIDE += "\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_WIDE_RUN = lazy_regex(f"[{_WIDE}]+")

_BREAKS = "\n\r\x0b\x0c\x85\u2028\u2029"
_LOWER = "a-z\u00df-\u00f6\u00f8-\u00ff\u03ac-\u03ce\u0430-\u045f"
_CLOSERS = "\"'\\)\\]\\}\u2019\u201d\u00bb\u300d\u300f\u3011\u300b\u3009\uff09"
# Words that open a sentence far oftener than they follow an abbreviation: "in the U.S. The army", "the U.S. Army".
_OPENERS = (
    "A|After|Also|Although|An|And|As|At|Because|Before|But|By|During|For|From|He|Her|His|However|I|If|In|It|Its|"
    "Later|Many|Most|No|On|One|She|Since|So|Some|Such|That|The|Their|Then|There|These|They|This|Those|Thus|To|Two|"
    "Under|Until|Upon|We|What|When|Where|While|With|You"
)
_TITLES = "Dr Mr Ms Mrs St Mt Ft Lt Gen Col Maj Sgt Cpl Cmdr Capt Adm Brig Prof Rev Fr Hon Sen Rep Gov Messrs Mme Mlle"
_BEFORE_NUMBERS = (
    "No Nos no nos p pp vol vols Vol fig figs Fig Figs Art art Sec sec Ch ch Ca ca c b d r fl cap Op op ed "
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
_ABBREVIATIONS = "vs Jr Sr Inc Ltd Co Corp Bros etc al cf viz approx est Dept dept Ave Blvd Rd Univ Assn incl esp"


def _forbid_after(words: str) -> str:
    """Lookbehinds that fail where one of the words ends in the full stop just read; each has words of one length."""
    by_length: dict[int, list[str]] = {}
    for word in words.split():
        by_length.setdefault(len(word), []).append(word)
    return "".join(rf"(?<!\b(?:{'|'.join(group)})\.)" for group in by_length.values())


# One search for the few characters that may end a unit; what follows decides whether this one does. Every part after
# the first character looks at a bounded range or consumes what it looks at, so the whole is linear.
_END = lazy_regex(
    rf"""[.!?;\u2026\u3002\uff01\uff1f\uff1b\uff61{_BREAKS}]
    (?:
      # A line ends a unit, unless it is the wrapped line of a paragraph: long, and followed by a small letter.
      (?<=[{_BREAKS}]) (?<!\r\n) (?! (?<=[^\r\n]{{40}}[\r\n])\n?[{_LOWER}] )
    | (?<=[\u3002\uff01\uff1f\uff1b\uff61]) [.!?\u2026\u3002\uff01\uff1f\uff1b\uff61]* [{_CLOSERS}]*
    | (?<=[.!?;\u2026]) (?<![.!?\u2026][.!?;\u2026]) [.!?\u2026]* [{_CLOSERS}]*
      (?: (?=\s) (?: (?<=;) | (?!\s{{1,3}}[{_LOWER}]) ) | \Z | (?<=[!?;]) (?=[{_WIDE}]) )
      # A full stop alone may belong to the word before it, which then is no longer than six letters.
      (?:
        (?<!\.) | (?<=\w{{7}}\.) | (?<=\.\.)
      | {_forbid_after(_TITLES)} (?<!^\d\.)(?<!^\d\d\.)
        (?: (?!\s{{1,3}}[\d(]) | {_forbid_after(_BEFORE_NUMBERS)} )
        (?: {_forbid_after(_ABBREVIATIONS)} (?<!\b[^\W\d_]\.)(?<!\b[A-Z]\s\.) | (?=\s{{1,3}}(?:{_OPENERS})\b(?!\.)) )
      )
    )
    \s*""",
    re.VERBOSE | re.MULTILINE,
)
_BLANK_LINE = lazy_regex(r"[\n\u2029][^\S\n]*[\n\u2029]|\u2029")


def units(text: str) -> list[tuple[int, int]]:
    """The sentences and lines of a text, as places `(start, end)` in it, without the whitespace between them.

    A unit ends with a mark such as `.`, `!`, `?`, `;` or `。`, or with its line. Full stops within numbers, initials
    and abbreviations end nothing.
    """
    unit_ranges = []
    start = len(text) - len(text.lstrip())  # from here on every unit starts at what is no whitespace
    for match in _END.finditer(text, start):
        stop = end = match.end()
        while text[stop - 1].isspace():
            stop -= 1
        unit_ranges.append((start, stop))
        start = end
    stop = start + len(text[start:].rstrip())
    if stop > start:
        unit_ranges.append((start, stop))
    return unit_ranges


def split(text: str, size: int = SIZE) -> list[tuple[int, int]]:
    """The passages of a text, as places `(start, end)` in it: in order, apart, nothing but whitespace between them.

    No passage is longer than `size` characters, a character of Han, kana or hangul counting two and a half times. A
    text that is no longer is one passage; others are cut where a unit ends, best at a blank line, and units that are
    too long at a space, or failing that anywhere. A text of nothing but whitespace has no passage.
    """
    if size < 16:
        raise EpochalError(f"the size of a passage must be at least 16 characters, but is {size}")
    most = size * _LIGHT
    stripped = text.strip()
    if not stripped:
        return []
    first = len(text) - len(text.lstrip())
    if len(stripped) * _HEAVY <= most or _weigh_text(stripped) <= most:
        return [(first, first + len(stripped))]
    return _pack(text, list(_split_pieces(text, size)), most)


def _weigh_text(text: str) -> int:
    if text.isascii():
        return len(text) * _LIGHT
    return len(text) * _HEAVY - len(_WIDE_RUN.sub("", text)) * (_HEAVY - _LIGHT)


def _split_pieces(text: str, size: int) -> Iterator[tuple[int, int, int]]:
    """Units with their weights; those that are too heavy for a passage in parts."""
    most = size * _LIGHT
    for start, end in units(text):
        weight = _weigh_text(text[start:end])
        if weight <= most:
            yield start, end, weight
            continue
        at = start
        while at < end:
            stop = _cut(text, at, end, size)
            part = text[at:stop].rstrip()
            yield at, at + len(part), _weigh_text(part)
            at = stop
            while at < end and text[at].isspace():
                at += 1


def _cut(text: str, start: int, end: int, size: int) -> int:
    """Where to end a part that starts at `start`, which is no whitespace: after a space or a comma, or hard."""
    stop = min(end, start + size)
    most = size * _LIGHT
    while (weight := _weigh_text(text[start:stop])) > most:
        stop = min(stop - 1, start + max(1, (stop - start) * most // weight))
    if stop == end:
        return stop
    half = (start + stop) // 2 + 1
    place = max(text.rfind(mark, half, stop) for mark in (" ", "\t", "\u3000", "\u00a0", "，", "、", "："))
    if place > 0:
        return place + 1
    # A mark that combines with the letter before it stays with it, within reason.
    for back in range(min(16, stop - start - 1)):
        if not unicodedata.combining(text[stop - back]):
            return stop - back
    return stop


def _pack(text: str, pieces: list[tuple[int, int, int]], most: int) -> list[tuple[int, int]]:
    """Fill passages from the left, so that a text that only grew keeps its passages; the last two share evenly."""
    passages: list[list[int]] = []  # the numbers of their first pieces, their starts, ends and weights
    for number, (start, end, weight) in enumerate(pieces):
        if passages:
            last = passages[-1]
            gap = start - last[2]
            joined = last[3] + gap * _LIGHT + weight
            at_rest = 2 * last[3] >= most and gap > 1 and _BLANK_LINE.search(text, last[2], start) is not None
            if joined <= most and not at_rest:
                last[2], last[3] = end, joined
                continue
        passages.append([number, start, end, weight])
    if len(passages) > 1 and 4 * passages[-1][3] < most:
        _balance_last_two(pieces, passages, most)
    return [(start, end) for _, start, end, _ in passages]


def _balance_last_two(pieces: list[tuple[int, int, int]], passages: list[list[int]], most: int) -> None:
    """Cut the last two passages again, where the heavier of the two becomes lightest."""
    first, start, old_end, old_weight = passages[-2]
    number = passages[-1][0]
    right = passages[-1][3]
    left = old_weight
    while number - 1 > first:
        moved = pieces[number - 1]
        grown = right + moved[2] + (pieces[number][0] - moved[1]) * _LIGHT
        if grown > most or grown > left:
            break
        number -= 1
        right = grown
        left -= moved[2] + (moved[0] - pieces[number - 1][1]) * _LIGHT
        old_end = pieces[number - 1][1]
    passages[-2:] = [[first, start, old_end, left], [number, pieces[number][0], passages[-1][2], right]]
