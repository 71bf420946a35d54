"""Records: what they refuse, and what they tell of themselves."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from epochal.answers.answer import EVIDENCE_STATUSES, Answer, Citation, Claim, Part, Quote
from epochal.errors import UnknownNameError
from epochal.times import Span


def cited(standing: str, number: int = 1) -> Citation:
    return Citation(number, f"p{number}", "", "Rain.", 0, 5, Span.year(1998), "text", standing)  # type: ignore[arg-type]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no standing is called 'beside'; known: within, in_force"):
        cited("beside")
    with pytest.raises(UnknownNameError, match="no outcome is called 'maybe'"):
        Part(None, "maybe")  # type: ignore[arg-type]


def test_an_answer_cannot_be_changed() -> None:
    made = Answer("Rain?", "no_window", (Part(None, "no_window"),))
    with pytest.raises(FrozenInstanceError):
        made.question = "Sun?"  # type: ignore[misc]


@pytest.mark.parametrize("standing", EVIDENCE_STATUSES)
def test_only_what_answers_is_an_answer(standing: str) -> None:
    made = Answer("Rain?", "recorded", (Part(Span.year(1998), "recorded", "", (1,)),), (cited(standing),))
    assert made.is_refused == (standing in ("vague", "other", "near"))


def test_with_a_model_only_claims_are_an_answer() -> None:
    part = Part(Span.year(1998), "recorded", "", (1,))
    claim = Claim("It rained.", (Quote(1, "Rain", 0, 4),))
    assert Answer("Rain?", "recorded", (part,), (cited("within"),), model="m").is_refused
    assert not Answer("Rain?", "recorded", (part,), (cited("within"),), (claim,), model="m").is_refused


def test_a_title_of_several_lines_is_one_source() -> None:
    item = Citation(1, "p1", "Fees\n and\tterms", "Rain.", 0, 5, None, "", "topic")
    assert item.label == "[1: Fees and terms, undated]"
