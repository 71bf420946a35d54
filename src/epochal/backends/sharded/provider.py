"""Indexes by the name of a cluster file: what `epochal.index.addresses` calls for those."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from epochal.backends.sharded.backend import ShardedBackend
from epochal.backends.sharded.cluster import Cluster, NodeAddress, read_cluster
from epochal.backends.sharded.servers import Node, Server
from epochal.errors import StorageError
from epochal.index.addresses import OpenedBackend, provider_of
from epochal.index.backend import Backend
from epochal.index.check import Finding, Report

__all__ = ["check", "create", "exists", "open", "remove", "shown", "size"]

Address = str | os.PathLike[str]


def create(address: Address, encoder_name: str, dim: int) -> OpenedBackend:
    """Make an index on every node of a cluster, and open it for writing.

    A node on which a call that was cut off has made its empty part already is taken as it is.

    >>> create("no-such.toml", "", 0)
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the cluster file 'no-such.toml' does not exist; write one that lists the nodes
    """
    cluster = read_cluster(address)
    made: dict[str, OpenedBackend] = {}
    try:
        for node in cluster.nodes:
            made[node.url] = _created(node, encoder_name, dim)
        return ShardedBackend(_nodes(cluster, write=True, ready=made), cluster.policy, cluster.limits)
    except BaseException:
        for backend in made.values():
            backend.close()
        raise


def _created(node: NodeAddress, encoder_name: str, dim: int) -> OpenedBackend:
    provider = provider_of(node.url)
    if not provider.exists(node.url):
        return provider.create(node.url, encoder_name, dim)
    found = provider.open(node.url, write=True)
    if (found.encoder_name, found.dim) == (encoder_name, dim) and not found.view().document_count:
        return found
    found.close()
    raise StorageError(f"node {node.name!r} holds an index already; name others in the cluster file")


def open(address: Address, *, write: bool = False) -> OpenedBackend:
    """Open the index that lies on the nodes of a cluster.

    >>> open("no-such.toml")
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the cluster file 'no-such.toml' does not exist; write one that lists the nodes
    """
    cluster = read_cluster(address)
    return ShardedBackend(_nodes(cluster, write=write, ready={}), cluster.policy, cluster.limits)


def _nodes(cluster: Cluster, *, write: bool, ready: dict[str, OpenedBackend]) -> list[Node]:
    return [
        Node(
            node.name,
            [
                Server(node.name, _opening(node.url, write, ready.get(node.url))),
                *(Server(provider_of(url).shown(url), _opening(url, False, None)) for url in node.replicas),
            ],
        )
        for node in cluster.nodes
    ]


def _opening(url: str, write: bool, ready: OpenedBackend | None) -> Callable[[], Backend]:
    if ready is not None:
        return lambda: ready
    return partial(provider_of(url).open, url, write=write)


def exists(address: Address) -> bool:
    """Whether there is an index on all nodes that can be asked.

    >>> exists("no-such.toml")
    False
    """
    if not os.path.exists(address):
        return False
    cluster, found, failed = read_cluster(address), [], []
    for node in cluster.nodes:
        try:
            found.append(provider_of(node.url).exists(node.url))
        except StorageError as error:
            failed.append(error)
    if failed and (cluster.policy == "fail" or not found):
        raise failed[0]
    return all(found)


def remove(address: Address) -> None:
    """Take the parts of an index away from all nodes; the cluster file stays.

    >>> remove("no-such.toml")
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the cluster file 'no-such.toml' does not exist; write one that lists the nodes
    """
    for node in read_cluster(address).nodes:
        provider = provider_of(node.url)
        if provider.exists(node.url):
            provider.remove(node.url)


def check(address: Address, *, repair: bool) -> Report:
    """Look the parts of an index through, and see that each document lies where it belongs.

    >>> check("no-such.toml", repair=False)
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the cluster file 'no-such.toml' does not exist; write one that lists the nodes
    """
    from epochal.backends.sharded.placing import shard_of

    cluster = read_cluster(address)
    documents = passages = 0
    findings: list[Finding] = []
    for number, node in enumerate(cluster.nodes):
        part = provider_of(node.url).check(node.url, repair=repair)
        documents, passages = documents + part.documents, passages + part.passages
        findings += [Finding(one.where, f"node {node.name!r}: {one.what}", one.mended) for one in part.findings]
        backend = provider_of(node.url).open(node.url)
        try:
            stray = [
                document.id
                for batch in backend.view().iterate()
                for document in batch
                if shard_of(document.id, len(cluster.nodes)) != number
            ]
        finally:
            backend.close()
        if stray:
            what = f"node {node.name!r}: {len(stray):,} documents belong to other nodes, {stray[0]!r} for one"
            findings.append(Finding("truth", what))
    return Report(cluster.path, documents, passages, tuple(findings))


def size(address: Address) -> int:
    """How many bytes the parts of an index take.

    >>> size("no-such.toml")
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the cluster file 'no-such.toml' does not exist; write one that lists the nodes
    """
    return sum(provider_of(node.url).size(node.url) for node in read_cluster(address).nodes)


def shown(address: Address) -> str:
    """The name of the cluster file.

    >>> shown("cluster.toml")
    'cluster.toml'
    """
    return os.fspath(address)
