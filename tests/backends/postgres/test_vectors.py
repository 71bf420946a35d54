"""Vectors: the scores of the embedded store, exactly, under any restriction; prefixes; and the HNSW index."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend_entries import made_entry
from epochal.backends.postgres import vectors
from epochal.backends.postgres import vectors as planner
from epochal.backends.postgres.connection import PostgresAddress
from epochal.backends.postgres.store import PostgresStore
from epochal.backends.postgres.vectors import VectorPlan, choose, may_index, restriction
from epochal.backends.postgres.writing import build_hnsw
from epochal.errors import EpochalError
from epochal.storage.records import Document, Entry, Passage

DIM = 32


def rough_entries(count: int, dim: int = DIM) -> list[Entry]:
    """Vectors of few whole numbers, so that many have equal products; some of zeros."""
    rng = np.random.default_rng(3)
    numbers = rng.integers(-1, 2, (count, dim)).astype(np.float32) * rng.integers(0, 2, (count, 1)).astype(np.float32)
    return [
        Entry(Document(f"d{row}", "x"), (Passage(0, 1),), numbers[row : row + 1], (b"%d" % row,))
        for row in range(count)
    ]


@pytest.fixture(scope="module")
def both(tmp_path_factory, postgres_server, namespaces):
    from epochal.storage.store import Store

    with (
        Store.create(tmp_path_factory.mktemp("embedded"), "m@m", DIM) as embedded,
        PostgresStore.create(postgres_server.address(next(namespaces)), "m@m", DIM) as postgres,
    ):
        for store in (embedded, postgres):
            store.add(rough_entries(150))
            store.add([made_entry(f"e{number}", f"text {number}", dim=DIM) for number in range(150)])
            store.delete([f"d{row}" for row in range(0, 60, 3)])
        yield embedded.view(), postgres.view()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_hits_and_scores_are_those_of_the_embedded_store(both, data) -> None:
    true, ours = both
    whole = data.draw(st.booleans())
    numbers = st.integers(-2, 2) if whole else st.floats(-1, 1, width=32)
    query = np.array(data.draw(st.lists(numbers, min_size=DIM, max_size=DIM)), dtype=np.float32)
    k = data.draw(st.sampled_from([1, 5, 60, 400]))
    low, high = sorted(data.draw(st.tuples(st.integers(0, 300), st.integers(0, 300))))
    step = data.draw(st.integers(1, 7))
    for rows in (None, np.arange(low, high, step)):
        expected, result = true.search_vectors(query, k, rows), ours.search_vectors(query, k, rows)
        assert result.rows.tolist() == expected.rows.tolist()
        assert result.scores.tolist() == expected.scores.tolist()
    some = np.array(data.draw(st.lists(st.integers(0, 299), max_size=20)), dtype=np.int64)
    assert ours.score_vectors(query, some).tolist() == true.score_vectors(query, some).tolist()
    assert np.array_equal(ours.get_vectors(some), true.get_vectors(some))


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 7, 400]), st.sampled_from([None, 3, 50]))
def test_prefixes_are_those_of_the_embedded_store(both, seed, k, shortlist) -> None:
    dims = 16
    query = np.random.default_rng(seed).standard_normal(dims if shortlist is None else DIM).astype(np.float32)
    true, ours = (view.with_dims(dims, shortlist) for view in both)
    assert (ours.dim, ours.encoder_name) == (true.dim, true.encoder_name)
    for rows in (None, np.arange(5, 290, 4)):
        expected, result = true.search_vectors(query, k, rows), ours.search_vectors(query, k, rows)
        assert result.rows.tolist() == expected.rows.tolist()
        assert result.scores.tolist() == expected.scores.tolist()
    assert np.array_equal(ours.get_vectors(np.array([3, 1])), true.get_vectors(np.array([3, 1])))


def test_wrong_queries_are_refused(both, store: PostgresStore) -> None:
    _, view = both
    for query, why in ((np.ones(3), "must have 32 numbers"), (np.full(DIM, np.nan), "not finite")):
        with pytest.raises(EpochalError, match=why):
            view.search_vectors(query.astype(np.float32), 3)
    with pytest.raises(EpochalError, match="k must be at least 1"):
        view.search_vectors(np.ones(DIM, np.float32), 0)
    with pytest.raises(EpochalError, match="dims must be from 1 to 32"):
        view.with_dims(33)
    assert view.with_dims(32) is view
    for call in (lambda: store.view().search_vectors(np.ones(2, np.float32), 1), lambda: store.view().with_dims(2)):
        with pytest.raises(EpochalError, match="made without an encoder"):
            call()


def test_vectors_in_memory_are_bounded(both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_MAX_CACHED", 7)
    _, view = both
    assert view.get_vectors(np.arange(100)).shape == (100, DIM)
    assert len(view._vectors._kept) <= 7
    assert np.array_equal(view.get_vectors(np.arange(100)), both[0].get_vectors(np.arange(100)))


# ---------------------------------------------------------------- the planner


def test_what_keeps_little_is_compared_row_by_row() -> None:
    for retained, exact in ((20_000, True), (49_000, True), (50_000, False), (None, False)):
        assert choose(200_000, retained, 50, has_index=True).exact is exact
        assert choose(200_000, retained, 50, has_index=False).exact
    assert choose(9_000, None, 50, has_index=True).exact  # so few are faster compared than walked through
    assert choose(200_000, None, 2_000, has_index=True).exact  # no list of pgvector's is so long
    assert choose(200_000, None, 50, has_index=True) == VectorPlan(exact=False, limit=82, breadth=246)


def test_when_there_should_be_an_index() -> None:
    address = PostgresAddress.parse("postgresql:///x?hnsw_from=10")
    assert may_index(10, 384, address)
    assert not may_index(9, 384, address)
    assert not may_index(10, 0, address)
    assert not may_index(10, 3072, address)
    assert not may_index(10, 384, PostgresAddress.parse("postgresql:///x?hnsw_from=10&search=exact"))


@given(st.sets(st.integers(0, 300), min_size=1))
def test_a_restriction_is_the_rows(rows: set[int]) -> None:
    given_rows = np.array(sorted(rows))
    message = restriction(given_rows)
    spread = [
        row
        for low, high in zip(message.lows.tolist(), message.highs.tolist(), strict=True)
        for row in range(low, high + 1)
    ]
    assert spread == given_rows.tolist()
    assert message.rows is None or message.rows.tolist() == given_rows.tolist()
    assert (message.rows is None) == (3 * len(message.lows) <= len(rows))


# ---------------------------------------------------------------- HNSW


@pytest.fixture
def indexed(postgres_server, namespaces, has_whole_pgvector, monkeypatch: pytest.MonkeyPatch):
    """A namespace with an HNSW index, which is used for all that is not narrow, however small it is."""
    if not has_whole_pgvector:
        pytest.skip("the package's pgvector needs SVE to build HNSW, which this processor lacks")
    monkeypatch.setattr(planner, "_FEW", 0)
    address = postgres_server.address(next(namespaces), hnsw_from=300)
    with PostgresStore.create(address, "m@m", DIM) as store:
        store.add([made_entry(f"a{number}", f"rain {number}", dim=DIM) for number in range(299)])
        assert not store._fetch("SELECT hnsw FROM epochal.namespaces WHERE name = %s", (store.address.namespace,))[0][0]
        store.add([made_entry("last", "rain", dim=DIM)])
        yield store


def test_the_index_is_used_and_its_answers_are_scored_exactly(indexed: PostgresStore) -> None:
    view = indexed.view()
    assert view._state.hnsw
    query = np.random.default_rng(1).standard_normal(DIM).astype(np.float32)
    index = f"Index Scan using vectors_hnsw_{view.space}"
    for rows in (None, np.arange(0, 300, 2), np.arange(40, 290)):
        plan = choose(300, None if rows is None else len(rows), 10, has_index=True)
        assert index in _explained(view, query, plan, rows)
        assert index not in _explained(view, query, VectorPlan(exact=True, limit=42), rows)
    result = view.search_vectors(query, 10)
    scores = view.get_vectors(np.arange(300)).astype(np.float64) @ query.astype(np.float64)
    assert result.scores == pytest.approx(scores[result.rows], abs=1e-12)
    assert set(result.rows.tolist()) == set(np.argsort(-scores)[:10].tolist())
    for rows in (np.arange(0, 300, 2), np.arange(40, 290)):
        inside = view.search_vectors(query, 10, rows)
        assert set(inside.rows.tolist()) == set(rows[np.argsort(-scores[rows])[:10]].tolist())
    narrow = view.search_vectors(query, 5, np.arange(0, 20))
    assert narrow.rows.tolist() == np.argsort(-scores[:20], kind="stable")[:5].tolist()


def test_exact_is_exact_although_there_is_an_index(indexed: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    walked = []
    monkeypatch.setattr(vectors, "_make_walk_settings", lambda plan: walked.append(plan) or ())
    address = f"{indexed.address.conninfo}&namespace={indexed.address.namespace}"
    for search, walks in (("auto", 1), ("exact", 0)):
        walked.clear()
        with PostgresStore.open(f"{address}&search={search}") as reader:
            assert len(reader.view().search_vectors(np.ones(DIM, np.float32), 7)) == 7
        assert len(walked) == walks


def test_the_dead_and_the_unseen_are_passed_over_by_the_index(indexed: PostgresStore) -> None:
    query = np.random.default_rng(1).standard_normal(DIM).astype(np.float32)
    first = indexed.view().search_vectors(query, 3).rows
    indexed.delete([document.id for document in indexed.view().get_documents(first)])
    assert not set(indexed.view().search_vectors(query, 50).rows.tolist()) & set(first.tolist())
    with indexed.bulk():
        indexed.add([made_entry(f"new{number}", f"x {number}", dim=DIM) for number in range(4)])
        assert 300 not in indexed.view().search_vectors(query, 297).rows
    indexed.compact()
    view = indexed.view()
    assert view._state.hnsw
    assert len(view.search_vectors(query, 20)) == 20


def test_whoever_does_not_own_the_tables_does_not_build(store: PostgresStore, address: str, postgres_server) -> None:
    postgres_server.execute("CREATE ROLE visitor LOGIN")
    postgres_server.execute("GRANT USAGE ON SCHEMA epochal TO visitor")
    postgres_server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA epochal TO visitor")
    from epochal.backends.postgres.connection import connect

    target = PostgresAddress.parse(address.replace("postgres:@", "visitor:@") + "&hnsw_from=0")
    connection = connect(target)
    assert build_hnsw(connection, target) is False
    connection.close()


def _explained(view, query: np.ndarray, plan: VectorPlan, rows: np.ndarray | None) -> str:
    statement, values = view._vectors.build_query(query, plan, rows)

    def ask(connection) -> str:
        with connection.transaction():
            for name, value in vectors._make_walk_settings(plan) if not plan.exact else ():
                connection.execute("SELECT set_config(%s, %s, true)", (name, value))
            return "\n".join(line for (line,) in connection.execute(f"EXPLAIN {statement}", values))

    return view._moment.run(ask)
