"""The model: what it starts as, that gradients reach everything, and that its folder gives it back."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.errors import EpochalError, InputError
from epochal.ranking.dating.months import MonthAxis, Months
from epochal_lab.models.backbone import Backbone, Ngrams
from epochal_lab.models.ctd.data import Collection, CTDRecord
from epochal_lab.models.ctd.heads import smooth_labels
from epochal_lab.models.ctd.model import (
    CTD,
    build_overlap_mask,
    check_search_mode,
    multi_positive_loss,
    symmetric_loss,
    time_loss,
)
from epochal_lab.models.ctd.settings import PRESETS, QWEN_PREFIX, CTDSettings
from epochal_lab.models.ctd.task import build_bags, fit_ngram_table
from epochal_lab.models.training.checkpoint import read_json, write_json

TEXTS = ["元年正月公盟于", "注曰", "二年三月"]
LU = MonthAxis.lu()


@pytest.mark.parametrize("name", PRESETS)
def test_scores_are_what_the_vectors_give(name: str, backbone: Backbone) -> None:
    model = CTD(backbone, LU, CTDSettings.from_name(name), 32).eval()
    batch = backbone.tokenize(TEXTS)
    result, query = model(batch.ids, batch.mask, "record"), model(batch.ids, batch.mask, "question")
    parts = model.temporal
    plain = parts.compute_vectors(query, "question") @ parts.compute_vectors(result, "record").T / 0.05
    assert torch.allclose(parts.compute_scores(query, result, bias=False), plain)
    assert torch.allclose(parts.compute_scores(query, result), plain)  # the bias begins with nothing
    bare = parts.compute_vectors(result, "record", context=False)
    assert torch.allclose(bare, result.hidden / result.hidden.norm(dim=1, keepdim=True), atol=1e-6)
    if parts.bias is not None:
        with torch.no_grad():
            parts.bias.eps.fill_(1.0)
        want = plain + parts.bias(query.position, result.position)
        assert torch.allclose(parts.compute_scores(query, result), want, atol=1e-4)


@pytest.mark.parametrize("name", PRESETS)
def test_a_folder_gives_the_same_model(name: str, backbone: Backbone, tmp_path) -> None:
    model = CTD(backbone, LU, CTDSettings.from_name(name), 32).eval()
    model.save(tmp_path, {"mix": 0.5})
    again = CTD.load(tmp_path).eval()
    assert (again.settings, again.axis, again.years) == (model.settings, LU, 32)
    assert read_json(tmp_path / "config.json")["mix"] == 0.5
    batch = backbone.tokenize(TEXTS)
    with torch.no_grad():
        here, there = model(batch.ids, batch.mask, "record"), again(batch.ids, batch.mask, "record")
    assert torch.equal(model.temporal.compute_vectors(here, "record"), again.temporal.compute_vectors(there, "record"))


def test_questions_of_the_model_over_qwen_state_their_task_and_records_do_not(backbone: Backbone) -> None:
    wrapped, plain = (CTD(backbone, LU, CTDSettings.from_name(name), 32) for name in ("official-qwen", "official"))
    tokens, bare = (model.tokenize(["元年正月"], ["元年正月"]) for model in (wrapped, plain))
    expected = backbone.tokenize([f"{QWEN_PREFIX}元年正月"], 128)
    assert tokens.questions.row(0).tolist() == expected.ids[0].tolist()
    assert tokens.records.row(0).tolist() == bare.records.row(0).tolist()
    assert QWEN_PREFIX.startswith("Instruct: ")
    assert QWEN_PREFIX.endswith("\nQuery:")


def test_foreign_folders_are_refused(backbone: Backbone, tmp_path) -> None:
    CTD(backbone, LU, CTDSettings.official(), 32).save(tmp_path)
    config = read_json(tmp_path / "config.json")
    write_json(tmp_path / "config.json", {**config, "kind": "re3"})
    with pytest.raises(InputError, match="holds a model of kind 're3'"):
        CTD.load(tmp_path)
    write_json(tmp_path / "config.json", {name: value for name, value in config.items() if name != "axis"})
    with pytest.raises(InputError, match="without its axis"):
        CTD.load(tmp_path)
    write_json(tmp_path / "config.json", {**config, "years": 30})
    with pytest.raises(InputError, match="shape"):
        CTD.load(tmp_path)


def test_unknown_modes_are_refused() -> None:
    with pytest.raises(EpochalError, match="accepted: enc_only, ctx"):
        check_search_mode("full")


def slow(scores: list[list[float]], mask: list[list[bool]], extra: list[list[float]] | None) -> float:
    count = len(scores)
    total = 0.0
    for i in range(count):
        every = scores[i] + (extra[i] if extra else [])
        right = sum(math.exp(scores[i][j]) for j in range(count) if mask[i][j])
        total -= math.log(right / sum(math.exp(one) for one in every)) / count
    for j in range(count):
        right = sum(math.exp(scores[i][j]) for i in range(count) if mask[i][j])
        total -= math.log(right / sum(math.exp(scores[i][j]) for i in range(count))) / count
    return total / 2


@given(st.integers(1, 5), st.integers(0, 4), st.integers(0, 2**31))
def test_multi_positive_is_the_slow_loop(count: int, hard: int, seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    scores = torch.randn(count, count, generator=draw, dtype=torch.float64) * 3
    extra = torch.randn(count, hard, generator=draw, dtype=torch.float64) * 3 if hard else None
    mask = (torch.rand(count, count, generator=draw) < 0.4) | torch.eye(count, dtype=torch.bool)
    want = slow(scores.tolist(), mask.tolist(), None if extra is None else extra.tolist())
    assert multi_positive_loss(scores, mask, extra).item() == pytest.approx(want, rel=1e-9, abs=1e-9)


@given(st.integers(1, 5), st.integers(0, 2**31))
@settings(max_examples=20)
def test_with_the_diagonal_alone_both_contrasts_agree(count: int, seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    scores, extra = torch.randn(count, count, generator=draw), torch.randn(count, 2, generator=draw)
    own = torch.eye(count, dtype=torch.bool)
    assert multi_positive_loss(scores, own, extra).item() == pytest.approx(
        symmetric_loss(scores, extra).item(), abs=1e-5
    )


def test_hard_negatives_count_for_questions_only() -> None:
    scores, own = torch.zeros(2, 2), torch.eye(2, dtype=torch.bool)
    less = multi_positive_loss(scores, own)
    more = multi_positive_loss(scores, own, torch.zeros(2, 2))
    assert less.item() == pytest.approx(math.log(2))
    assert more.item() == pytest.approx((math.log(4) + math.log(2)) / 2)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5), st.integers(0, 20)), min_size=1, max_size=6))
def test_masks_against_a_loop(rows: list[tuple[int, int, int]]) -> None:
    first = torch.tensor([row[0] for row in rows])
    last = torch.tensor([row[0] + row[1] for row in rows])
    months = torch.tensor([row[2] for row in rows])
    mask = build_overlap_mask(first, last, months, months).tolist()
    for i, (start, length, _) in enumerate(rows):
        want = [start <= row[2] <= start + length for row in rows]
        if not any(want):
            want[i] = True
        assert mask[i] == want


def test_records_of_intervals_overlap() -> None:
    mask = build_overlap_mask(torch.tensor([5, 0]), torch.tensor([6, 1]), torch.tensor([0, 6]), torch.tensor([5, 9]))
    assert mask.tolist() == [[True, True], [True, False]]


def test_time_loss_is_the_mean_of_the_parts() -> None:
    torch.manual_seed(0)
    parts = [torch.randn(3, 12), torch.randn(3, 32), torch.randn(3, 12)]
    labels = [torch.tensor([0, 5, 11]), torch.tensor([31, 2, 0]), torch.tensor([1, 1, 1])]
    targets = [smooth_labels(label, part.shape[1], 0.0) for label, part in zip(labels, parts, strict=True)]
    want = sum(torch.nn.functional.cross_entropy(part, label) for part, label in zip(parts, labels, strict=True)) / 3
    assert time_loss(parts, targets).item() == pytest.approx(want.item(), rel=1e-6)


def test_texts_of_unknown_time_do_not_count() -> None:
    part, target = torch.randn(2, 4), smooth_labels(torch.tensor([1, 0]), 4, 0.0)
    alone = time_loss([part[:1]], [target[:1]])
    assert time_loss([part], [target], torch.tensor([1.0, 0.0])).item() == pytest.approx(alone.item())
    assert time_loss([part], [target], torch.zeros(2)).item() == 0


def test_the_published_model() -> None:
    official = CTDSettings.official()
    assert (official.heads, official.context, official.bias, official.multi_positive) == ("levels", "add", True, True)
    assert (official.time_width, official.bias_width, official.full_codes) == (64, 32, False)
    assert (official.pool, official.question_length, official.record_length) == (16, 64, 196)
    assert not official.supervise_questions
    assert not official.supervise_negatives


def test_baselines() -> None:
    plain, dated, smooth = (CTDSettings.baseline(name) for name in ("ft", "tempdate", "tempdate-smooth"))
    assert (plain.heads, plain.time_weight, plain.multi_positive) == ("none", 0, False)
    assert (dated.heads, dated.context, dated.bias, dated.time_weight, dated.smoothing) == (
        "levels",
        "none",
        False,
        0.1,
        0,
    )
    assert smooth.smoothing == 0.2


@pytest.mark.parametrize("name", PRESETS)
def test_named_settings_survive_json(name: str) -> None:
    assert CTDSettings.from_dict(CTDSettings.from_name(name).to_dict()) == CTDSettings.from_name(name)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"heads": "many"}, "heads is 'many'"),
        ({"heads": "none"}, "need heads"),
        ({"bias": 1}, "bias is 1; accepted: true or false"),
        ({"context": "likelihood"}, "needs the heads 'joint'"),
        ({"negatives": -1}, "negatives is -1"),
        ({"negatives": 1.5}, "whole number"),
        ({"temperature": 0.0}, "temperature is 0.0"),
        ({"alone_weight": 1.0}, "accepted with the context 'likelihood' only"),
        ({"question_heads": True}, "question_heads need"),
        ({"speed": 3}, "'speed' is no setting of CTD"),
    ],
)
def test_mistakes_are_reported(given: dict, message: str) -> None:
    with pytest.raises(EpochalError, match=message):
        CTDSettings.from_dict(given)


def test_unknown_names() -> None:
    with pytest.raises(EpochalError, match="no settings is called 'best'"):
        CTDSettings.from_name("best")
    with pytest.raises(EpochalError, match="no baseline is called 'bm25'"):
        CTDSettings.baseline("bm25")


WORDS = ["rain", "snow", "sun", "wind", "of", "said", "more"]


def made(split_of: dict[int, str] | None = None) -> Collection:
    """Each year has a word of its own among ones that all have; comments are told by one that only they have."""
    axis = MonthAxis.gregorian(2000, 2003)
    records = []
    for number in range(48):
        year, month = number % 4, number % 12
        split = (split_of or {}).get(number, "train")
        text = f"of {WORDS[year]} of more"
        records.append(CTDRecord(f"e{number}", text, "event", split, Months(year * 12 + month, year * 12 + month)))
        records.append(CTDRecord(f"c{number}", "said of more", "neg_comment", split, Months(year * 12, year * 12)))
    return Collection("made", axis, tuple(records), ())


def model_of(collection: Collection, **changes: object) -> CTD:
    torch.manual_seed(3)
    return CTD(Backbone.tiny(WORDS), collection.axis, replace(CTDSettings.improved(), ngrams=64, **changes))


def test_bags_add_up_to_what_the_table_says() -> None:
    collection = made()
    model = model_of(collection).eval()
    texts = model.tokenize([], [record.text for record in collection.records]).records
    table = model.temporal.wide
    table.select_ngrams([texts.row(row) for row in range(10)], min_texts=1)
    torch.nn.init.normal_(table.table.weight)
    batch = texts.batch(list(range(20)))
    assert torch.allclose(
        build_bags(table, texts, range(20)).sums(table.table.weight), table(batch.ids, batch.mask), atol=1e-5
    )


def test_a_text_without_a_known_run_has_an_empty_bag() -> None:
    table = Ngrams(8, 3)
    table.select_ngrams([np.array([2, 7, 3])] * 3)
    torch.nn.init.ones_(table.table.weight)
    summed = table(torch.tensor([[5, 6, 8], [2, 7, 3]]), torch.ones(2, 3).long())
    assert summed[0].abs().sum() == 0
    assert summed[1].abs().sum() > 0


def test_years_are_read_by_the_words_that_tell_them_and_comments_are_worth_less() -> None:
    collection = made()
    model = model_of(collection).eval()
    texts = model.tokenize([], [record.text for record in collection.records]).records
    known = fit_ngram_table(model, collection, texts)
    assert known > 4
    batch = texts.batch(list(range(len(collection.records))))
    read = model(batch.ids, batch.mask, "record")
    events = [row for row, record in enumerate(collection.records) if record.type == "event"]
    others = [row for row, record in enumerate(collection.records) if record.type != "event"]
    assert read.logits[0][events].argmax(dim=1).tolist() == (collection.first[events] // 12).tolist()
    assert read.worth[events].min() > 0 > read.worth[others].max()
    assert not model.temporal.wide.table.weight.requires_grad
    assert all(linear.weight.abs().sum() == 0 for linear in model.temporal.heads.linear_layers())


def test_the_fit_is_the_same_again_and_sees_no_other_split() -> None:
    whole, less = made(), made(dict.fromkeys(range(0, 48, 4), "test"))
    result = {}
    for name, collection in (("whole", whole), ("again", whole), ("less", less)):
        model = model_of(collection)
        fit_ngram_table(model, collection, model.tokenize([], [record.text for record in collection.records]).records)
        result[name] = model.temporal.wide
    assert torch.equal(result["whole"].table.weight, result["again"].table.weight)
    model = model_of(less)
    texts = model.tokenize([], [f"of {WORDS[0]} of more"]).records
    runs = {len(build_bags(table, texts, [0]).rows) for table in (result["whole"], result["less"])}
    assert len(runs) == 2  # the word of the year that was held out is not known


def test_a_model_without_a_table_has_nothing_to_fit() -> None:
    collection = made()
    model = CTD(Backbone.tiny(WORDS), MonthAxis.lu(), CTDSettings.official())
    with pytest.raises(RuntimeError, match="nothing to fit"):
        fit_ngram_table(model, collection, model.tokenize([], ["of"]).records)
