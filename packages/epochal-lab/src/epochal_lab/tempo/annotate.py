"""How far two annotations agree, key by key, from 0 to 1: rules with people, rules with a model, a model with itself.

yes or no, one of a list   1 where they are equal
texts                      the share of words that they have in common, twice the common ones over all
lists of texts             each item with the one of the other list that is most like it, in both directions
times                      like texts, and 1 where they name times that meet

The annotation of a passage: which times it speaks of, by the tagger, and by a language model.

Plans: two to four steps that find the evidence a question needs, by rules and by a language model.

The annotation of a question: what it asks of time, by the rules that Epochal reads with, and by a language model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from epochal.llm.chat import Chat, Message, data_rule, fence
from epochal.llm.structured import ask
from epochal.reading.expression import stated_ranges
from epochal.reading.questions.constraints import read_constraints
from epochal.reading.questions.cues import detect_cues
from epochal.reading.questions.periods import make_plan
from epochal.reading.questions.question import INTENTS, REASONING_CLASSES, Understanding
from epochal.reading.questions.topic import find_signals
from epochal.reading.questions.understand import infer_granularity, understand
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal.storage.text import analyse
from epochal.times.axis import Grain
from epochal.times.span import Span
from epochal_lab.tempo.records import (
    GRANULARITIES,
    PASSAGE_KEYS,
    QUERY_KEYS,
    SUMMARY_WORDS,
    TENSES,
    PassageNote,
    PassageReply,
    PlanReply,
    PlanStep,
    QueryNote,
    QueryReply,
    TimeScope,
    content_words,
    first_words,
    named,
    plain,
    plan_problem,
    title,
)

__all__ = [
    "compare_passages",
    "compare_queries",
    "likeness",
    "passage_by_model",
    "passage_by_rules",
    "passage_messages",
    "plan_by_model",
    "plan_by_rules",
    "plan_messages",
    "query_by_model",
    "query_by_rules",
    "query_messages",
]


_EXACT: Final = ("is_temporal_query", "temporal_intent", "temporal_reasoning_class_primary", "expected_granularity")
_TIMES: Final = ("key_time_anchors", "query_temporal_signals", "passage_temporal_signals", "time_mentions")


def compare_queries(one: QueryNote, other: QueryNote) -> dict[str, float]:
    """The agreement of two annotations of a question, by key; `plan_steps` tells whether plans are equally long.

    >>> a = QueryNote(True, "when", key_time_anchors=("2017", "the merge"))
    >>> b = QueryNote(True, "timeline", key_time_anchors=("the year 2017",))
    >>> found = compare_queries(a, b)
    >>> found["is_temporal_query"], found["temporal_intent"], round(found["key_time_anchors"], 2)
    (1.0, 0.0, 0.67)
    """
    told: dict[str, float] = {}
    for key in QUERY_KEYS:
        mine, theirs = getattr(one, key), getattr(other, key)
        if key in _EXACT:
            told[key] = float(mine == theirs)
        elif key == "retrieval_plan":
            told[key] = _lists([step.action for step in mine], [step.action for step in theirs], likeness)
            told["plan_steps"] = float(len(mine) == len(theirs))
        elif isinstance(mine, tuple):
            told[key] = _lists(mine, theirs, _timely if key in _TIMES else likeness)
        else:
            told[key] = likeness(mine, theirs)
    return told


def compare_passages(one: PassageNote, other: PassageNote) -> dict[str, float]:
    """The agreement of two annotations of a passage, by key; a scope is compared by its start, its end and its grain.

    >>> from epochal_lab.tempo.records import TimeScope
    >>> a = PassageNote(time_scope_guess=TimeScope("1914", "1918", "year"), tense_guess="past")
    >>> b = PassageNote(time_scope_guess=TimeScope("1914-06", "", "year"), tense_guess="past")
    >>> round(compare_passages(a, b)["time_scope_guess"], 2)
    0.67
    """
    told: dict[str, float] = {}
    for key in PASSAGE_KEYS:
        mine, theirs = getattr(one, key), getattr(other, key)
        if key == "time_scope_guess":
            ends = [_years(getattr(mine, end), getattr(theirs, end)) for end in ("start_iso", "end_iso")]
            told[key] = (sum(ends) + (mine.granularity == theirs.granularity)) / 3
        elif key == "tense_guess":
            told[key] = float(mine == theirs)
        elif key == "confidence":
            told[key] = 1.0 - abs(mine - theirs)
        else:
            told[key] = _lists(mine, theirs, _timely if key in _TIMES else likeness)
    return told


def likeness(one: str, other: str) -> float:
    """Twice the words that two texts share, over the words of both; 1 for two empty texts.

    Small words count only in texts that have no others.
    """
    mine, theirs = _words(one), _words(other)
    return 2 * len(mine & theirs) / (len(mine) + len(theirs)) if mine or theirs else 1.0


def _words(text: str) -> frozenset[str]:
    return content_words(text) or frozenset(analyse(text))


def _lists(mine: Sequence[str], theirs: Sequence[str], alike: Callable[[str, str], float]) -> float:
    """The harmonic mean of how well each list is found in the other."""
    if not mine or not theirs:
        return float(not mine and not theirs)
    there = sum(max(alike(item, other) for other in theirs) for item in mine) / len(mine)
    back = sum(max(alike(item, other) for item in mine) for other in theirs) / len(theirs)
    return 2 * there * back / (there + back) if there + back else 0.0


def _timely(one: str, other: str) -> float:
    mine, theirs = _span(one), _span(other)
    return 1.0 if mine is not None and theirs is not None and mine.overlaps(theirs) else likeness(one, other)


def _span(text: str) -> Span | None:
    """The time that a short text names first, be it by the name of an event."""
    for implicit in (False, True):
        found = stated_ranges(text, tag(text, implicit=implicit))
        if found:
            return found[0].span
    return None


def _years(one: str, other: str) -> bool:
    """Whether two dates are of the same year, or both are missing."""
    return one[:5].rstrip("-") == other[:5].rstrip("-")


#: A tense that so much of the verbs are in is that of the passage.
_MOSTLY: Final = 0.7
_VERBS: Final = (
    ("past", re.compile(r"\b(?:was|were|had|did|became|began|rose|fell|led|made|came|went|took|won|built|\w{4,}ed)\b")),
    ("present", re.compile(r"\b(?:is|are|am|has|have|does|do|remains?|says?|means?|exists?)\b")),
    ("future", re.compile(r"\b(?:will|shall|won't|going to|about to|expected to|due to be|planned for)\b")),
)

_PASSAGE_RULES: Final = f"""\
You describe the times that a passage speaks of. Take them from the passage alone; the question only says what it is
read for. Give nothing about the question itself.

