from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.reading.questions.question import REASONING_CLASSES
from epochal_lab.datasets.cards import TEMPO_SIZES
from epochal_lab.datasets.tempo_files import CLASSES, DOMAINS, Guidance, assign_splits, passage_notes, reasoning_kind

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["step", "gold_ids", "x"]), inner),
    max_leaves=6,
)
KEYS = ["retrieval_plan", "key_time_anchors", "temporal_intent", "is_temporal_query", "query_temporal_signals"]


@given(st.dictionaries(st.sampled_from(KEYS), junk) | junk)
def test_junk_is_read_to_the_right_types_or_to_nothing(value):
    told = Guidance.of(value)
    if not told.values:
        return
    assert len(told.values) == 12
    assert told.values["is_temporal_query"] in (True, False, None)
    assert isinstance(told.values["temporal_intent"], str)
    assert all(isinstance(item, str) for item in told.values["query_temporal_signals"])
    assert list(told.periods) == sorted(told.periods, key=lambda span: (span.start, span.end))


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
