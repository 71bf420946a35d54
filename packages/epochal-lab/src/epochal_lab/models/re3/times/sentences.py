"""Labelled sentences for the time reader: generated from templates, and of real texts labelled by `epochal.reading`.

A template states its date in one of four ways: `{when}` with a preposition ("in 1998"), `{When}` the same at the start
of a sentence, `{date}` alone, or `{y}` with `{md}` elsewhere, where the year of "Monday, June 9" is given by another
part of the text. Sentences also contain numbers that are not dates. Real sentences are used where the rules find
exactly one date, and repeated with other dates in its place.
"""

from __future__ import annotations

import datetime as dt
import random
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from epochal.errors import EpochalError
from epochal.reading.expression import TimeExpr
from epochal.reading.tagger import tag
from epochal.storage.text import units
from epochal_lab.models.re3.times.labels import LAST_YEAR, NONE, Label, LabelledSentence, days_in_month

_FIRST: Final = (
    "Ada Bruno Clara Diego Elif Farid Greta Hugo Irena Jonas Keiko Luis Mara Nadia Oskar Priya Quentin Rosa Samir "
    "Tessa Umar Vera Wanda Xavier Yusuf Zofia Agnes Boris Carmen Derek Esther Felix"
).split()
_LAST: Final = (
    "Abbott Bergström Castillo Dvorak Eriksen Fontaine Grigoriev Haddad Ibarra Jansen Kowalski Lindqvist Moretti "
    "Nakata Okafor Petrov Quinn Rossi Saito Thornton Ueda Vasquez Weber Xu Yilmaz Zeller Carver Doyle Ferris Hume"
).split()
_PLACES: Final = (
    "Antwerp Bergen Cork Dresden Esbjerg Faro Ghent Haifa Izmir Jaipur Kyoto Leeds Malmö Nantes Odessa Porto Quito "
    "Riga Split Turin Utrecht Vilnius Windhoek Yerevan Zagreb Halifax Perth Lagos Lima Hanoi"
).split()
_BODIES: Final = (
    "city council",
    "harbour authority",
    "national museum",
    "chess federation",
    "railway company",
    "state university",
    "publishing house",
    "football club",
    "film festival",
    "botanical society",
    "regional court",
    "teachers' union",
    "observatory",
    "steelworks",
    "broadcasting corporation",
    "cavalry regiment",
)
_THINGS: Final = (
    "the stone bridge",
    "a new library",
    "the concert hall",
    "its annual report",
    "the peace treaty",
    "a collection of essays",
    "the north tower",
    "a research station",
    "the tram line",
    "a second edition",
    "the training ship",
    "the main stadium",
    "an open letter",
    "the lighthouse",
    "the parish register",
    "a memorial plaque",
)
_DEEDS: Final = "opened sold rebuilt presented lost announced finished bought inspected repaired renamed closed".split()
_ROLES: Final = (
    "chief engineer",
    "treasurer",
    "ambassador",
    "head gardener",
    "captain",
    "managing editor",
    "conductor",
    "provost",
    "quartermaster",
    "goalkeeper",
    "lead researcher",
    "harbour master",
)
_EVENTS: Final = (
    "general assembly",
    "sailing regatta",
    "book fair",
    "public hearing",
    "charity concert",
    "graduation ceremony",
    "opening match",
    "wine auction",
    "staff training",
    "street market",
    "poetry reading",
    "court session",
)
_ONSETS: Final = "b br c d dr f g gl h k kr l m n p r s st t tr v w z".split()
_VOWELS: Final = "a e i o u ai ei ou".split()
_CODAS: Final = ["", "l", "n", "r", "s", "th", "m", "nd", "rk"]

#: The slots of a sentence besides its date.
SLOTS: Final = ("who", "person", "place", "body", "thing", "deed", "role", "event", "name", "n", "big")

#: Numbers that look like years or days.
_NUMBERS: Final = (
    "for about {big} guests",
    "at a cost of ${big}",
    "in room {year}",
    "over {n} km",
    "with {n} votes to {k}",
    "by {n} percent",
    "under file number K{year}",
    "from platform {n}",
    "at number {n}, {name} Street",
    "for {comma} shareholders",
    "with {year} kilograms of cargo",
    "on page {year}",
    "with a crew of {n}",
    "aboard flight {year}",
    "for €{n}.{k:02}",
    "after {n} hours of talks",
    "by a margin of {comma} points",
    "at {n} metres above the river",
)


