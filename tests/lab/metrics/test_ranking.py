from __future__ import annotations

import pytest
from hypothesis import given

from epochal.errors import EpochalError
from epochal_lab.metrics import Judgements, Ranking
from run_strategy import qrels, runs


def test_equal_scores_keep_the_order_of_the_run():
    run = {"q1": {"c": 1.0, "a": 1.0, "d": 2.0, "b": 1.0}}
    assert Ranking(run, Judgements({"q1": {"a": 1}})).documents == ["d", "c", "a", "b"]


def test_excluded_documents_leave_and_others_move_up():
    judged = Judgements({"q1": {"a": 1}}, excluded={"q1": frozenset({"b"})})
    ranking = Ranking({"q1": {"b": 3.0, "a": 2.0, "c": 1.0}}, judged)
    assert ranking.documents == ["a", "c"]
    assert ranking.rank.tolist() == [1, 2]


def test_a_question_whose_documents_are_all_excluded_is_unanswered():
    judged = Judgements({"q1": {"a": 1}}, excluded={"q1": frozenset({"b"})})
    assert Ranking({"q1": {"b": 3.0}}, judged).unanswered == 1


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_is_refused(score):
    with pytest.raises(EpochalError, match=r"the score of 'b' for 'q1' is (nan|inf|-inf); accepted: a number"):
        Ranking({"q1": {"a": 1.0, "b": score}}, Judgements({"q1": {"a": 1}}))


def test_large_scores_are_numbers():
    assert Ranking({"q1": {"a": 1e308, "b": 1.7e308}}, Judgements({"q1": {"a": 1}})).documents == ["b", "a"]


@given(runs(), qrels())
def test_the_table_is_the_run_in_order(run, judged):
    ranking = Ranking(run, Judgements(judged))
    assert ranking.queries == tuple(judged)
    assert ranking.unjudged == len(set(run) - set(judged))
    assert ranking.unanswered == len(set(judged) - set(run))
    for number, query in enumerate(ranking.queries):
        found = ranking.get_documents(number)
        scores = [run[query][document] for document in found]
        assert scores == sorted(scores, reverse=True)
        assert set(found) == set(run.get(query, ()))
        rows = ranking.row == number
        assert ranking.rank[rows].tolist() == list(range(1, len(found) + 1))
        assert ranking.relevance[rows].tolist() == [judged[query].get(document, 0) for document in found]
        assert ranking.count_running(ranking.relevance > 0)[rows].tolist() == [
            sum(judged[query].get(document, 0) > 0 for document in found[: place + 1]) for place in range(len(found))
        ]
        assert ranking.relevant(2)[number] == sum(grade >= 2 for grade in judged[query].values())
