"""Forecasts as issued ("Tuesday Night: Mostly clear"): for a city, a date, day or night the newest issue is right."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.sources import Source, rows
from epochal_lab.datasets.timed.questions import SPLITS, Split, TimedCorpus, TimedQuestion, choose, number_questions
from epochal_lab.datasets.timed.timelines import split_groups
from epochal_lab.datasets.timed.wording import name_day

#: Forecasts for so many days, from the first on; questions for so many dates and parts of a day in each split.
DAYS: Final = 40
_ASKED: Final = 120
_FRAMES: Final[Mapping[Split, tuple[str, ...]]] = {
    "train": (
        "What is the forecast for {city} on {d} {p}?",
        "{city} weather {d} {p}",
        "Will it rain in {city} on {d} {p}?",
        "How warm will it be in {city} {p} on {d}?",
        "forecast {city} {d}, {p}",
        "weather in {city} on {d} {p}",
        "What weather was expected for {city} {p} on {d}?",
        "{p} of {d} in {city}: wind and temperature",
    ),
    "report": (
        "What will the weather be like in {city} on {d} {p}?",
        "{city} forecast for {d} {p}",
        "Is rain expected in {city} {p} on {d}?",
        "{city}, {d}, {p}: weather?",
        "latest forecast for {city} on {d} {p}",
        "wind in {city} {p} on {d}",
    ),
}
_PARTS: Final[Mapping[str, Mapping[Split, tuple[str, ...]]]] = {
    "day": {"train": ("during the day", "in the daytime", "daytime"), "report": ("by day", "during the day")},
    "night": {"train": ("at night", "during the night", "overnight"), "report": ("in the night", "at night")},
}
#: Cities that the forecasts do not have.
_ABSENT: Final = (
    "Chicago Seattle Denver Phoenix Portland Dallas Detroit Atlanta Nashville Omaha Cleveland Honolulu Anchorage "
    "Albuquerque Sacramento Minneapolis"
).split()


def load_forecasts(source: Source, seed: int = 0, *, days: int = DAYS) -> TimedCorpus:
    """Every issue of the forecasts for some days in five cities; the newest issue for a date and part is right."""
    path = source.require("forecasts", "forecasts/nws_2021.jsonl.gz", "get the forecasts of the NWS")
    matches = [row for _, row in rows(path)]
    dates = sorted({row["target_date"] for row in matches})[:days]
    documents: list[Document] = []
    issues: dict[tuple[str, str, str], list[tuple[str, str]]] = defaultdict(list)
    for row in matches:
        if not dates[0] <= row["target_date"] <= dates[-1]:
            continue
        issued = row["fetched_at"].partition(".")[0].partition("+")[0]
        id = f"{row['city']}/{row['target_date']}/{row['part']}/{issued}"
        documents.append(
            Document(
                id,
                f"{row['name']}: {row['detailedForecast']}",
                _name_city(row),
                Span.parse(issued),
                meta={"city": _name_city(row)},
            )
        )
        issues[row["city"], row["target_date"], row["part"]].append((issued, id))
    topics: dict[str, frozenset[str]] = {
        city: frozenset(id for key, matches in issues.items() if key[0] == city for _, id in matches)
        for city in {key[0] for key in issues}
    }
    splits = split_groups([city for city, _, _ in issues], seed)
    questions: list[TimedQuestion] = []
    for split in SPLITS:
        rng = random.Random(f"forecasts-{split}-{seed}")
        keys = [key for key in sorted(issues) if splits[key[0]] == split and len(issues[key]) > 2]
        for key in choose(keys, _ASKED, rng):
            questions += _ask(key, sorted(issues[key]), topics[key[0]], split, rng)
        for city in choose(_ABSENT, len(_ABSENT), rng)[:: 1 if split == "train" else 2]:
            date = rng.choice(dates)
            text = _phrase_question(city, date, rng.choice(("day", "night")), split, rng)
            now = Span.parse(dates[-1])
            questions.append(
                TimedQuestion(
                    "",
                    text,
                    "absent_name",
                    "forecasts",
                    now,
                    outcome="topic_unknown",
                    on_topic=frozenset(),
                    absent=city,
                    group=city,
                    split=split,
                )
            )
    return TimedCorpus("forecasts", tuple(documents), number_questions(questions))


def _name_city(row: Mapping[str, Any]) -> str:
    return str(row["city"]).replace("-", " ").title()


def _phrase_question(city: str, date: str, part: str, split: Split, rng: random.Random) -> str:
    words = {"city": city, "d": name_day(date, rng), "p": rng.choice(_PARTS[part][split])}
    text = rng.choice(_FRAMES[split]).format_map(words)
    return text.lower().removesuffix("?") if rng.random() < 0.15 else text[0].upper() + text[1:]


def _ask(
    key: tuple[str, str, str],
    issues: Sequence[tuple[str, str]],
    topic: frozenset[str],
    split: Split,
    rng: random.Random,
) -> list[TimedQuestion]:
    """For one date and part of a day: the newest issue, and the newest as of an earlier day."""
    city, date, part = key
    name = _name_city({"city": city})
    newest = issues[-1]
    earlier = sorted({issued[:10] for issued, _ in issues})[:-1]

    def make(kind: str, now: str, gold: str, as_of: str | None = None) -> TimedQuestion:
        text = _phrase_question(name, date, part, split, rng)
        return TimedQuestion(
            "",
            text,
            kind,
            "forecasts",
            Span.parse(now),
            frozenset({gold}),
            None if as_of is None else Span.parse(as_of),
            on_topic=topic,
            group=city,
            split=split,
        )

    matches = [make("stated", newest[0][:10], newest[1])]
    if earlier and rng.random() < 0.4:
        day = rng.choice(earlier)
        known = [id for issued, id in issues if issued[:10] <= day]
        matches.append(make("as_of_option", day, known[-1], day))
    return matches
