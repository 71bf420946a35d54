"""An index in parts: what is missing is said, and what is lost in the middle of a search is left out of all of it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from epochal.errors import PartLostError, StorageError
from epochal.search.response import find_missing_shards, read_with_retry, report_missing_shards


def test_what_is_missing_is_reported():
    assert find_missing_shards(SimpleNamespace()) == ()
    assert find_missing_shards(SimpleNamespace(missing=("a", "b"))) == ("a", "b")
    assert report_missing_shards(()) == ()
    (one,), (two,) = report_missing_shards(("a",)), report_missing_shards(("a", "b"))
    assert one.sentence == "skipped the shard a, which does not answer: its documents were not searched"
    assert two.sentence == "skipped the shards a, b, which do not answer: their documents were not searched"
    assert one.name == "missing"
    assert one.strict


def test_a_lost_part_begins_the_reading_again_in_a_new_view():
    views = iter("abc")
    read = []

    def reading(view: str) -> str:
        read.append(view)
        if view == "a":
            raise PartLostError("the shard 'north' stopped answering")
        return f"read {view}"

    assert read_with_retry(lambda: next(views), reading) == "read b"
    assert read == ["a", "b"]


def test_parts_that_are_lost_again_and_again_are_an_error_in_the_end():
    taken = []

    def take() -> int:
        taken.append(1)
        return len(taken)

    def reading(view: int) -> None:
        raise PartLostError(f"lost in view {view}")

    with pytest.raises(PartLostError, match="lost in view 5"):
        read_with_retry(take, reading)


def test_other_errors_are_not_tried_again():
    def reading(view: object) -> None:
        raise StorageError("damaged")

    with pytest.raises(StorageError, match="damaged"):
        read_with_retry(lambda: None, reading)
