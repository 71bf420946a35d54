"""Hard negatives: passages on the topic of a question that do not answer it, because their time is wrong.

They are searched for with a summary of the question and with the names in it, two at a time, all without a word of
time. What is found is kept where it speaks of other times than the question asks about, of some of them only, or of
none.
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
from epochal_lab.tempo.records import SearchesReply, covered, first_words, plain, spoken_times

__all__ = [
    "FAULTS",
    "HardNegative",
    "Search",
    "Searches",
    "find_fault",
    "mine",
    "searches_by_model",
    "searches_by_rules",
    "searches_messages",
]

#: Finds documents for a text, at most so many, the best first.
Search = Callable[[str, int], Sequence[Document]]
#: Why a passage does not answer: it speaks of another time, of a later one, of one of several times, or of none.
FAULTS: Final = ("wrong_period", "anachronistic", "one_sided", "vague")
#: About as many words as a search with a summary has.
_WORDS: Final = 32
_NAMES: Final = 6

_NAME = re.compile(
    r"[\"“]([^\"“”]{2,60})[\"”]|((?:[A-Z][\w'’&.-]*)(?:\s+(?:of|the|and|&|de|von|van)?\s*[A-Z][\w'’&.-]*)*)"
)
_OPENING = re.compile(r"(?:\A|[.!?:]\s+|\n)\s*$")
_ASKING = frozenset(
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
    """What is searched with: a summary, and names."""

    llm_summary: str
    entities_events: tuple[str, ...] = ()

    def queries(self) -> tuple[str, ...]:
        """The texts to search with: the summary, and the names by twos, or the only one; times are taken out."""
        names = self.entities_events[:_NAMES]
        pairs = [" ".join(pair) for pair in combinations(names, 2)] if len(names) > 1 else list(names)
        bare = (strip_times(text, ()).strip(" ?") for text in (self.llm_summary, *pairs))
        return tuple(dict.fromkeys(text for text in bare if text))


@dataclass(frozen=True, slots=True)
class HardNegative:
    """A passage that does not answer, why, and the search that found it at which rank."""

    document: Document
    fault: str
    query: str
    rank: int


def searches_by_rules(question: str, now: Span | None = None) -> Searches:
    """The searches for a question by rules: its words without its times, and its capitalised and quoted names.

    >>> searches_by_rules("How did fees of the Bank of Spain change between 2017 and 2021?")
    Searches(llm_summary='How did fees of the Bank of Spain change?', entities_events=('Bank of Spain',))
    """
    text = plain(question)
    found = understand(text, now)
    bare = dict(found.variants)["strip"] or text
    dated = [(item.start_char, item.end_char) for item in tag(text, now)]
    return Searches(first_words(bare, _WORDS), _names(text, dated))


def searches_messages(question: str) -> list[Message]:
    """The messages that ask a model for searches."""
    return [Message("system", _RULES), Message("user", fence(plain(question), "question"))]


def searches_by_model(chat: Chat, question: str) -> Searches:
    """The searches for a question by a language model; a summary that still states a time is asked for once more.

    >>> class Scripted:
    ...     name = "scripted"
    ...     def complete(self, messages, *, json=False):
    ...         return '{"llm_summary": "winners of the prize", "entities_events": ["the prize"]}'
    >>> searches_by_model(Scripted(), "Who won the prize in 1998?").queries()
    ('winners of the prize', 'the prize')
    """
    reply = ask(chat, searches_messages(question), SearchesReply, _problem)
    names = tuple(dict.fromkeys(name.strip() for name in reply.entities_events if name.strip()))
    return Searches(reply.llm_summary.strip(), names)


def find_fault(document: Document, periods: Sequence[Span]) -> str | None:
    """Why a document does not answer a question about those periods; None where it may."""
    if not periods:
        return None
    times = spoken_times(document)
    if not times:
        return "vague"
    spoken = covered(periods, times)
    if any(spoken):
        return None if all(spoken) else "one_sided"
    return "anachronistic" if min(span.start for span in times) >= max(span.end for span in periods) else "wrong_period"


def mine(
    searches: Searches,
    search: Search,
    periods: Sequence[Span],
    gold: Collection[str] = (),
    *,
    most: int = 5,
    depth: int = 50,
) -> tuple[HardNegative, ...]:
    """The hard negatives that searches find, at most so many, the searches taken in turns; gold documents are none.

    `periods` are what the question asks about: without any, no passage can be of the wrong time, and that is an error.

    >>> pages = [Document("a", "Fees rose in 2017."), Document("b", "Fees fell in 2003.")]
    >>> [(item.document.id, item.fault) for item in mine(Searches("fees"), lambda text, k: pages, [Span.year(2017)])]
    [('b', 'wrong_period')]
    """
    if not periods:
        raise EpochalError("hard negatives are of the wrong time, and the question names none; give its periods")
    if most < 1 or depth < 1:
        raise EpochalError(f"most and depth are {most} and {depth}; accepted: 1 or more")
    found = [(query, list(search(query, depth))[:depth]) for query in searches.queries()]
    kept: dict[str, HardNegative] = {}
    for rank in range(depth):
        for query, documents in found:
            if rank >= len(documents) or documents[rank].id in kept or documents[rank].id in gold:
                continue
            fault = find_fault(documents[rank], periods)
            if fault is not None:
                kept[documents[rank].id] = HardNegative(documents[rank], fault, query, rank + 1)
                if len(kept) == most:
                    return tuple(kept.values())
    return tuple(kept.values())


def _problem(reply: SearchesReply) -> str | None:
    text = reply.llm_summary
    if not text.strip():
        return "llm_summary is empty"
    times = [item.text for item in tag(text) if item.kind == "DATE" and item.span is not None]
    return f"llm_summary states a time, {times[0]!r}; accepted: none" if times else None


def _names(text: str, dated: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Quoted words, and runs of capitalised ones that are no date and do not merely open a sentence."""
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in dated):
            continue
        name = (match[1] or match[2]).strip(" .,'’-")
        first, _, rest = name.partition(" ")
        if match[2] and first in _ASKING:
            name = rest.removeprefix("the ").strip()
        alone = match[2] and " " not in name and _OPENING.search(text, 0, match.start())
        if len(name) > 1 and not alone and name not in _ASKING:
            found[name] = None
    return tuple(found)[: 2 * _NAMES]
