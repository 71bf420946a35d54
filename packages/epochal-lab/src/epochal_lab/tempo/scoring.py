"""Replies that give a reason and then a score, as judges of answers and of data are asked for them.

    REASON: what speaks for it, in one or more lines
    SCORE: 80

Other numbers may be asked for in lines of their own before the reason. A reply of another form is asked for once more,
and is a failure then: no number is fished out of prose.

Evaluation of an answer against a reference, from 0 to 100 in tens: by how much of the reference it says.

A language model gives a reason and then a score, as in TEMPO. By rules the score is the share of the reference's words
and times that the answer has; that rewards no paraphrase, and is a lower bound for a good answer.

Quality of a question with its plan and its gold documents, by five criteria from 0 to 100, and over all.

By rules, four of the criteria are shares of what was asked that can be found. Whether a source is to be believed no
rule can tell, and that criterion is left open. A language model judges all five.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from epochal.errors import EpochalError
from epochal.llm.chat import Chat, Message, StructureError, data_rule, fence
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.tempo.records import PlanStep, content_words, covered, plain, spoken_times

__all__ = [
    "BANDS",
    "CRITERIA",
    "HUNDRED",
    "TENS",
    "Evaluation",
    "Quality",
    "Scored",
    "ask_score",
    "band",
    "evaluate_by_model",
    "evaluate_by_rules",
    "evaluation_messages",
    "form",
    "quality_by_model",
    "quality_by_rules",
    "quality_messages",
    "read_score",
]


#: All whole numbers from 0 to 100, and those of them in steps of ten.
HUNDRED: Final = range(101)
TENS: Final = range(0, 101, 10)

_LINE = re.compile(r"[ \t]*[*_#]*[ \t]*(?P<name>[A-Za-z][A-Za-z ]*?)[ \t]*[*_]*[ \t]*:[ \t]*[*_]*[ \t]*(?P<rest>.*)")
_NUMBER = re.compile(r"(-?\d{1,6})(?:[ \t]*/[ \t]*100)?[ \t]*[*_.]*[ \t]*")


@dataclass(frozen=True, slots=True)
class Scored:
    """A reason and a score; `parts` are the other numbers that were asked for, by their names."""

    reason: str
    score: int
    parts: Mapping[str, int] = field(default_factory=dict)


def form(accepted: Sequence[int] = HUNDRED, parts: Sequence[str] = ()) -> str:
    """What a prompt says of the form of the reply."""
    step = f", in steps of {accepted[1] - accepted[0]}" if len(accepted) > 1 and accepted[1] - accepted[0] > 1 else ""
    number = f"a whole number from {accepted[0]} to {accepted[-1]}{step}"
    lines = [f"{part.upper()}: {number}" for part in parts]
    return "\n".join(["Reply with these lines and nothing else:", *lines, "REASON: what speaks for the score",
                      f"SCORE: {number}"])  # fmt: skip


def ask_score(
    chat: Chat, messages: Sequence[Message], accepted: Sequence[int] = HUNDRED, parts: Sequence[str] = ()
) -> Scored:
    """The reason and the score that a model replies with; a reply of another form is asked for once more."""
    first = chat.complete(messages)
    try:
        return read_score(first, accepted, parts)
    except EpochalError as error:
        complaint = f"That cannot be used: {error}.\n{form(accepted, parts)}"
    second = chat.complete([*messages, Message("assistant", first), Message("user", complaint)])
    try:
        return read_score(second, accepted, parts)
    except EpochalError as error:
        raise StructureError(chat.name, str(error), (first, second), "reason and score") from None


def read_score(text: str, accepted: Collection[int] = HUNDRED, parts: Sequence[str] = ()) -> Scored:
    """The reason and the score that a text holds in the form asked for, and nothing else."""
    found = _fields(text, {"REASON", "SCORE", *(part.upper() for part in parts)})
    numbers = {part: _number(found, part.upper(), accepted) for part in parts}
    score = _number(found, "SCORE", accepted)
    if not found.get("REASON"):
        raise EpochalError("the reply has no REASON; accepted: a line that starts with REASON:")
    return Scored(found["REASON"], score, numbers)


def _fields(text: str, names: Collection[str]) -> dict[str, str]:
    """What stands after each name. Lines of a reason go on until a name follows; other text around is no part of it."""
    found: dict[str, str] = {}
    last = ""
    for line in text.strip().splitlines():
        match = _LINE.fullmatch(line)
        name = match["name"].upper() if match else ""
        if match and name in names:
            if name in found:
                raise EpochalError(f"the reply has {name} twice; accepted: one line each")
            found[name], last = match["rest"].strip(), name
        elif last == "REASON":
            found["REASON"] = f"{found['REASON']} {line.strip()}".strip()
        elif line.strip():
            shown = line.strip() if len(line.strip()) <= 40 else f"{line.strip()[:37]}..."
            raise EpochalError(f"the reply says {shown!r} outside of its lines; accepted: the lines asked for alone")
    return found


def _number(found: Mapping[str, str], name: str, accepted: Collection[int]) -> int:
    if name not in found:
        raise EpochalError(f"the reply has no {name}; accepted: a line that starts with {name}:")
    match = _NUMBER.fullmatch(found[name])
    if match is None or int(match[1]) not in accepted:
        told = ", ".join(map(str, accepted)) if len(accepted) <= 11 else f"{min(accepted)} to {max(accepted)}"
        shown = found[name] if len(found[name]) <= 40 else f"{found[name][:37]}..."
        raise EpochalError(f"{name} is {shown or 'empty'}; accepted: {told}")
    return int(match[1])


_RULES: Final = f"""\
You compare an answer with a reference answer to the same question. The score is the share of what the reference says
that the answer says too, in whatever words: 100 where nothing of weight is missing, 0 where it says nothing of it. What
the answer says besides counts neither for nor against it, unless it contradicts the reference: what it contradicts it
does not say. A wrong date is a contradiction.

