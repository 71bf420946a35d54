"""What a question asks of time: intent, class, recency, constraints, periods, and a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names
from epochal.reading.questions.understand import understand as understand

if TYPE_CHECKING:
    from epochal.reading.questions.question import Constraint as Constraint
    from epochal.reading.questions.question import Order as Order
    from epochal.reading.questions.question import Question as Question
    from epochal.reading.questions.question import Step as Step
    from epochal.reading.questions.question import Understanding as Understanding

__all__ = ["Constraint", "Order", "Question", "Step", "Understanding", "understand"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.reading.questions.question": "Constraint Order Question Step Understanding",
    },
)
