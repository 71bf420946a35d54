"""Rows of passages, whole and in pieces."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.models.annals.tasks import Passages, build_full_batches, cut_pieces, frame_rows
from epochal_lab.models.annals.vocabulary import Vocabulary


def test_held_out_passages_are_not_learnt_from(passages):
    words = Vocabulary.from_texts(passages, 1)
    result = Passages(passages, words, held_out=0.25)
    assert sorted([*result.training, *result.measured]) == list(range(len(passages)))
    assert len(result.measured) == 16
    again = Passages(passages, words, held_out=0.25)
    assert np.array_equal(result.measured, again.measured)


def test_one_passage_is_too_few():
    with pytest.raises(EpochalError, match="training needs 2 or more"):
        Passages(["元年"], Vocabulary(("元",)), 0.1)


@given(st.integers(1, 200), st.integers(1, 40), st.integers(0, 9))
def test_batches_are_full_and_disjoint(count, size, seed):
    lengths = np.arange(count) % 17 + 1
    matches = list(build_full_batches(np.arange(count), lengths, size, np.random.default_rng(seed)))
    seen = np.concatenate(matches)
    assert len(set(seen.tolist())) == len(seen)
    assert {len(batch) for batch in matches} == {min(size, count)}
    assert count - len(seen) < size


def test_batches_hold_passages_of_like_length():
    lengths = np.random.default_rng(0).integers(1, 255, 640)
    matches = list(build_full_batches(np.arange(640), lengths, 20, np.random.default_rng(1)))
    assert np.mean([np.ptp(lengths[batch]) for batch in matches]) < 30


def test_frames_and_pieces():
    content = torch.zeros(2, 130, dtype=torch.long)
    content[0, :130] = 7
    content[1, :62] = 8
    ids = frame_rows(content)
    assert ids.shape == (2, 192)
    assert (ids == 3).nonzero().tolist() == [[0, 131], [1, 63]]
    cut = frame_rows(cut_pieces(content, 3))
    assert cut.shape == (4, 64)
    assert (cut != 0).sum(dim=1).tolist() == [64, 64, 61, 2]
