"""Shards as one index: the same answers as one store, placed by id; fail and degrade when one does not answer."""

from __future__ import annotations

import threading
from collections import Counter

import numpy as np
import pytest

from backends.sharded.doubles import CountedStore, Faulty, faulty_cluster, making
from epochal.api import Index
from epochal.backends.sharded import Limits, Node, Server, ShardedBackend
from epochal.backends.sharded.placing import get_shard
from epochal.errors import EpochalError, IndexLockedError, PartLostError, StorageError
from epochal.storage.protocol import Backend, SupportsParts, SupportsStatistics, View
from epochal.storage.records import Document, Entry, Passage
from epochal.storage.store import Store
from epochal.testing import check_backend

#: Short enough to wait for servers that a test holds up; others have longer, see the fixture late_servers.
SOON = Limits(timeout=1.0, load_timeout=120.0, write_timeout=120.0)
IDS = [f"d{number}" for number in range(30)]


def entry(id: str, text: str = "Tariffs rise in winter.") -> Entry:
    return Entry(Document(id, text), (Passage(0, len(text)),))


def ids_of(view) -> set[str]:
    return {document.id for batch in view.iterate() for document in batch}


def on(shard: int, ids=IDS, count: int = 3) -> list[str]:
    return [id for id in ids if get_shard(id, count) == shard]


def test_shards_that_are_embedded_stores_pass_the_conformance_suite(tmp_path):
    # All of it runs on real servers, see test_real.py; here is what hangs on the shards alone.
    check_backend(making(tmp_path, 2), groups=("visibility", "vectors")).assert_passed()


def test_each_document_lies_where_its_id_falls(tmp_path):
    backend, parts = faulty_cluster(tmp_path, "fail", SOON)
    backend.add([entry(id) for id in IDS])
    for shard, part in enumerate(parts):
        assert ids_of(part.view()) == set(on(shard)) != set()
    assert backend.delete(IDS[:10]) == 10
    assert ids_of(backend.view()) == set(IDS[10:])
    backend.close()


# ---------------------------------------------------------------- what is no index


def test_nodes_in_another_order_are_refused(tmp_path):
    stores = [CountedStore(Store.create(tmp_path / str(number))) for number in range(3)]
    ShardedBackend.of(stores).add([entry(id) for id in IDS])
    with pytest.raises(
        EpochalError, match=r"node 'node 1', the 1\. of 3, holds document 'd\d+', which belongs to the 2"
    ):
        ShardedBackend.of([stores[1], stores[0], stores[2]])


def test_another_count_of_nodes_is_refused(tmp_path):
    stores = [CountedStore(Store.create(tmp_path / str(number))) for number in range(3)]
    ShardedBackend.of(stores).add([entry(id) for id in IDS])
    with pytest.raises(EpochalError, match="list all nodes in the order in which the index was made"):
        ShardedBackend.of(stores[:2])


def test_nodes_of_other_encoders_are_refused(tmp_path):
    stores = [Store.create(tmp_path / "a"), Store.create(tmp_path / "b", "test", 8)]
    with pytest.raises(EpochalError, match="all nodes of an index must have been made together"):
        ShardedBackend.of([CountedStore(store) for store in stores])


def test_a_node_that_cannot_rank_by_others_statistics_is_reported_of(tmp_path):
    backend = ShardedBackend.of([Store.create(tmp_path / "a")])
    backend.add([entry("a")])
    with pytest.raises(EpochalError, match="EmbeddedView cannot rank words by the statistics of all shards"):
        backend.view().search_words("tariff", 3)
    backend.close()


def test_what_makes_no_cluster_is_refused(tmp_path):
    with pytest.raises(EpochalError, match="no policy is called 'hope'; known: fail, degrade"):
        ShardedBackend.of([Store.create(tmp_path / "a")], "hope")  # type: ignore[arg-type]
    nodes = [Node("same", [Server("same", lambda: None)]) for _ in range(2)]
    with pytest.raises(StorageError, match="each node must have a name of its own"):
        ShardedBackend(nodes)
    with pytest.raises(StorageError, match="node 'x' has no server"):
        Node("x", [])


# ---------------------------------------------------------------- a shard fails


def test_the_policy_fail_names_the_node(tmp_path):
    backend, parts = faulty_cluster(tmp_path, "fail", SOON)
    backend.add([entry(id) for id in IDS])
    view = backend.view()
    parts[1].down = True
    with pytest.raises(
        StorageError, match="1 of 3 shards cannot be read: 'n1': the server closed the connection"
    ) as message:
        backend.view()
    assert not isinstance(message.value, PartLostError)
    with pytest.raises(StorageError, match="the shard 'n1' stopped answering while it was read") as message:
        view.search_words("tariff", 5)
    assert not isinstance(message.value, PartLostError)
    with pytest.raises(StorageError, match="'n1'"):
        Index(backend, None).search("tariffs")
    parts[1].down = False
    assert ids_of(backend.view()) == set(IDS)
    assert len(Index(backend, None).search("tariffs", k=30, collapse_versions=False)) == 30
    backend.close()


