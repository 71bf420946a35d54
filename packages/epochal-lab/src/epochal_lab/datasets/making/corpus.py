"""A collection of documents seen by time: topics that several documents share, and which documents lie in a window."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.audit.facts import MIN_CONFIDENCE, Facts
from epochal.errors import EpochalError
from epochal.reading.scripts import simplify_characters
from epochal.storage.text import analyse, units
from epochal.times.axis import Certainty, Grain
from epochal.times.span import Span
from epochal_lab.datasets.making.names import HanFinder, NameFinder, NounFinder

#: The position of a topic in the title.
TITLE_PLACE: Final = -1
#: A topic is shared by at least so many documents, and by at most this share of all, or this many.
FEWEST: Final = 3
_SHARE: Final = 0.05
_TITLE_SHARE: Final = 0.35
_MIN_LIMIT: Final = 40
#: How far into a text its subject is named; what is named later is mentioned, which is another thing.
_LEDE: Final = 300
#: With fewer names than this, common nouns are topics too.
_ENOUGH: Final = 40
#: A word of a topic that is at most this many times as frequent as the whole may represent it ("Putin"); so may its
#: rarest word, however frequent.
_TELLING: Final = 5

_Finder = NameFinder | NounFinder | HanFinder


@dataclass(frozen=True, slots=True, eq=False)
class CorpusTopic:
    """A topic, the documents that are about it, by their number, and those that may be.

    `places` has for each of the first where in its text the topic is; TITLE_PLACE for the title.
    """

    text: str
    full: frozenset[int]
    maybe: frozenset[int]
    places: Mapping[int, tuple[int, ...]]


def is_chinese(facts: Sequence[Facts]) -> bool:
    """Whether most letters of the documents are Chinese characters."""
    sample = "".join(item.document.title + item.document.text[:200] for item in facts[:: max(1, len(facts) // 500)])
    han = sum("\u3400" <= letter <= "\u9fff" for letter in sample)
    # A Chinese word has about two characters, a word of a Latin script about five letters.
    return 5 * han > 2 * sum(letter.isalpha() and letter < "\u3000" for letter in sample)


def has_titles(facts: Sequence[Facts]) -> bool:
    """Whether the documents say in titles what they are about."""
    return sum(bool(item.document.title) for item in facts) >= 0.8 * len(facts)


def find_topics(facts: Sequence[Facts]) -> list[CorpusTopic]:
    """The topics of a collection, sorted by their text."""
    titled = has_titles(facts)
    series: _Mentions = {name: dict.fromkeys(numbers, (TITLE_PLACE,)) for name, numbers in find_series(facts).items()}
    if is_chinese(facts):
        mentions = _find_mentions(facts, HanFinder(), titled)
        mentions |= series
        return sorted(_build_topics(facts, mentions, _find_han_mentions(facts, mentions)), key=lambda topic: topic.text)
    mentions = _find_mentions(facts, NameFinder(parting=titled and _is_title_case(facts)), titled)
    if len(mentions) < _ENOUGH:
        named = {tuple(analyse(_strip_article(name))) for name in mentions}
        nouns = _find_mentions(facts, NounFinder(), titled)
        mentions |= {noun: places for noun, places in nouns.items() if tuple(analyse(noun)) not in named}
    # What a series is called is what its documents are about, however many they are.
    called = {tuple(analyse(name)) for name in series}
    mentions = {name: places for name, places in mentions.items() if tuple(analyse(name)) not in called} | series
    return sorted(_build_topics(facts, mentions, _find_word_mentions(facts, mentions)), key=lambda topic: topic.text)


_Mentions = dict[str, dict[int, tuple[int, ...]]]
#: The longest name of a series that a question can use, and what it must have: a word.
_LONGEST_NAME: Final = 60
_WORD: Final = re.compile(r"[^\W\d_]{3,}|[\u3400-\u9fff]{2,}")

_RELEASE: Final = re.compile(r"(?P<name>[^\W\d_][^\n]{0,40}?)[\s_-]+v?\d+\.\d[\w.+-]*(?:[\s,(].*)?")


def find_series(facts: Sequence[Facts]) -> dict[str, tuple[int, ...]]:
    """The series of dated entries under their names, such as the releases of a project; documents by their number.

    Their documents have titles of their own, unlike the versions of one document, and most of them have the name. What
    has no series may have a title that is a name and the number of a release.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(facts):
        if item.document.series:
            members[item.document.series].append(number)
        elif release := _RELEASE.fullmatch(item.document.title):
            members[release["name"]].append(number)
    found: dict[str, tuple[int, ...]] = {}
    for series, numbers in sorted(members.items()):
        name = " ".join(re.split(r"[\s_]+", PurePosixPath(series).stem if "/" in series else series)).strip()
        documents = [facts[number].document for number in numbers]
        if len(numbers) < FEWEST or len(name) > _LONGEST_NAME or not _WORD.search(name) or name in found:
            continue
        if len({document.title for document in documents}) == 1:
            continue
        tokens = set(analyse(name))
        saying = sum(tokens <= set(analyse(f"{document.title}\n{document.text}")) for document in documents)
        if 2 * saying >= len(numbers):
            found[name] = tuple(numbers)
    return found


