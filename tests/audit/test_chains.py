"""Version chains are found by series, or by title and likeness; unclear ones are left out."""

from __future__ import annotations

from epochal.audit.facts import Facts
from epochal.audit.stale import find_chains
from epochal.storage.records import Document
from epochal.times import Span


def facts(*documents: Document) -> list[Facts]:
    return [Facts(document) for document in documents]


def version(id: str, year: int | None, text: str = "A ticket costs one euro.", **fields) -> Document:
    published = None if year is None else Span.year(year)
    return Document(id, text, fields.pop("title", "Fares"), published, **fields)


def test_found_by_title():
    (chain,) = find_chains(facts(version("b", 2009, "A ticket costs two euros."), version("a", 2001)))
    assert (chain.versions, chain.found) == ((1, 0), True)
    assert find_chains(facts(version("a", 2001), version("b", 2009, "Something else altogether is told here."))) == []


def test_unclear_orders_are_left_out():
    assert find_chains(facts(version("a", 2001, series="f"), version("b", None, series="f"))) == []
    assert find_chains(facts(version("a", 2001, series="f"), version("b", 2001, series="f"))) == []


def test_names_that_are_shared_are_left_out():
    shared = facts(
        version("a", 2001, series="f"),
        version("b", 2002, series="f"),
        version("c", 2001, series="g"),
        version("d", 2002, series="g"),
    )
    assert find_chains(shared) == []


def test_versions_that_say_how_long_they_hold():
    early = Document("x", "Twenty.", "Deposits", valid=Span.parse("1994-07/2008-12"), series="law")
    late = Document("a", "A hundred.", "Deposits", valid=Span.parse("2009-01/.."), series="law")
    (chain,) = find_chains(facts(late, early))
    assert chain.versions == (1, 0)