def fill_template(template: str, rng: random.Random, values: Mapping[str, str]) -> str:
    """Fill the slots of a template, with given values first."""
    person = f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
    body = rng.choice(_BODIES)
    town = rng.choice(_PLACES) if rng.random() < 0.7 else _coin_name(rng)
    return template.format_map(
        {
            "person": person,
            "who": rng.choice(
                (person, f"the {body}", f"the {body} of {town}", _coin_name(rng), f"{_coin_name(rng)} & Sons")
            ),
            "place": town,
            "body": body,
            "thing": rng.choice(_THINGS),
            "deed": rng.choice(_DEEDS),
            "role": rng.choice(_ROLES),
            "event": rng.choice(_EVENTS),
            "name": _coin_name(rng),
            "n": str(rng.randint(2, 99)),
            "big": f"{rng.randint(2, 99) * 100}",
            **values,
        }
    )


def write_number_clause(rng: random.Random) -> str:
    """Write a clause with a number that is not a date."""
    year = rng.randint(1000, 2099)
    return rng.choice(_NUMBERS).format(
        big=rng.randint(2, 99) * 100,
        n=rng.randint(2, 31),
        k=rng.randint(2, 31),
        year=year,
        comma=f"{rng.randint(1000, 9999):,}",
        name=_coin_name(rng),
    )


def _coin_name(rng: random.Random) -> str:
    """Invent a name."""
    parts = [rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(rng.randint(2, 3))]
    return "".join(parts).capitalize()


#: The kinds of labels.
KINDS: Final = ("year", "month", "day", "month of no year", "day of no year")

_MONTHS: Final = "January February March April May June July August September October November December".split()
_SHORT: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DOTTED: Final = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()
_WEEKDAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

#: The forms of each kind; m is the month as a number, M, Mon and Mon_ its names, W and Wd those of the weekday.
_FORMS: Final[dict[str, tuple[str, ...]]] = {
    "year": ("{y}",),
    "month": ("{M} {y}", "{M} {y}", "{Mon} {y}", "{M} of {y}", "{M}, {y}"),
    "day": (
        "{y}-{m:02}-{d:02}",
        "{y}-{m:02}-{d:02}",
        "{y}/{m:02}/{d:02}",
        "{M} {d}, {y}",
        "{M} {d}, {y}",
        "{M} {d} {y}",
        "{Mon} {d}, {y}",
        "{Mon_} {d}, {y}",
        "{M} {th}, {y}",
        "{d} {M} {y}",
        "{d} {M} {y}",
        "{d} {Mon} {y}",
        "{d}-{Mon}-{y}",
        "{th} {M} {y}",
        "the {th} of {M} {y}",
        "the {th} of {M}, {y}",
        "{W}, {M} {d}, {y}",
        "{W}, {d} {M} {y}",
        "{W} {d} {M} {y}",
        "{W} {d} {Mon} {y}",
        "{Wd}, {d:02} {Mon} {y}",
    ),
    "month of no year": ("{M}",),
    "day of no year": (
        "{M} {d}",
        "{M} {d}",
        "{Mon} {d}",
        "{M} {th}",
        "{d} {M}",
        "{d} {Mon}",
        "the {th} of {M}",
        "{W}, {M} {d}",
        "{W}, {M} {d}",
        "{W} {d} {M}",
        "{W}, {d} {M}",
        "{W} the {th} of {M}",
        "{Wd}, {Mon} {d}",
    ),
}
#: Which number is the month is clear only if the other one is above 12.
_CLEAR_DAYS: Final = ("{m}/{d}/{y}", "{d}/{m:02}/{y}", "{d}.{m:02}.{y}")
#: Years of three digits need an era to be recognised.
_EARLY: Final[dict[str, tuple[str, ...]]] = {
    "year": ("AD {y}", "{y} AD", "{y} CE", "A.D. {y}"),
    "month": ("{M} {y} AD", "{M} {y} CE"),
    "day": ("{d} {M} {y} AD", "{d} {M} {y} CE"),
}
_LEADS: Final[dict[str, tuple[str, ...]]] = {
    "year": (
        *("in {}",) * 4,
        "back in {}",
        "during {}",
        "in the year {}",
        "as of {}",
        "by {}",
        "sometime in {}",
        "at the end of {}",
    ),
    "month": (*("in {}",) * 3, "during {}", "back in {}", "as of {}", "by {}"),
    "day": (*("on {}",) * 4, "as of {}", "by {}"),
    "month of no year": ("in {}", "in {}", "during {}", "in early {}", "in late {}"),
    "day of no year": (*("on {}",) * 4, "by {}"),
}


