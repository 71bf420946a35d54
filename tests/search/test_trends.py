"""Trends: topics over time, counted by the relevance floor of a search."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal import Document, EpochalError, Index, Span
from epochal.search import trends
from epochal.search.trends import Trend

Filler = Callable[[list[Document]], Index]


def flood(number: int, year: int, lang: str) -> Document:
    text = f"Floods in the valley. Number {number}."
    return Document(f"{year}-{number}", text, published=Span.year(year), meta={"lang": lang})


def counted(trend: Trend) -> dict[str, int]:
    return {span.edtf(): count for span, count in zip(trend.periods, trend.counts, strict=True) if count}


@pytest.fixture
def index(filled: Filler) -> Index:
    calm = [Document(f"calm{number}", "The market was calm.", published=Span.year(1990)) for number in range(150)]
    floods = [flood(number, 1990 + number % 3, "en" if number % 2 else "de") for number in range(300)]
    return filled([*calm, *floods])


def test_documents_that_pass_the_floor_are_counted_as_a_search_counts_them(index: Index) -> None:
    (trend,) = index.trends("floods in the valley")
    assert trend.total == index.search("floods in the valley", k=400).total == 300
    assert counted(trend) == {"1990": 100, "1991": 100, "1992": 100}
    assert (trend.counted, trend.is_lower_bound, trend.undated) == ("relevance", False, 0)
    assert trend.to_dicts()[0] == {"topic": "floods in the valley", "period": "1990", "name": "", "count": 100}


def test_topics_share_their_periods_and_filters_hold(index: Index) -> None:
    floods, market, none = index.trends(["floods in the valley", "market", "wibble"], where="lang=en")
    assert floods.periods == market.periods == none.periods
    assert (floods.total, market.total, none.total) == (150, 0, 0)
    assert index.trends("floods in the valley", as_of=1990)[0].total == 100
    (months,) = index.trends("floods in the valley", by="month", during=1991)
    assert [period.edtf() for period in months.periods] == [f"1991-{month:02}" for month in range(1, 13)]
    assert sum(months.counts) == 100


def test_reigns_have_names(filled: Filler) -> None:
    years = [Document(f"{year}", "A drought.", published=Span.year(year)) for year in (-690, -689, -650)]
    (trend,) = filled(years).trends("drought", by="lu")
    assert [(name, count) for name, count in zip(trend.names, trend.counts, strict=True) if count] == [
        ("Duke Zhuang", 2),
        ("Duke Xi", 1),
    ]


def test_where_too_many_have_the_words_they_are_counted_by_words(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epochal.search.search._COUNTED", 120)
    (trend,) = index.trends("floods in the valley")
    assert (trend.counted, trend.is_lower_bound) == ("relevance", True)
    assert trend.total < 300
    monkeypatch.setattr(trends, "_SCORED", 120)
    (trend,) = index.trends("floods in the valley", where="lang=en")
    assert (trend.counted, trend.is_lower_bound, trend.total) == ("words", False, 150)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": "julian"}, "without reigns"),
        ({"by": "decade"}, "accepted: month, year"),
        ({"during": "soonish"}, "soonish"),
    ],
)
def test_what_is_refused(index: Index, options: dict[str, str], words: str) -> None:
    with pytest.raises(EpochalError, match=words):
        index.trends("floods", **options)  # type: ignore[arg-type]


def test_no_topic_and_no_document(filled: Filler) -> None:
    empty = filled([])
    assert empty.trends([]) == []
    assert empty.trends("floods")[0].to_dict()["counts"] == []
