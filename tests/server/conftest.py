"""What the tests of the service share: a few documents, an index of them, and applications over it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from epochal import Document, Index, Span
from epochal.server.app import create_app
from epochal.server.settings import Settings
from epochal.times import FixedClock
from server.asgi import Client

TOKEN = "a-token-for-tests-0123456789"
NOW = Span.parse("2026-11-15")
EVIL = "<script>alert('x')</script><img src=x onerror=alert(1)>"


def documents() -> list[Document]:
    def day(text: str) -> Span:
        return Span.parse(text)

    return [
        Document("raised", "Tariffs on steel were raised in May 1998.", "Steel tariffs", day("1998-05-20")),
        Document("lowered", "Tariffs on steel fell last month.", "Lower tariffs", day("2003-07-02")),
        Document("fees-1", "A transfer abroad costs 20 euros.", "Fees", day("2001-01-01"), series="fees"),
        Document("fees-2", "A transfer abroad costs 12 euros by phone.", "Fees", day("2009-01-01"), series="fees"),
        Document("fees-3", "A transfer abroad costs 4 euros now.", "Fees", day("2020-03-01"), series="fees"),
        Document("caesar", "Caesar was killed on 15 March 44 BCE in Rome."),
        Document("alloy", "Steel is an alloy of iron and carbon."),
        Document("a/b c?", "An id with a slash, a space and a mark.", published=day("2010-01-01")),
        Document("evil", f"The page of 2011 said {EVIL} to everybody.", EVIL, day("2011-02-03"), meta={"note": EVIL}),
    ]


@pytest.fixture(scope="session")
def never_changed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of an index that no test may change."""
    path = tmp_path_factory.mktemp("service") / "news"
    with Index.create(path, encoder=None) as index:
        index.add(documents())
    return str(path)


@pytest.fixture
def folder(never_changed: str, tmp_path: Path) -> str:
    """The folder of an index of the test's own."""
    return str(shutil.copytree(never_changed, tmp_path / "news"))


@pytest.fixture
def opened(folder: str) -> Iterator[Callable[..., Client]]:
    """Opens applications over the index, with settings of one's own; they are closed after the test."""
    with ExitStack() as stack:

        def open_client(**settings: Any) -> Client:
            app = create_app(Settings(folder, **settings), clock=FixedClock(NOW))
            return stack.enter_context(Client(app))

        yield open_client


@pytest.fixture(scope="session")
def client(never_changed: str) -> Iterator[Client]:
    """A service that only reads, shared by tests that only ask."""
    with Client(create_app(Settings(never_changed), clock=FixedClock(NOW))) as result:
        yield result


@pytest.fixture
def writable(opened: Callable[..., Client]) -> Client:
    return opened(writable=True, token=TOKEN)


@pytest.fixture
def bearer() -> dict[str, str]:
    return {"authorization": f"Bearer {TOKEN}"}