def get_kind(label: Label) -> str:
    """Return which of the `KINDS` a label is."""
    if label.month is None:
        if label.year is None:
            raise EpochalError("a label that states nothing has no form; accepted: a label with a year or a month")
        return "year"
    return ("month" if label.day is None else "day") + (" of no year" if label.year is None else "")


def draw_label(kind: str, rng: random.Random, earliest: int | None = None) -> Label:
    """Draw a label of a kind, mostly of the last two centuries.

    The `earliest` year defaults to 100 for a year alone, and to 1000 for months and days.
    """
    if kind not in KINDS:
        raise EpochalError(f"the kind of label is {kind!r}; accepted: {', '.join(KINDS)}")
    if earliest is None:
        earliest = 100 if kind == "year" else 1000
    year = None if kind.endswith("of no year") else _draw_year(rng, earliest)
    if kind == "year":
        return Label(year)
    month = rng.randint(1, 12)
    return Label(year, month, rng.randint(1, days_in_month(year, month)) if kind.startswith("day") else None)


def _draw_year(rng: random.Random, earliest: int) -> int:
    ranges = ((1900, 2035), (1700, 1899), (1000, 1699), (2036, LAST_YEAR), (100, 999))
    while True:
        first, last = rng.choices(ranges, (60, 19, 14, 4, 3))[0]
        if (year := rng.randint(first, last)) >= earliest:
            return year


def write_date(label: Label, rng: random.Random, year: int | None = None) -> str:
    """Write a label in one of the forms of its kind; `year` gives the weekday of a label without a year."""
    kind = get_kind(label)
    forms = _FORMS[kind]
    if label.year is not None and label.year < 1000:
        forms = _EARLY[kind]
    elif label.year is not None and label.day is not None and label.day > 12 and rng.random() < 0.1:
        forms = _CLEAR_DAYS
    form = rng.choice(forms)
    weekday = _get_weekday(label, rng, year)
    month, day = label.month or 1, label.day or 1
    return form.format(
        y=label.year,
        m=month,
        d=day,
        M=_MONTHS[month - 1],
        Mon=_SHORT[month - 1],
        Mon_=_DOTTED[month - 1],
        W=_WEEKDAYS[weekday],
        Wd=_WEEKDAYS[weekday][:3],
        th=_format_ordinal(day),
    )


def write_date_phrase(label: Label, rng: random.Random) -> str:
    """Write a label with a preposition."""
    return rng.choice(_LEADS[get_kind(label)]).format(write_date(label, rng))


def _get_weekday(label: Label, rng: random.Random, year: int | None) -> int:
    """Return the weekday of the date; without a year, that of some year in which the date exists."""
    year = year if label.year is None else label.year
    while year is None or (label.day or 1) > days_in_month(year, label.month or 1):
        year = rng.randint(1990, 2030)
    return dt.date(year, label.month or 1, label.day or 1).weekday()


def _format_ordinal(day: int) -> str:
    return f"{day}{'th' if 11 <= day <= 13 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


#: The lengths of real sentences in characters.
MIN_LENGTH: Final = 25
MAX_LENGTH: Final = 240
_STATES: Final = frozenset({"year", "month", "day", "weekday"})


def find_label(text: str) -> tuple[Label, TimeExpr | None] | None:
    """Return the one date that a sentence states, and its expression; None if there is no clear answer.

    There is none if the sentence has several dates, or one that is not a year, month or day ("the 1990s", "last week",
    "at noon"). A sentence without any time gets the empty label. Durations ("for two years") are not dates.
    """
    expressions = [item for item in tag(text) if item.kind in ("DATE", "TIME")]
    if not expressions:
        return (NONE, None)
    one = expressions[0]
    if len(expressions) > 1 or one.kind != "DATE" or not one.stated or not _STATES.issuperset(one.stated):
        return None
    try:
        return (Label.parse(one.value), one)
    except EpochalError:  # a week, a decade, a year before our era: no label says it
        return None


def label_sentences(texts: Iterable[str], source: str, *, undated: float = 0.2) -> Iterator[LabelledSentence]:
    """Yield the sentences of texts that have one date, and a share `undated` without any.

    Each sentence occurs once, in a group of its own.
    """
    if not 0 <= undated < 1:
        raise EpochalError(f"the share of sentences without a date is {undated:g}; accepted: from 0, below 1")
    seen: set[int] = set()
    dated, plain = 0, 0
    for text in texts:
        for sentence in _split_sentences(text):
            key = zlib.crc32(sentence.encode())
            if key in seen:
                continue
            seen.add(key)
            match = find_label(sentence)
            if match is None:
                continue
            if match[1] is None:
                # The share is kept throughout, so that undated sentences come from all texts.
                if plain >= dated * undated / (1 - undated):
                    continue
                plain += 1
            else:
                dated += 1
            yield LabelledSentence(sentence, match[0], f"{source} {key:08x}")


