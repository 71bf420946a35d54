"""Quality of a question with its plan and its gold documents, by five criteria from 0 to 100, and over all.

By rules, four of the criteria are shares of what was asked that can be found. Whether a source is to be believed no
rule can tell, and that criterion is left open. A language model judges all five.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from epochal.answers.tempo.records import PlanStep
from epochal.answers.tempo.texts import content_words, covered, plain, spoken_times
from epochal.errors import EpochalError
from epochal.index.records import Document
from epochal.llm.chat import Chat, Message
from epochal.llm.fencing import data_rule, fence
from epochal.llm.scored import HUNDRED, ask_score, form
from epochal.reading.questions.understand import understand
from epochal.times import Span

__all__ = ["BANDS", "CRITERIA", "Quality", "band", "quality_by_model", "quality_by_rules", "quality_messages"]

#: The criteria, and what each asks.
CRITERIA: Final[Mapping[str, str]] = {
    "temporal relevance": "the documents speak of the times that the question is about",
    "plan alignment": "each step of the plan finds what it looks for in a document",
    "temporal coverage": "every time that the question sets against another has its own evidence",
    "completeness": "together the documents suffice for an answer",
    "authority": "the documents are such as one may rely on",
}
#: From which score on a set of evidence is called what.
BANDS: Final[Mapping[int, str]] = {
    90: "excellent",
    80: "good",
    70: "fair",
    60: "weak",
    50: "poor",
    0: "unusable",
}
#: How much of a document a judge is shown, in characters.
_CHARACTERS: Final = 2000


@dataclass(frozen=True, slots=True)
class Quality:
    """Scores by criterion, None for one that was not judged, a reason, and the score over all.

    >>> Quality({"authority": None}, "by rules", 82).band
    'good'
    """

    criteria: Mapping[str, int | None]
    reason: str
    score: int

    @property
    def band(self) -> str:
        """What evidence of this score is called.

        >>> Quality({}, "", 59).band
        'poor'
        """
        return band(self.score)


def band(score: int) -> str:
    """The name of the band that a score lies in.

    >>> band(90), band(89), band(12)
    ('excellent', 'good', 'unusable')
    """
    if not 0 <= score <= 100:
        raise EpochalError(f"a score is {score}; accepted: 0 to 100")
    return next(name for least, name in BANDS.items() if score >= least)


def quality_by_rules(
    question: str, plan: Sequence[PlanStep], documents: Sequence[Document], now: Span | None = None
) -> Quality:
    """The quality by rules; the score over all is the mean of what can be judged.

    >>> page = Document("a", "Steel tariffs rose in 2017.")
    >>> plan = [PlanStep(1, "Find steel tariffs in 2017."), PlanStep(2, "Find steel tariffs in 2021.")]
    >>> found = quality_by_rules("How did steel tariffs differ between 2017 and 2021?", plan, [page])
    >>> found.criteria["plan alignment"], found.criteria["temporal coverage"], found.criteria["authority"]
    (50, 50, None)
    """
    text = plain(question)
    asked = understand(text, now)
    times = [spoken_times(document) for document in documents]
    words = [content_words(f"{document.title} {document.text}") for document in documents]
    relevant = [any(covered(asked.periods, found)) if asked.periods else bool(found) for found in times]
    steps = [_step_share(step.action, times, words, now) for step in plan]
    spoken = covered(asked.periods, [span for found in times for span in found])
    wanted = content_words(asked.topic)
    said = frozenset[str]().union(*words)
    criteria: dict[str, int | None] = {
        "temporal relevance": _percent(relevant),
        "plan alignment": _percent(steps),
        "temporal coverage": _percent(spoken) if asked.periods else _percent([any(relevant)]),
        "completeness": _percent([word in said for word in wanted]),
        "authority": None,
    }
    judged = [value for value in criteria.values() if value is not None]
    reason = f"{sum(relevant)} of {len(documents)} documents speak of the time; {sum(spoken)} of {len(spoken)} periods"
    return Quality(criteria, reason, round(sum(judged) / len(judged)))


def quality_messages(question: str, plan: Sequence[PlanStep], documents: Sequence[Document]) -> list[Message]:
    """The messages that ask a model for the quality.

    >>> quality_messages("Who won?", [], [Document("a", "Ann won.")])[-1].content.splitlines()[-3:]
    ['<document number="1">', 'Ann won.', '</document>']
    """
    criteria = "\n".join(f"{name.upper()}: {asks}" for name, asks in CRITERIA.items())
    bands = ", ".join(f"{least} and more is {name}" for least, name in BANDS.items())
    rules = (
        "You check the data of a test of search: a question, the plan to answer it, and the documents that are said to "
        f"hold the answer. Judge each of these from 0 to 100:\n{criteria}\n"
        f"SCORE is your judgement over all: {bands}.\n\n{form(HUNDRED, tuple(CRITERIA))}\n\n"
        f"{data_rule('question', 'plan', 'document')}"
    )
    steps = "\n".join(f"{step.step}. {step.action}" for step in plan)
    shown = [fence(plain(question), "question"), fence(steps, "plan")]
    shown += [
        fence(document.text[:_CHARACTERS], about={"number": number, "title": document.title})
        for number, document in enumerate(documents, 1)
    ]
    return [Message("system", rules), Message("user", "\n".join(shown))]


def quality_by_model(chat: Chat, question: str, plan: Sequence[PlanStep], documents: Sequence[Document]) -> Quality:
    """The quality by a language model; a reply that cannot be used is an `LlmError`.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return "\\n".join([*(f"{name}: 90" for name in CRITERIA), "REASON: both years", "SCORE: 88"])
    >>> found = quality_by_model(Scripted(), "Who won in 1998?", [], [])
    >>> found.score, found.criteria["authority"]
    (88, 90)
    """
    told = ask_score(chat, quality_messages(question, plan, documents), HUNDRED, tuple(CRITERIA))
    return Quality(dict(told.parts), told.reason, told.score)


def _step_share(
    action: str, times: Sequence[Sequence[Span]], words: Sequence[frozenset[str]], now: Span | None
) -> float:
    """How far the best document has what a step looks for: its period, if it names one, and its words."""
    step = understand(action, now)
    wanted = content_words(step.topic)
    best = 0.0
    for found, said in zip(times, words, strict=True):
        if step.periods and not any(covered(step.periods, found)):
            continue
        best = max(best, len(wanted & said) / len(wanted) if wanted else 1.0)
    return best


def _percent(shares: Sequence[float]) -> int:
    return round(100 * sum(shares) / len(shares)) if shares else 0
