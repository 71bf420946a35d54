"""An index that a cluster filled is the one that a single process fills, whoever dies meanwhile."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from backends.ray import barrier
from backends.ray.barrier import NAME, Barrier, BarrierEncoder
from backends.ray.conftest import NODE, row
from epochal.api import Index
from epochal.backends.ray import LoadReport, RayWorkers, connected, load
from epochal.backends.ray.cluster import load_ray
from epochal.encoders import encoder
from epochal.encoders.base import Encoder
from epochal.errors import EpochalError, InputError
from epochal.storage.importers import read
from epochal.storage.importers.export import export

pytestmark = pytest.mark.xdist_group("ray")
QUESTIONS = ("steel tariffs in March 1990", "When did tariffs fall?", "report 123")
DYING = Path(__file__).with_name("dying_driver.py")


def entries(index: Index) -> list[tuple[object, ...]]:
    view = index.view()
    return [
        (entry.document, entry.passages, entry.keys, None if entry.vectors is None else entry.vectors.tobytes())
        for entry in view.get_entries(view.alive_documents)
    ]


def exported(index: Index, path: Path) -> bytes:
    export(index.documents(), path)
    return path.read_bytes()


def check_same(one: Index, other: Index, folder: Path) -> None:
    assert exported(one, folder / "one.jsonl") == exported(other, folder / "other.jsonl")
    assert entries(one) == entries(other)
    for question in QUESTIONS:
        found = [[(hit.id, hit.score) for hit in index.search(question, k=20)] for index in (one, other)]
        assert found[0] == found[1]
        assert len(found[0]) == 20


def plain(folder: Path, source: Path, encoder: str | Encoder = "static", **options: object) -> tuple[Index, LoadReport]:
    index = Index.create(folder, encoder=encoder)
    reading = read(source, **options)
    added = index.add(reading)
    return index, LoadReport(str(source), 0, 0, reading.read, added, reading.bad, reading.problems)


def summarise(loaded: LoadReport) -> tuple[object, ...]:
    return loaded.read, loaded.added, loaded.bad, [str(problem) for problem in loaded.problems]


def test_the_same_index_and_nothing_twice(workers, news, tmp_path):
    one, expected = plain(tmp_path / "one", news)
    heard: list[tuple[int, int]] = []
    with one, Index.create(tmp_path / "two", encoder="static") as two:
        done = load(two, news, workers, part_bytes=9_000, progress=lambda at: heard.append((at.bytes_read, at.read)))
        assert summarise(done) == summarise(expected)
        assert done.bad == 3
        check_same(one, two, tmp_path)
        assert heard == sorted(heard)
        assert heard[-1] == (news.stat().st_size, done.read)

        rows = news.read_text(encoding="utf-8").splitlines(keepends=True)
        changed = json.dumps({**row(10), "text": "Tariffs were forgotten in 1987."}) + "\n"
        news.write_text("".join([*rows[:10], changed, *rows[11:], json.dumps(row(2000)) + "\n"]), encoding="utf-8")
        again = load(two, news, workers, part_bytes=9_000)
        assert (again.added, again.unchanged, again.bad) == (2, done.read - 1, 3)
        assert one.add(read(news)) == 2
        check_same(one, two, tmp_path)


def test_parquet_and_gzip_in_a_folder(workers, news, tmp_path):
    from pyarrow import parquet

    one, _ = plain(tmp_path / "one", news)
    with one:
        export(one.documents(), tmp_path / "all.parquet")
        (tmp_path / "tables").mkdir()
        table = parquet.read_table(tmp_path / "all.parquet")
        parquet.write_table(table.slice(0, 400), tmp_path / "tables" / "a.parquet", row_group_size=50)
        parquet.write_table(table.slice(400), tmp_path / "tables" / "b.parquet", row_group_size=1000)
        export(one.documents(), tmp_path / "all.jsonl.gz")
        for number, source in enumerate((tmp_path / "tables", f"file://{tmp_path}/all.*.gz")):
            with Index.create(tmp_path / f"other{number}", encoder="static") as other:
                assert load(other, source, workers, part_bytes=4_000).added == len(one)
                check_same(one, other, tmp_path)


def test_encoders_with_machines_of_their_own(workers, news, tmp_path):
    one, expected = plain(tmp_path / "one", news)
    with one, Index.create(tmp_path / "two", encoder="static") as two, connected(gpus=1.0) as result:
        assert result == RayWorkers(1, 1.0)
        assert summarise(load(two, news, result, part_bytes=30_000)) == summarise(expected)
        check_same(one, two, tmp_path)


def test_into_a_server_and_into_shards(workers, news, postgres_servers, namespaces, tmp_path):
    # A folder keeps the vectors of an encoder that is given as an object in single precision, as PostgreSQL does.
    one, _ = plain(tmp_path / "one", news, encoder("static"))
    name = next(namespaces)
    addresses = [server.address(name) for server in postgres_servers(2)]
    cluster_file = tmp_path / "cluster.toml"
    cluster_file.write_text("".join(f'[[node]]\nurl = "{address}"\n' for address in addresses), encoding="utf-8")
    with one:
        expected = sorted(exported(one, tmp_path / "one.jsonl").splitlines())
        hits = [[hit.id for hit in one.search(question, k=20)] for question in QUESTIONS]
        for position in (postgres_servers(1)[0].address(next(namespaces)), cluster_file):
            with Index.create(position, encoder="static") as index:
                assert load(index, news, workers, part_bytes=30_000).added == len(one)
                assert load(index, news, workers, part_bytes=30_000).added == 0
                assert sorted(exported(index, tmp_path / "two.jsonl").splitlines()) == expected
                assert [[hit.id for hit in index.search(question, k=20)] for question in QUESTIONS] == hits


def test_what_stops_a_load(workers, news, tmp_path):
    one = Index.create(tmp_path / "one", encoder=None)
    with one, pytest.raises(InputError) as caught:
        load(one, news, workers, strict=True, part_bytes=9_000)
    assert str(caught.value).startswith(f"{news}, line 91: the row is not JSON")
    blank = tmp_path / "blank.jsonl"
    blank.write_text("\n\n")
    with Index.create(tmp_path / "two", encoder=None) as two, pytest.raises(InputError, match="holds no rows"):
        load(two, blank, workers)
    with pytest.raises(EpochalError, match="needs 2 GPUs, but the cluster has 1"), connected(gpus=2):
        pass


def test_a_node_is_lost(cluster, workers, news, tmp_path):
    ray = load_ray()
    ray.cloudpickle.register_pickle_by_value(barrier)  # workers know nothing of this folder
    with Index.create(tmp_path / "two", encoder=BarrierEncoder()) as two:
        held = ray.remote(num_cpus=0, resources={"head": 1})(Barrier).options(name=NAME, namespace=NAME).remote(2)
        killed: list[int] = []

        def report_progress(loaded: LoadReport) -> None:
            if not killed:  # both nodes have passed the barrier, and most parts are still to be done
                cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
                killed.append(loaded.read)

        try:
            done = load(two, news, workers, part_bytes=4_000, progress=report_progress)
        finally:
            ray.kill(held)
            cluster.add_node(**NODE, wait=False)  # for the tests that follow
        assert killed[0] < done.read == done.added == len(two)
        assert (done.read, done.bad) == (695, 3)
        assert [document.id for document in two.documents()] == [document.id for document in read(news)]
        assert np.all(np.linalg.norm(two.view().get_vectors(two.view().alive), axis=1) > 0.99)


def test_the_process_that_stores_is_killed(cluster, workers, news, tmp_path):
    folder = tmp_path / "two"
    command = [sys.executable, str(DYING), cluster.address, str(folder), str(news), "300"]
    died = subprocess.run(command, capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    one, expected = plain(tmp_path / "one", news)
    with one, Index.open(folder, write=True) as two:
        before = len(two)
        assert 0 < before < len(one)
        done = load(two, news, workers, part_bytes=20_000)
        assert done.added == len(one) - before
        assert (done.read, done.bad) == (expected.read, expected.bad)
        check_same(one, two, tmp_path)
