"""The conformance suite of backends passes on one server."""

from __future__ import annotations

from collections.abc import Iterator

from epochal.backends.postgres.store import PostgresStore
from epochal.testing import check_backend


def test_the_conformance_suite_passes(postgres_server, namespaces: Iterator[str]) -> None:
    check_backend(
        lambda encoder_name, dim: PostgresStore.create(postgres_server.address(next(namespaces)), encoder_name, dim)
    ).assert_passed()
