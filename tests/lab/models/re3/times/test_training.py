"""The model, its folder, its task and the extraction: a tiny one learns its sentences by heart."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from epochal.errors import EpochalError, InputError
from epochal.times import Span
from epochal_lab.models.backbone import Backbone
from epochal_lab.models.re3.times.labels import HEADS, NONE, Label, LabelledSentence
from epochal_lab.models.re3.times.model import LossSettings, TimeExtractor, TimeReader, TimesTask
from epochal_lab.models.training.checkpoint import seed_all
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.trainer import train

ROWS = [
    LabelledSentence("in 1998", Label(1998)),
    LabelledSentence("in 2014", Label(2014)),
    LabelledSentence("june 2014", Label(2014, 6)),
    LabelledSentence("9 june 2014", Label(2014, 6, 9)),
    LabelledSentence("9 june", Label(None, 6, 9)),
    LabelledSentence("in june", Label(None, 6)),
    LabelledSentence("in room", NONE),
    LabelledSentence("9 room", NONE),
]
VOCABULARY = sorted({word for row in ROWS for word in row.text.split()})


def reader(**how) -> TimeReader:
    seed_all(5)
    return TimeReader(Backbone.tiny(VOCABULARY, layers=1, pooling="mean"), **how)


@pytest.fixture(scope="module")
def learnt() -> TimeReader:
    model = reader()
    settings = TrainSettings(
        epochs=100, batch_size=8, rate=1e-2, metric="exact", lower_is_better=False, device="cpu", evaluate_every=50
    )
    train(TimesTask(model, ROWS, ROWS), settings, None)
    return model.eval()


def test_a_tiny_one_learns_by_heart(learnt):
    assert TimeExtractor(learnt).labels([row.text for row in ROWS]) == [row.label for row in ROWS]


def test_spans_take_their_year_from_the_reference(learnt):
    extractor = TimeExtractor(learnt)
    now = Span.parse("2021-06-01")
    result = extractor.spans(["9 june", "9 june 2014", "in room", "in june"], [now] * 4)
    assert [span and span.edtf() for span in result] == ["2021-06-09", "2014-06-09", None, "2021-06"]
    assert extractor.spans(["9 june", "in 1998"]) == [None, Span.year(1998)]


def test_a_folder_gives_the_same_model(learnt, tmp_path):
    learnt.save(tmp_path)
    texts = [row.text for row in ROWS]
    rows = learnt.tokenize(texts)
    again = TimeReader.load(tmp_path)
    for head, scores in learnt.compute_scores(rows).items():
        np.testing.assert_allclose(again.compute_scores(rows)[head], scores, atol=1e-6)
    assert TimeExtractor.load(tmp_path).labels(texts) == [row.label for row in ROWS]


def test_half_precision(tmp_path):
    model = reader()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    model.save(tmp_path, half=True)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    for name, value in TimeReader.load(tmp_path).state_dict().items():
        if value.is_floating_point():
            torch.testing.assert_close(value, before[name], atol=2e-3, rtol=2e-3)


def test_a_foreign_folder(learnt, tmp_path):
    learnt.save(tmp_path)
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "kind": "ctd"}))
    with pytest.raises(InputError, match="describes a 'ctd'; accepted: a model of the kind 're3-times'"):
        TimeReader.load(tmp_path)


def test_scores_do_not_depend_on_batches():
    model = reader().eval()
    rows = model.tokenize(["in 1998", "9 june 2014", "in", ""])
    whole, single = model.compute_scores(rows), model.compute_scores(rows, batch_size=1)
    for head in HEADS:
        np.testing.assert_allclose(whole[head], single[head], atol=1e-5)


def test_training_is_the_same_every_time():
    settings = TrainSettings(epochs=2, batch_size=4, rate=1e-3, metric="exact", lower_is_better=False, device="cpu")
    states = []
    for _ in range(2):
        task = TimesTask(reader(), ROWS, ROWS)
        train(task, settings, None)
        states.append(task.model.state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_batches_hold_every_row_once_and_tell_their_tokens():
    task = TimesTask(reader(), ROWS, ROWS)
    settings = TrainSettings(batch_size=3)
    batches = list(task.batches(0, settings))
    assert len(batches) == task.steps_per_epoch(settings) == 3
    classes = sorted(tuple(row) for batch in batches for row in batch.classes.tolist())
    assert classes == sorted(row.label.classes for row in ROWS)
    assert sum(batch.tokens for batch in batches) == sum(len(row.text.split()) + 2 for row in ROWS)


def test_what_does_not_fit():
    with pytest.raises(EpochalError, match="0 to measure on"):
        TimesTask(reader(), ROWS, [])
    with pytest.raises(EpochalError, match="absent is 'masked', but 'class'"):
        TimesTask(reader(), ROWS, ROWS, LossSettings(absent="masked"))
    with pytest.raises(EpochalError, match="2 texts and 1 references"):
        TimeExtractor(reader()).spans(["in", "in"], [None])
    with pytest.raises(EpochalError, match="the size of batches is 0"):
        TimeExtractor(reader(), 0)
