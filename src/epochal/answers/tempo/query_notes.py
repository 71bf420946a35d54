"""The annotation of a question: what it asks of time, by the rules that Epochal reads with, and by a language model."""

from __future__ import annotations

from typing import Final

from epochal.answers.tempo.plans import plan_by_rules
from epochal.answers.tempo.records import QueryNote
from epochal.answers.tempo.schemas import GRANULARITIES, SUMMARY_WORDS, QueryReply, plan_problem
from epochal.answers.tempo.texts import first_words, named, plain, title
from epochal.llm.chat import Chat, Message
from epochal.llm.fencing import data_rule, fence
from epochal.llm.structured import ask
from epochal.reading.questions.constraints import read_constraints
from epochal.reading.questions.question import INTENTS, REASONING_CLASSES, Understanding
from epochal.reading.questions.topic import signals
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.times import Span

__all__ = ["query_by_model", "query_by_rules", "query_messages"]

_RULES: Final = f"""\
You read a question for people who must find evidence from the right time. Describe what it asks of time. Take nothing
from elsewhere: neither what you know of the matter nor what an answer may be.

Reply with one JSON object that has all of these keys, with [] and "" where there is nothing to say:
is_temporal_query: true where answering calls for a time, an order, a duration, a change or the present state
temporal_intent: what is wanted of time, one of {", ".join(INTENTS)}
query_temporal_signals: the words of the question that speak of time, as they stand there
query_temporal_events: events of the question that have a date, such as wars, treaties, elections; no others
query_summary: the question in at most {SUMMARY_WORDS} words
temporal_reasoning_class_primary: one of {", ".join(REASONING_CLASSES)}
temporal_reasoning_class_secondary: others of these that fit too
retrieval_reasoning: how evidence for its times can be found
retrieval_plan: two to four steps, objects with step (1, 2, ...) and action, each one concrete thing to look for
key_time_anchors: the years, dates and eras that evidence must speak of
expected_granularity: how finely an answer should be dated, one of {", ".join(GRANULARITIES)}
quality_checks: what to check of the evidence before it is trusted

{data_rule("question")}"""


def query_by_rules(question: str, now: Span | None = None) -> QueryNote:
    """The annotation of a question by rules.

    >>> note = query_by_rules("How did fees change between 2017 and 2021?")
    >>> note.temporal_reasoning_class_primary, note.key_time_anchors, note.query_temporal_signals
    ('trends_changes_and_cross_period', ('2017', '2021'), ('between 2017 and 2021',))
    """
    text = plain(question)
    found = understand(text, now)
    stated = {(item.start_char, item.end_char) for item in tag(text, now)}
    events = [item for item in found.expressions if (item.start_char, item.end_char) not in stated]
    dated = [item for item in found.expressions if (item.start_char, item.end_char) in stated]
    head = understand(title(question), now).reasoning_class
    return QueryNote(
        is_temporal_query=found.is_temporal,
        temporal_intent=found.intent,
        query_temporal_signals=signals(text, dated, read_constraints(text, found.expressions)),
        query_temporal_events=tuple(dict.fromkeys(item.text for item in events)),
        query_summary=first_words(text, SUMMARY_WORDS),
        temporal_reasoning_class_primary=found.reasoning_class,
        temporal_reasoning_class_secondary=(head,) if head not in ("", found.reasoning_class) else (),
        retrieval_reasoning=_reasoning(found),
        retrieval_plan=plan_by_rules(question, now),
        key_time_anchors=found.anchors,
        expected_granularity=found.granularity,
        quality_checks=_checks(found),
    )


def query_messages(question: str, now: Span | None = None) -> list[Message]:
    """The messages that ask a model for the annotation of a question.

    >>> print(query_messages("Who won in 1998?")[-1].content)
    <question>
    Who won in 1998?
    </question>
    """
    asked = fence(plain(question), "question", {"asked": now.edtf()} if now is not None else None)
    return [Message("system", _RULES), Message("user", asked)]


def query_by_model(chat: Chat, question: str, now: Span | None = None) -> QueryNote:
    """The annotation of a question by a language model; a reply that cannot be used is an `LlmError`.

    >>> import json
    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return dumps(query_by_rules("Who won in 1998?").to_dict())
    >>> dumps = json.dumps
    >>> query_by_model(Scripted(), "Who won in 1998?").key_time_anchors
    ('1998',)
    """
    return QueryNote.from_reply(ask(chat, query_messages(question, now), QueryReply, _problem))


def _problem(reply: QueryReply) -> str | None:
    words = len(reply.query_summary.split())
    if words > SUMMARY_WORDS:
        return f"query_summary has {words} words; accepted: at most {SUMMARY_WORDS}"
    if reply.is_temporal_query and not reply.temporal_reasoning_class_primary:
        return "temporal_reasoning_class_primary is empty although the question is temporal"
    return plan_problem(reply)


def _reasoning(found: Understanding) -> str:
    if not found.is_temporal:
        return ""
    periods = " and ".join(named(span) for span in found.periods)
    if found.cross_period and len(found.periods) > 1:
        return f"Evidence is needed of each of {periods}, for the question sets them against each other."
    if found.periods:
        return f"Evidence must speak of {periods}; what only shares the topic does not answer."
    if found.temporal_focus == "recency":
        return "The newest evidence decides, for the question asks how things stand."
    return "The question names no time: evidence must itself be dated."


def _checks(found: Understanding) -> tuple[str, ...]:
    checks = [f"a passage speaks of {named(span)}" for span in found.periods]
    if found.temporal_focus == "recency":
        checks.append("no newer passage says otherwise")
    if found.intent in ("when", "duration", "order") and found.is_temporal:
        checks.append("two passages give the same dates")
    return tuple(checks)