def test_the_policy_degrade_does_without_and_says_so(tmp_path):
    backend, parts = faulty_cluster(tmp_path, "degrade", SOON)
    backend.add([entry(id) for id in IDS])
    index = Index(backend, None)
    assert index.search("tariffs").missing == ()
    parts[1].down = True
    found = index.search("tariffs", k=30, collapse_versions=False)
    assert found.missing == ("n1",)
    assert found.to_dict()["missing"] == ["n1"]
    assert found.applied[-1].name == "missing"
    assert "skipped the shard n1" in found.applied[-1].sentence
    assert {hit.id for hit in found} == set(on(0) + on(2))
    assert len(index) == len(on(0) + on(2))
    # What may lie on the shard is not said to be absent.
    with pytest.raises(StorageError, match="of the shard 'n1' are asked for, which does not answer"):
        index.get(on(1)[0])
    assert index.get(on(0)[0]).id == on(0)[0]
    with pytest.raises(StorageError, match="a backup needs all shards, but n1 did not answer"):
        index.backup(tmp_path / "copy")
    parts[1].down = False
    assert backend.recheck() == ()
    assert {hit.id for hit in index.search("tariffs", k=30, collapse_versions=False)} == set(IDS)
    backend.close()


@pytest.mark.parametrize(
    "step", ["get_statistics", "search_words_with", "score_words_with", "get_documents", "get_texts"]
)
def test_a_shard_lost_in_the_middle_of_a_search_is_left_out_of_all_of_it(tmp_path, step):
    backend, parts = faulty_cluster(tmp_path, "degrade", SOON)
    backend.add([entry(id) for id in IDS])
    gate = parts[2].gate

    def failing(name):
        parts[2].down = parts[2].down or name == step
        gate(name)

    parts[2].gate = failing
    found = Index(backend, None).search("tariffs", k=30, collapse_versions=False)
    assert parts[2].down
    assert found.missing == ("n2",)
    assert {hit.id for hit in found} == set(on(0) + on(1))
    backend.close()


def test_a_view_never_changes_its_mind(tmp_path):
    backend, parts = faulty_cluster(tmp_path, "degrade", SOON)
    backend.add([entry(id) for id in IDS])
    whole = backend.view()
    parts[0].down = True
    with pytest.raises(PartLostError, match="the shard 'n0' stopped answering"):
        whole.search_words("tariff", 5)
    assert whole.missing == ()
    part = backend.view()
    assert part.missing == ("n0",)
    assert part is backend.view()
    parts[0].down = False
    assert backend.recheck() == ()
    assert part.missing == ("n0",)
    assert backend.view().missing == ()
    assert len(whole.search_words("tariff", 99)) == len(IDS)
    assert len(part.search_words("tariff", 99)) == len(on(1) + on(2))
    with pytest.raises(StorageError, match="rows or documents of the shard 'n0'"):
        part.get_documents(whole.alive_documents)
    backend.close()


def test_a_failure_that_is_none_of_the_servers_costs_no_shard(tmp_path):
    """A state that was removed meanwhile, say: the search begins again, with all shards."""
    backend, parts = faulty_cluster(tmp_path, "degrade", SOON)
    backend.add([entry(id) for id in IDS])
    gate = parts[2].gate

    def once(name):
        if name == "search_words_with":
            parts[2].gate = gate
            raise StorageError("this state was removed meanwhile; take a new view")
        gate(name)

    parts[2].gate = once
    found = Index(backend, None).search("tariffs", k=30, collapse_versions=False)
    assert (found.missing, len(found)) == ((), 30)
    assert parts[2].gate is gate
    backend.close()


def test_when_no_shard_answers_there_is_no_answer(tmp_path):
    backend, parts = faulty_cluster(tmp_path, "degrade", SOON)
    for part in parts:
        part.down = True
    with pytest.raises(StorageError, match="3 of 3 shards cannot be read"):
        backend.view()
    with pytest.raises(StorageError, match="3 of 3 shards cannot be read"):
        Index(backend, None).search("tariffs")
    backend.close()


