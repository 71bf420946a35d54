from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.reading.questions.question import REASONING_CLASSES
from epochal.times import Span
from epochal_lab.datasets.cards import TEMPO_SIZES
from epochal_lab.datasets.catalogue import load, open_set
from epochal_lab.datasets.sources import MissingSetError
from epochal_lab.datasets.tempo_files import CLASSES, DOMAINS, Guidance, assign_splits, passage_notes, reasoning_kind
from paths import DATA, needs_data
from tempo_files import DOCUMENTS, EXAMPLES, IDS, NESTED, guidance, write_jsonl, write_parquet

SAMPLE = DATA / "tempo_sample"
needs_sample = needs_data("tempo_sample")


def fill(data: Path, form: str, steps: list[dict[str, Any]] | None = NESTED, examples=EXAMPLES) -> Path:
    """The files of one domain: as published, as JSON Lines a domain, or as JSON Lines for all domains."""
    if form == "parquet":
        pytest.importorskip("pyarrow")
    for config, rows in (("documents", DOCUMENTS), ("examples", examples), ("steps", steps)):
        if rows is None:
            continue
        if form == "parquet":
            write_parquet(data / "tempo" / config / "law.parquet", rows)
        elif form == "jsonl":
            write_jsonl(data / "tempo" / config / "law.jsonl", rows)
        else:
            other = json.loads(json.dumps(rows[:1]).replace("law/", "iota/").replace("10_1", "99_9"))
            write_jsonl(data / f"{config}.jsonl", [*rows, *other])
    return data


@pytest.mark.parametrize("form", ["parquet", "jsonl", "mixed"])
def test_a_domain_in_every_form_of_files(tmp_path, form):
    bench_set = load("tempo/law", fill(tmp_path, form))
    assert [(item.id, item.text) for item in bench_set.documents] == [(row["id"], row["content"]) for row in DOCUMENTS]
    assert [document.id for document in bench_set.documents] == IDS  # a second time, from the files
    assert [query.id for query in bench_set.queries] == ["10_1", "11_2", "12_3"]
    assert bench_set.queries[0].text == EXAMPLES[0]["query"]
    assert bench_set.qrels == {"10_1": {IDS[0]: 1, IDS[1]: 1}, "11_2": {IDS[2]: 1}, "12_3": {IDS[4]: 1}}
    assert [query.kind for query in bench_set.queries] == ["trends_changes_and_cross_period", "other", "other"]
    assert bench_set.splits == ("test",)


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_all_annotations_reach_the_question(tmp_path, form):
    first, second, third = load("tempo/law", fill(tmp_path, form)).queries
    message = first.annotations
    assert set(guidance()) <= set(message)
    assert (message["is_temporal_query"], third.annotations["is_temporal_query"]) == (True, False)
    assert message["temporal_reasoning_class_secondary"] == ["causation_analysis"]
    assert message["retrieval_plan"][0] == {"step": "1", "action": "Find the act of 1911.", "gold_ids": [IDS[0]]}
    assert message["gold_answers"] == ["<p>It grew.</p>"]
    assert second.annotations["query_temporal_signals"] == []
    assert second.annotations["temporal_reasoning_class_primary"] == ""
    assert third.annotations["temporal_reasoning_class_primary"] == "something else"
    json.dumps([dict(query.annotations) for query in (first, second, third)])


def test_anchors_become_periods_in_order_of_time(tmp_path):
    first, second, third = load("tempo/law", fill(tmp_path, "jsonl")).queries
    assert first.periods == (Span.year(1911), Span.year(1956))
    assert first.annotations["anchors_without_time"] == ["in the beginning"]
    assert first.annotations["key_time_anchors"] == ["1956", "1911", "in the beginning"]
    assert [period.edtf() for period in second.periods] == ["-0043"]
    assert third.periods == ()


def test_which_gold_passage_covers_which_period_is_read_from_its_scope(tmp_path):
    bench_set = load("tempo/law", fill(tmp_path, "jsonl"))
    assert bench_set.period_qrels == {
        "10_1": (frozenset({IDS[0]}), frozenset({IDS[1]})),
        "11_2": (frozenset({IDS[2]}),),
    }


def test_exclusions_are_taken_in_one_mode_and_kept_as_a_note_in_both(tmp_path):
    data = fill(tmp_path, "jsonl")
    (excl, _, none), (full, *_) = (load("tempo/law", data, exclusion=mode).queries for mode in ("excl", "full"))
    assert excl.excluded == (IDS[4], "law/00000000_9999.txt")
    assert (full.excluded, none.excluded) == ((), ())
    assert full.annotations["negative_ids"] == excl.annotations["negative_ids"] == list(excl.excluded)


