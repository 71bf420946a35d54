"""Traditional and simplified Chinese: which of them a text is in, and conversion either way."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from epochal.errors import MissingExtraError, UnknownNameError
from epochal.tables import read_toml
from epochal.times.calendars.date_text import normalise_han

__all__ = [
    "SCRIPTS",
    "SimplifyTable",
    "build_simplified_table",
    "get_script_converter",
    "get_traditional_converter",
    "is_simplified",
    "list_variants",
    "simplify_characters",
]


#: As the sources have it, or everything in one script.
SCRIPTS: Final = ("source", "traditional", "simplified")


def get_script_converter(name: str) -> Callable[[str], str]:
    """The function that converts a text to a script; that of `source` changes nothing."""
    if name not in SCRIPTS:
        raise UnknownNameError("script", name, SCRIPTS)
    if name == "source":
        return str
    purpose = f"the script {name!r}"
    if name == "simplified":
        return _load_opencc("t2s", purpose)
    convert = _load_opencc("s2t", purpose)
    # 於 and 于 are two words here: the annals write 盟于蔑, and the converter knows only one of them.
    return lambda text: "于".join(convert(part) for part in text.split("于"))


#: Frequent characters that only simplified texts write; prints of the old kind have a few of them as variants.
_MARKS: Final = frozenset("为与说来时会师齐郑鲁卫陈赵军将诸侯请问门见长马车东书贵谓".replace("侯", ""))
_SHARE: Final = 0.01
#: Words of their own in old texts, which a converter of modern ones would write otherwise: 盟于蔑, 詩云, 余一人, 征伐.
_UNCHANGED: Final = frozenset("于云余征谷")


def is_simplified(text: str) -> bool:
    """Whether a text is written in simplified characters, by their share."""
    return sum(one in _MARKS for one in text) > _SHARE * len(text)


def get_traditional_converter() -> Callable[[str], str]:
    """The function that converts simplified characters to traditional ones; needs the extra `chinese`."""
    convert = _load_opencc("s2t")

    def convert_words(text: str) -> str:
        converted = convert(text)
        if len(converted) != len(text):
            return converted
        return "".join(old if old in _UNCHANGED else new for old, new in zip(text, converted, strict=True))

    return convert_words


def build_simplified_table(characters: str) -> dict[int, str]:
    """For `str.translate`: each character's simplified form, where it has another; for comparison, not for reading."""
    convert = _load_opencc("t2s")
    forms = {one: convert(one) for one in set(characters)}
    return {ord(one): other for one, other in forms.items() if other != one and len(other) == 1}


def _load_opencc(config: str, purpose: str = "changing between scripts") -> Callable[[str], str]:
    try:
        from opencc import OpenCC
    except ImportError:
        raise MissingExtraError(purpose, "opencc-python-reimplemented", "chinese") from None
    convert: Callable[[str], str] = OpenCC(config).convert
    return convert


@cache
def _load_variants() -> dict[str, tuple[str, ...]]:
    table = read_toml("han_variants.toml", __package__, keep_as="han_variants")
    variants: dict[str, list[str]] = {}
    for traditional, simplified in zip(table["traditional"], table["simplified"], strict=True):
        variants.setdefault(traditional, [traditional]).append(simplified)
        variants.setdefault(simplified, [simplified]).append(traditional)
    return {character: tuple(dict.fromkeys(forms)) for character, forms in variants.items()}


def list_variants(character: str) -> tuple[str, ...]:
    """A character and its forms in the other script.

    >>> list_variants("关"), list_variants("發"), list_variants("山")
    (('关', '關'), ('發', '发'), ('山',))
    """
    return _load_variants().get(character, (character,))


#: More than there are characters of Chinese in use.
_MOST_CHARACTERS = 30_000


class SimplifyTable(dict[int, str]):
    """A table for `str.translate`: traditional to simplified, one character for one, learned as characters come."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = normalise_han(char)
        plain = folded if len(folded) == 1 else char
        if len(self) < _MOST_CHARACTERS:
            self[code] = plain
        return plain


@cache
def _simplify_table() -> SimplifyTable:
    # Characters of dates that the era tables have no need of.
    return SimplifyTable({ord(old): new for old, new in zip("閏後臘於歲嵗號貳參", "闰后腊于岁岁号贰参", strict=True)})


def simplify_characters(text: str) -> str:
    """The text in simplified characters, of the same length, so that offsets stay valid."""
    return text.translate(_simplify_table())
