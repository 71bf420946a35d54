"""The word index: BM25 (k1 1.2, b 0.75) over the passages, by tantivy.

Every state is a folder of its own that shares its large files with the previous one by hard links, so readers never see
a folder change. Rows of deleted documents are skipped in every result but count in document frequencies until the index
is compacted. Rows that were found are scored again from the columns of their tokens, where the index has their counts,
so that a row has one score however it was found.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, StorageError
from epochal.storage.columns import Extent
from epochal.storage.contexts import Bm25Scorer
from epochal.storage.postings import PassageScores
from epochal.storage.protocol import Ranked, Rows
from epochal.storage.text import analyse, analyser

if TYPE_CHECKING:
    import tantivy


#: Of a query with more distinct words than this that occur in the index, the rarest are used.
MAX_TERMS: Final = 1024

_Scored: TypeAlias = "tuple[Rows, npt.NDArray[np.float64]]"
#: The words of a query, and how often it has each.
_Key: TypeAlias = tuple[tuple[str, int], ...]

_TOKENIZER: Final = "epochal"
_MEMORY: Final = 128_000_000
#: Matches are filtered by a restriction to more than this share of all rows; the rows of a smaller one are looked up.
_LARGE_SHARE: Final = 0.1
#: Rows in at most so many runs are looked up run by run, and at most so many rows one by one.
_FEW_RUNS: Final = 8
_FEW_ROWS: Final = 1200
#: The matches of so many queries are kept: one search looks for the same words several times.
_KEPT_QUERIES: Final = 4
#: The words of so many texts are kept, which are few.
_KEPT_TEXTS: Final = 64
#: So many tokens are kept with the number of rows that have them: one search asks for each several times.
_KEPT_TOKENS: Final = 1 << 14
#: Of more than so many times as many scores as are wanted, the best are selected before they are sorted.
_MANY: Final = 2


def _make_schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", stored=False, indexed=True, fast=True)
    builder.add_text_field("body", stored=False, tokenizer_name=_TOKENIZER, index_option="freq")
    return builder.build()


def _make_splitter() -> tantivy.TextAnalyzer:
    import tantivy

    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()


def _is_lock(name: str) -> bool:
    return name.endswith(".lock")


class WordBuilder:
    """Builds a new state of the word index in a new folder, starting from a previous state if one is given."""

    def __init__(self, folder: Path, previous: Path | None) -> None:
        import tantivy

        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._folder = folder
        if previous is not None:
            _link_files(previous, folder)
        self._schema = _make_schema()
        try:
            self._index = tantivy.Index(self._schema, str(folder))
            # What is added are tokens already.
            self._index.register_tokenizer(_TOKENIZER, _make_splitter())
            self._writer: tantivy.IndexWriter | None = self._index.writer(_MEMORY, num_threads=1)
        except ValueError as error:
            raise OSError(str(error)) from error

    def __enter__(self) -> WordBuilder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer = None  # its threads end with it

    def add(self, first: int, bodies: Iterable[str]) -> None:
        """Index the passages from the row `first` on: the tokens of each, with blanks between them."""
        from tantivy import Document

        writer = self._require_writer()
        try:
            for row, body in enumerate(bodies, first):
                writer.add_document(Document.from_dict({"row": row, "body": body}, self._schema))
        except ValueError as error:
            raise OSError(str(error)) from error

    def finish(self) -> None:
        """Write everything; nothing can be added afterwards."""
        writer = self._require_writer()
        try:
            writer.commit()
            writer.wait_merging_threads()
            _open_to_readers(self._folder)
        except ValueError as error:
            raise OSError(str(error)) from error
        finally:
            self._writer = None

    def _require_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise StorageError("the words were written already; nothing can be added to them")
        return self._writer


def _open_to_readers(folder: Path) -> None:
    """Give files the mode of their folder: tantivy lets nobody but their owner read some of them."""
    mode = stat.S_IMODE(folder.stat().st_mode) & 0o666
    for file in folder.iterdir():
        if stat.S_IMODE(file.stat().st_mode) != mode:
            file.chmod(mode)


def _link_files(previous: Path, folder: Path) -> None:
    for file in previous.iterdir():
        if _is_lock(file.name):
            continue
        if file.suffix == ".json":
            shutil.copyfile(file, folder / file.name)
            continue
        try:
            os.link(file, folder / file.name)
        except OSError:  # a file system without hard links
            shutil.copyfile(file, folder / file.name)


def list_word_files(folder: Path, extents: Mapping[str, Extent]) -> dict[str, Extent]:
    """The files of a state and their checksums; segment files, which never change, are copied from `extents`."""
    files = {}
    for file in sorted(folder.iterdir()):
        if _is_lock(file.name):
            continue
        if file.suffix != ".json" and file.name in extents:
            files[file.name] = extents[file.name]
        else:
            written = file.read_bytes()
            files[file.name] = Extent(len(written), zlib.crc32(written))
    return files


class _Matches(NamedTuple):
    """The best matches of a query, best first: all of them if they are `complete`."""

    rows: Rows
    scores: npt.NDArray[np.float64]
    complete: bool


class _Terms(NamedTuple):
    """The words of a text that the index has, and of each how many rows have it and how often the text does."""

    weights: Mapping[str, tuple[int, int]]
    key: _Key


class WordSearcher:
    """Searches one state of the word index; a `scorer` scores given rows without it."""

    def __init__(self, folder: Path, scorer: Bm25Scorer | None = None) -> None:
        import tantivy

        self._scorer = scorer
        self._schema = _make_schema()
        # tantivy creates a lock file in the folder that it reads. A read-only folder is read through links.
        if not os.access(folder, os.W_OK):
            links = Path(tempfile.mkdtemp(prefix="epochal-words-"))
            weakref.finalize(self, shutil.rmtree, links, True)
            for file in folder.iterdir():
                if not _is_lock(file.name):
                    os.symlink(file.resolve(), links / file.name)
            folder = links
        try:
            index = tantivy.Index.open(str(folder))
            index.config_reader(reload_policy="manual")
            index.register_tokenizer(_TOKENIZER, analyser())
            self._searcher = index.searcher()
        except ValueError as error:
            raise OSError(str(error)) from error
        self._kept: dict[str, _Matches] = {}
        self._queries: dict[str, _Terms | None] = {}
        self._every: dict[_Key, PassageScores] = {}
        self._frequencies: dict[str, int] = {}

    @property
    def row_count(self) -> int:
        """The number of rows, with deleted ones."""
        return self._searcher.num_docs

    def get_document_frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        """The number of rows that contain each token."""
        if len(self._frequencies) > _KEPT_TOKENS:
            self._frequencies = {}  # another thread may still read the old ones
        known, asked = self._frequencies, dict.fromkeys(tokens)
        for token in asked:
            if token not in known:
                known[token] = self._searcher.doc_freq("body", token)
        return {token: known[token] for token in asked}

    def search_words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the highest BM25; see `View.search_words`. `rows` must ascend."""
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        terms = self._read_query(query)
        total = self.row_count
        if terms is None or not total or (rows is not None and not len(rows)):
            return Ranked(np.empty(0, np.int64), np.empty(0))
        if (every := self._score_all(terms)) is not None:
            among, exact = every.find_possible(k) if rows is None else (rows, every.get(rows))
            return _rank_matches(among, _round_scores(exact), k)
        if rows is not None and (scores := self._score_codes(terms, rows)) is not None:
            return _rank_matches(rows, scores, k)
        found = self._search(query, terms, k, rows)
        scores = self._score_codes(terms, found[0])
        return _rank(found[0], found[1] if scores is None else scores, k)

    def _search(self, query: str, terms: _Terms, k: int, rows: Rows | None) -> _Scored:
        """At least the best k matches among rows."""
        total = self.row_count
        if rows is None or len(rows) > _LARGE_SHARE * total:
            return self._filter(query, k, rows)
        # Looking up a single row costs about as much as filtering five matches; their number is estimated.
        is_costly = k * total < 5 * len(rows) ** 2 and len(_find_runs(rows)) > _FEW_RUNS
        if is_costly and (filtered := self._filter(query, k, rows, once=True)):
            return filtered
        return self._look_up(self._build_query(terms), rows)

    def score_words(self, query: str, rows: Rows) -> npt.NDArray[np.float64]:
        """The BM25 scores of rows; see `View.score_words`."""
        terms = self._read_query(query)
        if terms is None or not len(rows):
            return np.zeros(len(rows))
        if (known := self._score_codes(terms, rows)) is not None:
            return known
        unique, inverse = np.unique(rows, return_inverse=True)
        if len(unique) > _LARGE_SHARE * self.row_count:
            matching, found_scores = self._search_rows(self._build_query(terms), self.row_count)
            dense = np.zeros(max(self.row_count, int(unique[-1]) + 1))
            dense[matching] = found_scores
            return dense[rows]
        unique_scores, unknown = self._recall(query, unique)
        if len(unknown):
            matching, found_scores = self._look_up(self._build_query(terms), unique[unknown])
            unique_scores[np.searchsorted(unique, matching)] = found_scores
        return unique_scores[inverse.reshape(-1)]

    def look_up_words(self, query: str, row: int) -> float:
        """The BM25 score of a row by the word index itself."""
        terms = self._read_query(query)
        return 0.0 if terms is None else float(self._look_up(self._build_query(terms), np.array([row]))[1].sum())

    def _score_codes(self, terms: _Terms, rows: Rows) -> npt.NDArray[np.float64] | None:
        """The scores of rows from the codes of their tokens; None if these are too many, or not counted."""
        if (every := self._every.get(terms.key)) is not None:
            return _round_scores(every.get(rows))
        if self._scorer is None or not self._scorer.can_score(rows, len(terms.weights)):
            return None
        scores = self._scorer.score(rows, terms.weights)
        return None if scores is None else _round_scores(scores)

    def _score_all(self, terms: _Terms) -> PassageScores | None:
        """The scores of all rows, before they are rounded; None where they are not to be had."""
        kept, key = self._every, terms.key
        if key not in kept:
            scores = None if self._scorer is None else self._scorer.score_all(terms.weights)
            if scores is None:
                return None
            kept = self._every = {**dict(list(kept.items())[1 - _KEPT_QUERIES :]), key: scores}
        return kept[key]

    def _recall(self, query: str, rows: Rows) -> tuple[npt.NDArray[np.float64], Rows]:
        """The scores of ascending rows as far as they were found before, and the places of the others."""
        scores = np.zeros(len(rows))
        known = self._kept.get(query)
        if known is None or not len(known.rows):
            return scores, np.arange(len(rows))
        order = np.argsort(known.rows)
        at = order[np.minimum(np.searchsorted(known.rows, rows, sorter=order), len(order) - 1)]
        found = known.rows[at] == rows
        scores[found] = known.scores[at[found]]
        return scores, np.flatnonzero(~found) if not known.complete else np.empty(0, np.int64)

    def _find_best(self, query: str, limit: int) -> _Matches:
        """At least the best `limit` matches of a query that has any."""
        known = self._kept.get(query)
        if known is None or not (known.complete or len(known.rows) >= limit):
            terms = self._read_query(query)
            assert terms is not None
            rows, scores = self._search_rows(self._build_query(terms), limit)
            known = _Matches(rows, scores, len(rows) < limit or limit == self.row_count)
            kept = [(other, self._kept[other]) for other in list(self._kept)[1 - _KEPT_QUERIES :] if other != query]
            self._kept = {**dict(kept), query: known}
        return known

    def _read_query(self, text: str) -> _Terms | None:
        queries = self._queries if len(self._queries) <= _KEPT_TEXTS else {}
        if text not in queries:
            queries[text] = self._make_query(text)
        self._queries = queries
        return queries[text]

    def _make_query(self, text: str) -> _Terms | None:
        """The words of a text, each weighted by its count; None if the index has none of them."""
        counts = Counter(analyse(text))
        frequencies = {
            token: frequency for token, frequency in self.get_document_frequencies(counts).items() if frequency
        }
        if len(frequencies) > MAX_TERMS:
            frequencies = dict(sorted(frequencies.items(), key=lambda item: (item[1], item[0]))[:MAX_TERMS])
        if not frequencies:
            return None
        weights = {token: (frequencies[token], counts[token]) for token in sorted(frequencies)}
        return _Terms(weights, tuple((token, counts[token]) for token in weights))

    def _build_query(self, terms: _Terms) -> tantivy.Query:
        """A query of the word index for any of some words."""
        import tantivy

        parts = []
        for token, (_, count) in terms.weights.items():
            term = tantivy.Query.term_query(self._schema, "body", token, "freq")
            boosted = term if count == 1 else tantivy.Query.boost_query(term, float(count))
            parts.append((tantivy.Occur.Should, boosted))
        return tantivy.Query.boolean_query(parts)

    def _search_rows(self, query: tantivy.Query, limit: int) -> _Scored:
        hits = self._searcher.search(query, limit, count=False).hits
        hit_scores, addresses = zip(*hits, strict=True) if hits else ((), ())
        rows = self._searcher.fast_field_values("row", list(addresses))
        return np.array(rows, dtype=np.int64), _round_scores(np.array(hit_scores, dtype=np.float32))

    def _look_up(self, query: tantivy.Query, rows: Rows) -> _Scored:
        """All matches among ascending rows."""
        import tantivy

        among = tantivy.Query.const_score_query(self._match_rows(rows), 0.0)
        both = tantivy.Query.boolean_query([(tantivy.Occur.Must, among), (tantivy.Occur.Must, query)])
        return self._search_rows(both, len(rows))

    def _match_rows(self, rows: Rows) -> tantivy.Query:
        """The cheapest query for some rows: rows that were added in order of time lie in few runs."""
        import tantivy

        runs = _find_runs(rows)
        if len(runs) <= _FEW_RUNS:
            kind = tantivy.FieldType.Unsigned
            parts = [tantivy.Query.range_query(self._schema, "row", kind, first, last) for first, last in runs]
        elif len(rows) <= _FEW_ROWS:
            parts = [tantivy.Query.term_query(self._schema, "row", row, "basic") for row in rows.tolist()]
        else:
            return tantivy.Query.term_set_query(self._schema, "row", rows.tolist())
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])

    @overload
    def _filter(self, query: str, k: int, rows: Rows | None) -> _Scored: ...
    @overload
    def _filter(self, query: str, k: int, rows: Rows, once: bool) -> _Scored | None: ...
    def _filter(self, query: str, k: int, rows: Rows | None, once: bool = False) -> _Scored | None:
        """The best matches among the rows: more and more matches are filtered until the best k are certain.

        None if filtering `once` was not enough.
        """
        total = self.row_count
        if rows is None:
            selected, limit = None, k + 32
        else:
            selected = np.zeros(max(total, int(rows[-1]) + 1), dtype=np.bool_)
            selected[rows] = True
            limit = int(1.2 * (k + 32) * total / len(rows))
        while True:
            limit = min(limit, total)
            matching, scores, complete = self._find_best(query, limit)
            lowest = scores[-1] if len(scores) else 0.0
            if selected is not None:
                inside = selected[matching]
                matching, scores = matching[inside], scores[inside]
            # Of equal scores the lower row is better, so all rows with the last score must have been found.
            if complete or (len(matching) >= k and scores[k - 1] > lowest):
                return matching, scores
            if once:
                return None
            limit *= 8


def _find_runs(rows: Rows) -> list[tuple[int, int]]:
    """The first and the last row of each run without a gap."""
    (breaks,) = np.nonzero(np.diff(rows) > 1)
    firsts, lasts = rows[np.append(0, breaks + 1)], rows[np.append(breaks, len(rows) - 1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def _rank(rows: Rows, scores: npt.NDArray[np.float64], k: int) -> Ranked:
    if len(scores) > _MANY * k:
        (best,) = (scores >= np.partition(scores, len(scores) - k)[len(scores) - k]).nonzero()
        rows, scores = rows[best], scores[best]
    order = np.lexsort((rows, -scores))[:k]
    return Ranked(rows[order], scores[order])


def _rank_matches(rows: Rows, scores: npt.NDArray[np.float64], k: int) -> Ranked:
    (matching,) = scores.nonzero()
    return _rank(rows[matching], scores[matching], k)


def _round_scores(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Scores without the last bits of a sum, which depend on the order of its terms: equal texts have equal scores."""
    # Scores are not negative, so their bits order them.
    rounded = (((scores.view(np.uint32) + np.uint32(8)) >> np.uint32(4)) << np.uint32(4)).view(np.float32)
    return np.asarray(rounded, dtype=np.float64)
