"""The usual measures agree with their definitions, written plainly, and with ranx, pytrec_eval and pyndeval."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from epochal_lab.metrics import Judgements, evaluate, parse_measure, parse_measures
from run_strategy import period_qrels, qrels, runs

CLOSE = 1e-9


def plain(name: str, cutoff: int | None, matches: list[str], judged: dict[str, int]) -> float:
    """A measure of one question by its definition."""
    grades = [judged.get(document, 0) for document in matches][:cutoff]
    relevant = sum(grade > 0 for grade in judged.values())
    hits = [position for position, grade in enumerate(grades, 1) if grade > 0]
    if name == "nDCG":
        ideal = sorted(judged.values(), reverse=True)[:cutoff]
        best, got = (sum(g / math.log2(r + 1) for r, g in enumerate(row, 1) if g > 0) for row in (ideal, grades))
        return got / best
    return {
        "R": len(hits) / relevant,
        "hit": float(bool(hits)),
        "MRR": 1 / hits[0] if hits else 0.0,
        "AP": sum((number + 1) / position for number, position in enumerate(hits)) / relevant,
        "P": len(hits) / (cutoff or max(len(matches), 1)),
    }[name]


@given(runs(), qrels())
def test_the_definitions(run, judged):
    names = [(name, cutoff) for name in ("nDCG", "R", "hit", "MRR", "AP", "P") for cutoff in (1, 3, 10, None)]
    measures = [parse_measure(name if cutoff is None else f"{name}@{cutoff}") for name, cutoff in names]
    message = evaluate(run, Judgements(judged), measures)
    for (name, cutoff), outcome in zip(names, message.outcomes, strict=True):
        for query, value in outcome.values.items():
            scores = run.get(query, {})
            matches = sorted(scores, key=lambda document: -scores[document])
            assert value == pytest.approx(plain(name, cutoff, matches, judged[query]), abs=CLOSE)


RANX = {
    "nDCG@10": "ndcg@10",
    "nDCG@3": "ndcg@3",
    "nDCG": "ndcg",
    "nDCG@10(gain=exp)": "ndcg_burges@10",
    "R@3": "recall@3",
    "R": "recall",
    "hit@1": "hit_rate@1",
    "hit@10": "hit_rate@10",
    "MRR@10": "mrr@10",
    "MRR": "mrr",
    "AP@100": "map@100",
    "AP@2": "map@2",
    "AP(rel=2)": "map-l2",
    "P@5": "precision@5",
    "P": "precision",
}


@pytest.mark.slow  # ranx compiles itself on first use
@pytest.mark.filterwarnings("ignore")  # which it does not do quietly
def test_ranx():
    ranx = pytest.importorskip("ranx")

    @given(runs(), qrels())
    def agrees(run, judged):
        theirs = ranx.Run({query: dict(match) for query, match in (run or {"q9": {"d1": 1.0}}).items()})
        there = ranx.Qrels(judged)
        message = ranx.evaluate(there, theirs, list(RANX.values()), make_comparable=True, return_mean=False)
        # Of equal scores ranx puts any first; its order is taken over.
        ordered = {query: dict(theirs.run[query]) for query in theirs.run}
        ours = evaluate(ordered, Judgements(judged), [parse_measure(name) for name in RANX])
        for outcome, name in zip(ours.outcomes, RANX.values(), strict=True):
            for query, value in zip(sorted(judged), message[name], strict=True):
                mine = outcome.values[query]
                assert value == pytest.approx(0.0 if math.isnan(mine) else mine, abs=CLOSE), (name, query)

    agrees()


def test_pytrec_eval():
    trec = pytest.importorskip("pytrec_eval")
    names = {"ndcg_cut_10": "nDCG@10", "map": "AP", "recip_rank": "MRR", "recall_5": "R@5", "P_5": "P@5"}

    @given(runs(), qrels())
    def agrees(run, judged):
        # trec_eval orders equal scores by name; here they are made unequal first.
        apart = {
            query: {document: score + 1e-3 * position for position, (document, score) in enumerate(match.items())}
            for query, match in run.items()
        }
        theirs = trec.RelevanceEvaluator(judged, set(names)).evaluate(apart)
        ours = evaluate(apart, Judgements(judged), [parse_measure(name) for name in names.values()])
        for query, values in theirs.items():
            for name, mine in names.items():
                assert values[name] == pytest.approx(ours[parse_measure(mine)].values[query], abs=1e-6)

    agrees()


def test_subtopic_recall_of_pyndeval():
    pyndeval = pytest.importorskip("pyndeval")

    @given(runs(), period_qrels())
    def agrees(run, covered):
        # pyndeval orders equal scores by name; here they are made unequal first.
        apart = {
            query: {document: score + 1e-3 * position for position, (document, score) in enumerate(matches.items())}
            for query, matches in run.items()
        }
        topics = [
            pyndeval.SubtopicQrel(query, str(period), document, 1)
            for query, sets in covered.items()
            for period, documents in enumerate(sets)
            for document in documents
        ]
        matches = [pyndeval.ScoredDoc(query, *item) for query, scores in apart.items() for item in scores.items()]
        cuts = (1, 3, 5, 10, 20)
        theirs = pyndeval.ndeval(topics, matches, measures=[f"strec@{cut}" for cut in cuts])
        ours = evaluate(apart, Judgements(period_qrels=covered), parse_measures(" ".join(f"TC@{cut}" for cut in cuts)))
        assert set(theirs) == set(run) & set(covered)
        for query in covered:
            for cut in cuts:
                # What is not answered is not in theirs; here it covers nothing.
                value = theirs[query][f"strec@{cut}"] if query in theirs else 0.0
                assert ours[f"TC@{cut}"].values[query] == pytest.approx(value, abs=CLOSE)

    agrees()


def test_subtopic_recall_of_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("pyndeval")
    covered = {"q1": (frozenset({"a"}), frozenset({"b", "c"}), frozenset({"c"})), "q2": (frozenset({"a"}),)}
    run = {"q1": {"x": 3.0, "c": 2.0, "a": 1.0}, "q2": {"b": 1.0}}
    judged = [
        ir_measures.Qrel(query, document, 1, str(period))
        for query, sets in covered.items()
        for period, documents in enumerate(sets)
        for document in documents
    ]
    for cut in (1, 2, 3):
        theirs = ir_measures.pyndeval.iter_calc([ir_measures.StRecall @ cut], judged, run)
        ours = parse_measure(f"TC@{cut}").per_query(run, Judgements(period_qrels=covered))
        assert {message.query_id: message.value for message in theirs} == pytest.approx(ours)


def test_periods_that_nothing_covers_count_unless_only_the_coverable_are_asked_for():
    judged = Judgements(period_qrels={"q1": (frozenset({"a"}), frozenset())})
    assert parse_measure("TC@5").per_query({"q1": {"a": 1.0}}, judged) == {"q1": 0.5}
    assert parse_measure("TC@5(periods=coverable)").per_query({"q1": {"a": 1.0}}, judged) == {"q1": 1.0}
