"""What is remembered of texts is bounded: a service reads other words for weeks, and must not grow with them."""

from __future__ import annotations

import ast
import random
import string
from collections.abc import Iterator

import pytest

from epochal.reading import tag
from epochal.reading.english import tagger as english_tagger
from epochal.reading.english import tokens as english_tokens
from epochal.reading.shared import tokens as shared_tokens
from epochal.reading.shared.registry import load_tokeniser
from epochal.storage.text import analyse_word
from paths import ROOT

ENGINE = ROOT / "packages" / "epochal" / "src" / "epochal"
ENDLESS = {"cache", "functools.cache", "lru_cache(maxsize=None)", "lru_cache(None)"}
#: Functions without a limit on what they remember: what they are given comes from the tables of the package, is a type,
#: or has two values.
FINITE = {
    "epochal.lazy._list_groups",
    "epochal.ranking.word_lists.load_ranks",
    "epochal.ranking.word_lists.load_stems",
    "epochal.ranking.word_lists._load_listed",
    "epochal.reading.chinese.annals._era_year",
    "epochal.reading.english.lexicon.get_codes",
    "epochal.reading.events._load_event",
    "epochal.reading.questions.cues._compile_cues",
    "epochal.reading.questions.languages._compile_orders",
    "epochal.reading.questions.languages._compile_provisions",
    "epochal.reading.questions.languages._compile_recent",
    "epochal.reading.questions.languages._compile_states",
    "epochal.reading.romance.hours.frequent_words",
    "epochal.reading.shared.detect._names_of_times",
    "epochal.reading.shared.detect._time_words",
    "epochal.reading.questions.languages._compile_held",
    "epochal.reading.shared.registry.load_language",
    "epochal.reading.shared.registry.load_tokeniser",
    "epochal.reading.shared.vocabulary.load_vocabulary",
    "epochal.reading.tagger._load_shared",
    "epochal.server.search_schemas._find_kinds",
    "epochal.storage.addresses._load_provider",
    "epochal.storage.protocol._list_members",
    "epochal.times.calendars.arithmetic._compile_forms",
    "epochal.times.calendars.arithmetic._compile_marks",
    "epochal.times.calendars.arithmetic._list_leap_year_names",
    "epochal.times.calendars.arithmetic._map_month_numbers",
}


def list_endless() -> Iterator[str]:
    """The functions that remember what they were given without a limit."""
    for path in sorted(ENGINE.rglob("*.py")):
        module = ".".join(("epochal", *path.relative_to(ENGINE).with_suffix("").parts))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef) or not ENDLESS.intersection(map(ast.unparse, node.decorator_list)):
                continue
            if node.args.args or node.args.vararg or node.args.kwonlyargs:
                yield f"{module}.{node.name}"


def test_every_memo_of_what_comes_from_outside_has_a_limit():
    assert set(list_endless()) == FINITE


def make_word(rng: random.Random, length: int = 8) -> str:
    return "".join(rng.choices(string.ascii_lowercase, k=length))


def measure_learned(module: object) -> int:
    """The members of all tables of a module that are filled as texts are read."""
    return sum(len(value) for value in vars(module).values() if isinstance(value, dict))


def test_english_words_are_forgotten(monkeypatch):
    rng = random.Random(7)
    codes = english_tokens._CODES
    monkeypatch.setattr(type(codes), "_MOST", len(codes) + 100)
    monkeypatch.setattr(english_tokens._CHUNK_CODES, "_most", 200)
    monkeypatch.setattr(english_tokens._ROWS, "_most", 200)
    monkeypatch.setattr(english_tagger, "_MOST_MATCHES", 50)
    before = measure_learned(english_tokens), len(english_tagger._FIRST_MATCHES)
    for _ in range(400):
        word = make_word(rng, rng.randint(3, 30))
        assert [item.value for item in tag(f"{word}({word}),x-{word} opened {word} on 3 May 1998.", lang="en")] == [
            "1998-05-03"
        ]
        # Places of signs in long words: each is another.
        english_tokens.tokenise("".join(rng.choice("ab.,-") for _ in range(60)))
    assert measure_learned(english_tokens) <= max(before[0], len(codes)) + 600
    assert len(english_tagger._FIRST_MATCHES) <= max(before[1], 50)


@pytest.mark.parametrize("code", ["de", "ja"])
def test_words_of_other_languages_are_forgotten(code, monkeypatch):
    tokeniser = load_tokeniser(code)
    monkeypatch.setattr(shared_tokens, "_MOST_CODES", len(tokeniser.entries) + 200)
    texts = [
        f"Am {day}.{month:02}.{year} um {day}.30 Uhr"
        for day in (11, 12)
        for month in (1, 9)
        for year in range(1500, 1800)
    ]
    for text in texts:
        found = tokeniser.tokenise(text)
        assert any(tokeniser.value(word) for word in found.words)
    learned = [value for value in vars(tokeniser).values() if isinstance(value, dict)]
    assert max(map(len, learned)) < len(tokeniser.entries) + 1_000


def test_long_words_are_not_remembered():
    before = analyse_word("bridges")
    assert analyse_word("bridges") is before
    word = "bridges-" * 20
    assert analyse_word(word) == analyse_word(word)
    assert analyse_word(word) is not analyse_word(word)
