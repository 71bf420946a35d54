"""Words of Chinese questions, parted by what an index has side by side."""

from __future__ import annotations

import pytest

from epochal.ranking.han_words import list_pieces, part_run

#: Passages that have characters and pairs, of a hundred.
FREQUENCIES = {
    **dict.fromkeys("成功发射了卫星中国政府的气候变化", 40),
    **{"成功": 9, "功发": 1, "发射": 5, "卫星": 7, "中国": 30, "政府": 12, "国政": 1, "气候": 8, "变化": 9, "候变": 8},
}


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("成功发射了卫星", ["成功", "发射", "卫星"]),
        ("中国政府的气候变化", ["中国", "政府", "气候", "变化"]),
        ("卫星的蜂蜜", ["卫星", "蜂蜜"]),  # no passage has honey
        ("了手风琴的", ["手风琴"]),
        ("哪颗卫星", ["卫星"]),
        ("星", ["星"]),
        ("的了", []),
    ],
)
def test_runs_are_parted_where_characters_do_not_belong_together(run: str, words: list[str]) -> None:
    found = part_run(run, FREQUENCIES, 100)
    assert [word.text for word in found] == words
    assert all(run[word.start :].startswith(word.text) for word in found)


def test_what_is_needed_to_part_runs_is_their_characters_and_pairs() -> None:
    assert list_pieces(["卫星", "星"]) == {"卫", "星", "卫星"}
