"""Plans: two to four steps that find the evidence a question needs, by rules and by a language model."""

from __future__ import annotations

from typing import Final

from epochal.answers.tempo.records import PlanStep
from epochal.answers.tempo.schemas import PlanReply, plan_problem
from epochal.answers.tempo.texts import plain, title
from epochal.llm.chat import Chat, Message
from epochal.llm.fencing import data_rule, fence
from epochal.llm.structured import ask
from epochal.reading.questions.cues import cues
from epochal.reading.questions.plan import make_plan
from epochal.reading.questions.question import Understanding
from epochal.reading.questions.understand import understand
from epochal.times import Span

__all__ = ["plan_by_model", "plan_by_rules", "plan_messages"]

#: The most steps of a plan, and the most of them that search a period: one is left for what the periods are for.
_MOST: Final = 4
_PERIODS: Final = 3
#: What is left to do, by the class of reasoning, where the searches alone are no plan. Each step can be searched by
#: itself, so each names its matter.
_ENDS: Final = {
    "causation_analysis": "Find the reasons that dated sources give for {about}",
    "event_verification_and_authenticity": "Find dated sources that confirm {about}, and such that deny it",
    "sources_methods_and_documentation": "Find which records there are of {about}, and from when",
    "materials_artifacts_and_provenance": "Find where and when it was made: {about}",
    "artifact_verification": "Find what dates {about}, and compare that with what is said of it",
    "historical_attribution_and_context": "Find who is named for {about}, and in which source first",
    "historical_misinterpretation_or_reenactment": "Find what sources of the time say of {about}, and what later ones",
}
_LAST: Final = "Check the dates that were found for {about} against a second source"

_RULES: Final = f"""\
You plan a search for evidence. Write the steps that find what a question needs, each one concrete thing to look for
that a search engine can be asked: name the matter and the time in each. A question that sets times against each other
needs a step for each of them. Two to four steps; no step that only says to sum up or to write the answer.

Reply with one JSON object: retrieval_plan, a list of objects with step (1, 2, ...) and action (one sentence).

{data_rule("question")}"""


def plan_by_rules(question: str, now: Span | None = None) -> tuple[PlanStep, ...]:
    """The plan of a question by rules. What is looked for is what its first line says, in the times that it names.

    >>> for step in plan_by_rules("What caused the jump of fees in 2023?\\n<p>They were low in 2021.</p>"):
    ...     print(step.step, step.action)
    1 Find "What caused the jump of fees" in 2021.
    2 Find "What caused the jump of fees" in 2023.
    3 Find the reasons that dated sources give for "What caused the jump of fees".
    """
    text, head = plain(question), title(question)
    found = understand(text, now)
    about = understand(head, now)
    # A question that names a time without asking for one is of the intent "when" too.
    intent = found.intent if found.intent != "when" or "ask_when" in cues(text, now) else "none"
    made = make_plan(about.topic, intent, _periods(found, about), now, cross=found.cross_period)
    actions = [step.action for step in made if step.period is not None or step.number == 1]
    rest = [step.action for step in made if step.action not in actions]
    if found.reasoning_class in _ENDS or not rest:
        end = _ENDS.get(found.reasoning_class, _LAST)
        rest = [f"{end.format(about=_quoted(about.topic))}."]
    return tuple(PlanStep(number, action) for number, action in enumerate([*actions, *rest][:_MOST], 1))


def plan_messages(question: str, now: Span | None = None) -> list[Message]:
    """The messages that ask a model for a plan.

    >>> plan_messages("Who won in 1998?")[0].role
    'system'
    """
    asked = fence(plain(question), "question", {"asked": now.edtf()} if now is not None else None)
    return [Message("system", _RULES), Message("user", asked)]


def plan_by_model(chat: Chat, question: str, now: Span | None = None) -> tuple[PlanStep, ...]:
    """The plan of a question by a language model; a reply that cannot be used is an `LlmError`.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return '{"retrieval_plan": [{"step": 1, "action": "Find A."}, {"step": 2, "action": "Find B."}]}'
    >>> [step.action for step in plan_by_model(Scripted(), "How do A and B differ?")]
    ['Find A.', 'Find B.']
    """
    reply = ask(chat, plan_messages(question, now), PlanReply, plan_problem)
    return tuple(PlanStep(step.step, step.action) for step in reply.retrieval_plan)


def _quoted(topic: str) -> str:
    return f'"{topic}"'


def _periods(found: Understanding, head: Understanding) -> list[Span]:
    """The periods that are searched: those that the first line names go first, where there are too many."""
    first = [span for span in found.periods if span in head.periods]
    chosen = [*first, *(span for span in found.periods if span not in first)][:_PERIODS]
    return sorted(chosen, key=lambda span: (span.start, span.end))
