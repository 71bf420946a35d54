"""Simplified characters to traditional ones, for texts that are mostly in the former; and one form for comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from epochal.errors import MissingExtraError

__all__ = ["is_simplified", "simplified_table", "to_traditional"]

#: Frequent characters that only simplified texts write; prints of the old kind have a few of them as variants.
_MARKS: Final = frozenset("为与说来时会师齐郑鲁卫陈赵军将诸侯请问门见长马车东书贵谓".replace("侯", ""))
_SHARE: Final = 0.01
#: Words of their own in old texts, which a converter of modern ones would write otherwise: 盟于蔑, 詩云, 余一人, 征伐.
_KEPT: Final = frozenset("于云余征谷")


def is_simplified(text: str) -> bool:
    """Whether a text is written in simplified characters, told by how many of them it has.

    >>> is_simplified("夏，师救齐。"), is_simplified("夏，師救齊。")
    (True, False)
    """
    return sum(one in _MARKS for one in text) > _SHARE * len(text)


def to_traditional() -> Callable[[str], str]:
    """What turns simplified characters into traditional ones; needs the extra `chinese`.

    >>> to_traditional()("公会齐侯于郑，其后大水。")
    '公會齊侯于鄭，其後大水。'
    """
    convert = _opencc("s2t")

    def converted(text: str) -> str:
        made: str = convert(text)
        if len(made) != len(text):
            return made
        return "".join(old if old in _KEPT else new for old, new in zip(text, made, strict=True))

    return converted


def simplified_table(characters: str) -> dict[int, str]:
    """For `str.translate`: each character's simplified form, where it has another; for comparison, not for reading.

    >>> "隱公會齊侯".translate(simplified_table("隱公會齊侯"))
    '隐公会齐侯'
    """
    convert = _opencc("t2s")
    made = {one: convert(one) for one in set(characters)}
    return {ord(one): other for one, other in made.items() if other != one and len(other) == 1}


def _opencc(name: str) -> Callable[[str], Any]:
    try:
        from opencc import OpenCC
    except ImportError:
        raise MissingExtraError("changing between scripts", "opencc-python-reimplemented", "chinese") from None
    convert: Callable[[str], Any] = OpenCC(name).convert
    return convert
