"""BM25+TimeKDE against the published procedure, written out bin by bin, and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Grain, Span
from epochal_lab.systems.temporal_scorers import TimeKDE, _Bells
from lab.systems.test_scorers_pool import PRIZES, pool_of

YEARS = [1901, 1903, 1903, 1910, 1930]


def news(years=YEARS) -> list[Document]:
    return [Document(f"d{position}", "prize", published=Span.year(year)) for position, year in enumerate(years)]


def published_procedure(years, sigma: float, width: int) -> np.ndarray:
    """One bell a document on a line of bins, cut off at its ends, made to sum to 1."""
    first, last = min(years), max(years)
    line = np.zeros(last - first + 1)
    for year in years:
        for offset in range(-width, width + 1):
            if first <= year + offset <= last:
                line[year + offset - first] += np.exp(-0.5 * (offset / sigma) ** 2)
    line /= line.sum()
    return line[np.array(years) - first]


def test_the_prior_is_that_of_the_published_procedure():
    scorer = TimeKDE(grain=Grain.YEAR)
    with pool_of(news(), "prize") as pool:
        prior = published_procedure(YEARS, 3.0, 9)
        assert scorer.compute_prior(pool) == pytest.approx(prior)
        scored = scorer.score(pool)
        assert scored.scores == pytest.approx(pool.lexical + np.log(prior + 1e-8))
        assert TimeKDE(grain=Grain.YEAR, weight=0.5).score(pool).parts["temporal"] == pytest.approx(
            0.5 * np.log(prior + 1e-8)
        )


def test_the_prior_is_that_of_scipy_where_nothing_is_cut_off():
    stats = pytest.importorskip("scipy.stats")
    years = [1900, 1940, 1941, 1945, 1990]
    density = stats.gaussian_kde(years, bw_method=3.0 / np.std(years, ddof=1))
    line = density(np.arange(1900, 1991))
    with pool_of(news(years), "prize") as pool:
        result = TimeKDE(grain=Grain.YEAR, reach=30.0).compute_prior(pool)
    assert result == pytest.approx(density(years) / line.sum())


def test_months_are_those_of_the_calendar():
    first, last = Document("a", "prize", published=Span.parse("2001-01")), Document("b", "prize 31 December 2001")
    with pool_of([first, last], "prize") as pool:
        result = TimeKDE(sigma=4.0).compute_prior(pool)
    bell = np.exp(-0.5 * (np.arange(12) / 4.0) ** 2)
    assert result == pytest.approx((bell[0] + bell[11]) / (2 * bell.sum()))


def test_mass_is_shared_by_times_and_by_bins():
    documents = [
        Document("a", "prize of 1901 and 1903"),
        Document("b", "prize", published=Span.parse("1905/1906")),
        Document("c", "prize"),
    ]
    with pool_of(documents, "prize") as pool:
        # A bell of one bin: what a bin has is what lies in it.
        result = TimeKDE(grain=Grain.YEAR, sigma=0.3).compute_prior(pool)
    assert result == pytest.approx([0.25, 0.25, 1 / 6])


def test_only_the_best_by_words_have_bells():
    documents = [*news([1901, 1902]), Document("z", "prize of something else altogether", published=Span.year(1990))]
    with pool_of(documents, "prize") as pool:
        few, all_of_them = (TimeKDE(grain=Grain.YEAR, top=top).compute_prior(pool) for top in (2, 200))
    assert few[2] == 0
    assert all_of_them[2] > 0


def test_open_spans_reach_to_the_edge():
    documents = [*news([1990, 1999]), Document("o", "prize", published=Span.parse("1996/.."))]
    with pool_of(documents, "prize") as pool:
        open_prior = TimeKDE(grain=Grain.YEAR).compute_prior(pool)
    documents[2] = Document("o", "prize", published=Span.parse("1996/1999"))
    with pool_of(documents, "prize") as pool:
        assert TimeKDE(grain=Grain.YEAR).compute_prior(pool) == pytest.approx(open_prior)


def test_the_variant_puts_the_bells_on_the_times_asked_for():
    with pool_of(news([1901, 1903, 1930]), "prize in 1930") as pool:
        feedback, query = (TimeKDE(grain=Grain.YEAR, asked=query).compute_prior(pool) for query in (False, True))
    assert int(feedback.argmax()) != 2
    assert int(query.argmax()) == 2
    with pool_of(news(), "prize") as pool:
        assert TimeKDE(asked=True).compute_prior(pool).tolist() == [1.0] * 5


def test_without_words_or_times_the_prior_is_even():
    with pool_of([Document("a", "prize"), Document("b", "prize and more")], "prize") as pool:
        assert TimeKDE().compute_prior(pool).tolist() == [1.0, 1.0]
        assert np.argmax(TimeKDE().score(pool).scores) == np.argmax(pool.lexical)
    from dataclasses import replace

    with pool_of(PRIZES, "prize") as pool:
        assert TimeKDE().compute_prior(replace(pool, lexical=np.zeros(4))).tolist() == [1.0] * 4


@given(
    st.lists(st.tuples(st.integers(-30, 30), st.integers(0, 12)), min_size=1, max_size=6),
    st.integers(-40, 40),
    st.integers(0, 20),
)
def test_sums_from_the_table_are_sums_over_bins(intervals, first, length):
    low = np.array([start for start, _ in intervals])
    high = low + np.array([size for _, size in intervals])
    result = _Bells(low, high, np.ones(len(low)), 2.0, 6).sum_between(np.array([first]), np.array([first + length]))[0]
    plain = sum(
        np.exp(-0.5 * ((point - bin_) / 2.0) ** 2) / (end - start + 1)
        for start, end in zip(low, high, strict=True)
        for bin_ in range(start, end + 1)
        for point in range(first, first + length + 1)
        if abs(point - bin_) <= 6
    )
    assert result == pytest.approx(plain, abs=1e-9)


def test_a_timeline_of_ages_keeps_its_digits():
    old = Document("o", "prize", published=Span.parse("Y-4500000000"))
    with pool_of([*news(), old], "prize") as pool:
        result = TimeKDE(grain=Grain.MONTH).compute_prior(pool)
    with pool_of([*news()], "prize") as pool:
        near = TimeKDE(grain=Grain.MONTH).compute_prior(pool)
    assert result[1] / result[3] == pytest.approx(near[1] / near[3])


def test_settings_are_checked():
    with pytest.raises(EpochalError, match="grain of scorer 'bm25-timekde' is 'week'; accepted: day, month, year"):
        TimeKDE(grain=Grain.WEEK)
    with pytest.raises(EpochalError, match="sigma of scorer 'bm25-timekde' must be above 0, but is 0"):
        TimeKDE(sigma=0)
