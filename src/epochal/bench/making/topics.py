"""Topics: what several documents of different times have in common, so that only the time can tell them apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from epochal.bench.audit.facts import Facts
from epochal.bench.making.names import NameFinder
from epochal.bench.making.phrases import HanFinder, NounFinder
from epochal.index.analysis import analyse
from epochal.index.splitting import units
from epochal.reading.folding import fold_in_place

__all__ = ["TITLE_PLACE", "Topic", "find_topics", "has_titles", "is_chinese"]

#: Where a topic stands that stands in the title.
TITLE_PLACE: Final = -1
#: A topic is shared by at least so many documents, and by at most this share of all, or this many.
FEWEST: Final = 3
_SHARE: Final = 0.05
_TITLE_SHARE: Final = 0.35
_MOST: Final = 40
#: How far into a text its subject is named; what is named later is mentioned, which is another thing.
_LEDE: Final = 300
#: With fewer names than this, common nouns are topics too.
_ENOUGH: Final = 40
#: A word of a topic that is at most this many times as frequent as the whole may stand for it ("Putin"); so may its
#: rarest word, however frequent.
_TELLING: Final = 5

_Finder = NameFinder | NounFinder | HanFinder


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """A topic, the documents that are about it, by their number, and those that may be.

    `places` tells for each of the first where in its text the topic stands; TITLE_PLACE for the title.

    >>> Topic("Ann Hay", frozenset({1, 2}), frozenset({5}), {1: (0,), 2: (7,)}).maybe
    frozenset({5})
    """

    text: str
    full: frozenset[int]
    maybe: frozenset[int]
    places: Mapping[int, tuple[int, ...]]


def is_chinese(facts: Sequence[Facts]) -> bool:
    """Whether most letters of the documents are Chinese characters.

    >>> from epochal.index.records import Document
    >>> is_chinese([Facts(Document("a", "齐侯来。"))]), is_chinese([Facts(Document("a", "Rain."))])
    (True, False)
    """
    sample = "".join(item.document.title + item.document.text[:200] for item in facts[:: max(1, len(facts) // 500)])
    han = sum("\u3400" <= letter <= "\u9fff" for letter in sample)
    # A Chinese word has about two characters, a word of a Latin script about five letters.
    return 5 * han > 2 * sum(letter.isalpha() and letter < "\u3000" for letter in sample)


def has_titles(facts: Sequence[Facts]) -> bool:
    """Whether the documents say in titles what they are about.

    >>> from epochal.index.records import Document
    >>> has_titles([Facts(Document("a", "Rain.", "Weather"))])
    True
    """
    return sum(bool(item.document.title) for item in facts) >= 0.8 * len(facts)


def find_topics(facts: Sequence[Facts]) -> list[Topic]:
    """The topics of a collection, sorted by their text.

    >>> from epochal.index.records import Document
    >>> texts = ("They met Ann Hay, who sat.", "He saw Ann Hay in May.", "It fell on Ann Hay.", "He left.")
    >>> (topic,) = find_topics([Facts(Document(str(at), text)) for at, text in enumerate(texts)])
    >>> topic.text, sorted(topic.full)
    ('Ann Hay', [0, 1, 2])
    """
    titled = has_titles(facts)
    if is_chinese(facts):
        found = _with_finder(facts, HanFinder(), titled)
        return sorted(_resolved(facts, found, _han_mentions(facts, found)), key=lambda topic: topic.text)
    found = _with_finder(facts, NameFinder(parting=titled and _is_title_case(facts)), titled)
    if len(found) < _ENOUGH:
        named = {tuple(analyse(_bare(name))) for name in found}
        nouns = _with_finder(facts, NounFinder(), titled)
        found |= {noun: places for noun, places in nouns.items() if tuple(analyse(noun)) not in named}
    return sorted(_resolved(facts, found, _word_mentions(facts, found)), key=lambda topic: topic.text)


_Found = dict[str, dict[int, tuple[int, ...]]]


def _with_finder(facts: Sequence[Facts], finder: _Finder, titled: bool) -> _Found:
    """By topic and document the places; of a size that makes a topic."""
    for item in facts:
        for text, hidden, _ in _scope(item, titled=False):
            finder.show(text, hidden)
    names = finder.names(FEWEST)
    found: dict[tuple[str, ...], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    surface: dict[tuple[str, ...], str] = {}
    for number, item in enumerate(facts):
        for text, hidden, in_title in _scope(item, titled):
            for words, place in finder.found_in(text, hidden):
                if words not in names:
                    continue
                found[words][number].append(TITLE_PLACE if in_title else place)
                if words not in surface:
                    surface[words] = _shown(finder, words, text, place)
    most = max(_MOST, int((_TITLE_SHARE if titled else _SHARE) * len(facts)))
    return {
        surface[words]: {number: tuple(at) for number, at in places.items()}
        for words, places in found.items()
        if FEWEST <= len(places) <= most
    }


def _shown(finder: _Finder, words: tuple[str, ...], text: str, place: int) -> str:
    if isinstance(finder, NameFinder):
        return finder.shown(words)
    # Characters were compared in their simplified forms; a question has those of the documents.
    return text[place : place + len(words[0])] if isinstance(finder, HanFinder) else " ".join(words)


def _bare(name: str) -> str:
    return name.removeprefix("the ")


def _scope(item: Facts, titled: bool) -> Iterator[tuple[str, tuple[tuple[int, int], ...], bool]]:
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


def _resolved(facts: Sequence[Facts], found: _Found, mentions: Mapping[str, frozenset[int]]) -> Iterator[Topic]:
    for text, places in found.items():
        full = frozenset(places)
        yield Topic(text, full, mentions[text] - full, places)


def _word_mentions(facts: Sequence[Facts], found: _Found) -> dict[str, frozenset[int]]:
    """The documents that have a telling word of a topic, or all of its words, anywhere."""
    tokens = {text: tuple(analyse(_bare(text))) for text in found}
    wanted = {token for group in tokens.values() for token in group}
    postings: dict[str, set[int]] = {token: set() for token in wanted}
    for number, item in enumerate(facts):
        for token in wanted.intersection(analyse(f"{item.document.title}\n{item.document.text}")):
            postings[token].add(number)
    mentions = {}
    for text, group in tokens.items():
        lists = [postings[token] for token in group]
        rarest = min((len(numbers) for numbers in lists), default=0)
        telling = [numbers for numbers in lists if len(numbers) <= max(_TELLING * len(found[text]), 2 * rarest)]
        mentions[text] = frozenset(set.union(set(), *telling) | (set.intersection(*lists) if lists else set()))
    return mentions


def _han_mentions(facts: Sequence[Facts], found: _Found) -> dict[str, frozenset[int]]:
    folded = {text: fold_in_place(text) for text in found}
    numbers: dict[str, set[int]] = {group: set() for group in folded.values()}
    for number, item in enumerate(facts):
        whole = fold_in_place(f"{item.document.title}\n{item.document.text}")
        for size in (2, 3, 4):
            for group in numbers.keys() & {whole[at : at + size] for at in range(len(whole) - size + 1)}:
                numbers[group].add(number)
    return {text: frozenset(numbers[group]) for text, group in folded.items()}
