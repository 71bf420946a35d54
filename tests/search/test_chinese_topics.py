"""Chinese questions: documents of other topics do not come first, and what none is about is said to be unknown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal import Index

NEWS = [
    ("thai-old", "2020-03-01", "2020年3月1日，泰国政府宣布关闭边境，游客大幅减少。"),
    ("thai-new", "2023-06-10", "2023年6月10日，泰国举行大选，选民踊跃投票。"),
    ("poland", "2023-09-01", "2023年9月1日，波兰政府举行大选前的辩论，选民表示关注。"),
    ("rail", "2024-01-05", "2024年1月5日，铁路部门公布春运计划，游客踊跃购票。"),
    ("flood", "2021-07-20", "2021年7月20日，河南发生暴雨，铁路中断，政府宣布救灾计划。"),
    ("u23", "2024-04-17", "2024年4月17日，中国U23国奥队以0-1负于日本队。"),
    ("u20", "2023-03-12", "2023年3月12日，中国U20国青队以1-3负于韩国队。"),
    ("market", "2022-02-11", "2022年2月11日，股市大幅下跌，投资者表示关注。"),
]


@pytest.mark.parametrize(
    ("question", "first", "outcome"),
    [
        ("最新的一条关于泰国的报道", "thai-new", "recorded"),
        ("最早的关于铁路的消息是什么？", "flood", "recorded"),
        ("截至2022年1月1日，最新的泰国新闻", "thai-old", "recorded"),
        ("2023年波兰有什么消息？", "poland", "recorded"),
        ("2022年2月股市发生了什么？", "market", "recorded"),
        ("2021年铁路有什么变化？", "flood", "recorded"),
        ("2023年6月有什么关于铁路的报道？", None, "none_recorded"),
        ("中国U23国奥队的最新消息", "u23", "recorded"),  # a code beside Chinese characters
        ("2023年的U20国青队", "u20", "recorded"),
        ("最新的U17报道", None, "topic_unknown"),
        ("最新的手风琴报道", None, "topic_unknown"),
        ("2023年关于蜂蜜的消息", None, "topic_unknown"),
    ],
)
def test_topics_of_chinese_questions_are_told_apart(
    shared: Callable[..., Index], question: str, first: str | None, outcome: str
) -> None:
    response = shared("news", NEWS).search(question, now="2024-06-01")
    assert response.outcome == outcome
    assert first is None or response[0].id == first
