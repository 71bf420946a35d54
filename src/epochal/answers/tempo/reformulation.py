"""Reformulation: the question with what a helpful document says after it, by rules and by a language model.

What is searched with is the original question and the reasoning, one after the other, as in TEMPO.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from epochal.answers.tempo.texts import named, plain, title
from epochal.llm.chat import Chat, LlmError, Message
from epochal.llm.fencing import data_rule, fence
from epochal.reading.questions.understand import understand
from epochal.times import Span

__all__ = ["Reformulated", "reformulate_by_model", "reformulate_by_rules", "reformulation_messages"]

_ASKS: Final = {
    "when": "It asks when",
    "duration": "It asks how long",
    "order": "It asks what came first",
    "before_after": "It asks what came before or after",
    "ongoing_status": "It asks how things stand now",
    "period_definition": "It asks from when to when a period lasts",
    "timeline": "It asks how things developed",
}

_RULES: Final = f"""\
Somebody will search for documents that answer the question below. Help the search:
1. Say in one sentence what is being asked at its core.
2. Think step by step about what an answer rests on: the matters, names and events, and the times that evidence must
come from.
3. Say what a helpful document contains, in the words that it would use.
Write plain prose of at most 200 words. Do not answer the question, and state no date that it does not state or that
you are not sure of.

{data_rule("question")}"""


@dataclass(frozen=True, slots=True)
class Reformulated:
    """A question and the reasoning about what answers it.

    >>> Reformulated("Why the jump?", "A helpful document gives reasons.").text
    'Why the jump?\\n\\nA helpful document gives reasons.'
    """

    original: str
    reasoning: str

    @property
    def text(self) -> str:
        """What is searched with: both.

        >>> Reformulated("Why the jump?", "").text
        'Why the jump?'
        """
        return f"{self.original}\n\n{self.reasoning}" if self.reasoning else self.original


def reformulate_by_rules(question: str, now: Span | None = None) -> Reformulated:
    """The question with what the rules understand of it: its topic, its times, and what to look for.

    >>> print(reformulate_by_rules("How have fees changed since 2017?", Span.year(2021)).reasoning)
    The question is about: How have fees changed. It asks how things developed. Times that matter: 2017, 2021. A helpful
    document speaks of this in 2017, or in 2021, and dates what it says.
    """
    text = plain(question)
    found = understand(text, now)
    told = [f"The question is about: {understand(title(question), now).topic}."]
    if found.intent in _ASKS and found.is_temporal:
        told.append(f"{_ASKS[found.intent]}.")
    if found.anchors:
        told.append(f"Times that matter: {', '.join(found.anchors)}.")
    if found.periods:
        places = ", or ".join(f"in {named(span)}" for span in found.periods)
        told.append(f"A helpful document speaks of this {places}, and dates what it says.")
    elif found.is_temporal:
        told.append("A helpful document dates what it says.")
    return Reformulated(question, " ".join(told))


def reformulation_messages(question: str) -> list[Message]:
    """The messages that ask a model for the reasoning.

    >>> reformulation_messages("Who won in 1998?")[-1].content.splitlines()[1]
    'Who won in 1998?'
    """
    return [Message("system", _RULES), Message("user", fence(plain(question), "question"))]


def reformulate_by_model(chat: Chat, question: str) -> Reformulated:
    """The question with a language model's reasoning; an empty reply is an `LlmError`.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return " A helpful document names the winner. "
    >>> reformulate_by_model(Scripted(), "Who won in 1998?").reasoning
    'A helpful document names the winner.'
    """
    reply = chat.complete(reformulation_messages(question)).strip()
    if not reply:
        raise LlmError(f"{chat.name} gave no reasoning about {title(question)!r}: its reply is empty")
    return Reformulated(question, reply)
