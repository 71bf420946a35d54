"""The labels that the judge without a language model is compared with, and a small part of the measurement."""

from __future__ import annotations

from types import ModuleType

import pytest

from epochal.times import Span
from epochal_lab.judges.evidence import Background
from epochal_lab.judges.spans import load_default_calibration
from paths import DATA


@pytest.fixture
def study(load_study) -> ModuleType:
    return load_study("judge_agreement")


@pytest.mark.parametrize(
    ("one", "other", "disjoint"),
    [
        ("1811/1827", "1916/1920", True),
        ("1916/1920", "1920/1930", True),
        ("1916/1920", "1918/1930", False),
        ("1978-02/1983-05", "1983-05/1988-06", True),
        ("1916/1920", "1916/1920", False),
    ],
)
def test_periods_that_share_an_end_are_disjoint(study: ModuleType, one, other, disjoint):
    assert study.are_disjoint(Span.parse(one), Span.parse(other)) is disjoint
    assert study.are_disjoint(Span.parse(other), Span.parse(one)) is disjoint


def test_the_date_of_a_chunk(study: ModuleType):
    assert study.read_chunk_date("2020年3月5日，加拿大").edtf() == "2020-03-05"
    assert study.read_chunk_date("2019年12月，兰州大学").edtf() == "2019-12"
    assert study.read_chunk_date("2020年2月31日，") is None
    assert study.read_chunk_date("名创优品于2024年3月12日起") is None


def test_agreement_on_a_part_of_the_prizes(study: ModuleType, monkeypatch):
    if not (DATA / "tnp" / "corpus.jsonl").exists():
        pytest.skip(f"{DATA} has no tnp")
    monkeypatch.setenv("EPOCHAL_DATA", str(DATA))
    pairs = list(study.read_tnp(120))
    background = Background.of({pair.document.id: pair.document for pair in pairs}.values())
    examples = study.collect_examples(pairs, background)
    assert {0, 1} == set(examples.halves.tolist())
    holdout = study.measure_half(examples, 1, load_default_calibration())
    assert holdout["answers"] > 200
    assert holdout["kappa"] > 0.75
    assert holdout["auroc"] > 0.95
    assert study.measure_half(examples, 1, None)["kappa"] < 0.5