def test_the_card_tells_what_was_done_with_exclusions(tmp_path):
    def told(data: Path, **switches: Any) -> str:
        return " ".join(load("tempo/law", data, **switches).card.notes)

    data = fill(tmp_path / "a", "jsonl")
    assert "Read in mode excl: the mined negatives of 3 questions" in told(data)
    assert "Read in mode full" in told(data, exclusion="full")
    assert "with 3 of 35 questions" in told(data)
    bare = [{key: value for key, value in row.items() if key != "negative_ids"} for row in EXAMPLES]
    assert "No question has a list of exclusions" in told(fill(tmp_path / "b", "jsonl", examples=bare))


def test_the_earlier_name_of_the_list_is_read_and_gold_is_never_excluded(tmp_path):
    rows = [{key: value for key, value in row.items() if key != "negative_ids"} for row in EXAMPLES]
    rows[0]["excluded_ids"] = [IDS[4], IDS[0]]
    loaded = open_set("tempo/law", fill(tmp_path, "jsonl", examples=rows))
    assert loaded.bench_set.queries[0].excluded == (IDS[4],)
    assert loaded.facts["gold that is also excluded"] == 1


def test_passage_annotations_reach_documents_only_when_asked_for(tmp_path):
    data = fill(tmp_path, "parquet")
    assert all(not document.meta for document in load("tempo/law", data).documents)
    output = {document.id: document.meta for document in load("tempo/law", data, passages=True).documents}
    assert output[IDS[0]]["times"] == ["1911"]
    assert output[IDS[1]]["times"] == ["1956-03"]
    assert output[IDS[2]]["times"] == ["-0043"]
    assert output[IDS[0]]["annotations"][0]["tense_guess"] == "past"
    assert "times" not in output[IDS[4]]
    assert output[IDS[3]] == {}


def test_without_steps_there_are_no_annotations_and_that_is_counted(tmp_path):
    loaded = open_set("tempo/law", fill(tmp_path, "jsonl", steps=None))
    assert loaded.facts["questions without annotation"] == 3
    assert [query.kind for query in loaded.bench_set.queries] == ["", "", ""]
    assert len(loaded.files) == 2


def test_questions_with_reasoning(tmp_path):
    data = fill(tmp_path, "jsonl")
    rows = [{**row, "query": f"{row['query']}\nThe core question is ..."} for row in EXAMPLES]
    write_jsonl(data / "tempo" / "gpt4o_reason" / "law.jsonl", rows)
    bench_set = load("tempo/law", data, reasoning="gpt4o_reason")
    assert bench_set.queries[2].text == "What is a term?\nThe core question is ..."
    assert bench_set.queries[0].periods
    with pytest.raises(MissingSetError, match=r"it lacks tempo/deepseek_reason/law.parquet"):
        load("tempo/law", data, reasoning="deepseek_reason")


def test_the_split_of_reteco(tmp_path):
    rows = [{**EXAMPLES[1], "id": f"{number}_0"} for number in range(35)]
    bench_set = load("tempo/law", fill(tmp_path, "jsonl", examples=rows), split="reteco")
    sizes = {name: len(bench_set.select_split(name).queries) for name in bench_set.splits}
    assert sizes == {"train": 24, "dev": 11}
    again = load("tempo/law", fill(tmp_path, "jsonl", examples=rows[::-1]), split="reteco")
    assert {query.id: query.split for query in bench_set.queries} == {query.id: query.split for query in again.queries}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"id": "", "query": "Why?", "gold_ids": [IDS[0]]}, "line 4: the row is no question; accepted: texts under"),
        ({"id": "13_1", "query": None, "gold_ids": [IDS[0]]}, "line 4: the row is no question"),
        ({"id": "10_1", "query": "Why?", "gold_ids": [IDS[0]]}, "line 4: the id '10_1' occurs a second time"),
    ],
)
def test_a_row_that_is_no_question_is_named(tmp_path, row, problem):
    with pytest.raises(EpochalError, match=rf"examples/law\.jsonl, {problem}"):
        load("tempo/law", fill(tmp_path, "jsonl", examples=[*EXAMPLES, row]))


def test_a_row_that_is_no_document_is_named_when_it_is_reached(tmp_path):
    data = fill(tmp_path, "jsonl")
    write_jsonl(data / "tempo" / "documents" / "law.jsonl", [*DOCUMENTS, {"id": "law/1_1.txt"}])
    with pytest.raises(EpochalError, match=r"documents/law\.jsonl, line 6: the row is no document"):
        list(load("tempo/law", data).documents)