def test_a_cluster_opens_without_a_node_that_is_down(tmp_path):
    def down():
        raise StorageError("connection refused")

    def nodes(first):
        stores = [CountedStore(Store.open(tmp_path / str(number))) for number in range(3)]
        return [Node(f"n{at}", [Server(f"n{at}", first if at == 0 else lambda s=s: s)]) for at, s in enumerate(stores)]

    with ShardedBackend.of([CountedStore(Store.create(tmp_path / str(number))) for number in range(3)]) as backend:
        backend.add([entry(id) for id in IDS])
    with pytest.raises(StorageError, match="1 of 3 shards cannot be read: 'n0': connection refused; with the policy"):
        ShardedBackend(nodes(down), "fail", SOON)
    answering = []

    def later():
        return answering[0] if answering else down()

    with ShardedBackend(nodes(later), "degrade", SOON) as backend:
        assert backend.view().missing == ("n0",)
        with pytest.raises(
            StorageError, match="the shard 'n0' cannot be written: connection refused; 0 of 1 documents"
        ):
            backend.add([entry(on(0)[0])])
        answering.append(CountedStore(Store.open(tmp_path / "0")))
        assert backend.recheck() == ()
        assert ids_of(backend.view()) == set(IDS)


# ---------------------------------------------------------------- a shard is slow


@pytest.mark.parametrize("policy", ["fail", "degrade"])
def test_a_slow_shard_is_waited_for_no_longer_than_the_timeout(tmp_path, late_servers, policy):
    backend, parts = faulty_cluster(tmp_path, policy, SOON)
    backend.add([entry(id) for id in IDS])
    index = Index(backend, None)
    assert len(index.search("tariffs", k=30, collapse_versions=False)) == 30
    parts[1].held.clear()
    late_servers.add("n1")
    before = parts[1].calls.copy()
    if policy == "fail":
        with pytest.raises(StorageError, match="'n1': n1 did not answer within 1 s"):
            index.search("tariffs")
    else:
        for _ in range(20):
            assert index.search("tariffs").missing == ("n1",)
        # The first search waited for it, and one question more is out; the others did not wait, and did not ask.
        assert parts[1].calls["view"] - before["view"] <= 2
        assert parts[1].calls["search_words_with"] == before["search_words_with"]
    parts[1].held.set()
    late_servers.clear()
    assert backend.recheck() == ()
    assert len(index.search("tariffs", k=30, collapse_versions=False)) == 30
    backend.close()


