"""The cluster file, which says in TOML on which nodes an index lies, and the provider of such indexes.

    policy = "degrade"        # or "fail", which is also what is done without this line
    timeout = 2.0             # seconds for an answer
    load_timeout = 60.0       # seconds for columns to be loaded, and for a node to be opened
    write_timeout = 600.0     # seconds for a write

    [[node]]
    name = "north"            # the address without its password, where there is no name
    url = "postgresql://north.example/news"
    replicas = ["postgresql://north-2.example/news"]

The order of the nodes is part of what an index is: documents lie where their ids fall among so many nodes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from epochal.backends.sharded.acknowledged import NodeRecord
from epochal.backends.sharded.servers import Node, Server
from epochal.backends.sharded.store import POLICIES, Policy, ShardedBackend
from epochal.backends.sharded.view import Limits
from epochal.errors import StorageError, TableError
from epochal.storage.addresses import OpenedBackend, get_provider
from epochal.storage.check import CheckFinding, CheckReport
from epochal.storage.protocol import Backend
from epochal.tables import read_toml

_LIMITS: Final = ("timeout", "load_timeout", "write_timeout")
_KEYS: Final = ("policy", *_LIMITS, "node")
_NODE_KEYS: Final = ("name", "url", "replicas")


@dataclass(frozen=True, slots=True)
class NodeAddress:
    """Where a node lies: the address that is written to, and those of copies of it that may be read."""

    name: str
    url: str
    replicas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """What a cluster file says."""

    path: str
    nodes: tuple[NodeAddress, ...]
    policy: Policy = "fail"
    limits: Limits = field(default_factory=Limits)


def read_cluster(path: str | os.PathLike[str]) -> Cluster:
    """Read a cluster file; whatever is wrong with it is one sentence that names the file."""
    file = Path(path)
    if not file.exists():
        raise StorageError(f"the cluster file {str(file)!r} does not exist; write one that lists the nodes")
    try:
        content = read_toml(file)
    except TableError as error:
        raise StorageError(f"the cluster file {error}") from error
    _check_keys(file, content, _KEYS, "")
    nodes = content.get("node")
    if not isinstance(nodes, list) or not nodes or not all(isinstance(node, dict) for node in nodes):
        raise _make_error(file, "lists no nodes; accepted: one or more tables [[node]], each with a url")
    policy = content.get("policy", "fail")
    if policy not in POLICIES:
        raise _make_error(file, f"has the policy {policy!r}; accepted: {', '.join(POLICIES)}")
    limits = {name: _parse_seconds(file, name, content[name]) for name in _LIMITS if name in content}
    parsed = tuple(_parse_node(file, number, node) for number, node in enumerate(nodes, 1))
    return Cluster(str(file), parsed, cast("Policy", policy), Limits(**limits))


def _make_error(file: Path, problem: str) -> StorageError:
    return StorageError(f"the cluster file {str(file)!r} {problem}")


def _check_keys(file: Path, table: Mapping[str, Any], allowed: Collection[str], where: str) -> None:
    for key in table:
        if key not in allowed:
            raise _make_error(file, f"has {key!r}{where}; accepted there: {', '.join(allowed)}")


def _parse_seconds(file: Path, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise _make_error(file, f"has {value!r} for {name}; accepted: a number of seconds above 0")
    return float(value)


def _parse_node(file: Path, number: int, table: Mapping[str, Any]) -> NodeAddress:
    _check_keys(file, table, _NODE_KEYS, f" in node {number}")
    url, replicas, name = table.get("url"), table.get("replicas", []), table.get("name")
    if not isinstance(replicas, list):
        raise _make_error(file, f"has {replicas!r} for the replicas of node {number}; accepted: a list of addresses")
    for address in (url, *replicas):
        if not isinstance(address, str) or "://" not in address:
            problem = "nothing" if address is None else "something else"
            raise _make_error(file, f"has {problem} for an address of node {number}; accepted: postgresql://…")
    if name is not None and (not isinstance(name, str) or not name.strip()):
        raise _make_error(file, f"has the name {name!r} for node {number}; accepted: a text that is not empty")
    return NodeAddress(name or get_provider(str(url)).shown(str(url)), str(url), tuple(replicas))


Address = str | os.PathLike[str]


def create(address: Address, encoder_name: str, dim: int) -> OpenedBackend:
    """Make an index on every node of a cluster, and open it for writing.

    A node on which a call that was cut off has made its empty part already is taken as it is.
    """
    cluster = read_cluster(address)
    created: dict[str, OpenedBackend] = {}
    try:
        for node in cluster.nodes:
            created[node.url] = _create_node(node, encoder_name, dim)
        record = NodeRecord(address)
        record.remove()
        return ShardedBackend(_make_nodes(cluster, write=True, ready=created), cluster.policy, cluster.limits, record)
    except BaseException:
        for backend in created.values():
            backend.close()
        raise


def _create_node(node: NodeAddress, encoder_name: str, dim: int) -> OpenedBackend:
    provider = get_provider(node.url)
    if not provider.exists(node.url):
        return provider.create(node.url, encoder_name, dim)
    existing = provider.open(node.url, write=True)
    if (existing.encoder_name, existing.dim) == (encoder_name, dim) and not existing.view().document_count:
        return existing
    existing.close()
    raise StorageError(f"node {node.name!r} holds an index already; name others in the cluster file")


def open(address: Address, *, write: bool = False) -> OpenedBackend:
    """Open the index that lies on the nodes of a cluster."""
    cluster = read_cluster(address)
    nodes = _make_nodes(cluster, write=write, ready={})
    return ShardedBackend(nodes, cluster.policy, cluster.limits, NodeRecord(address))


def _make_nodes(cluster: Cluster, *, write: bool, ready: dict[str, OpenedBackend]) -> list[Node]:
    return [
        Node(
            node.name,
            [
                Server(node.name, _make_opener(node.url, write, ready.get(node.url))),
                *(Server(get_provider(url).shown(url), _make_opener(url, False, None)) for url in node.replicas),
            ],
        )
        for node in cluster.nodes
    ]


def _make_opener(url: str, write: bool, ready: OpenedBackend | None) -> Callable[[], Backend]:
    if ready is not None:
        return lambda: ready
    return partial(get_provider(url).open, url, write=write)


def exists(address: Address) -> bool:
    """Whether there is an index on all nodes that can be asked."""
    if not os.path.exists(address):
        return False
    cluster, existing, failed = read_cluster(address), [], []
    for node in cluster.nodes:
        try:
            existing.append(get_provider(node.url).exists(node.url))
        except StorageError as error:
            failed.append(error)
    if failed and (cluster.policy == "fail" or not existing):
        raise failed[0]
    return all(existing)


def remove(address: Address) -> None:
    """Take the parts of an index away from all nodes; the cluster file stays."""
    for node in read_cluster(address).nodes:
        provider = get_provider(node.url)
        if provider.exists(node.url):
            provider.remove(node.url)
    NodeRecord(address).remove()


def list_parts(address: Address) -> list[str]:
    """The addresses of the parts of an index."""
    return [node.url for node in read_cluster(address).nodes]


def check(address: Address, *, repair: bool, backup: Address | None = None) -> CheckReport:
    """Look the parts of an index through, and see that each document lies where it belongs."""
    from epochal.backends.sharded.placing import get_shard

    cluster = read_cluster(address)
    documents = passages = 0
    findings: list[CheckFinding] = []
    for number, node in enumerate(cluster.nodes):
        part = get_provider(node.url).check(node.url, repair=repair, backup=backup)
        documents, passages = documents + part.documents, passages + part.passages
        findings += [CheckFinding(one.where, f"node {node.name!r}: {one.what}", one.mended) for one in part.findings]
        backend = get_provider(node.url).open(node.url)
        findings += _check_writes(NodeRecord(address), node.name, backend, repair)
        try:
            stray = [
                document.id
                for batch in backend.view().iterate()
                for document in batch
                if get_shard(document.id, len(cluster.nodes)) != number
            ]
        finally:
            backend.close()
        if stray:
            what = f"node {node.name!r}: {len(stray):,} documents belong to other nodes, {stray[0]!r} for one"
            findings.append(CheckFinding("truth", what))
    return CheckReport(cluster.path, documents, passages, tuple(findings))


def _check_writes(record: NodeRecord, name: str, backend: Backend, repair: bool) -> list[CheckFinding]:
    """Acknowledged writes that a node has lost; with `repair`, the loss is accepted."""
    losses = record.find_losses(name, lambda: backend.view().generation)
    if losses and repair:
        record.accept(name, backend.view().generation)
    return [CheckFinding("writes", loss, mended=repair) for loss in losses]


def size(address: Address) -> int:
    """How many bytes the parts of an index take."""
    return sum(get_provider(node.url).size(node.url) for node in read_cluster(address).nodes)


def shown(address: Address) -> str:
    """The name of the cluster file."""
    return os.fspath(address)
