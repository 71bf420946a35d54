from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.models.training.checkpoint import make_generator
from epochal_lab.models.training.device import batches_by_length

LENGTHS = st.lists(st.integers(1, 60), max_size=300)


@given(LENGTHS, st.integers(1, 20), st.integers(0, 5))
def test_every_row_comes_once_in_as_many_batches(lengths, size, epoch):
    batches = batches_by_length(lengths, size, seed=3, epoch=epoch)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    assert len(batches) == -(-len(lengths) // size)
    assert all(len(batch) <= size for batch in batches)


@given(LENGTHS, st.integers(1, 200), st.none() | st.integers(1, 8))
def test_no_batch_has_more_tokens_than_it_may(lengths, most, size):
    batches = batches_by_length(lengths, size, most, seed=3)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= most
        assert size is None or len(batch) <= size


def test_seed_and_epoch_decide():
    lengths = make_generator(1).integers(1, 60, 500).tolist()
    assert batches_by_length(lengths, 8, seed=1) == batches_by_length(lengths, 8, seed=1)
    assert batches_by_length(lengths, 8, seed=1) != batches_by_length(lengths, 8, seed=2)
    assert batches_by_length(lengths, 8, seed=1, epoch=0) != batches_by_length(lengths, 8, seed=1, epoch=1)


def padding_share(lengths, batches):
    """How much of all that is computed is padding, from 0 to 1."""
    computed = sum(len(batch) * max(lengths[row] for row in batch) for batch in batches)
    return 1 - sum(lengths) / computed


def test_little_is_padding():
    lengths = make_generator(1).integers(1, 60, 2000).tolist()
    plain = [list(range(start, start + 16)) for start in range(0, 2000, 16)]
    assert padding_share(lengths, plain) > 0.4
    assert padding_share(lengths, batches_by_length(lengths, 16, seed=1)) < 0.05


def test_short_and_long_batches_are_mixed():
    lengths = make_generator(1).integers(1, 60, 2000).tolist()
    longest = [max(lengths[row] for row in batch) for batch in batches_by_length(lengths, 16, seed=1)]
    rises = sum(after > before for before, after in pairwise(longest))
    assert 0.3 < rises / len(longest) < 0.7


@pytest.mark.parametrize(
    ("given", "said"), [({}, "neither batch_size nor max_tokens"), ({"max_tokens": 0}, "max_tokens is 0; accepted")]
)
def test_a_batch_without_a_size_is_refused(given, said):
    with pytest.raises(EpochalError, match=said):
        batches_by_length([1], **given, seed=1)
