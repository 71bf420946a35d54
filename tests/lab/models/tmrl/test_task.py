"""The task under the trainer: a made world is learnt, times are told apart, and every method runs from end to end."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.datasets.augment.rows import TemporalRow
from epochal_lab.models.backbone import Backbone
from epochal_lab.models.tmrl.network import build_network
from epochal_lab.models.tmrl.running import adapt
from epochal_lab.models.tmrl.settings import METHODS, get_training_settings
from epochal_lab.models.tmrl.task import TMRLTask, build_holdout
from epochal_lab.models.training.checkpoint import seed_all
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.trainer import train
from tmrl_world import VOCAB, make_rows, reworded, small, tiny

FAST = TrainSettings(
    epochs=2, batch_size=6, rate=1e-2, decay=0.0, metric="hit@1", lower_is_better=False, device="cpu", seed=1
)


def test_steps_and_batches_agree(rows):
    task = TMRLTask(build_network(tiny(), small()), rows, rows, seed=1)
    for size in (1, 5, 12, 50):
        settings = replace(FAST, batch_size=size)
        assert len(list(task.batches(0, settings))) == task.steps_per_epoch(settings)
    assert next(task.batches(0, FAST)).tokens > 100


def without_dropout(backbone: Backbone) -> Backbone:
    for module in backbone.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return backbone


@pytest.mark.parametrize(("method", "of_four"), [("lora", 0.8), ("lora-mrl", 1.0), ("tmrl", 1.0)])
def test_a_made_world_is_learnt(method, of_four, rows):
    """Twelve passages that differ in a team and a year. Whole vectors tell them apart by each method; four numbers of
    32 do only where prefixes are trained."""
    seed_all(3)
    backbone = without_dropout(Backbone.tiny(VOCAB, layers=1, width=32, pooling="mean"))
    # All texts of a backbone that knows nothing are alike, so that every other passage would pass for right too.
    network = build_network(backbone, small(method, false_negatives=None, lora_dropout=0.0))
    requests = [reworded(row) for row in rows]
    task = TMRLTask(network, requests, requests, seed=1)
    before = task.loss(next(task.batches(0, FAST)))["contrast"].item()
    assert task.evaluate()["hit@1"] < 0.3
    run = train(task, replace(FAST, epochs=150, batch_size=12, warmup=0.05, evaluate_every=75), None)
    last = run.history[-1]["metrics"]
    assert last["hit@1"] == 1.0
    assert last["hit@1 4"] == of_four if of_four == 1 else last["hit@1 4"] < of_four
    assert run.history[-1]["losses"]["contrast"] < 0.5 * before


def test_held_out_questions_of_equal_passages(rows):
    query = replace(rows[1], passage=rows[0].passage)
    result = build_holdout(tiny(), [rows[0], query, rows[2]], small())
    assert len(result.passages) == 2
    # The question for the time of the team's play is the same in all three rows.
    assert sorted(sorted(right) for right in result.right) == [[0], [0], [0, 1], [1]]


def test_measures_are_named_by_their_prefix(rows):
    task = TMRLTask(build_network(tiny(), small("zero-shot")), rows, rows, seed=1)
    assert list(task.evaluate()) == ["hit@1", "hit@1 4", "hit@1 8"]
    assert TMRLTask(build_network(tiny(), small()), rows, seed=1).evaluate() == {}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_from_rows_to_a_network(method, rows, tmp_path):
    result = adapt(tiny, rows, rows, small(method), FAST, tmp_path / "run")
    want = {"zero-shot": [], "tsm": ["in"]}.get(method, [method])
    assert list(result.runs) == want
    assert all(run.steps == 4 for run in result.runs.values())
    assert not result.network.training
    if method != "zero-shot":
        result.network.save(tmp_path / "out", {})


def test_the_router_needs_questions_of_no_time(rows):
    settings = small("ts-retriever", router=True)
    with pytest.raises(EpochalError, match="the router needs questions that ask of no time"):
        adapt(tiny, rows, rows, settings, FAST)
    result = adapt(tiny, rows, rows, settings, FAST, plain=["the club of town", "town of the club , the town ."])
    assert result.network.router is not None
    assert not any(one.requires_grad for one in result.network.router.parameters())


def test_without_held_out_rows_the_loss_decides(rows):
    run = adapt(tiny, rows, [], small("lora"), FAST).runs["lora"]
    assert run.settings.metric == "loss"
    assert list(run.best) == ["loss"]


def test_a_seed_gives_the_same_network_again(rows):
    results = [adapt(tiny, rows, rows, small(), FAST).network.state_dict() for _ in range(2)]
    assert all(torch.equal(value, results[1][name]) for name, value in results[0].items())


def test_tsm_is_the_mean_of_its_parts(rows):
    from epochal_lab.datasets.augment.rows import TemporalQuestion

    more = [*rows, TemporalRow("x", "ann .", (), (TemporalQuestion("who played after 1998 ?"),))]
    states = []

    def fit(task, training, folder, label):
        run = train(task, training, folder)
        states.append({name: value.clone() for name, value in task.model.state_dict().items()})
        return run

    result = adapt(tiny, more, rows, small("tsm"), replace(FAST, rate=1e-3), fit=fit)
    assert list(result.runs) == ["after", "in"]
    for name, value in result.network.state_dict().items():
        torch.testing.assert_close(value, (states[0][name] + states[1][name]) / 2)
    with pytest.raises(EpochalError, match="none of 1 rows has a question with a time specifier"):
        adapt(tiny, [TemporalRow("x", "ann .", (), (TemporalQuestion("who ?"),))], [], small("tsm"), FAST)


def test_how_methods_are_trained_by_default():
    assert all(
        get_training_settings(method).clip == 1.0 and get_training_settings(method).decay == 0.0 for method in METHODS
    )


def test_rows_of_a_made_world_state_their_times():
    task = TMRLTask(build_network(tiny(), small()), make_rows(), seed=1)
    assert (task.examples.passages.spans[:, 0, 0] >= 0).all()


@pytest.mark.parametrize("method", ["tmrl", "tempretriever-fs"])
def test_a_method_that_recomputes_learns_the_same(rows, method):
    matches = []
    for again in (False, True):
        seed_all(4)
        network = build_network(tiny("mean"), small(method, recompute=again))
        task = TMRLTask(network, rows, rows, seed=1)
        train(task, replace(FAST, epochs=1), None)
        matches.append(network.state_dict())
    for name, value in matches[0].items():
        torch.testing.assert_close(matches[1][name], value, atol=1e-5, rtol=1e-4)