def redate_sentences(rows: Iterable[LabelledSentence], copies: int = 1, seed: int = 0) -> Iterator[LabelledSentence]:
    """Yield rows, each followed by `copies` copies with another date of the same kind in its place."""
    rng = random.Random(seed)
    for row in rows:
        yield row
        if row.label == NONE:
            continue
        match = find_label(row.text)
        if match is None or match[1] is None:
            raise EpochalError(f"the sentence {row.text!r} is labelled {row.label}, but no such date is found in it")
        expression = match[1]
        for _ in range(copies):
            # Years of three digits would need an era.
            label = draw_label(get_kind(row.label), rng, 1000)
            yield LabelledSentence(
                f"{row.text[: expression.start_char]}{write_date(label, rng)}{row.text[expression.end_char :]}",
                label,
                row.group,
            )


def _split_sentences(text: str) -> Iterator[str]:
    for start, end in units(text):
        sentence = " ".join(text[start:end].split())
        if MIN_LENGTH <= len(sentence) <= MAX_LENGTH:
            yield sentence


#: Templates for a date of any kind.
DATED: Final = (
    "{person} was made {role} of the {body} {when}.",
    "{who} {deed} {thing} {when}{number}.",
    "{When}, {who} {deed} {thing}{number}.",
    "{When} {person} moved to {place} and joined the {body}.",
    "{When}, nobody in {place} had heard of {name}.",
    "It was {when} that {person} {deed} {thing}.",
    "{person} ({role}, {place}) left the {body} {when}.",
    "Which {role} led the {body} of {place} {when}?",
    "Who {deed} {thing} in {place} {when}?",
    "{When}, which {body} did {person} work for?",
    "What was {name} called {when}?",
    "Where did {person} live {when}?",
    "{When}, who held the post of {role} at the {body}?",
    "Name the {role} whom {place} had {when}.",
    "How many members did the {body} count {when}?",
    "Was {person} still {role} {when}?",
    "According to the archive, {thing} in {place} was {deed} {when}{number}.",
    "The {body} had {n} branches {when}.",
    "The {role} {when} was {person}.",
    "{person} served the {body} as {role} {when}.",
    "A fire destroyed {thing} {when}; {who} paid for the repairs.",
    "Under {person}, {when}, the {body} moved from {place} to {name}.",
    "Critics {when} praised {person} for {thing}.",
    "{name} became part of {place} {when}{number}.",
    "The charter was signed {when} and names {person} as {role}.",
    "Trains ran between {place} and {name} {when}.",
    "{person}, who {deed} {thing} {when}, never returned to {place}.",
)
#: Templates for a date without a preposition.
BARE: Final = (
    "{place}: {who} {deed} {thing} ({date}).",
    "{name}, first edition, {place}, {date}.",
    "Photograph of {thing}, {place}, {date}.",
    "Last changed: {date}",
    "{date} - {who} {deed} {thing}",
    "[{date}] {person}: {role} of the {body}",
    "Letter from {person} to the {body}, {date}",
    "{body}, annual accounts, {date}, {n} pages",
)
#: Templates for a day, with its year or without.
DAY_ONLY: Final = (
    "The {event} in {place} takes place on {date}{number}.",
    "Doors to the {event} open on {date} at the {body}.",
    "Can I still register for the {event} on {date}?",
    "Is the {body} in {place} open on {date}?",
    "Which roads in {place} are closed on {date}?",
    "Please reply to {person} by {date}.",
    "{date}: {event} in {place}, chaired by {person}.",
    "{event} ({place}), {date}: {n} tickets left",
    "Minutes of the {event} held at {place} on {date}.",
    "From {place}, {date}. Dear {person}, {thing} is finished.",
    "On {date} the {event} in {place} was called off{number}.",
    "We travel to {place} on {date}; who looks after {thing}?",
    "Departure from {place} on {date}, platform {n}, coach {n}.",
    "Notice for {place}, effective {date}. Bring {n} copies.",
    "The shop in {place} is shut on {date}, and {person} is away.",
    "{person} ({place}) plays at the {event} on {date}.",
    "Timetable of the {event}, {name}, {date}. It costs {n} euros, {big} seats.",
)
#: Templates in which the year of a day is elsewhere in the text.
WITH_YEAR_APART: Final = (
    "Programme for {y}: the {event} in {place} is on {md}.",
    "{event} {y}, {place} - doors open on {md}.",
    "In {y} the {event} of {place} fell on {md}{number}.",
    "Calendar of the {body} ({y}). On {md} {person} gives a talk.",
    "All dates are in {y}. {person} arrives in {place} on {md}.",
    "{person} looks back on {y}: it began with the {event} on {md}.",
)
#: Templates without any date.
UNDATED: Final = (
    "{who} {deed} {thing}{number}.",
    "{person} is the {role} of the {body} in {place}.",
    "The {body} of {place} has {n} rooms and a garden of {big} square metres.",
    "Who is the {role} of {name}?",
    "What does the {event} in {place} cost?",
    "{name} is a village near {place} with {big} inhabitants.",
    "The answer from {person} came too late for {thing}.",
    "Flight {big} from {place} to {name} carries {n} passengers.",
    "Call extension {big}, or ask for {person} in room {n}.",
    "The {role} {deed} {thing}, won {n} to {n}, and thanked the {body}.",
    "How far is it from {place} to {name}?",
    "Serial number K{big}, made in {place} by {name} & Sons",
    "Add {n} grams of salt to {big} grams of flour.",
    "The {event} was chaired by {person}, not by the {role}.",
)
#: The first year that a bare number is likely to mean.
_EARLIEST_BARE: Final = 1600
#: The share of dated sentences with an undated one before or after.
_UNDATED_SHARE: Final = 0.3
#: The shares of the groups of templates, in percent.
_GROUPS: Final = {"dated": 42, "bare": 12, "day": 26, "apart": 4, "undated": 16}
_DATED_KINDS: Final = {"year": 54, "month": 18, "day": 16, "month of no year": 6, "day of no year": 6}
_BARE_KINDS: Final = {"year": 40, "month": 20, "day": 30, "day of no year": 10}
_DAY_KINDS: Final = {"day": 65, "day of no year": 35}


