"""Questions with plans: three ways of asking for a step, and two ways of averaging what was found for steps.

A set of steps has one question a step. Its annotations hold `parent`, the id of the question that the step serves, the
question's words under `parent_text`, and the step's own under `step_text`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from epochal.bench.records import BenchQuery, BenchSet
from epochal.errors import EpochalError, UnknownNameError

__all__ = ["STRATEGIES", "StepMeans", "as_asked", "is_stepwise", "step_means"]

#: Ways of asking: by the step alone, by the question with the step, or once by the question with all of its steps.
STRATEGIES: Final = ("step-only", "query+step", "query+all")
#: What stands before a step, as in TEMPO's code.
_PREFIX: Final = "\n\nStep: "


@dataclass(frozen=True, slots=True)
class StepMeans:
    """A measure over steps, averaged twice: over all steps, and within each question before over questions.

    TEMPO's code does the first, its paper describes the second. Steps whose value is not a number (a measure that is
    not defined for them) are passed over, and counted by neither.

    >>> StepMeans(0.5, 0.625, 4, 2).pooled
    0.5
    """

    pooled: float
    by_question: float
    steps: int
    questions: int


def is_stepwise(made: BenchSet) -> bool:
    """Whether the questions of a set are steps of other questions.

    >>> is_stepwise(BenchSet("own", (), (BenchQuery("q1", "Who won?"),), {}))
    False
    """
    return bool(made.queries) and all("parent" in query.annotations for query in made.queries)


def as_asked(made: BenchSet, strategy: str) -> BenchSet:
    """The same steps with the texts that a strategy searches by; judgements stay those of each step.

    All steps of a question have the same text under `query+all`: a ranking for one is that for all of them.

    >>> told = {"parent": "7", "parent_text": "Why the jump?"}
    >>> steps = [
    ...     BenchQuery("7_step1", "Fees in 2022.", annotations={**told, "step_text": "Fees in 2022."}),
    ...     BenchQuery("7_step2", "Fees in 2023.", annotations={**told, "step_text": "Fees in 2023."}),
    ... ]
    >>> made = BenchSet("own/steps", (), tuple(steps), {})
    >>> [as_asked(made, name).queries[0].text for name in STRATEGIES]
    ['Fees in 2022.', 'Why the jump?\\n\\nStep: Fees in 2022.',
     'Why the jump?\\n\\nStep: Fees in 2022.\\n\\nStep: Fees in 2023.']
    """
    if strategy not in STRATEGIES:
        raise UnknownNameError("strategy for steps", strategy, STRATEGIES)
    plans: dict[str, list[str]] = {}
    for query in made.queries:
        plans.setdefault(_told(query, "parent", made.id), []).append(_told(query, "step_text", made.id))
    return replace(made, queries=tuple(_asked(query, strategy, plans, made.id) for query in made.queries))


def step_means(values: Mapping[str, float], made: BenchSet) -> StepMeans:
    """The two averages of a measure, whose values are given by step; a step without a value is an error.

    >>> steps = [("a", "q1"), ("b", "q1"), ("c", "q1"), ("d", "q2")]
    >>> queries = tuple(BenchQuery(id, "Find it.", annotations={"parent": parent}) for id, parent in steps)
    >>> step_means({"a": 1.0, "b": 0.0, "c": 0.5, "d": 1.0}, BenchSet("own/steps", (), queries, {}))
    StepMeans(pooled=0.625, by_question=0.75, steps=4, questions=2)
    """
    by_parent: dict[str, list[float]] = {}
    for query in made.queries:
        if query.id not in values:
            raise EpochalError(f"the step {query.id!r} of {made.id!r} has no value; give one for every step")
        if not math.isnan(values[query.id]):
            by_parent.setdefault(_told(query, "parent", made.id), []).append(values[query.id])
    every = [value for found in by_parent.values() for value in found]
    means = [math.fsum(found) / len(found) for found in by_parent.values()]
    return StepMeans(_mean(every), _mean(means), len(every), len(means))


def _asked(query: BenchQuery, strategy: str, plans: Mapping[str, list[str]], id: str) -> BenchQuery:
    step = _told(query, "step_text", id)
    if strategy == "step-only":
        return replace(query, text=step)
    steps = [step] if strategy == "query+step" else plans[_told(query, "parent", id)]
    return replace(query, text="".join((_told(query, "parent_text", id), *(f"{_PREFIX}{item}" for item in steps))))


def _told(query: BenchQuery, key: str, id: str) -> str:
    value = query.annotations.get(key)
    if not isinstance(value, str):
        accepted = "a set of steps, whose annotations have 'parent', 'parent_text' and 'step_text'"
        raise EpochalError(f"the question {query.id!r} of {id!r} has no {key!r}; accepted: {accepted}")
    return value


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
