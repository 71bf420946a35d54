"""A Chinese question without the signs of its dates, its frame, and books that the index does not know.

Where a script does not part its words, the index counts signs and pairs of signs. Those of a date (年, 月, 三) stand in
any text, and say nothing of a passage whose time is known. Nor does the frame of a question, what asks (有何大事) or
ties its times (之前的, 期間), nor the book that it asks (《春秋》記了什麼). Words of English are passed over singly;
of Chinese the pairs of signs at their edges would be left. A sign that is also a part of words (中, 記) goes only where
it stands alone: 中國 and 記者 stay. Other questions stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from epochal.index.analysis import analyse
from epochal.index.backend import View
from epochal.reading.expr import TimeExpr

__all__ = ["asked_words", "topic_words"]

_HAN = re.compile("[\u3400-\u9fff]")
_RUN = re.compile("[\u3400-\u9fff]+")
_TITLE = re.compile("《[^《》]*》")
#: What a book does that is asked, rather than asked for; after its title, or as "见于" before it.
_TELLS = re.compile("[记記][载載录錄述了下有事]|[载載]有|所[载載]|[写寫]道|提到")
_TOLD_IN = re.compile("[见見载載记記][于於]$")
#: Words that ask, and that tie one time to another, in simplified and traditional characters.
_FRAME = (
    "什么时候 什麼時候 什么样 什麼樣 什么 什麼 哪些 哪一 哪个 哪個 哪几 哪幾 哪里 哪裏 哪裡 为什么 爲什麼 "
    "為什麼 为何 爲何 為何 如何 怎样 怎樣 怎么 怎麼 多少 几个 幾個 有没有 有沒有 有无 有無 有何 有什么 "
    "有什麼 有关 有關 关于 關於 是否 是不是 可曾 曾经 曾經 曾有 请问 請問 告诉我 告訴我 告诉 告訴 想知道 "
    "能否 能不能 查询 查詢 查找 查阅 查閱 查一下 检索 檢索 搜索 找到 找出 列出 列举 列舉 说明 說明 说了 說了 "
    "叙述 敘述 介绍 介紹 描述 概述 总结 總結 记载 記載 记录 記錄 记述 記述 记下 記下 记了 記了 记有 記有 "
    "记事 記事 写下 寫下 写了 寫了 写道 寫道 见于 見於 载有 載有 所载 所載 提到 涉及 发生过 發生過 发生 發生 "
    "事情 事件 事迹 事蹟 史事 史实 史實 大事 要事 何事 事项 事項 内容 內容 情况 情況 情形 状况 狀況 动向 "
    "動向 动态 動態 重要 主要 相关 相關 之前 之后 之後 以前 以后 以後 以来 以來 以内 以內 之内 之內 之间 "
    "之間 之中 期间 期間 其间 其間 此间 此間 前后 前後 过去 過去 接下来 接下來 截至 截止 直到 直至 当中 當中 "
    "全年 整年 当年 當年 该年 該年 同年 当月 當月 该月 該月 同月 一个月 一個月 个月 個月 一年 年内 年內 这一 "
    "這一 这个 這個 那一 那个 那個 以及"
)
#: Signs that are of the frame where nothing else stands beside them: 在 is, 存在 is not.
_SMALL = frozenset(
    "在于於的了过過吗嗎呢么麼之其与與和及是有事中里裡裏内內间間前后後起止自至到从從各记記载載说說为爲為以或哪请請上下"
)


def asked_words(view: View, text: str, times: Sequence[TimeExpr] = ()) -> str:
    """The question with blanks in place of its Chinese dates, its frame, and titles that the index does not know.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     asked_words(store.view(), "永乐三年的船", [TimeExpr("永乐三年", 0, 4, "DATE", "1405")]).split()
    ...     asked_words(store.view(), "ships of 1405", [TimeExpr("1405", 9, 13, "DATE", "1405")])
    ['船']
    'ships of 1405'
    """
    dates = _dates(times)
    return _blanked(topic_words(view, text, times), dates) if dates else topic_words(view, text, times)


def topic_words(view: View, text: str, times: Sequence[TimeExpr] = ()) -> str:
    """The text with blanks for the frame of a Chinese question, and for titles in 《》 of the book that is asked.

    That is a title of which the question is what stands in it, and one that the index has no two signs of, since its
    single signs stand in any text. Dates stay, and nothing moves.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     topic_words(store.view(), "《史记》中记载了哪些中国的船？")
    '         中国的船？'
    """
    if not _HAN.search(text):
        return text
    places = [*_asked_titles(view, text), *(found.span() for found in _frame().finditer(text))]
    left = _blanked(text, [*places, *_dates(times)])
    for run in _RUN.finditer(left):
        if _SMALL.issuperset(run[0]):
            places.append(run.span())
        elif run[0][0] == "的":  # of what stands before it, which is gone
            places.append((run.start(), run.start() + 1))
    return _blanked(text, places)


@cache
def _frame() -> re.Pattern[str]:
    return re.compile("|".join(sorted(_FRAME.split(), key=len, reverse=True)))


def _dates(times: Sequence[TimeExpr]) -> list[tuple[int, int]]:
    return [(item.start_char, item.end_char) for item in times if _HAN.search(item.text)]


def _asked_titles(view: View, text: str) -> Iterator[tuple[int, int]]:
    for title in _TITLE.finditer(text):
        if _TELLS.search(text, title.end()) or _TOLD_IN.search(text, 0, title.start()):
            yield title.span()
            continue
        pairs = [token for token in analyse(title[0]) if len(token) > 1]
        if not any(view.document_frequency(pairs).values()):
            yield title.span()


def _blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    signs = list(text)
    for start, end in places:
        signs[start:end] = " " * (end - start)
    return "".join(signs)
