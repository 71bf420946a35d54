"""Cases of searching: words, vectors, contexts and times are exact, whatever rows they are restricted to.

Cases beside the embedded store: the same documents, written in the same steps, give the same answers.

Rows may be numbered otherwise, so passages are known by their document and their place in it; and of hits that score
alike any may come first.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.api import Index
from epochal.encoders.base import Encoder
from epochal.search.response import Response
from epochal.search.where import parse_where
from epochal.storage.contexts import find_contexts
from epochal.storage.metadata import find_documents
from epochal.storage.protocol import Backend, Ranked, Rows, View
from epochal.storage.records import Document, Entry, Passage
from epochal.storage.text import join_heading
from epochal.storage.vectors import name_prefix_encoder, truncate
from epochal.testing.store_fixtures import (
    DIM,
    DIMS,
    ENCODER,
    SPANS,
    WORDS,
    Bench,
    SyntheticEncoder,
    build_entries,
    build_entry,
    build_vector,
    refused,
    spread_rows,
    unlike,
)
from epochal.times.filters import after, before, during, overlaps
from epochal.times.span import Span

#: What is asked for: one word, several, one twice, words of other scripts, and words that nothing has.
QUERIES = (
    "tariff",
    "the king of the harbour in winter",
    "flood flood flood tax",
    "永樂 條約 comet",
    "Café NAÏVE o'brien",
    "unheard of words",
    " ".join(WORDS),
)


def restrictions(view: View) -> Iterator[Rows | None]:
    """None, all, most, some, few, one, none of the rows, and rows that lie in runs."""
    alive = view.alive
    yield None
    yield alive
    yield from (spread_rows(alive, share, 7) for share in (0.6, 0.3, 0.08, 0.001))
    yield alive[:0]
    yield alive[len(alive) // 3 : len(alive) // 2]


def words_are_those_of_the_passages(bench: Bench) -> Iterator[str]:
    view = bench.filled
    headings = _get_headings(view)
    texts = zip(view.alive.tolist(), view.get_texts(view.alive), strict=True)
    tokens = [set(view.analyse(f"{headings[row]}\n{item.text}")) for row, item in texts]
    for query in QUERIES:
        query_words = set(view.analyse(query))
        expected = {row for row, own in zip(view.alive.tolist(), tokens, strict=True) if own & query_words}
        ranked = view.search_words(query, 10_000)
        yield unlike(f"the passages that share a word with {query!r}", set(ranked.rows.tolist()), expected)
        yield from _check_order(f"words({query!r})", ranked)
        counts = view.get_document_frequencies(query_words)
        yield unlike(f"the tokens of document_frequency for {query!r}", set(counts), query_words)
        minimum = {token: sum(token in own for own in tokens) for token in query_words}
        wrong = [token for token in query_words if counts[token] < minimum[token]]
        yield unlike("tokens counted less often than they occur", wrong, [])


def words_are_exact_whatever_rows_keep(bench: Bench) -> Iterator[str]:
    view = bench.filled
    for query in QUERIES:
        everything = view.search_words(query, 10_000)
        scores = dict(zip(everything.rows.tolist(), everything.scores.tolist(), strict=True))
        for rows in restrictions(view):
            selected = np.isin(everything.rows, view.alive if rows is None else rows)
            for k in (1, 7, 10_000):
                ranked, name = view.search_words(query, k, rows), f"words({query!r}, {k}) among {_describe_rows(rows)}"
                yield from _compare_rankings(
                    name, ranked, Ranked(everything.rows[selected][:k], everything.scores[selected][:k])
                )
        mixed = np.concatenate([view.alive[::-3], view.alive[:2]])
        expected = [scores.get(row, 0.0) for row in mixed.tolist()]
        yield unlike(f"word_scores({query!r})", view.score_words(query, mixed).tolist(), expected)
        yield unlike("word_scores of no rows", view.score_words(query, view.alive[:0]).tolist(), [])


def queries_are_no_language(bench: Bench) -> Iterator[str]:
    view = bench.filled
    odd = (
        '"',
        "AND OR NOT",
        "tariff' OR 1=1 --",
        "body:tariff^9 +king -tax",
        "(((",
        "%_\\",
        "\x00 tariff",
        "\ud800",
        "",
    )
    for query in odd:
        ranked = view.search_words(query, 10)
        plain = view.search_words(" ".join(view.analyse(query)), 10)
        yield unlike(f"words({query!r})", ranked.rows.tolist(), plain.rows.tolist())
        yield unlike(f"word_scores({query!r})", len(view.score_words(query, view.alive[:3])), 3)


def numbers_that_make_no_sense_are_refused(bench: Bench) -> Iterator[str]:
    view = bench.filled
    yield refused("words with k=0", lambda: view.search_words("tariff", 0), "k must be at least 1")
    yield refused("vectors with k=0", lambda: view.search_vectors(build_vector("x"), 0), "k must be at least 1")
    yield refused("a short vector", lambda: view.search_vectors(np.ones(3, np.float32), 1), f"must have {DIM} numbers")
    yield refused("a vector with nan", lambda: view.search_vectors(np.full(DIM, np.nan, np.float32), 1), "not finite")
    yield refused("a short vector to similarities", lambda: view.score_vectors(np.ones(3, np.float32), view.alive))
    yield refused(
        "rows that descend", lambda: view.search_words("tariff", 3, view.alive[::-1].copy()), "rows must ascend"
    )
    yield refused(
        "rows that descend, for vectors", lambda: view.search_vectors(build_vector("x"), 3, view.alive[::-1].copy())
    )
    beyond = np.array([int(view.alive[-1]) + 10**6])
    yield refused("a row that is not there", lambda: view.search_words("tariff", 3, beyond), "rows must ascend")
    yield refused("a batch of 0", lambda: next(iter(view.iterate(0))), "batch must be at least 1")
    for dims in (0, DIM + 1, -1):
        yield refused(f"with_dims({dims})", partial(view.with_dims, dims), "dims must be from 1")


def vectors_are_exact_whatever_rows_keep(bench: Bench) -> Iterator[str]:
    yield from _check_exact_vectors(bench.filled, DIM, bench.filled.get_vectors)


def stored_vectors_are_as_they_were(bench: Bench) -> Iterator[str]:
    view = bench.filled
    rows = view.alive_documents
    for row, entry in zip(rows.tolist(), view.get_entries(rows), strict=True):
        own = view.get_vectors(view.get_passage_rows(np.array([row])))
        expected = bench.expected[entry.document.id].vectors
        same = expected is None or np.array_equal(own, expected.reshape(-1, DIM))
        yield "" if same else f"stored_vectors of {entry.document.id!r} are not those that were stored"


def nested_views_compare_prefixes(bench: Bench) -> Iterator[str]:
    view = bench.filled
    for dims in (DIMS, 2 * DIMS):
        cut = view.with_dims(dims)
        yield unlike(
            f"dim and name of nested({dims})", (cut.dim, cut.encoder_name), (dims, name_prefix_encoder(ENCODER, dims))
        )
        yield from _check_exact_vectors(cut, dims, partial(_cut, view, dims))
        words = (cut.search_words("tariff", 9).rows.tolist(), view.search_words("tariff", 9).rows.tolist())
        yield unlike("search_words() of a nested view", *words)
    whole = view.with_dims(DIM)
    yield unlike("dim of nested(dim)", whole.dim, DIM)
    for rows in restrictions(view):
        near, far = view.with_dims(DIMS, view.passage_count), view.with_dims(DIMS, 1)
        query = build_vector("funnel")
        ranked = near.search_vectors(query, 9, rows)
        yield from _compare_rankings(
            f"a shortlist of all, among {_describe_rows(rows)}", ranked, view.search_vectors(query, 9, rows)
        )
        short = far.search_vectors(query, 1, rows)
        selected = view.alive if rows is None else rows
        prefixes = _cut(view, DIMS, selected).astype(np.float64) @ truncate(query[None], DIMS)[0]
        if len(selected):
            best = selected[np.flatnonzero(prefixes >= prefixes.max() - 1e-6)]
            yield "" if short.rows[0] in best else f"a shortlist of 1 gives row {short.rows[0]}, not one of {best}"
        yield unlike("dim of a view with a shortlist", far.dim, DIM)


def _check_exact_vectors(view: View, dim: int, stored: Callable[[Rows], npt.NDArray[np.float32]]) -> Iterator[str]:
    for seed in ("0", "7", "a vector that nothing has"):
        query = build_vector(seed, dim)
        exact = (stored(view.alive).astype(np.float64) * query.astype(np.float64)).sum(axis=1)
        order = np.lexsort((view.alive, -exact))
        everything = Ranked(view.alive[order], exact[order])
        for rows in restrictions(view):
            selected = np.isin(everything.rows, view.alive if rows is None else rows)
            for k in (1, 5, 10_000):
                name = f"vectors({k}) of length {dim} among {_describe_rows(rows)}"
                ranked = view.search_vectors(query, k, rows)
                yield from _compare_rankings(
                    name, ranked, Ranked(everything.rows[selected][:k], everything.scores[selected][:k]), 1e-12
                )
        mixed = np.concatenate([view.alive[::-3], view.alive[:2]])
        expected = exact[np.searchsorted(view.alive, mixed)]
        near = np.allclose(view.score_vectors(query, mixed), expected, rtol=0, atol=1e-12)
        yield "" if near else f"similarities of length {dim} are not the dot products of the stored vectors"


def _cut(view: View, dims: int, rows: Rows) -> npt.NDArray[np.float32]:
    return truncate(view.get_vectors(rows), dims)


def contexts_are_those_of_the_texts(bench: Bench) -> Iterator[str]:
    view = bench.filled
    content, tokens = view.content, view.analyse(" ".join([*WORDS, "unheard"]))
    indices = np.arange(len(content))
    rows = np.concatenate([content.rows, view.alive])
    matched = view.match_contexts(rows, np.concatenate([indices, np.full(len(view.alive), -1)]), tokens)
    yield unlike("the shape of contexts", matched.shape, (len(rows), len(tokens)))
    texts = dict(zip(view.alive.tolist(), view.get_texts(view.alive), strict=True))
    headings, starts = _get_headings(view), content.start_chars.tolist()
    for at, row in enumerate(rows.tolist()):
        text = texts[row]
        own = f"{headings[row]}\n{text.text}"
        if at < len(indices):
            # The heading rule needs all times of a passage, so its contexts are found together.
            positions = np.flatnonzero(content.rows == row)
            low, high = find_contexts(text.text, [starts[position] for position in positions])[
                int(np.searchsorted(positions, at))
            ]
            own = f"{headings[row]}\n{text.text[low:high]}"
        tokens_of_text = set(view.analyse(own))
        yield unlike(
            f"the words around time {at} of row {row}",
            matched[at].tolist(),
            [token in tokens_of_text for token in tokens],
        )
    yield unlike("contexts of no tokens", view.match_contexts(view.alive[:2], np.array([-1, -1]), []).shape, (2, 0))
    none = np.empty(0, np.int64)
    yield unlike("contexts of no rows", view.match_contexts(none, none, ["tariff"]).shape, (0, 1))


def _get_headings(view: View) -> dict[int, str]:
    """The words of title and metadata that each passage has."""
    owners = view.get_document_rows(view.alive)
    documents = dict(zip(owners.tolist(), view.get_documents(owners), strict=True))
    return {
        row: join_heading(documents[owner].title, documents[owner].meta, documents[owner].series)
        for row, owner in zip(view.alive.tolist(), owners.tolist(), strict=True)
    }


def windows_keep_what_lies_in_them(bench: Bench) -> Iterator[str]:
    view = bench.filled
    datings = {row_data.row: [item.span for item in row_data.datings] for row_data in view.get_passages(view.alive)}
    for window in SPANS:
        for make in (during, overlaps, before, after):
            keeps = make(window)
            expected = sorted(row for row, spans in datings.items() if any(keeps(span) for span in spans))
            table = view.content
            row_data = np.unique(table.rows[table.spans.find(keeps)]).tolist()
            yield unlike(f"the passages {make.__name__} {window}", row_data, expected)
    documents = dict(zip(view.alive_documents.tolist(), _get_all(view), strict=True))
    for name in ("published", "valid"):
        table = getattr(view, name)
        row_data = dict(zip(table.rows.tolist(), table.spans, strict=True))
        wanted_spans = {row: getattr(document, name) for row, document in documents.items()}
        yield unlike(name, row_data, {row: span for row, span in wanted_spans.items() if span is not None})


def series_are_kept_together(bench: Bench) -> Iterator[str]:
    view = bench.filled
    documents = _get_all(view)
    names = {document.series for document in documents} - {None}
    codes = view.get_series_codes(view.alive_documents).tolist()
    for name in sorted(name for name in names if name):
        code = view.get_series_code(name)
        expected = [row for row, d in zip(view.alive_documents.tolist(), documents, strict=True) if d.series == name]
        yield unlike(f"the members of {name!r}", view.get_series_rows(code).tolist(), expected)
        own = {codes[position] for position, document in enumerate(documents) if document.series == name}
        yield unlike(f"the code of {name!r}", own, {code})
    none = {codes[position] for position, document in enumerate(documents) if document.series is None}
    yield unlike("the code of no series", none, {-1})
    yield unlike("the members of no series", view.get_series_rows(-1).tolist(), [])
    yield unlike(
        "the members of a series that is not there", view.get_series_rows(view.get_series_code("x")).tolist(), []
    )


def metadata_filters_find_what_meets_them(bench: Bench) -> Iterator[str]:
    backend = bench.empty(0)
    retained = [
        Document(
            "a", "Rain.", series="log", meta={"lang": "en", "n": 1, "tags": ["x", "y"], "author": {"name": "Cary"}}
        ),
        Document("b", "Sun.", meta={"lang": "de", "n": 2.5, "is_draft": True, "a.b": "dotted"}),
        Document("c", "Hail.", title="Ice", meta={"n": "2", "lang": None}),
        Document("d", "Snow.", meta={"lang": "en", "n": 3}),
    ]
    backend.add([Entry(document, (Passage(0, len(document.text)),)) for document in retained])
    backend.delete(["d"])
    view = backend.view()
    for where, expected in _CONDITIONS:
        matches = [document.id for document in view.get_documents(find_documents(view, parse_where(where) or {}))]
        yield unlike(f"the documents with {where}", sorted(matches), list(expected))


#: Conditions, and the ids of the documents that meet them.
_CONDITIONS: Final = (
    ({"lang": "en"}, "a"),
    ({"lang": ["en", "de"]}, "ab"),
    ({"lang": {"!=": "en"}}, "bc"),
    ({"lang": {"exists": True}}, "ab"),
    ({"lang": {"exists": False}}, "c"),
    ({"n": {">=": 1, "<": 2.5}}, "a"),
    ({"n": {">=": "2"}}, "c"),
    ({"n": 2.5}, "b"),
    ({"tags": "y"}, "a"),
    ({"author.name": "Cary"}, "a"),
    ({"a.b": "dotted"}, "b"),
    ({"is_draft": True}, "b"),
    ({"is_draft": 1}, ""),
    ({"series": "log"}, "a"),
    ({"title": {"exists": True}}, "c"),
    ({"id": ["a", "d"]}, "a"),
    ({"nothing": "x"}, ""),
    ("lang=en,de; n>1", "b"),
    ("!author", "bc"),
)


def documents_come_in_the_order_of_rows(bench: Bench) -> Iterator[str]:
    view = bench.filled
    documents = _get_all(view)
    batches = list(view.iterate(7))
    yield unlike("the sizes of batches", {len(batch) for batch in batches[:-1]} - {7}, set())
    yield unlike("the documents of iterate()", [one for batch in batches for one in batch], documents)
    rows = view.alive_documents[::-2]
    yield unlike("get_documents() in the order asked", view.get_documents(rows), documents[::-2])
    ids = [document.id for document in documents[::-2]]
    yield unlike("document_rows()", view.find_document_rows([*ids, "nobody", ids[0]]).tolist(), [*rows, -1, rows[0]])
    yield unlike("get_document() of each id", [view.get_document(id) for id in ids], documents[::-2])
    yield unlike("get_document() of an id that no text file holds", view.get_document("\ud800"), None)
    yield unlike("entries of no rows", view.get_entries(rows[:0]), [])
    passages = view.alive[::-3]
    yield unlike(
        "passages() in the order asked", [passage.row for passage in view.get_passages(passages)], passages.tolist()
    )
    of_them = view.get_passage_rows(rows)
    expected = [row for document in rows.tolist() for row in view.get_passage_rows(np.array([document])).tolist()]
    yield unlike("rows_of() document by document", of_them.tolist(), expected)


def _get_all(view: View) -> list[Document]:
    return view.get_documents(view.alive_documents)


def _describe_rows(rows: Rows | None) -> str:
    return "all" if rows is None else f"{len(rows)} rows"


def _check_order(name: str, ranked: Ranked) -> Iterator[str]:
    order = np.lexsort((ranked.rows, -ranked.scores))
    yield unlike(f"the order of {name}", ranked.rows.tolist(), ranked.rows[order].tolist())
    yield unlike(f"rows that {name} gives twice", len(ranked.rows) - len(set(ranked.rows.tolist())), 0)


def _compare_rankings(name: str, ranked: Ranked, expected: Ranked, slack: float = 0.0) -> Iterator[str]:
    if slack and len(ranked) == len(expected):
        # Products may differ in their last bits, and then two that are as good as equal may change places.
        near = np.allclose(ranked.scores, expected.scores, rtol=0, atol=slack)
        yield "" if near else f"the scores of {name} are not {expected.scores.tolist()[:5]}..."
        if len(set(expected.scores.tolist())) < len(expected):
            return
    yield unlike(f"the rows of {name}", ranked.rows.tolist(), expected.rows.tolist())
    if not slack:
        yield unlike(f"the scores of {name}", ranked.scores.tolist(), expected.scores.tolist())


WORD_CASES = (
    words_are_those_of_the_passages,
    words_are_exact_whatever_rows_keep,
    queries_are_no_language,
    contexts_are_those_of_the_texts,
)
VECTORS = (
    vectors_are_exact_whatever_rows_keep,
    stored_vectors_are_as_they_were,
    nested_views_compare_prefixes,
    numbers_that_make_no_sense_are_refused,
)
TIMES = (
    windows_keep_what_lies_in_them,
    series_are_kept_together,
    metadata_filters_find_what_meets_them,
    documents_come_in_the_order_of_rows,
)


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
        rows = view.get_passage_rows(view.alive_documents).tolist()
        owners = [names[row] for row in view.get_document_rows(np.array(rows, np.int64)).tolist()]
        firsts: dict[str, int] = {}
        self.of: dict[int, Place] = {}
        for row, owner in zip(rows, owners, strict=True):
            self.of[row] = owner, firsts.setdefault(owner, 0)
            firsts[owner] += 1
        self.rows = {position: row for row, position in self.of.items()}

    def describe_rows(self, rows: Rows) -> list[Place]:
        return [self.of[row] for row in rows.tolist()]

    def found(self, places: Sequence[Place]) -> Rows:
        return np.array([self.rows[position] for position in places], dtype=np.int64)


def same_ranking(
    ranking: Sequence[tuple[Any, float]], reference: Sequence[tuple[Any, float]], every: dict[Any, float]
) -> str:
    """What is wrong with a ranking, up to ties: `every` has the scores of whatever might be in it."""
    if len(ranking) != len(reference):
        return f"there are {len(ranking)}, but must be {len(reference)}"
    for position, ((one, score), (other, expected)) in enumerate(zip(ranking, reference, strict=True), 1):
        own = every.get(one)
        if own is None or abs(own - expected) > TOLERANCE or abs(score - expected) > TOLERANCE:
            return f"place {position} has {one} with {score}, but must have {other} with {expected}"
    return "" if len({one for one, _ in ranking}) == len(ranking) else "something is there twice"


def same_hits(response: Response, expected: Response) -> str:
    """What is wrong with the hits of a search beside those of another, up to ties."""
    if response.outcome != expected.outcome:
        return f"the outcome is {response.outcome}, but must be {expected.outcome}"
    # Of copies any may be returned for the others, and they all score alike.
    every = {id: hit.score for hit in expected for id in (*hit.folded, hit.id)}
    # A hit that ties with the last one may be another document, whose score the other search does not tell.
    last = min((hit.score for hit in expected), default=0.0)
    extra = {hit.id: hit.score for hit in response if hit.id not in every and abs(hit.score - last) <= TOLERANCE}
    return same_ranking(
        [(hit.id, hit.score) for hit in response], [(hit.id, hit.score) for hit in expected], every | extra
    )


def _write_collection(backend: Backend, seed: int) -> View:
    """A made collection, written in steps that are drawn from the seed."""
    rng = random.Random(seed)
    entries = build_entries(120, seed)
    rng.shuffle(entries)
    for low in range(0, len(entries), 30):
        backend.add(entries[low : low + 30])
    ids = [entry.document.id for entry in entries]
    backend.delete(rng.sample(ids, 15))
    backend.add([build_entry(id, 2) for id in rng.sample(ids, 20)])
    if seed % 2:
        backend.compact()
    return backend.view()


def _make_comparison(compare: Callable[[_Places, _Places, random.Random], Iterator[str]]) -> Any:
    def case(bench: Bench) -> Iterator[str]:
        for seed in (0, 1):
            tested, reference = _make_pair(bench, seed)
            for problem in compare(tested, reference, random.Random(seed)):
                yield problem and f"collection {seed}: {problem}"

    case.__name__, case.__doc__ = compare.__name__, compare.__doc__
    return case


def _make_pair(bench: Bench, seed: int) -> tuple[_Places, _Places]:
    pairs: dict[int, tuple[_Places, _Places]] = bench.__dict__.setdefault("pairs", {})
    if seed not in pairs:
        tested = _write_collection(bench.empty(keep=True), seed)
        pairs[seed] = _Places(tested), _Places(_write_collection(bench.store(f"beside-{seed}"), seed))
    return pairs[seed]


def _list_windows(reference: _Places) -> Iterator[tuple[str, list[Place] | None]]:
    """Restrictions as windows in time give them, narrow and wide; and none."""
    yield "all", None
    table = reference.view.content
    for span in SPANS[::11]:  # a year, an open end, the years of a war
        for make in (during, overlaps):
            rows = np.unique(table.rows[table.spans.find(make(span))])
            yield f"{make.__name__} {span}", reference.describe_rows(rows)


def _select_restricted(positions: _Places, selected: list[Place] | None) -> Rows | None:
    return None if selected is None else np.sort(positions.found(selected))


def _list_ranking(positions: _Places, ranked: Ranked) -> list[tuple[Place, float]]:
    return list(zip(positions.describe_rows(ranked.rows), ranked.scores.tolist(), strict=True))


@_make_comparison
def words_rank_alike(tested: _Places, reference: _Places, rng: random.Random) -> Iterator[str]:
    queries = [" ".join(rng.choices(WORDS, k=rng.randint(1, 6))) for _ in range(5)]
    for query in (*QUERIES, *queries):
        tokens = tested.view.analyse(query)
        yield unlike(f"the tokens of {query!r}", tokens, reference.view.analyse(query))
        counts = (
            dict(tested.view.get_document_frequencies(tokens)),
            dict(reference.view.get_document_frequencies(tokens)),
        )
        yield unlike(f"the frequencies of {query!r}", *counts)
        every = dict(_list_ranking(reference, reference.view.search_words(query, 10_000)))
        for name, selected in _list_windows(reference):
            for k in (5, 10_000):
                ranked = tested.view.search_words(query, k, _select_restricted(tested, selected))
                expected = reference.view.search_words(query, k, _select_restricted(reference, selected))
                problem = same_ranking(_list_ranking(tested, ranked), _list_ranking(reference, expected), every)
                yield problem and f"words({query!r}, {k}), {name}: {problem}"
        positions = reference.describe_rows(reference.view.alive)
        scores = (
            tested.view.score_words(query, tested.found(positions)),
            reference.view.score_words(query, reference.view.alive),
        )
        near = np.allclose(*scores, rtol=0, atol=TOLERANCE)
        yield "" if near else f"word_scores({query!r}) lie up to {np.abs(scores[0] - scores[1]).max()} apart"


@_make_comparison
def vectors_rank_alike(tested: _Places, reference: _Places, rng: random.Random) -> Iterator[str]:
    for views in ((tested.view, reference.view), (tested.view.with_dims(DIMS), reference.view.with_dims(DIMS))):
        dim = views[0].dim
        for seed in ("3", "17", "drawn"):
            query = build_vector(seed, dim)
            every = dict(_list_ranking(reference, views[1].search_vectors(query, 10_000)))
            for name, selected in _list_windows(reference):
                for k in (5, 10_000):
                    ranked = views[0].search_vectors(query, k, _select_restricted(tested, selected))
                    expected = views[1].search_vectors(query, k, _select_restricted(reference, selected))
                    problem = same_ranking(_list_ranking(tested, ranked), _list_ranking(reference, expected), every)
                    yield problem and f"vectors({k}) of length {dim}, {name}: {problem}"
    yield unlike("the length of vectors", (tested.view.dim, reference.view.dim), (DIM, DIM))


@_make_comparison
def times_are_alike(tested: _Places, reference: _Places, rng: random.Random) -> Iterator[str]:
    found_times = []
    for positions in (tested, reference):
        table, tokens = positions.view.content, positions.view.analyse(" ".join(WORDS))
        around = positions.view.match_contexts(table.rows, np.arange(len(table)), tokens)
        own = zip(
            positions.describe_rows(table.rows), table.spans, table.start_chars.tolist(), around.tolist(), strict=True
        )
        found_times.append(sorted(own, key=lambda item: (item[0], item[2], item[1].start, item[1].end, str(item[1]))))
    yield unlike("content, with the words around each time", *found_times)
    for name in ("published", "valid"):
        expected = []
        for positions in (tested, reference):
            ids = dict(zip(positions.view.alive_documents.tolist(), positions.ids, strict=True))
            table = getattr(positions.view, name)
            expected.append({ids[row]: span for row, span in zip(table.rows.tolist(), table.spans, strict=True)})
        yield unlike(name, *expected)


def searches_find_the_same(bench: Bench) -> Iterator[str]:
    """Whole searches by the engine: question, time, filters, versions, coverage."""
    encoder = SyntheticEncoder()
    documents = list(_make_news())
    backends = bench.empty(), bench.store("beside-news")
    tested, reference = (_build_index(backend, encoder, documents) for backend in backends)
    for question, options in _QUERIES:
        for k in (3, 10):
            response, expected = (
                index.search(question, k=k, now="2005-06-01", **options) for index in (tested, reference)
            )
            problem = same_hits(response, expected)
            yield problem and f"search({question!r}, k={k}, {options}): {problem}"
            yield unlike(f"what {question!r} hides", dict(response.hidden), dict(expected.hidden))
    covers = tested.coverage().to_dict(), reference.coverage().to_dict()
    yield unlike("coverage()", *covers)


def _build_index(backend: Backend, encoder: Encoder, documents: Sequence[Document]) -> Index:
    index = Index(backend, encoder)
    index.add(documents)
    index.delete(["news 7", "news 11"])
    return index


def _make_news() -> Iterator[Document]:
    rng = random.Random("news")
    things = "steel tariffs|the harbour tax|a comet|winter floods|the bridge|the election|a treaty".split("|")
    for number in range(90):
        thing, year = rng.choice(things), rng.randint(1995, 2005)
        month = rng.choice("January March May July October December".split())
        extra = rng.choice(("", f" It had been so since {year - 9}.", " Nobody knew why.", f" More on {thing} later."))
        verb = rng.choice(("was raised", "was seen", "came", "ended", "was built"))
        text = f"Report {number}: {thing} {verb} in {month} {year}.{extra}"
        published = Span.parse(f"{year}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}") if number % 5 else None
        series = f"chain {number % 6}" if number % 4 == 0 else None
        yield Document(f"news {number}", text, f"{thing.title()} {number}", published, None, series)


_QUERIES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
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
