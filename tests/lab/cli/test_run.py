from __future__ import annotations

from pathlib import Path

import pytest

from epochal.cli import main
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet

DOCUMENTS = (
    Document("d1", "Tariffs on steel were raised in May 1998."),
    Document("d2", "Tariffs on steel were lowered in 2003."),
)
QUERIES = (
    BenchQuery("q1", "What happened to steel tariffs in 2003?", kind="point", periods=(Span.year(2003),)),
    BenchQuery("q2", "What happened to steel tariffs in 1998?", kind="window", periods=(Span.year(1998),)),
)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    qrels = {"q1": {"d2": 1}, "q2": {"d1": 1}}
    write_folder(tmp_path / "set", BenchSet("own", DOCUMENTS, QUERIES, qrels), Manifest("own"))
    return tmp_path / "set"


def test_systems_are_measured_and_the_table_is_printed(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["bench", "run", str(made), "--system", "epochal(encoder=none)", "bm25", "-o", str(out)]
    assert main(words) == 0
    first = capsys.readouterr()
    assert "| epochal(encoder=none) | **1.000** |" in first.out
    assert first.err.count("2 questions measured") == 2
    assert len(list((out / "runs").glob("*.trec"))) == 2
    assert main(words) == 0
    assert capsys.readouterr().out == first.out  # nothing was run again: the latencies are the same too
    assert main(["bench", "report", str(out / "results")]) == 0
    assert "nDCG@10 by kind" in capsys.readouterr().out
    assert main(["bench", "examples", str(made), "--system", "bm25", "-o", str(out), "-n", "1"]) == 0
    output = capsys.readouterr().out
    assert "asked for" in output
    assert "asked  " in output


def test_a_system_that_cannot_answer_is_named_and_the_others_run(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    systems = ["time-decay(encoder=static)", "bm25(encoder=static)"]
    assert main(["bench", "run", str(made), "--system", *systems, "-o", str(tmp_path / "out")]) == 2
    message = capsys.readouterr()
    assert "was left out: scorer 'time-decay' counts ages" in message.err
    assert "| bm25(encoder=static) |" in message.out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--system", "oracle"], "no system is called 'oracle'"),
        (["--variant", "loud"], "no variant is called 'loud'"),
        (["--protocol", "strict"], "'strict' is no protocol"),
        (["--split", "dev"], "has no split 'dev'"),
        (["--measures", "nDGC@10"], "nDGC"),
        (["-k", "0"], "k must be at least 1"),
    ],
)
def test_mistakes_are_named_before_the_work(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    assert main(["bench", "run", str(made), "-o", str(tmp_path / "out"), *words]) == 2
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_examples_need_a_run(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "examples", str(made), "-o", str(tmp_path)]) == 2
    assert "has no run of" in capsys.readouterr().err
