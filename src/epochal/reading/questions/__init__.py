"""What a question asks of time: intent, class, recency, constraints, periods, and a plan."""

from epochal.reading.questions.question import Constraint, Question, Step, Understanding
from epochal.reading.questions.understand import understand

__all__ = ["Constraint", "Question", "Step", "Understanding", "understand"]
