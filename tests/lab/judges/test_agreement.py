from __future__ import annotations

import json
import math

import pytest

from epochal.cli import main
from epochal.errors import EpochalError
from epochal_lab.judges.agreement import measure_agreement
from epochal_lab.judges.base import Judgement, write_judgements
from epochal_lab.metrics.runs import Verdict


def judged(verdicts: dict[tuple[str, str], Verdict], scores: dict[tuple[str, str], tuple[float, ...]] | None = None):
    return [Judgement(*pair, verdict, "j", scores=(scores or {}).get(pair, ())) for pair, verdict in verdicts.items()]


def test_gaps_are_counted_and_not_compared():
    ours = judged({("q", str(n)): Verdict(None if n == 0 else n < 3, (n < 2,)) for n in range(6)})
    theirs = judged({("q", str(n)): Verdict(n < 3, (None if n == 5 else n < 2,)) for n in range(1, 7)})
    found = measure_agreement(ours, theirs, rounds=10)
    assert (found["relevant"].compared, found["relevant"].undecided, found["relevant"].unpaired) == (5, 0, 2)
    assert (found["covers"].compared, found["covers"].undecided) == (4, 1)
    assert found["relevant"].kappa == 1.0
    assert math.isnan(found["relevant"].area)


def test_scores_of_the_first_are_compared_with_answers_of_the_second():
    verdicts = {("q", str(n)): Verdict(False) for n in range(4)}
    scores = {("q", str(n)): (n / 10,) for n in range(4)}
    truth = judged({("q", str(n)): Verdict(n >= 2) for n in range(4)})
    found = measure_agreement(judged(verdicts, scores), truth, rounds=10)["relevant"]
    assert found.area == 1.0
    assert found.kappa == 0.0
    assert (found.second, found.neither) == (2, 2)


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
    shown = capsys.readouterr().out
    assert "relevant: 8 answers compared; 0 left open, 0 judged by one alone" in shown
    assert "  A yes       3      1" in shown
    assert "  kappa   0.750" in shown
    assert "covers: 0 answers compared; 8 left open" in shown
    assert "none: no answer differs" in shown
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