Reply with one JSON object that has all of these keys, with [] and "" where there is nothing:
passage_temporal_signals: the words that place something in time, with the small words that bind them
passage_temporal_events: events that have a date, such as wars, treaties, reigns, elections, foundings; no others
time_mentions: every time that is stated, absolute or relative, as it stands there
time_scope_guess: an object with start_iso and end_iso (YYYY, YYYY-MM or YYYY-MM-DD, as far as the passage shows them)
and granularity ({", ".join(GRANULARITIES)})
tense_guess: {", ".join(TENSES)}
confidence: from 0 to 1

{data_rule("question", "passage")}"""


def passage_by_rules(document: Document) -> PassageNote:
    """The annotation of a passage by the tagger; "last year" counts from the day that the document appeared.

    >>> note = passage_by_rules(Document("a", "Fees rose in May 2017 and fell in 2018."))
    >>> note.time_scope_guess, note.time_mentions, note.tense_guess
    (TimeScope(start_iso='2017-05', end_iso='2018', granularity='year'), ('May 2017', '2018'), 'past')
    """
    text = document.text
    stated = tag(text, document.published)
    every = tag(text, document.published, implicit=True)
    places = {(item.start_char, item.end_char) for item in stated}
    dated = [item for item in every if item.span is not None and not item.span.is_open]
    sure = [item.confidence for item in dated]
    return PassageNote(
        passage_temporal_signals=_once(text[item.start_char : item.end_char] for item in stated_ranges(text, stated)),
        passage_temporal_events=_once(item.text for item in every if (item.start_char, item.end_char) not in places),
        time_mentions=_once(item.text for item in stated),
        time_scope_guess=_scope([item.span for item in dated if item.span is not None]),
        tense_guess=_tense(text),
        confidence=round(sum(sure) / len(sure), 3) if sure else 0.0,
    )


def passage_messages(question: str, document: Document) -> list[Message]:
    """The messages that ask a model for the annotation of a passage."""
    about = {"title": document.title, "published": document.published.edtf() if document.published is not None else ""}
    asked = [fence(plain(question), "question"), fence(document.text, "passage", about)]
    return [Message("system", _PASSAGE_RULES), Message("user", "\n".join(asked))]


def passage_by_model(chat: Chat, question: str, document: Document) -> PassageNote:
    """The annotation of a passage by a language model; a reply that cannot be used is an `LlmError`.

    >>> import json
    >>> page = Document("a", "Fees rose in May 2017.")
    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return dumps(passage_by_rules(page).to_dict())
    >>> dumps = json.dumps
    >>> passage_by_model(Scripted(), "Fees?", page).time_mentions
    ('May 2017',)
    """
    return PassageNote.from_reply(ask(chat, passage_messages(question, document), PassageReply))


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _scope(spans: Sequence[Span]) -> TimeScope:
    """From the earliest start to the latest end, as finely as these were stated; empty where nothing is dated."""
    if not spans:
        return TimeScope()
    order = sorted(spans, key=lambda span: (span.start, span.end))
    last = max(order, key=lambda span: (span.end, -span.start))
    return TimeScope(
        _iso(order[0].start, order[0].grain),
        _iso(last.end - 1, last.end_grain),
        infer_granularity("", "none", order),
    )


def _iso(second: int, grain: Grain) -> str:
    unit = Grain.DAY if grain <= Grain.WEEK else Grain.MONTH if grain <= Grain.HALF else Grain.YEAR
    return Span.unit(second, unit).edtf()


def _tense(text: str) -> str:
    lowered = text.lower()
    counts = {name: len(signs.findall(lowered)) for name, signs in _VERBS}
    total = sum(counts.values())
    if not total:
        return "unknown"
    most = max(counts, key=lambda name: counts[name])
    return most if counts[most] >= _MOSTLY * total else "mixed"


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

_PLAN_RULES: Final = f"""\
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
    intent = found.intent if found.intent != "when" or "ask_when" in detect_cues(text, now) else "none"
    made = make_plan(about.topic, intent, _periods(found, about), now, cross=found.cross_period)
    actions = [step.action for step in made if step.period is not None or step.number == 1]
    rest = [step.action for step in made if step.action not in actions]
    if found.reasoning_class in _ENDS or not rest:
        end = _ENDS.get(found.reasoning_class, _LAST)
        rest = [f"{end.format(about=_quoted(about.topic))}."]
    return tuple(PlanStep(number, action) for number, action in enumerate([*actions, *rest][:_MOST], 1))


def plan_messages(question: str, now: Span | None = None) -> list[Message]:
    """The messages that ask a model for a plan."""
    asked = fence(plain(question), "question", {"asked": now.edtf()} if now is not None else None)
    return [Message("system", _PLAN_RULES), Message("user", asked)]


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


_QUERY_RULES: Final = f"""\
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
        query_temporal_signals=find_signals(text, dated, read_constraints(text, found.expressions)),
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
    """The messages that ask a model for the annotation of a question."""
    asked = fence(plain(question), "question", {"asked": now.edtf()} if now is not None else None)
    return [Message("system", _QUERY_RULES), Message("user", asked)]


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
