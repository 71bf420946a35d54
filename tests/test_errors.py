"""Errors reach the process that waits for a worker, with their sentence and what they carry."""

from __future__ import annotations

import pickle

import pytest

from epochal import errors


@pytest.mark.parametrize(
    "error",
    [
        errors.EpochalError("no time is given"),
        errors.TimeParseError("soonish", "2020-05-01"),
        errors.TableError("eras.toml", 3, "lacks a name"),
        errors.UnknownNameError("scorer", "bm26", ["bm25", "gate"]),
        errors.InputError("news.jsonl", 7, "is no JSON"),
        errors.IndexLockedError("another writer has the index"),
        errors.IndexReplacedError("open it again"),
        errors.MissingExtraError("PDF", "pypdf", "pdf"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_a_change_of_process(error: errors.EpochalError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (str(copy), vars(copy)) == (str(error), vars(error))
