"""A cluster of two nodes on this machine, for all tests that need one."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ray leaves its own logs open; that is no failure of a test that happens to run when they are collected."""
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
#: A death is noticed within a second, and processes that have loaded everything wait for the next test.
FAST = {
    "health_check_initial_delay_ms": 500,
    "health_check_period_ms": 200,
    "health_check_failure_threshold": 3,
    "idle_worker_killing_time_threshold_ms": 600_000,
}
#: What only the head has: a GPU, in name, and a place that no test takes away.
HEAD = {**NODE, "num_gpus": 1, "resources": {"head": 1}, "include_dashboard": False, "_system_config": FAST}


@pytest.fixture(scope="package")
def cluster():
    from epochal.backends.ray.cluster import load_ray

    load_ray()
    from ray.cluster_utils import Cluster

    # Not pytest's own folder, whose name is too long for the sockets in it. The variable, and not the head's argument:
    # Ray writes the address of a cluster to its usual place besides, which a fresh machine does not have.
    with (
        tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_TMPDIR", folder)
        result = Cluster(initialize_head=True, head_node_args=HEAD)
        result.add_node(**NODE)
        try:
            yield result
        finally:
            result.shutdown()


@pytest.fixture(scope="package")
def workers(cluster):
    """One connection for all of them: with each, Ray starts its worker processes anew."""
    from epochal.backends.ray import connected

    with connected(cluster.address, 2) as result:
        yield result


def row(number: int) -> dict[str, object]:
    year = 1950 + number % 70
    text = f"Report {number}: tariffs on steel rose on {1 + number % 28} March {year}. They fell the year after. "
    return {"id": f"d{number}", "title": f"Tariffs, {number}", "text": text * 3, "published": f"{year}-04-01"}


@pytest.fixture
def news(tmp_path: Path) -> Path:
    """Rows of which some are blank, broken, without a text, or of an id that was there before."""
    path = tmp_path / "news.jsonl"
    odd = {40: "\n", 90: "{\n", 300: '{"id": "d7", "text": "Again."}\n', 301: '{"id": "none"}\n', 555: "   \n"}
    lines = [odd.get(number) or json.dumps(row(number)) + "\n" for number in range(700)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def write_set(folder: Path) -> str:
    """A test set in a folder; of its questions, forty are asked twice."""
    from epochal.storage.records import Document
    from epochal.times import Span
    from epochal_lab.datasets.folder import Manifest, write_folder
    from epochal_lab.datasets.records import BenchQuery, BenchSet

    rows = [row(number) for number in range(60)]
    documents = tuple(
        Document(str(item["id"]), str(item["text"]), str(item["title"]), Span.parse(str(item["published"])))
        for item in rows
    )
    queries = tuple(
        BenchQuery(f"q{number}", f"Which report of {1950 + number % 40} speaks of steel?") for number in range(80)
    )
    qrels = {query.id: {f"d{number % 40}": 1} for number, query in enumerate(queries)}
    write_folder(folder, BenchSet("own", documents, queries, qrels), Manifest("own"))
    return str(folder)
