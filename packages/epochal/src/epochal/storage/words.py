"""The word index: BM25 (k1 1.2, b 0.75) over the passages, by tantivy.

Every state is a folder of its own that shares its large files with the previous one by hard links, so readers never see
a folder change. Rows of deleted documents are skipped in every result but count in document frequencies until the index
is compacted.

Beside it lie the tokens around each dated mention, as codes, so that a search need not read the texts. The tokens of a
passage lie in one column of codes, run by run: the distinct tokens of its title, then those of each unit (sentence or
line) that has a date, then the rest of the passage. The context of a date is two runs, and a whole passage is all of
its runs. A code is a checksum of 32 bits; two tokens share one in one pair of four thousand million.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, StorageError
from epochal.storage.columns import Extent
from epochal.storage.protocol import Ranked, Rows, TokenCodes, expand_runs
from epochal.storage.records import TITLE
from epochal.storage.text import analyse, analyser, spread, units

if TYPE_CHECKING:
    import tantivy


#: Of a query with more distinct words than this that occur in the index, the rarest are used.
MAX_TERMS: Final = 1024

_Scored: TypeAlias = "tuple[Rows, npt.NDArray[np.float64]]"

_TOKENIZER: Final = "epochal"
_MEMORY: Final = 128_000_000
#: Matches are filtered by a restriction to more than this share of all rows; the rows of a smaller one are looked up.
_LARGE_SHARE: Final = 0.1
#: Rows in at most so many runs are looked up run by run, and at most so many rows one by one.
_FEW_RUNS: Final = 8
_FEW_ROWS: Final = 1200
#: The matches of so many queries are kept: one search looks for the same words several times.
_KEPT_QUERIES: Final = 4


def _make_schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", stored=False, indexed=True, fast=True)
    builder.add_text_field("body", stored=False, tokenizer_name=_TOKENIZER, index_option="freq")
    return builder.build()


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
            self._index.register_tokenizer(_TOKENIZER, analyser())
            self._writer: tantivy.IndexWriter | None = self._index.writer(_MEMORY, num_threads=1)
        except ValueError as error:
            raise OSError(str(error)) from error

    def __enter__(self) -> WordBuilder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer = None  # its threads end with it

    def add(self, row: int, body: str) -> None:
        """Index the words of a passage."""
        import tantivy

        writer = self._require_writer()
        try:
            writer.add_document(tantivy.Document.from_dict({"row": row, "body": spread(body)}, self._schema))
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


class WordSearcher:
    """Searches one state of the word index."""

    def __init__(self, folder: Path) -> None:
        import tantivy

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
        self._queries: dict[str, tantivy.Query | None] = {}

    @property
    def row_count(self) -> int:
        """The number of rows, with deleted ones."""
        return self._searcher.num_docs

    def get_document_frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        """The number of rows that contain each token."""
        return {token: self._searcher.doc_freq("body", token) for token in dict.fromkeys(tokens)}

    def search_words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the highest BM25; see `View.search_words`. `rows` must ascend."""
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        terms = self._query(query)
        total = self.row_count
        if terms is None or not total or (rows is not None and not len(rows)):
            return Ranked(np.empty(0, np.int64), np.empty(0))
        if rows is None or len(rows) > _LARGE_SHARE * total:
            return _rank(*self._filter(query, k, rows), k)
        # Looking up a single row costs about as much as filtering five matches; their number is estimated.
        is_costly = k * total < 5 * len(rows) ** 2 and len(_find_runs(rows)) > _FEW_RUNS
        if is_costly and (filtered := self._filter(query, k, rows, once=True)):
            return _rank(*filtered, k)
        return _rank(*self._look_up(terms, rows), k)

    def score_words(self, query: str, rows: Rows) -> npt.NDArray[np.float64]:
        """The BM25 scores of rows; see `View.score_words`."""
        scores = np.zeros(len(rows))
        terms = self._query(query)
        if terms is None or not len(rows):
            return scores
        unique, inverse = np.unique(rows, return_inverse=True)
        if len(unique) > _LARGE_SHARE * self.row_count:
            matching, found_scores = self._search_rows(terms, self.row_count)
            dense = np.zeros(max(self.row_count, int(unique[-1]) + 1))
            dense[matching] = found_scores
            return dense[rows]
        unique_scores, unknown = self._recall(query, unique)
        if len(unknown):
            matching, found_scores = self._look_up(terms, unique[unknown])
            unique_scores[np.searchsorted(unique, matching)] = found_scores
        return unique_scores[inverse.reshape(-1)]

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
            terms = self._query(query)
            assert terms is not None
            rows, scores = self._search_rows(terms, limit)
            known = _Matches(rows, scores, len(rows) < limit or limit == self.row_count)
            kept = [(other, self._kept[other]) for other in list(self._kept)[1 - _KEPT_QUERIES :] if other != query]
            self._kept = {**dict(kept), query: known}
        return known

    def _query(self, text: str) -> tantivy.Query | None:
        queries = self._queries if len(self._queries) <= _KEPT_QUERIES else {}
        if text not in queries:
            queries[text] = self._make_query(text)
        self._queries = queries
        return queries[text]

    def _make_query(self, text: str) -> tantivy.Query | None:
        """A query for any word of a text, weighted by its count; None if the index has none of them."""
        import tantivy

        counts = Counter(analyse(text))
        frequencies = {
            token: frequency for token, frequency in self.get_document_frequencies(counts).items() if frequency
        }
        if len(frequencies) > MAX_TERMS:
            frequencies = dict(sorted(frequencies.items(), key=lambda item: (item[1], item[0]))[:MAX_TERMS])
        if not frequencies:
            return None
        terms = []
        for token in sorted(frequencies):
            term = tantivy.Query.term_query(self._schema, "body", token, "freq")
            boosted = term if counts[token] == 1 else tantivy.Query.boost_query(term, float(counts[token]))
            terms.append((tantivy.Occur.Should, boosted))
        return tantivy.Query.boolean_query(terms)

    def _search_rows(self, query: tantivy.Query, limit: int) -> _Scored:
        hits = self._searcher.search(query, limit, count=False).hits
        hit_scores, addresses = zip(*hits, strict=True) if hits else ((), ())
        rows = self._searcher.fast_field_values("row", list(addresses))
        scores = np.array(hit_scores, dtype=np.float32)
        # The last bits of a sum depend on the order of its terms; without them, equal texts have equal scores. Scores
        # are positive, so their bits order them.
        rounded = (((scores.view(np.uint32) + np.uint32(8)) >> np.uint32(4)) << np.uint32(4)).view(np.float32)
        return np.array(rows, dtype=np.int64), rounded.astype(np.float64)

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
    order = np.lexsort((rows, -scores))[:k]
    return Ranked(rows[order], scores[order])