{form(TENS)}

{data_rule("question", "answer", "reference")}"""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A score from 0 to 100 in tens, and its reason."""

    score: int
    reason: str


def evaluate_by_rules(answer: str, reference: str, now: Span | None = None) -> Evaluation:
    """The share of the reference's words, and of its times where it states any, that an answer has, to the next ten.

    >>> evaluate_by_rules("Fees rose in 2017.", "<p>Fees rose in 2017, and fell in 2018.</p>")
    Evaluation(score=60, reason='2 of 3 words and 1 of 2 times of the reference')
    """
    wanted, said = content_words(_untimed(reference, now)), content_words(answer)
    words = len(wanted & said)
    times, known = _times(reference, now), _times(answer, now)
    held = sum(any(span.start <= other.start and other.end <= span.end for other in known) for span in times)
    reason = f"{words} of {len(wanted)} words" + (f" and {held} of {len(times)} times" if times else "")
    shares = [words / len(wanted)] if wanted else []
    shares += [held / len(times)] if times else []
    share = sum(shares) / len(shares) if shares else 0.0
    return Evaluation(10 * round(10 * share), f"{reason} of the reference")


def evaluation_messages(question: str, answer: str, reference: str) -> list[Message]:
    """The messages that ask a model for the score of an answer."""
    shown = [fence(plain(question), "question"), fence(answer, "answer"), fence(plain(reference), "reference")]
    return [Message("system", _RULES), Message("user", "\n".join(shown))]


def evaluate_by_model(chat: Chat, question: str, answer: str, reference: str) -> Evaluation:
    """The score of an answer by a language model; a reply that cannot be used is an `LlmError`.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return "REASON: the same name\\nSCORE: 100"
    >>> evaluate_by_model(Scripted(), "Who won?", "Ann.", "Ann.").score
    100
    """
    told = ask_score(chat, evaluation_messages(question, answer, reference), TENS)
    return Evaluation(told.score, told.reason)


def _times(text: str, now: Span | None) -> list[Span]:
    found = (item.span for item in tag(plain(text), now) if item.span is not None and not item.span.is_open)
    return list(dict.fromkeys(found))


def _untimed(text: str, now: Span | None) -> str:
    """A text without its time expressions: these are compared as times, not as words."""
    bare = plain(text)
    for item in reversed(tag(bare, now)):
        if item.span is not None:
            bare = f"{bare[: item.start_char]} {bare[item.end_char :]}"
    return bare


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
    """Scores by criterion, None for one that was not judged, a reason, and the score over all."""

    criteria: Mapping[str, int | None]
    reason: str
    score: int

    @property
    def band(self) -> str:
        """What evidence of this score is called."""
        return band(self.score)


def band(score: int) -> str:
    """The name of the band that a score lies in."""
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
    """The messages that ask a model for the quality."""
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
