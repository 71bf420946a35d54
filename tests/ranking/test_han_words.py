"""Words of Chinese questions, parted by what an index has side by side."""

from __future__ import annotations

import pytest

from epochal.ranking.han_words import list_pieces, part_run

#: Passages that have characters and pairs, of a hundred.
FREQUENCIES = {
    **dict.fromkeys("成功发射了卫星中国政府的气候变化", 40),
    **{"成功": 9, "功发": 1, "发射": 5, "卫星": 7, "中国": 30, "政府": 12, "国政": 1, "气候": 8, "变化": 9, "候变": 1},
    **{
        "民": 60,
        "部": 60,
        "民政": 6,
        "政部": 5,
        "疫": 9,
        "情": 50,
        "防": 20,
        "控": 20,
        "疫情": 9,
        "防控": 8,
        "情防": 6,
    },
    **{"队": 40, "队的": 9, "河": 30, "南": 50, "河南": 20, "南队": 1},
}


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("成功发射了卫星", ["成功", "发射", "卫星"]),
        ("中国政府的气候变化", ["中国", "政府", "气候", "变化"]),
        ("民政部", ["民政部"]),  # the two pairs are hardly ever apart
        ("疫情防控的卫星", ["疫情防控", "卫星"]),
        ("河南队的卫星", ["河南", "卫星"]),  # a pair with a word of grammar is none, however frequent
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
