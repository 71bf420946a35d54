from __future__ import annotations

import math

from epochal_lab.metrics import Average, average, average_by_kind, average_domains

NAN = float("nan")


def test_pooled_and_macro_differ_where_domains_differ_in_size():
    found = average_domains({"law": {"q1": 1.0, "q2": NAN}, "travel": {"q3": 0.0, "q4": 0.0, "q5": 0.5}})
    assert found.pooled == Average(0.375, 4, 1)
    assert found.macro == Average((1.0 + 0.5 / 3) / 2, 2, 0)
    assert found.domains == {"law": Average(1.0, 1, 1), "travel": Average(0.5 / 3, 3, 0)}


def test_the_same_question_in_two_domains_counts_twice():
    assert average_domains({"law": {"q1": 1.0}, "travel": {"q1": 0.0}}).pooled == Average(0.5, 2)


def test_nothing_defined_has_no_mean():
    found = average([NAN, NAN])
    assert math.isnan(found.mean)
    assert (found.count, found.undefined) == (0, 2)
    assert math.isnan(average_domains({}).pooled.mean)


def test_kinds():
    values = {"q1": 1.0, "q2": 0.0, "q3": NAN, "q4": 0.5}
    assert average_by_kind(values, {"q1": "window", "q2": "point", "q3": "point"}) == {
        "": Average(0.5, 1),
        "point": Average(0.0, 1, 1),
        "window": Average(1.0, 1),
    }
