"""Questions in words: for each kind several ways, those of training apart from those of reporting.

A frame has the slots {one} and {many}, which a domain fills with its own nouns ("release of {x}", "news about {x}"),
{x} for the topic, {m} a month, {y} and {z} years, {d} a day. Every wording means exactly what its kind says.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from epochal.times.words import MONTHS, format_ordinal
from epochal_lab.datasets.timed.questions import Split

Frames = Mapping[str, Mapping[Split, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Domain:
    """How one kind of document is asked about: nouns for one and for many of them, and frames of its own."""

    name: str
    one: Mapping[Split, tuple[str, ...]]
    many: Mapping[Split, tuple[str, ...]]
    own: Frames = field(default_factory=dict)
    language: str = "en"

    def list_frames(self, kind: str, split: Split) -> tuple[str, ...]:
        """The frames of a kind: those that serve every domain in English, and the domain's own."""
        common = COMMON.get(kind, {}).get(split, ()) if self.language == "en" else ()
        return *common, *self.own.get(kind, {}).get(split, ())


# ---------------------------------------------------------------- times


def name_month(month: str, rng: random.Random, language: str = "en") -> str:
    """A month (2021-03) in one of the ways that people write it, in English or Chinese."""
    year, number = month.split("-")
    if language == "zh":
        return rng.choice((f"{year}年{int(number)}月", f"{year}年{int(number)}月", f"{year}年{number}月", month))
    name = MONTHS[int(number) - 1]
    return rng.choice((f"{name} {year}", f"{name} {year}", f"{name} of {year}", f"{name[:3]} {year}", month))


def name_day(day: str, rng: random.Random, language: str = "en") -> str:
    """A day (2021-03-07) in one of the ways that people write it, in English or Chinese."""
    year, month, number = day.split("-")
    if language == "zh":
        return rng.choice((f"{year}年{int(month)}月{int(number)}日", f"{year}年{int(month)}月{int(number)}号", day))
    name, date = MONTHS[int(month) - 1], int(number)
    return rng.choice(
        (
            f"{date} {name} {year}",
            f"{name} {date}, {year}",
            f"{name} {format_ordinal(date)}, {year}",
            f"the {format_ordinal(date)} of {name} {year}",
            f"{date} {name[:3]} {year}",
            day,
        )
    )


# ---------------------------------------------------------------- frames of every domain

