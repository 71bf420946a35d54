"""Measures as values that print and parse back, and the notation NAME(key=value, ...) that they share with systems."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from epochal.errors import EpochalError
from epochal_lab.metrics.runs import Floats, Integers, Judgements, Ranking, Run

#: The accepted values of parameters that are names.
Choices = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The value of a measure for each question of a ranking, nan where it is undefined.

    `gaps` counts, for each question, the documents within the cut-off of which the measure would have had to know
    something that is not known: a verdict, a time.

    >>> import numpy as np
    >>> Scores(np.array([0.5, np.nan])).gaps is None
    True
    """

    values: Floats
    gaps: Integers | None = None


@dataclass(frozen=True, slots=True)
class Measure(ABC):
    """A measure. Its fields are its cut-off and its parameters; what is left at its default is not printed.

    A measure of your own is a frozen dataclass that derives from this, with a `name`, a `title` and `score`. A package
    offers it as an entry point of the group `epochal.metrics`.

    >>> from epochal_lab.metrics import NDCG
    >>> print(NDCG(10), NDCG(10, gain="exp"), NDCG())
    nDCG@10 nDCG@10(gain=exp) nDCG
    >>> NDCG(10).per_query({"q1": {"d1": 0.5, "d2": 0.9}}, Judgements({"q1": {"d2": 1}}))
    {'q1': 1.0}
    """

    #: What it is called, before the cut-off.
    name: ClassVar[str]
    #: What it tells, in a few words.
    title: ClassVar[str]
    #: What it takes of the judgements: qrels, coverage, verdicts, periods, content, published.
    needs: ClassVar[tuple[str, ...]] = ("qrels",)
    #: The accepted values of parameters that are names.
    choices: ClassVar[Choices] = {}
    #: Whether it means nothing without a cut-off.
    needs_cutoff: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True

    cutoff: int | None = None

    def __post_init__(self) -> None:
        if self.cutoff is None and self.needs_cutoff:
            raise EpochalError(f"{self.name} needs a cut-off; accepted: {self.name}@K, such as {self.name}@10")
        if self.cutoff is not None and (type(self.cutoff) is not int or self.cutoff < 1):
            raise EpochalError(f"the cut-off of {self.name} is {self.cutoff!r}; accepted: a whole number from 1")
        if (minimum := getattr(self, "rel", 1)) < 1:
            raise EpochalError(f"the parameter rel of {self.name} is {minimum}; accepted: a whole number from 1")
        for key, accepted in self.choices.items():
            if (value := getattr(self, key)) not in accepted:
                listed = f"{', '.join(accepted[:-1])} or {accepted[-1]}"
                raise EpochalError(f"the parameter {key} of {self.name} is {value!r}; accepted: {listed}")

    @abstractmethod
    def score(self, ranking: Ranking) -> Scores:
        """The value for each question of a ranking, in its order."""

    def per_query(self, run: Run, judgements: Judgements) -> dict[str, float]:
        """The value for each question of which anything is known; nan where the measure is undefined.

        Where several measures are taken of one run, `evaluate` orders the run only once.

        >>> from epochal_lab.metrics import Hit
        >>> Hit(1).per_query({}, Judgements({"q1": {"d2": 1}, "q2": {"d2": 0}}))
        {'q1': 0.0, 'q2': nan}
        """
        ranking = Ranking(run, judgements)
        return dict(zip(ranking.queries, self.score(ranking).values.tolist(), strict=True))

    def settings(self) -> dict[str, Any]:
        """The parameters that differ from their defaults.

        >>> from epochal_lab.metrics import NDCG
        >>> NDCG(10, gain="exp").settings()
        {'gain': 'exp'}
        """
        own = [item for item in fields(self) if item.name != "cutoff"]
        return {item.name: value for item in own if (value := getattr(self, item.name)) != item.default}

    def __str__(self) -> str:
        inner = ", ".join(f"{key}={format_setting(value)}" for key, value in self.settings().items())
        return f"{self.name}{'' if self.cutoff is None else f'@{self.cutoff}'}{f'({inner})' if inner else ''}"


def format_setting(value: Any) -> str:
    """A parameter as it is written."""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


_FORM = re.compile(r"\s*(?P<name>[^\s(),=]+)\s*(?:\((?P<settings>[^()]*)\)\s*)?")


@dataclass(frozen=True, slots=True)
class Spec:
    """A name with settings, which prints as it is parsed."""

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Spec:
        """The name and settings that a text states."""
        match = _FORM.fullmatch(text)
        settings: dict[str, str] = {}
        for part in (match["settings"] or "").split(",") if match else ():
            key, mark, value = (piece.strip() for piece in part.partition("="))
            if part.strip():
                if not (key and mark and value) or key in settings:
                    match = None
                    break
                settings[key] = value
        if match is None:
            raise EpochalError(f"{text!r} is no name with settings; accepted: NAME or NAME(key=value, ...)")
        return cls(match["name"], settings)

    def __str__(self) -> str:
        inner = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.name}({inner})" if inner else self.name

    def only(self, *known: str) -> Mapping[str, str]:
        """The settings, where all of them are known."""
        for key in self.settings:
            if key not in known:
                raise EpochalError(f"{self.name} has no setting {key!r}; accepted: {', '.join(known) or 'none'}")
        return self.settings
