"""The table of runs: bags as the table itself weighs them, a fit that finds names, and nothing held out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from epochal.ranking.dating.months import MonthAxis, Months
from epochal_lab.models.backbone import Backbone, Ngrams
from epochal_lab.models.ctd.data import Collection, CTDRecord
from epochal_lab.models.ctd.model import CTD
from epochal_lab.models.ctd.settings import CTDSettings
from epochal_lab.models.ctd.task import build_bags, fit_ngram_table

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
    found = {}
    for name, collection in (("whole", whole), ("again", whole), ("less", less)):
        model = model_of(collection)
        fit_ngram_table(model, collection, model.tokenize([], [record.text for record in collection.records]).records)
        found[name] = model.temporal.wide
    assert torch.equal(found["whole"].table.weight, found["again"].table.weight)
    model = model_of(less)
    texts = model.tokenize([], [f"of {WORDS[0]} of more"]).records
    runs = {len(build_bags(table, texts, [0]).rows) for table in (found["whole"], found["less"])}
    assert len(runs) == 2  # the word of the year that was held out is not known


def test_a_model_without_a_table_has_nothing_to_fit() -> None:
    collection = made()
    model = CTD(Backbone.tiny(WORDS), MonthAxis.lu(), CTDSettings.official())
    with pytest.raises(RuntimeError, match="nothing to fit"):
        fit_ngram_table(model, collection, model.tokenize([], ["of"]).records)
