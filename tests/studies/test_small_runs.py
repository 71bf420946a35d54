"""One small run of each study; those of backends, of the service and of trained models are tested beside them."""

from __future__ import annotations

import pytest

from epochal.api import Index
from epochal.ranking import features
from epochal.storage.records import Document
from epochal.times import Span

MILL = [
    Document("a", "Ann Hay owned the mill from 1916 until 1920."),
    Document("b", "In 1918 Ben Roe painted the mill, which the county owned."),
    Document("c", "Since 1920 Cora Lee had owned the mill. Its wheel broke in 1931."),
    Document("d", "The bridge by the mill was owned by Dan Fox and fell in 1917."),
]
OWNER = "Who owned the mill from 1916 to 1920, when Ben Roe was the mayor?"


@pytest.mark.parametrize(
    "name",
    "chinese_reading encoder_quality encoder_speed judge_agreement languages tagger_quality tagger_speed understanding "
    "tempo_annotations search_cost speed growth temporal_retrieval order_and_truth when_and_dates".split(),
)
@pytest.mark.parametrize("folder", ["", "missing"])
def test_a_study_without_its_data_is_skipped(load_study, monkeypatch, capsys, tmp_path, name, folder):
    monkeypatch.setenv("EPOCHAL_DATA", str(tmp_path / folder) if folder else "")
    monkeypatch.setattr("sys.argv", [name])
    module = load_study(name)
    with pytest.raises(SystemExit) as caught:
        module.main()
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("skipped: ")


def test_questions_for_when_are_sentences_without_their_date(load_study):
    study = load_study("when_and_dates")
    text = "Ann Hay was elected mayor of the old harbour town in May 1998. She left. She met Bob in 1999 and in 2001."
    assert study.make_when_questions("Ann Hay", text) == [
        ("When did this happen: Ann Hay, Ann Hay was elected mayor of the old harbour town?", Span.parse("1998-05"))
    ]


def test_release_notes_as_a_folder(load_study, monkeypatch):
    study = load_study("when_and_dates")
    rows = [
        {"package": "mill", "version": f"1.{n}", "title": f"mill 1.{n}", "published": f"20{10 + n}-03-04",
         "text": f"Released on 2010-03-04\n\nNumber {n} mends the wheel." if n == 3 else
                 f"Released on 20{10 + n}-03-04\n\nNumber {n} mends the wheel."}
        for n in range(6)
    ]  # fmt: skip
    monkeypatch.setattr(study, "MONTHS", 3)
    given, plain = study.measure_half("even", rows)
    assert (plain["files"], plain["stating a date"], plain["dated so"]) == (6, 5, 1.0)
    assert given["questions"] == plain["questions"] == 6
    assert plain["false none"] + plain["false recorded"] >= given["false none"] + given["false recorded"]


@pytest.mark.slow
def test_speed(run_quick):
    rows = run_quick("speed")
    engines = {row["engine"] for row in rows if "us per document" in row}
    assert {"Epochal, words and times", "tantivy, words and days", "SQLite FTS5, words and days"} <= engines
    assert {row["kind"] for row in rows if "kind" in row} == {"no time", "year", "day", "compare"}
    assert {row["engine"] for row in rows if "kind" in row} == engines
    assert all(row["cpu s"] > 0 for row in rows if "command" in row)


@pytest.mark.slow
def test_search_cost(run_quick):
    rows = run_quick("search_cost")
    heads = [row for row in rows if "ratio p50" in row]
    assert [row["questions"] for row in heads] == [8, 2]
    for row in heads:
        assert row["ratio p50"] == pytest.approx(row["temporal p50 ms"] / row["plain p50 ms"], rel=0.05)
    steps = {row["step"] for row in rows if "step" in row}
    assert steps == {"encode", "understand", "select", "gather", "score", "choose", "explain"}


def test_order_and_truth(run_quick, load_study):
    rows = run_quick("order_and_truth")
    assert {row["what"] for row in rows} == {"Epochal", "BM25", "plain hybrid", "year filter, newest"}
    overall = {row["what"]: row for row in rows if row["kind"] == "all"}
    counts = {(row["answerable"], row["unanswerable"]) for name, row in overall.items() if name == "Epochal"}
    by_kind = [row for row in rows if row["what"] == "Epochal" and row["kind"] != "all"]
    assert counts == {tuple(sum(row[name] for row in by_kind) for name in ("answerable", "unanswerable"))}
    # Only the engine says what is recorded, and each question without an answer gets its say.
    assert overall["Epochal"]["false recorded"] is not None
    assert overall["BM25"]["false recorded"] is None
    targets = load_study("order_and_truth").check_targets(
        [{"corpus": "changelogs", "kind": "latest", "what": "Epochal", "hit@1": 0.5}]
    )
    assert [target["reached"] for target in targets] == [False]


@pytest.mark.slow
def test_growth(run_quick, load_study):
    (row,) = run_quick("growth")
    assert row["documents"] == 120
    assert {column for column, _ in load_study("growth").PANELS} <= set(row)
    assert row["disk MB"] > 0.1


def test_growth_encodes_every_document(load_study):
    texts = [document.text for document in load_study("growth").make_documents(200, quick=True)]
    assert len(set(texts)) == 200


