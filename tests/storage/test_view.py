"""Whatever a time window keeps, words and vectors find the best of exactly that, as if all were looked at."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.storage.columns import get_map
from epochal.storage.protocol import Backend, View
from epochal.storage.store import Store
from epochal.times import Span, after, before, during, overlaps
from spans_strategy import spans
from storage.whole import DIM, WORDS, entry, vector_of


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    """A view with documents of many times, of which some were deleted and some replaced."""
    with Store.create(tmp_path_factory.mktemp("view"), "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(120)])
        store.delete([f"d{number}" for number in range(0, 120, 7)])
        store.add([entry(f"d{number}", 2) for number in range(0, 120, 5)])
        yield store.view()


def test_columns_are_maps_of_files_which_processes_share(view):
    filled = {name: column for name, column in view._columns.items() if column.size}
    assert {"vectors", "tokens", "passages.document", "documents.seq"} <= set(filled)
    assert [name for name, column in filled.items() if get_map(column) is None or column.flags.writeable] == []


def reference(view: View, window: Span, make) -> np.ndarray:
    """The passages that a window keeps, by looking at every dating of every passage."""
    keeps = make(window)
    kept = [p.row for p in view.get_passages(view.alive) if any(keeps(dating.span) for dating in p.datings)]
    return np.array(sorted(kept), dtype=np.int64)


windows = st.one_of(
    st.builds(Span.year, st.integers(-900, 2100)),
    st.tuples(st.integers(-900, 2100), st.integers(0, 900)).map(
        lambda pair: Span.between(Span.year(pair[0]), Span.year(pair[0] + pair[1]))
    ),
    spans(),
)


@given(
    window=windows,
    make=st.sampled_from([during, overlaps, before, after]),
    query=st.lists(st.sampled_from([*WORDS, "title", "d17", "unheard"]), min_size=1, max_size=5).map(" ".join),
    k=st.sampled_from([1, 3, 10, 50, 1000]),
)
def test_windows_are_exact(view, window, make, query, k):
    table = view.content
    rows = np.unique(table.rows[table.spans.find(make(window))])
    assert rows.tolist() == reference(view, window, make).tolist()
    everything = view.search_words(query, view.passage_count)
    allowed = np.isin(everything.rows, rows)
    found = view.search_words(query, k, rows)
    assert found.rows.tolist() == everything.rows[allowed][:k].tolist()
    assert found.scores.tolist() == everything.scores[allowed][:k].tolist()
    assert view.score_words(query, found.rows).tolist() == found.scores.tolist()
    vector = vector_of(query)
    passages = view.get_passages(rows)
    scores = {p.row: float((vector_of(p.text).astype(np.float64) * vector).sum()) for p in passages}
    best = sorted(scores, key=lambda row: (-scores[row], row))[:k]
    near = view.search_vectors(vector, k, rows)
    assert near.rows.tolist() == best
    assert near.scores.tolist() == [scores[row] for row in best]
    assert view.score_vectors(vector, near.rows).tolist() == near.scores.tolist()


def test_dead_rows_are_dropped_from_a_restriction(view):
    everything = np.arange(view.alive[-1] + 1)
    assert len(everything) > len(view.alive)
    assert view.search_vectors(vector_of("x"), 10_000, everything).rows.tolist() == sorted(
        view.search_vectors(vector_of("x"), 10_000).rows.tolist(),
        key=view.search_vectors(vector_of("x"), 10_000).rows.tolist().index,
    )
    assert set(view.search_words("winter", 10_000, everything).rows.tolist()) <= set(view.alive.tolist())


def test_places_of_content_point_into_passages(view):
    table = view.content
    assert len(table) == len(table.spans) == len(table.start_chars) == len(table.end_chars) > 100
    assert (table.start_chars == 0).all()
    assert (table.end_chars == 1).all()
    assert (view.published.start_chars == -1).all()
    assert (np.diff(table.rows) >= 0).all()
    assert (table.spans.weights == 0.5).all()
    assert len(view.valid) == 0


def test_the_store_is_what_the_protocols_ask_for(tmp_path):
    with Store.create(tmp_path) as store:
        backend: Backend = store
        view: View = backend.view()
        for protocol, thing in ((Backend, backend), (View, view)):
            names = [name for name in vars(protocol) if not name.startswith("_")]
            assert len(names) > 8
            assert [name for name in names if not hasattr(type(thing), name)] == []
