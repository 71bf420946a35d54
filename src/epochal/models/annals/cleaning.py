r"""Texts without their markup: page marks, headers, labels of sections and notes between the lines.

Two kinds of text are known by their looks: mandoku, the format of the Kanseki Repository (`<pb:...>` for a page, `¶`
for the end of a printed line, `(left/right)` for a note in two half columns), and plain text with a paragraph a line.
Prints without marks of punctuation set entries apart by a ring or a blank, which becomes a full stop.
"""

from __future__ import annotations

import re
import statistics
import unicodedata
from collections.abc import Iterator
from typing import Final

__all__ = ["Stream", "cleaned", "is_mandoku", "normalised", "sentences"]

#: Sentences that follow one another.
Stream = list[str]

_WIDE: Final = str.maketrans(",;:?!()[]", "，；：？！（）〔〕")
#: Characters that a font of its own had, and those that an entity names: one sign for all that cannot be written.
_UNKNOWN: Final = "□"
_PRIVATE: Final = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff\ufffd〓]")
_ENTITY: Final = re.compile(r"&[A-Za-z0-9_+-]+;")
#: What is kept: Han characters with the signs that repeat or replace one, and marks of punctuation.
_FOREIGN: Final = re.compile(
    "[^\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af々□，。、：；？！「」『』《》（）〔〕…—·]"
)
_END: Final = re.compile("(?<=[。！？])(?![」』）》〕。！？])|(?<=[。！？][」』）》〕])(?![」』）》〕。！？])")
_PAGE: Final = re.compile(r"<[^<>]*>")
_LABEL: Final = re.compile(r"^[\s\u3000]*[A-Za-z]?[0-9]+(?:\.[0-9]+)*[a-z]?")
_HEADING: Final = re.compile(r"^\*+\s*")
_NOTE: Final = re.compile(r"\(([^()]*)\)")
_RING: Final = re.compile("[○〇◯◍]")
_GAP: Final = re.compile("[ \u3000\t]+")
#: The line that opens every fascicle of one edition and says nothing about it.
_IMPRINT: Final = frozenset({"欽定四庫全書"})
_NUMBERED: Final = re.compile("^[一二三四五六七八九十百]+、")
_RUBRIC: Final = re.compile("【[^】]*】|\\[[^\\]]*\\]|〔[^〕]*〕|\\{[^}]*\\}")
#: An editor's year of our era beside the old one.
_OUR_ERA: Final = re.compile("[，,]?公元前?[〇零一二三四五六七八九十百千0-9]+年?")
#: A printed line of less than this share of the usual one ends its paragraph.
_SHORT: Final = 0.6
#: Notes of fewer characters are numbers and bare years, which say nothing without the text that they stand in.
_SHORTEST_NOTE: Final = 4


def is_mandoku(text: str) -> bool:
    """Whether a text is in the format of the Kanseki Repository.

    >>> is_mandoku("元年春王正月¶"), is_mandoku("元年春，王正月。")
    (True, False)
    """
    return "¶" in text or "<pb:" in text


def normalised(text: str) -> str:
    """Text in one form: compatibility characters unified, marks wide, blanks and all that is not Chinese dropped.

    >>> normalised("元年 春, 王正\u2f49。 (note 1)")
    '元年春，王正月。（）'
    >>> normalised("\uf9d1月") == "六月"
    True
    """
    text = unicodedata.normalize("NFC", text)
    text = "".join(unicodedata.normalize("NFKC", one) if "\u2e80" <= one <= "\u2fdf" else one for one in text)
    text = _PRIVATE.sub(_UNKNOWN, _ENTITY.sub(_UNKNOWN, text)).translate(_WIDE)
    return _FOREIGN.sub("", text)


def sentences(text: str) -> list[str]:
    """A text cut after its full stops, with the quotation marks that close behind them.

    >>> sentences("公曰：「不可。」遂行。秋，大水")
    ['公曰：「不可。」', '遂行。', '秋，大水']
    """
    return [part for part in _END.split(text) if part]


def cleaned(text: str) -> list[Stream]:
    """The streams of a text: what it says from beginning to end, and apart from that its notes, in order.

    >>> cleaned("元年春王正月(隱公之始年/周王之正月)¶\\n三月公及邾儀父盟于蔑¶")
    [['元年春王正月三月公及邾儀父盟于蔑。'], ['隱公之始年周王之正月。']]
    >>> cleaned("一、七年，春，齐人伐郑。\\n二、夏，大水。")
    [['七年，春，齐人伐郑。', '夏，大水。']]
    """
    paragraphs = _mandoku(text) if is_mandoku(text) else _plain(text)
    main: Stream = []
    notes: Stream = []
    for paragraph in paragraphs:
        # A note that runs on to the next printed line closes and opens its brackets there.
        joined = paragraph.replace(")(", "").replace("/", "")
        for note in map(normalised, _NOTE.findall(joined)):
            if len(note) >= _SHORTEST_NOTE:
                notes += sentences(_closed(note))
        main += sentences(_closed(normalised(_NOTE.sub("", joined))))
    return [stream for stream in (main, notes) if stream]


def _closed(text: str) -> str:
    """A text that ends with a mark, so that the next one does not run into it."""
    text = re.sub("。{2,}", "。", text).lstrip("。，、；：？！")
    return text if not text or text[-1] in "。！？」』）》…" else f"{text.rstrip('，、；：')}。"


def _plain(text: str) -> Iterator[str]:
    for line in text.splitlines():
        line = _OUR_ERA.sub("", _RUBRIC.sub("", _PAGE.sub("", line)))  # noqa: PLW2901
        line = _NUMBERED.sub("", line.strip())  # noqa: PLW2901
        if line:
            yield line


def _mandoku(text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    printed = [(line, _GAP.sub("", _bare(line))) for line in lines]
    marked = "。" in text
    usual = statistics.median([_width(bare) for _, bare in printed if bare] or [0])
    parts: list[str] = []
    for line, bare in printed:
        if bare and bare not in _IMPRINT:
            parts.append(bare if marked else _GAP.sub("。", _RING.sub("。", _bare(line))))
        heading = line.startswith("*")
        ended = heading or (not line.strip() if marked else bool(bare) and _width(bare) < _SHORT * usual)
        if ended and parts:
            yield "".join(parts)
            parts = []
    if parts:
        yield "".join(parts)


def _bare(line: str) -> str:
    line = _HEADING.sub("", _PAGE.sub("", line).replace("¶", ""))
    return _LABEL.sub("", line).strip(" \u3000\t")


def _width(line: str) -> float:
    """Characters of a printed line; two of a note take the room of one."""
    notes = sum(len(note) for note in _NOTE.findall(line))
    return len(_NOTE.sub("", line)) + notes / 2
