"""What the tests of answers share: a bank's papers, and an index of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from epochal.api import Index
from epochal.ingest import OrderedReader, Reader, read_times
from epochal.storage.records import Document
from epochal.times import Span

Filler = Callable[..., Index]


def paper(id: str, text: str, published: str | None = None, **more: object) -> Document:
    return Document(id, text, published=None if published is None else Span.parse(published), **more)


PAPERS = [
    paper("rate-1998", "The bank raised its rate to 5 percent in May 1998.", "1998-05-20"),
    paper("rate-2003", "The bank cut its rate to 2 percent last month.", "2003-07-02"),
    paper("rate-2008", "The bank cut its rate to 1 percent in October 2008, as lenders failed.", "2008-10-30"),
    paper("wire-2008", "BANK cut its rate to 1 percent in October 2008 as lenders failed", "2008-10-31"),
    paper("note", "The rate of the bank is what lenders pay for a loan overnight."),
    paper("fees-1", "A transfer abroad costs 20 euros.", "2001-01-01", title="Fees", series="fees"),
    paper("fees-2", "A transfer abroad costs 12 euros, 15 by phone.", "2009-01-01", title="Fees", series="fees"),
    paper("fees-3", "A transfer abroad costs 4 euros.", "2020-03-01", title="Fees", series="fees"),
    paper("law-1", "Deposits are insured up to 20,000 euros.", valid=Span.parse("1994-07/2008-12")),
    paper("law-2", "Deposits are insured up to 100,000 euros.", valid=Span.parse("2009-01/..")),
]


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Filler]:
    """Makes indexes of documents, without an encoder unless one is named."""
    made: list[Index] = []

    def fill(
        documents: Iterable[Document] = PAPERS, read: Reader | OrderedReader = read_times, encoder: str | None = None
    ) -> Index:
        index = Index.create(tmp_path / str(len(made)), encoder=encoder)
        index.add(documents, read=read)
        made.append(index)
        return index

    yield fill
    for index in made:
        index.close()


@pytest.fixture
def bank(filled: Filler) -> Index:
    return filled()
