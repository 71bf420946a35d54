"""The study of stated, carried and learned times: what it counts is what it says."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from dating_world import AXIS, dater_of
from epochal.ranking.dating.dater import DateEstimator
from epochal.ranking.dating.months import Months
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery, BenchSet


def record(name: str, text: str, kind: str, month: int) -> Document:
    return Document(name, text, meta={"type": kind, "work": "經", "times": [f"-0721-{month:02d}~"]})


RECORDS = (
    record("third", "三月，公及邾儀父盟于蔑。", "event", 3),
    record("silent", "公子益師卒。", "event", 3),
    record("fifth", "夏五月，鄭伯克段于鄢。", "event", 5),
    record("empty", "魯隱公元年四月，無事。", "no_event", 4),
)
QUERY = BenchQuery("q", "魯隱公元年三月發生了什麼事？", split="test", periods=(Span.parse("-0721-03~"),))


@pytest.fixture
def module(load_study) -> ModuleType:
    return load_study("ctd_combination")


@pytest.fixture
def cells(module: ModuleType, tmp_path: Path):
    bench_set = BenchSet("own", RECORDS, (QUERY,), {"q": {"third": 1, "silent": 1}})
    with (
        module.open_cell(bench_set, module.HEADLINE, "none", tmp_path) as alone,
        module.open_cell(bench_set, module.HEADLINE, "carried", tmp_path) as carried,
    ):
        yield alone, carried


def test_records_are_distinguished_by_what_they_state(module: ModuleType, cells) -> None:
    assert module.group_by_statement(*cells) == {
        "all of it": {"empty"},
        "a part": {"third", "fifth"},
        "nothing": {"silent"},
    }


def test_only_some_answers_count_and_the_others_are_not_there(module: ModuleType, cells) -> None:
    run = {"q": {"third": 3.0, "fifth": 2.0, "silent": 1.0}}
    assert module.measure_run(cells[0], run)["hit@1"] == {"q": 1.0}
    assert module.measure_run(cells[0], run, {"silent"})["MRR@10"] == {"q": 0.5}
    assert module.measure_run(cells[0], run, {"third"})["hit@1"] == {"q": 1.0}
    assert module.measure_run(cells[0], run, {"fifth"})["hit@1"] == {}


def test_whole_searches_find_what_is_carried(module: ModuleType, cells) -> None:
    dater = dater_of({"安": 1993})
    for here in cells:
        runs = {
            name: module.run_search(here, here.queries("test"), lambda _, one=scorer: one, settle=settle)
            for name, (scorer, settle) in module.build_systems(dater, module.EstimateCache(dater)).items()
        }
        assert list(runs) == ["gate", "ctd", "gate+ctd"]
        rows = module.build_rows(here, {"times": here.column}, runs, module.group_by_statement(*cells))
        result = {(row["system"], row["answers state"]): row["hit@1"]["mean"] for row in rows}
        assert result["gate", "nothing"] == (1.0 if here.column == "carried" else 0.0)
        apart = module.build_differences(here, {"times": here.column}, runs, module.group_by_statement(*cells))
        assert {row["gate+ctd less"] for row in apart} == {"gate", "ctd"}


def test_the_control_asks_for_another_year(module: ModuleType) -> None:
    dater = dater_of({"安": 1993})
    other = module.ShiftedDater(**{name: getattr(dater, name) for name in DateEstimator.__dataclass_fields__}, years=2)
    assert other.months_of(Span.parse("1993-05")) == Months(64, 64)
    assert other.months_of(Span.parse("1999-05")) == Months(16, 16)
    assert other.months_of(Span.parse("1996-11/1998-02")) == Months(106, AXIS.months - 1)
    assert other.months_of(Span.year(1750)) is None


def test_an_estimate_that_holds_is_counted(module: ModuleType) -> None:
    dater = dater_of({"安": 1993, "伯": 1997})

    def of(name: str, text: str, year: int) -> Document:
        return Document(name, text, meta={"type": "event", "split": "test", "times": [str(year)]})

    bench_set = BenchSet("own", (of("a", "安", 1993), of("b", "伯", 1990)), (), {})
    assert module.measure_estimates(bench_set, dater)["held"] == 0.5


def test_it_is_skipped_without_its_data(module: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        module.main(["--data", str(tmp_path)])
    assert caught.value.code == 0
    (tmp_path / "chunqiutr" / "traditional").mkdir(parents=True)
    with pytest.raises(SystemExit):
        module.main(["--data", str(tmp_path)])
    assert "give the folder of a trained model with --dater" in capsys.readouterr().out
