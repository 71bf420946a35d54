"""The annotation of a passage: which times it speaks of, by the tagger, and by a language model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from epochal.answers.tempo.records import PassageNote, TimeScope
from epochal.answers.tempo.schemas import GRANULARITIES, TENSES, PassageReply
from epochal.answers.tempo.texts import plain
from epochal.index.records import Document
from epochal.llm.chat import Chat, Message
from epochal.llm.fencing import data_rule, fence
from epochal.llm.structured import ask
from epochal.reading.questions.understand import expected_granularity
from epochal.reading.ranges import stretches
from epochal.reading.tagger import tag
from epochal.times import Grain, Span

__all__ = ["passage_by_model", "passage_by_rules", "passage_messages"]

#: A tense that so much of the verbs are in is that of the passage.
_MOSTLY: Final = 0.7
_VERBS: Final = (
    ("past", re.compile(r"\b(?:was|were|had|did|became|began|rose|fell|led|made|came|went|took|won|built|\w{4,}ed)\b")),
    ("present", re.compile(r"\b(?:is|are|am|has|have|does|do|remains?|says?|means?|exists?)\b")),
    ("future", re.compile(r"\b(?:will|shall|won't|going to|about to|expected to|due to be|planned for)\b")),
)

_RULES: Final = f"""\
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
        passage_temporal_signals=_once(text[item.start_char : item.end_char] for item in stretches(text, stated)),
        passage_temporal_events=_once(item.text for item in every if (item.start_char, item.end_char) not in places),
        time_mentions=_once(item.text for item in stated),
        time_scope_guess=_scope([item.span for item in dated if item.span is not None]),
        tense_guess=_tense(text),
        confidence=round(sum(sure) / len(sure), 3) if sure else 0.0,
    )


def passage_messages(question: str, document: Document) -> list[Message]:
    """The messages that ask a model for the annotation of a passage.

    >>> print(passage_messages("Who won?", Document("a", "Ann won.", published=Span.year(1998)))[-1].content)
    <question>
    Who won?
    </question>
    <passage published="1998">
    Ann won.
    </passage>
    """
    about = {"title": document.title, "published": document.published.edtf() if document.published is not None else ""}
    asked = [fence(plain(question), "question"), fence(document.text, "passage", about)]
    return [Message("system", _RULES), Message("user", "\n".join(asked))]


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
        expected_granularity("", "none", order),
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
