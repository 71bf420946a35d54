"""Certainty is two bits: near, and perhaps not."""

import itertools

import pytest

from epochal.errors import UnknownNameError
from epochal.times.axis import Certainty


@pytest.mark.parametrize("certainty", list(Certainty))
def test_marks_labels_and_reprs(certainty):
    assert Certainty.of_mark(certainty.mark) is certainty
    assert eval(repr(certainty)) is certainty
    assert str(certainty) == repr(certainty)
    assert certainty.label == certainty.name.lower()


def test_the_marks_of_edtf():
    assert [certainty.mark for certainty in Certainty] == ["", "~", "?", "%"]


@pytest.mark.parametrize(("first", "second"), list(itertools.product(Certainty, repeat=2)))
def test_or_gathers_the_doubts(first, second):
    both = first | second
    assert isinstance(both, Certainty)
    assert both == second | first
    assert both.is_approximate == (first.is_approximate or second.is_approximate)
    assert both.is_uncertain == (first.is_uncertain or second.is_uncertain)
    assert both >= max(first, second)


def test_only_the_certain_is_neither_near_nor_doubted():
    assert [c for c in Certainty if not (c.is_approximate or c.is_uncertain)] == [Certainty.CERTAIN]
    assert [c for c in Certainty if c.is_approximate and c.is_uncertain] == [Certainty.BOTH]


@pytest.mark.parametrize("mark", ["!", "~?", "x", " "])
def test_an_unknown_mark_is_named(mark):
    with pytest.raises(UnknownNameError) as caught:
        Certainty.of_mark(mark)
    assert repr(mark) in str(caught.value)
    assert "(none), ~, ?, %" in str(caught.value)