def generate_sentences(count: int, seed: int = 0) -> Iterator[LabelledSentence]:
    """Generate labelled sentences; the same seed gives the same ones. The group of a row is its template."""
    if count < 0:
        raise EpochalError(f"{count} sentences were asked for; accepted: 0 or more")
    rng = random.Random(seed)
    for _ in range(count):
        yield _generate_sentence(rng)


def _generate_sentence(rng: random.Random) -> LabelledSentence:
    sort = _draw(_GROUPS, rng)
    templates = {"dated": DATED, "bare": BARE, "day": DAY_ONLY, "apart": WITH_YEAR_APART, "undated": UNDATED}[sort]
    index = rng.randrange(len(templates))
    template = templates[index]
    label, values = NONE, {}
    if sort == "apart":
        label = draw_label("day", rng, _EARLIEST_BARE)
        values = {"y": str(label.year), "md": write_date(Label(None, label.month, label.day), rng, label.year)}
    elif sort != "undated":
        kinds = {"dated": _DATED_KINDS, "bare": _BARE_KINDS, "day": _DAY_KINDS}[sort]
        label = draw_label(_draw(kinds, rng), rng, _EARLIEST_BARE if sort == "bare" else None)
        when = write_date_phrase(label, rng)
        values = {"when": when, "When": when[0].upper() + when[1:], "date": write_date(label, rng)}
    values["number"] = f" {write_number_clause(rng)}" if rng.random() < 0.5 else ""
    text = _capitalise(fill_template(template, rng, values))
    if sort != "undated" and rng.random() < _UNDATED_SHARE:
        text = _add_undated(text, rng)
    return LabelledSentence(text, label, f"{sort} {index}")


def _add_undated(text: str, rng: random.Random) -> str:
    """Put another sentence before or after, without a date but perhaps with numbers."""
    other = _capitalise(fill_template(rng.choice(UNDATED), rng, {"number": f" {write_number_clause(rng)}"}))
    first, second = (text, other) if rng.random() < 0.7 else (other, text)
    return f"{first}{'' if first[-1] in '.?!' else '.'} {second}"


def _capitalise(text: str) -> str:
    return text[0].upper() + text[1:]


def _draw(shares: dict[str, int], rng: random.Random) -> str:
    return rng.choices(list(shares), list(shares.values()))[0]
