from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.bench.judges.agreement import agree, auroc, cohen_kappa, interval
from epochal.bench.judges.base import Judgement
from epochal.bench.judges.files import write_judgements
from epochal.bench.metrics.base import Verdict
from epochal.cli import main
from epochal.errors import EpochalError

answers = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


def table(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    rows = [(True, True)] * both + [(True, False)] * first + [(False, True)] * second + [(False, False)] * neither
    return [row[0] for row in rows], [row[1] for row in rows]


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [
        ((20, 5, 10, 15), 0.4),  # the worked example of most textbooks
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((5, 0, 0, 5), 1.0),
        ((0, 5, 5, 0), -1.0),
    ],
)
def test_kappa_of_published_tables(counts, kappa):
    assert cohen_kappa(*table(*counts)) == pytest.approx(kappa, abs=5e-5)


@given(answers)
def test_kappa_is_even_handed(rows):
    one, other = zip(*rows, strict=True)
    kappa = cohen_kappa(one, other)
    assert kappa == cohen_kappa(other, one) or math.isnan(kappa)
    flipped = cohen_kappa([not value for value in one], [not value for value in other])
    assert flipped == pytest.approx(kappa, nan_ok=True)
    assert math.isnan(kappa) or -1 <= kappa <= 1


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_the_area_is_the_share_of_pairs_in_order(rows):
    scores, labels = zip(*rows, strict=True)
    yes = [score for score, label in rows if label]
    no = [score for score, label in rows if not label]
    pairs = [(1.0 if high > low else 0.5 if high == low else 0.0) for high in yes for low in no]
    wanted = sum(pairs) / len(pairs) if pairs else math.nan
    assert auroc(scores, labels) == pytest.approx(wanted, nan_ok=True)


def test_nothing_varies():
    assert math.isnan(cohen_kappa([True, True], [True, True]))
    assert math.isnan(cohen_kappa([], []))
    assert math.isnan(auroc([0.1, 0.2], [True, True]))


def test_columns_of_different_lengths():
    with pytest.raises(EpochalError, match="2 answers cannot be compared with 1"):
        cohen_kappa([True, False], [True])
    with pytest.raises(EpochalError, match="1 scores cannot be compared with 2"):
        auroc([0.5], [True, False])
    with pytest.raises(EpochalError, match="a score is nan"):
        auroc([math.nan, 0.5], [True, False])


def test_an_interval_is_of_questions_not_of_pairs():
    rng = np.random.default_rng(1)
    labels = np.repeat(rng.random(40) > 0.5, 25)
    noisy = np.repeat(rng.random(40), 25) + labels  # all pairs of a question share their luck
    grouped = interval(auroc, (noisy, labels), [str(at // 25) for at in range(1000)])
    alone = interval(auroc, (noisy, labels), [str(at) for at in range(1000)])
    assert grouped == interval(auroc, (noisy, labels), [str(at // 25) for at in range(1000)])
    half = np.repeat(rng.random(40), 25)
    wide = interval(auroc, (half, labels), [str(at // 25) for at in range(1000)])
    slim = interval(auroc, (half, labels), [str(at) for at in range(1000)])
    assert wide.high - wide.low > 2 * (slim.high - slim.low)
    assert alone.low >= grouped.low


def test_an_interval_of_what_never_varies_is_unknown():
    assert all(math.isnan(end) for end in interval(auroc, ([0.1, 0.2], [True, True]), ["a", "b"]))
    assert all(math.isnan(end) for end in interval(auroc, ([], []), []))


def judged(verdicts: dict[tuple[str, str], Verdict], scores: dict[tuple[str, str], tuple[float, ...]] | None = None):
    return [Judgement(*pair, verdict, "j", scores=(scores or {}).get(pair, ())) for pair, verdict in verdicts.items()]


def test_gaps_are_counted_and_not_compared():
    ours = judged({("q", str(n)): Verdict(None if n == 0 else n < 3, (n < 2,)) for n in range(6)})
    theirs = judged({("q", str(n)): Verdict(n < 3, (None if n == 5 else n < 2,)) for n in range(1, 7)})
    found = agree(ours, theirs, rounds=10)
    assert (found["relevant"].compared, found["relevant"].open, found["relevant"].apart) == (5, 0, 2)
    assert (found["covers"].compared, found["covers"].open) == (4, 1)
    assert found["relevant"].kappa == 1.0
    assert math.isnan(found["relevant"].area)


def test_scores_of_the_first_are_compared_with_answers_of_the_second():
    verdicts = {("q", str(n)): Verdict(False) for n in range(4)}
    scores = {("q", str(n)): (n / 10,) for n in range(4)}
    truth = judged({("q", str(n)): Verdict(n >= 2) for n in range(4)})
    found = agree(judged(verdicts, scores), truth, rounds=10)["relevant"]
    assert found.area == 1.0
    assert found.kappa == 0.0
    assert (found.second, found.neither) == (2, 2)


def test_judgements_that_do_not_go_together():
    one = judged({("q", "d"): Verdict(True, (True,))})
    with pytest.raises(EpochalError, match="of 1 and 2 periods"):
        agree(one, judged({("q", "d"): Verdict(True, (True, False))}))
    with pytest.raises(EpochalError, match="judged twice"):
        agree(one + one, one)


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
