"""Connecting to a cluster, and what is said when there is none."""

from __future__ import annotations

import socket

import pytest

from epochal.backends.ray import RayWorkers, connected
from epochal.backends.ray.cluster import load_ray
from epochal.errors import EpochalError, MissingExtraError


def test_nobody_there(monkeypatch):
    ray = load_ray()
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # taken, and nobody listens
        port = held.getsockname()[1]
        expected = rf"there is no Ray cluster at '127.0.0.1:{port}' \(.*refused\); accepted: HOST:PORT of a head node"
        with pytest.raises(EpochalError, match=expected), connected(f"127.0.0.1:{port}"):
            pass
    with (
        pytest.raises(EpochalError, match=r"there is no Ray cluster at 'no such host:1' \("),
        connected("no such host:1"),
    ):
        pass


def test_a_connection_that_is_there_is_used_and_kept(workers):
    ray = load_ray()
    with connected("nowhere:1") as result:
        assert result.count >= 2
    assert ray.is_initialized()


@pytest.mark.parametrize("workers_gpus", [(0, 0.0), (-1, 0.0), (1, -0.5), (1, float("nan"))])
def test_numbers_that_cannot_be(workers_gpus):
    with pytest.raises(EpochalError, match="accepted"):
        RayWorkers(*workers_gpus)


def test_without_the_package(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"work on a Ray cluster needs the package ray; .*epochal\[ray\]"):
        load_ray()