#: A first unit that is no longer than this, and states no time, may be the heading of what follows.
_HEADING = 60


def find_contexts(text: str, starts: Sequence[int]) -> list[tuple[int, int]]:
    """For each time of a text, by its position, the range that is its context; all of the text if no unit is.

    A short first unit without a time is a heading, and belongs to the unit after it.
    """
    bounds = units(text) if any(at != TITLE for at in starts) else []
    numbers = [bisect_right(bounds, (at, len(text))) - 1 if at != TITLE else -1 for at in starts]
    has_heading = 0 not in numbers and bool(bounds) and bounds[0][1] - bounds[0][0] <= _HEADING
    contexts = []
    for number in numbers:
        low, high = bounds[number] if number >= 0 else (0, len(text))
        contexts.append((bounds[0][0] if number == 1 and has_heading else low, high))
    return contexts


class _Codes(dict[str, int]):
    """The codes of tokens; each is computed once."""

    def __missing__(self, token: str) -> int:
        code = self[token] = zlib.crc32(token.encode())
        return code

    def of(self, text: str) -> list[int]:
        return [self[token] for token in dict.fromkeys(analyse(text))]


def build_context_columns(
    texts: Sequence[tuple[str, str]], sizes: Sequence[int], starts: Sequence[int], first: int
) -> dict[str, npt.NDArray[Any]]:
    """The columns of some passages, whose first token is the `first` of all.

    Of each passage there are the title and the text; `sizes` says how many times each has, and `starts` the
    position of each in its passage, passage by passage.
    """
    codes = _Codes()
    tokens: list[int] = []
    begins: list[int] = []
    title_tokens: list[int] = []
    places: list[tuple[int, int]] = []
    left = iter(starts)
    for (title, text), size in zip(texts, sizes, strict=True):
        begins.append(first + len(tokens))
        own = codes.of(title) if title else []
        title_tokens.append(len(own))
        places += _add_runs(own, codes, text, list(islice(left, size)))
        tokens += own
    return {
        "tokens": np.array(tokens, dtype=np.uint32),
        "passages.token": np.array(begins, dtype=np.int64),
        "passages.title_tokens": np.array(title_tokens, dtype=np.int32),
        "content.token": np.array([place for place, _ in places], dtype=np.int32),
        "content.tokens": np.array([count for _, count in places], dtype=np.int32),
    }


