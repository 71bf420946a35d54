from __future__ import annotations

from epochal_lab.metrics import Judgements, QueryTimes, Verdict, parse_measure, restrict

RUN = {
    "event": {"empty month": 3.0, "note": 2.5, "event": 2.0},
    "no event": {"empty month": 3.0, "event": 2.0},
    "both": {"empty month": 1.0, "event": 2.0},
    "unjudged": {"event": 1.0},
}
JUDGED = Judgements(
    {
        "event": {"event": 1},
        "no event": {"empty month": 1},
        "both": {"event": 1, "empty month": 1},
        "none": {"event": 0},
    },
    {"both": (frozenset({"event"}), frozenset({"empty month"}))},
    {"no event": {"empty month": Verdict(True)}},
    queries={"event": QueryTimes(), "no event": QueryTimes()},
)


def test_without_placeholders_their_questions_go_and_ranks_close_up():
    run, judged = restrict(RUN, JUDGED, documents=lambda document: document != "empty month")
    assert set(judged.qrels) == {"event", "both", "none"}
    assert judged.qrels["both"] == {"event": 1}
    assert judged.period_qrels == {"both": (frozenset({"event"}), frozenset())}
    assert judged.verdicts == {}
    assert set(judged.queries) == {"event"}
    assert run == {"event": {"note": 2.5, "event": 2.0}, "both": {"event": 2.0}, "unjudged": {"event": 1.0}}
    assert parse_measure("MRR@10").per_query(RUN, JUDGED)["event"] == 1 / 3
    assert parse_measure("MRR@10").per_query(run, judged)["event"] == 1 / 2


def test_without_some_questions():
    run, judged = restrict(RUN, JUDGED, queries=lambda query: query != "no event")
    assert "no event" not in run
    assert set(judged.qrels) == {"event", "both", "none"}
    assert set(judged.query_ids) == {"event", "both", "none"}
    assert run["event"] == RUN["event"]


def test_nothing_left_out_changes_nothing():
    run, judged = restrict(RUN, JUDGED)
    assert run == RUN
    assert judged.qrels == JUDGED.qrels
    assert judged.query_ids == JUDGED.query_ids
