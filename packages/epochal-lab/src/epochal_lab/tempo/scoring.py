"""Scores with reasons: of an answer against a reference, and of the quality of a question with its gold documents.

By a language model, a score comes with its reason (`epochal_lab.tempo.replies`). By rules, the score of an answer is
the share of the reference's words and times that it has, which rewards no paraphrase. Quality has five criteria; by
rules four of them are shares of what can be found, and the authority of a source is left open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from epochal.errors import EpochalError
from epochal.llm.chat import Chat, Message, data_rule, fence
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.tempo.records import PlanStep, check_covered, clean_question, get_content_words, get_mentioned_times
from epochal_lab.tempo.replies import HUNDRED, TENS, ask_score, describe_form

_RULES: Final = f"""\
You compare an answer with a reference answer to the same question. The score is the share of what the reference says
that the answer says too, in whatever words: 100 where nothing of weight is missing, 0 where it says nothing of it. What
the answer says besides counts neither for nor against it, unless it contradicts the reference: what it contradicts it
does not say. A wrong date is a contradiction.

{describe_form(TENS)}

{data_rule("question", "answer", "reference")}"""


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """A score from 0 to 100 in tens, and its reason."""

    score: int
    reason: str


def evaluate_by_rules(answer: str, reference: str, now: Span | None = None) -> AnswerScore:
    """The share of the reference's words, and of its times if any, that an answer has, rounded to tens.

    >>> evaluate_by_rules("Fees rose in 2017.", "<p>Fees rose in 2017, and fell in 2018.</p>")
    AnswerScore(score=60, reason='2 of 3 words and 1 of 2 times of the reference')
    """
    expected = get_content_words(_remove_times(reference, now))
    words = len(expected & get_content_words(answer))
    times, answered = _get_times(reference, now), _get_times(answer, now)
    matched = sum(any(span.start <= other.start and other.end <= span.end for other in answered) for span in times)
    reason = f"{words} of {len(expected)} words" + (f" and {matched} of {len(times)} times" if times else "")
    shares = [words / len(expected)] if expected else []
    shares += [matched / len(times)] if times else []
    share = sum(shares) / len(shares) if shares else 0.0
    return AnswerScore(10 * round(10 * share), f"{reason} of the reference")


def make_evaluation_messages(question: str, answer: str, reference: str) -> list[Message]:
    """The messages that ask a model for the score of an answer."""
    output = [
        fence(clean_question(question), "question"),
        fence(answer, "answer"),
        fence(clean_question(reference), "reference"),
    ]
    return [Message("system", _RULES), Message("user", "\n".join(output))]


def evaluate_by_model(chat: Chat, question: str, answer: str, reference: str) -> AnswerScore:
    """The score of an answer by a language model; an unusable reply is an `LlmError`.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return "REASON: the same name\\nSCORE: 100"
    >>> evaluate_by_model(Scripted(), "Who won?", "Ann.", "Ann.").score
    100
    """
    reply = ask_score(chat, make_evaluation_messages(question, answer, reference), TENS)
    return AnswerScore(reply.score, reply.reason)


def _get_times(text: str, now: Span | None) -> list[Span]:
    spans = (item.span for item in tag(clean_question(text), now) if item.span is not None and not item.span.is_open)
    return list(dict.fromkeys(spans))


def _remove_times(text: str, now: Span | None) -> str:
    """A text without its time expressions, which are compared as times, not as words."""
    bare = clean_question(text)
    for item in reversed(tag(bare, now)):
        if item.span is not None:
            bare = f"{bare[: item.start_char]} {bare[item.end_char :]}"
    return bare


#: The criteria, and their definitions.
CRITERIA: Final[Mapping[str, str]] = {
    "temporal relevance": "the documents speak of the times that the question is about",
    "plan alignment": "each step of the plan finds what it looks for in a document",
    "temporal coverage": "every time that the question sets against another has its own evidence",
    "completeness": "together the documents suffice for an answer",
    "authority": "the documents are such as one may rely on",
}
#: The lowest score of each band, and its name.
BANDS: Final[Mapping[int, str]] = {
    90: "excellent",
    80: "good",
    70: "fair",
    60: "weak",
    50: "poor",
    0: "unusable",
}
#: Characters of a document in a prompt.
_CHARACTERS: Final = 2000


@dataclass(frozen=True, slots=True)
class Quality:
    """Scores by criterion (None if not judged), a reason, and the overall score."""

    criteria: Mapping[str, int | None]
    reason: str
    score: int

    @property
    def band(self) -> str:
        return get_band(self.score)


def get_band(score: int) -> str:
    """The name of the band of a score."""
    if not 0 <= score <= 100:
        raise EpochalError(f"a score is {score}; accepted: 0 to 100")
    return next(name for minimum, name in BANDS.items() if score >= minimum)


def rate_quality_by_rules(
    question: str, plan: Sequence[PlanStep], documents: Sequence[Document], now: Span | None = None
) -> Quality:
    """The quality by rules; the overall score is the mean of the criteria that can be judged.

    >>> page = Document("a", "Steel tariffs rose in 2017.")
    >>> plan = [PlanStep(1, "Find steel tariffs in 2017."), PlanStep(2, "Find steel tariffs in 2021.")]
    >>> quality = rate_quality_by_rules("How did steel tariffs differ between 2017 and 2021?", plan, [page])
    >>> quality.criteria["plan alignment"], quality.criteria["temporal coverage"], quality.criteria["authority"]
    (50, 50, None)
    """
    understanding = understand(clean_question(question), now)
    periods = understanding.periods
    times = [get_mentioned_times(document) for document in documents]
    words = [get_content_words(f"{document.title} {document.text}") for document in documents]
    relevant = [any(check_covered(periods, spans)) if periods else bool(spans) for spans in times]
    steps = [_rate_step(step.action, times, words, now) for step in plan]
    covered = check_covered(periods, [span for spans in times for span in spans])
    topic = get_content_words(understanding.topic)
    all_words = frozenset[str]().union(*words)
    criteria: dict[str, int | None] = {
        "temporal relevance": _to_percent(relevant),
        "plan alignment": _to_percent(steps),
        "temporal coverage": _to_percent(covered) if periods else _to_percent([any(relevant)]),
        "completeness": _to_percent([word in all_words for word in topic]),
        "authority": None,
    }
    judged = [value for value in criteria.values() if value is not None]
    reason = f"{sum(relevant)} of {len(documents)} documents mention the time; {sum(covered)} of {len(covered)} periods"
    return Quality(criteria, reason, round(sum(judged) / len(judged)))


def make_quality_messages(question: str, plan: Sequence[PlanStep], documents: Sequence[Document]) -> list[Message]:
    """The messages that ask a model for the quality."""
    criteria = "\n".join(f"{name.upper()}: {definition}" for name, definition in CRITERIA.items())
    bands = ", ".join(f"{minimum} and more is {name}" for minimum, name in BANDS.items())
    rules = (
        "You check the data of a test of search: a question, the plan to answer it, and the documents that are said to "
        f"hold the answer. Judge each of these from 0 to 100:\n{criteria}\n"
        f"SCORE is your judgement over all: {bands}.\n\n{describe_form(HUNDRED, tuple(CRITERIA))}\n\n"
        f"{data_rule('question', 'plan', 'document')}"
    )
    steps = "\n".join(f"{step.step}. {step.action}" for step in plan)
    prompt = [fence(clean_question(question), "question"), fence(steps, "plan")]
    prompt += [
        fence(document.text[:_CHARACTERS], about={"number": number, "title": document.title})
        for number, document in enumerate(documents, 1)
    ]
    return [Message("system", rules), Message("user", "\n".join(prompt))]


def rate_quality_by_model(
    chat: Chat, question: str, plan: Sequence[PlanStep], documents: Sequence[Document]
) -> Quality:
    """The quality by a language model; an unusable reply is an `LlmError`.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return "\\n".join([*(f"{name}: 90" for name in CRITERIA), "REASON: both years", "SCORE: 88"])
    >>> quality = rate_quality_by_model(Scripted(), "Who won in 1998?", [], [])
    >>> quality.score, quality.criteria["authority"]
    (88, 90)
    """
    reply = ask_score(chat, make_quality_messages(question, plan, documents), HUNDRED, tuple(CRITERIA))
    return Quality(dict(reply.parts), reply.reason, reply.score)


def _rate_step(
    action: str, times: Sequence[Sequence[Span]], words: Sequence[frozenset[str]], now: Span | None
) -> float:
    """How well the best document matches a step: its period, if it names one, and its words."""
    step = understand(action, now)
    topic = get_content_words(step.topic)
    best = 0.0
    for spans, present in zip(times, words, strict=True):
        if step.periods and not any(check_covered(step.periods, spans)):
            continue
        best = max(best, len(topic & present) / len(topic) if topic else 1.0)
    return best


def _to_percent(shares: Sequence[float]) -> int:
    return round(100 * sum(shares) / len(shares)) if shares else 0
