"""Annotations of questions and passages and retrieval plans, by rules and by a language model; and their agreement.

Two annotations are compared key by key, from 0 to 1:

    yes or no, one of a list   1 where they are equal
    texts                      the share of common words: twice the common ones over all
    lists of texts             each item with its best match in the other list, in both directions
    times                      like texts, and 1 where they name overlapping times
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
    check_plan,
    clean_question,
    describe_period,
    get_content_words,
    get_first_words,
    get_title,
)

_EXACT: Final = ("is_temporal_query", "temporal_intent", "temporal_reasoning_class_primary", "expected_granularity")
_TIMES: Final = ("key_time_anchors", "query_temporal_signals", "passage_temporal_signals", "time_mentions")


def compare_queries(one: QueryNote, other: QueryNote) -> dict[str, float]:
    """The agreement of two annotations of a question, by key; `plan_steps` is 1 where plans are equally long.

    >>> a = QueryNote(True, "when", key_time_anchors=("2017", "the merge"))
    >>> b = QueryNote(True, "timeline", key_time_anchors=("the year 2017",))
    >>> agreement = compare_queries(a, b)
    >>> agreement["is_temporal_query"], agreement["temporal_intent"], round(agreement["key_time_anchors"], 2)
    (1.0, 0.0, 0.67)
    """
    agreement: dict[str, float] = {}
    for key in QUERY_KEYS:
        mine, theirs = getattr(one, key), getattr(other, key)
        if key in _EXACT:
            agreement[key] = float(mine == theirs)
        elif key == "retrieval_plan":
            agreement[key] = _compare_lists(
                [step.action for step in mine], [step.action for step in theirs], measure_word_overlap
            )
            agreement["plan_steps"] = float(len(mine) == len(theirs))
        elif isinstance(mine, tuple):
            agreement[key] = _compare_lists(mine, theirs, _compare_times if key in _TIMES else measure_word_overlap)
        else:
            agreement[key] = measure_word_overlap(mine, theirs)
    return agreement


def compare_passages(one: PassageNote, other: PassageNote) -> dict[str, float]:
    """The agreement of two annotations of a passage, by key; a scope is compared by start, end and granularity.

    >>> from epochal_lab.tempo.records import TimeScope
    >>> a = PassageNote(time_scope_guess=TimeScope("1914", "1918", "year"), tense_guess="past")
    >>> b = PassageNote(time_scope_guess=TimeScope("1914-06", "", "year"), tense_guess="past")
    >>> round(compare_passages(a, b)["time_scope_guess"], 2)
    0.67
    """
    agreement: dict[str, float] = {}
    for key in PASSAGE_KEYS:
        mine, theirs = getattr(one, key), getattr(other, key)
        if key == "time_scope_guess":
            ends = [_have_same_year(getattr(mine, end), getattr(theirs, end)) for end in ("start_iso", "end_iso")]
            agreement[key] = (sum(ends) + (mine.granularity == theirs.granularity)) / 3
        elif key == "tense_guess":
            agreement[key] = float(mine == theirs)
        elif key == "confidence":
            agreement[key] = 1.0 - abs(mine - theirs)
        else:
            agreement[key] = _compare_lists(mine, theirs, _compare_times if key in _TIMES else measure_word_overlap)
    return agreement


def measure_word_overlap(one: str, other: str) -> float:
    """Twice the common words of two texts, over the words of both; 1 for two empty texts.

    Stop words count only in texts that have no others.
    """
    mine, theirs = _get_words(one), _get_words(other)
    return 2 * len(mine & theirs) / (len(mine) + len(theirs)) if mine or theirs else 1.0


def _get_words(text: str) -> frozenset[str]:
    return get_content_words(text) or frozenset(analyse(text))


def _compare_lists(mine: Sequence[str], theirs: Sequence[str], compare: Callable[[str, str], float]) -> float:
    """The harmonic mean of how well the items of each list match the other."""
    if not mine or not theirs:
        return float(not mine and not theirs)
    there = sum(max(compare(item, other) for other in theirs) for item in mine) / len(mine)
    back = sum(max(compare(item, other) for item in mine) for other in theirs) / len(theirs)
    return 2 * there * back / (there + back) if there + back else 0.0


def _compare_times(one: str, other: str) -> float:
    mine, theirs = _read_span(one), _read_span(other)
    return (
        1.0 if mine is not None and theirs is not None and mine.overlaps(theirs) else measure_word_overlap(one, other)
    )


def _read_span(text: str) -> Span | None:
    """The first time that a short text names, possibly by the name of an event."""
    for implicit in (False, True):
        ranges = stated_ranges(text, tag(text, implicit=implicit))
        if ranges:
            return ranges[0].span
    return None


def _have_same_year(one: str, other: str) -> bool:
    """Whether two dates are of the same year, or both are missing."""
    return one[:5].rstrip("-") == other[:5].rstrip("-")


#: The share of verbs in one tense that makes it the tense of the passage.
_MAJORITY: Final = 0.7
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


def annotate_passage_by_rules(document: Document) -> PassageNote:
    """The annotation of a passage by the tagger; "last year" counts from the date of the document.

    >>> note = annotate_passage_by_rules(Document("a", "Fees rose in May 2017 and fell in 2018."))
    >>> note.time_scope_guess, note.time_mentions, note.tense_guess
    (TimeScope(start_iso='2017-05', end_iso='2018', granularity='year'), ('May 2017', '2018'), 'past')
    """
    text = document.text
    stated = tag(text, document.published)
    expressions = tag(text, document.published, implicit=True)
    offsets = {(item.start_char, item.end_char) for item in stated}
    dated = [item for item in expressions if item.span is not None and not item.span.is_open]
    confidences = [item.confidence for item in dated]
    return PassageNote(
        passage_temporal_signals=_drop_duplicates(
            text[item.start_char : item.end_char] for item in stated_ranges(text, stated)
        ),
        passage_temporal_events=_drop_duplicates(
            item.text for item in expressions if (item.start_char, item.end_char) not in offsets
        ),
        time_mentions=_drop_duplicates(item.text for item in stated),
        time_scope_guess=_guess_scope([item.span for item in dated if item.span is not None]),
        tense_guess=_guess_tense(text),
        confidence=round(sum(confidences) / len(confidences), 3) if confidences else 0.0,
    )


def make_passage_messages(question: str, document: Document) -> list[Message]:
    """The messages that ask a model for the annotation of a passage."""
    about = {"title": document.title, "published": document.published.edtf() if document.published is not None else ""}
    prompt = [fence(clean_question(question), "question"), fence(document.text, "passage", about)]
    return [Message("system", _PASSAGE_RULES), Message("user", "\n".join(prompt))]


def annotate_passage_by_model(chat: Chat, question: str, document: Document) -> PassageNote:
    """The annotation of a passage by a language model; an unusable reply is an `LlmError`.

    >>> import json
    >>> page = Document("a", "Fees rose in May 2017.")
    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return dumps(annotate_passage_by_rules(page).to_dict())
    >>> dumps = json.dumps
    >>> annotate_passage_by_model(Scripted(), "Fees?", page).time_mentions
    ('May 2017',)
    """
    return PassageNote.from_reply(ask(chat, make_passage_messages(question, document), PassageReply))


def _drop_duplicates(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _guess_scope(spans: Sequence[Span]) -> TimeScope:
    """From the earliest start to the latest end, at the granularity of these; empty if nothing is dated."""
    if not spans:
        return TimeScope()
    order = sorted(spans, key=lambda span: (span.start, span.end))
    last = max(order, key=lambda span: (span.end, -span.start))
    return TimeScope(
        _format_iso(order[0].start, order[0].grain),
        _format_iso(last.end - 1, last.end_grain),
        infer_granularity("", "none", order),
    )


def _format_iso(second: int, grain: Grain) -> str:
    unit = Grain.DAY if grain <= Grain.WEEK else Grain.MONTH if grain <= Grain.HALF else Grain.YEAR
    return Span.unit(second, unit).edtf()


def _guess_tense(text: str) -> str:
    lowered = text.lower()
    counts = {name: len(signs.findall(lowered)) for name, signs in _VERBS}
    total = sum(counts.values())
    if not total:
        return "unknown"
    most = max(counts, key=lambda name: counts[name])
    return most if counts[most] >= _MAJORITY * total else "mixed"


#: The maximum number of steps of a plan, and of those that search a period: one is left for their purpose.
_MAX_STEPS: Final = 4
_MAX_PERIODS: Final = 3
#: The last step by the class of reasoning. Each step is searched by itself, so each names its topic.
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
    """The plan of a question by rules: search the topic of its first line in the times that it names.

    >>> for step in plan_by_rules("What caused the jump of fees in 2023?\\n<p>They were low in 2021.</p>"):
    ...     print(step.step, step.action)
    1 Find "What caused the jump of fees" in 2021.
    2 Find "What caused the jump of fees" in 2023.
    3 Find the reasons that dated sources give for "What caused the jump of fees".
    """
    text, head = clean_question(question), get_title(question)
    understanding = understand(text, now)
    about = understand(head, now)
    # A question that names a time without asking for one also has the intent "when".
    intent = understanding.intent if understanding.intent != "when" or "ask_when" in detect_cues(text, now) else "none"
    periods = _select_periods(understanding, about)
    steps = make_plan(about.topic, intent, periods, now, cross=understanding.cross_period)
    actions = [step.action for step in steps if step.period is not None or step.number == 1]
    rest = [step.action for step in steps if step.action not in actions]
    if understanding.reasoning_class in _ENDS or not rest:
        end = _ENDS.get(understanding.reasoning_class, _LAST)
        rest = [f"{end.format(about=_quote(about.topic))}."]
    return tuple(PlanStep(number, action) for number, action in enumerate([*actions, *rest][:_MAX_STEPS], 1))


def make_plan_messages(question: str, now: Span | None = None) -> list[Message]:
    """The messages that ask a model for a plan."""
    prompt = fence(clean_question(question), "question", {"asked": now.edtf()} if now is not None else None)
    return [Message("system", _PLAN_RULES), Message("user", prompt)]


def plan_by_model(chat: Chat, question: str, now: Span | None = None) -> tuple[PlanStep, ...]:
    """The plan of a question by a language model; an unusable reply is an `LlmError`.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return '{"retrieval_plan": [{"step": 1, "action": "Find A."}, {"step": 2, "action": "Find B."}]}'
    >>> [step.action for step in plan_by_model(Scripted(), "How do A and B differ?")]
    ['Find A.', 'Find B.']
    """
    reply = ask(chat, make_plan_messages(question, now), PlanReply, check_plan)
    return tuple(PlanStep(step.step, step.action) for step in reply.retrieval_plan)


def _quote(topic: str) -> str:
    return f'"{topic}"'


def _select_periods(understanding: Understanding, head: Understanding) -> list[Span]:
    """The periods to search; if there are too many, those of the first line take precedence."""
    first = [span for span in understanding.periods if span in head.periods]
    selected = [*first, *(span for span in understanding.periods if span not in first)][:_MAX_PERIODS]
    return sorted(selected, key=lambda span: (span.start, span.end))


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


def annotate_query_by_rules(question: str, now: Span | None = None) -> QueryNote:
    """The annotation of a question by rules.

    >>> note = annotate_query_by_rules("How did fees change between 2017 and 2021?")
    >>> note.temporal_reasoning_class_primary, note.key_time_anchors, note.query_temporal_signals
    ('trends_changes_and_cross_period', ('2017', '2021'), ('between 2017 and 2021',))
    """
    text = clean_question(question)
    understanding = understand(text, now)
    stated = {(item.start_char, item.end_char) for item in tag(text, now)}
    events = [item for item in understanding.expressions if (item.start_char, item.end_char) not in stated]
    dated = [item for item in understanding.expressions if (item.start_char, item.end_char) in stated]
    head = understand(get_title(question), now).reasoning_class
    return QueryNote(
        is_temporal_query=understanding.is_temporal,
        temporal_intent=understanding.intent,
        query_temporal_signals=find_signals(text, dated, read_constraints(text, understanding.expressions)),
        query_temporal_events=tuple(dict.fromkeys(item.text for item in events)),
        query_summary=get_first_words(text, SUMMARY_WORDS),
        temporal_reasoning_class_primary=understanding.reasoning_class,
        temporal_reasoning_class_secondary=(head,) if head not in ("", understanding.reasoning_class) else (),
        retrieval_reasoning=_explain_retrieval(understanding),
        retrieval_plan=plan_by_rules(question, now),
        key_time_anchors=understanding.anchors,
        expected_granularity=understanding.granularity,
        quality_checks=_list_checks(understanding),
    )


def make_query_messages(question: str, now: Span | None = None) -> list[Message]:
    """The messages that ask a model for the annotation of a question."""
    prompt = fence(clean_question(question), "question", {"asked": now.edtf()} if now is not None else None)
    return [Message("system", _QUERY_RULES), Message("user", prompt)]


def annotate_query_by_model(chat: Chat, question: str, now: Span | None = None) -> QueryNote:
    """The annotation of a question by a language model; an unusable reply is an `LlmError`.

    >>> import json
    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return dumps(annotate_query_by_rules("Who won in 1998?").to_dict())
    >>> dumps = json.dumps
    >>> annotate_query_by_model(Scripted(), "Who won in 1998?").key_time_anchors
    ('1998',)
    """
    return QueryNote.from_reply(ask(chat, make_query_messages(question, now), QueryReply, _check_reply))


def _check_reply(reply: QueryReply) -> str | None:
    words = len(reply.query_summary.split())
    if words > SUMMARY_WORDS:
        return f"query_summary has {words} words; accepted: at most {SUMMARY_WORDS}"
    if reply.is_temporal_query and not reply.temporal_reasoning_class_primary:
        return "temporal_reasoning_class_primary is empty although the question is temporal"
    return check_plan(reply)


def _explain_retrieval(understanding: Understanding) -> str:
    if not understanding.is_temporal:
        return ""
    periods = " and ".join(describe_period(span) for span in understanding.periods)
    if understanding.cross_period and len(understanding.periods) > 1:
        return f"Evidence is needed of each of {periods}, for the question sets them against each other."
    if understanding.periods:
        return f"Evidence must speak of {periods}; what only shares the topic does not answer."
    if understanding.temporal_focus == "recency":
        return "The newest evidence decides, for the question asks how things stand."
    return "The question names no time: evidence must itself be dated."


def _list_checks(understanding: Understanding) -> tuple[str, ...]:
    checks = [f"a passage speaks of {describe_period(span)}" for span in understanding.periods]
    if understanding.temporal_focus == "recency":
        checks.append("no newer passage says otherwise")
    if understanding.intent in ("when", "duration", "order") and understanding.is_temporal:
        checks.append("two passages give the same dates")
    return tuple(checks)
