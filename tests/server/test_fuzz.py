"""Calls that schemathesis makes from the description of a real server: no fault, and nothing that is not described."""

from __future__ import annotations

import pytest

pytest.importorskip("schemathesis", reason="schemathesis is not made for this Python")


@pytest.fixture
def fuzzing(load_study):
    return load_study("service_fuzz")


def check(rows, minimum: int) -> None:
    assert sum(row["calls"] for row in rows) >= minimum
    assert [row["messages"] for row in rows if row["failed"] or row["messages"]] == []
    assert sum(row["5xx"] for row in rows) == 0
    accepted = sum(row["2xx"] for row in rows if row["requests"] == "positive")
    refused = sum(row["4xx"] for row in rows if row["requests"] == "negative")
    assert min(accepted, refused) > minimum // 8  # the calls reach what they are meant for


def test_a_few_hundred_calls(fuzzing, run_quick):
    check(run_quick("service_fuzz"), fuzzing.QUICK - 20)


@pytest.mark.slow
def test_thousands_of_calls(fuzzing):
    with fuzzing.run_server(writable=True, token=fuzzing.TOKEN) as address:
        check(fuzzing.fuzz(address, 3_000, 11), 2_500)


def test_a_breach_is_seen(fuzzing, monkeypatch):
    """A service whose answers lack what is described would not pass."""
    from epochal.search.response import Response

    real = Response.to_dict
    monkeypatch.setattr(Response, "to_dict", lambda self: {key: real(self)[key] for key in ("question", "now")})
    with fuzzing.run_server(writable=True, token=fuzzing.TOKEN) as address:
        rows = fuzzing.fuzz(address, 40, 7, only="search")
    assert sum(row["failed"] for row in rows) > 0
