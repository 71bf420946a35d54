"""Three real servers as one index: conformance, and what happens when one is killed, is slow, or is swamped."""

from __future__ import annotations

import gc
import threading
from collections import Counter
from contextlib import contextmanager
from urllib.parse import quote

import pytest

from backends.sharded.proxy import Proxy
from epochal.api import Index
from epochal.backends.postgres.connection import Connections
from epochal.backends.postgres.store import PostgresStore
from epochal.backends.sharded import Limits, Node, Server, ShardedBackend
from epochal.backends.sharded.placing import get_shard
from epochal.cli import main
from epochal.errors import StorageError
from epochal.storage.addresses import get_provider
from epochal.storage.records import Document
from epochal.testing import check_backend
from epochal.times import Span

IDS = [f"d{number}" for number in range(60)]
PATIENT = "timeout = 30.0\n"
SOON = "timeout = 1.0\n"


def document(id: str, version: int = 1) -> Document:
    year = 1900 + int(id[1:]) % 100
    return Document(id, f"Report {id}: tariffs of version {version} rose in {year}.", meta={"version": version})


def on(*shards: int, ids=IDS) -> set[str]:
    return {id for id in ids if get_shard(id, 3) in shards}


def held(index: Index) -> Counter[str]:
    return Counter(document.id for document in index.documents())


@pytest.fixture
def cluster(postgres_servers, namespaces, tmp_path):
    """A cluster file for three servers, whose nodes are called n0, n1 and n2; `instead` gives other addresses."""
    servers, space = postgres_servers(3), next(namespaces)

    def written(text: str = "", instead=(), **options: object) -> str:
        lines = [text]
        for number, server in enumerate(servers):
            url = dict(instead).get(number) or server.address(space, **options)
            lines.append(f'[[node]]\nname = "n{number}"\nurl = "{url}"\n')
        path = tmp_path / "cluster.toml"
        path.write_text("\n".join(lines))
        return str(path)

    written.servers, written.space = servers, space
    return written


@pytest.fixture
def filled(cluster):
    """The same, with documents in it."""
    with Index.create(cluster(PATIENT), encoder=None) as index:
        assert index.add(document(id) for id in IDS) == len(IDS)
    return cluster


def test_the_conformance_suite_passes_on_three_shards(postgres_servers, namespaces):
    servers = postgres_servers(3)
    spaces: dict[ShardedBackend, str] = {}

    def make(encoder_name: str, dim: int) -> ShardedBackend:
        space = next(namespaces)
        stores = [PostgresStore.create(server.address(space), encoder_name, dim) for server in servers]
        result = ShardedBackend.of(stores, limits=Limits(timeout=30.0))
        spaces[result] = space
        return result

    def reopen(backend: ShardedBackend) -> ShardedBackend:
        return ShardedBackend.of([PostgresStore.open(server.address(spaces[backend])) for server in servers])

    check_backend(make, reopen=reopen).assert_passed()


def test_an_index_by_its_cluster_file(filled, tmp_path):
    path = filled(PATIENT)
    with pytest.raises(StorageError, match="node 'n0' holds an index already"):
        Index.create(path, encoder=None)
    with Index.open(path) as index:
        assert held(index) == Counter(IDS)
        assert index.search("tariffs of 1917")[0].id == "d17"
        assert index.get("d17") == document("d17")
        index.backup(tmp_path / "copy")
    with Index.open(tmp_path / "copy") as copy:
        assert held(copy) == Counter(IDS)
    for number, server in enumerate(filled.servers):
        with PostgresStore.open(server.address(filled.space)) as part:
            assert {d.id for batch in part.view().iterate() for d in batch} == on(number)


# ---------------------------------------------------------------- killed


