"""`epochal index --ray` and `epochal bench run --ray`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from backends.ray.conftest import row, write_set
from epochal.api import Index
from epochal.cli import main

pytestmark = pytest.mark.xdist_group("ray")


def test_index(cluster, workers, news, tmp_path, capsys):
    folder = str(tmp_path / "index")
    command = ["index", folder, "--from", str(news), "--encoder", "static", "--ray", cluster.address, "--workers", "2"]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert out == f"{folder}: 695 documents added, 3 bad rows passed over; it holds 695 documents (encoder static)\n"
    # Lines of progress, and a line for each bad row.
    assert [line.partition(":")[2].partition(":")[0] for line in err.splitlines() if str(news) in line] == [
        f" {news}, line {number}" for number in (91, 301, 302)
    ]
    assert main(command) == 0
    assert ": 0 documents added, 695 unchanged" in capsys.readouterr().out


def test_ids_of_rows(cluster, workers, tmp_path, capsys):
    source = tmp_path / "rows.jsonl"
    source.write_text("".join(json.dumps({"text": str(row(number)["text"])}) + "\n" for number in range(30)))
    for name, more in (("one", []), ("two", ["--ray", cluster.address])):
        command = ["index", str(tmp_path / name), "--from", str(source), "--encoder", "none", "--id-from-row", *more]
        assert main(command) == 0
    capsys.readouterr()
    with Index.open(tmp_path / "one") as one, Index.open(tmp_path / "two") as two:
        assert list(one.documents()) == list(two.documents())
        assert two.get("rows.jsonl:30") is not None


def outcome(folder: Path) -> tuple[object, ...]:
    """What a run has left behind, but for how long it took."""
    (result,) = (folder / "results").glob("*.json")
    record = json.loads(result.read_text(encoding="utf-8"))
    took = record.pop("latency_ms")
    assert took["p50"] > 0
    return record, *(path.read_text() for name in ("values", "runs") for path in sorted((folder / name).iterdir()))


def test_bench_run(cluster, workers, tmp_path, capsys):
    command = ["bench", "run", write_set(tmp_path / "own"), "--system", "epochal(encoder=static)", "-k", "10", "-o"]
    for name, more in (("one", []), ("two", ["--ray", cluster.address, "--workers", "2"])):
        assert main([*command, str(tmp_path / name), *more]) == 0
        assert "nDCG@10" in capsys.readouterr().out
    one, two = outcome(tmp_path / "one"), outcome(tmp_path / "two")
    assert len(one) == 3
    assert one[0]["queries"] == 80
    assert one == two


def test_a_small_run_of_the_study(workers, run_quick):
    alone, one = run_quick("ray_ingest", "--workers", "1")
    assert (alone["workers"], one["workers"], one["efficiency"]) == ("none", 1, 1.0)
    assert one["bound by"] in ("storing", "preparing")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--workers", "2"], "--workers goes with --ray, which was not given"),
        (["--gpus", "1"], "--gpus goes with --ray, which was not given"),
        (["--ray", "--sequence", "gregorian"], "a --sequence must be read in order"),
        (["--ray", "--format", "csv"], "no format for Ray is called 'csv'; known: jsonl, parquet, beir"),
    ],
)
def test_what_goes_together(tmp_path: Path, news, capsys, options, problem):
    assert main(["index", str(tmp_path / "index"), "--from", str(news), *options]) == 2
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "index").exists()