def _add_runs(own: list[int], codes: _Codes, text: str, starts: Sequence[int]) -> list[tuple[int, int]]:
    """Put the runs of a text behind those of its title; for each time where its run begins, and how long it is."""
    around = find_contexts(text, starts)
    runs: dict[tuple[int, int], tuple[int, int]] = {}
    rest, done = [], 0
    for low, high in sorted(set(around) - {(0, len(text))}):
        run = codes.of(text[low:high])
        runs[low, high] = len(own), len(run)
        own += run
        # No token lies across the bounds of a unit, so what is left of the text has its own tokens whole.
        rest.append(text[done:low])
        done = high
    rest.append(text[done:])
    seen = set(own) if done else set()
    own += [code for code in codes.of("\n".join(rest)) if code not in seen]
    whole = 0, len(own)
    return [runs.get(unit, whole) for unit in around]


class ContextSearcher:
    """Looks for tokens in contexts; `content` has the columns `token` and `tokens` of the times that can be asked
    for.
    """

    def __init__(
        self, columns: Mapping[str, npt.NDArray[Any]], token: npt.NDArray[np.int32], tokens: npt.NDArray[np.int32]
    ) -> None:
        self._tokens = columns["tokens"]
        self._begins = columns["passages.token"]
        self._titled = columns["passages.title_tokens"]
        self._of_content = token, tokens

    def match_contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which tokens are in which context; see `View.match_contexts`."""
        unique, columns = np.unique(
            np.array([zlib.crc32(token.encode()) for token in tokens], dtype=np.uint32), return_inverse=True
        )
        present = np.zeros((len(rows), len(unique)), dtype=np.bool_)
        if not present.size:
            return np.zeros((len(rows), len(tokens)), dtype=np.bool_)
        begins, title_tokens = self._begins[rows], self._titled[rows].astype(np.int64)
        offsets, sizes = np.zeros(len(rows), dtype=np.int64), self._get_ends(rows) - begins
        (read,) = np.nonzero(places >= 0)
        offsets[read], sizes[read] = (column[places[read]] for column in self._of_content)
        counts = np.concatenate([title_tokens, sizes])
        codes = self._tokens[expand_runs(np.concatenate([begins, begins + offsets]), counts)]
        at = np.minimum(unique.searchsorted(codes), len(unique) - 1)
        (hits,) = np.nonzero(unique[at] == codes)
        owners = np.repeat(np.tile(np.arange(len(rows)), 2), counts)
        present[owners[hits], at[hits]] = True
        return np.asarray(present[:, columns.reshape(-1)])

    def get_token_codes(self, rows: Rows) -> TokenCodes:
        """The codes of passages; see `SupportsTokenCodes.get_token_codes`."""
        begins = self._begins[rows]
        sizes = self._get_ends(rows) - begins
        return TokenCodes(self._tokens[expand_runs(begins, sizes)], sizes, self._titled[rows].astype(np.int64))

    def _get_ends(self, rows: Rows) -> Rows:
        last = len(self._begins) - 1
        return np.where(rows < last, self._begins[np.minimum(rows + 1, last)], len(self._tokens))
