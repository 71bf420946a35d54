"""Windows: stretches of stated length that the words around a date make of it, in Chinese and in English."""

from __future__ import annotations

from epochal.errors import TimeRangeError
from epochal.reading.binding import modifies
from epochal.reading.expr import TimeExpr
from epochal.reading.questions.window import Window
from epochal.reading.questions.windows_english import english_window
from epochal.reading.questions.windows_han import han_window

__all__ = ["find_window"]


def find_window(plain: str, item: TimeExpr) -> Window | None:
    """The window of an expression in a text of simplified characters; None where there is none, or time ends before it.

    >>> from epochal.times import Span
    >>> year = TimeExpr("1998", 16, 20, "DATE", "1998", Span.year(1998))
    >>> find_window("the year before 1998", year).span.edtf()
    '1997'
    """
    span = item.span
    if span is None or span.is_open:
        return None
    try:
        found = han_window(plain, item.start_char, item.end_char, span)
        if found is not None:
            return found
        names, rough = modifies(plain, item), item.mod == "APPROX"
        return english_window(plain, item.start_char, item.end_char, span, names=names, rough=rough)
    except TimeRangeError:  # the axis has no room for what the words say
        return None
