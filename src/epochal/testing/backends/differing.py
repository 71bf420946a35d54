"""Cases beside the embedded store: the same documents, written in the same steps, give the same answers.

Rows may be numbered otherwise, so passages are known by their document and their place in it; and of hits that score
alike any may come first.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from epochal.encoders.base import Encoder
from epochal.engine.index import Index
from epochal.engine.response import Response
from epochal.index.backend import Backend, Ranked, Rows, View
from epochal.index.records import Document
from epochal.testing.backends.bench import Bench, unlike
from epochal.testing.backends.made import DIM, DIMS, SPANS, WORDS, MadeEncoder, made_entries, made_entry, vector_of
from epochal.testing.backends.searching import QUERIES
from epochal.times import Span, during, overlaps

__all__ = ["DIFFERENCES", "TOLERANCE", "same_hits", "same_ranking"]

#: How far scores may lie apart.
TOLERANCE: Final = 1e-4

Place = tuple[str, int]


class _Places:
    """The passages of a view by document and place, and back."""

    def __init__(self, view: View) -> None:
        self.view = view
        documents = [document.id for batch in view.iterate() for document in batch]
        names = dict(zip(view.alive_documents.tolist(), documents, strict=True))
        self.ids = documents
        rows = view.rows_of(view.alive_documents).tolist()
        owners = [names[row] for row in view.document_of(np.array(rows, np.int64)).tolist()]
        firsts: dict[str, int] = {}
        self.of: dict[int, Place] = {}
        for row, owner in zip(rows, owners, strict=True):
            self.of[row] = owner, firsts.setdefault(owner, 0)
            firsts[owner] += 1
        self.rows = {place: row for row, place in self.of.items()}

    def told(self, rows: Rows) -> list[Place]:
        return [self.of[row] for row in rows.tolist()]

    def found(self, places: Sequence[Place]) -> Rows:
        return np.array([self.rows[place] for place in places], dtype=np.int64)


def same_ranking(
    found: Sequence[tuple[Any, float]], wanted: Sequence[tuple[Any, float]], every: dict[Any, float]
) -> str:
    """What is wrong with a ranking, up to ties: `every` has the scores of whatever might be in it.

    >>> same_ranking([("b", 1.0), ("a", 1.0)], [("a", 1.0), ("b", 1.0)], {"a": 1.0, "b": 1.0, "c": 0.5})
    ''
    >>> same_ranking([("a", 1.0), ("c", 0.5)], [("a", 1.0), ("b", 1.0)], {"a": 1.0, "b": 1.0, "c": 0.5})
    'place 2 has c with 0.5, but must have b with 1.0'
    """
    if len(found) != len(wanted):
        return f"there are {len(found)}, but must be {len(wanted)}"
    for place, ((one, score), (other, expected)) in enumerate(zip(found, wanted, strict=True), 1):
        own = every.get(one)
        if own is None or abs(own - expected) > TOLERANCE or abs(score - expected) > TOLERANCE:
            return f"place {place} has {one} with {score}, but must have {other} with {expected}"
    return "" if len({one for one, _ in found}) == len(found) else "something is there twice"


def same_hits(found: Response, wanted: Response) -> str:
    """What is wrong with the hits of a search beside those of another, up to ties.

    >>> from epochal.reading.questions import understand
    >>> nothing = Response("rain", None, (), understand("rain"))
    >>> same_hits(nothing, nothing)
    ''
    """
    if found.outcome != wanted.outcome:
        return f"the outcome is {found.outcome}, but must be {wanted.outcome}"
    # Of copies any may speak for the others, and they all score alike.
    every = {id: hit.score for hit in wanted for id in (*hit.folded, hit.id)}
    # A hit that ties with the last one may be another document, whose score the other search does not tell.
    last = min((hit.score for hit in wanted), default=0.0)
    extra = {hit.id: hit.score for hit in found if hit.id not in every and abs(hit.score - last) <= TOLERANCE}
    return same_ranking([(hit.id, hit.score) for hit in found], [(hit.id, hit.score) for hit in wanted], every | extra)


def _written(backend: Backend, seed: int) -> View:
    """A made collection, written in steps that are drawn from the seed."""
    rng = random.Random(seed)
    entries = made_entries(120, seed)
    rng.shuffle(entries)
    for low in range(0, len(entries), 30):
        backend.add(entries[low : low + 30])
    ids = [entry.document.id for entry in entries]
    backend.delete(rng.sample(ids, 15))
    backend.add([made_entry(id, 2) for id in rng.sample(ids, 20)])
    if seed % 2:
        backend.compact()
    return backend.view()


def _compared(compare: Callable[[_Places, _Places, random.Random], Iterator[str]]) -> Any:
    def case(bench: Bench) -> Iterator[str]:
        for seed in (0, 1):
            mine, theirs = _pair(bench, seed)
            for problem in compare(mine, theirs, random.Random(seed)):
                yield problem and f"collection {seed}: {problem}"

    case.__name__, case.__doc__ = compare.__name__, compare.__doc__
    return case


def _pair(bench: Bench, seed: int) -> tuple[_Places, _Places]:
    kept: dict[int, tuple[_Places, _Places]] = bench.__dict__.setdefault("pairs", {})
    if seed not in kept:
        mine = _written(bench.empty(keep=True), seed)
        kept[seed] = _Places(mine), _Places(_written(bench.store(f"beside-{seed}"), seed))
    return kept[seed]


def _windows(theirs: _Places) -> Iterator[tuple[str, list[Place] | None]]:
    """Restrictions as windows in time give them, narrow and wide; and none."""
    yield "all", None
    table = theirs.view.content
    for span in SPANS[::11]:  # a year, an open end, the years of a war
        for make in (during, overlaps):
            rows = np.unique(table.rows[table.spans.find(make(span))])
            yield f"{make.__name__} {span}", theirs.told(rows)


def _restricted(places: _Places, kept: list[Place] | None) -> Rows | None:
    return None if kept is None else np.sort(places.found(kept))


def _ranking(places: _Places, found: Ranked) -> list[tuple[Place, float]]:
    return list(zip(places.told(found.rows), found.scores.tolist(), strict=True))


@_compared
def words_rank_alike(mine: _Places, theirs: _Places, rng: random.Random) -> Iterator[str]:
    drawn = [" ".join(rng.choices(WORDS, k=rng.randint(1, 6))) for _ in range(5)]
    for query in (*QUERIES, *drawn):
        tokens = mine.view.analyse(query)
        yield unlike(f"the tokens of {query!r}", tokens, theirs.view.analyse(query))
        counts = dict(mine.view.document_frequency(tokens)), dict(theirs.view.document_frequency(tokens))
        yield unlike(f"the frequencies of {query!r}", *counts)
        every = dict(_ranking(theirs, theirs.view.words(query, 10_000)))
        for name, kept in _windows(theirs):
            for k in (5, 10_000):
                found = mine.view.words(query, k, _restricted(mine, kept))
                wanted = theirs.view.words(query, k, _restricted(theirs, kept))
                problem = same_ranking(_ranking(mine, found), _ranking(theirs, wanted), every)
                yield problem and f"words({query!r}, {k}), {name}: {problem}"
        places = theirs.told(theirs.view.alive)
        scores = mine.view.word_scores(query, mine.found(places)), theirs.view.word_scores(query, theirs.view.alive)
        near = np.allclose(*scores, rtol=0, atol=TOLERANCE)
        yield "" if near else f"word_scores({query!r}) lie up to {np.abs(scores[0] - scores[1]).max()} apart"


@_compared
def vectors_rank_alike(mine: _Places, theirs: _Places, rng: random.Random) -> Iterator[str]:
    for views in ((mine.view, theirs.view), (mine.view.nested(DIMS), theirs.view.nested(DIMS))):
        dim = views[0].dim
        for seed in ("3", "17", "drawn"):
            query = vector_of(seed, dim)
            every = dict(_ranking(theirs, views[1].vectors(query, 10_000)))
            for name, kept in _windows(theirs):
                for k in (5, 10_000):
                    found = views[0].vectors(query, k, _restricted(mine, kept))
                    wanted = views[1].vectors(query, k, _restricted(theirs, kept))
                    problem = same_ranking(_ranking(mine, found), _ranking(theirs, wanted), every)
                    yield problem and f"vectors({k}) of length {dim}, {name}: {problem}"
    yield unlike("the length of vectors", (mine.view.dim, theirs.view.dim), (DIM, DIM))


@_compared
def times_are_alike(mine: _Places, theirs: _Places, rng: random.Random) -> Iterator[str]:
    told = []
    for places in (mine, theirs):
        table, tokens = places.view.content, places.view.analyse(" ".join(WORDS))
        around = places.view.contexts(table.rows, np.arange(len(table)), tokens)
        own = zip(places.told(table.rows), table.spans, table.start_chars.tolist(), around.tolist(), strict=True)
        told.append(sorted(own, key=lambda item: (item[0], item[2], item[1].start, item[1].end, str(item[1]))))
    yield unlike("content, with the words around each time", *told)
    for name in ("published", "valid"):
        known = []
        for places in (mine, theirs):
            ids = dict(zip(places.view.alive_documents.tolist(), places.ids, strict=True))
            table = getattr(places.view, name)
            known.append({ids[row]: span for row, span in zip(table.rows.tolist(), table.spans, strict=True)})
        yield unlike(name, *known)


def searches_find_the_same(bench: Bench) -> Iterator[str]:
    """Whole searches by the engine: question, time, filters, versions, coverage."""
    encoder = MadeEncoder()
    documents = list(_news())
    backends = bench.empty(), bench.store("beside-news")
    mine, theirs = (_indexed(backend, encoder, documents) for backend in backends)
    for question, wishes in _ASKED:
        for k in (3, 10):
            found, wanted = (index.search(question, k=k, now="2005-06-01", **wishes) for index in (mine, theirs))
            problem = same_hits(found, wanted)
            yield problem and f"search({question!r}, k={k}, {wishes}): {problem}"
            yield unlike(f"what {question!r} hides", dict(found.hidden), dict(wanted.hidden))
    covers = mine.coverage().to_dict(), theirs.coverage().to_dict()
    yield unlike("coverage()", *covers)


def _indexed(backend: Backend, encoder: Encoder, documents: Sequence[Document]) -> Index:
    index = Index(backend, encoder)
    index.add(documents)
    index.delete(["news 7", "news 11"])
    return index


def _news() -> Iterator[Document]:
    rng = random.Random("news")
    things = "steel tariffs|the harbour tax|a comet|winter floods|the bridge|the election|a treaty".split("|")
    for number in range(90):
        thing, year = rng.choice(things), rng.randint(1995, 2005)
        month = rng.choice("January March May July October December".split())
        extra = rng.choice(("", f" It had been so since {year - 9}.", " Nobody knew why.", f" More on {thing} later."))
        said = rng.choice(("was raised", "was seen", "came", "ended", "was built"))
        text = f"Report {number}: {thing} {said} in {month} {year}.{extra}"
        published = Span.parse(f"{year}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}") if number % 5 else None
        series = f"chain {number % 6}" if number % 4 == 0 else None
        yield Document(f"news {number}", text, f"{thing.title()} {number}", published, None, series)


_ASKED: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("What happened to steel tariffs in 2003?", {}),
    ("the election", {}),
    ("When was the bridge built?", {}),
    ("a comet in March 1998", {"strict": True}),
    ("winter floods", {"during": "1999/2001", "strict": True}),
    ("latest news on the harbour tax", {}),
    ("steel tariffs", {"as_of": "2001-06"}),
    ("How did the treaty change between 1997 and 2004?", {}),
    ("the bridge", {"before": "2000"}),
    ("the bridge", {"after": "2000", "undated": "exclude", "strict": True}),
    ("last year's floods", {"collapse_versions": False}),
    ("comet", {"dims": DIMS}),
    ("comet", {"dims": DIMS, "shortlist": 20}),
    ("nothing like this was ever written", {"time": False}),
)

DIFFERENCES = (words_rank_alike, vectors_rank_alike, times_are_alike, searches_find_the_same)
