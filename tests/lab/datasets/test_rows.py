from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.datasets.sources import parse_list, parse_literal, rows


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)))
def test_a_list_written_by_python_comes_back(ids):
    assert parse_list(repr(ids)) == ids
    assert parse_list(ids) == ids


@pytest.mark.parametrize(
    "text",
    ["['a'", "see above", "a, b", "{'a': 1}", "7", "[" * 5000, "__import__('os').getcwd()", "['a'] * 3", "9" * 10**7],
)
def test_what_is_no_list_is_reported_from_an_empty_one(text):
    assert parse_list(text) is None


def test_nothing_is_ever_run(tmp_path):
    target = tmp_path / "made"
    assert parse_literal(f"open({str(target)!r}, 'w')") is None
    assert not target.exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [("[1]\n", "line 1: the row is a list"), ('{"a": 1}\n{"a"\n', "line 2: the row is not JSON")],
)
def test_a_bad_row_is_named(tmp_path, content, problem):
    path = tmp_path / "a.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(EpochalError, match=rf"a\.jsonl, {problem}"):
        list(rows(path))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(EpochalError, match=r"gone\.jsonl: cannot be read: No such file"):
        list(rows(tmp_path / "gone.jsonl"))
