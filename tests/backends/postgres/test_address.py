"""Addresses: what is ours is taken out, what is libpq's is left as it is, and no password is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.backends.postgres.connection import PostgresAddress
from epochal.errors import EpochalError


@pytest.mark.parametrize(
    ("text", "conninfo", "shown"),
    [
        ("postgresql:///x", "postgresql:///x", "postgresql:///x"),
        ("postgresql://u@h/x?namespace=a", "postgresql://u@h/x", "postgresql://u@h/x?namespace=a"),
        ("postgresql://u:p%40:w@h:5/x", "postgresql://u:p%40:w@h:5/x", "postgresql://u:***@h:5/x"),
        ("postgresql://u:p@w@h/x", "postgresql://u:p@w@h/x", "postgresql://u:***@h/x"),
        ("postgres://:pw@h/x?pool=2&a=b+c", "postgres://:pw@h/x?a=b+c", "postgres://:***@h/x?pool=2&a=b+c"),
        (
            "postgresql:///x?password=pw&user=u",
            "postgresql:///x?password=pw&user=u",
            "postgresql:///x?password=***&user=u",
        ),
        ("postgresql://h1:1,h2:2/x", "postgresql://h1:1,h2:2/x", "postgresql://h1:1,h2:2/x"),
    ],
)
def test_taken_apart(text: str, conninfo: str, shown: str) -> None:
    address = PostgresAddress.parse(text)
    assert (address.conninfo, address.shown, str(address)) == (conninfo, shown, shown)
    assert "pw" not in repr(shown)


def test_wishes() -> None:
    address = PostgresAddress.parse(
        "postgresql:///x?namespace=a%20%26%20b&statement_timeout=0.5&pool=3&search=exact&hnsw_from=7"
    )
    assert (address.namespace, address.statement_timeout, address.pool) == ("a & b", 0.5, 3)
    assert (address.search, address.hnsw_from) == ("exact", 7)
    plain = PostgresAddress.parse("postgresql:///x")
    assert (plain.namespace, plain.statement_timeout, plain.pool, plain.search) == ("main", 30, 8, "auto")


WRONG = (
    "namespace= namespace=%00 namespace=%ff pool=0 pool=x statement_timeout=-1 statement_timeout=nan search= "
    "hnsw_from=-1"
).split()


@pytest.mark.parametrize("wrong", [*WRONG, f"namespace={'x' * 201}"])
def test_wrong_wishes_are_refused_without_the_password(wrong: str) -> None:
    with pytest.raises(EpochalError) as caught:
        PostgresAddress.parse(f"postgresql://u:hunter2@h/x?{wrong}")
    assert "hunter2" not in str(caught.value)
    assert "postgresql://u:***@h/x" in str(caught.value)


@given(st.text(st.characters(exclude_characters="/?@:", categories=["L", "N", "P"]), min_size=6, max_size=20))
def test_no_password_is_shown(password: str) -> None:
    assert password not in PostgresAddress.parse(f"postgresql://u:{password}@h/x?namespace=n").shown.replace("***", "")
