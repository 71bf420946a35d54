"""Articles of Spanish law and terms of services (Open Terms Archive) with the versions in force.

The version in force today, on a day, and before a text existed; of terms also the first and the next.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.sources import Source, rows
from epochal_lab.datasets.timed.questions import SPLITS, Split, TimedCorpus, TimedQuestion, choose, number_questions
from epochal_lab.datasets.timed.timelines import TimelineTopic, build_absent, build_timeline, split_groups
from epochal_lab.datasets.timed.wording import TERMS

_NOW: Final = "2026-05-02"
_MONTHS: Final = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
_ARTICLE: Final = re.compile(
    r"[Aa]rtículo (?P<number>\S+(?: (?:bis|ter|quáter|quater|quinquies|sexies))?) (?P<law>del? .+)"
)
_TAIL: Final = re.compile(
    r"(?: vigente el .*| a fecha de .*| en (?:" + "|".join(_MONTHS) + r") de \d{4}.*|, texto vigente.*|\?)$"
)
_IN_MONTH: Final = re.compile(rf" en (?:{'|'.join(_MONTHS)}) de \d{{4}}$")
#: Wordings for training: the questions that come with the data are for reporting.
_AS_OF: Final = (
    "¿Cuál era el texto {del} en vigor el {d}?",
    "{el}, redacción en vigor el {d}",
    "¿Cómo estaba redactado {el} el {d}?",
    "texto {del} aplicable el {d}",
    "{el}: versión del {d}",
    "¿Qué establecía {el} el {d}?",
    "¿Qué versión {del} regía el {d}?",
    "versión {del} vigente a {d}",
)
_CURRENT: Final = (
    "versión actual {del}",
    "¿Cuál es la redacción vigente {del}?",
    "{el} en vigor",
    "¿Qué establece hoy {el}?",
    "texto consolidado actual {del}",
    "{el}, última redacción",
    "¿Cómo está redactado ahora {el}?",
    "la versión más reciente {del}",
)
_BARE: Final = ("{el}", "texto {del}", "¿Qué dice {el}?", "redacción {del}")


def load_law(source: Source, seed: int = 0) -> TimedCorpus:
    """Versions of articles, and questions for the text in force on a day, given in words or as an option."""
    folder = source.require("law_asof", "law_asof", "get the versions of Spanish law articles")
    documents = tuple(
        Document(
            row["id"],
            row["text"],
            row["title"],
            Span.parse(row["published"]) if row["published"] else None,
            Span.parse(row["valid"]) if row["valid"] else None,
            row["series"],
            {"lang": row["lang"]},
        )
        for _, row in rows(folder / "corpus.jsonl.gz")
    )
    given = [row for _, row in rows(folder / "queries.jsonl.gz")]
    chains: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        chains[document.id.rsplit("-v", 1)[0]].append(document)
    splits = split_groups([_get_law(chain) for chain in chains], seed, 0.5)
    questions: list[TimedQuestion] = []
    for row in given:
        chain = row["gold"][0].rsplit("-v", 1)[0] if row["gold"] else row["id"][:-7]
        split = splits[_get_law(chain)]
        rng = random.Random(f"law-{row['id']}-{seed}")
        write = _ask_given if split == "report" else _ask_anew
        questions += write(row, chain, chains[chain], split, rng)
    questions += _ask_absent(given, documents, splits, random.Random(f"law-absent-{seed}"))
    return TimedCorpus("law_asof", documents, number_questions(questions), "es")


def _get_law(chain: str) -> str:
    return chain.partition("-Artículo")[0]


def _make_question(
    text: str,
    kind: str,
    chain: str,
    versions: Sequence[Document],
    split: Split,
    relevant: Sequence[str],
    *,
    now: str = _NOW,
    as_of: str | None = None,
) -> TimedQuestion:
    return TimedQuestion(
        "",
        text,
        kind,
        "law_asof",
        Span.parse(now),
        frozenset(relevant),
        None if as_of is None else Span.parse(as_of),
        "recorded" if relevant else "none_recorded",
        frozenset(version.id for version in versions),
        group=_get_law(chain),
        split=split,
    )


def _ask_given(
    row: Mapping[str, Any], chain: str, versions: Sequence[Document], split: Split, rng: random.Random
) -> list[TimedQuestion]:
    """A question of the data, with the day in its words alone and with the day as an option, too."""
    text, day, gold = row["text"], row["as_of"], row["gold"] or []
    if row["kind"] == "current":
        return [_make_question(text, "current", chain, versions, split, gold, now=day)]
    in_words = _list_versions_in_month(versions, day) if _IN_MONTH.search(text) and gold else gold
    option = "as_of_option" if gold else "not_yet"
    words = "as_of_words" if gold else "not_yet"
    return [
        _make_question(text, option, chain, versions, split, gold, now=day, as_of=day),
        _make_question(text, words, chain, versions, split, in_words),
    ]


def _ask_anew(
    row: Mapping[str, Any], chain: str, versions: Sequence[Document], split: Split, rng: random.Random
) -> list[TimedQuestion]:
    """The same question in other words."""
    article = read_article(row["text"])
    if article is None:
        return []
    day, gold = row["as_of"], row["gold"] or []
    slots = {"el": f"el {article}", "del": f"del {article}", "d": _name_day(day, rng)}

    def word(frames: Sequence[str]) -> str:
        text = rng.choice(frames).format_map(slots)
        text = text.lower() if rng.random() < 0.2 else text
        return text.removeprefix("el ") if rng.random() < 0.5 else text

    if row["kind"] == "current":
        return [_make_question(word(_CURRENT), "current", chain, versions, split, gold, now=day)]
    option = "as_of_option" if gold else "not_yet"
    words = "as_of_words" if gold else "not_yet"
    frames = rng.choice((_AS_OF, _BARE, _CURRENT))
    return [
        _make_question(word(frames), option, chain, versions, split, gold, now=day, as_of=day),
        _make_question(word(_AS_OF), words, chain, versions, split, gold),
    ]


def _ask_absent(
    given: Sequence[Mapping[str, Any]], documents: Sequence[Document], splits: Mapping[str, Split], rng: random.Random
) -> list[TimedQuestion]:
    """Articles that a law of the corpus does not have here."""
    titles = " ".join(document.title for document in documents)
    matches = []
    for row in rng.sample(given, min(len(given), 160)):
        article = read_article(row["text"])
        law = _get_law(row["id"])
        if article is None or law not in splits:
            continue
        number = str(rng.randrange(700, 3000))
        if re.search(rf"\b{number}\b", titles):
            continue
        absent = re.sub(r"artículo \S+(?: (?:bis|ter|qu\w+|sexies))?", f"artículo {number}", article, count=1)
        slots = {"el": f"el {absent}", "del": f"del {absent}", "d": _name_day(row["as_of"], rng)}
        matches.append(
            TimedQuestion(
                "",
                rng.choice((*_AS_OF, *_CURRENT)).format_map(slots),
                "absent_name",
                "law_asof",
                Span.parse(_NOW),
                outcome="topic_unknown",
                on_topic=frozenset(),
                absent=number,
                group=law,
                split=splits[law],
            )
        )
    return matches


def read_article(text: str) -> str | None:
    """The article that a question of the data names: "artículo 49 de la Constitución Española"."""
    match = _ARTICLE.search(_TAIL.sub("", text.removesuffix("?")))
    return None if match is None else f"artículo {match['number']} {_TAIL.sub('', match['law'])}"


def _list_versions_in_month(versions: Sequence[Document], day: str) -> list[str]:
    month = Span.parse(day[:7])
    return [version.id for version in versions if version.valid is not None and version.valid.overlaps(month)]


def _name_day(day: str, rng: random.Random) -> str:
    year, month, number = day.split("-")
    name = _MONTHS[int(month) - 1]
    return rng.choice(
        (f"{int(number)} de {name} de {year}", f"{int(number)} de {name} de {year}", f"{number}/{month}/{year}")
    )


#: Texts are cut to so many characters: whole policies run to 28,000, and what is asked for is in their first lines.
LENGTH: Final = 3_000
_HELD_OUT: Final = 0.2
#: What a policy said in a month may have been published long before: such questions have no gold here.
_COUNTS: Final = {
    "latest": 1,
    "first": 1,
    "current": 2,
    "as_of_words": 1,
    "as_of_option": 1,
    "last_before": 1,
    "first_after": 1,
    "not_yet": 1,
}


def load_terms(source: Source, seed: int = 0, *, length: int = LENGTH) -> TimedCorpus:
    """Versions of policies; chains that repeat an older text are dropped, and a fifth of the services are kept out."""
    path = source.require("terms", "terms/versions.jsonl.gz", "get the versions of Open Terms Archive")
    chains: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for _, row in rows(path):
        chains[row["doc"]].append(row)
    chains = {name: chain for name, chain in chains.items() if len({row["text"] for row in chain}) == len(chain)}
    services = sorted({chain[0]["service"] for chain in chains.values()})
    held = set(random.Random(f"terms-{seed}").sample(services, round(len(services) * _HELD_OUT)))
    documents = tuple(
        Document(
            f"{row['doc']}@{row['version']}",
            row["text"][:length],
            f"{row['service']}: {row['type']}",
            Span.parse(row["date"]),
            series=row["doc"],
            meta={"service": row["service"], "type": row["type"]},
        )
        for chain in chains.values()
        for row in chain
        if row["service"] not in held
    )
    topics = [
        TimelineTopic(
            _name_policy(chain[0]),
            tuple((row["date"][:10], f"{row['doc']}@{row['version']}") for row in chain),
            group=chain[0]["service"],
        )
        for chain in chains.values()
        if chain[0]["service"] not in held
    ]
    known = "\n".join(f"{document.title}\n{document.text}" for document in documents).lower()
    absent = dict(
        sorted(
            (_name_policy(chain[0]), chain[0]["service"])
            for chain in chains.values()
            if chain[0]["service"] in held and chain[0]["service"].lower() not in known
        )
    )
    now = max(day for topic in topics for day, _ in topic.entries)
    splits = split_groups([topic.group for topic in topics], seed, 0.5)
    sides = split_groups(absent, seed, 0.5)
    questions: list[TimedQuestion] = []
    for split in SPLITS:
        rng = random.Random(f"terms-{split}-{seed}")
        own = choose([topic for topic in topics if splits[topic.group] == split], 60, rng)
        questions += build_timeline("terms", own, TERMS, split, now, rng, _COUNTS)
        names = [name for name in absent if sides[name] == split]
        drafts = build_absent("terms", names, TERMS, split, now, (2013, 2022), rng, 2)
        questions += [replace(question, absent=absent[question.absent]) for question in drafts]
    note = f"texts are cut to {length:,} characters"
    return TimedCorpus("terms", documents, number_questions(questions), notes=(note,))


def _name_policy(row: Mapping[str, Any]) -> str:
    return f"{row['service']} {row['type']}"
