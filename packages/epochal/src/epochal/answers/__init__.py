"""Answers from evidence of the right time, and the parts of TEMPO that language models and rules both do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.answers.answering import answer as answer
from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.answers.answer import Answer as Answer
    from epochal.answers.answer import Citation as Citation
    from epochal.answers.answer import Claim as Claim
    from epochal.answers.answer import Part as Part

__all__ = ["Answer", "Citation", "Claim", "Part", "answer"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.answers.answer": "Answer Citation Claim Part",
    },
)
