"""The labels that the judge without a language model is held against, and a small part of the measurement itself."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from epochal.times import Span
from epochal_lab.judges.evidence import Background
from epochal_lab.judges.spans import default_calibration
from paths import STUDIES

BENCHMARKS = STUDIES


@pytest.fixture
def labels(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("judge_agreement")
    for name in ("judge_agreement", "_record"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("one", "other", "is_apart"),
    [
        ("1811/1827", "1916/1920", True),
        ("1916/1920", "1920/1930", True),
        ("1916/1920", "1918/1930", False),
        ("1978-02/1983-05", "1983-05/1988-06", True),
        ("1916/1920", "1916/1920", False),
    ],
)
def test_periods_that_share_an_end_are_apart(labels: ModuleType, one, other, is_apart):
    assert labels.apart(Span.parse(one), Span.parse(other)) is is_apart
    assert labels.apart(Span.parse(other), Span.parse(one)) is is_apart


def test_the_date_of_a_chunk(labels: ModuleType):
    assert labels.chunk_date("2020年3月5日，加拿大").edtf() == "2020-03-05"
    assert labels.chunk_date("2019年12月，兰州大学").edtf() == "2019-12"
    assert labels.chunk_date("2020年2月31日，") is None
    assert labels.chunk_date("名创优品于2024年3月12日起") is None


def test_agreement_on_a_part_of_the_prizes(labels: ModuleType):
    if not (labels.DATA / "tnp" / "corpus.jsonl").exists():
        pytest.skip(f"{labels.DATA} is absent")
    pairs = list(labels.tnp(120))
    seen = labels.look(pairs, Background.of({pair.document.id: pair.document for pair in pairs}.values()))
    assert {0, 1} == set(seen.halves.tolist())
    held_out = labels.figures(seen, 1, default_calibration())
    assert held_out["answers"] > 200
    assert held_out["kappa"] > 0.75
    assert held_out["auroc"] > 0.95
    assert labels.figures(seen, 1, None)["kappa"] < 0.5
