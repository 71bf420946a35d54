"""What a document says of a period, in numbers: how well its times fit, and whether they stand among the right words.

The idea is that of `epochal.ranking.evidence`, without an index: a time counts as far as the words around it are those
of the question. Words near the time in the question weigh more. Where the documents are known that a judge will see
(`Background`), rare words weigh more too, and words that none of them uses weigh nothing; otherwise all weigh alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from epochal.bench.metrics.base import stated_times
from epochal.index.analysis import analyse
from epochal.index.backend import View
from epochal.index.records import Document
from epochal.index.splitting import units
from epochal.ranking.evidence import match_window
from epochal.ranking.terms import Terms, read_terms
from epochal.ranking.windows import Window
from epochal.reading.expr import TimeExpr
from epochal.reading.ranges import stretches
from epochal.reading.tagger import tag
from epochal.times import Span, SpanSet

__all__ = [
    "FEATURES",
    "Background",
    "DatedText",
    "Sighting",
    "Statement",
    "question_terms",
    "read_document",
    "sight",
    "sight_any",
]

Floats = npt.NDArray[np.float64]

#: What is told of a document and a period, each from 0 to 1: how well the best time fits the period, and states its
#: ends; how well it fits times the share of the question's words around it; the same as against the other times of the
#: document, for questions may be asked in words that no text uses; and the share of the words in the whole document.
FEATURES: Final = ("match", "ends", "evidence", "contrast", "topic")
#: What the date of publication is worth beside a time that the text states, as in ranking.
_PUBLISHED: Final = 0.9
#: What a time is worth that no word of the question stands by, as against one that all of them do.
_BARE: Final = 0.1


class Statement(NamedTuple):
    """A time or a duration that a document states: its span, if it has one, its words, and the words around it.

    >>> Statement(None, "for two years", frozenset(("last",))).span is None
    True
    """

    span: Span | None
    quote: str
    around: frozenset[str]
    worth: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class DatedText:
    """A document as it is judged: the times that it states, its durations, and all of its words.

    >>> read = read_document(Document("d1", "Ann won in 1998. She was born in 1960."))
    >>> [(found.span.edtf(), sorted(found.around)) for found in read.times]
    [('1998', ['1998', 'ann', 'in', 'won']), ('1960', ['1960', 'born', 'in', 'she', 'was'])]
    """

    times: tuple[Statement, ...]
    durations: tuple[Statement, ...]
    words: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """The features of a document for one period, in the order of `FEATURES`, and the time that speaks for it most.

    >>> Sighting(np.zeros(len(FEATURES)), "").quote
    ''
    """

    features: Floats
    quote: str


def read_document(document: Document) -> DatedText:
    """The times of a whole document: of its text, its title, and what is known of it, when it appeared among them.

    >>> read = read_document(Document("d1", "It took two years.", "The 1850s", valid=Span.parse("1851/1860")))
    >>> [found.span.edtf() for found in read.times], [found.quote for found in read.durations]
    (['185X', '1851/1860'], ['two years'])
    """
    now = document.published
    title = frozenset(analyse(document.title))
    whole = title.union(analyse(document.text))
    text = document.text
    bounds = units(text)
    found = tag(text, now)
    said: dict[int, frozenset[str]] = {}

    def around(place: int) -> frozenset[str]:
        at = bisect_right(bounds, (place, len(text))) - 1
        if at not in said:
            start, end = bounds[at] if at >= 0 else (0, len(text))
            said[at] = title.union(analyse(text[start:end]))
        return said[at]

    times = [
        Statement(item.span, text[item.start_char : item.end_char], around(item.start_char))
        for item in stretches(text, found)
    ]
    headed = stretches(document.title, tag(document.title, now))
    times += [Statement(item.span, document.title[item.start_char : item.end_char], whole) for item in headed]
    known = [*stated_times(document), *([document.valid] if document.valid is not None else [])]
    times += [Statement(span, span.describe(), whole) for span in known]
    if now is not None:
        times.append(Statement(now, f"published {now.describe()}", whole, _PUBLISHED))
    durations = [Statement(None, item.text, around(item.start_char)) for item in found if item.kind == "DURATION"]
    return DatedText(tuple(times), tuple(durations), whole)


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """In how many of some documents each word is: what tells common words from rare ones.

    >>> Background.of([Document("d1", "The peace prize"), Document("d2", "The prize")]).frequency["prize"]
    2
    """

    count: int
    frequency: Mapping[str, int]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Background:
        """The background that documents make; they are gone through once.

        >>> Background.of([]).count
        0
        """
        count, frequency = 0, Counter[str]()
        for document in documents:
            count += 1
            frequency.update({*analyse(document.title), *analyse(document.text)})
        return cls(count, frequency)


def question_terms(text: str, times: Sequence[TimeExpr] = (), background: Background | None = None) -> Terms:
    """The words of a question, their weights and their nearness to its times; all of one weight without a background.

    >>> terms = question_terms("Who won the peace prize?")
    >>> terms.tokens, bool((terms.weights == terms.weights[0]).all())
    (('won', 'peac', 'prize'), True)
    >>> known = Background.of([Document("d1", "The peace prize"), Document("d2", "The prize")])
    >>> question_terms("Who won the peace prize?", background=known).weights.round(2)
    array([0.  , 0.83, 0.43])
    """
    terms = read_terms(cast(View, _Words(background)), text, times)
    # What none of the documents says is still asked: a question all of whose words are unknown weighs them alike.
    return terms if terms.weights.any() else replace(terms, weights=np.ones(len(terms.tokens)))


class _Words:
    """As much of a view as `read_terms` asks for."""

    def __init__(self, background: Background | None) -> None:
        self._known = background
        self.passage_count = 1 if background is None else background.count

    def document_frequency(self, tokens: Iterable[str]) -> dict[str, int]:
        if self._known is None:
            return dict.fromkeys(tokens, 1)
        return {token: self._known.frequency[token] for token in tokens if token in self._known.frequency}


def sight(terms: Terms, window: Window, read: DatedText) -> Sighting:
    """What a document says of one period that a question asks for.

    >>> read = read_document(Document("d1", "Ann won the prize in 1998. She was born in 1960."))
    >>> won = sight(question_terms("Who won the prize?"), Window(Span.year(1998)), read)
    >>> born = sight(question_terms("Who won the prize?"), Window(Span.year(1960)), read)
    >>> won.quote, bool(won.features[2] > born.features[2])
    ('1998', True)
    """
    topic = _share(terms, read.words)
    placed = [(item, item.span) for item in read.times if item.span is not None]
    if not placed:
        return Sighting(np.array([0.0, 0.0, 0.0, 0.0, topic]), "")
    match = match_window(window, SpanSet.of([span for _, span in placed]))
    worth = np.array([item.worth for item, _ in placed])
    inside = worth * match.inside
    # The words bear "from 1916 to 1920" out best that state when it began or ended.
    ends = inside if match.first is None or match.last is None else worth * np.maximum(match.first, match.last)
    return _told(placed, inside, ends, terms, topic)


def sight_any(terms: Terms, read: DatedText, statements: Sequence[Statement]) -> Sighting:
    """What a document says where any of some statements would do: any date for "when", any duration for "how long".

    >>> read = read_document(Document("d1", "The strike lasted two years. It began in May."))
    >>> sight_any(question_terms("How long did the strike last?"), read, read.durations).quote
    'two years'
    """
    topic = _share(terms, read.words)
    if not statements:
        return Sighting(np.array([0.0, 0.0, 0.0, 0.0, topic]), "")
    worth = np.array([item.worth for item in statements])
    return _told([(item, item.span) for item in statements], worth, worth, terms, topic)


def _told(
    placed: Sequence[tuple[Statement, Span | None]], inside: Floats, ends: Floats, terms: Terms, topic: float
) -> Sighting:
    local = np.array([_share(terms, item.around) for item, _ in placed])
    evidence = float((inside * local).max())
    contrast = inside * (_BARE + local) / (_BARE + local.max())
    told = [inside.max(), ends.max(), evidence, contrast.max(), topic]
    best = int(np.argmax(inside * (_BARE + local)))
    return Sighting(np.array(told, dtype=np.float64), placed[best][0].quote if inside[best] > 0 else "")


def _share(terms: Terms, words: frozenset[str]) -> float:
    """The share of a question, by weight and nearness, that some words have; all of it where it has no words."""
    worth = (terms.weights * terms.nearness).tolist()
    total = sum(worth)
    return (
        sum(each for token, each in zip(terms.tokens, worth, strict=True) if token in words) / total if total else 1.0
    )
