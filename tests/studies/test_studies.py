"""The benchmarks that need no outside data can be tried, say what they must, and leave nothing behind."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from epochal.api import Index
from epochal.ranking import features as evidence
from epochal.search import candidates
from epochal.storage.records import Document
from paths import STUDIES

BENCHMARKS = STUDIES
MILL = [
    Document("a", "Ann Hay owned the mill from 1916 until 1920."),
    Document("b", "In 1918 Ben Roe painted the mill, which the county owned."),
    Document("c", "Since 1920 Cora Lee had owned the mill. Its wheel broke in 1931."),
    Document("d", "The bridge by the mill was owned by Dan Fox and fell in 1917."),
]
OWNER = "Who owned the mill from 1916 to 1920, when Ben Roe was the mayor?"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch):
    """A benchmark by its name; with what it imports, it is forgotten afterwards."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    known = {path.stem for path in BENCHMARKS.glob("*.py")}

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    yield load
    for name in known:
        sys.modules.pop(name, None)


def files(name: str) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (BENCHMARKS / "results").glob(f"{name}.*")}


def tried(module: ModuleType, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    before = files(module.__name__)
    module.main(["--quick"])
    assert files(module.__name__) == before
    return json.loads(capsys.readouterr().out)


def test_search_cost(benchmark, capsys):
    rows = tried(benchmark("search_cost"), capsys)
    heads = [row for row in rows if "ratio p50" in row]
    assert [row["questions"] for row in heads] == [8, 2]
    for row in heads:
        assert row["ratio p50"] == pytest.approx(row["temporal p50 ms"] / row["plain p50 ms"], rel=0.05)
    steps = {row["step"] for row in rows if "step" in row}
    assert steps == {"encode", "understand", "select", "gather", "score", "choose", "explain"}


def test_ingest_cost(benchmark, capsys):
    rows = tried(benchmark("ingest_cost"), capsys)
    assert [row["encoder"].partition("-")[0] for row in rows] == ["minilm", "static"]
    assert all(row["documents"] == 40 and row["with times s"] > row["reading alone s"] for row in rows)


def test_growth(benchmark, capsys):
    module = benchmark("growth")
    (row,) = tried(module, capsys)
    assert row["documents"] == 120
    assert {column for column, _ in module.PANELS} <= set(row)
    assert row["disk MB"] > 0.1


def test_growth_encodes_every_document(benchmark):
    module = benchmark("growth")
    texts = [document.text for document in module.documents(200, quick=True)]
    assert len(set(texts)) == 200


def test_nested_search(benchmark, capsys):
    module = benchmark("nested_search")
    rows = tried(module, capsys)
    quality = {(row["what"], row["dims"], row["shortlist"]): row for row in rows if row["part"] == "quality"}
    # Sixty news and a shortlist of a hundred: nothing is left out, so a funnel finds what all numbers find.
    for what in ("vectors", "engine"):
        assert quality[what, 64, 500]["nDCG@10"] == quality[what, 256, None]["nDCG@10"]
        assert quality[what, 64, 500]["of the first 10 by all numbers"] == 1
        assert quality[what, 64, None]["of the first 10 by all numbers"] < 1
    room = {row["dims"]: row["disk MB"] for row in rows if row["part"] == "storage"}
    assert room[64] < room[128] < room[256]
    timed = {(row["dims"], row["shortlist"]) for row in rows if row["part"] == "latency"}
    assert timed == {(384, None), *((dims, None) for dims in module.DIMS), *module.FUNNELS}


def test_the_picture_of_nested_search_is_drawn(benchmark, tmp_path):
    pytest.importorskip("matplotlib")
    module = benchmark("nested_search")
    rows = []
    for dims, shortlist in ((64, None), (384, None), (64, 500)):
        told = {"dims": dims, "shortlist": shortlist, "encoder": "minilm", "set": "tnp"}
        rows += [{**told, "part": "quality", "what": "vectors", "nDCG@10": 0.5}]
        rows += [{**told, "part": "latency", "vectors": 1000, "p50 ms": 2.0}]
        rows += [{**told, "part": "storage", "disk MB": 7.0}]
    module.plot(rows, tmp_path / "drawn.png")
    assert (tmp_path / "drawn.png").stat().st_size > 10_000


def test_narrow_windows(benchmark, capsys):
    module = benchmark("narrow_windows")
    rows = tried(module, capsys)
    assert {row["window keeps"] for row in rows} == set(module.SHARES)
    own = [row for row in rows if row["what"] in module.OWN]
    assert len(own) == len(module.SHARES) * len(module.OWN)
    assert {row["rows outside the window"] for row in own} == {0}
    # The last of them weighs several things together; see there.
    assert {row["least recall"] for row in own if row["what"] != module.OWN[-1]} == {1}
    # What filters afterwards must miss something, or the questions prove nothing.
    assert any(row["recall@50"] < 0.9 for row in rows if "filtered afterwards" in row["what"])


def test_a_window_keeps_its_share(benchmark):
    module = benchmark("narrow_windows")
    world = module.World.make(5_000)
    rng = module.np.random.default_rng(1)
    for share in module.SHARES:
        kept = int(world.inside(world.window(share, rng)).sum())
        assert 0.9 * share * len(world) <= kept <= 1.3 * share * len(world) + 5


def test_temporal_retrieval(benchmark, capsys):
    module = benchmark("temporal_retrieval")
    rows = tried(module, capsys)
    names = ["Epochal", *(variant.name for variant in (*module.RIVALS, *module.ABLATIONS))]
    assert [row["what"] for row in rows] == names
    assert rows[0]["questions"] == 10
    assert rows[0]["hit@1"] >= 0.9
    assert {"nDCG@10", "hit@10", "R@10", "R@100"} < set(rows[0])


def test_each_part_can_be_taken_out(benchmark, tmp_path):
    module = benchmark("temporal_retrieval")
    with Index.create(tmp_path, encoder="static") as index:
        index.add(MILL)

        def scores(variant) -> dict[str, float]:
            with variant.changes():
                return {
                    hit.id: round(hit.score, 9)
                    for hit in index.search(OWNER, collapse_versions=False, scorer=variant.scorer)
                }

        whole = scores(module.Variant("whole"))
        for variant in module.ABLATIONS:
            if variant.name == "no candidates by span":  # four documents are candidates in any case
                continue
            assert scores(variant) != whole, variant.name
        assert scores(module.Variant("whole")) == whole


def test_candidates_by_span_can_be_taken_out(benchmark):
    module = benchmark("temporal_retrieval")
    (variant,) = [item for item in module.ABLATIONS if item.name == "no candidates by span"]
    before = candidates._LONGER
    with variant.changes():
        assert candidates._LONGER < 0  # no time is shorter than nothing
    assert before == candidates._LONGER


def test_constants_come_back_after_an_error(benchmark):
    changed = benchmark("temporal_retrieval").changed
    before = evidence._BEND
    with pytest.raises(KeyError), changed(evidence, _BEND=0.0):
        raise KeyError
    assert before == evidence._BEND
    with pytest.raises(AttributeError), changed(evidence, _NO_SUCH_CONSTANT=0.0):
        pass


def test_targets_and_ratios(benchmark):
    module = benchmark("temporal_retrieval")
    figures = {"nDCG@10": 0.5, "hit@1": 0.4}
    rows = [{"set": name, "what": rival.name, **figures} for name in module.SETS for rival in module.RIVALS]
    rows += [{"set": name, "what": "Epochal", "nDCG@10": 0.75, "hit@1": 0.6} for name in ("tnp", "timeqa")]
    rows += [{"set": "scifact", "what": "Epochal", "nDCG@10": 0.497, "hit@1": 0.4}]
    found = module.summary(rows)
    reached = {(row["set"], row["measure"]): row["reached"] for row in found["targets"]}
    assert reached == {
        ("tnp", "nDCG@10"): False,
        ("timeqa", "hit@1"): True,
        ("timeqa", "nDCG@10"): True,
        ("scifact", "nDCG@10 lost by time"): False,
    }
    assert found["nDCG@10 / that of the best rival in this run"] == {"tnp": 1.5, "timeqa": 1.5, "scifact": 0.994}