COMMON: Final[Frames] = {
    "in_year": {
        "train": (
            "{many} in {y}",
            "{many} from {y}",
            "Which {many} are from {y}?",
            "{y} {many}",
            "all {many} dated {y}",
            "What {many} were published in {y}?",
            "show {many} of the year {y}",
            "{x} during {y}",
        ),
        "report": (
            "Were there {many} in {y}?",
            "{many} of {y}",
            "Which {many} appeared in {y}?",
            "{x} in {y}",
            "list {many} that date from {y}",
            "{many}, {y}",
        ),
    },
    "between": {
        "train": (
            "{many} between {y} and {z}",
            "{many} from {y} to {z}",
            "Which {many} appeared between {y} and {z}?",
            "{many}, {y}-{z}",
            "What {many} date from {y} to {z}?",
            "{x} from {y} until {z}",
            "everything on {x} between {y} and {z}",
            "{many} in the years {y} to {z}",
        ),
        "report": (
            "What {many} were published between {y} and {z}?",
            "{many} published from {y} to {z}",
            "{x} between {y} and {z}",
            "list {many} from {y} through {z}",
            "{many} in {y}–{z}",
            "Which {many} lie between {y} and {z}?",
        ),
    },
    "latest": {
        "train": (
            "latest {one}",
            "What is the most recent {one}?",
            "newest {one}",
            "Show me the last {one}",
            "which {one} came out last?",
            "the most recently published {one}",
            "Find the newest {one} you have",
            "{one}, the latest",
            "what is the very latest {one}",
        ),
        "report": (
            "most recent {one}",
            "What is the latest {one}?",
            "last {one}",
            "Which is the newest {one}?",
            "give me the latest {one}",
            "the newest {one} on file",
            "what was the last {one} to appear?",
        ),
    },
    "first": {
        "train": (
            "first {one}",
            "What is the earliest {one} on record?",
            "oldest {one}",
            "Which {one} came first?",
            "the very first {one}",
            "Find the oldest {one} you have",
            "earliest known {one}",
            "{one}, the first ever",
        ),
        "report": (
            "earliest {one}",
            "What was the first {one}?",
            "Which is the oldest {one}?",
            "show the first recorded {one}",
            "oldest {one} in the archive",
            "what was the very earliest {one}?",
        ),
    },
    "nth": {
        "train": (
            "{ordinal} {one}",
            "What was the {ordinal} {one}?",
            "the {ordinal} {one} on record",
            "Which was the {ordinal} {one}?",
        ),
        "report": ("Find the {ordinal} {one}", "{ordinal} {one} ever", "What is the {ordinal} {one} in the archive?"),
    },
    "as_of_words": {
        "train": (
            "As of {d}, which {one} was the latest?",
            "What was the newest {one} on {d}?",
            "latest {one} as of {d}",
            "most recent {one} by {d}",
            "On {d}, what was the most recent {one}?",
            "the last {one} up to {d}",
            "as at {d}: latest {one}",
            "what was the latest {one} as of {d}?",
        ),
        "report": (
            "As of {d}, what was the most recent {one}?",
            "Which {one} was the newest on {d}?",
            "last {one} as of {d}",
            "By {d}, what was the latest {one}?",
            "the newest {one} known on {d}",
            "latest {one} up to {d}",
        ),
    },
    "last_before": {
        "train": (
            "last {one} before {d}",
            "What was the final {one} prior to {d}?",
            "the most recent {one} before {d}",
            "Which {one} came last before {d}?",
            "latest {one} preceding {d}",
            "newest {one} older than {d}",
            "What was the last {one} before {d}?",
            "the {one} right before {d}",
        ),
        "report": (
            "latest {one} before {d}",
            "Which was the last {one} prior to {d}?",
            "the final {one} before {d}",
            "What is the newest {one} from before {d}?",
            "most recent {one} preceding {d}",
        ),
    },
    "first_after": {
        "train": (
            "first {one} after {d}",
            "What was the next {one} after {d}?",
            "the earliest {one} after {d}",
            "Which {one} came first after {d}?",
            "next {one} following {d}",
            "What was the first {one} later than {d}?",
            "the {one} right after {d}",
            "oldest {one} published after {d}",
        ),
        "report": (
            "next {one} after {d}",
            "Which was the first {one} following {d}?",
            "the first {one} that came after {d}",
            "What is the earliest {one} from after {d}?",
            "earliest {one} later than {d}",
        ),
    },
    "before": {
        "train": (
            "{many} before {y}",
            "What {many} are there from before {y}?",
            "{many} older than {y}",
            "{many} published before {y}",
            "Which {many} predate {y}?",
            "{x} prior to {y}",
            "everything on {x} earlier than {y}",
            "{many} until the end of {w}",
        ),
        "report": (
            "{many} prior to {y}",
            "Which {many} appeared before {y}?",
            "{x} before {y}",
            "list {many} that are older than {y}",
            "{many} earlier than {y}",
            "What {many} had been published before {y}?",
        ),
    },
    "since": {
        "train": (
            "{many} since {m}",
            "{many} from {m} on",
            "{many} published since {m}",
            "What {many} have appeared since {m}?",
            "everything on {x} since {m}",
            "{many} from {m} onwards",
            "Which {many} came out in {m} or later?",
            "{x} since {m}",
        ),
        "report": (
            "Which {many} have been published since {m}?",
            "{x} from {m} onwards",
            "list {many} since {m}",
            "{many} starting from {m}",
            "Have there been {many} since {m}?",
            "all {many} dated {m} or later",
        ),
    },
}
COMMON_MONTHS: Final[Mapping[Split, tuple[str, ...]]] = {
    "train": (
        "{many} in {m}",
        "{many} from {m}",
        "Which {many} were published in {m}?",
        "{m} {many}",
        "show all {many} of {m}",
        "{x} {m}",
        "What {many} appeared during {m}?",
    ),
    "report": (
        "Were there any {many} in {m}?",
        "{many}, {m}",
        "list the {many} dated {m}",
        "{x} in {m}",
        "Which {many} appeared in {m}?",
        "{many} published in {m}",
    ),
}


# ---------------------------------------------------------------- domains

