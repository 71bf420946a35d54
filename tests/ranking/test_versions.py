"""Versions: near-copies as brute force finds them, the stretch for which each version holds, and who speaks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.api import Index
from epochal.ranking.versions import (
    Grouping,
    find_current_versions,
    find_near_duplicates,
    find_rewordings,
    find_similar,
    find_validity,
    group_versions,
    make_word_set,
    promote_current_versions,
)
from epochal.storage.protocol import View
from epochal.storage.records import Document, Entry
from epochal.storage.store import Store
from epochal.storage.text import analyse
from epochal.times import OPEN_END, Span

WORDS = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]


def components(count: int, pairs: list[tuple[int, int]]) -> list[int]:
    """For each of so many things the least one that it is connected to."""
    least = list(range(count))
    for _ in range(count):
        for one, two in pairs:
            least[one] = least[two] = min(least[one], least[two])
    return least


def alike(one: str, two: str) -> bool:
    mine, theirs = set(analyse(one)), set(analyse(two))
    return bool(mine) and len(mine & theirs) >= 0.9 * len(mine | theirs)


@given(st.lists(st.sets(st.integers(0, 25), min_size=0, max_size=26), max_size=9), st.integers(0, 3))
def test_near_copies_connect_what_brute_force_connects(wordings: list[set[int]], removed: int) -> None:
    texts = [" ".join(WORDS[word] for word in sorted(words)) for words in wordings]
    # Copies with a word or so less, which random texts would hardly ever be.
    texts += [" ".join(text.split()[removed:]) for text in texts]
    brute = [(i, j) for j in range(len(texts)) for i in range(j) if alike(texts[i], texts[j])]
    found = find_near_duplicates([make_word_set(text) for text in texts])
    assert all(alike(texts[i], texts[j]) and i != j for i, j in found)
    assert components(len(texts), found) == components(len(texts), brute)


def test_a_thousand_copies_are_found_without_comparing_all_pairs() -> None:
    texts = ["Tariffs on steel rise in May, says the board of trade of the city."] * 1000
    assert find_near_duplicates([make_word_set(text) for text in texts]) == [(0, place) for place in range(1, 1000)]


NEWS = (
    "Tariffs on steel rise in May 2019, says the board of trade of the city.",
    "Tariffs on steel rise in May 2019, says the board of trade of a city.",
    "The harbour of Riga froze in 1837, and no ship left it until April.",
    "Rain.",
)


def test_passages_that_are_like_no_other_need_not_be_read(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add([Document(f"d{at}", text, "Notes of a clerk" * (at > 1)) for at, text in enumerate(NEWS)])
        view = index.view()
        none = np.zeros(len(NEWS), dtype=np.bool_)
        assert find_similar(view, view.alive, none).tolist() == [0, 1]
        assert find_similar(view, view.alive[:1], none[:1]).tolist() == [0]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(tmp_path) as made:
        yield made


def stored(store: Store, *rows: tuple[str | None, str | None, str | None]) -> View:
    """Documents of a series, a date and a stretch each."""
    documents = [
        Document(
            f"d{number}",
            f"Rye {number}.",
            published=None if date is None else Span.parse(date),
            valid=None if valid is None else Span.parse(valid),
            series=series,
        )
        for number, (series, date, valid) in enumerate(rows)
    ]
    store.add([Entry(document, ()) for document in documents])
    return store.view()


def held(view: View) -> list[tuple[int, int] | None]:
    starts, ends = find_validity(view, view.alive_documents)
    return [None if start == end else (start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def test_a_version_holds_until_the_next_unless_it_says_otherwise(store: Store) -> None:
    view = stored(
        store,
        ("fee", "2010", None),
        ("fee", "2015", "2018/2020"),
        ("fee", "2014", None),
        ("toll", "2011", None),
        (None, "2012", None),
        (None, None, "2001/2002"),
        ("toll", None, None),
    )
    year = {number: Span.year(number).start for number in (2001, 2003, 2010, 2011, 2014, 2018, 2021)}
    assert held(view) == [
        (year[2010], year[2014]),
        (year[2018], year[2021]),
        (year[2014], year[2018]),
        (year[2011], OPEN_END),
        None,
        (year[2001], year[2003]),
        None,
    ]


def rows_of(view: View) -> np.ndarray:
    return view.alive_documents


NOBODY = np.zeros(3, dtype=np.bool_)


def test_the_newest_takes_the_best_score_and_the_best_turn(store: Store) -> None:
    view = stored(store, ("fee", "2010", None), ("fee", "2019", None), ("fee", None, None))
    one = Grouping(np.zeros(3, dtype=np.int64))
    scores, turns = promote_current_versions(view, rows_of(view), np.array([3.0, 2.0, 1.0]), one, [], NOBODY)
    assert scores.tolist() == [2.0, 3.0, 1.0]
    assert turns.tolist() == [1, 0, 2]
    scores, turns = promote_current_versions(view, rows_of(view), np.ones(3), one, [], NOBODY)
    assert np.lexsort((turns, -scores)).tolist() == [1, 0, 2]


def test_of_versions_of_one_date_the_last_added_is_the_newest(tmp_path: Path) -> None:
    with Store.create(tmp_path / "index") as store:
        store.add(
            [
                Entry(Document(name, "The fee is due.", series="fee", published=Span.parse("2020-01-01")), ())
                for name in ("first", "second", "third")
            ]
        )
        view = store.view()
        rows = np.arange(3)
        scores, _ = promote_current_versions(
            view,
            rows,
            np.array([0.9, 0.5, 0.1]),
            Grouping(np.zeros(3, dtype=np.int64)),
            (),
            np.zeros(3, dtype=np.bool_),
        )
        assert scores.argmax() == 2
        assert find_current_versions(view, rows, ()).tolist() == [2]


def test_without_publication_dates_the_version_valid_now_represents_its_series(store: Store) -> None:
    view = stored(store, ("fee", None, "1999/2009"), ("fee", None, "2010/2029"), ("fee", None, "2030/.."))
    one, scores, rows = Grouping(np.zeros(3, dtype=np.int64)), np.array([3.0, 2.0, 1.0]), rows_of(view)
    for now, best in ((Span.year(2026), 1), (Span.year(2005), 0), (Span.year(2031), 2), (None, 2)):
        promoted, _ = promote_current_versions(view, rows, scores, one, [], NOBODY, now=now)
        assert promoted.argmax() == best
        assert find_current_versions(view, rows, (), now).tolist() == [best]


def test_the_version_in_force_is_returned_unless_a_text_decides(store: Store) -> None:
    view = stored(store, ("fee", "2010", None), ("fee", "2014", None), ("fee", "2019", None))
    one = Grouping(np.zeros(3, dtype=np.int64))
    scores = np.array([1.0, 2.0, 3.0])
    assert promote_current_versions(view, rows_of(view), scores, one, [Span.year(2012)], NOBODY)[0].tolist() == [
        3.0,
        1.0,
        2.0,
    ]
    told = np.array([False, False, True])
    assert promote_current_versions(view, rows_of(view), scores, one, [Span.year(2012)], told)[0].tolist() == [
        1.0,
        2.0,
        3.0,
    ]
    both = [Span.year(2012), Span.year(2016)]
    assert promote_current_versions(view, rows_of(view), scores, one, both, NOBODY)[0].tolist() == [1.0, 2.0, 3.0]


def test_what_a_version_says_of_itself_counts_more_than_a_date_in_a_text(store: Store) -> None:
    view = stored(store, ("fee", None, "2010/2013"), ("fee", None, "2014/.."), (None, "2012", None))
    groups = Grouping(np.array([0, 0, 2]))
    scores = np.array([1.0, 2.0, 9.0])
    told = np.array([False, True, True])
    assert promote_current_versions(view, rows_of(view), scores, groups, [Span.year(2012)], told)[0].tolist() == [
        2.0,
        1.0,
        9.0,
    ]


def test_groups_are_series_first_and_copies_else(store: Store) -> None:
    view = stored(
        store, ("fee", "2010", None), (None, None, None), ("fee", "2014", None), (None, None, None), (None, None, None)
    )
    texts = ["The same words here.", "The same words here.", "Others.", "The same words here!", "Rye."]
    assert group_versions(view, rows_of(view), [make_word_set(text) for text in texts]).groups.tolist() == [
        0,
        1,
        0,
        1,
        4,
    ]
    assert group_versions(view, rows_of(view), []).groups.tolist() == [0, 1, 0, 3, 4]
    assert group_versions(view, rows_of(view)[:0], []).groups.tolist() == []


OLD, NEW = "Fees are 5 euro a month for members.", "Fees are 7 euro a month for all members."


def test_rewordings_are_of_one_title_and_of_different_dates() -> None:
    words = [make_word_set(text) for text in (OLD, NEW, "Parking is free.")]
    assert find_rewordings(["Fees"] * 3, words, np.array([10, 20, 30])) == [[0, 1]]
    assert find_rewordings(["Fees", "Rates", "Fees"], words, np.array([10, 20, 30])) == []
    assert find_rewordings([""] * 3, words, np.array([10, 20, 30])) == []
    assert find_rewordings(["Fees"] * 3, words, np.array([10, 10, 30])) == []
    assert find_rewordings(["Fees"] * 3, words, np.array([10, np.iinfo(np.int64).min, 30])) == []


def test_rewordings_are_joined_through_one_between_them() -> None:
    words = [frozenset("abcd"), frozenset("cdef"), frozenset("efgh"), frozenset("abcd")]
    steps = [frozenset("abcd"), frozenset("bcde"), frozenset("cdef"), frozenset("defg")]
    assert find_rewordings(["t"] * 4, words, np.array([1, 2, 3, 4])) == [[0, 3]]
    assert find_rewordings(["t"] * 4, steps, np.array([1, 2, 3, 4])) == [[0, 1, 2, 3]]


def test_the_newest_rewording_that_answers_as_well_is_returned(store: Store) -> None:
    view = stored(store, (None, "2010", None), (None, "2014", None), (None, "2018", None))
    apart = Grouping(np.array([0, 1, 2]))
    scores = np.array([2.0, 1.9, 1.0])  # the newest answers something else
    settled, turns = promote_current_versions(view, rows_of(view), scores, apart, [], NOBODY, [[0, 1, 2]])
    assert settled.tolist() == [1.9, 2.0, 1.0]
    assert turns.tolist() == [1, 0, 2]
    asked = promote_current_versions(view, rows_of(view), scores, apart, [Span.year(2010)], NOBODY, [[0, 1, 2]])[0]
    assert asked.tolist() == scores.tolist()
