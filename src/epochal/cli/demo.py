"""`epochal demo`: what Epochal does, shown on the material that comes with it."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

__all__ = ["add"]

_EXPRESSIONS = (
    "魯隱公元年十二月",
    "Duke Zhuang's 2nd year, 12th month",
    "44 BCE",
    "永明三年",
    "12 Henry VIII",
    "156X",
    "5 Thermidor II",
    "Meiji 10",
    "1984~/2004-06",
)
_QUESTION = "1793/1795"
_DOCUMENTS = ("5 Thermidor II", "1789/1799", "1796-03", "1798", "the 19th century", "Meiji 10")


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> import argparse
    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["demo"]).run.__name__
    '_run'
    """
    parser = commands.add_parser("demo", help="the main job on bundled material, with a picture in the terminal")
    parser.set_defaults(run=_run)


def _run(_: Any) -> int:
    from epochal.times import Span, align_pair, resolve

    readings = [(text, resolve(text)[0].span) for text in _EXPRESSIONS]
    width = max(_width(text) for text in _EXPRESSIONS)
    print("One expression in any calendar, one span on one axis:\n")
    for text, span in readings:
        print(f"  {_padded(text, width)}  {span.edtf():24} {span.describe()}")
    print("\nWhere they lie (each row is one expression, the axis bends so that near times get more room):\n")
    _picture(readings, width)
    question = Span.parse(_QUESTION)
    print(f"\nHow well a document's time answers a question about {question.describe()[5:]}:\n")
    for text in _DOCUMENTS:
        score = align_pair(question, resolve(text)[0].span)
        print(f"  {_padded(text, width)}  {score:5.3f}  {'█' * round(score * 30)}")
    print('\nTry: epochal when "永和元年"   (several eras of that name: several readings, never one guess)')
    return 0


def _picture(readings: list[tuple[str, Any]], width: int) -> None:
    """A row an expression, on an axis that is linear in the square root of the years before 2030."""
    columns = 60

    def column(year: int) -> int:
        return round((1 - math.sqrt((2030 - min(year, 2029)) / (2030 + 750))) * (columns - 1))

    for text, span in readings:
        low, high = column(span.first_year), column(span.last_year)
        row = [" "] * columns
        row[low : high + 1] = ["━"] * (high - low + 1) if high > low else ["●"]
        print(f"  {_padded(text, width)}  {''.join(row)}")
    axis, labels = ["─"] * columns, [" "] * (columns + 8)
    for year, label in ((-721, "722 BCE"), (1, "1"), (1000, "1000"), (1500, "1500"), (1800, "1800"), (1950, "1950")):
        place = column(year)
        axis[place] = "┬"
        labels[place : place + len(label)] = label
    print(f"  {' ' * width}  {''.join(axis)}\n  {' ' * width}  {''.join(labels).rstrip()}")


def _width(text: str) -> int:
    """How many columns a terminal gives a text: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
