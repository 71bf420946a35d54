"""The works of later commentators as the Kanseki Repository transcribes them: what they print large, and their notes.

Small print stands in brackets, its two columns parted by a slash, and goes on over lines and pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from epochal.bench.builders.chunqiutr.alignment import plain

__all__ = ["Item", "Note", "items", "notes", "parts", "printed", "spoken"]

_FURNITURE: Final = re.compile(r"^#.*$|<[^>]*>|¶", re.MULTILINE)
_ENTITY: Final = re.compile(r"&[^;\s]{1,12};")
#: Brackets that follow each other with nothing but white between them are one note that was broken.
_BROKEN: Final = re.compile(r"\)\s*\(")
_BRACKETS: Final = re.compile(r"\(([^()]*)\)")
_WHITE: Final = re.compile(r"[\s/]+")
#: Where a note goes over to how its characters are pronounced, which is Lu Deming's and says nothing of events.
_SOUNDS: Final = re.compile("釋文|本[又或亦]作|.音.|...[切反](?:[下注又]|$|[^切反]{1,3}[切反])")
_SAYS: Final = re.compile("正義曰|正义曰")


@dataclass(frozen=True, slots=True)
class Note:
    """Small print: what it says, how many characters of large print stand before it, and the last of those.

    >>> next(notes("三月盟于蔑(魯地/也)")).text
    '魯地也'
    """

    text: str
    at: int
    after: str


@dataclass(frozen=True, slots=True)
class Item:
    """A section of a work that goes by topics: its heading, the small print in it, and what follows.

    >>> [item.title for item in items("　　鄭太子華請去三族(七年/)¶\\n管仲猶有三代氣象¶", "　　")]
    ['鄭太子華請去三族']
    """

    title: str
    note: str
    text: str


def notes(text: str, large: re.Pattern[str] | None = None) -> Iterator[Note]:
    """The notes of a work; with `large`, only lines that match it count as large print.

    >>> [(note.at, note.after[-1]) for note in notes("三月公及(我/)¶\\n(公/也)邾盟(約/也)¶")]
    [(4, '及'), (6, '盟')]
    """
    at, after = 0, ""
    for number, piece in enumerate(_pieces(text)):
        if number % 2:
            yield Note(_WHITE.sub("", piece), at, after)
        else:
            shown = _large(piece, large)
            at, after = at + len(shown), shown[-8:] or after


def printed(text: str, large: re.Pattern[str] | None = None) -> str:
    """What a work prints large, without marks: the places of its notes are places in it.

    >>> printed("三月公及(我/)¶\\n邾盟(約/也)¶")
    '三月公及邾盟'
    """
    return "".join(_large(piece, large) for piece in _pieces(text)[::2])


def parts(note: str) -> list[str]:
    """A note of Kong Yingda's as what each 正義曰 opens, without those words.

    >>> parts("注正義曰渝變也正義曰成則平之訓")
    ['渝變也', '成則平之訓']
    """
    first, *rest = _SAYS.split(note)
    return [piece for piece in (rest or [first]) if piece]


def spoken(note: str) -> str:
    """A note without its tail on pronunciation.

    >>> spoken("即位例在隱莊閔僖元年朝直遙切下同")
    '即位例在隱莊閔僖元年'
    """
    found = _SOUNDS.search(note)
    return note[: found.start()] if found else note


def items(text: str, indent: str) -> Iterator[Item]:
    """The sections of a work whose headings stand in by at least `indent`, and its text by less.

    >>> [(item.title, item.note, item.text) for item in items("　　甲(元/年)¶\\n一¶\\n　　乙(二/年)¶\\n三¶", "　　")]
    [('甲', '元年', '一'), ('乙', '二年', '三')]
    """
    heading, body = "", ""
    for line in _clean(text).splitlines():
        if not line.strip():
            continue
        if line.startswith(indent):
            if body:
                yield _item(heading, body)
                heading, body = "", ""
            heading += line + "\n"
        else:
            body += line
    if body:
        yield _item(heading, body)


def _item(heading: str, body: str) -> Item:
    whole = _BROKEN.sub("", heading)
    small = "".join(_BRACKETS.findall(whole))
    return Item(
        _WHITE.sub("", _BRACKETS.sub("", whole)), _WHITE.sub("", small), _WHITE.sub("", _BRACKETS.sub("", body))
    )


def _clean(text: str) -> str:
    return _ENTITY.sub("□", _FURNITURE.sub("", text))


def _pieces(text: str) -> list[str]:
    """Large and small print by turns."""
    return _BRACKETS.split(_BROKEN.sub("", _clean(text)))


def _large(piece: str, large: re.Pattern[str] | None) -> str:
    if large is not None:
        piece = "".join(line for line in piece.splitlines() if large.match(line))
    return plain(piece)
