from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.cli import main
from epochal.errors import EpochalError, InputError
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.judges.agreement import measure_agreement
from epochal_lab.judges.base import Judgement, group_verdicts, make_missing_verdict, read_judgements, write_judgements
from epochal_lab.judges.evidence import FEATURES
from epochal_lab.judges.spans import (
    Calibration,
    CalibrationSample,
    fit_calibration,
    load_default_calibration,
    read_calibration,
)
from epochal_lab.metrics.runs import Verdict

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
told = st.sampled_from([True, False, None])


@st.composite
def judgements(draw):
    covers = tuple(draw(st.lists(told, max_size=3)))
    expected = st.lists(st.floats(0, 1), min_size=1 + len(covers), max_size=1 + len(covers))
    scores = tuple(draw(st.just([]) | expected))
    return Judgement(draw(texts), draw(texts), Verdict(draw(told), covers), draw(texts), draw(texts), scores)


@given(st.lists(judgements(), max_size=5))
def test_there_and_back(tmp_path_factory, retained):
    path = tmp_path_factory.mktemp("judged") / "judged.jsonl"
    assert write_judgements(path, retained) == len(retained)
    assert read_judgements(path) == tuple(retained)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('{"query": "q", "document": "d", "relevant": 1}', "an answer is 1; accepted: true, false or null"),
        ('{"query": "q", "document": "d"}', "the row has no 'relevant'"),
        ('{"query": "q", "relevant": true}', "names no question or no document"),
        ('{"query": 7, "document": "d", "relevant": true}', "names no question or no document"),
        ('{"query": "q", "document": "d", "relevant": true, "covers": true}', "'covers' is True"),
        ('{"query": "q", "document": "d", "relevant": true, "covers": [0]}', "an answer is 0"),
        ('{"query": "q", "document": "d", "relevant": true, "scores": [true]}', "'scores' is"),
        (
            '{"query": "q", "document": "d", "relevant": true, "scores": [0.1, 0.2]}',
            "has 2 scores; accepted: none or 1",
        ),
        ('{"query": "q", "document": "d", "relevant": true, "reason": 1}', "'reason' is 1; accepted: a text"),
        ("{", "not JSON"),
    ],
)
def test_a_row_that_is_no_judgement_is_named(tmp_path, row, problem):
    path = tmp_path / "judged.jsonl"
    path.write_text('{"query": "q", "document": "d", "relevant": null}\n' + row + "\n")
    with pytest.raises(InputError, match=f"judged.jsonl, line 2: .*{problem}"):
        read_judgements(path)


def test_no_file(tmp_path):
    with pytest.raises(EpochalError, match=r"none\.jsonl"):
        read_judgements(tmp_path / "none.jsonl")


def test_a_gap_stays_a_gap(tmp_path):
    query = BenchQuery("q", "Who?", periods=(Span.year(1998), Span.year(2003)))
    path = tmp_path / "judged.jsonl"
    write_judgements(path, [Judgement("q", "d", make_missing_verdict(query), "me", "no line")])
    assert json.loads(path.read_text())["relevant"] is None
    assert group_verdicts(read_judgements(path)) == {"q": {"d": Verdict(None, (None, None))}}


def judged(verdicts: dict[tuple[str, str], Verdict], scores: dict[tuple[str, str], tuple[float, ...]] | None = None):
    return [Judgement(*pair, verdict, "j", scores=(scores or {}).get(pair, ())) for pair, verdict in verdicts.items()]


def test_gaps_are_counted_and_not_compared():
    ours = judged({("q", str(n)): Verdict(None if n == 0 else n < 3, (n < 2,)) for n in range(6)})
    theirs = judged({("q", str(n)): Verdict(n < 3, (None if n == 5 else n < 2,)) for n in range(1, 7)})
    result = measure_agreement(ours, theirs, rounds=10)
    assert (result["relevant"].compared, result["relevant"].undecided, result["relevant"].unpaired) == (5, 0, 2)
    assert (result["covers"].compared, result["covers"].undecided) == (4, 1)
    assert result["relevant"].kappa == 1.0
    assert math.isnan(result["relevant"].area)


def test_scores_of_the_first_are_compared_with_answers_of_the_second():
    verdicts = {("q", str(n)): Verdict(False) for n in range(4)}
    scores = {("q", str(n)): (n / 10,) for n in range(4)}
    truth = judged({("q", str(n)): Verdict(n >= 2) for n in range(4)})
    result = measure_agreement(judged(verdicts, scores), truth, rounds=10)["relevant"]
    assert result.area == 1.0
    assert result.kappa == 0.0
    assert (result.second, result.neither) == (2, 2)


