"""Two spans of one passage lie near each other."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.models.annals.tasks import MaskedTask, SpansTask, cut_spans, span_contrast_loss
from epochal_lab.models.annals.vocabulary import ModelShape, TaskSettings, Vocabulary
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.trainer import train

TINY = ModelShape(layers=1, width=32, heads=2, inner=64, dropout=0.0)


@given(st.integers(0, 2**40), st.lists(st.integers(32, 120), min_size=1, max_size=6), st.integers(8, 64))
def test_spans_come_one_from_each_half(seed, lengths, longest):
    content = torch.zeros(len(lengths), 120, dtype=torch.long)
    for row, length in enumerate(lengths):
        content[row, :length] = torch.arange(5, 5 + length)
    for part, spans in enumerate(cut_spans(content, torch.Generator().manual_seed(seed), longest)):
        for span, length in zip(spans, lengths, strict=True):
            read = span[span > 0]
            assert 8 <= len(read) <= longest
            assert torch.equal(read, torch.arange(int(read[0]), int(read[0]) + len(read)))
            half = length // 2
            assert 5 + part * half <= int(read[0])
            assert int(read[-1]) < 5 + (part + 1) * half + length % 2


def test_the_loss_by_hand():
    one, other = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[3.0, 0.0], [0.0, 1.0]])
    loss, right = span_contrast_loss(one, other, 1.0)
    assert loss.item() == pytest.approx(torch.log1p(torch.exp(torch.tensor(-1.0))).item())
    assert right.item() == 1.0


def test_spans_come_nearer(passages):
    torch.manual_seed(0)
    selected = TaskSettings(held_out=0.2, longest_span=16)
    task = SpansTask(MaskedTask(passages, Vocabulary.from_texts(passages, 1), TINY, selected))
    with torch.no_grad():
        before = task.evaluate()
    how = TrainSettings(epochs=30, batch_size=26, rate=2e-3, device="cpu", metric="loss", evaluate_every=1000)
    run = train(task, how, None)
    assert run.best["loss"] < before["loss"] - 0.3
    assert run.best["hit@1"] >= before["hit@1"]


def test_passages_too_short_for_spans():
    texts = ["元年春王正月公"] * 8
    with pytest.raises(EpochalError, match="0 passages to learn from"):
        SpansTask(MaskedTask(texts, Vocabulary.from_texts(texts, 1), TINY, TaskSettings()))
