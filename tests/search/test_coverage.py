"""Coverage: how documents spread over time, and when silence means that nothing is recorded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal.api import Index
from epochal.ranking.coverage import is_covered
from epochal.search import Coverage
from epochal.storage.records import Document
from epochal.times import Span

Filler = Callable[[list[Document]], Index]


def published(*dates: str) -> list[Document]:
    return [Document(f"d{number}", "Rye.", published=Span.parse(date)) for number, date in enumerate(dates)]


def bars(coverage: Coverage) -> dict[str, int]:
    return {span.edtf(): count for span, count in zip(coverage.edges, coverage.counts, strict=True) if count}


def test_documents_are_counted_in_the_finest_periods_that_make_few_bars(filled: Filler) -> None:
    days = filled(published("1998-05-02", "1998-05-02", "1998-05-04")).coverage()
    assert bars(days) == {"1998-05-02": 2, "1998-05-04": 1}
    assert len(days.edges) == 3
    years = filled(published("1700", "1705", "1990")).coverage()
    assert bars(years) == {"1700": 1, "1705": 1, "1990": 1}
    assert (years.first, years.last) == (Span.year(1700), Span.year(1990))
    assert years.to_dict()["counts"][0] == 1


def test_bars_are_no_finer_than_the_dates(filled: Filler) -> None:
    assert bars(filled(published("1998", "1999", "1999")).coverage()) == {"1998": 1, "1999": 2}
    assert bars(filled(published("1998-03", "1998-04", "1998-04")).coverage()) == {"1998-03": 1, "1998-04": 2}


@pytest.mark.parametrize("dates", [("-4000000", "2020"), ("-0500", "2020-03-01"), ("Y-4500000000", "2020")])
def test_there_are_never_more_than_400_bars_and_every_document_is_in_one(
    filled: Filler, dates: tuple[str, ...]
) -> None:
    coverage = filled(published(*dates)).coverage()
    assert len(coverage.edges) <= 401
    assert sum(coverage.counts) == len(dates)
    # The decades around year 0 both have it.
    assert all(one.start < two.start <= one.end for one, two in zip(coverage.edges, coverage.edges[1:], strict=False))


def test_within_a_span_everything_that_reaches_into_it_is_counted(filled: Filler) -> None:
    index = filled(published("1998", "1998-03-02", "1998-04-09", "1999"))
    assert sum(index.coverage("1998-03").counts) == 2
    assert bars(index.coverage("1998-03")) == {"1998-03": 2}
    assert sum(index.coverage("../1998").counts) == 3
    assert index.coverage("2005") == Coverage((), ())
    assert index.coverage("2005").first is None


def test_where_no_document_is_dated_what_they_mention_counts_once_a_document(filled: Filler) -> None:
    index = filled([Document("a", "Rye in 1998, and again in 1998. Also in 2001."), Document("b", "Oats in 2001.")])
    assert bars(index.coverage()) == {"1998": 1, "2001": 2}


def test_open_times_and_an_empty_index_have_no_bars(filled: Filler) -> None:
    assert filled([]).coverage() == Coverage((), ())
    assert filled(published("1998/..", "../2001")).coverage() == Coverage((), ())


def test_a_hole_is_a_silence_far_longer_than_usual(filled: Filler) -> None:
    view = filled(published(*(f"1998-03-{day:02d}" for day in range(1, 29)), "1999-01-01")).view()
    assert is_covered(view, Span.parse("1998-03-05"))
    assert is_covered(view, Span.parse("1998-02/1998-03"))
    assert not is_covered(view, Span.parse("1998-09"))
    assert not is_covered(view, Span.parse("2001"))
    assert not is_covered(view, Span.parse("1990"))


def test_a_year_without_an_entry_is_covered_by_its_neighbours(filled: Filler) -> None:
    view = filled(published(*(f"{year}" for year in range(1400, 1440) if year not in (1410, 1411)))).view()
    assert is_covered(view, Span.parse("1410-06"))
    assert not is_covered(view, Span.year(1399))
    assert not is_covered(view, Span.year(1405), as_of=Span.year(1402))
    assert is_covered(view, Span.year(1405), as_of=Span.year(1420))


def test_nothing_covers_nothing(filled: Filler) -> None:
    assert not is_covered(filled([]).view(), Span.year(1998))
    assert not is_covered(filled([Document("a", "In 1998 rye.")]).view(), Span.year(1998), as_of=Span.year(2005))


def test_since_then_is_a_record_of_then_alone(filled: Filler) -> None:
    view = filled([Document("a", "The mill has stood since 1985."), Document("b", "It burned in 1990.")]).view()
    assert is_covered(view, Span.year(1985))
    assert is_covered(view, Span.year(1987)), "between two records"
    assert not is_covered(view, Span.year(2010))
    until = filled([Document("a", "There was no mill until 1985."), Document("b", "It burned in 1990.")]).view()
    assert not is_covered(until, Span.year(1950))


def test_one_vague_record_far_from_all_others_covers_nothing_finer(filled: Filler) -> None:
    view = filled(published(*(f"1998-05-{day:02d}" for day in range(1, 20)), "1850")).view()
    assert is_covered(view, Span.year(1850)), "it is of that very year"
    assert not is_covered(view, Span.parse("1850-07"))
    assert is_covered(view, Span.parse("1998-05-03"))
    years = filled(published("1998", "1999", "2000")).view()
    assert is_covered(years, Span.parse("1999-07")), "others lie beside it"
    assert is_covered(filled(published("1998")).view(), Span.parse("1998-07")), "there are no others"


def test_coverage_is_shown_in_a_line_and_as_bars(filled) -> None:
    index = filled([Document(str(year), "Rain.", published=Span.year(year)) for year in (1998, 1999, 2003)])
    coverage = index.coverage()
    assert repr(coverage) == "<Coverage: 3 documents, 1998 to 2003>"
    picture = coverage._repr_html_()
    assert picture.count("<rect") == sum(count > 0 for count in coverage.counts)
    assert "<title>1998: 1</title>" in picture
    assert repr(Coverage((), ())) == "<Coverage: no document with a date>"
