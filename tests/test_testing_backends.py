"""The conformance suite for backends: the embedded store passes it, and each way to be wrong is seen."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest

from epochal.errors import EpochalError
from epochal.storage.protocol import Ranked
from epochal.storage.store import Store
from epochal.testing import BACKEND_GROUPS, check_backend
from epochal.testing.store_searching import same_ranking


class Wrapped:
    """A store, one of whose ways is changed: `changes` are functions of the store's own answer."""

    def __init__(self, inner, changes):
        self._inner, self._changes = inner, changes

    def __getattr__(self, name):
        found = getattr(self._inner, name)
        change = self._changes.get(name)
        if name == "view":
            return lambda: Wrapped(found(), self._changes)
        return change(found) if change else found


def making(folder: Path, **changes):
    numbers = count()

    def make(encoder_name: str, dim: int):
        store = Store.create(folder / str(next(numbers)), encoder_name, dim)
        return Wrapped(store, changes) if changes else store

    return make


def test_the_embedded_store_passes(tmp_path):
    report = check_backend(making(tmp_path), reopen=lambda store: Store.open(store.path))
    report.assert_passed()
    assert tuple(report.groups()) == BACKEND_GROUPS
    assert len({result.id for result in report.results}) == len(report.results) > 30


def shorter(call):
    def changed(query, k, rows=None):
        found = call(query, k, rows)
        return Ranked(found.rows[: max(1, len(found) - 1)], found.scores[: max(1, len(found) - 1)])

    return changed


def unfiltered(call):
    return lambda query, k, rows=None: call(query, k)


def shifted(call):
    def changed(query, k, rows=None):
        found = call(query, k, rows)
        return Ranked(found.rows, found.scores + 1e-3)

    return changed


def moody(calls):
    """Another answer each second time, whoever asks."""

    def change(call):
        return lambda query, k, rows=None: call(query, k if next(calls) % 2 else max(1, k - 1), rows)

    return change


def test_what_is_lost_on_closing_is_seen(tmp_path):
    empty = making(tmp_path / "others")

    def forgetful(store):
        return empty(store.encoder_name, store.dim)

    report = check_backend(making(tmp_path), groups=("upkeep",), reopen=forgetful)
    assert [result.id for result in report.failed] == ["what-is-closed-is-kept"]


WRONG = {
    "words-are-those-of-the-passages": ("words", {"search_words": shorter}),
    "words-are-exact-whatever-rows-keep": ("words", {"search_words": unfiltered}),
    "words-rank-alike": ("differences", {"search_words": shifted}),
    "vectors-are-exact-whatever-rows-keep": ("vectors", {"search_vectors": unfiltered}),
    "contexts-are-those-of-the-texts": ("words", {"match_contexts": lambda call: lambda *given: ~call(*given)}),
    "what-is-deleted-is-gone": ("writing", {"delete": lambda call: len}),
    "what-is-added-is-there": ("writing", {"add": lambda call: lambda entries: call(list(entries)[1:]) + 1}),
    "content-hashes-tell-what-is-stored": ("writing", {"get_content_hashes": lambda call: lambda ids: {}}),
    "series-are-kept-together": ("times", {"get_series_rows": lambda call: lambda code: np.empty(0, np.int64)}),
    "documents-come-in-the-order-of-rows": ("times", {"get_documents": lambda call: lambda rows: call(np.sort(rows))}),
    "a-view-is-kept-while-nothing-changes": ("visibility", {"generation": lambda value: 7}),
    "a-view-is-read-by-many-threads": ("visibility", {"search_words": moody(count())}),
    "one-wrong-entry-stores-nothing": ("input", {"add": lambda call: lambda entries: call(list(entries)[:1])}),
}


@pytest.mark.parametrize("id", WRONG)
def test_each_way_to_be_wrong_is_seen(tmp_path, id):
    group, changes = WRONG[id]
    report = check_backend(making(tmp_path, **changes), groups=(group,))
    assert id in {result.id for result in report.failed}
    with pytest.raises(AssertionError, match=id):
        report.assert_passed()


def test_what_a_backend_raises_is_its_failure(tmp_path):
    def broken(call):
        def raising(*given):
            raise RuntimeError("no more disk")

        return raising

    report = check_backend(making(tmp_path, add=broken), groups=("upkeep",))
    assert {result.problem for result in report.failed} == {"raises RuntimeError: no more disk"}
    assert len(report.failed) == len(report.results) > 2


def test_rankings_are_compared_up_to_ties():
    every = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.5}
    wanted = [("a", 2.0), ("b", 1.0)]
    assert same_ranking([("a", 2.00005), ("c", 1.0)], wanted, every) == ""
    for found, words in (
        ([("a", 2.0)], "there are 1, but must be 2"),
        ([("b", 1.0), ("a", 2.0)], "place 1 has b"),
        ([("a", 2.0), ("d", 0.5)], "place 2 has d"),
        ([("a", 2.0), ("x", 1.0)], "place 2 has x"),
        ([("a", 2.0), ("b", 1.001)], "place 2 has b with 1.001"),
    ):
        assert words in same_ranking(found, wanted, every)
    tied = [("b", 1.0), ("c", 1.0)]
    assert same_ranking([("b", 1.0), ("b", 1.0)], tied, every) == "something is there twice"


def test_what_is_no_factory_or_group_is_refused(tmp_path):
    with pytest.raises(EpochalError, match="5 makes no backend"):
        check_backend(5)  # type: ignore[arg-type]
    with pytest.raises(EpochalError, match="no group is called 'spam'; known: writing, visibility"):
        check_backend(making(tmp_path), groups=("spam",))
