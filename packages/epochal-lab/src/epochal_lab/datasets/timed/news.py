"""News of Wikipedia's current events portal: questions about names, and about names that no item of the sample has."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from epochal.storage.records import Document
from epochal.times.span import Span
from epochal.times.words import MONTHS
from epochal_lab.datasets.sources import Source, rows
from epochal_lab.datasets.timed.questions import SPLITS, Split, TimedCorpus, TimedQuestion, choose, number_questions
from epochal_lab.datasets.timed.timelines import (
    TimelineTopic,
    build_absent,
    build_plain,
    build_timeline,
    split_groups,
    stated_months,
)
from epochal_lab.datasets.timed.wording import NEWS
from epochal_lab.datasets.timed.words import find_known_names, find_names, find_words, has_name

#: How many items are indexed, names asked about in each split, and names that no item has.
SIZE: Final = 20_000
_NAMES: Final = 60
_ABSENT: Final = 60
#: A name is asked about when so many items have it.
_ITEMS: Final = (4, 60)
_COUNTS: Final = {
    "in_month": 2,
    "in_year": 1,
    "between": 1,
    "empty_month": 2,
    "latest": 1,
    "first": 1,
    "nth": 1,
    "as_of_words": 1,
    "as_of_option": 1,
    "last_before": 1,
    "first_after": 1,
    "before": 1,
    "since": 1,
    "not_yet": 1,
    "not_covered": 1,
}
#: What happens in places, with the beginnings of words that speak of it; with a place, a topic of two parts.
_EVENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "earthquake": ("earthq", "quake", "seism"),
    "election": ("elect", "vote", "voti", "poll", "ballo"),
    "referendum": ("refer", "vote", "voti"),
    "coup": ("coup", "putsc", "overt"),
    "flood": ("flood", "inund", "delug"),
    "hurricane": ("hurri", "storm", "cyclo", "typho"),
    "bombing": ("bomb", "explo", "blast"),
    "strike": ("strik", "walko", "struck"),
    "protest": ("prote", "demon", "rall", "riot", "march", "unres"),
    "volcano": ("volca", "erupt"),
    "drought": ("droug", "famin"),
    "epidemic": ("epide", "pande", "outbr", "virus", "covid", "chole", "ebola"),
    "wildfire": ("wildf", "fire", "bushf", "blaze"),
    "cyclone": ("cyclo", "storm", "hurri", "typho"),
    "landslide": ("lands", "mudsl", "avala"),
    "assassination": ("assas", "kill", "murde", "shot"),
    "ceasefire": ("cease", "truce", "armis"),
    "impeachment": ("impea",),
}
#: Places that many items name: to be about an event there, an item must have both.
_PLACES: Final = (
    "Afghanistan Argentina Australia Bangladesh Belgium Bolivia Brazil Bulgaria Canada Chile Colombia Croatia Cuba "
    "Cyprus Denmark Ecuador Egypt Ethiopia Finland Germany Ghana Greece Haiti Hungary Iceland Indonesia Ireland Israel "
    "Italy Jamaica Japan Kenya Lebanon Libya Malaysia Mexico Morocco Myanmar Nepal Nigeria Norway Pakistan Peru "
    "Philippines Poland Portugal Romania Russia Serbia Somalia Spain Sudan Sweden Switzerland Syria Thailand "
    "Tunisia Turkey Uganda Ukraine Venezuela Vietnam Yemen Zimbabwe"
).split()
_PAIRS_OF_PLACE: Final = 4
_STEM: Final = 5
#: Words with capitals that name no topic: parts of dates, and most adjectives of places.
_CALENDAR: Final = frozenset((*MONTHS, *"Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()))
_ADJECTIVES: Final = ("ish", "ian", "ese", "can", "ic", "ists", "ans")


def load_current_events(source: Source, seed: int = 0, *, size: int = SIZE) -> TimedCorpus:
    """A sample of the news items. Names of items outside of the sample serve as names that no document has."""
    path = source.require("current_events", "current_events/events.jsonl.gz", "get the current events of Wikipedia")
    records = [(f"ce-{number}", row) for number, row in rows(path)]
    random.Random(f"news-{seed}").shuffle(records)
    inside, outside = records[:size], records[size:]
    documents = tuple(
        Document(
            id, row["text"], published=Span.day(*map(int, row["date"].split("-"))), meta={"category": row["category"]}
        )
        for id, row in inside
    )
    dates = {id: row["date"] for id, row in inside}
    texts = {id: row["text"] for id, row in inside}
    now = max(dates.values())
    words = _index_words(texts)
    topics = _find_topics(texts, dates, words, seed)
    splits = split_groups([topic.name for topic in topics], seed, 0.5)
    absent = sorted(_find_absent([row["text"] for _, row in outside], words.keys()))
    sides = split_groups(absent, seed, 0.5)
    sides_of_places = split_groups(_PLACES, seed, 0.5)
    years = (int(min(dates.values())[:4]), int(now[:4]))
    questions: list[TimedQuestion] = []
    for split in SPLITS:
        rng = random.Random(f"news-{split}-{seed}")
        own = choose([topic for topic in topics if splits[topic.name] == split], _NAMES, rng)
        questions += build_timeline("current_events", own, NEWS, split, now, rng, _COUNTS)
        names = choose([name for name in absent if sides[name] == split], _ABSENT, rng)
        questions += build_absent("current_events", names, NEWS, split, now, years, rng, 2)
        questions += _ask_pairs(own, words, split, now, years, rng)
        places = [place for place in _PLACES if sides_of_places[place] == split]
        questions += _ask_places(places, words, dates, split, now, rng)
        for kind in ("when", "plain"):
            drafts = _list_items(choose(sorted(texts), 60, rng), texts, words, rng)
            questions += build_plain("current_events", kind, NEWS, split, now, rng, drafts)
    return TimedCorpus("current_events", documents, number_questions(questions))


def _read_day(text: str) -> Span:
    year, month, day = map(int, text.split("-"))
    return Span.day(year, month, day)


def _index_words(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """The items that have a word."""
    result: dict[str, set[str]] = defaultdict(set)
    for id, text in texts.items():
        for word in find_known_names((text,)):
            result[word].add(id)
    return result


def _find_topics(
    texts: Mapping[str, str], dates: Mapping[str, str], words: Mapping[str, set[str]], seed: int
) -> list[TimelineTopic]:
    """Names that no other item can mean: every item with the last word of a name has all of the name."""
    counts = Counter(name for text in texts.values() for name in set(find_names(text)))
    stems: dict[str, set[str]] = defaultdict(set)
    for word, ids in words.items():
        stems[word[:_STEM]] |= ids
    topics = []
    for name in sorted(counts):
        if not _ITEMS[0] <= counts[name] <= _ITEMS[1]:
            continue
        last = name.split()[-1].lower()
        near = stems[last[:_STEM]]
        if name in _CALENDAR or last.endswith(_ADJECTIVES) or not _ITEMS[0] <= len(near) <= _ITEMS[1]:
            continue
        # "Haitian" speaks of Haiti: such a name is not asked about where an item has it and not the name.
        if all(has_name(texts[id], name) for id in near):
            entries = tuple(sorted((dates[id], id) for id in near))
            topics.append(TimelineTopic(name, entries, stated=stated_months(texts[id] for id in near)))
    random.Random(f"topics-{seed}").shuffle(topics)
    return topics


def _find_absent(texts: Sequence[str], known: Collection[str]) -> set[str]:
    names = Counter(name for text in texts for name in set(find_names(text)))
    return {
        name for name, count in names.items() if count >= 2 and not any(word.lower() in known for word in name.split())
    }


def _ask_pairs(
    topics: Sequence[TimelineTopic],
    words: Mapping[str, set[str]],
    split: Split,
    now: str,
    years: tuple[int, int],
    rng: random.Random,
) -> list[TimedQuestion]:
    """An event at a name: where items have both, a month of theirs; where none has, nothing is recorded."""
    matches: list[TimedQuestion] = []
    absent: list[str] = []
    for topic in topics:
        for event in rng.sample(list(_EVENTS), 6):
            literal, related = _find_by_stem((event[:_STEM],), words), _find_by_stem(_EVENTS[event], words)
            entries = tuple(entry for entry in topic.entries if entry[1] in literal)
            name = f"{event} in {topic.name}"
            if entries:
                others = topic.on_topic - {id for _, id in entries}
                pair = TimelineTopic(name, entries, unjudged=others, group=topic.name)
                counts = {"in_month": 1, "empty_month": 1, "in_year": 1}
                drafts = build_timeline("current_events", [pair], NEWS, split, now, rng, counts, least=1)
                matches += drafts
            elif not related & topic.on_topic and len(absent) < len(topics) // 2:
                absent.append(name)
    pairs = build_absent("current_events", absent, NEWS, split, now, years, rng, 1, kind="absent_pair")
    return matches + [replace(pair, group=pair.absent.partition(" in ")[2], absent="") for pair in pairs]


def _ask_places(
    places: Sequence[str],
    words: Mapping[str, set[str]],
    dates: Mapping[str, str],
    split: Split,
    now: str,
    rng: random.Random,
) -> list[TimedQuestion]:
    """An event at a place that many items name: months and years with an item of both, and months without any."""
    questions: list[TimedQuestion] = []
    counts = {"in_month": 1, "empty_month": 2, "in_year": 1}
    for place in places:
        here = _find_by_stem((place[:_STEM].lower(),), words)
        for event in rng.sample(list(_EVENTS), _PAIRS_OF_PLACE):
            found = here & _find_by_stem((event[:_STEM],), words)
            # Who says "quake" may mean it, too: of such items and their months nothing is said.
            others = here & _find_by_stem(_EVENTS[event], words) - found
            if found:
                pair = TimelineTopic(
                    f"{event} in {place}",
                    tuple(sorted((dates[id], id) for id in found)),
                    unjudged=frozenset(others),
                    stated=frozenset(dates[id][:7] for id in others),
                    group=place,
                )
                made = build_timeline("current_events", [pair], NEWS, split, now, rng, counts, least=1)
                questions += [replace(item, kind="pair" if item.relevant else "empty_pair") for item in made]
    return questions


def _find_by_stem(beginnings: Collection[str], words: Mapping[str, set[str]]) -> set[str]:
    return {id for word, ids in words.items() if word.startswith(tuple(beginnings)) for id in ids}


def _list_items(
    ids: Sequence[str],
    texts: Mapping[str, str],
    words: Mapping[str, set[str]],
    rng: random.Random,
) -> Iterator[tuple[Mapping[str, str], frozenset[str], frozenset[str], str]]:
    """Items that four of their words tell from all others."""
    rarity = {word: len(having) for word, having in words.items()}
    for id in ids:
        selected = find_words(texts[id], rng, 4, rarity)
        having = set.intersection(*(words.get(word.lower(), set()) for word in selected)) if selected else set()
        if len(having) == 1:
            yield {"words": " ".join(selected)}, frozenset(having), frozenset(having), id
