"""What an index must hold: an index built anew from the same documents, with which another is compared."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from epochal.storage.protocol import View
from epochal.storage.store import Store
from storage.whole import DIM, WORDS, check_whole, entry

#: The version of each document.
State = dict[str, int]


class WrongError(Exception):
    """An index holds something else than it must."""


def build(folder: Path, state: State) -> None:
    """An index built anew."""
    with Store.create(folder, "test", DIM) as store:
        if state:
            store.add([entry(id, version) for id, version in state.items()])


def read_state(view: View) -> State:
    """The documents of a view, after everything about them was compared with what they were made from."""
    try:
        return check_whole(view)
    except AssertionError as error:
        raise WrongError(f"a document is not whole: {error}") from error


def describe_anew(state: State) -> dict[str, Any]:
    """What searches must find."""
    with tempfile.TemporaryDirectory(prefix="epochal-anew-") as place:
        build(Path(place) / "anew", state)
        with Store.open(Path(place) / "anew") as anew:
            return describe_searches(anew.view())


def compare_searches(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compare what searches find with what they must."""
    for name in expected.keys() & found.keys():
        if found[name] != expected[name]:
            raise WrongError(f"{name}: {str(found[name])[:200]} instead of {str(expected[name])[:200]}")


def describe_searches(view: View) -> dict[str, Any]:
    """What searches find, without the numbers of rows, which depend on the order of writes."""
    rows = view.alive
    documents = view.get_documents(view.alive_documents)
    ids = dict(zip(view.alive_documents.tolist(), (document.id for document in documents), strict=True))
    names = {item.row: f"{ids[item.document_row]}/{item.ordinal}" for item in view.get_passages(rows)}
    described: dict[str, Any] = {
        f"rows with {word!r}": sorted(names[row] for row in view.search_words(word, max(len(rows), 1)).rows.tolist())
        for word in WORDS[::3]
    }
    if len(rows):
        probe = np.linspace(-1, 1, DIM).astype(np.float32)
        # Passages of one text are equally near, and follow each other in the order of writes.
        found = view.search_vectors(probe, len(rows))
        near = zip(found.scores.tolist(), (names[row] for row in found.rows.tolist()), strict=True)
        described["nearest"] = [name for _, name in sorted((-round(score, 6), name) for score, name in near)[:10]]
        first = view.search_vectors(probe, 10).scores.tolist()
        described["scores of the nearest"] = [round(score, 6) for score in first]
    if not _has_dead(view):
        found = view.search_words(" ".join(WORDS[:4]), max(len(rows), 1))
        described["scores"] = sorted(
            [names[row], round(score, 3)] for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True)
        )
    return described


def _has_dead(view: View) -> bool:
    """Whether deleted rows still count in the statistics of words: all titles have one word in common."""
    (token,) = view.analyse("title")
    return view.get_document_frequencies([token])[token] != len(view.alive)
