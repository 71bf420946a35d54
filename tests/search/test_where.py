"""Filters on metadata: what they accept, what they keep, what they report; paging and counts of values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epochal import EpochalError, Index
from epochal.search.where import parse_where


@pytest.fixture
def index(tmp_path: Path) -> Index:
    result = Index.create(tmp_path / "index", encoder=None)
    result.add({"id": f"p{n}", "text": f"The fee of {2000 + n} is {n} euros.", "lang": "de" if n % 3 else "en", "n": n}
             for n in range(12))  # fmt: skip
    return result


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("lang=en", {"lang": {"=": "en"}}),
        ("n=2", {"n": {"in": [2, "2"]}}),
        ("n>=2;n<5", {"n": {">=": 2, "<": 5}}),
        (["lang=en", "author"], {"lang": {"=": "en"}, "author": {"exists": True}}),
        ({"n": {"$gt": 1}}, {"n": {">": 1}}),
        ({"n": (1, 2)}, {"n": {"in": [1, 2]}}),
        ("", None),
        (None, None),
    ],
)
def test_conditions(given: Any, expected: Any) -> None:
    assert parse_where(given) == expected


@pytest.mark.parametrize("given", [5, ["a", 5], {"": "x"}, {"a": {"~": 1}}, {"a": object()}, {"a": {"in": "x"}}, "=x"])
def test_what_is_no_condition_is_refused(given: Any) -> None:
    with pytest.raises(EpochalError, match="where"):
        parse_where(given)


def test_a_filter_is_exact_and_reported(index: Index) -> None:
    response = index.search("fee", where={"lang": "en", "n": {">=": 3}}, k=20)
    assert sorted(hit.id for hit in response) == ["p3", "p6", "p9"]
    assert response.hidden == {"with other metadata": 9}
    assert [(step.name, step.strict) for step in response.applied if step.name == "where"] == [("where", True)]
    assert index.search("fee", where={"lang": "fr"}).hits == ()


def test_pages_follow_one_another(index: Index) -> None:
    whole = [hit.id for hit in index.search("fee", k=12, collapse_versions=False)]
    pages = [
        hit.id for offset in (0, 5, 10) for hit in index.search("fee", k=5, offset=offset, collapse_versions=False)
    ]
    assert pages == whole
    assert index.search("fee", offset=50).hits == ()


def test_facets_follow_what_is_added_and_deleted(index: Index) -> None:
    assert index.search("fee", k=1, collapse_versions=False).facets("lang") == {"de": 8, "en": 4}
    index.delete(["p0", "p1"])
    index.add([{"id": "p2", "text": "The fee of 2002 is 2 euros.", "lang": "fr"}])
    assert index.search("fee", k=1, collapse_versions=False).facets("lang") == {"de": 6, "en": 3, "fr": 1}


def test_facets_count_all_that_answer(index: Index) -> None:
    response = index.search("fee", k=1, collapse_versions=False)
    assert sum(response.facets("lang").values()) == response.total
    assert response.facets("nothing") == {}
    index.add({"id": "new", "text": "Rain."})
    index.search("rain")
    with pytest.raises(EpochalError, match="search again"):
        response.facets("lang")
