"""A question and a passage as the cross-encoder reads them: with the times of the passage in words.

A model of words compares "from 1916 to 1920" with "during the First World War" badly. So each time that the reader has
resolved is followed by a word for its relation to the query window: "In 1917 (then) he moved to Paris,
and two years later (1919, later) to Rome".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

#: From the best relation to the worst; a time is marked with the best of its relations to several windows.
_ORDER: Final = ("start and end", "start", "end", "then", "throughout", "partly", "earlier", "later")

Range = tuple[int, int]


class PassageTime(NamedTuple):
    """A time of a passage: where its expression is, when it is in seconds, and in words where the text does not say."""

    start_char: int
    end_char: int
    start: int
    end: int
    words: str = ""


def compare_times(time: Range, windows: Sequence[Range]) -> str:
    """The relation of a time to the query windows in a word or two; empty without query windows."""
    return min((_compare(time, window) for window in windows), key=_ORDER.index, default="")


def _compare(time: Range, window: Range) -> str:
    (start, end), (first, last) = time, window
    if end <= first:
        return "earlier"
    if start >= last:
        return "later"
    if first <= start and end <= last:
        # A state that lasted from 1916 to 1920 is stated by its two ends; "1917" is merely within.
        ends = [name for name, at in (("start", start == first), ("end", end == last)) if at]
        return " and ".join(ends) or "then"
    return "throughout" if start <= first and last <= end else "partly"


def write_question(question: str, words: Sequence[str]) -> str:
    """The question, with the times that it asks for where its own words do not say them."""
    missing = [item for item in words if item and item not in question]
    return f"{question} ({'; '.join(missing)})" if missing else question


def write_passage(
    title: str, text: str, times: Sequence[PassageTime], windows: Sequence[Range], published: PassageTime | None = None
) -> str:
    """The title and the text, its times marked; before them the day of publication, where it is known."""
    parts: list[str] = []
    place = 0
    for time in sorted(times, key=lambda item: item.end_char):
        if not place <= time.end_char <= len(text):
            continue
        notes = [note for note in (time.words, compare_times((time.start, time.end), windows)) if note]
        if notes:
            parts += [text[place : time.end_char], f" ({', '.join(notes)})"]
            place = time.end_char
    marked = "".join(parts) + text[place:]
    headed = f"{title}. {marked}" if title and not text.startswith(title) else marked
    if published is None:
        return headed
    relation = compare_times((published.start, published.end), windows)
    return f"{published.words}{f' ({relation})' if relation else ''}: {headed}"
