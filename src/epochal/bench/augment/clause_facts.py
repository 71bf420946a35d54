"""Facts of any passage, for TimeQA's templates: a clause whose verb says which relation it is ("played for": P54)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from epochal.bench.augment.clauses import Clause, clause_around
from epochal.bench.augment.facts import Fact, ends_of
from epochal.bench.augment.frames import plain_title
from epochal.bench.augment.splitting import Chunk
from epochal.index.splitting import units

__all__ = ["clause_facts", "relation_of_clause"]

#: Verbs in their base form and the words that may follow, and the relation that they are; "" for anything.
_VERBS: Final = {
    ("play", "for"): "P54",
    ("sign", "for"): "P54",
    ("serve", "as"): "P39",
    ("work", "for"): "P108",
    ("work", "at"): "P108",
    ("teach", "at"): "P108",
    ("attend", ""): "P69",
    ("study", "at"): "P69",
    ("graduate", "from"): "P69",
    ("receive", ""): "P166",
    ("marry", ""): "P26",
    ("live", "in"): "P551",
    ("reside", "in"): "P551",
    ("coach", ""): "P6087",
    ("manage", ""): "P6087",
}
#: The same for "was" with a participle; here the subject is what the relation is of.
_PASSIVES: Final = {
    "elected": "P39",
    "appointed": "P39",
    "awarded": "P166",
    "educated": "P69",
    "renamed": "P1448",
    "redesignated": "P1448",
    "owned": "P127",
    "employed": "P108",
    "promoted": "P410",
}
#: What somebody was or became, where an office follows.
_OFFICES: Final = frozenset(
    "minister president mayor governor chairman chair secretary director head member ambassador senator bishop "
    "chancellor deputy speaker leader commander".split()
)


def relation_of_clause(clause: Clause) -> str:
    """The relation of Wikidata that a clause states; empty where none is known.

    >>> relation_of_clause(Clause("Ann Hay", "played", "for Leeds"))
    'P54'
    >>> relation_of_clause(Clause("Ann Hay", "became", "the mayor of Leeds"))
    'P39'
    """
    words = clause.rest.lower().split()
    first = words[0] if words else ""
    if clause.base:
        if clause.base == "become":
            return "P39" if _OFFICES.intersection(words[:4]) else ""
        return _VERBS.get((clause.base, first), "") or (_VERBS.get((clause.base, ""), "") if first else "")
    if clause.verb in ("was", "were"):
        return _PASSIVES.get(first, "") or ("P39" if _OFFICES.intersection(words[:4]) else "")
    return ""


def clause_facts(chunks: Iterable[Chunk]) -> Iterator[Fact]:
    """The facts that chunks state of somebody they name.

    >>> from epochal.bench.augment.splitting import Splitter
    >>> chunks = Splitter().chunks("Ann Hay played for Leeds from 1998 to 2001.", "p1")
    >>> [(fact.subject, fact.relation, fact.span.edtf()) for fact in clause_facts(chunks)]
    [('Ann Hay', 'P54', '1998/2001')]
    """
    for chunk in chunks:
        for moment in chunk.moments:
            if moment.span.is_open or not moment.absolute:
                continue
            low, high = next((start, end) for start, end in units(chunk.text) if start <= moment.start_char < end)
            title = plain_title(chunk.title)
            place = (moment.start_char - low, min(moment.end_char, high) - low)
            clause = clause_around(chunk.text[low:high], *place, title)
            if clause is None or not clause.subject[:1].isupper():
                continue
            relation = relation_of_clause(clause)
            if relation:
                yield Fact(clause.subject, relation, *ends_of(moment.span), chunk.text)