def test_shards_are_read_in_order(tmp_path):
    data = fill(tmp_path, "parquet")
    (data / "tempo" / "documents" / "law.parquet").unlink()
    for number, part in enumerate((DOCUMENTS[:2], DOCUMENTS[2:])):
        write_parquet(data / "tempo" / "documents" / f"law-0000{number}-of-00002.parquet", part)
    assert [document.id for document in load("tempo/law", data).documents] == IDS


def test_files_without_the_domain_are_named(tmp_path):
    with pytest.raises(EpochalError, match=r"examples\.jsonl holds no question of the domain 'hsm'; get its examples"):
        load("tempo/hsm", fill(tmp_path, "mixed"))


def test_a_damaged_file_is_one_sentence(tmp_path):
    data = fill(tmp_path, "parquet")
    path = data / "tempo" / "examples" / "law.parquet"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(EpochalError, match=r"law\.parquet: cannot be read as Parquet: "):
        load("tempo/law", data)


@needs_sample
def test_the_published_sample():
    result = {domain: open_set(f"tempo/{domain}", SAMPLE) for domain in DOMAINS if domain in SAMPLED}
    assert {domain: len(list(item.bench_set.documents)) for domain, item in result.items()} == SAMPLED
    for item in result.values():
        (query,) = item.bench_set.queries
        assert set(item.bench_set.qrels[query.id]) == {document.id for document in item.bench_set.documents}
        assert query.annotations["gold_answers"]
        assert item.facts["questions without annotation"] == 1
    judged = {tuple(line.split()[::2]) for line in (SAMPLE / "qrels.txt").read_text(encoding="utf-8").splitlines()}
    assert judged == {
        (query, document)
        for item in result.values()
        for query, gold in item.bench_set.qrels.items()
        for document in gold
    }


SAMPLED = {"bitcoin": 5, "economics": 5, "genealogy": 7, "history": 5, "hsm": 4}


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["step", "gold_ids", "x"]), inner),
    max_leaves=6,
)
KEYS = ["retrieval_plan", "key_time_anchors", "temporal_intent", "is_temporal_query", "query_temporal_signals"]


@given(st.dictionaries(st.sampled_from(KEYS), junk) | junk)
def test_junk_is_read_to_the_right_types_or_to_nothing(value):
    message = Guidance.of(value)
    if not message.values:
        return
    assert len(message.values) == 12
    assert message.values["is_temporal_query"] in (True, False, None)
    assert isinstance(message.values["temporal_intent"], str)
    assert all(isinstance(item, str) for item in message.values["query_temporal_signals"])
    assert list(message.periods) == sorted(message.periods, key=lambda span: (span.start, span.end))


@given(junk, st.lists(st.sampled_from(["a", "b", "c"]), max_size=3))
def test_no_annotation_of_a_passage_is_counted_twice_or_forgotten(value, gold):
    notes, lost = passage_notes(value, gold)
    if isinstance(value, list):
        assert len(notes) + lost == len(value)


def test_an_annotation_with_the_id_of_its_document_needs_no_place():
    scope = {"time_scope_guess": {"start_iso": "1914", "end_iso": "1918"}}
    notes, lost = passage_notes([{"doc_id": "b", **scope}, scope], ["a", "b", "c"])
    assert [(note.document, note.span.edtf()) for note in notes] == [("b", "1914/1918")]
    assert lost == 1
    assert "doc_id" not in notes[0].values


def test_the_classes_that_are_reported_on_their_own():
    assert set(CLASSES) == set(REASONING_CLASSES[:9])
    assert reasoning_kind({"temporal_reasoning_class_primary": "artifact_verification"}) == "other"
    assert reasoning_kind({"temporal_reasoning_class_primary": None}) == "other"


def test_the_sizes_of_the_split_of_all_domains():
    """RETECO states 1,211 and 519 questions over all domains."""
    splits = [assign_splits([f"{n}_0" for n in range(TEMPO_SIZES[domain][1])], domain) for domain in DOMAINS]
    trained = sum(name == "train" for split in splits for name in split.values())
    assert (trained, sum(map(len, splits)) - trained) == (1211, 519)


@pytest.mark.parametrize(("count", "train"), [(0, 0), (1, 1), (2, 1), (3, 2), (10, 7)])
def test_the_split_of_few(count, train):
    split = assign_splits([f"{n}_0" for n in range(count)], "law")
    assert list(split.values()).count("train") == train
    assert len(split) == count


def test_domains_are_shuffled_each_in_its_own_way():
    ids = [f"{n}_0" for n in range(50)]
    assert assign_splits(ids, "law") != assign_splits(ids, "iota")
    assert assign_splits(ids, "law") == assign_splits(ids[::-1], "law")
