"""The outcome of a search for a time: recorded, none recorded, or a time that the documents do not cover."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from epochal.ranking.coverage import is_covered
from epochal.ranking.pool import Window
from epochal.ranking.terms import Terms, blank_frame, read_terms
from epochal.reading.questions.question import Understanding
from epochal.search.request import Request
from epochal.search.response import ESTIMATED_AXIS, Evidence, Hit, Outcome
from epochal.storage.protocol import View
from epochal.storage.text import analyse

__all__ = ["answers_topic", "decide_outcome", "get_topic_terms"]

#: Evidence as good as this says that something is recorded: from that time, and about that.
_MATCH: Final = 0.6
_LOCAL: Final = 0.5
_WORD: Final = re.compile(r"\w")
#: Words that ask for whatever there is: a question with no others has no topic that evidence could miss.
_ANYTHING: Final = re.compile(
    r"\b(?:happen(?:s|ed|ing)?|occur(?:s|red|ring)?|(?:took|takes?|taking|taken) place|(?:going|went|goes) on|events?|"
    r"news|anything|something|everything|recorded|reported)\b|"
    r"发生|發生|什么|什麼|何事|何|哪些|大事|事件|事情|事|新闻|新聞|记载|記載|[过過了嗎有]",
    re.IGNORECASE,
)
#: Words that speak of documents and of asking, not of what is asked about: no text need have them to be an answer.
_FRAME: Final = re.compile(
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


def decide_outcome(
    view: View, request: Request, understanding: Understanding, windows: tuple[Window, ...], hits: tuple[Hit, ...]
) -> Outcome:
    """Whether the topic is recorded in the query windows, by the evidence of the hits."""
    if not windows:
        return "no_window"
    # An estimated time is no proof that something is recorded.
    stated = [(hit, item) for hit in hits for item in hit.evidence if item.axis != ESTIMATED_AXIS]
    matching = [(hit, item) for hit, item in stated if item.match >= _MATCH]
    if any(item.local >= _LOCAL for _, item in matching):
        return "recorded"
    topic = get_topic_terms(view, understanding)
    # Without a topic anything of that time will do, but not what is dated more vaguely: "2014" is not in July 2014.
    then = [item for _, item in matching if any(item.span in window.span for window in windows)]
    if then and not topic.tokens:
        return "recorded"
    if topic.tokens and any(answers_topic(topic, hit, item) for hit, item in matching):
        return "recorded"
    return "none_recorded" if any(is_covered(view, window.span, request.as_of) for window in windows) else "not_covered"


def get_topic_terms(view: View, understanding: Understanding) -> Terms:
    """The words that a text must have to answer a question; none where it asks for anything at all."""
    topic = understanding.topic
    for item in understanding.expressions:
        topic = topic.replace(item.text, " ")
    # A question that is nothing but times has them for a topic, and needs no words.
    topic = understanding.topic if _WORD.search(topic) else topic
    # The frame of a Chinese question is removed by whole words, before single characters are.
    words = blank_frame(view, _FRAME.sub(lambda match: " " * len(match[0]), topic))
    return read_terms(view, _ANYTHING.sub(" ", words))


def answers_topic(terms: Terms, hit: Hit, item: Evidence | None = None) -> bool:
    """Whether enough of the words are around the evidence of a hit, or in its passage where none is given.

    Without words, everything answers.
    """
    if not terms.tokens or (item is not None and item.local >= _LOCAL):
        return True
    context = item.context if item is not None and item.axis == "content" else hit.passage
    words = set(analyse(f"{hit.document.title}\n{context}"))
    present = np.array([[token in words for token in terms.tokens]])
    return float(terms.shares(present)[0]) >= _LOCAL
