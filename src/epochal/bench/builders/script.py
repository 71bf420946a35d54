"""One script for texts whose transcriptions differ: the annals came in traditional characters, 公羊傳 in simplified."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from epochal.errors import MissingExtraError, UnknownNameError

__all__ = ["SCRIPTS", "script"]

#: As the sources have it, or everything in one script.
SCRIPTS: Final = ("source", "traditional", "simplified")


def script(name: str) -> Callable[[str], str]:
    """What makes a text be of a script; that of the source leaves it as it is.

    >>> script("source")("齐人伐鄭。")
    '齐人伐鄭。'
    """
    if name not in SCRIPTS:
        raise UnknownNameError("script", name, SCRIPTS)
    if name == "source":
        return str
    try:
        from opencc import OpenCC
    except ImportError:
        raise MissingExtraError(f"the script {name!r}", "opencc-python-reimplemented", "chinese") from None
    if name == "simplified":
        return _converter(OpenCC("t2s"))
    made = _converter(OpenCC("s2t"))
    # 於 and 于 are two words here: the annals write 盟于蔑, and the converter knows only one of them.
    return lambda text: "于".join(made(part) for part in text.split("于"))


def _converter(made: object) -> Callable[[str], str]:
    convert: Callable[[str], str] = made.convert  # type: ignore[attr-defined]
    return convert
