"""Events that are set in order, of which a text needs one, and questions in which every word is needed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal import Index

TEXTS = [
    ("quake", "2015-04-25", "An earthquake struck Gorkha in Nepal."),
    ("flood", "1997-07-08", "The Oder flooded towns in Silesia."),
    ("strike", "2018-03-22", "Railway workers went on strike in Lyon."),
    ("vote", "2016-06-23", "A vote in Kent ended the union."),
    ("tower", "2003-01-30", "A tower was opened in Kuala Lumpur."),
    ("地震", "2015-04-26", "尼泊尔发生地震，房屋倒塌。"),
    ("大选", "2017-09-24", "德国举行大选，选民踊跃投票。"),
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which came first, the earthquake in Gorkha or the flood of the Oder?", {"quake", "flood"}),
        ("Which happened later: the strike in Lyon or the vote in Kent?", {"strike", "vote"}),
        ("Did the flood of the Oder and the strike in Lyon happen in the same year?", {"flood", "strike"}),
        ("What was earlier, the tower in Kuala Lumpur or the vote in Kent?", {"tower", "vote"}),
        ("尼泊尔地震和德国大选是同一年发生的吗？", {"地震", "大选"}),
        ("尼泊尔地震与德国大选，哪个事件更早？", {"地震", "大选"}),
        ("尼泊尔地震、德国大选的先后顺序是什么？", {"地震", "大选"}),
    ],
)
def test_each_of_two_events_is_an_answer(shared: Callable[..., Index], question: str, first: set[str]) -> None:
    response = shared("texts", TEXTS).search(question, now="2024-01-01")
    assert {hit.id for hit in response.hits[:2]} == first
    assert response.unknown_words == ()
