"""What the records of a split say is left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, InputError
from epochal_lab.models.annals.passages import Exclusion, read_held_out_texts

RECORD = "甲子，乙侯伐丙，丁人救之。"


def test_a_record_over_two_sentences():
    found = Exclusion([RECORD]).filter(["元年春。", "甲子乙侯伐丙。", "丁人救之。", "秋大水。"])
    assert found == ["元年春。", "秋大水。"]


def test_part_of_a_record_counts_only_if_told():
    stream = ["乙侯伐丙，丁人救之，不及。"]
    assert Exclusion([RECORD]).filter(stream) == stream
    assert Exclusion([RECORD], 8, whole=False).filter(stream) == []


def test_short_records_are_in_everything_and_stay():
    assert Exclusion(["大水。"]).filter(["秋，大水。"]) == ["秋，大水。"]
    assert len(Exclusion(["大水。", RECORD])) == 1


def test_in_a_print_without_marks_only_the_place_is_cut_out():
    before, after = "天" * 100, "地" * 100
    left = Exclusion([RECORD]).filter([f"{before}甲子乙侯伐丙丁人救之{after}"])
    assert left == ["天" * 84, "地" * 84]


def test_variants_are_folded():
    assert (
        Exclusion(["甲子会于某地而还也"], fold=lambda text: text.replace("會", "会")).filter(["甲子會于某地而还也"])
        == []
    )


def test_a_fold_that_changes_lengths_is_refused():
    with pytest.raises(EpochalError, match="one to one"):
        Exclusion([RECORD], fold=lambda text: text * 2).filter(["甲"])
    with pytest.raises(EpochalError, match="give 2 or more"):
        Exclusion([RECORD], run=1)


@given(st.lists(st.text("甲乙，", min_size=1, max_size=12), max_size=8), st.text("甲乙", min_size=4, max_size=6))
def test_no_short_sentence_keeps_a_record(stream, record):
    kept = Exclusion([record], run=4).filter(stream)
    assert not any(record in sentence.replace("，", "") for sentence in kept)
    assert all(sentence in stream for sentence in kept)


def test_records_are_chosen_by_their_metadata(tmp_path):
    path = tmp_path / "corpus.jsonl"
    facts = [("event", "test"), ("comment", "test"), ("event", "train")]
    rows = [{"text": f"{kind} {split}", "metadata": {"type": kind, "split": split}} for kind, split in facts]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert read_held_out_texts(path, {"type": {"event"}, "split": {"val", "test"}}) == ["event test"]
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: the row has no text"):
        read_held_out_texts(path, {})
    with pytest.raises(InputError, match="cannot be read"):
        read_held_out_texts(tmp_path / "none.jsonl", {})
