"""The topic of a question, which a text must have to answer it: what is asked for, not how it is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal.api import Index
from epochal.reading.questions import understand
from epochal.search.outcome import get_topic_terms
from epochal.storage.records import Document
from epochal.times import Span

Filler = Callable[[list[Document]], Index]


@pytest.mark.parametrize(
    "question",
    [
        "What happened in 1998?",
        "Which events are recorded for May 1998?",
        "What documents appeared in 1998?",
        "1998年发生了什么事？",
        "1998年五月有沒有記事？",
        "史書在1998年記載了哪些內容？",
        "1998年5月是否無事可記？",
        "麻烦帮忙找一下1998年的史料",
        "1998年5月",
    ],
)
def test_a_question_for_whatever_there_is_has_no_topic(filled: Filler, question: str) -> None:
    index = filled([Document("a", "史官記事，有無五月之書。The board met.", published=Span.parse("1998-05-02"))])
    assert get_topic_terms(index.view(), understand(question)).tokens == ()
    assert index.search(question).outcome == "recorded"


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("What did documents say of steel in 1998?", {"steel"}),
        ("1998年的鋼鐵價格如何？", {"鋼鐵", "價格"}),
        ("What happened to the mill in 1998?", {"mill"}),
    ],
)
def test_what_is_asked_about_stays(filled: Filler, question: str, tokens: set[str]) -> None:
    index = filled([Document("a", "Steel and mills. 鋼鐵價格。")])
    result = set(get_topic_terms(index.view(), understand(question)).tokens)
    assert {index.view().analyse(token)[-1] for token in tokens} <= result


@pytest.mark.parametrize(("year", "outcome"), [(1890, "none_recorded"), (1889, "none_recorded"), (1880, "not_covered")])
def test_an_approximate_date_covers_the_years_around_it(filled: Filler, year: int, outcome: str) -> None:
    index = filled([Document("a", "A portrait, painted ca. 1890 in Paris."), Document("b", "A cup.")])
    assert index.search(f"cup in {year}").outcome == outcome
