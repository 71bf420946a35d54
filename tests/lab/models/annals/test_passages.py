"""Sentences to passages, and their file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import InputError
from epochal_lab.models.annals.passages import (
    Exclusion,
    TextSource,
    collect_passages,
    pack_passages,
    read_passages,
    write_passages,
)

SIMPLIFIED = "元年春，晋侯会齐侯于郑，诸侯之师还。"


@given(st.lists(st.text("甲乙。", min_size=1, max_size=40), max_size=20))
def test_packing_loses_nothing_but_what_is_too_short(stream):
    found = pack_passages(stream, longest=20)
    assert all(8 <= len(passage) <= 20 for passage in found)
    # Every passage is a stretch of the whole, one after the other.
    whole, at = "".join(stream), 0
    for passage in found:
        at = whole.index(passage, at) + len(passage)
    assert len(whole) - sum(map(len, found)) <= 7 * (len(stream) + 1)


def test_each_passage_once():
    source = TextSource("a", "元年春，王正月。")
    assert collect_passages([source, source]) == ["元年春，王正月。"]


def test_scripts():
    pytest.importorskip("opencc")
    source = TextSource("a", SIMPLIFIED)
    traditional = "元年春，晉侯會齊侯于鄭，諸侯之師還。"
    assert collect_passages([source]) == [traditional]
    assert collect_passages([source], script="source") == [SIMPLIFIED]
    assert collect_passages([source], script="both") == [traditional, SIMPLIFIED]


def test_what_is_excluded_is_in_no_passage():
    sources = [TextSource("a", "元年春，王正月，公即位。夏五月，甲伯克乙于丙，不還。秋七月，大雨雹于東鄙。")]
    found = collect_passages(sources, exclusion=Exclusion(["夏五月，甲伯克乙于丙。"]))
    assert found == ["元年春，王正月，公即位。秋七月，大雨雹于東鄙。"]


@pytest.mark.parametrize("name", ["passages.txt", "passages.txt.xz"])
def test_files(tmp_path, name):
    path = tmp_path / "new" / name
    assert write_passages(path, ["元年春王正月也", "二年"]) == path.stat().st_size
    assert read_passages(path) == ["元年春王正月也", "二年"]
    with pytest.raises(InputError, match="line 1: the passage has 7 characters; accepted: up to 5"):
        read_passages(path, longest=5)


@pytest.mark.parametrize(("data", "problem"), [(b"", "holds no passage"), (b"\xff", "no whole file of passages")])
def test_what_is_no_file_of_passages(tmp_path, data, problem):
    path = tmp_path / "passages.txt"
    path.write_bytes(data)
    with pytest.raises(InputError, match=problem):
        read_passages(path)
