"""A Chinese question without the signs of its dates, its frame, and books that the index does not know.

Where a script does not part its words, the index counts signs and pairs of signs. Those of a date (年, 月, 三) stand in
any text, and say nothing of a passage whose time is known. Nor does the frame of a question, what asks (有何大事) or
ties its times (之前的, 期間), nor the book that it asks (《春秋》記了什麼). Words of English are passed over singly;
of Chinese the pairs of signs at their edges would be left. Other questions stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from epochal.index.analysis import analyse
from epochal.index.backend import View
from epochal.ranking.pool import Floats, Pool
from epochal.reading.expr import TimeExpr

__all__ = ["asked_lexical", "asked_words", "topic_words"]

_HAN = re.compile("[\u3400-\u9fff]")
_TITLE = re.compile("《[^《》]*》")
#: What a book does that is asked, rather than asked for.
_TELLS = re.compile("[记記载載写寫书書]|见[于於]|見[于於]")
#: What asks, and what ties one time to another, in simplified and traditional characters.
_FRAME = (
    "什么时候 什麼時候 什么样 什麼樣 什么 什麼 哪些 哪一 哪个 哪個 哪几 哪幾 哪里 哪裏 为什么 爲什麼 为何 爲何 "
    "如何 怎样 怎樣 怎么 怎麼 多少 几个 幾個 有没有 有沒有 有无 有無 有何 有什么 有什麼 有关 有關 关于 關於 "
    "是否 是不是 可曾 曾经 曾經 曾有 请问 請問 请 請 告诉我 告訴我 告诉 告訴 我们 我們 查询 查詢 查找 查阅 "
    "查閱 查一下 检索 檢索 搜索 找出 列出 列举 列舉 说明 說明 叙述 敘述 介绍 介紹 描述 概述 总结 總結 记载 "
    "記載 记录 記錄 记述 記述 记下 記下 记了 記了 记有 記有 记事 記事 记 記 写下 寫下 写了 寫了 写道 寫道 见于 "
    "見於 载有 載有 所载 所載 载 載 提到 涉及 发生 發生 出现过 出現過 出现 出現 存在 事情 事件 事迹 事蹟 史事 "
    "史实 史實 大事 要事 何事 事项 事項 内容 內容 情况 情況 情形 状况 狀況 动向 動向 动态 動態 变化 變化 重要 "
    "主要 相关 相關 哪 之前 之后 之後 以前 以后 以後 以来 以來 以内 以內 之内 之內 之间 之間 期间 期間 其间 "
    "其間 此间 此間 前后 前後 前 后 後 过去 過去 未来 未來 接下来 接下來 截至 截止 直到 直至 当中 當中 全年 "
    "整年 当年 當年 该年 該年 同年 当月 當月 该月 該月 同月 这一 這一 这个 這個 那一 那个 那個 从 從 到 至 自 "
    "起 止 间 間 内 內 里 裏 中 各 在 于 於 的 了 过 過 吗 嗎 呢 么 麼 之 其 与 與 和 及 是 有 事 一个月 "
    "一個月 个月 個月 一年 年内 年內 下来 下來 可以 参考 參考 史料 全部 任何 想知道 知道 能否 能不能 找到 一下 "
    "说了 說了 说 說 为 爲 以 空白 月份 无事 無事 部分 史书 史書 书中 書中 文献 文獻 资料 資料 以及 或 哪裡 裡 "
    "关於 见於 什麼时候 什麼样 为什麼"
)


def asked_lexical(pool: Pool) -> Floats:
    """BM25 of the candidates for a question that asks for a time: of one in Chinese, without the signs of its dates.

    The signs of a date are no words: a passage that is dated is found by its times, and others have the same signs. In
    a script that parts its words the year is a word like others, and a rare one: a text that has it is likely to be
    about it.

    >>> asked_lexical.__name__
    'asked_lexical'
    """
    words = asked_words(pool.view, pool.question, pool.times)
    if words == pool.question:
        return pool.lexical
    return pool.view.word_scores(words, pool.rows)


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
    dates = [(item.start_char, item.end_char) for item in times if _HAN.search(item.text)]
    return _blanked(topic_words(view, text), dates)


def topic_words(view: View, text: str) -> str:
    """The text with blanks for the frame of a Chinese question, and for titles in 《》 of the book that is asked.

    That is any title where the question is what is written, and one that the index has no two signs of, since its
    single signs stand in any text. Nothing moves.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     topic_words(store.view(), "《史记》中记载了哪些船？")
    '         船？'
    """
    if not _HAN.search(text):
        return text
    frame = (found.span() for found in _frame().finditer(text))
    return _blanked(_blanked(text, frame), _asked_titles(view, text))


@cache
def _frame() -> re.Pattern[str]:
    return re.compile("|".join(sorted(_FRAME.split(), key=len, reverse=True)))


def _asked_titles(view: View, text: str) -> Iterator[tuple[int, int]]:
    tells = _TELLS.search(_TITLE.sub("", text)) is not None
    for title in _TITLE.finditer(text):
        if tells:
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
