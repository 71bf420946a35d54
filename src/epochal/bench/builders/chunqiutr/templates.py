"""Fifty-two ways to ask for a month or a window of months, in traditional Chinese and in words of our own.

Their numbers fall into the nine groups of the published set. {t} is a month in full, {u} the month at which a range
ends, {y} a year, {n} an amount of months.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["AMOUNTS", "GROUPS", "TEMPLATES", "Template"]

#: By group the offsets that are drawn for it, in months; a range reaches so many months beyond its first.
AMOUNTS: Final[Mapping[str, tuple[int, ...]]] = {
    "past": (1, 2, 3, 6, 12),
    "future": (1, 2, 3, 6, 12),
    "around": (1, 2, 3),
    "range": (1, 2, 3, 5, 11),
}

_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "content": (
        "{t}發生了什麼事？",
        "《春秋》在{t}記了哪些事？",
        "{t}，魯國與諸侯之間有何大事？",
        "請列出{t}的史事。",
        "經傳於{t}記載了什麼內容？",
        "{t}這個月有哪些記錄？",
        "想知道{t}的事件。",
        "查找{t}的記事。",
        "{t}有哪些人物和事件見於經傳？",
        "史官在{t}寫下了什麼？",
        "{t}的經文與傳文說了什麼？",
        "關於{t}，有哪些史料可以參考？",
    ),
    "existence": (
        "{t}有沒有記事？",
        "《春秋》於{t}是否記載了事件？",
        "{t}是否無事可記？",
        "經傳在{t}有無記錄？",
        "{t}是不是空白的月份？",
        "在{t}可曾發生過什麼事情？",
        "{t}這個月，史書有記載嗎？",
        "能否找到{t}的任何史事？",
    ),
    "past": (
        "{t}之前{n}內，發生了哪些事？",
        "請檢索{t}之前{n}的記事。",
        "在{t}以前的{n}裡，《春秋》記了什麼？",
        "{t}之前的{n}間，諸侯有何動向？",
        "截至{t}之前，過去{n}有哪些史事？",
        "{t}前{n}的經傳記錄有哪些？",
    ),
    "future": (
        "{t}之後{n}內，發生了哪些事？",
        "請檢索{t}之後{n}的記事。",
        "在{t}以後的{n}裡，《春秋》記了什麼？",
        "{t}之後的{n}間，魯國有何大事？",
        "{t}後{n}的經傳記錄有哪些？",
    ),
    "around": (
        "{t}前後{n}，有哪些記事？",
        "請列出{t}前後各{n}的史事。",
        "以{t}為中心，前後{n}之內發生了什麼？",
        "{t}前後{n}間，《春秋》記載了什麼？",
        "查找{t}前後{n}的經傳記錄。",
    ),
    "range": (
        "從{t}到{u}，發生了哪些事？",
        "{t}至{u}之間，《春秋》記了什麼？",
        "請檢索{t}至{u}的記事。",
        "自{t}起至{u}止，有哪些史事？",
        "{t}到{u}期間，諸侯之間有何大事？",
    ),
    "year": (
        "{y}全年發生了哪些事？",
        "《春秋》在{y}記了什麼？",
        "請列出{y}這一年的史事。",
        "{y}一年之中，魯國有何大事？",
        "查找{y}的全部經傳記錄。",
    ),
    "previous": (
        "{y}的前一年發生了哪些事？",
        "請檢索{y}前一年的記事。",
        "{y}的上一年，《春秋》記了什麼？",
    ),
    "next": (
        "{y}的後一年發生了哪些事？",
        "請檢索{y}後一年的記事。",
        "{y}的下一年，《春秋》記了什麼？",
    ),
}
#: The nine groups in the order of their numbers.
GROUPS: Final = tuple(_TEXTS)


@dataclass(frozen=True, slots=True)
class Template:
    """A way to ask: its number from 1 to 52, its group, and its words.

    >>> TEMPLATES[0].family, TEMPLATES[51].family
    ('point', 'window')
    """

    number: int
    group: str
    text: str

    @property
    def family(self) -> str:
        """Whether it asks for one month or for a window.

        >>> {template.family for template in TEMPLATES if template.group == "existence"}
        {'point'}
        """
        return "point" if self.group in ("content", "existence") else "window"


#: All of them in the order of their numbers.
TEMPLATES: Final = tuple(
    Template(number, group, text)
    for number, (group, text) in enumerate(((group, text) for group, texts in _TEXTS.items() for text in texts), 1)
)
