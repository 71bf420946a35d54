"""Answers from evidence of the right time, and the parts of TEMPO that language models and rules both do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.answers.answering import answer as answer
    from epochal.answers.records import Answer as Answer
    from epochal.answers.records import Citation as Citation
    from epochal.answers.records import Claim as Claim
    from epochal.answers.records import Part as Part

__all__ = ["Answer", "Citation", "Claim", "Part", "answer"]

_HOMES = {
    "Answer": "epochal.answers.records",
    "Citation": "epochal.answers.records",
    "Claim": "epochal.answers.records",
    "Part": "epochal.answers.records",
    "answer": "epochal.answers.answering",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
