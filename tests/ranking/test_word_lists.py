"""Lists of words: which Chinese words are frequent, and which are ordinary."""

from __future__ import annotations

import pytest

from epochal.ranking.word_lists import LISTS, load_ranks, rank_listed


@pytest.mark.parametrize("word", ["结果", "比赛", "举行", "發生", "情況", "比赛结果"])
def test_frequent_chinese_words_are_known_in_either_script(word: str) -> None:
    rank, is_ordinary = rank_listed(word, "zh")
    assert rank > 0.3
    assert is_ordinary


@pytest.mark.parametrize("word", ["北京", "习近平", "泰国", "中国人民银行", "塞尔维亚", "队的"])
def test_names_and_parts_of_two_words_are_in_no_list(word: str) -> None:
    assert rank_listed(word, "zh") == (0.0, False)


def test_what_is_made_of_words_is_as_frequent_as_the_rarest() -> None:
    assert rank_listed("比赛结果", "zh")[0] == min(rank_listed("比赛", "zh")[0], rank_listed("结果", "zh")[0])


@pytest.mark.parametrize("language", [*LISTS, "zh", "ja", "ko"])
def test_ranks_fall_from_one(language: str) -> None:
    ranks = list(load_ranks(language).values())
    assert ranks[0] == 1.0
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[-1] == pytest.approx(0.3, abs=0.01)
