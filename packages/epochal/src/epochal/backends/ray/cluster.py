"""A Ray cluster for a while: one that is running, by its address, or one on this machine that ends with the work."""

from __future__ import annotations

import logging
import math
import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from epochal.encoders.base import import_extra
from epochal.errors import EpochalError

#: The address that represents a cluster on this machine, made for the work and ended after it.
LOCAL: Final = "local"
#: Seconds that the head of a cluster may take to open its door.
_PATIENCE: Final = 10.0


@dataclass(frozen=True, slots=True)
class RayWorkers:
    """How many workers share the work, and how many GPUs each of them has for itself.

    >>> RayWorkers(2).gpus
    0.0
    """

    count: int
    gpus: float = 0.0

    def __post_init__(self) -> None:
        if self.count < 1:
            raise EpochalError(f"there are {self.count} workers; accepted: at least 1")
        if not 0 <= self.gpus < math.inf:
            raise EpochalError(f"a worker has {self.gpus} GPUs; accepted: 0, 1, 2 and so on, or a part such as 0.5")


@contextmanager
def connected(address: str = LOCAL, workers: int | None = None, gpus: float = 0.0) -> Iterator[RayWorkers]:
    """Ray for as long as the context lasts; a connection that this process has already is used, and left as it is.

    `workers` is how many share the work: as many as the cluster has cores, or GPUs where `gpus` says that each of them
    needs some, unless given.

    >>> with connected(workers=0):
    ...     pass
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: there are 0 workers; accepted: at least 1
    """
    requested = RayWorkers(1 if workers is None else workers, gpus)
    ray = load_ray()
    was_connected = ray.is_initialized()
    if not was_connected:
        _connect(ray, address, workers, requested)
    try:
        yield RayWorkers(_count(ray, requested) if workers is None else workers, gpus)
    finally:
        if not was_connected:
            ray.shutdown()


def _connect(ray: ModuleType, address: str, workers: int | None, requested: RayWorkers) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address != LOCAL:
        try:
            _check_reachable(address)
            ray.init(address=address, **quiet)
        except (OSError, ValueError, RuntimeError) as error:
            message = str(error).strip().partition("\n")[0]
            raise EpochalError(
                f"there is no Ray cluster at {address!r} ({message}); accepted: HOST:PORT of a head node, auto for one "
                f"on this machine, or {LOCAL} to start one"
            ) from error
        return
    if workers is not None:
        quiet["num_cpus"] = max(workers, os.cpu_count() or 1)
    # A cluster of our own on this machine tells nobody of its being there.
    with _set_environment("RAY_USAGE_STATS_ENABLED", "0"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"ray\.")
        ray.init(address=LOCAL, include_dashboard=False, **quiet)


def _check_reachable(address: str) -> None:
    """Try the door: Ray itself would knock for minutes at one that nobody opens."""
    host, mark, port = address.rpartition(":")
    if mark and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()


def _count(ray: ModuleType, requested: RayWorkers) -> int:
    have = ray.cluster_resources()
    if not requested.gpus:
        return max(1, int(have.get("CPU", 1)))
    if have.get("GPU", 0) < requested.gpus:
        raise EpochalError(
            f"a worker needs {requested.gpus:g} GPUs, but the cluster has {have.get('GPU', 0):g}; accepted: at most "
            "that many, or 0 to encode on processors"
        )
    return int(have["GPU"] // requested.gpus)


def load_ray() -> ModuleType:
    """The package ray with its part for data; without it, an error that says how to get it."""
    what = "work on a Ray cluster"
    with warnings.catch_warnings():
        # Ray warns of its own settings when they are first made.
        warnings.filterwarnings("ignore", module=r"ray\.")
        ray: ModuleType = import_extra("ray", what, "ray")
        import_extra("ray.data", what, "ray").DataContext.get_current()
    return ray


@contextmanager
def plain_data(ray: ModuleType, block_bytes: int) -> Iterator[None]:
    """What datasets that are made in the context keep to: their order, small blocks, and not a word on stderr."""
    context = ray.data.DataContext.get_current().copy()
    context.execution_options.preserve_order = True
    context.target_max_block_size = block_bytes
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    with ray.data.DataContext.current(context), _silence_ray():
        yield


@contextmanager
def _silence_ray() -> Iterator[None]:
    """Ray Data tells stderr how it runs; its files of logs are left alone."""
    handlers = [handler for handler in logging.getLogger("ray.data").handlers if not hasattr(handler, "baseFilename")]
    for handler in handlers:
        handler.addFilter(_is_error)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(_is_error)


def _is_error(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.ERROR


@contextmanager
def _set_environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
