"""Training: losses as published, gradients everywhere, a made set learned by heart, and nothing held out seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from epochal_lab.models.backbone import Backbone
from epochal_lab.models.ctd.data import Collection, ProtocolMode, read_collection
from epochal_lab.models.ctd.model import CTD, multi_positive_loss, time_loss
from epochal_lab.models.ctd.settings import PRESETS, CTDSettings
from epochal_lab.models.ctd.task import CTDTask
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.trainer import train

FAST = TrainSettings(
    epochs=60, batch_size=16, rate=3e-3, metric="hit@1", lower_is_better=False, device="cpu", evaluate_every=90
)


def task_of(backbone: Backbone, collection: Collection, settings: CTDSettings, **more) -> CTDTask:
    model = CTD(backbone, collection.axis, settings, collection.longest_reign)
    texts = [question.text for question in collection.questions], [record.text for record in collection.records]
    return CTDTask(model, collection, model.tokenize(*texts), seed=1, **more)


@pytest.mark.parametrize("name", PRESETS)
def test_gradients_reach_every_parameter(name: str, backbone: Backbone, collection: Collection) -> None:
    task = task_of(backbone, collection, CTDSettings.from_name(name))
    if task.model.temporal.bias is not None:
        with torch.no_grad():
            task.model.temporal.bias.eps.fill_(0.1)
    batch = next(iter(task.batches(0, FAST)))
    losses = task.loss(batch)
    assert all(torch.isfinite(value) for value in losses.values())
    losses["loss"].backward()
    for name_, parameter in task.model.named_parameters():
        # A layer of transformers' own that the pooling here does not use; the table of runs, which is fitted before.
        if "pooler" in name_ or "wide" in name_:
            continue
        assert parameter.grad is not None, name_
        # Keys' biases in attention change nothing; some positions and runs of tokens are in no text.
        if not name_.endswith(("key.bias", "position_embeddings.weight")):
            assert parameter.grad.abs().sum() > 0, name_


def test_the_published_loss_by_hand(backbone: Backbone, collection: Collection) -> None:
    task = task_of(backbone.eval(), collection, CTDSettings.official())
    task.model.eval()
    batch = next(iter(task.batches(0, FAST)))
    with torch.no_grad():
        losses = task.loss(batch)
        questions = task.model(batch.questions.ids, batch.questions.mask, "question")
        records = task.model(batch.records.ids, batch.records.mask, "record")
        parts = task.model.temporal
        query, message = parts.compute_vectors(questions, "question"), parts.compute_vectors(records, "record")
        scores = query @ message.T / 0.05
        mask = torch.tensor(
            [
                [low <= month <= high for month in batch.record_months[:16, 0].tolist()]
                for low, high in batch.question_months.tolist()
            ]
        )
        contrast = multi_positive_loss(scores[:, :16], mask, scores[:, 16:])
        when = time_loss([part[:16] for part in records.logits], parts.heads.targets(*batch.record_months[:16].T))
    assert losses["contrast"].item() == pytest.approx(contrast.item(), rel=1e-5)
    assert losses["time"].item() == pytest.approx(when.item(), rel=1e-5)
    assert losses["loss"].item() == pytest.approx((contrast + 0.1 * when).item(), rel=1e-5)


def test_questions_and_negatives_are_supervised_where_asked_for(backbone: Backbone, collection: Collection) -> None:
    official = CTDSettings.official()
    seen = {}
    for name, change in {
        "plain": {},
        "questions": {"supervise_questions": True},
        "negatives": {"supervise_negatives": True},
    }.items():
        task = task_of(backbone.eval(), collection, replace(official, **change))
        torch.manual_seed(0)
        with torch.no_grad():
            for parameter in task.model.temporal.parameters():
                parameter.uniform_(-0.5, 0.5)
        task.model.eval()
        seen[name] = task.loss(next(iter(task.batches(0, FAST))))["time"].item()
    assert seen["questions"] > seen["plain"]  # a loss of their own is added
    assert seen["negatives"] != seen["plain"]


@pytest.mark.parametrize("name", ["official", "improved"])
def test_a_made_set_is_learned(name: str, backbone: Backbone, collection: Collection) -> None:
    """Questions and events say their year and month: a tiny model learns it by heart, and events above commentaries."""
    settings = replace(CTDSettings.from_name(name), head_rate=1.0)
    task = task_of(backbone, collection, settings, split="train", mode=ProtocolMode.parse("neg1_ne1_dq0"))
    run = train(task, replace(FAST, epochs=60, rate=1e-2 if name == "improved" else 3e-3), None)
    assert run.best["hit@1"] > 0.85


def test_the_gregorian_axis_is_trained_on(tmp_path) -> None:
    import json

    words = "rain snow hail fog wind heat".split()
    months = "jan feb mar apr may jun".split()
    rows, query, judged = [], [], ["query-id\tcorpus-id\tscore"]
    for number, (month, word) in enumerate((month, word) for month in months for word in words[:3]):
        when = f"2001-{months.index(month) + 1:02d}-05"
        rows.append({"_id": f"d{number}", "text": f"{word} {month}", "published": when})
        query.append({"_id": f"q{number}", "text": f"what {month}", "periods": [when[:7]]})
        judged.append(f"q{number}\td{number}\t1")
    (tmp_path / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    (tmp_path / "queries.jsonl").write_text("\n".join(json.dumps(row) for row in query))
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "train.tsv").write_text("\n".join(judged))
    bench_set = read_collection(tmp_path)
    assert bench_set.axis.name == "gregorian"
    task = task_of(Backbone.tiny([*words, *months, "what"]), bench_set, CTDSettings.improved(), split="train")
    before = task.loss(next(iter(task.batches(0, replace(FAST, batch_size=6)))))["time"].item()
    train(task, replace(FAST, epochs=40, batch_size=6, metric="MRR@10", evaluate_every=None), None)
    assert task.loss(next(iter(task.batches(0, replace(FAST, batch_size=6)))))["time"].item() < 0.95 * before


def test_held_out_texts_are_never_in_a_batch(backbone: Backbone, collection: Collection) -> None:
    task = task_of(backbone, collection, CTDSettings.improved())
    held = [number for number, record in enumerate(collection.records) if record.split != "train"]
    forbidden = {tuple(task.tokens.records.batch([row]).ids[0].tolist()) for row in held}
    for epoch in range(3):
        for batch in task.batches(epoch, FAST):
            rows = {
                tuple(ids[: int(mask.sum())].tolist())
                for ids, mask in zip(batch.records.ids, batch.records.mask, strict=True)
            }
            assert not rows & forbidden
            years = set((batch.question_months // 12).flatten().tolist()) | set(
                (batch.record_months // 12).flatten().tolist()
            )
            assert years <= {0, 1, 3, 5}


def test_rates_of_the_parts(backbone: Backbone, collection: Collection) -> None:
    task = task_of(backbone, collection, replace(CTDSettings.improved(), ngrams=100))
    groups = task.groups(TrainSettings(rate=1e-4))
    assert sorted({group["lr"] for group in groups}) == pytest.approx([1e-4, 5e-4])
    count = sum(parameter.numel() for group in groups for parameter in group["params"])
    every = sum(parameter.numel() for parameter in task.model.parameters())
    assert count == every - task.model.temporal.wide.table.weight.numel()  # fitted before, and left as it is