def test_judgements_that_do_not_go_together():
    one = judged({("q", "d"): Verdict(True, (True,))})
    with pytest.raises(EpochalError, match="of 1 and 2 periods"):
        measure_agreement(one, judged({("q", "d"): Verdict(True, (True, False))}))
    with pytest.raises(EpochalError, match="judged twice"):
        measure_agreement(one + one, one)


def test_the_command(tmp_path, capsys):
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_judgements(a, judged({("q", str(n)): Verdict(n < 4, (n < 2,)) for n in range(8)}))
    write_judgements(b, judged({("q", str(n)): Verdict(n < 3, (None,)) for n in range(8)}))
    assert main(["bench", "agree", str(a), str(b)]) == 0
    output = capsys.readouterr().out
    assert "relevant: 8 answers compared; 0 left open, 0 judged by one alone" in output
    assert "  A yes       3      1" in output
    assert "  kappa   0.750" in output
    assert "covers: 0 answers compared; 8 left open" in output
    assert "none: no answer differs" in output
    assert main(["bench", "agree", str(a), str(b), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["relevant"]["kappa"] == 0.75


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_judgements(a, judged({("q", "1"): Verdict(True)}))
    write_judgements(b, judged({("q", "2"): Verdict(True)}))
    assert main(["bench", "agree", str(a), str(b)]) == 2
    assert "judge no question and document in common" in capsys.readouterr().err
    assert main(["bench", "agree", str(a), str(a), "--rounds", "0"]) == 2
    assert main(["bench", "agree", str(a), str(tmp_path / "no.jsonl")]) == 2
    assert capsys.readouterr().err.count("\n") == 2


WIDTH = len(FEATURES)


def sample(seed: int, size: int = 400, telling: int = 2) -> CalibrationSample:
    """Examples in which one feature tells yes from no and the others are noise."""
    rng = np.random.default_rng(seed)
    rows = rng.random((size, WIDTH))
    return CalibrationSample(f"own {seed}", rows, rows[:, telling] + 0.1 * rng.standard_normal(size) > 0.7)


def test_the_feature_that_tells_gets_the_weight():
    result = fit_calibration([sample(1)])
    assert max(range(WIDTH), key=lambda at: result.weights[at]) == 2
    assert result.weights[2] > 5 * max(result.weights[at] for at in range(WIDTH) if at != 2)
    other = sample(2)
    assert ((result.predict_rows(other.features) >= result.threshold) == other.labels).mean() > 0.9


def test_a_negative_feature_gets_nothing():
    good = sample(1)
    turned = CalibrationSample("turned", good.features, ~good.labels)
    assert fit_calibration([turned]).weights[2] == 0.0


def test_fitting_is_the_same_again_and_blind_to_copies():
    one = fit_calibration([sample(1), sample(2)])
    assert fit_calibration([sample(1), sample(2)]) == one
    many = CalibrationSample("own 1", np.repeat(sample(1).features, 5, axis=0), np.repeat(sample(1).labels, 5))
    assert fit_calibration([many, sample(2)]).weights == pytest.approx(one.weights, abs=0.01)


def test_nothing_to_learn_from():
    with pytest.raises(EpochalError, match="there are no examples"):
        fit_calibration([])
    with pytest.raises(EpochalError, match="the 2 examples of own are all alike"):
        fit_calibration([CalibrationSample("own", np.zeros((2, WIDTH)), np.array([True, True]))])


def test_one_row_gets_the_chance_that_it_gets_among_many():
    rows = np.random.default_rng(3).random((50, WIDTH))
    result = load_default_calibration()
    assert [result.predict(row) for row in rows] == result.predict_rows(rows).tolist()


def test_chances_stay_within_their_bounds_far_out():
    result = Calibration((1e6,) * WIDTH, -3e6, 0.5)
    assert result.predict_rows(np.array([[0.0] * WIDTH, [1.0] * WIDTH])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("weights", "bias", "threshold"),
    [((1.0,), 0.0, 0.5), ((np.nan,) * WIDTH, 0.0, 0.5), ((1.0,) * WIDTH, np.inf, 0.5), ((1.0,) * WIDTH, 0.0, 1.5)],
)
def test_numbers_that_are_no_calibration(weights, bias, threshold):
    with pytest.raises(EpochalError, match="accepted: a finite weight for each of match"):
        Calibration(weights, bias, threshold)


def test_a_file_and_back(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps(load_default_calibration().to_dict()))
    assert read_calibration(path) == load_default_calibration()
    for text, problem in (("{", "is not JSON"), ("[]", "holds no calibration")):
        path.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_calibration(path)
    path.write_text('{"weights": {}, "bias": 0, "threshold": 1}')
    with pytest.raises(EpochalError, match="a calibration lacks 'match'"):
        read_calibration(path)
