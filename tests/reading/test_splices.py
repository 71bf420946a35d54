"""Texts that nobody writes: pieces of examples side by side. Whatever they mean, reading them is no error."""

from __future__ import annotations

import random
import re
from importlib import import_module

import pytest

from epochal.reading import tag
from epochal.reading.grammar import Rule
from epochal.times import Span

NOW = Span.parse("2020-02-29")
MODULES = {
    "ar": "arabic.rules",
    "de": "german.rules",
    "en": "english",
    "es": "spanish.rules",
    "fr": "french.rules",
    "it": "italian.rules",
    "ja": "japanese.rules",
    "ko": "korean.rules",
    "nl": "dutch.rules",
    "pt": "portuguese.rules",
    "ru": "russian.rules",
}
NUMBERS = (
    "0 1 2 7 9 10 12 13 24 25 30 31 32 50 60 99 100 366 999 1066 1582 1999 2020 9999 12345 0.5 1.5 ½ 007 ٣".split()
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The patients were aged between 50 and 99 and had underlying health conditions.", []),
        ("Come on Friday between 10 and 2 and bring cake.", ["2020-03-06", "2020-03-06T10:00", "2020-03-06T14:00"]),
        ("Pages 1996.05-05.2021-", []),
        ("0.5-", []),
        ("Open today 9.30-17.00-", ["2020-02-29", "2020-02-29T09:30", "2020-02-29T17:00"]),
    ],
)
def test_hours_between_others_are_read_where_both_are_there(text: str, values: list[str]) -> None:
    assert [found.value for found in tag(text, NOW, lang="en")] == values


@pytest.mark.parametrize(
    ("text", "lang", "values"),
    [
        ("KW 53 2020", "de", ["2020-W53"]),
        ("KW 53 2021", "de", []),
        ("semaine 53 de 2021", "fr", []),
        ("2021年第53周", "zh", ["2021"]),
        ("We eten vanavond morgen", "nl", ["2020-02-29TEV", "2020-03-01"]),
    ],
)
def test_what_does_not_exist_is_no_error(text: str, lang: str, values: list[str]) -> None:
    assert [found.value for found in tag(text, NOW, lang=lang)] == values


def list_examples(module: str) -> list[str]:
    """The examples of a language's rules."""
    if module == "english":
        parts = ("composed_patterns", "date_patterns", "relative_patterns")
        modules = [import_module(f"epochal.reading.english.{part}") for part in parts]
    else:
        modules = [import_module(f"epochal.reading.{module}")]
    rules = [
        rule for each in modules for value in vars(each).values() if isinstance(value, tuple) for rule in flat(value)
    ]
    return [rule.example.replace("[", "").replace("]", "") for rule in rules]


def flat(value: object) -> list[Rule]:
    if isinstance(value, Rule):
        return [value]
    return [rule for item in value for rule in flat(item)] if isinstance(value, tuple) else []


def splice(examples: list[str], rng: random.Random) -> str:
    """Pieces of a few examples, with other numbers in them."""
    pieces = []
    for _ in range(rng.randint(2, 6)):
        tokens = re.findall(r"\s*(?:\w+|[^\w\s])", rng.choice(examples))
        start = rng.randrange(len(tokens))
        for token in tokens[start : start + rng.randint(1, 5)]:
            is_number = token.strip().isdigit() and rng.random() < 0.3
            pieces.append(f" {rng.choice(NUMBERS)}" if is_number else token)
    text = "".join(pieces).strip()
    return text.upper() if rng.random() < 0.1 else text


@pytest.mark.parametrize(
    "count", [pytest.param(300, id="some"), pytest.param(30_000, id="many", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("code", sorted(MODULES))
def test_pieces_of_examples_are_read(code: str, count: int) -> None:
    examples, rng = list_examples(MODULES[code]), random.Random(7)
    assert len(examples) > 20
    for _ in range(count):
        text = splice(examples, rng)
        for lang in (code, "auto"):
            for found in tag(text, NOW, lang=lang):
                low, high = found.start_char, found.end_char
                assert text[low:high] == found.text
