"""The cluster file: which nodes an index lies on, in TOML.

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
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from epochal.backends.sharded.backend import POLICIES, Policy
from epochal.backends.sharded.view import Limits
from epochal.errors import StorageError, TableError
from epochal.files import read_toml
from epochal.index.addresses import provider_of

__all__ = ["Cluster", "NodeAddress", "read_cluster"]

_LIMITS: Final = ("timeout", "load_timeout", "write_timeout")
_KEYS: Final = ("policy", *_LIMITS, "node")
_NODE_KEYS: Final = ("name", "url", "replicas")


@dataclass(frozen=True, slots=True)
class NodeAddress:
    """Where a node lies: the address that is written to, and those of copies of it that may be read.

    >>> NodeAddress("north", "postgresql://localhost/news").replicas
    ()
    """

    name: str
    url: str
    replicas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """What a cluster file says.

    >>> Cluster("cluster.toml", (NodeAddress("north", "postgresql://localhost/news"),)).policy
    'fail'
    """

    path: str
    nodes: tuple[NodeAddress, ...]
    policy: Policy = "fail"
    limits: Limits = field(default_factory=Limits)


def read_cluster(path: str | os.PathLike[str]) -> Cluster:
    """Read a cluster file; whatever is wrong with it is one sentence that names the file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "cluster.toml")
    ...     _ = file.write_text('[[node]]\\nurl = "postgresql://localhost/news"\\nname = "north"')
    ...     read_cluster(file).nodes[0].name
    'north'
    """
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
        raise _wrong(file, "lists no nodes; accepted: one or more tables [[node]], each with a url")
    policy = content.get("policy", "fail")
    if policy not in POLICIES:
        raise _wrong(file, f"has the policy {policy!r}; accepted: {', '.join(POLICIES)}")
    limits = {name: _seconds(file, name, content[name]) for name in _LIMITS if name in content}
    found = tuple(_node(file, number, node) for number, node in enumerate(nodes, 1))
    return Cluster(str(file), found, cast("Policy", policy), Limits(**limits))


def _wrong(file: Path, problem: str) -> StorageError:
    return StorageError(f"the cluster file {str(file)!r} {problem}")


def _check_keys(file: Path, table: Mapping[str, Any], known: Collection[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise _wrong(file, f"has {key!r}{where}; accepted there: {', '.join(known)}")


def _seconds(file: Path, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise _wrong(file, f"has {value!r} for {name}; accepted: a number of seconds above 0")
    return float(value)


def _node(file: Path, number: int, table: Mapping[str, Any]) -> NodeAddress:
    _check_keys(file, table, _NODE_KEYS, f" in node {number}")
    url, replicas, name = table.get("url"), table.get("replicas", []), table.get("name")
    if not isinstance(replicas, list):
        raise _wrong(file, f"has {replicas!r} for the replicas of node {number}; accepted: a list of addresses")
    for address in (url, *replicas):
        if not isinstance(address, str) or "://" not in address:
            told = "nothing" if address is None else "something else"
            raise _wrong(file, f"has {told} for an address of node {number}; accepted: postgresql://…")
    if name is not None and (not isinstance(name, str) or not name.strip()):
        raise _wrong(file, f"has the name {name!r} for node {number}; accepted: a text that is not empty")
    return NodeAddress(name or provider_of(str(url)).shown(str(url)), str(url), tuple(replicas))
