"""A chunk to frames: questions about what it says, with a gap for a time, and questions that ask for its time.

A frame is made from the clause around the time expression where one is seen, and from the names of the chunk. Many
frames ask for the same thing in other words, among which rows are sampled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from epochal.storage.text import units
from epochal.times.axis import Grain
from epochal_lab.datasets.augment.chunks import Chunk, StatedTime
from epochal_lab.datasets.augment.clauses import PARTICIPLES, Clause, find_clause, is_past
from epochal_lab.datasets.making.names import NameFinder, runs

#: Where the time is in a frame.
SLOT: Final = "{t}"

_WIDE: Final = frozenset("at in to into from on".split())
_PREPOSITIONS: Final = _WIDE | frozenset(
    "for with as by under against of over through out up down off back during after before until near along among "
    "between across around towards toward there here again away together once twice home abroad".split()
)
#: Which verbs have somebody for an object.
_OF_PEOPLE: Final = frozenset("marry divorce succeed replace defeat beat meet appoint elect hire arrest kill".split())
#: Heads of questions for a verb and a preposition; others follow from the preposition.
_HEADS: Final = {
    ("play", "for"): "Which team did {s} play for",
    ("work", "for"): "Which employer did {s} work for",
    ("work", "at"): "Where did {s} work",
    ("serve", "as"): "What did {s} serve as",
    ("serve", "in"): "Where did {s} serve",
    ("sign", "for"): "Which club did {s} sign for",
    ("graduate", "from"): "Where did {s} graduate",
    ("study", "at"): "Where did {s} study",
    ("move", "to"): "Where did {s} move",
    ("return", "to"): "Where did {s} return to",
    ("live", "in"): "Where did {s} live",
}
_OF_PREPOSITION: Final = {
    "as": "What did {s} {b} as",
    "for": "Who did {s} {b} for",
    "with": "Who did {s} {b} with",
    "against": "Who did {s} {b} against",
    "at": "Where did {s} {b}",
    "in": "Where did {s} {b}",
    "to": "Where did {s} {b} to",
    "from": "Where did {s} {b} from",
}
_GROUP_WORDS: Final = (
    "University|College|School|Company|Corporation|Club|Party|Council|Army|Navy|Force|Squadron|Regiment|Ministry|Court|"
    "City|County|River|Island|Church|Museum|Bank|Group|Association|Federation|Union|League|House|Hall|Airport|Airlines?|"
    "Railway|Station|Festival|Committee|Department|Institute|Society|Parliament|Senate|Congress|Inc|Ltd|FC|AC|United|"
    "Records|Times|News|Award|Prize|Cup|Championships?|Building|Bridge|Street|Park|Hospital|USS|HMS"
)
_GROUPS: Final = re.compile(rf"\b(?:{_GROUP_WORDS})\b|\d")
#: Numbers, and letters that only shorten something ("B.A", "J.D").
_NO_NAME: Final = re.compile(r"\d|^[A-Z](?:\.\s?[A-Z])*\.?$")
#: What capitals make look like a name.
_GENERIC: Final = re.compile(
    rf"(?:The )?(?:{_GROUP_WORDS}|(?:Prime |Foreign |Deputy )?(?:Minister|Secretary|President|Senator|Governor|Mayor|"
    r"King|Queen|Prince|Princess|Duke|Bishop|Chancellor|Director|Chairman|Professor|General|Captain|Members?|"
    r"Members? of Parliament|Early|Life|Career|History|Country|States?|North|South|East|West|Sir|Lord|Lady|Saint|"
    r"Season|Division|Board|Cabinet|Government|Commission|Commons|January|February|March|April|May|June|July|August|"
    r"September|October|November|December))"
)
#: How a question asks for a time.
_TIME_QUESTION: Final = re.compile(
    r"\b(?:(?:since|until|from) )?when\b(?: to when\b)?|"
    r"\b(?:(?:in|on|during|at|by|since|until|from) )?(?:what|which) (?:exact )?(?:years?|dates?|days?|months?|decades?|"
    r"century|centuries|time|times|period|periods|season|seasons)\b|\bhow long(?: ago)?\b",
    re.IGNORECASE,
)
#: Words that are no name wherever a sentence opens with them.
_OPENERS: Final = frozenset(
    "He She It They We You I His Her Its Their Our This That These Those There Here A An And But Or In On At By For "
    "From With After Before During Since Until When While As If Then Later Also However Although Both Many Most Some "
    "All Upon Under Over Between Following Despite According".split()
)
_TITLE_NOTE: Final = re.compile(r"\s*\([^)]*\)\s*$")
_LONGEST_NAME: Final = 6


@dataclass(frozen=True, slots=True)
class Frame:
    """A question with `SLOT` for its time, or one that `asks` for a time and has no slot; `verb` says what about."""

    text: str
    verb: str = ""

    @property
    def asks(self) -> bool:
        """Whether it asks for a time."""
        return SLOT not in self.text

    def fill_template(self, time: str, *, first: bool = False) -> str:
        """The question with a time at the place for it, or before all else."""
        if not first or not self.text.startswith(("Who ", "What ", "Which ", "Where ", "How ")):
            return self.text.replace(SLOT, time)
        rest = self.text.replace(f" {SLOT}", "")
        return f"{time[0].upper()}{time[1:]}, {rest[0].lower()}{rest[1:]}"


def strip_title(title: str) -> str:
    """A title without the note that tells it from others."""
    return _TITLE_NOTE.sub("", title.replace("&amp;", "&")).strip()


def strip_interrogative(text: str) -> str | None:
    """A question without the words that ask for a time; None where it has none."""
    plain, count = _TIME_QUESTION.subn("", text)
    return plain if count else None


def build_frames(chunk: Chunk, finder: NameFinder, stated_time: StatedTime | None = None) -> list[Frame]:
    """The frames of a chunk around one of its moments, the first by default."""
    at = chunk.stated_time if stated_time is None else stated_time
    title = strip_title(chunk.title)
    start, end = next((low, high) for low, high in units(chunk.text) if low <= at.start_char < high)
    sentence = chunk.text[start:end]
    frames: dict[str, Frame] = {}
    clause = find_clause(sentence, at.start_char - start, min(at.end_char, end) - start, title)
    if clause is not None:
        frames |= {frame.text: frame for frame in _make_clause_frames(clause, at)}
    for frame in _make_name_frames(find_names(chunk, finder, (start, end)), title, clause):
        frames.setdefault(frame.text, frame)
    return list(frames.values())


# ---------------------------------------------------------------- clauses


def _make_clause_frames(clause: Clause, stated_time: StatedTime) -> Iterator[Frame]:
    base, subject, rest = clause.base, clause.subject, clause.rest
    about = base or (rest.split()[0] if rest else clause.verb)
    pronoun = "Who" if _is_human(clause) else "What"
    if clause.verb in ("was", "is") and subject.startswith("the ") and rest.istitle():
        yield Frame(f"Who {clause.verb} {subject} {SLOT}?", about)  # "the head of the firm was Ann Hay"
    elif _is_informative(rest):
        yield Frame(f"{pronoun} {clause.predicate} {SLOT}?", about)
    if subject and base:
        for head in _make_question_heads(subject, base, rest):
            yield Frame(f"{head} {SLOT}?", about)
        if _is_human(clause):
            yield Frame(f"What did {subject} do {SLOT}?", about)
    elif subject and rest:
        yield from (Frame(f"{text} {SLOT}?", about) for text in _make_auxiliary_heads(clause))
    if subject:
        yield from (Frame(text, about) for text in _make_time_questions(clause, stated_time))


def _is_informative(rest: str) -> bool:
    """Whether a predicate says enough to be asked who did it: a name, or some words."""
    words = rest.split()
    return len(words) >= 4 or any(word[0].isupper() for word in words)


def _make_question_heads(subject: str, base: str, rest: str) -> Iterator[str]:
    words = rest.split()
    if not words:
        return
    first = words[0].lower()
    if (base, first) in _HEADS:
        yield _HEADS[base, first].format(s=subject)
    elif first in _OF_PREPOSITION:
        yield _OF_PREPOSITION[first].format(s=subject, b=base)
    elif first not in _PREPOSITIONS and not first.endswith("ly"):
        yield f"{'Who' if base in _OF_PEOPLE and words[0][0].isupper() else 'What'} did {subject} {base}"


def _make_auxiliary_heads(clause: Clause) -> Iterator[str]:
    first = clause.rest.split()[0]
    if is_past(first) or first in PARTICIPLES:
        yield f"What happened to {clause.subject}"
    elif (
        clause.verb in ("was", "were", "is") and first[0].isalpha() and first not in _PREPOSITIONS and _is_human(clause)
    ):
        yield f"What was the role of {clause.subject}"
        yield f"Which position did {clause.subject} hold"


def _make_time_questions(clause: Clause, stated_time: StatedTime) -> Iterator[str]:
    """Questions for the time of a clause."""
    subject, rest, base = clause.subject, clause.rest, clause.base
    day = stated_time.span.grain <= Grain.DAY and not stated_time.is_range
    if base:
        phrase = f"{subject} {base} {rest}".strip()
        questions = [f"When did {phrase}?", f"In what year did {phrase}?", f"What year did {phrase}?"]
        questions += [f"On what date did {phrase}?"] if day else []
        questions += (
            [f"From when to when did {phrase}?"] if stated_time.is_range and not stated_time.span.is_open else []
        )
        yield from questions
    elif clause.verb in ("was", "were", "had", "has", "is", "are") and rest:
        phrase = f"{clause.verb} {subject} {rest}"
        yield from (f"When {phrase}?", f"In what year {phrase}?")
        if day:
            yield f"On which day {phrase}?"
        if stated_time.is_range and not stated_time.span.is_open:
            yield f"During which years {phrase}?"


def _is_human(clause: Clause) -> bool:
    if clause.human is not None:
        return clause.human
    words = clause.subject.split()
    named = all(word[0].isupper() or word in ("de", "von", "van", "der", "la", "bin", "al") for word in words)
    return bool(words) and named and len(words) <= 4 and _GROUPS.search(clause.subject) is None


# ---------------------------------------------------------------- names


def find_names(chunk: Chunk, finder: NameFinder, sentence: tuple[int, int] | None = None) -> list[str]:
    """The names in a chunk, those in the sentence first, then by how often they occur there."""
    text = chunk.text
    low, high = sentence or (0, len(text))
    paths: dict[str, list[int]] = {}
    for run in runs(text, [(stated_time.start_char, stated_time.end_char) for stated_time in chunk.stated_times]):
        words, start = run.words, run.start_char
        if run.opens and (words[0] in _OPENERS or finder.is_common(words[0])):
            if len(words) == 1:
                continue
            # "Then the Prime Minister": small words that stood inside open the rest.
            at = next((position for position in range(1, len(words)) if words[position][0].isupper()), len(words) - 1)
            words, start = words[at:], run.starts[at]
        name = text[start : run.end_char]
        if run.bracketed or run.after_name or run.begins_name or len(words) > _LONGEST_NAME or len(name) < 3:
            continue
        # An adjective comes before a noun ("French"); a name of several words is one everywhere.
        if (len(words) == 1 and not run.before_noun_mark) or _NO_NAME.search(name) or _GENERIC.fullmatch(name):
            continue
        bare = name.removeprefix("The ")
        paths.setdefault(f"the {bare}" if run.after_article else bare, []).append(start)
    return sorted(
        paths,
        key=lambda name: (not any(low <= at < high for at in paths[name]), -len(paths[name]), paths[name][0]),
    )


def _make_name_frames(names: list[str], title: str, clause: Clause | None) -> Iterator[Frame]:
    subject = clause.subject if clause is not None else ""
    main = title or subject or (names[0] if names else "")
    if not main:
        return
    others = [name for name in names if name not in main and main not in name and not _is_same_name(name, main)][:3]
    yield Frame(f"What happened to {main} {SLOT}?")
    yield Frame(f"What is recorded about {main} {SLOT}?")
    yield Frame(f"Which events involved {main} {SLOT}?")
    yield Frame(f"What news was there of {main} {SLOT}?")
    for other in others:
        yield Frame(f"What connected {main} with {other} {SLOT}?")
        yield Frame(f"What did {main} have to do with {other} {SLOT}?")
        yield Frame(f"What is known about {main} and {other} {SLOT}?")
        yield Frame(f"When was there a link between {main} and {other}?")
        yield Frame(f"In what year did {main} have to do with {other}?")
    for other in others[:1]:
        yield Frame(f"What happened to {other} {SLOT}?")
        yield Frame(f"What is recorded about {other} {SLOT}?")


def _is_same_name(name: str, other: str) -> bool:
    """Whether one name is likely the other's: they share their last word ("Gibson", "Ian Gibson")."""
    return name.rsplit(maxsplit=1)[-1] == other.rsplit(maxsplit=1)[-1]