def test_a_slow_shard_holds_up_no_other_for_any_caller(tmp_path, late_servers):
    backend, parts = faulty_cluster(tmp_path, "degrade", SOON)
    backend.add([entry(id) for id in IDS])
    view = backend.view()
    Index(backend, None).search("tariffs")  # what a first question loads is loaded once, not by all threads at once
    parts[1].held.clear()
    late_servers.add("n1")
    results: Counter[str] = Counter()

    def asking():
        try:
            view.get_statistics(["another"])
        except PartLostError:
            results["lost"] += 1
        found = Index(backend, None).search("tariffs", k=30, collapse_versions=False)
        results[f"{found.missing} {len(found)}"] += 1

    threads = [threading.Thread(target=asking) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert results == {"lost": 12, f"('n1',) {len(on(0) + on(2))}": 12}
    parts[1].held.set()
    late_servers.clear()
    assert backend.recheck() == ()
    backend.close()


# ---------------------------------------------------------------- writing


def test_a_write_that_one_shard_fails_says_what_is_stored_and_can_be_done_again(tmp_path):
    for policy in ("fail", "degrade"):
        backend, parts = faulty_cluster(tmp_path / policy, policy, SOON)
        parts[1].down = True
        stored = len(IDS) - len(on(1))
        message = f"the shard 'n1' cannot be written: the server closed the connection; {stored} of 30 documents are"
        with pytest.raises(StorageError, match=message):
            backend.add([entry(id) for id in IDS])
        parts[1].down = False
        backend.recheck()
        assert ids_of(backend.view()) == set(on(0) + on(2))
        assert backend.add([entry(id) for id in IDS]) == 30
        assert Counter(d.id for batch in backend.view().iterate() for d in batch) == Counter(IDS)
        backend.close()


def test_an_import_that_was_cut_off_goes_on_where_it_stopped(tmp_path):
    backend, parts = faulty_cluster(tmp_path, "fail", SOON)
    index, documents = Index(backend, None), [Document(id, f"Tariffs rise in {1900 + n}.") for n, id in enumerate(IDS)]
    parts[2].down = True
    with pytest.raises(StorageError, match="'n2'"):
        index.add(documents)
    parts[2].down = False
    assert index.add(documents) == len(on(2))
    assert index.add(documents) == 0
    assert len(index) == len(IDS)
    backend.close()


def test_bulk_tells_what_went_wrong_inside_and_not_what_came_of_it(tmp_path):
    backend, parts = faulty_cluster(tmp_path, "fail", SOON)
    with pytest.raises(KeyError, match="inside"), backend.bulk():  # noqa: PT012
        backend.add([entry(id) for id in IDS])
        raise KeyError("inside")
    assert ids_of(backend.view()) == set(IDS)
    backend.close()
    assert parts[0].calls["add"] == 1


def test_another_writer_is_reported_of_by_name(tmp_path):
    stores = [Store.create(tmp_path / str(number)) for number in range(2)]
    others = [Store.open(store.path) for store in stores]
    message = "the shard 'node 1', 'node 2' cannot be written: another writer"
    backend = ShardedBackend.of([CountedStore(store) for store in others])
    with backend, pytest.raises(IndexLockedError, match=message):
        backend.add([entry(id) for id in IDS])
    for store in stores:
        store.close()


# ---------------------------------------------------------------- replicas


def replicated(tmp_path, policy="fail"):
    """Two nodes, the first with a copy that shares its folder, as a replica shares what its primary writes."""
    stores = [CountedStore(Store.create(tmp_path / str(number))) for number in range(2)]
    members = [Faulty(stores[0]), Faulty(CountedStore(Store.open(tmp_path / "0"))), Faulty(stores[1])]
    servers = [Server(name, lambda m=m: m) for name, m in zip(("primary", "copy", "other"), members, strict=True)]
    backend = ShardedBackend([Node("n0", servers[:2]), Node("n1", servers[2:])], policy, SOON)
    backend.add([entry(id) for id in IDS])
    return backend, members


def test_reads_go_to_copies_in_turn(tmp_path):
    backend, (primary, copy, _) = replicated(tmp_path)
    view = backend.view()
    requests = primary.calls["search_words_with"], copy.calls["search_words_with"]
    for _ in range(10):
        assert len(view.search_words("tariff", 99)) == 30
    assert primary.calls["search_words_with"] - requests[0] == copy.calls["search_words_with"] - requests[1] == 5
    backend.close()


@pytest.mark.parametrize("policy", ["fail", "degrade"])
def test_reads_survive_a_primary_that_is_gone_and_writes_do_not(tmp_path, policy):
    backend, (primary, copy, _) = replicated(tmp_path, policy)
    view = backend.view()
    primary.down = True
    assert all(len(view.search_words("tariff", 99)) == 30 for _ in range(4)), (
        "the other server of the same state answers"
    )
    found = Index(backend, None).search("tariffs", k=30, collapse_versions=False)
    assert (len(found), found.missing) == (30, ())
    with pytest.raises(StorageError, match="the shard 'n0' cannot be written"):
        backend.add([entry(id, "Other.") for id in IDS])
    primary.down, copy.down = False, True
    backend.recheck()
    assert Index(backend, None).search("tariffs").missing == ()
    primary.down = True
    if policy == "degrade":
        assert Index(backend, None).search("tariffs").missing == ("n0",)
    else:
        with pytest.raises(StorageError, match="1 of 2 shards cannot be read: 'n0'"):
            Index(backend, None).search("tariffs")
    backend.close()


def test_a_copy_that_is_behind_is_left_out(tmp_path):
    backend, (_, copy, _) = replicated(tmp_path)
    behind = copy.view()
    copy.view = lambda: behind
    backend.add([entry(id, "Tariffs fall.") for id in IDS])
    view = backend.view()
    assert len(view.search_words("fall", 99)) == 30
    assert [len(node.members) for node in view.shards] == [1, 1]
    assert [server.name for server, _ in view.shards[0].members] == ["primary"]
    backend.close()


# ---------------------------------------------------------------- small things


def test_a_closed_backend_says_so(tmp_path):
    backend, _ = faulty_cluster(tmp_path, "degrade", SOON)
    backend.close()
    backend.close()
    for call in (backend.view, lambda: backend.add([entry("a")]), lambda: backend.get_content_hashes(["a"])):
        with pytest.raises(StorageError, match="is closed; open the index again"):
            call()


def test_bad_input_is_no_failure_of_a_shard(tmp_path):
    backend, _ = faulty_cluster(tmp_path, "degrade", SOON)
    backend.add([entry(id) for id in IDS])
    view = backend.view()
    for call, words in (
        (lambda: view.search_words("tariff", 0), "k must be at least 1"),
        (lambda: view.search_words("tariff", 1, np.array([3, 1])), "rows must ascend"),
        (lambda: view.search_words("tariff", 1, np.array([-3, 1])), "rows must ascend"),
        (lambda: view.search_words("tariff", 1, np.array([10**6])), "rows must ascend"),
    ):
        with pytest.raises(EpochalError, match=words) as message:
            call()
        assert not isinstance(message.value, StorageError)
    assert backend.view().missing == ()
    backend.close()


def test_it_is_what_the_protocols_ask_for(tmp_path):
    backend, _ = faulty_cluster(tmp_path, "degrade", SOON)
    for protocol, thing in ((Backend, backend), (View, backend.view()), (SupportsStatistics, backend.view())):
        names = [name for name in vars(protocol) if not name.startswith("_")]
        assert len(names) >= 3
        assert [name for name in names if not hasattr(type(thing), name)] == []
    assert isinstance(backend.view(), SupportsParts)
    backend.close()