RELEASES: Final = Domain(
    "releases",
    {
        "train": ("{x} release", "version of {x}", "{x} changelog entry", "entry for {x}"),
        "report": ("release of {x}", "{x} version", "{x} release note"),
    },
    {
        "train": ("{x} releases", "changes in {x}", "{x} release notes", "{x} {aspect}", "{aspect} in {x}"),
        "report": ("releases of {x}", "{x} changes", "changelog entries of {x}", "{x} {aspect}", "{aspect} of {x}"),
    },
    {
        "in_month": {
            "train": (
                "What changed in {x} in {m}?",
                "{x} release notes of {m}",
                "Which bugs did {x} fix in {m}?",
                "new in {x}, {m}",
                "Did {x} ship anything in {m}?",
                "what was fixed in {x} during {m}",
                "{x} {aspect} in {m}",
                "Which {x} versions came out in {m}?",
                "{x} changelog {m}",
                "What did the {x} project release in {m}?",
            ),
            "report": (
                "What was new in {x} in {m}?",
                "Which changes did {x} make in {m}?",
                "{x} updates of {m}",
                "{x} {m} release",
                "Was there a {x} release in {m}?",
                "{x} {aspect}, {m}",
                "what did {x} add or fix in {m}",
                "Which {x} release appeared in {m}?",
            ),
        },
        "since": {
            "train": ("What has been fixed in {x} since {m}?", "{x} changes after the start of {m}"),
            "report": ("What has changed in {x} since {m}?", "which bugs has {x} fixed since {m}"),
        },
        "before": {
            "train": ("What did {x} change before {y}?",),
            "report": ("Which bugs had {x} fixed before {y}?",),
        },
        "as_of_words": {
            "train": (
                "As of {d}, which {x} version was current?",
                "current {x} version on {d}",
                "Which {x} would I have installed on {d}?",
            ),
            "report": (
                "Which version of {x} was current on {d}?",
                "{x} version current as of {d}",
                "On {d}, which release of {x} was up to date?",
            ),
        },
        "current": {
            "train": (
                "{x} current version",
                "Which {x} version is current?",
                "current release of {x}",
                "what version of {x} is out now?",
                "up-to-date version of {x}",
                "Which release of {x} is the current one?",
                "{x} version today",
                "the present version of {x}",
            ),
            "report": (
                "current {x} release",
                "What is the current version of {x}?",
                "which version is {x} at now?",
                "{x}: current release?",
                "What {x} version is current today?",
            ),
        },
        "when": {
            "train": (
                "When was {x} {version} released?",
                "{x} {version} release date",
                "when did {x} {version} come out?",
                "What day was {x} {version} published?",
                "On which date did version {version} of {x} appear?",
                "date of {x} {version}",
                "since when is there a {x} {version}?",
                "how long ago was {x} {version} released?",
            ),
            "report": (
                "When did {x} {version} appear?",
                "release day of {x} {version}",
                "What was the date of the {x} {version} release?",
                "when was version {version} of {x} published",
                "which day did {x} {version} ship?",
            ),
        },
        "plain": {
            "train": (
                "What changed in {x} {version}?",
                "{x} {version} release notes",
                "Which {x} release mentions {words}?",
                "{x} {words}",
                "{words} in {x}",
                "Where does the {x} changelog speak of {words}?",
                "{x} {version}",
                "did {x} ever touch {words}?",
            ),
            "report": (
                "What is new in {x} {version}?",
                "{x} version {version} changes",
                "Which {x} version dealt with {words}?",
                "{x}: {words}",
                "In which release of {x} do {words} appear?",
                "changelog of {x} {version}",
            ),
        },
    },
)
#: What a release note is looked at for.
ASPECTS: Final[Mapping[Split, tuple[str, ...]]] = {
    "train": ("bug fixes", "security fixes", "new features", "deprecations", "improvements"),
    "report": ("fixes", "security updates", "breaking changes", "performance improvements", "regressions"),
}

