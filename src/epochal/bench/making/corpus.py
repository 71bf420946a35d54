"""A collection looked at from the side of time: which documents lie in a window, on which axis, and which may."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.bench.audit.facts import SURE, Facts
from epochal.bench.making.topics import TITLE_PLACE, Topic, is_chinese
from epochal.errors import EpochalError
from epochal.index.splitting import units
from epochal.times import Certainty, Grain, Span

__all__ = ["Axis", "Corpus", "Judged"]

#: An axis on which fewer documents lie than this share is not asked about.
_USED: Final = 0.2


class Axis(str, Enum):
    """What it means that a document belongs to a time.

    >>> Axis("published").value
    'published'
    """

    PUBLISHED = "published"
    ABOUT = "about"
    STATED = "stated"


@dataclass(frozen=True, slots=True)
class Judged:
    """What a topic and a window have: the gold, what may belong there too, and what has the topic at another time.

    >>> Judged((1,), (), (2, 3)).gold
    (1,)
    """

    gold: tuple[int, ...]
    maybe: tuple[int, ...]
    others: tuple[int, ...]


class Corpus:
    """The facts of a collection in the order of their ids, the language, and the present that questions are asked in.

    >>> from epochal.bench.audit.facts import facts_of
    >>> from epochal.index.records import Document
    >>> days = ("2001-05-02", "2001-05-03")
    >>> corpus = Corpus(facts_of(Document(day, "Rain.", published=Span.parse(day))) for day in days)
    >>> corpus.now.edtf(), corpus.axes, corpus.language
    ('2001-05-03', (<Axis.PUBLISHED: 'published'>,), 'en')
    """

    def __init__(self, facts: Iterable[Facts], now: Span | None = None) -> None:
        self.facts: Sequence[Facts] = sorted(facts, key=lambda item: item.document.id)
        if not self.facts:
            raise EpochalError("no test set can be made of no documents; accepted: at least one")
        self.language = "zh" if is_chinese(self.facts) else "en"
        self.ids = [item.document.id for item in self.facts]
        times = [[span for span in self._whole_times(number) if not span.is_open] for number in range(len(self.facts))]
        spans = [span for found in times for span in found]
        self.starts = np.sort(np.array([span.start for span in spans], dtype=np.int64))
        self.ends = np.sort(np.array([span.end for span in spans], dtype=np.int64))
        published = [span for item in self.facts if (span := item.document.published) and not span.is_open]
        last = max((span.end for span in published), default=None)
        self.now = now or (None if last is None else Span.unit(last - 1, Grain.DAY))
        #: The axes on which enough documents lie, and which are asked about.
        self.axes = _used_axes(self.facts)
        self._units: dict[int, list[tuple[int, int]]] = {}
        self._wordings: dict[int, bytes] = {}
        self._edges: dict[int, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = {}

    def _whole_times(self, number: int) -> list[Span]:
        """When a document counts as a record of its time."""
        item = self.facts[number]
        if item.document.published is not None:
            return [item.document.published]
        return list(item.about) or [stated.span for stated in item.stated if stated.confidence >= SURE]

    def recorded(self, window: Span) -> int:
        """How many records lie in a window or reach into it.

        >>> from epochal.index.records import Document
        >>> Corpus([Facts(Document("a", "Rain.", published=Span.year(1998)))]).recorded(Span.parse("1998-05"))
        1
        """
        return int(np.searchsorted(self.starts, window.end, "left") - np.searchsorted(self.ends, window.start, "right"))

    def span(self) -> Span | None:
        """From the first record to the last; None where no document has a time.

        >>> from epochal.index.records import Document
        >>> Corpus([Facts(Document("a", "Rain.", published=Span.year(1998)))]).span().edtf()
        '1998-01-01/1998-12-31'
        """
        if not len(self.starts):
            return None
        return Span(int(self.starts[0]), int(self.ends[-1]), Grain.DAY)

    def wording(self, number: int) -> bytes:
        """What is the same for documents whose texts are the same, word for word.

        >>> from epochal.index.records import Document
        >>> corpus = Corpus([Facts(Document("a", "Rain fell.")), Facts(Document("b", "rain  fell."))])
        >>> corpus.wording(0) == corpus.wording(1)
        True
        """
        if number not in self._wordings:
            words = " ".join(self.facts[number].document.text.casefold().split())
            self._wordings[number] = hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return self._wordings[number]

    # ---------------------------------------------------------------- a topic in time

    def times(self, topic: Topic, number: int, axis: Axis) -> list[Span]:
        """The times of a document on an axis, as far as they are sure; of sentences, those in which the topic stands.

        >>> from epochal.bench.audit.facts import facts_of
        >>> from epochal.index.records import Document
        >>> corpus = Corpus([facts_of(Document("a", "Ann sat in 1998. Bob left in 2001."))])
        >>> ann = Topic("Ann", frozenset({0}), frozenset(), {0: (0,)})
        >>> [span.edtf() for span in corpus.times(ann, 0, Axis.STATED)]
        ['1998']
        """
        item = self.facts[number]
        if axis is Axis.PUBLISHED:
            found = [item.document.published] if item.document.published else []
        elif axis is Axis.ABOUT:
            found = list(item.about)
        else:
            found = self._stated_with(topic, number)
        return [span for span in found if not span.is_open and span.worst_certainty == Certainty.CERTAIN]

    def _stated_with(self, topic: Topic, number: int) -> list[Span]:
        item = self.facts[number]
        if number not in self._units:
            self._units[number] = units(item.document.text)
        found = []
        for start, end in self._units[number]:
            if any(start <= place < end for place in topic.places.get(number, ()) if place != TITLE_PLACE):
                inside = (stated for stated in item.stated if start <= stated.start_char < end)
                found += [stated.span for stated in inside if stated.confidence >= SURE]
        return found

    def all_times(self, number: int) -> list[Span]:
        """Everything that is known of a document's time, sure or not.

        >>> from epochal.index.records import Document
        >>> Corpus([Facts(Document("a", "Rain.", published=Span.year(1998)))]).all_times(0)
        [Span.parse('1998')]
        """
        item = self.facts[number]
        own = [span for span in (item.document.published, item.document.valid) if span is not None]
        return [*own, *item.about, *(stated.span for stated in item.stated)]

    def _may_reach(self, number: int, window: Span) -> bool:
        """Whether anything that is known of a document's time shares something with a window."""
        if number not in self._edges:
            spans = self.all_times(number)
            self._edges[number] = (
                np.array([span.start for span in spans], dtype=np.int64),
                np.array([span.end for span in spans], dtype=np.int64),
            )
        starts, ends = self._edges[number]
        return bool(np.any((starts < window.end) & (ends > window.start)))

    def judge(self, topic: Topic, window: Span, axis: Axis) -> Judged:
        """Which documents answer what is asked of a topic in a window.

        Gold is what is about the topic and has a sure time on the axis that lies within the window. What may belong
        there is neither gold nor wrong: it has the topic, wholly or in part, and no date at all, or a time on any axis
        that shares something with the window.

        >>> from epochal.index.records import Document
        >>> dated = [Facts(Document(str(year), "Ann.", published=Span.year(year))) for year in (1998, 1999)]
        >>> corpus = Corpus([*dated, Facts(Document("3", "Ann."))])
        >>> ann = Topic("Ann", frozenset({0, 1, 2}), frozenset(), {})
        >>> corpus.judge(ann, Span.year(1998), Axis.PUBLISHED)
        Judged(gold=(0,), maybe=(2,), others=(1,))
        """
        gold, maybe, others = [], [], []
        for number in sorted(topic.full | topic.maybe):
            is_full = number in topic.full
            if is_full and any(_within(span, window) for span in self.times(topic, number, axis)):
                gold.append(number)
            elif not self.facts[number].is_dated or self._may_reach(number, window):
                maybe.append(number)
            elif is_full:
                others.append(number)
        return Judged(tuple(gold), tuple(maybe), tuple(others))


def _used_axes(facts: Sequence[Facts]) -> tuple[Axis, ...]:
    """Sentences are asked about only where documents have no other time: a date in passing is not their subject."""
    least = _USED * len(facts)
    counts = {
        Axis.PUBLISHED: sum(item.document.published is not None for item in facts),
        Axis.ABOUT: sum(bool(item.about) for item in facts),
    }
    whole = tuple(axis for axis, count in counts.items() if count >= least)
    stated = sum(bool(item.stated) for item in facts) >= least
    return whole or ((Axis.STATED,) if stated else ())


def _within(span: Span, window: Span) -> bool:
    return window.start <= span.start and span.end <= window.end
