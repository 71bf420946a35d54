"""The study of training rows: it finds nothing wrong in them, and it would find what is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.reading import stated_ranges, tag
from epochal_lab.datasets.augment.make import SourcePassage, from_passages
from epochal_lab.datasets.augment.rows import EMPTY, RELATIONS

TEXTS = ("Ann Hay joined Leeds United in May 1998.", "From 1987 to 1995 Cora Lee was the mayor of Selby.")


@pytest.mark.slow
def test_a_quick_run_finds_nothing_wrong(run_quick):
    for row in run_quick("augmentation"):
        assert row["pairs"] > 1000
        assert row["relations checked by the other grammar"] > 0.9 * row["relations checked on spans"]
        assert [count for name, count in row.items() if name.startswith(("wrong", "duplicates"))] == [0] * 6


def test_a_wrong_label_and_a_repeated_pair_are_found(load_study):
    check = load_study("augmentation").check
    rows = list(from_passages([SourcePassage(str(at), text) for at, text in enumerate(TEXTS)]).rows)
    first = next(question for question in rows[0].positives if question.relation != EMPTY)
    wrong = next(name for name in RELATIONS if name not in (first.relation, EMPTY))
    spoilt = tuple(replace(one, relation=wrong) if one is first else one for one in rows[0].positives)
    assert check(rows)["wrong relation on spans"] == 0
    assert check([replace(rows[0], positives=spoilt)])["wrong relation on spans"] == 1
    assert check([replace(rows[0], positives=spoilt)])["wrong relation by the other grammar"] == 1
    assert check([*rows, rows[0]])["duplicates"] == len(rows[0].questions)
    missing = replace(rows[0], negatives=(replace(first, temporal=("1777",)),))
    assert check([missing])["wrong: not the one expression that is named"] == 1


@pytest.mark.parametrize(
    "text",
    [
        *("in 1998", "on 4 May 1998", "on May 4, 1998", "on 1998-05-04", "on the 4th of May 1998", "in Feb 2000"),
        *("in the 1990s", "in early 1998", "in the mid 1990s", "in late February 2004", "in mid May 1998"),
        *("from 1990 to 1998", "between May 1998 and Feb 2000", "from 2006-05-04 to 2006-06-01", "2006–07"),
        *("before 1998", "after May 1998", "since 1998", "until 2000", "up to the 1990s", "prior to 4 May 1998"),
        *("from 27 April to 18 August 1904", "10 February 1932 – 13 April 2017"),
    ],
)
def test_the_other_grammar_reads_days(load_study, text):
    second = load_study("_second_reading")
    question = f"Who left {text}?"
    (interval,) = stated_ranges(question, tag(question))
    days = second.read(question[interval.start_char : interval.end_char])
    epoch = second.dt.date(1970, 1, 1).toordinal()
    expected = (interval.span.start / 86400 + epoch, interval.span.end / 86400 + epoch)
    open_ends = (days[0] == second.NEVER, days[1] == second.ALWAYS)
    assert open_ends == (
        interval.span.is_open and abs(expected[0]) > 1e9,
        interval.span.is_open and abs(expected[1]) > 1e9,
    )
    assert all(is_open or one == two for is_open, one, two in zip(open_ends, days, expected, strict=True))


def test_what_the_other_grammar_does_not_have_is_not_read(load_study):
    second = load_study("_second_reading")
    assert [second.read(text) for text in ("Easter 1898", "spring 1979", "the 19th century")] == [None] * 3
    assert second.read("before World War II") == (second.NEVER, second.dt.date(1939, 9, 1).toordinal())
