"""Templates and windows: their numbers and groups, and the arithmetic of months across years and reigns."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.datasets.chunqiutr.queries import AMOUNTS, GROUPS, TEMPLATES, build_queries, build_query
from epochal_lab.datasets.chunqiutr.records import MonthKey, Timeline

YEARS = [MonthKey(duke, year, 1) for duke, year in ((1, 10), (1, 11), (2, 1), (2, 2))]
LINE = Timeline.whole_years(YEARS)
RANGES = {
    "content": (1, 12),
    "existence": (13, 20),
    "past": (21, 26),
    "future": (27, 31),
    "around": (32, 36),
    "range": (37, 41),
    "year": (42, 46),
    "previous": (47, 49),
    "next": (50, 52),
}


def test_there_are_fifty_two_templates_in_nine_groups_with_the_published_numbers():
    found = {}
    for template in TEMPLATES:
        found.setdefault(template.group, []).append(template.number)
    assert {group: (numbers[0], numbers[-1]) for group, numbers in found.items()} == RANGES
    assert [template.number for template in TEMPLATES] == list(range(1, 53))
    assert tuple(RANGES) == GROUPS
    assert len({template.text for template in TEMPLATES}) == 52


def first_of(group):
    return next(template for template in TEMPLATES if template.group == group)


@pytest.mark.parametrize(
    ("group", "anchor", "amount", "first", "last"),
    [
        ("content", "2-1-1", 0, "2-1-1", "2-1-1"),
        ("past", "2-1-1", 1, "1-11-12", "1-11-12"),
        ("past", "2-1-1", 6, "1-11-7", "1-11-12"),
        ("past", "1-11-3", 6, "1-10-9", "1-11-2"),
        ("future", "1-11-12", 3, "2-1-1", "2-1-3"),
        ("future", "1-10-12", 12, "1-11-1", "1-11-12"),
        ("around", "2-1-1", 2, "1-11-11", "2-1-3"),
        ("range", "1-11-11", 5, "1-11-11", "2-1-4"),
        ("year", "2-1-7", 0, "2-1-1", "2-1-12"),
        ("previous", "2-1-7", 0, "1-11-1", "1-11-12"),
        ("next", "1-11-7", 0, "2-1-1", "2-1-12"),
    ],
)
def test_windows_run_across_years_and_reigns(group, anchor, amount, first, last):
    targets = build_query(first_of(group), MonthKey.parse(anchor), amount, LINE).targets
    assert (str(targets[0]), str(targets[-1])) == (first, last)
    assert list(targets) == sorted(targets)


@pytest.mark.parametrize(
    ("group", "anchor", "amount"),
    [
        ("past", "1-10-1", 1),
        ("past", "1-10-3", 3),
        ("future", "2-2-12", 1),
        ("around", "1-10-1", 1),
        ("range", "2-2-12", 1),
        ("previous", "1-10-5", 0),
        ("next", "2-2-5", 0),
    ],
)
def test_windows_that_leave_the_line_ask_for_nothing(group, anchor, amount):
    assert build_query(first_of(group), MonthKey.parse(anchor), amount, LINE).targets == ()


@given(st.sampled_from([item for item in TEMPLATES if item.group in AMOUNTS]), st.sampled_from(LINE.keys), st.data())
def test_a_window_has_as_many_months_as_it_says(template, anchor, data):
    amount = data.draw(st.sampled_from(AMOUNTS[template.group]))
    targets = build_query(template, anchor, amount, LINE).targets
    sizes = {"past": amount, "future": amount, "around": 2 * amount + 1, "range": amount + 1}
    assert len(targets) in (0, sizes[template.group])
    assert (anchor in targets) == (bool(targets) and template.group in ("around", "range"))


def test_so_many_questions_are_asked_a_month_and_no_text_twice():
    queries, _, _, mixed = build_queries([], LINE, points=4, windows=1.5)
    families = Counter(query.annotations["family"] for query in queries)
    assert families == {"point": 4 * 48, "window": 72}
    assert mixed == 0
    assert len({query.text for query in queries}) == len(queries)
    assert all(
        count == 4 for count in Counter(q.annotations["anchor"] for q in queries if q.kind in GROUPS[:2]).values()
    )


def test_windows_across_splits_are_dropped_and_counted():
    parted = Timeline({key: "train" if key < MonthKey(2, 1, 1) else "test" for key in LINE.keys})
    whole = build_queries([], LINE, points=0, windows=3.0)[0]
    queries, _, _, mixed = build_queries([], parted, points=0, windows=3.0)
    assert mixed > 0
    assert len(queries) + mixed == len(whole)
    assert {query.split for query in queries} == {"train", "test"}


@pytest.mark.parametrize("text", ["", "1-1", "0-1-1", "13-1-1", "1-a-1", "1-1-1-1"])
def test_what_is_no_key_is_refused(text):
    with pytest.raises(EpochalError, match="is no month key"):
        MonthKey.parse(text)