NEWS: Final = Domain(
    "news",
    {
        "train": ("report on {x}", "news about {x}", "item mentioning {x}", "{x} report"),
        "report": ("story about {x}", "{x} news", "item on {x}", "report that mentions {x}"),
    },
    {
        "train": ("reports on {x}", "news items about {x}", "events involving {x}", "{x} reports"),
        "report": ("stories about {x}", "items on {x}", "news reports that mention {x}"),
    },
    {
        "in_month": {
            "train": (
                "What happened to {x} in {m}?",
                "{x} news from {m}",
                "What was reported about {x} in {m}?",
                "{x}, {m}",
                "Why was {x} in the news in {m}?",
                "what was going on with {x} during {m}",
                "Did anything happen with {x} in {m}?",
                "events around {x} in {m}",
                "news {x} {m}",
            ),
            "report": (
                "What is known about {x} in {m}?",
                "What happened with {x} in {m}?",
                "{x} {m} news",
                "Was {x} mentioned in {m}?",
                "what took place around {x} in {m}",
                "news on {x} for {m}",
            ),
        },
        "since": {
            "train": ("What has happened with {x} since {m}?",),
            "report": ("what has been reported about {x} since {m}",),
        },
        "before": {
            "train": ("What had happened with {x} before {y}?",),
            "report": ("what was reported about {x} before {y}",),
        },
        "when": {
            "train": (
                "When was it reported that {words}?",
                "when: {words}",
                "On what day did this happen: {words}?",
                "date of {words}",
                "When did {words} make the news?",
                "which day: {words}",
                "What is the date of the report on {words}?",
                "when was {words}?",
            ),
            "report": (
                "When did this happen: {words}?",
                "On which date was {words} reported?",
                "{words} when",
                "What day was the news about {words}?",
                "when was there news of {words}",
            ),
        },
        "plain": {
            "train": (
                "{words}",
                "What was reported about {words}?",
                "news about {words}",
                "Which item speaks of {words}?",
                "tell me about {words}",
                "report on {words}",
                "{words} news",
                "What is recorded about {words}?",
            ),
            "report": (
                "What do the reports say about {words}?",
                "find {words}",
                "which report mentions {words}",
                "What happened: {words}?",
                "item on {words}",
            ),
        },
    },
)

TERMS: Final = Domain(
    "terms",
    {
        "train": ("version of the {x}", "{x} text", "text of the {x}", "{x}"),
        "report": ("{x} version", "revision of the {x}", "wording of the {x}"),
    },
    {
        "train": ("versions of the {x}", "{x} texts"),
        "report": ("{x} versions", "revisions of the {x}"),
    },
    {
        "in_month": {
            "train": ("What did the {x} say in {m}?", "the {x} as published in {m}"),
            "report": ("How did the {x} read in {m}?", "{x} published in {m}"),
        },
        "current": {
            "train": (
                "Which {x} is in force?",
                "the {x} in force",
                "What does the {x} say today?",
                "the {x} that applies now",
                "{x} currently in effect",
                "the current {x}",
                "What are the rules of the {x} at present?",
                "up-to-date {x}",
            ),
            "report": (
                "the version of the {x} that is in force",
                "Which {x} applies today?",
                "What does the {x} currently say?",
                "current {x}",
                "{x} in effect now",
                "the {x} as it is valid today",
            ),
        },
        "as_of_words": {
            "train": (
                "What did the {x} say on {d}?",
                "the {x} in force on {d}",
                "Which {x} applied on {d}?",
                "{x} as of {d}",
            ),
            "report": (
                "the {x} as it stood on {d}",
                "Which version of the {x} was in effect on {d}?",
                "{x} valid on {d}",
            ),
        },
        "latest": {
            "train": ("latest {x} published", "the newest {x} there is"),
            "report": ("the most recently published {x}", "latest {x}"),
        },
    },
)

# ---------------------------------------------------------------- wording

#: The share of questions that are written without capitals, and of those without their final mark.
_LOWER: Final = 0.2
_BARE: Final = 0.2


def word(domain: Domain, kind: str, split: Split, rng: random.Random, **slots: str) -> str:
    """A question of a kind in words, by the frames of one split."""
    frames = domain.list_frames(kind, split)
    if kind == "in_month" and domain.language == "en":
        frames += COMMON_MONTHS[split]
    usable = [frame for frame in frames if _has_slots(frame, slots)]
    frame = rng.choice(usable)
    slots = {"aspect": rng.choice(ASPECTS[split]), **slots}
    for name, nouns in (("one", domain.one), ("many", domain.many)):
        if f"{{{name}}}" in frame:
            slots[name] = rng.choice(nouns[split]).format_map(slots)
    text = frame.format_map(slots)
    if rng.random() < _LOWER:
        return text.lower().removesuffix("?")
    if rng.random() < _BARE:
        return text.removesuffix("?")
    return text


def _has_slots(frame: str, slots: Mapping[str, str]) -> bool:
    return all(f"{{{name}}}" not in frame or name in slots for name in ("version", "words", "m", "y", "z", "w", "d"))
