"""Which part of a passage is shown, and what is marked in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from epochal.cli.rendering.hits import make_snippet, style_marks
from epochal.cli.rendering.terminal import measure_width

LONG = "It was agreed after long debate. " * 10 + "The treaty was signed in 1933. " + "Much followed later. " * 10


def joined(pieces):
    return "".join(text for text, _ in pieces)


def test_whole_where_there_is_room():
    assert make_snippet("Rain\n  fell in  1933.", [(16, 20)], 80) == [
        ("Rain fell in ", False),
        ("1933", True),
        (".", False),
    ]


def test_the_mark_is_always_shown():
    place = LONG.index("1933")
    pieces = make_snippet(LONG, [(place, place + 4)], 60)
    assert ("1933", True) in pieces
    assert joined(pieces).startswith("… ")
    assert joined(pieces).endswith("…")
    assert measure_width(joined(pieces)) <= 60


def test_from_the_start_where_the_mark_is_near():
    assert joined(make_snippet("In 1933 " + LONG, [(3, 7)], 60)).startswith("In 1933 It was")


def test_without_marks_from_the_start():
    assert joined(make_snippet(LONG, [], 40)) == "It was agreed after long debate. It was…"


def test_chinese_is_cut_anywhere():
    assert joined(make_snippet("隱公元年春王正月三月公及邾儀父盟于蔑", [], 11)) == "隱公元年春…"


def test_several_marks():
    pieces = make_snippet("From 1901 to 1902.", [(13, 17), (5, 9)], 80)
    assert [text for text, marked in pieces if marked] == ["1901", "1902"]


@given(
    st.text(st.sampled_from("ab 魯公\n\x1b"), max_size=80),
    st.integers(0, 80),
    st.integers(1, 6),
    st.integers(12, 60),
)
def test_any_text_fits_and_is_clean(text, start, length, room):
    pieces = make_snippet(text, [(start, start + length)] if start < len(text) else [], room)
    shown = joined(pieces)
    assert measure_width(shown) <= room
    assert "\x1b" not in shown
    assert "\n" not in shown


def test_brackets_where_there_are_no_colours():
    assert style_marks([("1933", True)], brackets=False) == [("1933", "bold yellow")]
