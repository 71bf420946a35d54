from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal.errors import EpochalError
from epochal_lab.datasets.catalogue import load, open_set
from epochal_lab.datasets.records import apply_strategy
from paths import DATA, needs_data
from tempo_files import DOCUMENTS, EXAMPLES, FLAT, IDS, NESTED, guidance, write_jsonl, write_parquet

SAMPLE = DATA / "tempo_sample"


def fill(data: Path, steps, form: str = "jsonl", examples=EXAMPLES) -> Path:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    write = write_parquet if form == "parquet" else write_jsonl
    for config, rows in (("documents", DOCUMENTS), ("examples", examples), ("steps", steps)):
        if rows is not None:
            write(data / "tempo" / config / f"law.{form}", rows)
    return data


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
@pytest.mark.parametrize("steps", [NESTED, FLAT], ids=["nested", "flat"])
def test_both_layouts_give_the_same_steps(tmp_path, steps, form):
    loaded = open_set("tempo/law/steps", fill(tmp_path, steps, form))
    result = loaded.bench_set
    assert [(query.id, query.text) for query in result.queries] == [
        ("10_1_step1", "Find the act of 1911."),
        ("10_1_step2", "Find the act of 1956."),
    ]
    assert result.qrels == {"10_1_step1": {IDS[0]: 1}, "10_1_step2": {IDS[1]: 1}}
    assert result.queries[1].annotations == {
        "parent": "10_1",
        "parent_text": EXAMPLES[0]["query"],
        "step": "2",
        "step_text": "Find the act of 1956.",
    }
    assert [document.id for document in result.documents] == IDS
    assert loaded.facts["questions with steps"] == 1
    assert loaded.facts["questions without a step that has gold, left out"] == 2


def test_what_was_left_out_is_counted(tmp_path):
    nested = open_set("tempo/law/steps", fill(tmp_path / "a", NESTED)).facts
    assert nested["steps without gold, left out"] == 2
    assert nested["lists of gold ids that could not be read"] == 1
    flat = open_set("tempo/law/steps", fill(tmp_path / "b", FLAT)).facts
    assert flat["steps without gold, left out"] == 1
    assert flat["lists of gold ids that could not be read"] == 0


def test_exclusions_are_those_of_the_question_or_of_the_step(tmp_path):
    nested = load("tempo/law/steps", fill(tmp_path / "a", NESTED))
    assert [query.excluded for query in nested.queries] == [(IDS[4], "law/00000000_9999.txt")] * 2
    flat = load("tempo/law/steps", fill(tmp_path / "b", FLAT))
    assert [query.excluded for query in flat.queries] == [(IDS[4],), ()]
    full = load("tempo/law/steps", tmp_path / "b", exclusion="full")
    assert [query.excluded for query in full.queries] == [(), ()]


def test_a_step_goes_where_its_question_goes(tmp_path):
    rows = [{**EXAMPLES[0], "id": f"{number}_0"} for number in range(35)]
    steps = [{**NESTED[0], "id": row["id"]} for row in rows]
    data = fill(tmp_path, steps, examples=rows)
    split = {query.id: query.split for query in load("tempo/law", data, split="reteco").queries}
    bench_set = load("tempo/law/steps", data, split="reteco")
    assert {query.split for query in bench_set.queries} == {"train", "dev"}
    assert all(query.split == split[query.annotations["parent"]] for query in bench_set.queries)


def test_the_whole_plan_is_asked_at_once(tmp_path):
    result = apply_strategy(load("tempo/law/steps", fill(tmp_path, NESTED)), "query+all")
    assert {query.text for query in result.queries} == {
        f"{EXAMPLES[0]['query']}\n\nStep: Find the act of 1911.\n\nStep: Find the act of 1956."
    }


def test_steps_with_the_same_number_stay_two(tmp_path):
    plan = [{"step": 1, "action": f"Find {name}.", "gold_ids": repr([IDS[0]])} for name in "ab"]
    row = {**NESTED[0], "query_guidance": guidance(retrieval_plan=plan)}
    bench_set = load("tempo/law/steps", fill(tmp_path, [row]))
    assert [query.id for query in bench_set.queries] == ["10_1_step1", "10_1_step1.2"]


def test_guidance_may_be_written_as_a_text(tmp_path):
    rows = [{**row, "query_guidance": text(row["query_guidance"])} for text in (repr, json.dumps) for row in NESTED[:1]]
    for number, row in enumerate(rows):
        bench_set = load("tempo/law/steps", fill(tmp_path / str(number), [row]))
        assert len(bench_set.queries) == 2


@pytest.mark.parametrize("junk", [None, "", "none", [], {}, {"retrieval_plan": "see above"}, {"retrieval_plan": [7]}])
def test_a_question_without_a_plan_is_left_out_and_counted(tmp_path, junk):
    rows = [NESTED[0], {**NESTED[1], "query_guidance": junk}]
    loaded = open_set("tempo/law/steps", fill(tmp_path, rows))
    assert len(loaded.bench_set.queries) == 2
    assert loaded.facts["questions without a step that has gold, left out"] == 2


def test_without_examples_steps_are_on_their_own(tmp_path):
    loaded = open_set("tempo/law/steps", fill(tmp_path, FLAT, examples=None))
    assert [query.excluded for query in loaded.bench_set.queries] == [(IDS[4],), ()]
    assert loaded.facts["questions without a step that has gold, left out"] == 1


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({**FLAT[0], "step": ""}, "line 4: the row is neither a step nor a plan"),
        ({"id": "77_1", "gold_ids": [IDS[0]]}, "line 4: the row is neither a step nor a plan"),
        (FLAT[0], "line 4: the step '10_1_step1' occurs a second time"),
    ],
)
def test_a_row_that_is_no_step_is_named(tmp_path, row, problem):
    with pytest.raises(EpochalError, match=rf"steps/law\.jsonl, {problem}"):
        load("tempo/law/steps", fill(tmp_path, [*FLAT, row]))


@needs_data("tempo_sample")
def test_the_published_sample_has_no_plans():
    loaded = open_set("tempo/bitcoin/steps", SAMPLE)
    assert loaded.bench_set.queries == ()
    assert loaded.facts["questions without a step that has gold, left out"] == 1