@contextmanager
def searching(path: str, count: int = 4):
    """Threads that search all the time; gives what they found so far, and a wait until more has been found."""
    outcomes: list[tuple[tuple[str, ...] | str, frozenset[str]]] = []
    news, done = threading.Condition(), threading.Event()

    def ask(index: Index) -> None:
        while not done.is_set():
            try:
                response = index.search("tariffs", k=60, collapse_versions=False)
                messages = response.missing, frozenset(hit.id for hit in response)
            except StorageError as error:
                messages = str(error), frozenset()
            with news:
                outcomes.append(messages)
                news.notify_all()

    def until(holds) -> None:
        with news:
            assert news.wait_for(lambda: holds(outcomes), timeout=300)

    with Index.open(path) as index:
        threads = [threading.Thread(target=ask, args=(index,)) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            yield outcomes, until
        finally:
            done.set()
            for thread in threads:
                thread.join(120)


@pytest.mark.parametrize("policy", ["fail", "degrade"])
def test_a_server_killed_during_queries(filled, late_servers, policy):
    path = filled(f'policy = "{policy}"\ntimeout = 3.0\n')
    with searching(path) as (outcomes, until):
        until(lambda result: len(result) > 10)
        assert set(outcomes) == {((), frozenset(IDS))}
        late_servers.add("n1")
        filled.servers[1].kill()
        try:
            if policy == "degrade":
                until(lambda result: sum(missing == ("n1",) for missing, _ in result) > 10)
            else:
                until(lambda result: sum("'n1'" in message for message, _ in result if isinstance(message, str)) > 4)
        finally:
            filled.servers[1].start()
        seen = len(outcomes)
        until(lambda result: any(message == () for message, _ in result[seen:]))
    # At no time was anything answered but all of it, or what is left, or an error that names the shard.
    lost = {((), frozenset(IDS)), (("n1",), frozenset(on(0, 2)))}
    for message, ids in outcomes:
        if policy == "degrade":
            assert (message, ids) in lost
        else:
            assert (message, ids) == ((), frozenset(IDS)) or "'n1'" in message


@pytest.mark.parametrize("policy", ["fail", "degrade"])
def test_a_server_killed_during_ingest_loses_nothing_and_doubles_nothing(cluster, late_servers, policy):
    path = cluster(f'policy = "{policy}"\ntimeout = 5.0\n')
    ids = [f"d{number}" for number in range(1200)]
    added: list[int] = []

    def report_progress(count: int) -> None:
        added.append(count)
        if len(added) == 2:
            late_servers.add("n2")
            cluster.servers[2].kill()

    with Index.create(path, encoder=None) as index:
        try:
            with pytest.raises(StorageError, match="the shard 'n2' cannot be"):
                index.add((document(id) for id in ids), progress=report_progress)
        finally:
            cluster.servers[2].start()
            late_servers.clear()
        again = index.add(document(id) for id in ids)
        assert 0 < again < len(ids), "what was stored before was not stored again"
        assert held(index) == Counter(ids)
        assert index.add([document(id) for id in ids]) == 0
        assert {d.id: d for d in index.documents()} == {id: document(id) for id in ids}
    with Index.open(path, write=True) as index:
        assert held(index) == Counter(ids)
        assert index.add(document(id, 2) for id in ids[:50]) == 50
        assert sum(d.meta["version"] == 2 for d in index.documents()) == 50
        assert held(index) == Counter(ids)


# ---------------------------------------------------------------- slow


@contextmanager
def locked(server):
    """Keeps everybody from reading what the server says of its namespaces, as a runaway migration would."""
    import psycopg

    with psycopg.connect(server.url) as connection:
        connection.execute("LOCK TABLE epochal.namespaces IN ACCESS EXCLUSIVE MODE")
        yield
        connection.rollback()


@pytest.mark.parametrize("policy", ["fail", "degrade"])
def test_a_server_that_is_held_up_is_waited_for_no_longer_than_the_timeout(filled, late_servers, policy):
    with Index.open(filled(f'policy = "{policy}"\n{SOON}')) as index:
        assert len(index.search("tariffs", k=60, collapse_versions=False)) == 60
        with locked(filled.servers[1]):
            late_servers.add("n1")
            for _ in range(2):
                if policy == "degrade":
                    found = index.search("tariffs", k=60, collapse_versions=False)
                    assert found.missing == ("n1",)
                    assert {hit.id for hit in found} == on(0, 2)
                else:
                    with pytest.raises(StorageError, match="'n1': n1 did not answer within 1 s"):
                        index.search("tariffs")
        late_servers.clear()
        assert index._backend.recheck() == ()
        assert len(index.search("tariffs", k=60, collapse_versions=False)) == 60


def test_a_statement_that_takes_too_long_is_ended_by_the_server(filled):
    with Index.open(filled(PATIENT, statement_timeout=2)) as index:
        with (
            locked(filled.servers[1]),
            pytest.raises(StorageError, match=r"'n1': .* took longer than the address allows"),
        ):
            index.search("tariffs")
        assert len(index.search("tariffs", k=60, collapse_versions=False)) == 60


@pytest.fixture
def proxy(filled):
    """The third server behind a network of its own."""
    result = Proxy(f"{filled.servers[2].home}/.s.PGSQL.5432")
    yield result
    result.close()


def test_a_network_that_stalls(filled, proxy, late_servers):
    address = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres?namespace={quote(filled.space)}&sslmode=disable"
    with Index.open(filled(f'policy = "degrade"\n{SOON}', instead={2: address}.items())) as index:
        assert index.search("tariffs").missing == ()
        proxy.stall()
        late_servers.add("n2")
        for _ in range(20):
            found = index.search("tariffs", k=60, collapse_versions=False)
            assert found.missing == ("n2",)
            assert {hit.id for hit in found} == on(0, 1)
        proxy.flow()
        late_servers.clear()
        assert index._backend.recheck() == ()
        assert len(index.search("tariffs", k=60, collapse_versions=False)) == 60


def test_a_copy_answers_while_the_network_to_the_primary_is_broken(filled, proxy, late_servers):
    address = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres?namespace={quote(filled.space)}&sslmode=disable"
    direct = [server.address(filled.space) for server in filled.servers]

    def opening(url: str) -> Server:
        return Server(url, lambda: PostgresStore.open(url))

    nodes = [Node("n0", [opening(direct[0])]), Node("n1", [opening(direct[1])])]
    nodes.append(Node("n2", [opening(address), opening(direct[2])]))
    with ShardedBackend(nodes, "fail", Limits(timeout=1.0)) as backend:
        index = Index(backend, None)
        assert len(index.search("tariffs", k=60, collapse_versions=False)) == 60
        proxy.close()
        late_servers.add(address)
        for _ in range(3):
            found = index.search("tariffs", k=60, collapse_versions=False)
            assert (len(found), found.missing) == (60, ())


# ---------------------------------------------------------------- swamped


def test_a_storm_of_connections(filled):
    results: Counter[object] = Counter()
    start = threading.Barrier(48)

    with Index.open(filled(PATIENT, pool=3)) as index:

        def ask() -> None:
            start.wait(120)
            try:
                found = index.search("tariffs", k=60, collapse_versions=False)
                results[(found.missing, len(found))] += 1
            except StorageError as error:
                results[str(error)] += 1

        threads = [threading.Thread(target=ask) for _ in range(48)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    assert results == {((), 60): 48}


# ---------------------------------------------------------------- by its cluster file


def test_the_command_line_takes_a_cluster_file(cluster, late_servers, tmp_path, capsys):
    import json

    from epochal.cli import main
    from epochal.search.request import Request
    from epochal.server.state import Edits, IndexReader
    from epochal.storage.importers.export import export

    path = cluster(PATIENT)
    export((document(id) for id in IDS), tmp_path / "all.jsonl")

    def run(*arguments: str) -> str:
        assert main(list(arguments)) == 0
        return capsys.readouterr().out

    assert "60 documents" in run("index", path, "--from", str(tmp_path / "all.jsonl"), "--encoder", "none")
    assert "60 unchanged" in run("index", path, "--from", str(tmp_path / "all.jsonl"))
    record = json.loads(run("search", path, "tariffs of 1917", "--json", "-k", "60"))
    assert record["hits"][0]["id"] == "d17"
    assert record["missing"] == []
    assert "60 documents" in run("check", path)
    late_servers.add("n0")
    cluster.servers[0].kill()
    try:
        degraded = cluster(f'policy = "degrade"\n{SOON}')
        record = json.loads(run("search", degraded, "tariffs of 1917", "--json", "-k", "60"))
        assert record["missing"] == ["n0"]
        assert "skipped the shard n0, which does not answer" in run("search", degraded, "tariffs of 1917")
        served = IndexReader(degraded)
        response, view = served.search(Request("tariffs of 1917"))
        assert response.missing == view.missing == ("n0",)
        assert served.search(Request("tariffs"), edits=Edits(periods=(Span.year(1917),)))[0].missing == ("n0",)
        served.close()
    finally:
        cluster.servers[0].start()


def test_closing_lets_go_of_the_connections_at_once(filled):
    """Not when the collector comes by: a process that opens many indexes would use up the server's connections."""

    def count_connections() -> int:
        # Not isinstance, which asks lazy modules for their class.
        return sum(type(thing) is Connections for thing in gc.get_objects())

    gc.collect()
    gc.disable()
    before = count_connections()
    try:
        with Index.open(filled(PATIENT)) as index:
            assert index.search("tariffs in 1950").hits
            assert count_connections() > before
        for thread in threading.enumerate():
            if thread.name.startswith("epochal n"):
                thread.join(timeout=120)
        del index, thread
        assert count_connections() == before
    finally:
        gc.enable()


def test_strays_are_found_and_indexes_removed(filled):
    from epochal.storage.addresses import get_provider

    path = filled(PATIENT)
    provider = get_provider(path)
    report = provider.check(path, repair=False)
    assert (report.is_sound, report.documents) == (True, 60)
    assert provider.size(path) > 1000
    with Index.open(filled.servers[0].address(filled.space), write=True) as part:
        part.add([document(sorted(on(1))[0])])
    report = provider.check(path, repair=False)
    assert not report.is_sound
    assert "node 'n0': 1 documents belong to other nodes" in report.findings[0].what
    provider.remove(path)
    assert not provider.exists(path)
    with Index.create(path, encoder=None) as index:
        assert len(index) == 0
    # As after a call that was cut off: one node has its empty part, and the others have none.
    for server in filled.servers[1:]:
        get_provider(server.address(filled.space)).remove(server.address(filled.space))
    assert not provider.exists(path)
    with Index.create(path, encoder=None) as index:
        assert index.add([document(id) for id in IDS]) == 60


def test_a_node_that_is_behind_is_found_by_check_and_accepted(filled):
    path = filled(PATIENT)
    with Index.open(path, write=True) as index:
        index.add(document(id, 2) for id in IDS)
    server = filled.servers[1]
    statement = "UPDATE epochal.namespaces SET generation = generation - 1, seen_generation = generation - 1 "
    server.execute(f"{statement} WHERE name = %s", (filled.space,))
    provider = get_provider(path)
    for repair in (False, True):
        found = [item for item in provider.check(path, repair=repair).findings if item.where == "writes"]
        assert [("'n1'" in item.what, item.mended) for item in found] == [(True, repair)]
    assert not [item for item in provider.check(path, repair=False).findings if item.where == "writes"]


@pytest.mark.parametrize("table", ["documents", "passages"])
def test_a_damaged_node_is_named_and_repaired_from_a_backup_of_the_whole(filled, tmp_path, capsys, table):
    path, copy = filled(PATIENT), tmp_path / "copy"
    assert main(["backup", path, str(copy)]) == 0
    with Index.open(path) as index:
        expected = {document.id: document for document in index.documents()}
    victim = min(on(1))
    found = "row = (SELECT row FROM epochal.documents WHERE id = %s AND space = spaces.space)"
    harms = {
        "documents": "UPDATE epochal.documents AS harmed SET text = replace(text, 'tariffs', 'bananas')",
        "passages": "UPDATE epochal.passages AS harmed SET end_char = end_char - 1",
    }
    (server,) = filled.servers[1:2]
    server.execute(
        f"{harms[table]} FROM epochal.namespaces AS spaces "
        f"WHERE spaces.name = %s AND harmed.space = spaces.space AND harmed.{found}",
        (filled.space, victim),
    )
    capsys.readouterr()
    for words in ([], ["--repair"]):  # a backup is needed
        assert main(["check", path, *words]) == 1
        output = capsys.readouterr().out
        assert f"document {victim!r}" in output
        assert [name for name in ("'n0'", "'n1'", "'n2'") if name in output] == ["'n1'"]
    assert main(["check", path, "--repair", "--from", str(copy)]) == 0
    assert f"mended   truth    node 'n1': document {victim!r} was damaged and was replaced" in capsys.readouterr().out
    assert main(["check", path]) == 0
    with Index.open(path) as index:
        assert {document.id: document for document in index.documents()} == expected
        year = 1900 + int(victim[1:]) % 100
        assert victim in [hit.id for hit in index.search(f"tariffs in {year}", k=5)]
