from __future__ import annotations

import pytest

from epochal_lab.datasets.tempo_files import anchor_periods, scope


@pytest.mark.parametrize(
    ("anchor", "periods"),
    [
        ("2017", ["2017"]),
        ("April-May 2023", ["2023-04/2023-05"]),
        ("the 1990s", ["199X"]),
        ("44 BCE", ["-0043"]),
        ("500 BC - 400 BC", ["-0499/-0399"]),
        ("3rd century BC", ["-02XX"]),
        ("1066", ["1066"]),
        ("Middle Ages", ["0500~/1500~"]),
        ("World War II", ["1939-09-01/1945-09-02"]),
        ("between 1801 and 1815", ["1801/1815"]),
        ("2009 (3 January 2009)", ["2009"]),
        ("the early days", []),
        ("now", []),
    ],
)
def test_an_anchor_in_words(anchor, periods):
    result, unread = anchor_periods([anchor])
    assert [period.edtf() for period in result] == periods
    assert unread == (() if periods else (anchor,))


def test_periods_are_in_order_and_each_comes_once():
    result, unread = anchor_periods(["2017", "2009", "in 2017", "1914-1918", "long ago", "44 BCE"])
    assert [period.edtf() for period in result] == ["-0043", "1914/1918", "2009", "2017"]
    assert unread == ("long ago",)


@pytest.mark.parametrize(
    ("start", "end", "span"),
    [
        ("1914", "1918", "1914/1918"),
        ("1914-06-28", "1914-06-28", "1914-06-28"),
        ("1998-05", "", "1998-05"),
        ("", "2001", "2001"),
        ("-0043", "0014", "-0043/0014"),
        ("", "", None),
        ("1918", "1914", None),
        ("unknown", "1914", None),
        ("2023-02-30", "", None),
    ],
)
def test_a_guess_at_a_scope(start, end, span):
    result = scope(start, end)
    assert (result if result is None else result.edtf()) == span
