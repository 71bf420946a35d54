"""English sentences of many kinds of text: law, weather, mail, logs, clinics, history, finance, and what is no time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from epochal.reading import tag
from epochal.reading.expression import TimeExpr
from epochal.times import Span

_MARKED = re.compile(r"\[([^\[\]=]+)=([^\[\]]+)\]")


class Sentence(NamedTuple):
    genre: str
    date: str
    text: str
    wanted: tuple[tuple[int, int, str], ...]


def read_sentences() -> Iterator[Sentence]:
    path = Path(__file__).parents[1] / "data" / "english_genres.txt"
    genre = date = ""
    for line in path.read_text(encoding="utf-8").splitlines()[3:]:
        if line.startswith("# "):
            _, genre, date = line.split()
        elif line:
            yield parse_sentence(genre, date, line)


def parse_sentence(genre: str, date: str, line: str) -> Sentence:
    text, place = "", 0
    wanted = []
    for match in _MARKED.finditer(line):
        text += line[place : match.start()]
        wanted.append((len(text), len(text) + len(match[1]), match[2]))
        text, place = text + match[1], match.end()
    return Sentence(genre, date, text + line[place:], tuple(wanted))


def overlaps(item: TimeExpr, start: int, end: int) -> bool:
    return item.start_char < end and item.end_char > start


def is_right(item: TimeExpr, wanted: str) -> bool:
    spans = {item.value, re.sub("[~?%Z]", "", item.span.edtf()) if item.span is not None else ""}
    return wanted == "*" or not spans.isdisjoint(wanted.split(";")) or "*" in wanted.split(";")


@pytest.mark.parametrize(
    "sentence", list(read_sentences()), ids=lambda sentence: f"{sentence.genre}: {sentence.text[:50]}"
)
def test_times_of_a_sentence(sentence: Sentence) -> None:
    found = tag(sentence.text, Span.parse(sentence.date))
    for start, end, wanted in sentence.wanted:
        here = [item for item in found if overlaps(item, start, end)]
        assert wanted == "?" or any(is_right(item, wanted) for item in here), (sentence.text[start:end], here)
    others = [item for item in found if not any(overlaps(item, start, end) for start, end, _ in sentence.wanted)]
    assert others == []
