"""Chinese news: the passages of ChronoQA that open with a day, asked about by the names in them.

A name is what stands alone between two signs of a list, in quotation marks or as a title: 河南、湖北、湖南. Names of
passages outside of the sample, and ordinary things, serve as what no passage has.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.catalogue import load
from epochal_lab.datasets.sources import Source
from epochal_lab.datasets.timed.questions import SPLITS, TimedCorpus, TimedQuestion, choose, number_questions
from epochal_lab.datasets.timed.timelines import TimelineTopic, build_absent, build_timeline, split_groups
from epochal_lab.datasets.timed.wording import Domain

#: The share of passages that are indexed, names asked about in each split, and names that no passage has.
_INSIDE: Final = 0.85
_NAMES: Final = 60
_ABSENT: Final = 40
#: A name is asked about when so many passages have it.
_PASSAGES: Final = (4, 40)
_COUNTS: Final = {
    "in_month": 2,
    "in_year": 1,
    "between": 1,
    "empty_month": 2,
    "latest": 1,
    "first": 1,
    "as_of_words": 1,
    "as_of_option": 1,
    "last_before": 1,
    "first_after": 1,
    "before": 1,
    "since": 1,
    "not_yet": 1,
    "not_covered": 1,
}
_OPENING: Final = re.compile(r"(?:北京时间)?((?:19|20)\d{2})年(\d{1,2})月(\d{1,2})日")
_MONTH: Final = re.compile(r"((?:19|20)\d{2})年(\d{1,2})月")
_NAME: Final = re.compile(r"(?<=[、“《])([\u4e00-\u9fff]{2,6})(?=[、”》])")
_THINGS: Final = (
    "手风琴 灯塔 蜂蜜 风筝 剪纸 豆腐 萤火虫 蜻蜓 蝴蝶 蚂蚁 刺猬 松鼠 鹦鹉 鹈鹕 章鱼 水母 海马 海龟 "
    "鳄鱼 河马 长颈鹿 斑马 袋鼠 树懒 骆驼 草莓 菠萝 葡萄干 樱桃 蓝莓 椰子 石榴 柚子 南瓜 茄子 菠菜 "
    "芹菜 蘑菇 核桃 栗子 芝麻 胡椒 肉桂 藏红花 面条 饺子 馒头 汤圆 粽子 豆浆 毛笔 砚台 屏风 算盘 "
    "油灯 蜡烛 火柴 雨伞 草帽 围巾 手套 拖鞋 纽扣 拉链 剪刀 针线 缝纫机 打字机 留声机 望远镜 显微镜 指南针 "
    "沙漏 日晷 二胡 琵琶 古筝 唢呐 口琴 竖琴 木琴 鼓手 木偶 皮影 杂技 魔术 跳绳 陀螺 秋千 滑梯 "
    "跷跷板 积木 拼图 纸牌 麻将 象棋 围棋 鱼竿 独木舟 热气球 火山 冰川 沙丘 瀑布 溶洞 温泉 彩虹 极光 "
    "流星 陨石 龙卷风 珊瑚礁 红树林 竹林 苔藓 蒲公英 向日葵 郁金香 仙人掌 薰衣草 "
).split()
#: One document, and many, and what is asked about them, by split.
NEWS_ZH: Final = Domain(
    "news_zh",
    {
        "train": ("关于{x}的报道", "{x}的消息", "有关{x}的新闻", "{x}新闻"),
        "report": ("关于{x}的消息", "涉及{x}的报道", "{x}的报道"),
    },
    {
        "train": ("关于{x}的报道", "{x}的消息", "有关{x}的新闻", "{x}新闻"),
        "report": ("关于{x}的消息", "涉及{x}的报道", "{x}的报道"),
    },
    {
        "in_month": {
            "train": ("{m}{many}", "{m}有哪些{many}？", "{m}{x}发生了什么？", "{x}在{m}有什么动态？", "{x} {m}"),
            "report": ("{m}有什么{many}？", "{x}在{m}怎么样了？", "{m}期间{many}", "{many}，{m}"),
        },
        "in_year": {
            "train": ("{y}年{many}", "{y}年有哪些{many}？", "{x}在{y}年发生了什么？", "{x} {y}年"),
            "report": ("{y}年有什么{many}？", "{y}年里{many}", "{many}，{y}年"),
        },
        "between": {
            "train": ("{y}年至{z}年{many}", "{y}年到{z}年之间有哪些{many}？", "{x}在{y}年到{z}年的动态"),
            "report": ("从{y}年到{z}年{many}", "{y}年—{z}年间有什么{many}？"),
        },
        "latest": {
            "train": ("最新的{one}", "最近的一条{one}", "{one}，最新的一条", "请找出最新的{one}", "{x}最新消息"),
            "report": ("最新{one}", "最近一次{one}", "最新的一条{one}是什么？"),
        },
        "first": {
            "train": ("最早的{one}", "最早的一条{one}", "{one}中最早的一条", "请找出最早的{one}"),
            "report": ("最早一条{one}", "{one}，最早的是哪一条？", "最早的{one}是什么？"),
        },
        "as_of_words": {
            "train": ("截至{d}，最新的{one}", "截至{d}最新的{one}是什么？", "截止{d}，{one}中最新的一条"),
            "report": ("截至{d}，最近的一条{one}", "截至{d}为止最新的{one}"),
        },
        "last_before": {
            "train": ("{d}之前最后一条{one}", "{d}以前最新的{one}", "在{d}之前，最后一条{one}是什么？"),
            "report": ("{d}以前的最后一条{one}", "{d}之前最新的一条{one}"),
        },
        "first_after": {
            "train": ("{d}之后第一条{one}", "{d}以后最早的{one}", "在{d}之后，第一条{one}是什么？"),
            "report": ("{d}以后的第一条{one}", "{d}之后最早的一条{one}"),
        },
        "before": {
            "train": ("{y}年以前{many}", "{y}年之前有哪些{many}？", "{x}在{y}年以前的动态"),
            "report": ("{y}年之前{many}", "{y}年以前有什么{many}？"),
        },
        "since": {
            "train": ("{m}以来{many}", "自{m}以来有哪些{many}？", "{x}从{m}起的动态"),
            "report": ("从{m}开始{many}", "{m}以来有什么{many}？"),
        },
    },
    "zh",
)


def load_news_zh(source: Source, seed: int = 0) -> TimedCorpus:
    """Dated passages with questions about the names in them."""
    dated = list(_date(load("chronoqa", source.data).documents))
    random.Random(f"news-zh-{seed}").shuffle(dated)
    cut = round(_INSIDE * len(dated))
    documents = tuple(dated[:cut])
    texts = {document.id: document.text for document in documents}
    dates = {document.id: document.published.edtf() for document in documents if document.published is not None}
    now, years = max(dates.values()), (int(min(dates.values())[:4]), int(max(dates.values())[:4]))
    topics = _find_topics(texts, dates)
    splits = split_groups([topic.name for topic in topics], seed, 0.5)
    absent = _find_absent([document.text for document in dated[cut:]], texts.values())
    sides = split_groups(absent, seed, 0.5)
    questions: list[TimedQuestion] = []
    for split in SPLITS:
        rng = random.Random(f"news-zh-{split}-{seed}")
        own = choose([topic for topic in topics if splits[topic.name] == split], _NAMES, rng)
        questions += build_timeline("news_zh", own, NEWS_ZH, split, now, rng, _COUNTS)
        names = choose([name for name in absent if sides[name] == split], _ABSENT, rng)
        questions += build_absent("news_zh", names, NEWS_ZH, split, now, years, rng, 3)
    return TimedCorpus("news_zh", documents, number_questions(questions), "zh")


def _date(documents: Iterable[Document]) -> Iterator[Document]:
    """The documents that open with a day, published on it."""
    for document in documents:
        if found := _OPENING.match(document.text):
            yield replace(document, published=Span.day(*map(int, found.groups())))


def _find_topics(texts: Mapping[str, str], dates: Mapping[str, str]) -> list[TimelineTopic]:
    names = {name for text in texts.values() for name in _NAME.findall(text)}
    topics = []
    for name in sorted(names):
        having = [id for id, text in texts.items() if name in text]
        if _PASSAGES[0] <= len(having) <= _PASSAGES[1]:
            stated = frozenset(f"{year}-{int(month):02}" for id in having for year, month in _MONTH.findall(texts[id]))
            topics.append(TimelineTopic(name, tuple(sorted((dates[id], id) for id in having)), stated=stated))
    return topics


def _find_absent(outside: Sequence[str], inside: Collection[str]) -> list[str]:
    """Names of the passages outside, and ordinary things, of which those inside have no two characters in a row."""
    pairs = {text[at : at + 2] for text in inside for at in range(len(text) - 1)}
    names = Counter(name for text in outside for name in set(_NAME.findall(text)))
    return sorted(
        name for name in {*names, *_THINGS} if not any(name[at : at + 2] in pairs for at in range(len(name) - 1))
    )
