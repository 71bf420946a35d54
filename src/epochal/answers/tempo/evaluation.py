"""Evaluation of an answer against a reference, from 0 to 100 in tens: by how much of the reference it says.

A language model gives a reason and then a score, as in TEMPO. By rules the score is the share of the reference's words
and times that the answer has; that rewards no paraphrase, and is a lower bound for a good answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from epochal.answers.tempo.texts import content_words, plain
from epochal.llm.chat import Chat, Message
from epochal.llm.fencing import data_rule, fence
from epochal.llm.scored import TENS, ask_score, form
from epochal.reading.tagger import tag
from epochal.times import Span

__all__ = ["Evaluation", "evaluate_by_model", "evaluate_by_rules", "evaluation_messages"]

_RULES: Final = f"""\
You compare an answer with a reference answer to the same question. The score is the share of what the reference says
that the answer says too, in whatever words: 100 where nothing of weight is missing, 0 where it says nothing of it. What
the answer says besides counts neither for nor against it, unless it contradicts the reference: what it contradicts it
does not say. A wrong date is a contradiction.

{form(TENS)}

{data_rule("question", "answer", "reference")}"""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A score from 0 to 100 in tens, and its reason.

    >>> Evaluation(80, "both dates are there").score
    80
    """

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
    """The messages that ask a model for the score of an answer.

    >>> print(evaluation_messages("Who won?", "Ann.", "Ann Hay won.")[-1].content)
    <question>
    Who won?
    </question>
    <answer>
    Ann.
    </answer>
    <reference>
    Ann Hay won.
    </reference>
    """
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