@pytest.mark.slow
def test_nested_search(run_quick, load_study):
    rows = run_quick("nested_search")
    module = load_study("nested_search")
    quality = {(row["what"], row["dims"], row["shortlist"]): row for row in rows if row["part"] == "quality"}
    # Sixty news items and a shortlist of a hundred: nothing is left out, so a funnel returns what full vectors do.
    for what in ("vectors", "engine"):
        assert quality[what, 64, 500]["nDCG@10"] == quality[what, 256, None]["nDCG@10"]
        assert quality[what, 64, 500]["of the first 10 by all numbers"] == 1
        assert quality[what, 64, None]["of the first 10 by all numbers"] < 1
    disk = {row["dims"]: row["disk MB"] for row in rows if row["part"] == "storage"}
    assert disk[64] < disk[128] < disk[256]
    timed = {(row["dims"], row["shortlist"]) for row in rows if row["part"] == "latency"}
    assert timed == {(384, None), *((dims, None) for dims in module.DIMS), *module.FUNNELS}


@pytest.mark.slow
def test_narrow_windows(run_quick, load_study):
    rows = run_quick("narrow_windows")
    module = load_study("narrow_windows")
    assert {row["window keeps"] for row in rows} == set(module.SHARES)
    own = [row for row in rows if row["what"] in module.OWN]
    assert len(own) == len(module.SHARES) * len(module.OWN)
    assert {row["rows outside the window"] for row in own} == {0}
    # The last of them weighs several things together; see there.
    assert {row["least recall"] for row in own if row["what"] != module.OWN[-1]} == {1}
    # What filters afterwards must miss something, or the queries prove nothing.
    assert any(row["recall@50"] < 0.9 for row in rows if "filtered afterwards" in row["what"])


def test_a_window_keeps_its_share(load_study):
    module = load_study("narrow_windows")
    world = module.World.make(5_000)
    rng = module.np.random.default_rng(1)
    for share in module.SHARES:
        inside = int(world.inside(world.window(share, rng)).sum())
        assert 0.9 * share * len(world) <= inside <= 1.3 * share * len(world) + 5


def test_made_sets(run_quick):
    rows = run_quick("made_sets")
    assert [row["what"] for row in rows] == ["BM25", "dense", "Epochal"]
    assert [row["silent"] for row in rows[:2]] == [0, 0]
    assert rows[2]["nDCG@10"] > 0.5


@pytest.mark.slow
def test_answers(run_quick):
    rows = run_quick("answers")
    annals = {row["measure"]: row["share"] for row in rows if row["part"] == "annals"}
    assert annals["event months: all records in the pack"] == 1
    assert annals["empty months: none recorded"] == 1
    assert annals["months outside the annals: not covered"] == 1
    (total,) = [row for row in rows if row.get("periods") == "all"]
    assert total["TC@10"] >= total["TC@10 by score"]


@pytest.mark.slow
def test_temporal_retrieval(run_quick, load_study):
    rows = run_quick("temporal_retrieval")
    module = load_study("temporal_retrieval")
    names = ["Epochal", *(variant.name for variant in (*module.RIVALS, *module.ABLATIONS))]
    assert [row["what"] for row in rows] == names
    assert rows[0]["questions"] == 10
    assert rows[0]["hit@1"] >= 0.9
    assert {"nDCG@10", "hit@10", "R@10", "R@100"} < set(rows[0])


def test_each_ablation_changes_the_scores(load_study, tmp_path):
    module = load_study("temporal_retrieval")
    with Index.create(tmp_path, encoder="static") as index:
        index.add(MILL)

        def search(variant) -> dict[str, float]:
            with variant.changes():
                response = index.search(OWNER, collapse_versions=False, scorer=variant.scorer)
                return {hit.id: round(hit.score, 9) for hit in response}

        whole = search(module.Variant("whole"))
        for variant in module.ABLATIONS:
            if variant.name != "no candidates by span":  # four documents are candidates in any case
                assert search(variant) != whole, variant.name
        assert search(module.Variant("whole")) == whole


def test_overridden_constants_come_back_after_an_error(load_study):
    override_constants = load_study("_record").override_constants
    before = features._BEND
    with pytest.raises(KeyError), override_constants(features, _BEND=0.0):
        raise KeyError
    assert before == features._BEND
    with pytest.raises(AttributeError), override_constants(features, _NO_SUCH_CONSTANT=0.0):
        pass


def test_targets_and_ratios(load_study):
    module = load_study("temporal_retrieval")
    figures = {"nDCG@10": 0.5, "hit@1": 0.4}
    rows = [{"set": name, "what": rival.name, **figures} for name in module.SETS for rival in module.RIVALS]
    rows += [{"set": name, "what": "Epochal", "nDCG@10": 0.75, "hit@1": 0.6} for name in ("tnp", "timeqa")]
    rows += [{"set": "scifact", "what": "Epochal", "nDCG@10": 0.497, "hit@1": 0.4}]
    summary = module.summarise(rows)
    reached = {(row["set"], row["measure"]): row["reached"] for row in summary["targets"]}
    assert reached == {
        ("tnp", "nDCG@10"): False,
        ("timeqa", "hit@1"): True,
        ("timeqa", "nDCG@10"): True,
        ("scifact", "nDCG@10 lost by time"): False,
    }
    assert summary["nDCG@10 / that of the best rival in this run"] == {"tnp": 1.5, "timeqa": 1.5, "scifact": 0.994}
