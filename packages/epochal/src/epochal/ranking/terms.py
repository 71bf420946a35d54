"""The terms of a question: its words without times and frame, the weight of each, and its nearness to the time.

A word weighs the square root of its inverse document frequency. The root keeps one rare word ("won", in a collection
that happens to use it once) from outweighing all others: people ask in words that documents do not use. Words that
every question has ("who", "the") weigh nothing.

Nearness separates the two halves of "Who was born in the 1860s and won the Nobel Prize?": the time belongs to the
birth, because the words are next to each other. It falls with the number of words in between.

In Chinese the index counts characters and pairs of characters. Those of a date (年, 月, 三) are in any text and say
nothing about a passage whose time is known; nor do the frame of a question, what asks (有何大事) or ties its times
(之前的, 期間), and the book that is asked (《春秋》記了什麼). English words are skipped singly; of Chinese the pairs at
their edges would remain, so they are blanked first. A character that is also a part of words (中, 記) is blanked only
where it is alone: 中國 and 記者 stay.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
import numpy.typing as npt

from epochal.lazy import lazy_regex
from epochal.ranking.han_words import list_pieces
from epochal.ranking.script_words import is_unparted, iterate_words
from epochal.reading.expression import TimeExpr
from epochal.reading.questions.question import Understanding
from epochal.reading.scripts import simplify_characters
from epochal.storage.protocol import View
from epochal.storage.text import analyse, analyse_word

_HAN = lazy_regex("[\u3400-\u9fff]")
_RUN = lazy_regex("[\u3400-\u9fff]+")
_TITLE = lazy_regex("《[^《》]*》")
#: Verbs of a book that is asked (not asked for): after its title, or as "见于" before it.
_RECORDS = lazy_regex("[记記][载載录錄述了下有事]|[载載]有|所[载載]|[写寫]道|提到")
_RECORDED_IN = lazy_regex("[见見载載记記][于於]$")
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
    "这个月 這個月 那个月 那個月 这一年 這一年 那一年 哪一条 哪一條 哪一则 哪一則 哪一篇 哪一份 哪条 哪條 哪篇 "
    "這一 这个 這個 那一 那个 那個 以及 之时 之時 时候 時候 当时 當時 那时 那時 此时 此時"
)
#: Asks what has changed; 气候变化 is a topic.
_CHANGED = "有?(?:什么|什麼|哪些|何)(?:变化|變化|变动|變動|改变|改變)"
#: What texts are called in general. At the end of a phrase it is what is looked for, not what that is about.
_HAN_TEXTS = lazy_regex(
    "(?:相关|相關|有关|有關)?的?(?:新闻|新聞|消息|报道|報道|报导|報導|动态|動態|资讯|資訊|信息|讯息|訊息|文章|进展|進展)[中里裡]?[是有]?$"
)
#: Characters that belong to the frame where they are alone: 在 does, 存在 does not.
_SMALL = frozenset(
    "是条條则則篇在于於的了过過吗嗎呢么麼之其与與和及是有事中里裡裏内內间間前后後起止自至到从從各记記载載说說为爲為以或哪请請上下"
)


def has_han(text: str) -> bool:
    """Whether a text has Chinese characters."""
    return not text.isascii() and _HAN.search(text) is not None


def blank_dates(view: View, text: str, times: Sequence[TimeExpr] = ()) -> str:
    """The question with blanks in place of its Chinese dates, its frame, and titles that the index does not know."""
    return _blank_out(blank_frame(view, text, times), _find_chinese_dates(times))


def blank_frame(view: View, text: str, times: Sequence[TimeExpr] = ()) -> str:
    """The text with blanks for the frame of a Chinese question, and for titles in 《》 of the book that is asked.

    That is a title whose contents are asked for, or one of which the index has no pair of characters: single ones are
    in any text. Of 关于剧院的消息 the theatre is left, of 新闻发布会 everything. Dates stay, and no character moves.
    """
    if not has_han(text):
        return text
    ranges = [*_find_queried_titles(view, text), *(match.span() for match in _compile_frame().finditer(text))]
    left = _blank_out(text, [*ranges, *_find_chinese_dates(times)])
    for run in _RUN.finditer(left):
        if _SMALL.issuperset(run[0]):
            ranges.append(run.span())
            continue
        if run[0][0] == "的":  # it belongs to the word before it, which is blanked
            ranges.append((run.start(), run.start() + 1))
        if kind := _HAN_TEXTS.search(text, *run.span()):
            ranges.append(kind.span())
    return _blank_out(text, ranges)


@cache
def _compile_frame() -> re.Pattern[str]:
    return re.compile("|".join((_CHANGED, *sorted(_FRAME.split(), key=len, reverse=True))))


def _find_chinese_dates(times: Sequence[TimeExpr]) -> list[tuple[int, int]]:
    return [(item.start_char, item.end_char) for item in times if _HAN.search(item.text)]


def _find_queried_titles(view: View, text: str) -> Iterator[tuple[int, int]]:
    for title in _TITLE.finditer(text):
        if _RECORDS.search(text, title.end()) or _RECORDED_IN.search(text, 0, title.start()):
            yield title.span()
            continue
        pairs = [token for token in analyse(title[0]) if len(token) > 1]
        if not any(view.get_document_frequencies(pairs).values()):
            yield title.span()


def _blank_out(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    characters = list(text)
    for start, end in ranges:
        characters[start:end] = " " * (end - start)
    return "".join(characters)


#: Over how many words nearness falls, and what is left of it far away.
_FALL = 4.0
_FAR = 0.2
#: A new clause is so many words further away.
_CLAUSE = 4
#: Words of a question beyond this many are not read.
_MAX_WORDS = 2_000

_WORD = lazy_regex(r"[^\W_]+")
_MARK = lazy_regex("[,;:]")
_NEW_CLAUSE = frozenset(("and", "but", "or", "while", "who", "which", "that", "when", "where"))
_COMMON = (
    "the of in a an and or to who whom whose which what when where why how was were is are am be been being did do "
    "does done had has have having from between for by with on at as that this these those it its his her their our "
    "your my he she they we you i among during into about than then there here not no can could will would shall "
    "should may might must if so such s t 's 的 了 是 在 和 与 有 哪 谁 什 么 吗 呢 之 "
    # What asks for anything at all, and words of no weight: what happened, which events are recorded.
    "happen occur 什么 哪些 有何 何事 事情 事件 大事 记事 记载 记录 发生 请问 查询 列出 重要 "
    "这个 这一 于 以 而 为 其 及 中 里 时"
)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The tokens of a question as the index counts them, with the weight and the nearness of each."""

    tokens: tuple[str, ...]
    weights: npt.NDArray[np.float64]
    nearness: npt.NDArray[np.float64]

    def shares(self, present: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """The share of the question, by weight, that each of some contexts has: a line a context, a column a token."""
        return _compute_shares(present, self.weights)

    def shares_around(self, present: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """The share of the question, by weight and nearness, that each of the contexts of a time has.

        A word weighs more that separates the contexts, and nothing if none of them has it: "born" may be in every
        document, and still separate the dates of birth from all others.
        """
        counts = present.sum(axis=0)
        if not counts.any():  # where the question has no words but its time, the time alone answers
            return np.ones(len(present))
        separation = np.sqrt(np.log1p((len(present) - counts + 0.5) / (counts + 0.5)))
        return _compute_shares(present, np.where(counts > 0, self.nearness * (self.weights + separation), 0.0))


def _compute_shares(present: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    total = float(weights.sum())
    return present @ weights / total if total else np.zeros(len(present))


def read_terms(view: View, text: str, times: Sequence[TimeExpr] = ()) -> Terms:
    """The words of a question without its time expressions."""
    common = _get_common_tokens()
    nearness: dict[str, float] = {}
    plain = blank_frame(view, text, times)
    words = list(islice(_iterate_words(plain, times), _MAX_WORDS))
    inside = [any(item.start_char <= word.start() and word.end() <= item.end_char for item in times) for word in words]
    positions = _count_positions(plain, words, inside) if any(inside) else [0] * len(words)
    timed = [position for position, is_time in zip(positions, inside, strict=True) if is_time]
    runs = [word[0] for word, is_time in zip(words, inside, strict=True) if not is_time and is_unparted(word[0])]
    pieces = view.get_document_frequencies(list_pieces(map(simplify_characters, runs))) if runs else {}
    for position, word, is_time in zip(positions, words, inside, strict=True):
        if is_time:
            continue
        distance = min((abs(position - other) for other in timed), default=0)
        near = _FAR + (1 - _FAR) * math.exp(-distance / _FALL)
        for token in _analyse_run(word[0], pieces, view.passage_count):
            if token not in common:
                nearness[token] = max(near, nearness.get(token, 0.0))
    frequency = view.get_document_frequencies(nearness)
    tokens = _drop_single_characters(tuple(nearness), frequency)
    count = view.passage_count
    weights = [math.sqrt(_compute_idf(count, frequency.get(token, 0))) for token in tokens]
    return Terms(tokens, np.array(weights), np.array([nearness[token] for token in tokens]))


def _analyse_run(word: str, pieces: Mapping[str, int], passages: int) -> Iterable[str]:
    """The tokens of a word; of a run in a script that does not part its words without the pairs across two of them."""
    tokens = analyse_word(word)
    if not is_unparted(word):
        return tokens
    parts = [simplify_characters(part) for part, _ in iterate_words(word, pieces, passages)]
    return [token for token in tokens if len(token) != 2 or token.isascii() or any(token in part for part in parts)]


def weigh_tokens(view: View, tokens: Iterable[str]) -> dict[str, float]:
    """What each token of a question weighs; 0 for one that every question has, and for one that no passage has."""
    common, count = _get_common_tokens(), view.passage_count
    return {
        token: 0.0 if token in common else math.sqrt(_compute_idf(count, frequency))
        for token, frequency in view.get_document_frequencies(tokens).items()
    }


def _iterate_words(text: str, times: Sequence[TimeExpr]) -> Iterator[re.Match[str]]:
    """The words of a text; where a script does not separate them, a time within a run is a word of its own."""
    start = 0
    for edge in sorted({edge for item in times for edge in (item.start_char, item.end_char)} | {len(text)}):
        yield from _WORD.finditer(text, start, edge)
        start = edge


def _drop_single_characters(tokens: Sequence[str], frequency: Mapping[str, int]) -> tuple[str, ...]:
    """The tokens without single Han characters of which the index has a pair.

    One character of 春秋 is anywhere; it counts only where the index has no pair with it.
    """
    paired = {sign for token in tokens if len(token) == 2 and frequency.get(token) for sign in token}
    return tuple(token for token in tokens if len(token) > 1 or token.isascii() or token not in paired)


def _compute_idf(count: int, frequency: int) -> float:
    """BM25's inverse document frequency; 0 for a word that no passage has, which separates none.

    Deleted passages stay in the frequencies until the index is compacted, so there may be more of them than passages.
    """
    return math.log1p(max(count - frequency + 0.5, 0.5) / (frequency + 0.5)) if frequency else 0.0


def _count_positions(text: str, words: Sequence[re.Match[str]], inside: Sequence[bool]) -> list[int]:
    """The position of each word, farther apart where a clause ends: after a comma, and before "and" or "who"."""
    positions, position, last = [], 0, 0
    for word, is_time in zip(words, inside, strict=True):
        if not is_time and (word[0].lower() in _NEW_CLAUSE or _MARK.search(text, last, word.start())):
            position += _CLAUSE
        positions.append(position)
        position += 1
        last = word.end()
    return positions


@cache
def _get_common_tokens() -> frozenset[str]:
    return frozenset(token for word in _COMMON.split() for token in analyse(word))


_ANY_WORD = lazy_regex(r"\w")
#: Words that ask for whatever there is: a question with no others has no topic that evidence could miss.
_ANYTHING = lazy_regex(
    r"\b(?:happen(?:s|ed|ing)?|occur(?:s|red|ring)?|(?:took|takes?|taking|taken) place|(?:going|went|goes) on|events?|"
    r"news|anything|something|everything|recorded|reported)\b|"
    r"发生|發生|什么|什麼|何事|何|哪些|大事|事件|事情|事|新闻|新聞|记载|記載|[过過了嗎有]",
    re.IGNORECASE,
)
#: Words that speak of documents and of asking, not of what is asked about: no text need have them to be an answer.
_QUESTION_FRAME = lazy_regex(
    r"\b(?:documents?|articles?|texts?|items?|entr(?:y|ies)|reports?|sources?|publi(?:sh(?:ed|es)?|cations?)|"
    r"appear(?:s|ed)?|mention(?:s|ed|ing)?|sa(?:y|ys|id)|tells?|told|known?|stated?|states|involv(?:es?|ed|ing)|"
    r"compar(?:e|es|ed|ison)|differ(?:s|ed|ent|ences?)?|already|earlier|later|find|show|list|give)\b|"
    r"文件|文章|文献|文獻|提到|提及|发表|發表|发布|發布|出版|报道|報道|报导|報導|说|說|"
    # What old books are called, and those who wrote them.
    r"史官|史[书書册冊籍料]|典籍|古籍|[经經][传傳文]|[传傳]文|原文|文字|[条條]目|[资資]料|古人|"
    # Whether there is anything at all, and how much of it is asked for; manners.
    r"[无無]事(?:可[记記书書])?|空白|[阙闕]如|任何|所有|全部|一切|人物|月份|年份|(?:[这這那]段)[时時][间間]|[当當][时時]|"
    r"可以|[参參]考|[讲講][讲講]|[寻尋]?找|看看|[给給]我|一下|麻[烦煩]|[帮幫]忙",
    re.IGNORECASE,
)


def get_topic_terms(view: View, understanding: Understanding) -> Terms:
    """The words that a text must have to answer a question; none where it asks for anything at all."""
    topic = understanding.topic
    binding = {item.evidence: item.binds for item in understanding.constraints}
    for item in understanding.expressions:
        # The name of an event that bounds no time ("war in Ukraine", "Katrina") is the topic.
        if binding.get(item, bool(item.stated) or not item.text[0].isupper()):
            topic = topic.replace(item.text, " ")
    # A question that is nothing but times has them for a topic, and needs no words.
    topic = understanding.topic if _ANY_WORD.search(topic) else topic
    # The frame of a Chinese question is removed by whole words, before single characters are.
    words = blank_frame(view, _QUESTION_FRAME.sub(lambda match: " " * len(match[0]), topic))
    return read_terms(view, _ANYTHING.sub(" ", words))
