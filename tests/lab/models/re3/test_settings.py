"""The settings of Re3: the two named ones, and what is refused."""

from __future__ import annotations

import json

import pytest

from epochal.errors import EpochalError
from epochal_lab.models.re3.settings import Re3Settings


def test_parity_is_what_the_paper_tells() -> None:
    made = Re3Settings.parity()
    assert (made.encoding, made.gate, made.depth, made.temperature) == ("base3", "scalar", 50, 0.05)
    assert not any((made.signed, made.overlap, made.standing, made.words, made.head, made.residual))
    assert made.missing


def test_improved_tells_sides_and_gates_by_question() -> None:
    made = Re3Settings.improved()
    assert (made.encoding, made.gate, made.depth) == ("log", "query", None)
    assert all((made.signed, made.overlap, made.standing, made.words, made.head, made.residual, made.missing))


@pytest.mark.parametrize("made", [Re3Settings.parity(), Re3Settings.improved(), Re3Settings.parity(gate="off")])
def test_settings_survive_json(made: Re3Settings) -> None:
    assert Re3Settings.from_dict(json.loads(json.dumps(made.to_dict()))) == made


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("encoding", "base4", "accepted: base3, log, difference, repeat"),
        ("gate", "open", "accepted: off, scalar, query"),
        ("unit", "weeks", "accepted: kind, days, months, years"),
        ("signed", 1, "accepted: true or false"),
        ("width", 3, "accepted: an even number"),
        ("width", 0, "accepted: a whole number from 2"),
        ("hidden", True, "accepted: a whole number from 1"),
        ("head", -1, "accepted: a whole number from 0"),
        ("depth", 0, "accepted: a whole number from 1, or null"),
        ("temperature", 0, "accepted: a number above 0"),
    ],
)
def test_bad_settings_are_named(name: str, value: object, told: str) -> None:
    with pytest.raises(EpochalError, match=told) as caught:
        Re3Settings(**{name: value})  # type: ignore[arg-type]
    assert f"setting {name} of Re3 is {value}" in str(caught.value).replace("'", "")