def _find_mentions(facts: Sequence[Facts], finder: _Finder, titled: bool) -> _Mentions:
    """By topic and document the places; of a size that makes a topic."""
    for item in facts:
        for text, hidden, _ in _list_topic_texts(item, titled=False):
            finder.show(text, hidden)
    names = finder.names(FEWEST)
    mentions: dict[tuple[str, ...], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    surface: dict[tuple[str, ...], str] = {}
    for number, item in enumerate(facts):
        for text, hidden, in_title in _list_topic_texts(item, titled):
            for words, place in finder.found_in(text, hidden):
                if words not in names:
                    continue
                mentions[words][number].append(TITLE_PLACE if in_title else place)
                if words not in surface:
                    surface[words] = _get_form(finder, words, text, place)
    most = max(_MIN_LIMIT, int((_TITLE_SHARE if titled else _SHARE) * len(facts)))
    return {
        surface[words]: {number: tuple(at) for number, at in places.items()}
        for words, places in mentions.items()
        if FEWEST <= len(places) <= most
    }


def _get_form(finder: _Finder, words: tuple[str, ...], text: str, place: int) -> str:
    if isinstance(finder, NameFinder):
        return finder.shown(words)
    # Characters were compared in their simplified forms; a question has those of the documents.
    return text[place : place + len(words[0])] if isinstance(finder, HanFinder) else " ".join(words)


def _strip_article(name: str) -> str:
    return name.removeprefix("the ")


def _list_topic_texts(item: Facts, titled: bool) -> Iterator[tuple[str, tuple[tuple[int, int], ...], bool]]:
    """What of a document is read for topics, with the dates in it, which are none: its title alone where titles say
    what documents are about; else the first sentences too; and all of a text without a date of its own, because there
    each sentence with a date counts by itself."""
    document = item.document
    if document.title:
        yield document.title, item.title_times, True
        if titled:
            return
    text = document.text
    if document.published or item.about:
        ends = [end for _, end in units(text[: 2 * _LEDE])]
        text = text[: next((end for end in ends if end >= _LEDE), len(text[: 2 * _LEDE]))]
    yield text, tuple((stated.start_char, stated.end_char) for stated in item.stated), False


def _is_title_case(facts: Sequence[Facts]) -> bool:
    words = [
        word
        for item in facts[:: max(1, len(facts) // 500)]
        for word in item.document.title.split()[1:]
        if len(word) > 3 and word[0].isalpha()
    ]
    return sum(word[0].isupper() for word in words) > 0.6 * len(words)


def _build_topics(
    facts: Sequence[Facts], by_name: _Mentions, mentions: Mapping[str, frozenset[int]]
) -> Iterator[CorpusTopic]:
    for text, places in by_name.items():
        full = frozenset(places)
        yield CorpusTopic(text, full, mentions[text] - full, places)


def _find_word_mentions(facts: Sequence[Facts], by_name: _Mentions) -> dict[str, frozenset[int]]:
    """The documents that have a telling word of a topic, or all of its words, anywhere."""
    tokens = {text: tuple(analyse(_strip_article(text))) for text in by_name}
    targets = {token for group in tokens.values() for token in group}
    postings: dict[str, set[int]] = {token: set() for token in targets}
    for number, item in enumerate(facts):
        for token in targets.intersection(analyse(f"{item.document.title}\n{item.document.text}")):
            postings[token].add(number)
    mentions = {}
    for text, group in tokens.items():
        lists = [postings[token] for token in group]
        rarest = min((len(numbers) for numbers in lists), default=0)
        telling = [numbers for numbers in lists if len(numbers) <= max(_TELLING * len(by_name[text]), 2 * rarest)]
        mentions[text] = frozenset(set.union(set(), *telling) | (set.intersection(*lists) if lists else set()))
    return mentions


def _find_han_mentions(facts: Sequence[Facts], mentions: _Mentions) -> dict[str, frozenset[int]]:
    folded = {text: simplify_characters(text) for text in mentions}
    numbers: dict[str, set[int]] = {group: set() for group in folded.values()}
    for number, item in enumerate(facts):
        whole = simplify_characters(f"{item.document.title}\n{item.document.text}")
        for size in (2, 3, 4):
            for group in numbers.keys() & {whole[at : at + size] for at in range(len(whole) - size + 1)}:
                numbers[group].add(number)
    return {text: frozenset(numbers[group]) for text, group in folded.items()}


#: An axis on which fewer documents lie than this share is not asked about.
_USED: Final = 0.2


class Axis(str, Enum):
    """What it means that a document belongs to a time."""

    PUBLISHED = "published"
    ABOUT = "about"
    STATED = "stated"


@dataclass(frozen=True, slots=True)
class WindowJudgement:
    """What a topic and a window have: the gold, what may belong there too, and what has the topic at another time."""

    gold: tuple[int, ...]
    maybe: tuple[int, ...]
    others: tuple[int, ...]


class Corpus:
    """Facts of a collection in the order of their ids, the language, and the present that questions are asked in."""

    def __init__(self, facts: Iterable[Facts], now: Span | None = None) -> None:
        self.facts: Sequence[Facts] = sorted(facts, key=lambda item: item.document.id)
        if not self.facts:
            raise EpochalError("no test set can be made of no documents; accepted: at least one")
        self.language = "zh" if is_chinese(self.facts) else "en"
        self.ids = [item.document.id for item in self.facts]
        times = [
            [span for span in self._get_record_times(number) if not span.is_open] for number in range(len(self.facts))
        ]
        spans = [span for time in times for span in time]
        self.starts = np.sort(np.array([span.start for span in spans], dtype=np.int64))
        self.ends = np.sort(np.array([span.end for span in spans], dtype=np.int64))
        published = [span for item in self.facts if (span := item.document.published) and not span.is_open]
        last = max((span.end for span in published), default=None)
        self.now = now or (None if last is None else Span.unit(last - 1, Grain.DAY))
        #: The axes on which enough documents lie, and which are asked about.
        self.axes = _list_used_axes(self.facts)
        self._units: dict[int, list[tuple[int, int]]] = {}
        self._wordings: dict[int, bytes] = {}
        self._edges: dict[int, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = {}

    def _get_record_times(self, number: int) -> list[Span]:
        """When a document counts as a record of its time."""
        item = self.facts[number]
        if item.document.published is not None:
            return [item.document.published]
        return list(item.about) or [stated.span for stated in item.stated if stated.confidence >= MIN_CONFIDENCE]

    def recorded(self, window: Span) -> int:
        """How many records lie in a window or reach into it."""
        return int(np.searchsorted(self.starts, window.end, "left") - np.searchsorted(self.ends, window.start, "right"))

    def span(self) -> Span | None:
        """From the first record to the last; None where no document has a time."""
        if not len(self.starts):
            return None
        return Span(int(self.starts[0]), int(self.ends[-1]), Grain.DAY)

    def wording(self, number: int) -> bytes:
        """What is the same for documents whose texts are the same, word for word."""
        if number not in self._wordings:
            words = " ".join(self.facts[number].document.text.casefold().split())
            self._wordings[number] = hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return self._wordings[number]

    # ---------------------------------------------------------------- a topic in time

    def times(self, topic: CorpusTopic, number: int, axis: Axis) -> list[Span]:
        """Times of a document on an axis, as far as they are sure; of sentences, those that have the topic."""
        item = self.facts[number]
        if axis is Axis.PUBLISHED:
            spans = [item.document.published] if item.document.published else []
        elif axis is Axis.ABOUT:
            spans = list(item.about)
        else:
            spans = self._find_times_near_topic(topic, number)
        return [span for span in spans if not span.is_open and span.worst_certainty == Certainty.CERTAIN]

    def _find_times_near_topic(self, topic: CorpusTopic, number: int) -> list[Span]:
        item = self.facts[number]
        if number not in self._units:
            self._units[number] = units(item.document.text)
        spans = []
        for start, end in self._units[number]:
            if any(start <= place < end for place in topic.places.get(number, ()) if place != TITLE_PLACE):
                inside = (stated for stated in item.stated if start <= stated.start_char < end)
                spans += [stated.span for stated in inside if stated.confidence >= MIN_CONFIDENCE]
        return spans

    def all_times(self, number: int) -> list[Span]:
        """Everything that is known of a document's time, sure or not."""
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

    def judge(self, topic: CorpusTopic, window: Span, axis: Axis) -> WindowJudgement:
        """Which documents answer what is asked of a topic in a window.

        Gold is what is about the topic and has a sure time on the axis that lies within the window. What may belong
        there is neither gold nor wrong: it has the topic, wholly or in part, and no date at all, or a time on any axis
        that shares something with the window.
        """
        gold, maybe, others = [], [], []
        for number in sorted(topic.full | topic.maybe):
            is_full = number in topic.full
            if is_full and any(_is_within(span, window) for span in self.times(topic, number, axis)):
                gold.append(number)
            elif not self.facts[number].is_dated or self._may_reach(number, window):
                maybe.append(number)
            elif is_full:
                others.append(number)
        return WindowJudgement(tuple(gold), tuple(maybe), tuple(others))


def _list_used_axes(facts: Sequence[Facts]) -> tuple[Axis, ...]:
    """Sentences are asked about only where documents have no other time: a date in passing is not their subject."""
    least = _USED * len(facts)
    counts = {
        Axis.PUBLISHED: sum(item.document.published is not None for item in facts),
        Axis.ABOUT: sum(bool(item.about) for item in facts),
    }
    whole = tuple(axis for axis, count in counts.items() if count >= least)
    stated = sum(bool(item.stated) for item in facts) >= least
    return whole or ((Axis.STATED,) if stated else ())


def _is_within(span: Span, window: Span) -> bool:
    return window.start <= span.start and span.end <= window.end
