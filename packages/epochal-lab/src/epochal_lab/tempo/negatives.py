"""Hard negatives: passages on the topic of a question that do not answer it, because their time is wrong.

Searches are a summary of the question and pairs of the names in it, all without words of time. A hit is a hard negative
if it mentions other times than the question asks about, only some of them, or none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from epochal.errors import EpochalError
from epochal.llm.chat import Chat, Message, data_rule, fence
from epochal.llm.structured import ask
from epochal.reading.questions.topic import strip_times
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.tempo.records import SearchesReply, check_covered, clean_question, get_first_words, get_mentioned_times

#: A search: a text and k to documents, best first.
Search = Callable[[str, int], Sequence[Document]]
#: Why a passage does not answer: it mentions another time, a later one, only some of several times, or none.
FAULTS: Final = ("wrong_period", "anachronistic", "one_sided", "vague")
#: The words of a summary, and the names to search with.
_WORDS: Final = 32
_MAX_NAMES: Final = 6

_NAME = re.compile(
    r"[\"“]([^\"“”]{2,60})[\"”]|((?:[A-Z][\w'’&.-]*)(?:\s+(?:of|the|and|&|de|von|van)?\s*[A-Z][\w'’&.-]*)*)"
)
_OPENING = re.compile(r"(?:\A|[.!?:]\s+|\n)\s*$")
_SENTENCE_OPENERS = frozenset(
    "Why What When Where Who Whom Whose Which How Is Are Was Were Do Does Did Has Have Had Can Could Should Will Would "
    "The A An In On At If It I And But Or So There This That These Those See My Your Question Any Some Good Evidence "
    "Another However As For From Since Given With".split()
)

_RULES: Final = f"""\
You help to find passages that are about the topic of a question, whatever time they speak of. Leave out everything
that speaks of time: dates, years, eras, and words such as "recently", "first" or "after the war".

Reply with one JSON object:
llm_summary: a search text for the topic, of about {_WORDS} words
entities_events: the people, places, things and events that the question names, each once

{data_rule("question")}"""


@dataclass(frozen=True, slots=True)
class Searches:
    """What to search with: a summary, and names."""

    llm_summary: str
    entities_events: tuple[str, ...] = ()

    def make_queries(self) -> tuple[str, ...]:
        """The texts to search with: the summary, and pairs of names, or the only one; without times."""
        names = self.entities_events[:_MAX_NAMES]
        pairs = [" ".join(pair) for pair in combinations(names, 2)] if len(names) > 1 else list(names)
        bare = (strip_times(text, ()).strip(" ?") for text in (self.llm_summary, *pairs))
        return tuple(dict.fromkeys(text for text in bare if text))


@dataclass(frozen=True, slots=True)
class HardNegative:
    """A passage that does not answer, the reason, and the query and rank at which it was found."""

    document: Document
    fault: str
    query: str
    rank: int


def plan_searches_by_rules(question: str, now: Span | None = None) -> Searches:
    """The searches for a question by rules: its words without its times, and its capitalised and quoted names.

    >>> plan_searches_by_rules("How did fees of the Bank of Spain change between 2017 and 2021?")
    Searches(llm_summary='How did fees of the Bank of Spain change?', entities_events=('Bank of Spain',))
    """
    text = clean_question(question)
    bare = dict(understand(text, now).variants)["strip"] or text
    dated = [(item.start_char, item.end_char) for item in tag(text, now)]
    return Searches(get_first_words(bare, _WORDS), _find_names(text, dated))


def make_searches_messages(question: str) -> list[Message]:
    """The messages that ask a model for searches."""
    return [Message("system", _RULES), Message("user", fence(clean_question(question), "question"))]


def plan_searches_by_model(chat: Chat, question: str) -> Searches:
    """The searches for a question by a language model; a summary that states a time is requested once more.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return '{"llm_summary": "winners of the prize", "entities_events": ["the prize"]}'
    >>> plan_searches_by_model(Scripted(), "Who won the prize in 1998?").make_queries()
    ('winners of the prize', 'the prize')
    """
    reply = ask(chat, make_searches_messages(question), SearchesReply, _check_reply)
    names = tuple(dict.fromkeys(name.strip() for name in reply.entities_events if name.strip()))
    return Searches(reply.llm_summary.strip(), names)


def find_fault(document: Document, periods: Sequence[Span]) -> str | None:
    """Why a document does not answer a question about those periods; None where it may."""
    if not periods:
        return None
    times = get_mentioned_times(document)
    if not times:
        return "vague"
    covered = check_covered(periods, times)
    if any(covered):
        return None if all(covered) else "one_sided"
    return "anachronistic" if min(span.start for span in times) >= max(span.end for span in periods) else "wrong_period"


def mine_negatives(
    searches: Searches,
    search: Search,
    periods: Sequence[Span],
    gold: Collection[str] = (),
    *,
    most: int = 5,
    depth: int = 50,
) -> tuple[HardNegative, ...]:
    """At most `most` hard negatives, taking the searches in turns; gold documents are excluded.

    `periods` are what the question asks about; without any, which is an error, no passage has a wrong time.

    >>> pages = [Document("a", "Fees rose in 2017."), Document("b", "Fees fell in 2003.")]
    >>> found = mine_negatives(Searches("fees"), lambda text, k: pages, [Span.year(2017)])
    >>> [(item.document.id, item.fault) for item in found]
    [('b', 'wrong_period')]
    """
    if not periods:
        raise EpochalError("hard negatives are of the wrong time, and the question names none; give its periods")
    if most < 1 or depth < 1:
        raise EpochalError(f"most and depth are {most} and {depth}; accepted: 1 or more")
    results = [(query, list(search(query, depth))[:depth]) for query in searches.make_queries()]
    negatives: dict[str, HardNegative] = {}
    for rank in range(depth):
        for query, documents in results:
            if rank >= len(documents) or documents[rank].id in negatives or documents[rank].id in gold:
                continue
            fault = find_fault(documents[rank], periods)
            if fault is not None:
                negatives[documents[rank].id] = HardNegative(documents[rank], fault, query, rank + 1)
                if len(negatives) == most:
                    return tuple(negatives.values())
    return tuple(negatives.values())


def _check_reply(reply: SearchesReply) -> str | None:
    text = reply.llm_summary
    if not text.strip():
        return "llm_summary is empty"
    times = [item.text for item in tag(text) if item.kind == "DATE" and item.span is not None]
    return f"llm_summary states a time, {times[0]!r}; accepted: none" if times else None


def _find_names(text: str, dated: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Quoted words, and runs of capitalised ones that are no date and not just the start of a sentence."""
    names: dict[str, None] = {}
    for match in _NAME.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in dated):
            continue
        name = (match[1] or match[2]).strip(" .,'’-")
        first, _, rest = name.partition(" ")
        if match[2] and first in _SENTENCE_OPENERS:
            name = rest.removeprefix("the ").strip()
        alone = match[2] and " " not in name and _OPENING.search(text, 0, match.start())
        if len(name) > 1 and not alone and name not in _SENTENCE_OPENERS:
            names[name] = None
    return tuple(names)[: 2 * _MAX_NAMES]
